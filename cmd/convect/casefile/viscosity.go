package casefile

import (
	"math"

	"convect/kernels"
	"convect/physics"
)

// viscosity is μ = position · fluid, either factor constant where it is not given.
type viscosity struct {
	value    value
	property property
	position field
	fluid    *expression // of T and S in the units of the case; nil: 1
}

// decodeViscosity reads a number, or an expression that is a product of factors in position and factors in T and S.
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
	carried := c.moving()
	f := v.field(p.limit, append(position, carried...)...)
	if !f.inFluid {
		mu.position = f
		return
	}
	of, fluid, fault := compileProduct(v.node.text, position, carried)
	if fault != nil {
		v.refuseAt(fault.at, p.limit.words+", or an expression in "+joined(position)+" times an expression in "+joined(carried), "%s", fault.message)
		return
	}
	mu.position.constant, mu.position.of, mu.fluid = 1, of, fluid
}

// overViscosity divides a permeability by what of the viscosity depends on position alone, at the centres of cells.
func (c *Case) overViscosity(k physics.Material) (physics.Material, error) {
	p, mu := c.plan.viscosity.property, &c.plan.viscosity.position
	if c.plan.viscosity.fluid != nil { // which has the unit
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

// viscosityOfFluid returns the factor of the viscosity in T and S, of nondimensional values; nil: none.
func (c *Case) viscosityOfFluid() *physics.Law {
	of := c.plan.viscosity.fluid
	if of == nil {
		return nil
	}
	law := c.law(of)
	if reference := c.plan.viscosity.property.reference; reference != 1 {
		relative := law.Of
		law.Of = func(t, s float64) float64 { return relative(t, s) / reference }
	}
	return law
}

// checkViscosity refuses a viscosity that is not a positive number at the values between the least and the greatest of walls at the start, of their own or outside, as far as they are
// known without solving anything.
func (c *Case) checkViscosity() {
	mu := &c.plan.viscosity
	if mu.fluid == nil {
		return
	}
	c.checkLaw(mu.fluid, mu.value, "finite numbers above 0 at every "+map[bool]string{true: "temperature", false: "value of walls and in between"}[!mu.fluid.uses["S"]], func(v float64) bool { return v > 0 })
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
