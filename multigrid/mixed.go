package multigrid

import "convect/stencil"

// Mixed precision: the error e of u in A e = f - A u needs only a few digits at a time. Residuals are computed in float64,
// divided by about their norm and rounded to float32; a few cycles on a float32 copy of the hierarchy give e, which is
// added to u in float64.

// iterateMixed repeats: residual in float64, cycles in float32. Where the device can, and there is room, u is corrected as the next
// residual is computed.
func (s *Solver) iterateMixed(u, f *stencil.Field) error {
	finest := s.levels[0]
	scale, made := s.firstScale(), 0.0 // of the correction to come, and of the one made; 0: none is made
	return s.iterate(u, f, func() (float64, error) {
		r, err := s.residualSingle(u, f, made, scale)
		return r * scale, err
	}, func(cycles int) {
		s.correctSingle(cycles)
		if made = scale; !s.fuses() {
			u.Combine(stencil.Sum{C: 1, X: u}, stencil.Sum{C: scale, X: finest.u})
			made = 0
		}
		scale = s.monitor.last()
	})
}

// firstScale returns what the first residual of a solve is divided by.
func (s *Solver) firstScale() float64 {
	if s.first.known {
		return s.first.scale
	}
	if r := s.monitor.reference; r > 0 {
		return r
	}
	return 1
}

// correctSingle makes so many cycles from zero on the finest level's own fields.
func (s *Solver) correctSingle(cycles int) {
	s.recorded(cycles, func() {
		s.descend(0, s.options.Cycle, true)
		for range cycles - 1 {
			s.descend(0, s.options.Cycle, false)
		}
	})
}

// cycleMixed makes one cycle in float32 on a residual in float64.
func (s *Solver) cycleMixed(u, f *stencil.Field) {
	finest := s.levels[0]
	s.op.ResidualSingle(finest.f, f, u, 1)
	s.correctSingle(1)
	u.Combine(stencil.Sum{C: 1, X: u}, stencil.Sum{C: 1, X: finest.u})
}
