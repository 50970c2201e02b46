package multigrid

import (
	"math"

	"convect/kernels"
	"convect/stencil"
)

// slowestFirst bounds the factor that the first cycles of a solve are expected to have: what stalled the last solve, rounding most of
// all, need not stall this one.
const slowestFirst = 0.2

// repeated is what a strategy of cycles repeats.
type repeated interface {
	// left returns the norm of the residual, firstLeft of the first guess.
	firstLeft(u, f *stencil.Field) (float64, error)
	left(u, f *stencil.Field) (float64, error)
	// improve makes so many cycles on u.
	improve(u, f *stencil.Field, number int)
}

// repeat repeats cycles, as many at a time as the last ones say are wanted, and the residual.
func (s *Solver) repeat(c repeated, u, f *stencil.Field) error {
	m, made := &s.monitor, effort{}
	r, err := c.firstLeft(u, f)
	for {
		if err != nil {
			return err
		}
		if made.cycles > 0 {
			s.learn(made, r/m.last())
		}
		if done, err := s.judge(u, f, r); done || err != nil {
			return err
		}
		if made.cycles > 0 && s.givesUp() {
			return errLittleGained
		}
		factor := s.ConvergenceFactor
		if made.cycles == 0 && !(factor < slowestFirst) {
			factor = slowestFirst
		}
		known := len(m.residuals) > 1 && s.ConvergenceFactor != usualFactor
		made = s.effortTo(m.target()/r, factor, known)
		m.extra, m.lastRow = m.extra+made.cycles-1, made.cycles
		s.lengthen(made.longer)
		c.improve(u, f, made.cycles)
		r, err = c.left(u, f)
	}
}

// judge records a residual that is the true one, and tells whether the solve ends there or fails.
func (s *Solver) judge(u, f *stencil.Field, r float64) (done bool, err error) {
	if err := s.record(u, f, r); err != nil {
		return false, err
	}
	if s.monitor.converged() {
		return true, nil
	}
	return false, s.monitor.failure()
}

// usualFactor is the factor by which a cycle is expected to reduce the residual, before one has been seen.
const usualFactor = 0.1

// effortTo is effortUpTo, which it notes.
func (s *Solver) effortTo(reduction, factor float64, known bool) effort {
	made := s.effortUpTo(reduction, factor, known)
	if len(s.monitor.residuals) <= 1 || made.cycles > s.made.cycles {
		s.made = made
	}
	return made
}

// effortUpTo returns the cycles to make before the next residual: as many as the reduction asks for, if each usual one reduces
// by the factor, but no more than single precision or the number of iterations left allow: one more where cycles have been made, which leave
// a rough residual of little rounding, and the factor is known from some. A single level is solved to
// its precision by one. Cycles in float64 cost so much that each is followed by a residual, and so is a cycle where cycles may do harm.
func (s *Solver) effortUpTo(reduction, factor float64, known bool) effort {
	if len(s.levels) == 1 {
		return effort{cycles: 1}
	}
	most := s.options.Inner
	wanted := math.Log(reduction) / math.Log(factor)
	// Later cycles may be faster than the first, by which they are foretold: one more only where even that promises to be too few.
	if known && wanted > float64(most)+1 {
		most++
	}
	most = min(most, s.options.MaxIterations-s.monitor.iterations())
	if s.levels[0].op.Grid.Elem == kernels.Float64 || s.mayHarm() {
		most = 1
	}
	if !(factor < 1) {
		return effort{cycles: most}
	}
	return s.effortFor(wanted, most)
}
