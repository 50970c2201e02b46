package casefile

import (
	"fmt"
	"math"

	"convect/physics"
	"convect/stencil"
)

// decodePhysics reads the material and the heat source.
func (c *Case) decodePhysics(v value) {
	s, _ := v.section()
	p := &c.plan
	c.decodePermeability(s.get("permeability"))
	c.decodeViscosity(s.get("viscosity"))
	p.porosity = [3]field{{constant: 1, value: s.get("porosity"), limit: positive()}}
	if phi := s.get("porosity"); phi.given() {
		p.porosity[0] = phi.field(positive(), c.variables()...)
	}
	p.porosity[1], p.porosity[2] = p.porosity[0], p.porosity[0]
	p.porosityScale = 1
	if c.Dimensional != nil {
		p.porosityScale = c.Dimensional.Porosity
	}
	p.diffusion, p.diffusivityDirection = c.directions(s.get("diffusivity"), "diffusivities")
	p.source = field{limit: anyNumber()}
	if q := s.get("heat_source"); q.given() {
		p.source = q.field(anyNumber(), c.variables()...)
	}
}

// variables returns the names of the coordinates of the case.
func (c *Case) variables() []string {
	if c.flat() {
		return []string{"x", "z"}
	}
	return []string{"x", "y", "z"}
}

// directions reads a positive number or expression, or one for each axis. The default is 1.
func (c *Case) directions(v value, what string) (fields [3]field, direction bool) {
	one := field{constant: 1, value: v, limit: positive()}
	fields = [3]field{one, one, one}
	if !v.given() {
		return fields, false
	}
	if v.node.kind != sequence {
		f := v.field(positive(), c.variables()...)
		return [3]field{f, f, f}, false
	}
	items, _ := c.vector(v, what)
	for d, item := range items {
		if item.given() {
			fields[d] = item.field(positive(), c.variables()...)
		}
	}
	return fields, true
}

// buildMaterials evaluates the cell properties.
func (c *Case) buildMaterials() error {
	p, e := &c.plan, c.Parameters.Extent
	k, err := c.buildPermeability()
	if err != nil {
		return err
	}
	c.Parameters.Permeability = c.overViscosity(k)
	c.Parameters.Viscosity = c.viscosityOfTemperature()
	c.Parameters.Porosity = scaled(c.evaluate(p.porosity, false, e), p.porosityScale)
	c.Parameters.Diffusivity = c.evaluate(p.diffusion, p.diffusivityDirection, e)
	c.Parameters.HeatSource = nil
	if p.source.varies() || p.source.constant != 0 {
		c.Parameters.HeatSource = p.source.nondimensional(c.Scales, c.Scales.HeatFlux/c.Scales.Length)
		c.checkNodes(&p.source)
	}
	return nil
}

// evaluate turns numbers and expressions by direction into a material, the latter at cell centres.
func (c *Case) evaluate(f [3]field, direction bool, e stencil.Extent) physics.Material {
	m := physics.Material{Constant: [3]float64{f[0].constant, f[1].constant, f[2].constant}}
	if !f[0].varies() && !f[1].varies() && !f[2].varies() {
		return m
	}
	m.Constant = [3]float64{}
	for d := range f {
		if d > 0 && !direction {
			m.Cells[d] = m.Cells[0]
			continue
		}
		m.Cells[d] = physics.FromFunc(e, f[d].nondimensional(c.Scales, 1)).Cells[0]
		c.checkCells(f[d].value, physics.Material{Cells: [3][]float64{m.Cells[d]}})
	}
	return m
}

// checkCells refuses cell values that are not positive numbers; the first one is named.
func (c *Case) checkCells(v value, m physics.Material) {
	for d, cells := range m.Cells {
		if d > 0 && len(cells) > 0 && &cells[0] == &m.Cells[0][0] {
			continue
		}
		for i, k := range cells {
			if !(k > 0) || math.IsInf(k, 0) {
				v.refuse("finite numbers above 0 in every cell", "is %g %s", k, c.cellName(i))
				return
			}
		}
	}
}

// cellName describes the place of a cell.
func (c *Case) cellName(i int) string {
	e := c.Parameters.Extent
	nx, ny := e.Cells[0], max(e.Cells[1], 1)
	ijk := [3]int{i % nx, i / nx % ny, i / (nx * ny)}
	var x [3]float64
	for d := range x {
		x[d] = e.Centres(d)[ijk[d]] * c.Scales.Length
	}
	return "in the cell at " + c.pointName(x)
}

// pointName prints a point in the units of the case.
func (c *Case) pointName(x [3]float64) string {
	if c.flat() {
		return fmt.Sprintf("x = %.6g, z = %.6g", x[0], x[2])
	}
	return fmt.Sprintf("x = %.6g, y = %.6g, z = %.6g", x[0], x[1], x[2])
}

// scaled returns a material times a factor.
func scaled(m physics.Material, factor float64) physics.Material {
	if factor == 1 {
		return m
	}
	out := physics.Material{}
	for d := range 3 {
		out.Constant[d] = m.Constant[d] * factor
	}
	return mapCells(m, out, func(_ int, v float64) float64 { return v * factor })
}

// mapCells gives out the cells of m after f of cell number and value; directions that share cells go on sharing them.
func mapCells(m, out physics.Material, f func(cell int, v float64) float64) physics.Material {
	for d := range 3 {
		if m.Cells[d] == nil {
			continue
		}
		if d > 0 && &m.Cells[d][0] == &m.Cells[0][0] {
			out.Cells[d] = out.Cells[0]
			continue
		}
		out.Cells[d] = make([]float64, len(m.Cells[d]))
		for i, v := range m.Cells[d] {
			out.Cells[d][i] = f(i, v)
		}
	}
	return out
}

// plain prints a number in a message.
func plain(v float64) string { return fmt.Sprintf("%.6g", v) }
