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

// keepFirst keeps the norm r and the sums of the first residual, for a reference of zero or less that of the right side.
func (s *Solver) keepFirst(r, reference float64, sums []float64) {
	m := &s.monitor
	m.size = math.Sqrt(sums[4])
	m.refer(reference)
	s.measureByNumbers()
	s.first.norm, s.first.zero = r, sums[2] == 0
}

// centring returns what is added to u with its next correction, so that no pass of its own takes its mean away: the opposite of the mean that was measured last. What the correction itself
// has of a mean is left, the less the later it comes.
func (s *Solver) centring() float64 {
	if !s.op.Singular() {
		return 0
	}
	return -s.mean
}

// SetScratch lends the solver a field of the grid and type of the solutions, for what it likes between the beginning and the end of
// a Solve with Mixed, which then takes fewer passes over memory: u and the field may end with each other's buffers.
func (s *Solver) SetScratch(f *stencil.Field) { s.lent = f }

// scalars reads the reduction slots.
func (s *Solver) scalars() (v []float64, err error) {
	s.seen, err = s.op.Grid.Device.Scalars()
	return s.seen, err
}

// corrected returns the norm of the residual of u that the device has just measured, and all sums, valid until the device is asked again.
func (s *Solver) corrected(u *stencil.Field) (float64, []float64, error) {
	v, err := s.scalars()
	if err != nil {
		return 0, nil, err
	}
	volume, sums := u.Grid.Volume(), v[s.slots.correct:][:kernels.CorrectSlots]
	s.mean = sums[1] / volume
	// A mean within the tolerance is none.
	s.centred = math.Abs(s.mean) <= s.options.Tolerance*math.Sqrt(sums[2]/volume)
	return math.Sqrt(sums[0]), sums, nil
}
