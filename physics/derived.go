package physics

import (
	"fmt"
	"math"

	"convect/kernels"
	"convect/kernels/parallel"
	"convect/stencil"
)

// Names of quantities that are written where they are asked for alone.
const (
	StreamfunctionName = "streamfunction"
	HeatFluxName       = "heat_flux"
	DivergenceName     = "divergence"
	PermeabilityName   = "permeability"
)

// extras lists the quantities that are written where they are asked for alone.
func (p *Parameters) extras() (all []Quantity) {
	if p.Extent.Cells[kernels.Y] == 0 && len(p.Wells) == 0 {
		all = append(all, Quantity{Name: StreamfunctionName, Components: 1, Meaning: "stream function, 0 in the low corner: u = -∂ψ/∂z, w = ∂ψ/∂x",
			Unit: func(c Scales) string { return c.si("m2/s") }, Scale: func(c Scales) float64 { return c.Velocity * c.Length }})
	}
	if !p.Isothermal {
		all = append(all, Quantity{Name: HeatFluxName, Components: 3, Meaning: "heat flux, carried, conducted and dispersed",
			Unit: func(c Scales) string { return c.HeatFluxUnit }, Scale: func(c Scales) float64 { return c.HeatFlux }})
	}
	all = append(all, Quantity{Name: DivergenceName, Components: 1, Meaning: "divergence of the Darcy velocity, less what wells bring",
		Unit: func(c Scales) string { return c.si("1/s") }, Scale: func(c Scales) float64 { return c.Velocity / c.Length }})
	components := 3
	if p.isIsotropic() {
		components = 1
	}
	all = append(all, Quantity{Name: PermeabilityName, Components: components, Cells: true, Meaning: "permeability of the cells",
		Unit: func(c Scales) string { return c.si("m2") }, Scale: func(c Scales) float64 { return c.Permeability }})
	for n := range all {
		all[n].Extra = true
	}
	return all
}

// si names a unit of a case in SI units.
func (c Scales) si(name string) string {
	if c.LengthUnit == "1" || c.LengthUnit == "" {
		return "1"
	}
	return name
}

// isIsotropic tells whether the permeability is the same along all axes that the grid has.
func (p *Parameters) isIsotropic() bool {
	k := &p.Permeability
	for d := 1; d < 3; d++ {
		switch {
		case d == kernels.Y && p.Extent.Cells[d] == 0:
		case !k.Varies():
			if k.Constant[d] != k.Constant[0] {
				return false
			}
		case len(k.Cells[d]) != len(k.Cells[0]):
			return false
		case &k.Cells[d][0] == &k.Cells[0][0]:
		default:
			for n, v := range k.Cells[d] {
				if v != k.Cells[0][n] {
					return false
				}
			}
		}
	}
	return true
}

// permeabilities returns the permeability of the cells, [component][z][y][x] of stencil.Grid.CellShape; along an absent axis it is 0.
func (m *model) permeabilities(components int) [][]float64 {
	n := m.grid.CellShape()
	all := make([][]float64, components)
	for d := range all {
		all[d] = make([]float64, n[0]*n[1]*n[2])
		switch k := &m.p.Permeability; {
		case m.grid.Cells[d] == 0:
		case k.Varies():
			copy(all[d], k.Cells[d])
		default:
			fill(all[d], k.Constant[d])
		}
	}
	return all
}

// freezeDerived takes copies of what a quantity is computed of on the host; false: it is none of these.
func (s *Simulation) freezeDerived(q *Quantity, into *Frozen) (bool, error) {
	switch q.Name {
	case PermeabilityName:
		into.Components = room(into.Components, q.Components)
		for c, values := range s.model.permeabilities(q.Components) {
			into.Components[c] = stencil.FrozenOf(values)
		}
		return true, nil
	case HeatFluxName:
		into.Components = room(into.Components, 4)
		u := s.model.temperature()
		if err := u.now.Freeze(&into.Components[3]); err != nil {
			return true, err
		}
		into.derive = func(c [][]float64) [][]float64 { return u.nodeFluxes(c[:3], c[3]) }
		return true, s.model.eachVelocity(s.model.freezeInto(into))
	}
	return false, nil
}

// streamfunction hands over the stream function on nodes.
func (m *model) streamfunction(use func(c int, f *stencil.Field) error) error {
	if !m.streams() {
		return fmt.Errorf("there is no stream function in 3-D or with wells")
	}
	psi := m.scratch.borrow("stream function")
	defer m.scratch.giveBack(psi)
	m.flow.Streamfunction(psi, m.slots+slotPsi)
	return use(0, psi)
}

