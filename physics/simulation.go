package physics

import (
	"context"
	"fmt"
	"math"

	"convect/kernels"
	"convect/multigrid"
	"convect/stencil"
)

// Outcome tells why Run returned without an error.
type Outcome uint8

// Outcomes of Run.
const (
	Finished    Outcome = iota // the end time was reached
	Steady                     // the steady criterion was met
	Interrupted                // the context was cancelled; the run can go on
)

// Simulation steps a model through time.
type Simulation struct {
	model    *model
	controls Controls
	clock    *clock
	follow   *follower // of what varies in time; nil: nothing does

	step       int64
	time       float64
	dt, dtPrev float64 // of the last step and the one before; 0: none
	rate       float64 // Courant number per time of the present flow
	steady     steadyWatch
	sample     Sample
}

// New allocates a model on a device, sets its initial state and solves the first pressure. It fails on parameters
// that do not fit together and on lack of memory.
func New(dev kernels.Device, p Parameters, c Controls) (*Simulation, error) {
	m, err := newModel(dev, p, c.Steady > 0)
	if err != nil {
		return nil, err
	}
	s := &Simulation{model: m, controls: c}
	if err := s.start(); err != nil {
		m.free()
		return nil, err
	}
	return s, nil
}

// start sets the initial state and measures it.
func (s *Simulation) start() error {
	m := s.model
	if err := m.initialise(); err != nil {
		return err
	}
	if err := s.measureRange(); err != nil {
		return err
	}
	if err := s.setDefaults(); err != nil {
		return err
	}
	m.flow.pressure.Fill(0)
	m.flow.pressurePrev.Fill(0)
	m.flow.pressureOlder.Fill(0)
	result, err := m.flow.solve(sbdf{}, 0, 0, nil)
	if err != nil {
		return s.fail("pressure", result, err)
	}
	s.sample = Sample{Scalars: m.newSamples(), Surfaces: m.newSurfaceSamples(), PressureCycles: result.Iterations, PressureResidual: relative(result)}
	m.measure(true)
	balances, err := m.read(&s.sample)
	if err != nil {
		return err
	}
	for n, u := range m.scalars {
		u.begin(&balances[n])
		u.beginCrossings(&balances[n], s.sample.Surfaces)
	}
	if err := s.readRate(); err != nil {
		return err
	}
	s.pinSteady()
	return nil
}

// setDefaults chooses the steps that the case leaves open, and looks at what varies in time.
func (s *Simulation) setDefaults() (err error) {
	c := &s.controls
	c.alignEnd()
	if c.WallTolerance == 0 {
		c.WallTolerance = defaultWallTolerance
	}
	if s.follow == nil {
		if s.follow, err = newFollower(s.model.signals(), c.End, c.WallTolerance); err != nil {
			return err
		}
	}
	c.defaults(s.BuoyantStep(), s.model.cellTime())
	return nil
}

// readRate reads the Courant rate of the present flow and wells: a scalar moves at u/σ.
func (s *Simulation) readRate() error {
	v, err := s.model.dev.Scalars()
	if err != nil {
		return err
	}
	s.rate = 0
	for _, u := range s.model.scalars {
		s.rate = math.Max(s.rate, v[u.slot+ownMeasured+stencil.CourantRate]/u.leastCapacity)
		s.rate = math.Max(s.rate, s.model.wells.rate/u.leastCapacity)
	}
	return nil
}

// Run steps until the end time or the steady state is reached or ctx is cancelled, which lets the step under way end.
// Observers are called in order, once before the first step and after each.
func (s *Simulation) Run(ctx context.Context, observers ...Observer) (Outcome, error) {
	notify := func(e Event) error {
		for _, o := range observers {
			if err := o.Observe(s, e); err != nil {
				return err
			}
		}
		return nil
	}
	if err := notify(Event{Start: true, Output: s.step == 0, OnTop: s.step == 0}); err != nil {
		return Interrupted, err
	}
	if s.wasSteady() {
		return Steady, nil
	}
	for s.time < s.controls.End {
		if ctx.Err() != nil {
			return Interrupted, nil
		}
		if err := s.advance(); err != nil {
			return Interrupted, err
		}
		steady, growing, err := s.watchSteady()
		if err != nil {
			return Interrupted, err
		}
		end, due := steady || s.time >= s.controls.End, s.controls.outputDue(s.time, s.step)
		if err := notify(Event{Output: end || due, OnTop: end && !due, End: end, Growth: growing}); err != nil {
			return Interrupted, err
		}
		if steady {
			return Steady, nil
		}
	}
	return Finished, nil
}

