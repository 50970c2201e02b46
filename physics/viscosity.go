package physics

import (
	"fmt"
	"math"

	"convect/stencil"
)

// viscosityEntries is the number of values of the table of 1/μ over temperature, a power of two and one. Interpolated
// linearly between them, exp(cT) is off by 2.4e-7 c² of itself at most where the table spans 4 in T.
const viscosityEntries = 1<<11 + 1

// viscosity makes the mobility K/μ follow a scalar through a table of 1/μ over centre ± reach.
type viscosity struct {
	of       func(value float64) float64
	scalar   *scalar
	mobility *stencil.Mobility
	values   []float64 // of the table, on the host
	// The table spans at least twice the initial range of the scalar, and it is widened before a step where the
	// scalar of the step before came near its ends. Both numbers belong to the state of a run.
	centre, reach float64
	excursion     float64 // largest |s - centre| now
}

func newViscosity(o *stencil.Operator, scalar *scalar, of func(float64) float64) (*viscosity, error) {
	m, err := stencil.NewMobility(o, viscosityEntries)
	if err != nil {
		return nil, err
	}
	return &viscosity{of: of, scalar: scalar, mobility: m, values: make([]float64, viscosityEntries)}, nil
}

// begin makes the table for initial values between two. It fails where μ is not a positive number there.
func (v *viscosity) begin(low, high float64) error {
	v.centre, v.excursion = (low+high)/2, (high-low)/2
	v.reach = math.Max(2*v.excursion, 1)
	for n := range v.values {
		t := low + (high-low)*float64(n)/float64(len(v.values)-1)
		if mu := v.of(t); !valid(mu) {
			return fmt.Errorf("viscosity: %g at the %s %g, in units of its difference, is not a positive number", mu, v.scalar.of.Name, t)
		}
	}
	v.tabulate()
	return nil
}

// valid tells whether a viscosity can be one.
func valid(mu float64) bool { return mu > 0 && 1/mu > 0 && !math.IsInf(1/mu, 0) }

// tabulate fills the table. Where μ is not a positive number, beyond all values met so far, it keeps the last value
// on the way from the centre.
func (v *viscosity) tabulate() {
	middle := len(v.values) / 2
	for _, way := range [2]int{-1, 1} {
		last := 0.0
		for n := middle; n >= 0 && n < len(v.values); n += way {
			mu := v.of(v.centre + v.reach*float64(n-middle)/float64(middle))
			if valid(mu) {
				last = 1 / mu
			}
			v.values[n] = last
		}
	}
	v.mobility.SetTable(v.centre-v.reach, v.centre+v.reach, v.values)
}

// renew computes the mobility of the present scalar.
func (v *viscosity) renew() {
	if v.excursion > 0.75*v.reach {
		v.reach = 2 * v.excursion
		v.tabulate()
	}
	v.update()
}

// update computes the mobility of the present scalar with the table as it is.
func (v *viscosity) update() { v.mobility.Update(v.scalar.now) }

// measure queues how far the scalar is from the centre of the table.
func (v *viscosity) measure() { v.scalar.now.Excursion(v.centre, v.scalar.slots+slotExcursion) }

// greatestFluidity returns the largest 1/μ over a range of values around the centre.
func (v *viscosity) greatestFluidity(span float64) float64 {
	most := 0.0
	for n := range viscosityEntries {
		most = math.Max(most, 1/v.of(v.centre+span*(float64(n)/(viscosityEntries-1)-0.5)))
	}
	return most
}
