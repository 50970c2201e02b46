package multigrid

import (
	"math"

	"convect/kernels"
	"convect/stencil"
)

// slowestFirst bounds the factor that the first cycles of a solve are expected to have: what stalled the last solve, rounding most of
// all, need not stall this one.
const slowestFirst = 0.2

// iterate repeats cycles, as many at a time as the last ones say are wanted, and the residual.
func (s *Solver) iterate(u, f *stencil.Field) error {
	m, cycles := &s.monitor, 0
	r, err := s.firstLeft(u, f)
	for {
		if err != nil {
			return err
		}
		if cycles > 0 {
			s.ConvergenceFactor = math.Pow(r/m.last(), 1/float64(cycles))
		}
		if done, err := s.judge(u, f, r); done || err != nil {
			return err
		}
		factor := s.ConvergenceFactor
		if cycles == 0 && !(factor < slowestFirst) {
			factor = slowestFirst
		}
		known := len(m.residuals) > 1 && s.ConvergenceFactor != usualFactor
		cycles = s.cyclesTo(m.target()/r, factor, known)
		m.extra += cycles - 1
		if s.single != nil {
			s.improveMixed(u, cycles)
		} else {
			for range cycles {
				s.cycle(u, f)
			}
		}
		r, err = s.left(u, f)
	}
}

// firstLeft is left of the first guess, and chooses the scale.
func (s *Solver) firstLeft(u, f *stencil.Field) (r float64, err error) {
	if s.single == nil || s.made != 0 { // nothing to scale, or there is a correction of a residual over it
		s.scale = s.firstScale()
		return s.left(u, f)
	}
	r, s.scale, err = s.firstSingle(u, f)
	return r, err
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

// left returns the norm of the residual.
func (s *Solver) left(u, f *stencil.Field) (float64, error) {
	switch {
	case s.single != nil:
		r, err := s.residualSingle(u, f, s.made, s.scale)
		return r * s.scale, err
	case s.corrects && u.Grid.Elem == kernels.Float32:
		return s.residualNorm(u, f)
	}
	finest := s.levels[0]
	finest.op.Residual(finest.residual, f, u)
	return norm(finest.residual)
}

// usualFactor is the factor by which a cycle is expected to reduce the residual, before one has been seen.
const usualFactor = 0.1

// cyclesTo returns how many cycles to make before the next residual: as many as the reduction asks for, if each reduces
// by the factor, but no more than single precision or the number of iterations left allow: one more where cycles have been made, which leave
// a rough residual of little rounding, and the factor is known from some. A single level is solved to
// its precision by one. Cycles in float64 cost so much that each is followed by a residual.
func (s *Solver) cyclesTo(reduction, factor float64, known bool) int {
	if len(s.levels) == 1 || s.levels[0].op.Grid.Elem == kernels.Float64 {
		return 1
	}
	most := s.options.Inner
	wanted := math.Log(reduction) / math.Log(factor)
	// Later cycles may be faster than the first, by which they are foretold: one more only where even that promises to be too few.
	if known && wanted > float64(most)+1 {
		most++
	}
	most = min(most, s.options.MaxIterations-s.monitor.iterations())
	if !(factor < 1) || !(wanted < float64(most)) {
		return most
	}
	return max(1, int(math.Ceil(wanted)))
}
