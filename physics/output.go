package physics

import (
	"fmt"
	"slices"

	"convect/kernels"
	"convect/kernels/parallel"
	"convect/stencil"
)

// Quantity describes a field that can be written: its name in the case file, number of components and units.
type Quantity struct {
	Name       string
	Components int
	Unit       func(Scales) string
	Scale      func(Scales) float64
}

// Quantities lists what Freeze and Download offer.
func (s *Simulation) Quantities() []Quantity {
	return []Quantity{
		{"temperature", 1, func(c Scales) string { return c.TemperatureUnit }, func(c Scales) float64 { return c.Temperature }},
		{"pressure", 1, func(c Scales) string { return c.PressureUnit }, func(c Scales) float64 { return c.Pressure }},
		{"velocity", 3, func(c Scales) string { return c.VelocityUnit }, func(c Scales) float64 { return c.Velocity }},
	}
}

// Frozen is a quantity of one step on the host or on its way there. The zero value is room for one.
type Frozen struct {
	Components []stencil.Frozen
	Column     []float64 // what is added to the nodes of each level; nil: nothing
}

// Freeze takes a copy of a quantity as it is now, which may travel to the host beside the steps that follow, into released room.
// The pressure is relative to the hydrostatic pressure of fluid at T = 0 and includes the column of mean temperature.
func (s *Simulation) Freeze(name string, into *Frozen) (err error) {
	m := s.model
	into.Column = nil
	switch name {
	case "temperature":
		into.Components = room(into.Components, 1)
		return m.heat.now.Freeze(&into.Components[0])
	case "pressure":
		into.Components = room(into.Components, 1)
		if into.Column, err = m.flow.column(); err != nil {
			return err
		}
		return m.flow.pressure.Freeze(&into.Components[0])
	case "velocity":
		into.Components = room(into.Components, 3)
		return m.freezeVelocity(into.Components)
	}
	return fmt.Errorf("there is no quantity %q; there are temperature, pressure and velocity", name)
}

// room returns as many components, with what room they have.
func room(components []stencil.Frozen, n int) []stencil.Frozen {
	return slices.Grow(components[:0], n)[:n]
}

// freezeVelocity takes copies of the Darcy velocity on nodes; y is zero in 2-D.
func (m *model) freezeVelocity(into []stencil.Frozen) error {
	u := m.scratch.borrow("velocity")
	defer m.scratch.giveBack(u)
	for d := range into {
		if m.grid.Cells[d] == 0 {
			into[d] = stencil.FrozenOf(make([]float64, m.grid.Nodes()))
			continue
		}
		m.flow.NodeVelocity(u, d)
		if err := u.Freeze(&into[d]); err != nil {
			return err
		}
	}
	return nil
}

// Values waits for the quantity and returns its components, each [z][y][x], nondimensional, periodic planes not repeated; valid until Release.
func (f *Frozen) Values() ([][]float64, error) {
	components := make([][]float64, len(f.Components))
	for c := range f.Components {
		var err error
		if components[c], err = f.Components[c].Values(); err != nil {
			return nil, err
		}
	}
	if levels := len(f.Column); levels > 0 {
		p := components[0]
		plane := len(p) / levels
		parallel.Ranges(levels, func(first, last int) {
			for n := first * plane; n < last*plane; n++ {
				p[n] += f.Column[n/plane]
			}
		})
		f.Column = nil // it has been added
	}
	return components, nil
}

// Release lets the room be used again.
func (f *Frozen) Release() {
	for c := range f.Components {
		f.Components[c].Release()
	}
}

// Download returns a quantity on the nodes, [component][z][y][x], as [Frozen.Values] does.
func (s *Simulation) Download(name string) ([]float64, error) {
	var f Frozen
	defer f.Release()
	if err := s.Freeze(name, &f); err != nil {
		return nil, err
	}
	components, err := f.Values()
	return slices.Concat(components...), err
}

// Profile holds horizontal means over height.
type Profile struct {
	Z, T, WT []float64 // height, mean temperature, mean of vertical velocity times temperature, on nodes
}

// Profiles computes the horizontal means of the present state, each node weighted by its dual area.
func (s *Simulation) Profiles() (*Profile, error) {
	m, g := s.model, s.model.grid
	var frozen [2]stencil.Frozen // temperature and vertical velocity
	for f := range frozen {
		defer frozen[f].Release()
	}
	if err := m.heat.now.Freeze(&frozen[0]); err != nil {
		return nil, err
	}
	vertical := m.scratch.borrow("velocity")
	defer m.scratch.giveBack(vertical)
	m.flow.NodeVelocity(vertical, kernels.Z)
	if err := vertical.Freeze(&frozen[1]); err != nil {
		return nil, err
	}
	t, err := frozen[0].Values()
	if err != nil {
		return nil, err
	}
	w, err := frozen[1].Values()
	if err != nil {
		return nil, err
	}
	n := g.Box.N
	p := &Profile{Z: m.walls.x[kernels.Z], T: make([]float64, n[2]), WT: make([]float64, n[2])}
	area := g.Volume() / g.Size[kernels.Z]
	var widths [2][]float64
	for d := range widths {
		for i := range n[d] {
			widths[d] = append(widths[d], g.DualWidth(d, i))
		}
	}
	parallel.Ranges(n[2], func(first, last int) {
		for k := first; k < last; k++ {
			sumT, sumWT := 0.0, 0.0
			for j, y := range widths[kernels.Y] {
				row := n[0] * (j + n[1]*k)
				rowT, rowW := t[row:][:n[0]], w[row:][:n[0]]
				for i, x := range widths[kernels.X] {
					a := x * y / area
					sumT += a * rowT[i]
					sumWT += a * rowT[i] * rowW[i]
				}
			}
			p.T[k], p.WT[k] = sumT, sumWT
		}
	})
	return p, nil
}
