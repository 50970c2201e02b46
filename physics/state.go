package physics

import (
	"fmt"
	"maps"
	"math"
	"slices"

	"convect/kernels"
	"convect/multigrid"
	"convect/stencil"
)

// StateField is one node array of a State, [z][y][x], periodic planes not repeated.
type StateField struct {
	Name   string
	Values []float64 // exact in the run's precision
	// Fill puts the values into a field of the grid of the run, where they are still elsewhere; nil: they are Values.
	Fill func(f *stencil.Field) error
}

// State is everything that the steps after it depend on.
type State struct {
	Step    int64
	Scalars map[string]float64
	Fields  []StateField
}

// added lists the numbers that states of earlier versions lack, beside those of the permitted range. They start anew there.
var added = []string{"steady_patience", "steady_waited"}

// scalars lists the numbers of a state by name.
func (s *Simulation) scalars() map[string]*float64 {
	scalars := map[string]*float64{
		"time": &s.time, "dt": &s.dt, "dt_previous": &s.dtPrev, "steady_step": &s.steady.step, "steady_time": &s.steady.time, "steady_nusselt": &s.steady.nusselt,
		"steady_reached": &s.steady.reached, "steady_patience": &s.steady.patience, "steady_waited": &s.steady.waited,
	}
	for _, u := range s.model.scalars {
		maps.Copy(scalars, u.numbers())
		maps.Copy(scalars, u.rangeNumbers())
		maps.Copy(scalars, u.crossingNumbers())
	}
	maps.Copy(scalars, s.model.learned())
	maps.Copy(scalars, s.model.wells.numbers())
	if law := s.model.flow.buoyancy.law; law != nil {
		maps.Copy(scalars, law.numbers())
	}
	if v := s.model.flow.viscosity; v != nil {
		maps.Copy(scalars, v.numbers())
	}
	return scalars
}

// learned lists what solvers have learned by name. States of earlier versions lack some of it.
func (m *model) learned() map[string]*float64 {
	all := map[string]*float64{}
	add := func(prefix string, s *multigrid.Solver) {
		for name, v := range s.Numbers() {
			all[prefix+name] = v
		}
	}
	add("pressure_", m.flow.solver)
	for _, u := range m.scalars {
		add(u.of.prefix+"diffusion_", u.solver)
	}
	return all
}

// State copies the state to the host. It fails with a [RangeError] where the computation has blown up: nobody can go on from there.
func (s *Simulation) State() (*State, error) {
	st, fields, err := s.Live()
	if err != nil {
		return nil, err
	}
	for n, f := range fields {
		if st.Fields[n].Values, err = f.Download(); err != nil {
			return nil, err
		}
	}
	return st, nil
}

// Live is State without values of fields, which are those of the fields that come with it, until the next step.
func (s *Simulation) Live() (*State, []*stencil.Field, error) {
	if err := s.checkRange(); err != nil {
		return nil, nil, err
	}
	st := &State{Step: s.step, Scalars: map[string]float64{}}
	for name, v := range s.scalars() {
		if !math.IsNaN(*v) || !s.model.mayLack(name) { // what is not known is left out
			st.Scalars[name] = *v
		}
	}
	fields := s.model.stateFields()
	for _, f := range fields {
		st.Fields = append(st.Fields, StateField{Name: f.Name})
	}
	return st, fields, nil
}

// Resume allocates a model and continues from a state instead of the initial one: the steps that follow have the
// bits of a run that was never stopped. It fails if the state belongs to another grid or lacks something. Where the
// case asks for a steady stop and the state comes from one that did not, a new steady window starts.
func Resume(dev kernels.Device, p Parameters, c Controls, st *State) (*Simulation, error) {
	m, err := newModel(dev, p, c.Steady > 0)
	if err != nil {
		return nil, err
	}
	s := &Simulation{model: m, controls: c, step: st.Step}
	if err := s.restore(st); err != nil {
		m.free()
		return nil, fmt.Errorf("resume at step %d: %w", st.Step, err)
	}
	return s, nil
}

// mayLack tells whether a state of another version, or of other walls, may lack a number of a scalar.
func (m *model) mayLack(name string) bool {
	return slices.ContainsFunc(m.scalars, func(u *scalar) bool { return u.rangeNumbers()[name] != nil || u.crossingNumbers()[name] != nil })
}

func (s *Simulation) restore(st *State) error {
	m := s.model
	for name, v := range s.scalars() {
		value, ok := st.Scalars[name]
		if !ok && (slices.Contains(added, name) || s.model.wells.numbers()[name] != nil || m.learned()[name] != nil || m.mayLack(name)) {
			continue
		}
		if !ok {
			return fmt.Errorf("the state has no scalar %q", name)
		}
		*v = value
	}
	if err := m.fill(st); err != nil {
		return err
	}
	for _, u := range m.scalars {
		if _, ok := st.Scalars[u.of.prefix+"range_low"]; !ok {
			values, err := u.now.Download()
			if err != nil {
				return err
			}
			for _, v := range values {
				u.met.value(v)
			}
		}
	}
	if err := s.setDefaults(); err != nil {
		return err
	}
	if outcome, _ := st.Over(s.controls); outcome == Finished && s.controls.End > s.time { // by rounding: no step is that short
		s.controls.End = s.time
	}
	if err := s.rederive(); err != nil {
		return err
	}
	if slices.ContainsFunc(m.scalars, func(u *scalar) bool { return u.reference != nil && st.field(u.reference.Name) == nil }) {
		s.pinSteady()
	}
	return nil
}

// field returns a field of the state by its name, nil where it has none.
func (st *State) field(name string) *StateField {
	if n := slices.IndexFunc(st.Fields, func(f StateField) bool { return f.Name == name }); n >= 0 {
		return &st.Fields[n]
	}
	return nil
}

// fill gives the fields of the model the values of a state.
func (m *model) fill(st *State) error {
	for _, f := range m.stateFields() {
		of := st.field(f.Name)
		if of == nil {
			if slices.ContainsFunc(m.scalars, func(u *scalar) bool { return f == u.reference }) {
				continue
			}
			of = &StateField{}
		}
		switch {
		case of.Fill != nil:
			if err := of.Fill(f); err != nil {
				return fmt.Errorf("field %s of the state: %w", f.Name, err)
			}
		case len(of.Values) != m.grid.Nodes():
			return fmt.Errorf("field %s of the state has %d values for %d nodes", f.Name, len(of.Values), m.grid.Nodes())
		default:
			f.Upload(of.Values)
		}
	}
	return nil
}

// rederive recomputes what a step derives from the state: walls, velocities, advection, their Courant rate and the sample.
func (s *Simulation) rederive() error {
	m := s.model
	seen := s.follow.before(s.time)
	if err := m.setWalls(seen, true); err != nil {
		return err
	}
	if err := m.flow.rederive(seen); err != nil {
		return err
	}
	m.measure(true)
	s.sample = Sample{Step: s.step, Time: s.time, Dt: s.dt, Scalars: m.newSamples(), Surfaces: m.newSurfaceSamples()}
	balances, err := m.read(&s.sample)
	if err != nil {
		return err
	}
	for n, u := range m.scalars {
		u.advectionSum = balances[n].advection
		u.beginCrossings(&balances[n], s.sample.Surfaces)
	}
	return s.readRate()
}
