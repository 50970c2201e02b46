package multigrid

import (
	"math"

	"convect/kernels"
	"convect/stencil"
)

// On devices that have kernels.Corrector, a solution is corrected and its residual computed in one pass, whose sums are all that a solve has to know.

// firstResidual is the residual that a solve begins with.
type firstResidual struct {
	known bool
	norm  float64
	zero  bool    // the free nodes of the first guess are known to be zero
	scale float64 // with Mixed: the finest level's right side is the residual over it; kept from solve to solve, 0: none was made
}

// widestScale bounds the ratio of a norm and its scale between which numbers of float32 keep all their digits.
const widestScale = 1 << 40

// tooLarge tells whether a residual over a scale, of the norm r, has numbers too large for products in float32.
func tooLarge(r, scale float64) bool {
	const largest = 0x1p900 // a residual over it is not finite in float64
	return r > widestScale && scale < largest
}

// enlarged returns by how much to enlarge the scale of a residual that is too large.
func enlarged(r float64) float64 {
	if math.IsInf(r, 1) {
		return widestScale
	}
	return math.Exp2(math.Round(math.Log2(r)))
}

// beginWithResidual computes the first residual, and with it all that begin must know. The residual is rounded over a power of two, so
// that it does not matter which: the last solve's does if it is near enough.
func (s *Solver) beginWithResidual(u, f *stencil.Field) error {
	m, given := &s.monitor, s.monitor.reference
	if s.first.scale == 0 {
		s.first.scale = 1
	}
	for scaled, shifted := s.single == nil, !s.op.Singular(); ; {
		r, sums, err := s.correct(u, f, 0, s.first.scale)
		if err != nil {
			return err
		}
		m.size = math.Sqrt(sums[4])
		if m.reference = given; given <= 0 {
			m.reference = m.size
		}
		s.measureByNumbers()
		s.first.norm, s.first.zero = r*s.first.scale, sums[2] == 0
		switch ratio := m.reference / s.first.scale; {
		case !scaled && m.reference > 0 && !math.IsInf(ratio, 0) && (ratio > widestScale || ratio < 1./widestScale):
			scaled, s.first.scale = true, math.Exp2(math.Round(math.Log2(m.reference)))
		case s.single != nil && tooLarge(r, s.first.scale):
			s.first.scale *= enlarged(r)
		case !shifted && !s.consistent(sums[3]):
			shifted = true
			f.RemoveMean(true)
		default:
			s.first.known = true
			return nil
		}
	}
}

// SetScratch lends the solver a field of the grid and type of the solutions, for what it likes between the beginning and the end of
// a Solve with Mixed, which then takes fewer passes over memory: u and the field may end with each other's buffers.
func (s *Solver) SetScratch(f *stencil.Field) { s.lent = f }

// fuses tells whether a correction can be made together with the residual.
func (s *Solver) fuses() bool { return s.corrects && (s.lent != nil || s.unwritten) }

// residualSingle puts the residual over a scale into the finest level's right side and returns its norm. Before, it adds the correction of
// the finest level, times made if that is not 0.
func (s *Solver) residualSingle(u, f *stencil.Field, made, scale float64) (float64, error) {
	if s.first.known {
		s.first.known = false
		return s.first.norm / scale, nil
	}
	finest := s.levels[0]
	if !s.corrects {
		s.op.ResidualSingle(finest.f, f, u, 1/scale)
		return norm(finest.f)
	}
	r, _, err := s.correct(u, f, made, scale)
	return r, err
}

// residualNorm returns the norm of the residual in float32.
func (s *Solver) residualNorm(u, f *stencil.Field) (float64, error) {
	if s.first.known {
		s.first.known = false
		return s.first.norm, nil
	}
	r, _, err := s.correct(u, f, 0, 1)
	return r, err
}

// correct adds the correction of the finest level times made if that is not 0, puts the residual over a scale into its right side with Mixed, and returns
// its norm and all sums, valid until the device is asked again.
func (s *Solver) correct(u, f *stencil.Field, made, scale float64) (float64, []float64, error) {
	finest := s.levels[0]
	switch {
	case s.single == nil:
		s.op.Correct(nil, u, f, nil, nil, 0, 1, s.slots.correct)
	case s.unwritten && made == 0:
		s.op.Correct(nil, nil, f, nil, finest.f, 0, 1/scale, s.slots.correct)
	case s.unwritten:
		s.op.Correct(u, nil, f, finest.u, finest.f, made, 1/scale, s.slots.correct)
		s.unwritten = false
	case made == 0:
		s.op.Correct(nil, u, f, nil, finest.f, 0, 1/scale, s.slots.correct)
	default:
		s.op.Correct(s.lent, u, f, finest.u, finest.f, made, 1/scale, s.slots.correct)
		u.Swap(s.lent)
	}
	v, err := u.Grid.Device.Scalars()
	if err != nil {
		return 0, nil, err
	}
	volume, sums := u.Grid.Volume(), v[s.slots.correct:][:kernels.CorrectSlots]
	// A mean within a thousandth of the tolerance is none.
	s.centred = math.Abs(sums[1])/volume <= inconsistent*s.options.Tolerance*math.Sqrt(sums[2]/volume)
	return math.Sqrt(sums[0]), sums, nil
}
