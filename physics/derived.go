package physics

import (
	"fmt"

	"convect/kernels"
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

// eachHeatFlux hands over the components of the heat flux on nodes, u T - (D + E) ∇T; y is zero in 2-D.
func (m *model) eachHeatFlux(use func(c int, f *stencil.Field) error) error {
	q := m.scratch.borrow("heat flux")
	defer m.scratch.giveBack(q)
	for d := range 3 {
		f := q
		if m.grid.Cells[d] == 0 {
			f = nil
		} else {
			u := m.temperature()
			u.transport.NodeFlux(u.conduction, q, u.now, u.of.dispersion.Longitudinal, u.of.dispersion.Transverse, d)
		}
		if err := use(d, f); err != nil {
			return err
		}
	}
	return nil
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
