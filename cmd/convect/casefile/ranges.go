package casefile

import (
	"fmt"
	"math"

	"convect/kernels"
	"convect/kernels/parallel"
	"convect/physics"
)

// PropertyRange is the range of a property of the medium as built, over cells and directions.
type PropertyRange struct {
	Name, Unit string // Unit is empty without one
	Reference  float64
	Low, High  float64
}

// String prints the range as "2e-16…6e-14 m²".
func (r PropertyRange) String() string {
	text := fmt.Sprintf("%.4g", r.Low)
	if high := fmt.Sprintf("%.4g", r.High); high != text {
		text += "…" + high
	}
	if r.Unit != "" {
		text += " " + r.Unit
	}
	return text
}

// widen takes a value in.
func (r *PropertyRange) widen(v float64) { r.Low, r.High = math.Min(r.Low, v), math.Max(r.High, v) }

// emptyRange is a range of nothing yet.
func emptyRange(name, unit string, reference float64) PropertyRange {
	return PropertyRange{Name: name, Unit: unit, Reference: reference, Low: math.Inf(1), High: math.Inf(-1)}
}

// note keeps the range of a property in the unit of the case.
func (c *Case) note(p property, m physics.Material) {
	r := emptyRange(p.name, p.unit, p.reference)
	for d := range 3 {
		if d == kernels.Y && c.flat() {
			continue
		}
		values := m.Cells[d]
		switch {
		case !m.Varies():
			values = m.Constant[d : d+1]
		case d > 0 && &values[0] == &m.Cells[0][0]:
			continue
		}
		r.widen(parallel.Min(values))
		r.widen(parallel.Max(values))
	}
	c.ranges = append(c.ranges, r)
}

// Ranges returns the range of each property of a case that is built, in the unit of the case: that of the viscosity at
// nondimensional values of the fluid, that of the heat source, where there is one, at the start.
func (c *Case) Ranges(fluid physics.Values) []PropertyRange {
	var out []PropertyRange
	for _, r := range c.ranges {
		if of := c.Parameters.Viscosity; r.Name == "viscosity" && of != nil {
			r = c.viscosityRange(r, of, fluid)
		}
		out = append(out, r)
	}
	if q := c.Parameters.HeatSource; q != nil {
		unit, scale := "", c.Scales.HeatFlux/c.Scales.Length
		if c.Dimensional != nil {
			unit = "W/m³"
		}
		r := emptyRange("heat_source", unit, 0)
		for _, z := range c.coordinates(kernels.Z) {
			for _, y := range c.coordinates(kernels.Y) {
				for _, x := range c.coordinates(kernels.X) {
					r.widen(scale * q(x, y, z, 0))
				}
			}
		}
		out = append(out, r)
	}
	return out
}

// viscosityRange is the range of a viscosity, that of its factor in position times that of its factor in T and S.
func (c *Case) viscosityRange(position PropertyRange, of *physics.Law, fluid physics.Values) PropertyRange {
	p := c.plan.viscosity.property
	r := emptyRange(p.name, p.unit, p.reference)
	least, most := of.Range(fluid)
	r.widen(least * p.reference * position.Low)
	r.widen(most * p.reference * position.High)
	return r
}
