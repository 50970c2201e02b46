package multigrid

import "convect/stencil"

// Mixed precision: the error e of u in A e = f - A u needs only a few digits at a time. Residuals are computed in float64,
// divided by about their norm and rounded to float32; a few cycles on a float32 copy of the hierarchy give e, which is
// added to u in float64.

// iterateMixed repeats: residual in float64, cycles in float32.
func (s *Solver) iterateMixed(u, f *stencil.Field) error {
	finest := s.levels[0]
	scale := s.monitor.reference
	if !(scale > 0) {
		scale = 1
	}
	return s.iterate(u, f, func() (float64, error) {
		s.op.ResidualSingle(finest.f, f, u, 1/scale)
		r, err := norm(finest.f)
		return r * scale, err
	}, func(cycles int) {
		s.correctSingle(cycles)
		u.Combine(stencil.Sum{C: 1, X: u}, stencil.Sum{C: scale, X: finest.u})
		scale = s.monitor.last()
	})
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
