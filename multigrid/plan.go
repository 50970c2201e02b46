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

// Plan returns what the device runs on each level of a cycle, the finest first, with what an iteration needs besides there; nil where the device does not
// tell. u and f are fields of the operator, and keep their values.
func (s *Solver) Plan(u, f *stencil.Field) []LevelPlan {
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
		l := s.levels[n]
		buffer := l.u.Buffer
		plans[n] = LevelPlan{info, device.Plan(func() {
			if n == 0 {
				s.runOuter(u, f)
			}
			if n == len(s.levels)-1 {
				s.runCoarsest(l)
				return
			}
			s.down(n, n > 0 || ownU != nil)
			s.up(n)
		})}
		if l.u.Buffer != buffer {
			l.u.Swap(l.spare)
		}
	}
	finest.u, finest.f = ownU, ownF
	return plans
}

// runOuter applies the operator as an iteration does beside its cycles.
func (s *Solver) runOuter(u, f *stencil.Field) {
	finest := s.levels[0]
	switch {
	case s.krylov != nil:
		s.krylov.op.Apply(s.krylov.image, s.krylov.direction)
	case s.single != nil && s.op.Corrects():
		s.op.Correct(nil, u, f, nil, finest.f, 0, 1, correctSlot)
	case s.single != nil:
		s.op.ResidualSingle(finest.f, f, u, 1)
	default:
		finest.op.Residual(finest.residual, f, u)
	}
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