// advance makes one step: one diffusion solve, one pressure solve.
func (s *Simulation) advance() error {
	m := s.model
	s.clock.start()
	next := s.plan(&s.controls, s.time, s.dt, s.rate)
	if next.anew {
		s.dt, s.dtPrev = 0, 0
	}
	dt, end, seen := next.dt, next.end, s.follow.before(next.end)
	c := coefficients(dt, s.dt, s.dtPrev)
	solved, failed, err := m.stepScalars(c, seen, 1, s.clock)
	if err != nil {
		return s.fail(failed, solved, err)
	}
	flow, err := m.flow.solve(c, seen, 0, s.clock)
	if err != nil {
		m.dropWallFlows()
		return s.fail("pressure", flow, err)
	}
	s.dtPrev, s.dt = s.dt, dt
	s.step++
	s.time = end
	s.sample = Sample{Step: s.step, Time: end, Dt: dt, Scalars: s.sample.Scalars, Surfaces: s.sample.Surfaces, PressureCycles: flow.Iterations, PressureResidual: relative(flow)}
	m.measure(false)
	looks := s.looks()
	if looks {
		s.queueRange()
	}
	err = s.readSample(c)
	if err == nil && looks {
		err = s.readRange()
	}
	s.clock.lap("advection and diagnostics")
	return err
}

// readSample completes the sample of a step and keeps the sums of the balances.
func (s *Simulation) readSample(c sbdf) error {
	m := s.model
	balances, err := m.read(&s.sample)
	if err != nil {
		return err
	}
	for n, u := range m.scalars {
		of := &s.sample.Scalars[n]
		of.In, of.Gain = u.keep(&balances[n], c)
		u.keepCrossings(&balances[n], c, s.sample.Surfaces)
		of.Cycles = u.cycles
	}
	if err := s.readRate(); err != nil {
		return err
	}
	for _, u := range m.scalars {
		if err := s.checkFinite(u.of.Name, u.content); err != nil {
			return err
		}
	}
	if err := s.checkFinite("velocity", s.sample.SpeedRMS); err != nil {
		return err
	}
	return s.checkStep()
}

// checkFinite fails where a number that tells of a field is none.
func (s *Simulation) checkFinite(field string, v float64) error {
	if math.IsNaN(v) || math.IsInf(v, 0) {
		return &StepError{Step: s.step, Time: s.time, Field: field, Err: fmt.Errorf("%s is not finite any more", field)}
	}
	return nil
}

func relative(r multigrid.Result) float64 {
	if len(r.Residuals) == 0 || r.Reference == 0 {
		return 0
	}
	return r.Residuals[len(r.Residuals)-1] / r.Reference
}

// StepError reports the step, time and field at which a run failed, and the residuals of the solve if one failed.
type StepError struct {
	Step      int64
	Time      float64
	Field     string
	Residuals []float64
	Err       error
}

// Error describes the failure in one line.
func (e *StepError) Error() string {
	return fmt.Sprintf("step %d, t = %g, %s: %v", e.Step, e.Time, e.Field, e.Err)
}

// Unwrap returns the cause.
func (e *StepError) Unwrap() error { return e.Err }

func (s *Simulation) fail(field string, r multigrid.Result, err error) error {
	return &StepError{Step: s.step + 1, Time: s.time, Field: field, Residuals: append([]float64(nil), r.Residuals...), Err: err}
}

// Free releases the device memory of the simulation.
func (s *Simulation) Free() { s.model.free() }

// Grid returns the grid.
func (s *Simulation) Grid() *stencil.Grid { return s.model.grid }

// Parameters returns the parameters given to New.
func (s *Simulation) Parameters() Parameters { return s.model.p }

// Controls returns the controls with the chosen steps filled in.
func (s *Simulation) Controls() Controls { return s.controls }

// Sample returns the scalars of the last step.
func (s *Simulation) Sample() *Sample { return &s.sample }

// Step returns the number of steps made since time 0.
func (s *Simulation) Step() int64 { return s.step }

// Time returns the time reached.
func (s *Simulation) Time() float64 { return s.time }

// PressureSolver returns the solver of the pressure.
func (s *Simulation) PressureSolver() *multigrid.Solver { return s.model.flow.solver }

// DiffusionSolvers returns the solvers of the scalars, by the order of Parameters.Transported.
func (s *Simulation) DiffusionSolvers() []*multigrid.Solver {
	var all []*multigrid.Solver
	for _, u := range s.model.scalars {
		all = append(all, u.solver)
	}
	return all
}

// EnableProfile makes the simulation time the parts of its steps (it then waits for the device after each).
func (s *Simulation) EnableProfile() { s.EnableProfileOf(nil) }

// EnableProfileOf is EnableProfile, and tells besides by how much a counter grows in each part.
func (s *Simulation) EnableProfileOf(counter func() float64) {
	s.clock = &clock{sync: s.model.dev.Sync, counter: counter}
}

// Profile returns the time spent in each part of the steps so far, nil unless enabled.
func (s *Simulation) Profile() []PartTime {
	if s.clock == nil {
		return nil
	}
	return s.clock.parts
}
