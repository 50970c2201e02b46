package physics

import (
	"fmt"

	"convect/kernels"
	"convect/parallel"
)

// Quantity describes a field that can be written: its name in the case file, number of components and units.
type Quantity struct {
	Name       string
	Components int
	Unit       func(Scales) string
	Scale      func(Scales) float64
}

// Quantities lists what Download offers.
func (s *Simulation) Quantities() []Quantity {
	return []Quantity{
		{"temperature", 1, func(c Scales) string { return c.TemperatureUnit }, func(c Scales) float64 { return c.Temperature }},
		{"pressure", 1, func(c Scales) string { return c.PressureUnit }, func(c Scales) float64 { return c.Pressure }},
		{"velocity", 3, func(c Scales) string { return c.VelocityUnit }, func(c Scales) float64 { return c.Velocity }},
	}
}

// Download returns a quantity on the nodes, [component][z][y][x], nondimensional, periodic planes not repeated.
// The pressure is relative to the hydrostatic pressure of fluid at T = 0 and includes the column of mean temperature.
func (s *Simulation) Download(name string) ([]float64, error) {
	for _, q := range s.Quantities() {
		if q.Name == name {
			values := make([]float64, q.Components*s.model.grid.Nodes())
			return values, s.DownloadTo(values, name)
		}
	}
	return nil, fmt.Errorf("there is no quantity %q; there are temperature, pressure and velocity", name)
}

// DownloadTo is Download into values of the caller, of that length.
func (s *Simulation) DownloadTo(values []float64, name string) error {
	m := s.model
	switch name {
	case "temperature":
		return m.temperature.DownloadTo(values)
	case "pressure":
		return m.fullPressure(values)
	case "velocity":
		return m.velocity(values)
	}
	return fmt.Errorf("there is no quantity %q", name)
}

// fullPressure adds the hydrostatic column to p'.
func (m *model) fullPressure(p []float64) error {
	if err := m.pressure.DownloadTo(p); err != nil {
		return err
	}
	column, err := m.column()
	plane := m.grid.Box.N[0] * m.grid.Box.N[1]
	parallel.Ranges(len(column), func(first, last int) {
		for n := first * plane; n < last*plane; n++ {
			p[n] += column[n/plane]
		}
	})
	return err
}

// velocity downloads the Darcy velocity on nodes; y is zero in 2-D.
func (m *model) velocity(v []float64) error {
	n := m.grid.Nodes()
	for d := range 3 {
		component := v[d*n : (d+1)*n]
		if m.grid.Cells[d] == 0 {
			clear(component)
			continue
		}
		m.flow.NodeVelocity(m.guess, d)
		if err := m.guess.DownloadTo(component); err != nil {
			return err
		}
	}
	return nil
}

// Profile holds horizontal means over height.
type Profile struct {
	Z, T, WT []float64 // height, mean temperature, mean of vertical velocity times temperature, on nodes
}

// Profiles computes the horizontal means of the present state, each node weighted by its dual area.
func (s *Simulation) Profiles() (*Profile, error) {
	m, g := s.model, s.model.grid
	t, err := m.temperature.Download()
	if err != nil {
		return nil, err
	}
	m.flow.NodeVelocity(m.guess, kernels.Z)
	w, err := m.guess.Download()
	if err != nil {
		return nil, err
	}
	n := g.Box.N
	p := &Profile{Z: m.walls.x[kernels.Z], T: make([]float64, n[2]), WT: make([]float64, n[2])}
	area := g.Volume() / g.Size[kernels.Z]
	for c := range t {
		i, j, k := c%n[0], c/n[0]%n[1], c/(n[0]*n[1])
		a := g.DualWidth(0, i) * g.DualWidth(1, j) / area
		p.T[k] += a * t[c]
		p.WT[k] += a * t[c] * w[c]
	}
	return p, nil
}
