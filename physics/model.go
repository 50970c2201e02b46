package physics

import (
	"errors"

	"convect/kernels"
	"convect/multigrid"
	"convect/stencil"
)

// model holds the domain, the flow and the scalars of one simulation.
type model struct {
	domain
	flow     *flow
	scalars  []*scalar
	balances []balance // of the scalars, as read last
}

func newModel(dev kernels.Device, p Parameters, steady bool) (*model, error) {
	m := &model{domain: domain{p: p, dev: dev}}
	err := m.build(steady)
	if err != nil {
		m.free()
		return nil, err
	}
	return m, nil
}

func (m *model) build(steady bool) error {
	steps := []func() error{m.domain.build, m.buildScalars, m.buildFlow, m.buildWalls, m.buildSolvers, func() error { return m.buildFields(steady) }}
	for _, step := range steps {
		if err := step(); err != nil {
			return err
		}
	}
	return nil
}

func (m *model) buildScalars() error {
	all := m.p.substances()
	if len(all) == 0 {
		return errors.New("nothing is transported: no temperature and no solute")
	}
	for n, of := range all {
		u, err := newScalar(&m.domain, of, n)
		m.scalars = append(m.scalars, u)
		if err == nil {
			err = u.buildOperators()
		}
		if err != nil {
			return err
		}
	}
	m.balances = make([]balance, len(m.scalars))
	return nil
}

func (m *model) buildFlow() (err error) {
	if m.flow, err = newFlow(&m.domain); err != nil {
		return err
	}
	m.flow.buoyancy = newBuoyancy(m.scalars)
	if m.p.Buoyancy != nil {
		m.flow.buoyancy = newLaw(&m.p, m.scalars)
	}
	return m.flow.buildOperators(m.scalars)
}

// buildWalls uploads what the walls prescribe.
func (m *model) buildWalls() error {
	if err := m.measureWalls(); err != nil {
		return err
	}
	for _, u := range m.scalars {
		if err := u.buildWalls(m.flow.Flow); err != nil {
			return err
		}
	}
	return m.flow.setWalls(0, true)
}

func (m *model) buildSolvers() error {
	if err := m.flow.buildSolver(); err != nil {
		return err
	}
	for _, u := range m.scalars {
		if err := u.buildSolver(m.flow.solver.Options().Tolerance); err != nil {
			return err
		}
	}
	return nil
}

func (m *model) buildFields(steady bool) error {
	for _, u := range m.scalars {
		if err := u.buildFields(steady); err != nil {
			return err
		}
	}
	if err := m.flow.buildFields(); err != nil {
		return err
	}
	if err := m.scratch.build(m.grid, scratchFields(len(m.scalars))); err != nil {
		return err
	}
	return m.flow.findRise()
}

// temperature is the first of the scalars; nil: an isothermal model has none.
func (m *model) temperature() *scalar {
	if m.p.Isothermal {
		return nil
	}
	return m.scalars[0]
}

// newSamples makes room for what is measured of the scalars.
func (m *model) newSamples() []ScalarSample { return make([]ScalarSample, len(m.scalars)) }

// setWalls uploads what walls and sources prescribe at time t: all of it, or what depends on time.
func (m *model) setWalls(t float64, all bool) error {
	for _, u := range m.scalars {
		if err := u.setWalls(t, all); err != nil {
			return err
		}
	}
	return m.flow.setWalls(t, all)
}

// stepScalars advances all scalars to time t, the end of the step. Of the one that fails it returns the name and the solve. See scalar.step.
func (m *model) stepScalars(c sbdf, t, slack float64, clock *clock) (result multigrid.Result, failed string, err error) {
	if err := m.setWalls(t, false); err != nil {
		return result, m.scalars[0].of.Name, err
	}
	for _, u := range m.scalars {
		if result, err = u.step(c, slack, clock); err != nil {
			return result, u.of.Name, err
		}
		u.cycles = result.Iterations
	}
	return result, "", nil
}

// dropWallFlows gives back the fields of the wall flows.
func (m *model) dropWallFlows() {
	for _, u := range m.scalars {
		u.dropWallFlow()
	}
}

// stateFields returns the fields that a checkpoint must hold.
func (m *model) stateFields() []*stencil.Field {
	var f []*stencil.Field
	for _, u := range m.scalars {
		f = append(f, u.stateFields()...)
	}
	return append(f, m.flow.stateFields()...)
}

func (m *model) free() {
	for _, u := range m.scalars {
		u.free()
	}
	if m.flow != nil {
		m.flow.free()
	}
	m.domain.free()
}
