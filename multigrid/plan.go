package multigrid

import (
	"convect/kernels"
	"convect/stencil"
)

// LevelPlan is what the device runs on one level of a cycle.
type LevelPlan struct {
	LevelInfo
	Choices []kernels.Choice
}

// Plan returns what the device runs on each level of a cycle, the finest first, with what an iteration needs besides there, of a solve from zero if so
// told; nil where the device does not tell. u and f are fields of the operator, and keep their values.
func (s *Solver) Plan(u, f *stencil.Field, zero bool) []LevelPlan {
	device, ok := s.op.Grid.Device.(kernels.Planner)
	if !ok {
		return nil
	}
	finest := s.levels[0]
	ownU, ownF := finest.u, finest.f
	if ownU == nil {
		finest.u, finest.f = u, f
	}
	plans := make([]LevelPlan, len(s.levels))
	for n, info := range s.Levels() {
		var choices []kernels.Choice
		if n == 0 {
			choices = device.Plan(func() { s.runOuter(u, f, zero) })
		}
		plans[n] = LevelPlan{info, append(choices, s.planLevel(device, n, n > 0 || ownU != nil)...)}
	}
	finest.u, finest.f = ownU, ownF
	return plans
}

// planLevel returns what the device runs on level n of a cycle, from zero if so told.
func (s *Solver) planLevel(device kernels.Planner, n int, zero bool) []kernels.Choice {
	l := s.levels[n]
	if n == len(s.levels)-1 {
		choices := device.Plan(func() { s.runCoarsest(l) })
		if c := s.coarsest; c != nil && c.krylov != nil {
			explain(choices, manyCoarsest)
		}
		return choices
	}
	buffer := l.u.Buffer // passes swap it
	choices := device.Plan(func() {
		s.down(n, zero)
		if n == 0 && zero && s.krylov == nil && s.mixed == nil { // the cycles that follow the first
			s.down(n, false)
		}
		s.up(n)
	})
	if l.u.Buffer != buffer {
		l.u.Swap(l.spare)
	}
	explain(choices, l.notFused())
	return choices
}

// manyCoarsest is why the coarsest level takes iterations.
const manyCoarsest = "too many nodes on the coarsest level for one kernel"

// explain gives the first choice a reason, unless it is "" or the choice has one.
func explain(choices []kernels.Choice, why string) {
	if len(choices) > 0 && choices[0].Reason == "" {
		choices[0].Reason = why
	}
}

// runOuter applies the operator as an iteration does beside its cycles, and makes the correction where that is one pass with it.
func (s *Solver) runOuter(u, f *stencil.Field, zero bool) {
	finest := s.levels[0]
	switch {
	case s.krylov != nil:
		s.krylov.op.Residual(s.krylov.residual, f, u)
		s.krylov.op.Apply(s.krylov.image, s.krylov.direction)
	case s.single != nil && s.op.Corrects() && zero:
		s.op.Correct(nil, nil, f, nil, finest.f, 0, 1, s.slots.correct)
		s.op.Correct(u, nil, f, finest.u, finest.f, 1, 1, s.slots.correct)
	case s.single != nil && s.op.Corrects():
		s.op.Correct(nil, u, f, nil, finest.f, 0, 1, s.slots.correct)
		if s.lent != nil {
			s.op.Correct(s.lent, u, f, finest.u, finest.f, 1, 1, s.slots.correct)
		}
	case s.measures():
		s.op.Correct(nil, u, f, nil, nil, 0, 1, s.slots.correct)
	case s.single != nil:
		s.op.ResidualSingle(finest.f, f, u, 1)
	default:
		finest.op.Residual(finest.residual, f, u)
	}
}

// measures tells whether the device measures a residual, in the type of the solution, without storing it.
func (s *Solver) measures() bool {
	return s.single == nil && s.krylov == nil && s.op.Grid.Elem == kernels.Float32 && s.op.Corrects()
}

// runCoarsest solves on the last level, or makes one iteration where that takes several.
func (s *Solver) runCoarsest(l *level) {
	if c := s.coarsest; c != nil && c.krylov != nil {
		c.op.Apply(c.krylov.image, c.krylov.direction)
		c.krylov.precondition()
		return
	}
	s.solveCoarsest(l, true)
}
