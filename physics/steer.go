package physics

import (
	"errors"
	"fmt"

	"convect/kernels"
)

// SetControls replaces the controls between two steps, as an [Observer] may: the steps that follow have the bits of a run that is stopped here and
// resumed under them. It fails, and changes nothing, where the new end is reached already, or the steady stop is another.
func (s *Simulation) SetControls(c Controls) error {
	before, follow := s.controls, s.follow
	switch {
	case c.Steady != before.Steady:
		return errors.New("time.steady cannot change during a run")
	case s.time >= c.End*(1-endSlack):
		return fmt.Errorf("the end %g is not after the present time %g", c.End, s.time)
	}
	s.controls, s.follow = c, nil
	if err := s.setDefaults(); err != nil {
		s.controls, s.follow = before, follow
		return err
	}
	return nil
}

// Plane returns a component of a quantity on the plane of nodes with an index along an axis, nondimensional, [slower][faster] with the axes in the
// order x, y, z, periodic planes not repeated. Of a quantity with one component that is 0. It moves that plane alone to the host.
func (s *Simulation) Plane(name string, component, axis, index int) ([]float64, error) {
	m := s.model
	if axis < 0 || axis > 2 || index < 0 || index >= m.grid.Box.N[axis] {
		return nil, fmt.Errorf("there is no plane of nodes %d along axis %d", index, axis)
	}
	for _, q := range s.Quantities() {
		if q.Name == name && (component < 0 || component >= q.Components) {
			return nil, fmt.Errorf("%s has no component %d", name, component)
		}
	}
	switch name {
	case "pressure":
		values, err := m.flow.pressure.DownloadPlane(axis, index)
		if err != nil {
			return nil, err
		}
		return values, m.addColumn(values, axis, index)
	case "velocity":
		if m.grid.Cells[component] == 0 {
			return make([]float64, m.grid.Nodes()/m.grid.Box.N[axis]), nil
		}
		u := m.scratch.borrow("velocity")
		defer m.scratch.giveBack(u)
		m.flow.NodeVelocity(u, component)
		return u.DownloadPlane(axis, index)
	}
	for _, u := range m.scalars {
		if u.of.Name == name {
			return u.now.DownloadPlane(axis, index)
		}
	}
	return nil, fmt.Errorf("there is no quantity %q", name)
}

// addColumn adds the pressure of the column of mean temperature to values on a plane of nodes.
func (m *model) addColumn(values []float64, axis, index int) error {
	column, err := m.flow.column()
	if err != nil {
		return err
	}
	for n := range values {
		level := index
		if axis != kernels.Z {
			level = n / (len(values) / len(column))
		}
		values[n] += column[level] + m.wells.held.level
	}
	return nil
}
