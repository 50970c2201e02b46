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

// Start is what a solve begins with.
type Start int

// A solve begins with a guess, with zero, or with zero and cycles whose correction is left to a Completion, where it makes any.
const (
	FromGuess Start = iota
	FromZero
	ForCompletion
)

// Plan returns what the device runs on each level of a cycle, the finest first, with what an iteration needs besides there, of a solve with such a
// start; nil where the device does not tell. Levels below that on which cycles end with the present mass are left out. u and f are fields of the operator, and keep their values.
func (s *Solver) Plan(u, f *stencil.Field, start Start) []LevelPlan {
	device, ok := s.op.Grid.Device.(kernels.Planner)
	if !ok {
		return nil
	}
	finest := s.levels[0]
	ownU, ownF := finest.u, finest.f
	if ownU == nil {
		finest.u, finest.f = u, f
	}
	deepest := s.deepest()
	plans := make([]LevelPlan, deepest+1)
	for n, info := range s.Levels()[:deepest+1] {
		var choices []kernels.Choice
		if n == 0 {
			choices = device.Plan(func() { s.strategy.outer(u, f, start == FromZero) })
		}
		plans[n] = LevelPlan{info, append(choices, s.planLevel(device, n, start)...)}
	}
	finest.u, finest.f = ownU, ownF
	return plans
}

// planLevel returns what the device runs on level n of a cycle.
func (s *Solver) planLevel(device kernels.Planner, n int, start Start) []kernels.Choice {
	l := s.levels[n]
	if len(l.alone) > 0 {
		buffer := l.u.Buffer
		choices := device.Plan(func() { l.sweep(l.alone, true) })
		if l.u.Buffer != buffer {
			l.u.Swap(l.spare)
		}
		explain(choices, massOutweighs)
		return choices
	}
	visits := []bool{true}
	if n == 0 {
		visits = s.strategy.visits()
		if start == ForCompletion && s.strategy.attempts() && !visits[0] {
			visits = []bool{true, false}
		}
		if s.made.cycles == 1 {
			visits = visits[:1]
		}
	}
	if n == len(s.levels)-1 {
		choices := device.Plan(func() { s.runCoarsest(l, visits[0]) })
		l.op.FactorAgain() // nothing has been run
		if s.coarsest.krylov != nil {
			explain(choices, manyCoarsest)
		}
		return choices
	}
	buffer := l.u.Buffer // passes swap it
	choices := device.Plan(func() {
		for _, zero := range visits {
			s.down(n, zero)
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

// massOutweighs is why a cycle ends on a level.
const massOutweighs = "the time step is so small that sweeps do without coarser levels"

// explain gives the first choice a reason, unless it is "" or the choice has one.
func explain(choices []kernels.Choice, why string) {
	if len(choices) > 0 && choices[0].Reason == "" {
		choices[0].Reason = why
	}
}

// runCoarsest solves on the last level, from zero if so told, or makes one iteration where that takes several.
func (s *Solver) runCoarsest(l *level, zero bool) {
	if c := s.coarsest; c.krylov != nil {
		c.op.Apply(c.krylov.image, c.krylov.direction)
		c.krylov.precondition()
		return
	}
	s.solveCoarsest(l, zero)
}
