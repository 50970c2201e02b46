package casefile

import (
	"fmt"
	"math"

	"convect/physics"
)

// moving lists what properties of the fluid may depend on: T where there is a temperature, S where there is a solute.
func (c *Case) moving() []string {
	var names []string
	if !c.Parameters.Isothermal {
		names = append(names, "T")
	}
	if c.hasSolute() {
		names = append(names, "S")
	}
	return names
}

// law makes a law of nondimensional values of an expression in T and S in the units of the case.
func (c *Case) law(e *expression) *physics.Law {
	of, heat, salt := e.value, c.Scales.Temperature, c.Scales.Concentration
	return &physics.Law{Of: func(t, s float64) float64 { return of(s*salt, 0, 0, t*heat) }, OfTemperature: e.uses["T"], OfConcentration: e.uses["S"]}
}

// checkLaw refuses an expression in T and S that is not a number, or not one that will do, at the values of walls at the start and in between, as far as they are known without solving
// anything: where no wall says what a scalar is, the start of a run does.
func (c *Case) checkLaw(e *expression, v value, accepted string, ok func(float64) bool) {
	const points = 1000
	var low, high [2]float64
	count, names := [2]int{}, [2]string{"T", "S"}
	for n, name := range names {
		if !e.uses[name] {
			continue
		}
		if low[n], high[n] = c.wallValues(n); low[n] > high[n] {
			return
		}
		if count[n] = points; e.uses["T"] && e.uses["S"] {
			count[n] = points / 20
		}
	}
	at := func(n, i int) float64 { return low[n] + (high[n]-low[n])*float64(i)/float64(max(count[n], 1)) }
	for j := 0; j <= count[1]; j++ {
		for i := 0; i <= count[0]; i++ {
			t, s := at(0, i), at(1, j)
			if mu := e.value(s, 0, 0, t); !ok(mu) || math.IsNaN(mu) || math.IsInf(mu, 0) {
				where := ""
				for n, of := range [2]float64{t, s} {
					if e.uses[names[n]] {
						where += fmt.Sprintf(", %s = %.6g", names[n], of)
					}
				}
				v.refuse(accepted, "is %g at %s", mu, where[2:])
				return
			}
		}
	}
}
