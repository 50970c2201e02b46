package multigrid

import "convect/stencil"

// Mixed precision: the error e of u in A e = f - A u needs only a few digits at a time. Residuals are computed in float64,
// divided by about their norm and rounded to float32; a few cycles on a float32 copy of the hierarchy give e, which is
// added to u in float64.

// improveMixed makes cycles in float32 on the residual. Where the device can, and there is room, u is corrected as the next residual is computed.
func (s *Solver) improveMixed(u *stencil.Field, cycles int) {
	s.recorded(cycles)
	if s.made = s.scale; !s.fuses() {
		u.Combine(stencil.Sum{C: 1, X: u}, stencil.Sum{C: s.scale, X: s.levels[0].u})
		s.made = 0
	}
	s.scale = s.monitor.last()
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

// firstSingle is residualSingle of the first guess, over a scale that it returns: what the first residual is divided by, or more where that is too small
// a part of the residual.
func (s *Solver) firstSingle(u, f *stencil.Field) (r, scale float64, err error) {
	scale = s.firstScale()
	for {
		if r, err = s.residualSingle(u, f, 0, scale); err != nil || !tooLarge(r, scale) {
			return r * scale, scale, err
		}
		scale *= enlarged(r)
	}
}

// cycleMixed makes one cycle in float32 on a residual in float64.
func (s *Solver) cycleMixed(u, f *stencil.Field) {
	finest := s.levels[0]
	s.op.ResidualSingle(finest.f, f, u, 1)
	s.recorded(1)
	u.Combine(stencil.Sum{C: 1, X: u}, stencil.Sum{C: 1, X: finest.u})
}
