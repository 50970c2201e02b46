package multigrid

import (
	"convect/kernels"
	"convect/stencil"
)

// Cycle makes one cycle on A u = f in place. Fixed nodes of u keep their values.
func (s *Solver) Cycle(u, f *stencil.Field) { s.usualCycles(u, f, onSolution) }

// CycleFromZero makes u what one cycle on A u = f makes of zero, in float32 with Mixed: what a residual costs to become a correction. With Mixed u
// is not changed and the cycle runs on fields of its own.
func (s *Solver) CycleFromZero(u, f *stencil.Field) { s.usualCycles(u, f, 1) }

func (s *Solver) usualCycles(u, f *stencil.Field, number int) {
	s.lengthen(false)
	s.strategy.cycles(u, f, number)
}

// precondition computes z = M r: one cycle from zero on the finest level's own fields.
func (s *Solver) precondition() { s.recorded(1) }

// product is what a cycle does beside its sweeps where it is asked to: it reduces Σ f u over the nodes of the finest level to a slot.
type product struct {
	asked bool
	slot  int
}

// preconditionMeasured is precondition of the finest level's right side r, and reduces r·z to a slot: on the way of the cycle where it can.
func (s *Solver) preconditionMeasured(slot int) {
	finest := s.levels[0]
	if len(s.levels) > 1 && len(finest.alone) == 0 && finest.canFuse() && (kernels.Optional{Device: finest.op.Grid.Device}).MeasuresCycles() {
		s.product = product{true, slot}
	}
	s.precondition()
	if !s.product.asked {
		finest.f.Reduce(kernels.Dot, finest.u, slot)
	}
	s.product = product{}
}

// descend makes a cycle from level n down and back up, from zero if so told.
func (s *Solver) descend(n int, c Cycle, zero bool) {
	if l := s.levels[n]; len(l.alone) > 0 {
		l.sweep(l.alone, zero)
		return
	}
	if n == len(s.levels)-1 {
		s.solveCoarsest(s.levels[n], zero)
		return
	}
	s.down(n, zero)
	s.descend(n+1, c, true)
	if n+1 < s.deepest() {
		switch c {
		case WCycle:
			s.descend(n+1, WCycle, false)
		case FCycle:
			s.descend(n+1, VCycle, false)
		}
	}
	s.up(n)
}

// down smooths on level n, from zero if so told, and makes the right side of the next.
func (s *Solver) down(n int, zero bool) {
	l, coarse := s.levels[n], s.levels[n+1]
	if l.canFuse() {
		first := l.u
		if zero {
			first = nil
		}
		l.op.Descend(l.spare, first, l.f, l.pre, coarse.op, coarse.f, l.factor)
		l.u.Swap(l.spare)
		return
	}
	l.smoothBefore(zero)
	l.op.Residual(l.residual, l.f, l.u)
	stencil.Restrict(coarse.f, l.residual, coarse.op.Boundary.Mask, l.factor)
}

// up corrects level n by the next, and smooths.
func (s *Solver) up(n int) {
	l, coarse := s.levels[n], s.levels[n+1]
	if l.canFuse() {
		if n == 0 && s.product.asked {
			l.op.AscendMeasured(l.spare, l.u, l.f, l.post, coarse.u, l.factor, s.product.slot)
		} else {
			l.op.Ascend(l.spare, l.u, l.f, l.post, coarse.u, l.factor)
		}
		l.u.Swap(l.spare)
		return
	}
	stencil.Prolong(l.u, coarse.u, l.op.Boundary.Mask, l.factor)
	l.smoothAfter()
}

// canFuse tells whether a level's sweeps, residual and transfers can be made in one pass on each way.
func (l *level) canFuse() bool { return l.notFused() == "" }

// notFused tells why they cannot, "" where they can.
func (l *level) notFused() string {
	switch {
	case l.sweeper != nil || l.smoother != Jacobi && l.smoother != Chebyshev:
		return "the smoother does not go with the rest of the level in one pass"
	case len(l.pre) < 1:
		return "no sweeps before the correction"
	case max(len(l.pre), len(l.post)) > kernels.MaxSweeps:
		return "too many sweeps for one pass"
	case l.between():
		return "the next level's nodes lie between those of this one"
	}
	return ""
}

// between tells whether nodes of the next level lie between those of this one.
func (l *level) between() bool { return kernels.AnyBetween(l.factor) }

// solveCoarsest solves on the last level; a given first guess is corrected, because the kernel starts from zero.
func (s *Solver) solveCoarsest(l *level, zero bool) {
	if zero {
		s.coarsest.solve(l.u, l.f)
		return
	}
	l.op.Residual(l.residual, l.f, l.u)
	s.coarsest.solve(s.correction, l.residual)
	l.u.Combine(stencil.Sum{C: 1, X: l.u}, stencil.Sum{C: 1, X: s.correction})
}
