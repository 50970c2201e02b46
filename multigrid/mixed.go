package multigrid

import (
	"math"

	"convect/kernels"
	"convect/stencil"
)

// Mixed precision: the error e of u in A e = f - A u needs only a few digits at a time. Residuals are computed in float64,
// divided by about their norm and rounded to float32; a few cycles on a float32 copy of the hierarchy give e, which is
// added to u in float64.

// iterateMixed repeats: residual in float64, cycles in float32. Where the device can, and there is room, u is corrected as the next
// residual is computed.
func (s *Solver) iterateMixed(u, f *stencil.Field) error {
	finest := s.levels[0]
	scale, made := s.monitor.reference, 0.0 // of the correction to come, and of the one made; 0: none is made
	if !(scale > 0) {
		scale = 1
	}
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

// fuses tells whether a correction can be made together with the residual.
func (s *Solver) fuses() bool { return s.corrects && s.lent != nil }

// residualSingle puts the residual over a scale into the finest level's right side and returns its norm. Before, it adds the correction of
// the finest level, times made if that is not 0.
func (s *Solver) residualSingle(u, f *stencil.Field, made, scale float64) (float64, error) {
	finest := s.levels[0]
	switch {
	case !s.corrects:
		s.op.ResidualSingle(finest.f, f, u, 1/scale)
		return norm(finest.f)
	case made == 0:
		s.op.Correct(nil, u, f, nil, finest.f, 0, 1/scale, correctSlot)
	default:
		s.op.Correct(s.lent, u, f, finest.u, finest.f, made, 1/scale, correctSlot)
		u.Swap(s.lent)
	}
	return s.measured(u)
}

// measured reads what Correct has summed.
func (s *Solver) measured(u *stencil.Field) (float64, error) {
	v, err := u.Grid.Device.Scalars()
	if err != nil {
		return 0, err
	}
	volume, sums := u.Grid.Volume(), v[correctSlot:correctSlot+kernels.CorrectSlots]
	// A mean within a thousandth of the tolerance is none.
	s.centred = math.Abs(sums[1])/volume <= inconsistent*s.options.Tolerance*math.Sqrt(sums[2]/volume)
	return math.Sqrt(sums[0]), nil
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
