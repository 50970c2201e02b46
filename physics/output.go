package physics

import (
	"fmt"
	"slices"
	"strings"

	"convect/kernels/parallel"
	"convect/stencil"
)

// Quantity describes a field that can be written: its name in the case file, number of components and units.
type Quantity struct {
	Name       string
	Components int
	Meaning    string // in words
	Unit       func(Scales) string
	Scale      func(Scales) float64
}

// Quantities lists what can be written of a model with these parameters, what is transported first.
func (p *Parameters) Quantities() []Quantity {
	var all []Quantity
	for _, of := range p.Transported() {
		all = append(all, Quantity{of.Name, 1, of.Meaning(), of.Unit, of.Scale})
	}
	return append(all,
		Quantity{"pressure", 1, "pressure above the hydrostatic pressure of fluid at T = 0", func(c Scales) string { return c.PressureUnit }, func(c Scales) float64 { return c.Pressure }},
		Quantity{"velocity", 3, "Darcy velocity", func(c Scales) string { return c.VelocityUnit }, func(c Scales) float64 { return c.Velocity }})
}

// Quantities lists what Freeze and Download offer.
func (s *Simulation) Quantities() []Quantity { return s.model.p.Quantities() }

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
	case "pressure":
		into.Components = room(into.Components, 1)
		if into.Column, err = m.flow.column(); err != nil {
			return err
		}
		for k := range into.Column {
			into.Column[k] += m.wells.held.level
		}
		return m.flow.pressure.Freeze(&into.Components[0])
	case "velocity":
		into.Components = room(into.Components, 3)
		return m.freezeVelocity(into.Components)
	}
	var names []string
	for _, u := range m.scalars {
		if u.of.Name == name {
			into.Components = room(into.Components, 1)
			return u.now.Freeze(&into.Components[0])
		}
		names = append(names, u.of.Name)
	}
	return fmt.Errorf("there is no quantity %q; there are %s, pressure and velocity", name, strings.Join(names, ", "))
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