// nodeFluxes returns the flux of a scalar on nodes, u s - (D + E) ∇s, of the Darcy velocity u on nodes and the scalar: what is conducted is linear between the faces beside a
// node, whose conductivity is the mean of the cells around it, as in the steps; dispersion is that of the gradient and the velocity of the node.
func (u *scalar) nodeFluxes(velocity [][]float64, s []float64) [][]float64 {
	g, n := u.grid, u.grid.Box.N
	out := make([][]float64, 3)
	for d := range out {
		out[d] = make([]float64, len(s))
	}
	parallel.Ranges(n[2], func(first, last int) {
		for k := first; k < last; k++ {
			for j := range n[1] {
				for i := range n[0] {
					at := [3]int{i, j, k}
					node := i + n[0]*(j+n[1]*k)
					var gradient, speed [3]float64
					for d := range 3 {
						if g.Cells[d] == 0 {
							continue
						}
						var conducted float64
						conducted, gradient[d] = u.conducted(s, at, d)
						speed[d] = velocity[d][node]
						out[d][node] = speed[d]*s[node] + conducted
					}
					if u.of.dispersion.any() {
						for d, spread := range u.of.dispersion.flux(speed, gradient) {
							out[d][node] += spread
						}
					}
				}
			}
		}
	})
	return out
}

// flux returns -E(u) ∇s.
func (l Dispersion) flux(u, gradient [3]float64) (q [3]float64) {
	speed := math.Sqrt(u[0]*u[0] + u[1]*u[1] + u[2]*u[2])
	if speed == 0 {
		return q
	}
	along := u[0]*gradient[0] + u[1]*gradient[1] + u[2]*gradient[2]
	for d := range q {
		q[d] = -l.Transverse*speed*gradient[d] - (l.Longitudinal-l.Transverse)*u[d]*along/speed
	}
	return q
}

// conducted returns what is conducted along an axis at a node, and the gradient there: linear between the middles of the two nearest faces, or at a wall beyond them.
func (u *scalar) conducted(s []float64, at [3]int, d int) (flux, gradient float64) {
	g := u.grid
	cells := g.Cells[d]
	low := at[d] - 1 // the cell below the node
	weight := 0.0
	switch {
	case g.Periodic[d]:
		low = (low + cells) % cells
	case cells == 1:
		low = 0
	case low < 0:
		low = 0
	case low == cells-1:
		low = cells - 2
	}
	high := min(low+1, cells-1)
	if g.Periodic[d] {
		high = (low + 1) % cells
	}
	a, b := g.Widths[d][low], g.Widths[d][high]
	switch { // the node's distance from the middle of the lower cell, over that of both middles
	case cells == 1:
	case !g.Periodic[d] && at[d] == 0:
		weight = -a / (a + b)
	case !g.Periodic[d] && at[d] == cells:
		weight = 1 + b/(a+b)
	default:
		weight = a / (a + b)
	}
	q0, g0 := u.through(s, at, d, low)
	q1, g1 := u.through(s, at, d, high)
	return (1-weight)*q0 + weight*q1, (1-weight)*g0 + weight*g1
}

// through returns what is conducted along an axis in the middle of a cell of that axis, on the line of a node, and the gradient there.
func (u *scalar) through(s []float64, at [3]int, d, cell int) (flux, gradient float64) {
	g, n := u.grid, u.grid.Box.N
	from, to := at, at
	from[d], to[d] = cell, (cell+1)%n[d]
	index := func(x [3]int) int { return x[0] + n[0]*(x[1]+n[1]*x[2]) }
	gradient = (s[index(to)] - s[index(from)]) / g.Widths[d][cell]
	return -u.around(at, d, cell) * gradient, gradient
}

// around returns the diffusivity along an axis of the cells of an index along it around the line of a node.
func (u *scalar) around(at [3]int, d, cell int) float64 {
	k := &u.of.diffusivity
	if !k.Varies() {
		return k.Constant[d]
	}
	g, n := u.grid, u.grid.CellShape()
	sum, area := 0.0, 0.0
	e, f := (d+1)%3, (d+2)%3
	for _, a := range [2]int{at[e] - 1, at[e]} {
		for _, b := range [2]int{at[f] - 1, at[f]} {
			var c [3]int
			c[d] = cell
			w := 1.0
			for _, side := range [2][2]int{{e, a}, {f, b}} {
				axis, i := side[0], side[1]
				switch {
				case g.Cells[axis] == 0:
					i = 0
				case g.Periodic[axis]:
					i = (i + g.Cells[axis]) % g.Cells[axis]
					w *= g.Widths[axis][i]
				case i < 0 || i >= g.Cells[axis]:
					w = 0
				default:
					w *= g.Widths[axis][i]
				}
				c[axis] = i
			}
			if w > 0 {
				sum, area = sum+w*k.Cells[d][c[0]+n[0]*(c[1]+n[1]*c[2])], area+w
			}
		}
	}
	return sum / area
}
