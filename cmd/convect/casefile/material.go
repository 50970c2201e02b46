package casefile

import (
	"fmt"
	"strings"

	"convect/kernels"
	"convect/kernels/parallel"
	"convect/physics"
)

// decodePhysics reads the medium, and what the equations of the scalars have.
func (c *Case) decodePhysics(v value) {
	s, _ := v.section()
	c.decodePermeability(s.get("permeability"))
	c.decodeViscosity(s.get("viscosity"))
	c.decodePorosity(s.get("porosity"))
	c.decodeIsothermal(s)
	c.decodeLightness(s)
	c.decodeTracers(s.get("tracers"))
	c.decodeDispersions(s.get("dispersion"))
	for _, of := range c.carried() {
		if of.absent(c) == "" {
			of.decode(c, s)
		}
	}
}

// decodeHeat reads what the heat equation has.
func (c *Case) decodeHeat(s section) {
	p := &c.plan
	c.decodeStorage(s)
	c.decodeDiffusion(s.get("diffusivity"), s.get("conductivity"))
	c.decodeTerms(s)
	p.source = field{limit: anyNumber()}
	if q := s.get("heat_source"); q.given() {
		if q.node.kind == mapping && q.node.find("table") == nil {
			p.source.value, p.source.file = q, c.gridFile(q, c.sourceProperty())
		} else {
			p.source = c.variable(q, anyNumber())
		}
	}
}

// decodeDiffusion reads the diffusivity of a case without units, or the conductivity of one in SI units.
func (c *Case) decodeDiffusion(diffusivity, conductivity value) {
	p := &c.plan.diffusion
	p.property = c.diffusionProperty()
	mine, other := diffusivity, conductivity
	if c.si {
		mine, other = conductivity, diffusivity
	}
	switch {
	case other.given() && c.si:
		other.refuse("conductivity, in W/(m K)", "a diffusivity is a multiple of the reference, which a case in SI units does not take")
	case other.given():
		other.refuse("diffusivity, a multiple of the reference", "a conductivity is in W/(m K), and a case with rayleigh has no units")
	}
	p.fields, p.direction = c.directions(mine, p.property, "values by axis")
}

// variables returns the names of the coordinates of the case.
func (c *Case) variables() []string {
	if c.flat() {
		return []string{"x", "z"}
	}
	return []string{"x", "y", "z"}
}

// directional is a property given as number or expression, or as one for each axis.
type directional struct {
	property  property
	fields    [3]field
	direction bool // given by direction
}

// directions reads a number or expression, or one for each axis. The default is the reference.
func (c *Case) directions(v value, p property, what string) (fields [3]field, direction bool) {
	if !v.given() || v.node.kind != sequence {
		f := c.propertyField(v, p)
		return [3]field{f, f, f}, false
	}
	one := field{constant: p.reference, value: v, limit: p.limit}
	fields = [3]field{one, one, one}
	items, _ := c.vector(v, what)
	for d, item := range items {
		if item.given() {
			fields[d] = c.propertyField(item, p)
		}
	}
	if c.si && c.flat() { // y is not there, so that the reference must not matter
		fields[kernels.Y] = fields[kernels.X]
	}
	return fields, true
}

// propertyField reads a number or expression in the unit of a property. The default is the reference.
func (c *Case) propertyField(v value, p property) field {
	if !v.given() {
		return field{constant: p.reference, value: v, limit: p.limit}
	}
	if v.node.kind == mapping {
		g := c.gridFile(v, p)
		if g != nil && p.conducts {
			g.request.Directions = !strings.HasSuffix(v.key, "]") // an item of a list is for one direction
		}
		return field{value: v, limit: p.limit, file: g}
	}
	return v.field(p.limit, c.variables()...)
}

// buildMaterials evaluates the medium and what the equations of the scalars have.
func (c *Case) buildMaterials() error {
	c.ranges, c.filesRead = nil, nil
	k, err := c.buildPermeability()
	if err != nil {
		return err
	}
	if c.Parameters.Permeability, err = c.overViscosity(k); err != nil {
		return err
	}
	c.Parameters.Viscosity = c.viscosityOfFluid()
	before := len(c.d.errors)
	if err := c.buildPorosity(); err != nil || len(c.d.errors) > before {
		return err
	}
	for _, of := range c.carried() {
		if of.absent(c) != "" {
			continue
		}
		if err := of.build(c); err != nil {
			return err
		}
	}
	return nil
}

// buildHeat evaluates what the heat equation has.
func (c *Case) buildHeat() error {
	d := &c.plan.diffusion
	diffusion, err := c.evaluate(d.property, d.fields, d.direction)
	if err != nil {
		return err
	}
	c.Parameters.Diffusivity = c.relative(d.property, diffusion, d.fields[0].value, d.fields[1].value, d.fields[2].value)
	if err := c.buildStorage(); err != nil {
		return err
	}
	c.buildTerms()
	return c.buildSource()
}

// buildSource evaluates the heat source.
func (c *Case) buildSource() (err error) {
	p := &c.plan
	c.Parameters.HeatSource = nil
	if p.source.file != nil {
		c.Parameters.HeatSource, err = c.sourceOf(p.source.file)
		return err
	}
	if p.source.varies() || p.source.constant != 0 {
		c.Parameters.HeatSource = p.source.nondimensional(c.Scales, c.Scales.HeatFlux/c.Scales.Length)
		c.Parameters.SourceVaries, c.Parameters.SourceCourse = p.source.inTime, course(c.Scales, &p.source)
		c.checkNodes(&p.source)
	}
	return nil
}

// evaluate turns numbers, expressions and files by direction into a material in the units of the case, expressions at cell centres.
func (c *Case) evaluate(p property, f [3]field, direction bool) (physics.Material, error) {
	m := physics.Material{Constant: [3]float64{f[0].constant, f[1].constant, f[2].constant}}
	if !f[0].varies() && !f[1].varies() && !f[2].varies() {
		return m, nil
	}
	m.Constant = [3]float64{}
	if g := f[0].file; g != nil && !direction {
		cells, err := c.cellsOf(g, p)
		return physics.Material{Cells: cells}, err
	}
	for d := range f {
		switch {
		case d > 0 && !direction, d == kernels.Y && c.flat():
			m.Cells[d] = m.Cells[0]
		case f[d].file != nil:
			cells, err := c.cellsOf(f[d].file, p)
			if err != nil {
				return m, err
			}
			m.Cells[d] = cells[d]
		default:
			m.Cells[d] = physics.FromFunc(c.Parameters.Extent, f[d].nondimensional(c.Scales, 1)).Cells[0]
		}
	}
	return m, nil
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
		parallel.Ranges(len(m.Cells[d]), func(first, last int) {
			for i := first; i < last; i++ {
				out.Cells[d][i] = f(i, m.Cells[d][i])
			}
		})
	}
	return out
}

// plain prints a number in a message.
func plain(v float64) string { return fmt.Sprintf("%.6g", v) }
