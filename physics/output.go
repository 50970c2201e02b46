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
	Cells      bool   // it is of cells, [z][y][x] of stencil.Grid.CellShape, rather than of nodes
	Extra      bool   // it is written where it is asked for alone
	Method     string // how it was made of what is at points, in the words of CF (cell_methods): time: mean; "": it is at points
	Unit       func(Scales) string
	Scale      func(Scales) float64
}

// Quantities lists what can be written of a model with these parameters, what is transported first.
func (p *Parameters) Quantities() []Quantity {
	var all []Quantity
	for _, of := range p.Transported() {
		all = append(all, Quantity{Name: of.Name, Components: 1, Meaning: of.Meaning(), Unit: of.Unit, Scale: of.Scale})
	}
	all = append(all,
		Quantity{Name: pressureName, Components: 1, Meaning: "pressure above the hydrostatic pressure of fluid at T = 0", Unit: func(c Scales) string { return c.PressureUnit }, Scale: func(c Scales) float64 { return c.Pressure }},
		Quantity{Name: "velocity", Components: 3, Meaning: "Darcy velocity", Unit: func(c Scales) string { return c.VelocityUnit }, Scale: func(c Scales) float64 { return c.Velocity }})
	return append(all, p.extras()...)
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
	q, err := s.model.quantity(name)
	if err != nil {
		return err
	}
	into.Column, into.Components = nil, room(into.Components, q.Components)
	if q.Name == PermeabilityName {
		for c, values := range s.model.permeabilities(q.Components) {
			into.Components[c] = stencil.FrozenOf(values)
		}
		return nil
	}
	into.Column, err = s.model.evaluate(q, s.model.freezeInto(into))
	return err
}

// freezeInto returns what takes a copy of a component.
func (m *model) freezeInto(into *Frozen) func(c int, f *stencil.Field) error {
	return func(c int, f *stencil.Field) error {
		if f == nil {
			into.Components[c] = stencil.FrozenOf(make([]float64, m.grid.Nodes()))
			return nil
		}
		return f.Freeze(&into.Components[c])
	}
}

// Block is a block of nodes: the first one, and how many there are along x, y, z.
type Block struct{ Low, N [3]int }

// DownloadBlocks returns a quantity on blocks of nodes, [block][component][z][y][x] of the block, nondimensional. It takes less than to download all of the quantity.
func (s *Simulation) DownloadBlocks(name string, blocks []Block) ([][][]float64, error) {
	q, err := s.model.quantity(name)
	if err != nil {
		return nil, err
	}
	parts, values := make([]stencil.Part, len(blocks)), make([][][]float64, len(blocks))
	for n, b := range blocks {
		if parts[n], err = s.model.grid.Part(b.Low, b.N); err != nil {
			return nil, err
		}
		values[n] = make([][]float64, q.Components)
		for c := range values[n] {
			values[n][c] = make([]float64, parts[n].Nodes())
		}
	}
	column, err := s.model.evaluate(q, func(c int, f *stencil.Field) error {
		for n := range parts {
			if f == nil {
				continue
			}
			if err := parts[n].Download(values[n][c], f); err != nil {
				return err
			}
		}
		return nil
	})
	for n, b := range blocks {
		if column != nil && err == nil {
			addColumn(values[n][0], column[b.Low[2]:][:b.N[2]])
		}
	}
	return values, err
}

// Evaluate hands the components of a quantity of nodes over one by one, each as a field that holds it during the call alone, nondimensional; nil: it is zero. column
// is what is to be added to the nodes of each level, nil: nothing.
func (s *Simulation) Evaluate(name string, use func(c int, f *stencil.Field, column []float64) error) error {
	q, err := s.model.quantity(name)
	if err != nil {
		return err
	}
	if q.Name == pressureName {
		column, err := s.model.pressureColumn()
		if err != nil {
			return err
		}
		return use(0, s.model.flow.pressure, column)
	}
	_, err = s.model.evaluate(q, func(c int, f *stencil.Field) error { return use(c, f, nil) })
	return err
}

// quantity finds a quantity by its name.
func (m *model) quantity(name string) (*Quantity, error) {
	var names []string
	for _, q := range m.p.Quantities() {
		if q.Name == name {
			return &q, nil
		}
		names = append(names, q.Name)
	}
	return nil, fmt.Errorf("there is no quantity %q; there are %s", name, strings.Join(names, ", "))
}

// evaluate hands the components of a quantity over one by one, each as a field that holds it during the call alone; nil: it is zero. It returns what is added
// to the nodes of each level, nil: nothing.
func (m *model) evaluate(q *Quantity, use func(c int, f *stencil.Field) error) (column []float64, err error) {
	switch q.Name {
	case pressureName:
		if column, err = m.pressureColumn(); err != nil {
			return nil, err
		}
		return column, use(0, m.flow.pressure)
	case "velocity":
		return nil, m.eachVelocity(use)
	case HeatFluxName:
		return nil, m.eachHeatFlux(use)
	case StreamfunctionName:
		return nil, m.streamfunction(use)
	case DivergenceName:
		left := m.convergence()
		defer m.scratch.giveBack(left)
		left.Combine(stencil.Sum{C: -1, X: left})
		return nil, use(0, left)
	}
	for _, u := range m.scalars {
		if u.of.Name == q.Name {
			return nil, use(0, u.now)
		}
	}
	return nil, fmt.Errorf("the quantity %s cannot be computed", q.Name)
}

// pressureName is the name of the pressure.
const pressureName = "pressure"

// pressureColumn returns what the pressure of each level has besides that of its nodes: the column of the mean temperature, and the level that wells hold.
func (m *model) pressureColumn() ([]float64, error) {
	column, err := m.flow.column()
	for k := range column {
		column[k] += m.wells.held.level
	}
	return column, err
}

// room returns as many components, with what room they have.
func room(components []stencil.Frozen, n int) []stencil.Frozen {
	return slices.Grow(components[:0], n)[:n]
}

// eachVelocity hands over the components of the Darcy velocity on nodes; y is zero in 2-D.
func (m *model) eachVelocity(use func(c int, f *stencil.Field) error) error {
	u := m.scratch.borrow("velocity")
	defer m.scratch.giveBack(u)
	for d := range 3 {
		f := u
		if m.grid.Cells[d] == 0 {
			f = nil
		} else {
			m.flow.NodeVelocity(u, d)
		}
		if err := use(d, f); err != nil {
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
	if len(f.Column) > 0 {
		addColumn(components[0], f.Column)
		f.Column = nil // it has been added
	}
	return components, nil
}

// addColumn adds a value to all nodes of each level.
func addColumn(p, column []float64) {
	plane := len(p) / len(column)
	parallel.Ranges(len(column), func(first, last int) {
		for n := first * plane; n < last*plane; n++ {
			p[n] += column[n/plane]
		}
	})
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
