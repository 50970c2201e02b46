package casefile

import (
	"math"

	"convect/kernels"
	"convect/physics"
)

// viscosity is μ = position · temperature, either factor constant where it is not given.
type viscosity struct {
	value       value
	property    property
	position    field
	temperature number // of T in the units of the case, which stands in the place of time; nil: 1
}

// decodeViscosity reads a number, or an expression that is a product of factors in position and factors in T.
func (c *Case) decodeViscosity(v value) {
	mu := &c.plan.viscosity
	p := c.viscosityProperty()
	*mu = viscosity{value: v, property: p, position: field{constant: p.reference, value: v, limit: p.limit}}
	if !v.given() {
		return
	}
	if v.node.kind == mapping {
		mu.position = c.propertyField(v, p)
		return
	}
	position := c.variables()
	f := v.field(p.limit, append(position, "T")...)
	if f.inTemperature && c.Parameters.Isothermal {
		v.refuse(p.limit.words+", or an expression in "+joined(position), "it depends on T, and there is no temperature in this case")
		return
	}
	if !f.inTemperature {
		mu.position = f
		return
	}
	of, temperature, fault := compileProduct(v.node.text, position)
	if fault != nil {
		v.refuseAt(fault.at, p.limit.words+", or an expression in "+joined(position)+" times an expression in T", "%s", fault.message)
		return
	}
	mu.position.constant, mu.position.of, mu.temperature = 1, of, temperature
}

// overViscosity divides a permeability by what of the viscosity depends on position alone, at the centres of cells.
func (c *Case) overViscosity(k physics.Material) (physics.Material, error) {
	p, mu := c.plan.viscosity.property, &c.plan.viscosity.position
	if c.plan.viscosity.temperature != nil { // which has the unit
		p.reference, p.limit = 1, positive()
	}
	at, err := c.evaluate(p, [3]field{*mu, *mu, *mu}, false)
	if err != nil {
		return k, err
	}
	at = c.relative(p, at, mu.value)
	if !at.Varies() {
		return scaled(k, 1/at.Constant[0]), nil
	}
	if !k.Varies() {
		k.Cells = [3][]float64{constantCells(k.Constant[0], len(at.Cells[0]))}
		for d := 1; d < 3; d++ {
			if k.Cells[d] = k.Cells[0]; k.Constant[d] != k.Constant[0] {
				k.Cells[d] = constantCells(k.Constant[d], len(at.Cells[0]))
			}
		}
	}
	return mapCells(k, physics.Material{}, func(cell int, v float64) float64 { return v / at.Cells[0][cell] }), nil
}

func constantCells(v float64, n int) []float64 {
	cells := make([]float64, n)
	for i := range cells {
		cells[i] = v
	}
	return cells
}

// viscosityOfTemperature returns the factor of the viscosity in T, of nondimensional temperatures; nil: none.
func (c *Case) viscosityOfTemperature() func(float64) float64 {
	of := c.plan.viscosity.temperature
	if of == nil {
		return nil
	}
	scale, reference := c.Scales.Temperature, c.plan.viscosity.property.reference
	if reference == 1 {
		return func(t float64) float64 { return of(0, 0, 0, t*scale) }
	}
	return func(t float64) float64 { return of(0, 0, 0, t*scale) / reference }
}

// checkViscosity refuses a viscosity that is not a positive number at the temperatures between the coldest and the hottest
// wall at the start, of its own or outside, as far as they are known without solving anything.
func (c *Case) checkViscosity() {
	mu := &c.plan.viscosity
	if mu.temperature == nil {
		return
	}
	low, high := c.wallValues(0)
	const points = 1000
	for n := 0; low <= high && n <= points; n++ {
		t := low + (high-low)*float64(n)/points
		if v := mu.temperature(0, 0, 0, t); !(v > 0) || math.IsInf(v, 0) {
			mu.value.refuse("finite numbers above 0 at every temperature", "is %g at T = %.6g", v, t)
			return
		}
	}
}

// wallValues returns the range of the values of the n-th scalar at walls at the start, their own or those outside, in the units of the case; low is
// above high where there are none.
func (c *Case) wallValues(n int) (low, high float64) {
	low, high = math.Inf(1), math.Inf(-1)
	c.eachWall(func(w *wall, side kernels.Side, spans [3][2]float64) {
		if !w.scalar(n).of.kind.Rule().Warm {
			return
		}
		c.onWall(side, spans, func(x [3]float64) bool {
			t := w.scalar(n).value().at(&c.Scales, x, 0)
			low, high = math.Min(low, t), math.Max(high, t)
			return true
		})
	})
	return low, high
}
