package multigrid

import (
	"math"

	"convect/stencil"
)

// Mixed precision: the error e of u in A e = f - A u needs only a few digits at a time. Residuals are computed in float64,
// divided by about their norm and rounded to float32; a few cycles on a float32 copy of the hierarchy give e, which is
// added to u in float64.

// usualFactor is the factor by which a cycle is expected to reduce the residual, before it has been seen.
const usualFactor = 0.1

// iterateMixed repeats: residual in float64, cycles in float32.
func (s *Solver) iterateMixed(u, f *stencil.Field) error {
	m, finest := &s.monitor, s.levels[0]
	scale, factor, cycles := m.reference, usualFactor, 0
	if !(scale > 0) {
		scale = 1
	}
	for {
		s.op.ResidualSingle(finest.f, f, u, 1/scale)
		r, err := norm(finest.f)
		if err != nil {
			return err
		}
		r *= scale
		if cycles > 0 {
			factor = math.Pow(r/m.last(), 1/float64(cycles))
		}
		if err := s.record(u, r); err != nil {
			return err
		}
		if m.converged() {
			return nil
		}
		if err := m.failure(); err != nil {
			return err
		}
		cycles = s.cyclesTo(m.target()/r, factor)
		m.extra += cycles - 1
		s.correctSingle(cycles)
		u.Combine(stencil.Sum{C: 1, X: u}, stencil.Sum{C: scale, X: finest.u})
		scale = r
	}
}

// cyclesTo returns how many cycles to make before the next residual: as many as the reduction asks for, if each reduces
// by the factor, but no more than single precision or the number of iterations left allow. A single level is solved to
// single precision by one.
func (s *Solver) cyclesTo(reduction, factor float64) int {
	if len(s.levels) == 1 {
		return 1
	}
	most := min(s.options.Inner, s.options.MaxIterations-s.monitor.iterations())
	wanted := math.Log(reduction) / math.Log(factor)
	if !(factor < 1) || !(wanted < float64(most)) {
		return most
	}
	return max(1, int(math.Ceil(wanted)))
}

// correctSingle makes so many cycles from zero on the finest level's own fields.
func (s *Solver) correctSingle(cycles int) {
	s.descend(0, s.options.Cycle, true)
	for range cycles - 1 {
		s.descend(0, s.options.Cycle, false)
	}
}

// cycleMixed makes one cycle in float32 on a residual in float64.
func (s *Solver) cycleMixed(u, f *stencil.Field) {
	finest := s.levels[0]
	s.op.ResidualSingle(finest.f, f, u, 1)
	s.correctSingle(1)
	u.Combine(stencil.Sum{C: 1, X: u}, stencil.Sum{C: 1, X: finest.u})
}
