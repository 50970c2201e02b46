package multigrid

import (
	"math"

	"convect/kernels"
	"convect/stencil"
)

// Mixed precision: the error e of u in A e = f - A u needs only a few digits at a time. Residuals are computed in float64,
// divided by about their norm and rounded to float32; a few cycles on a float32 copy of the hierarchy give e, which is
// added to u in float64.

// inSingle is the part of a strategy whose corrections are in float32, on the finest level's own fields.
type inSingle struct{ usual }

func (s inSingle) measuresFirst() bool { return s.op.Corrects() }

// begin computes the first residual where that is one pass with the sums, and rounds it over a power of two, so
// that it does not matter which: the last solve's does if it is near enough.
func (s inSingle) begin(u, f *stencil.Field) error {
	if !s.op.Corrects() {
		return s.measureRightSide(f)
	}
	m, given := &s.monitor, s.monitor.reference
	if s.first.scale == 0 {
		s.first.scale = 1
	}
	for scaled, shifted := false, !s.op.Singular(); ; {
		r, sums, err := s.correct(u, f, nil, stencil.Factor{}, s.first.scale)
		if err != nil {
			return err
		}
		s.keepFirst(r*s.first.scale, given, sums)
		switch ratio := m.reference / s.first.scale; {
		case !scaled && m.reference > 0 && !math.IsInf(ratio, 0) && (ratio > widestScale || ratio < 1./widestScale):
			scaled, s.first.scale = true, math.Exp2(math.Round(math.Log2(m.reference)))
		case tooLarge(r, s.first.scale):
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

// residualSingle puts the residual over a scale into the finest level's right side and returns its norm. Before, it adds made times e, if made is not 0.
func (s inSingle) residualSingle(u, f, e *stencil.Field, made stencil.Factor, scale float64) (float64, error) {
	if s.first.known {
		s.first.known = false
		return s.first.norm / scale, nil
	}
	if finest := s.levels[0]; !s.op.Corrects() {
		s.op.ResidualSingle(finest.f, f, u, 1/scale)
		finest.f.Reduce(kernels.Dot, finest.f, s.slots.norm)
		v, err := s.scalars()
		if err != nil {
			return 0, err
		}
		return math.Sqrt(v[s.slots.norm]), nil
	}
	r, _, err := s.correct(u, f, e, made, scale)
	return r, err
}

// correct adds made times e if made is not 0, puts the residual over a scale into the finest level's right side, and returns its norm and all sums, valid
// until the device is asked again.
func (s inSingle) correct(u, f, e *stencil.Field, made stencil.Factor, scale float64) (float64, []float64, error) {
	finest := s.levels[0]
	switch {
	case s.unwritten && made.C == 0:
		s.op.Correct(nil, nil, f, nil, finest.f, stencil.Factor{}, 0, 1/scale, s.slots.correct)
	case s.unwritten:
		s.op.Correct(u, nil, f, e, finest.f, made, 0, 1/scale, s.slots.correct)
		s.unwritten = false
	case made.C == 0:
		s.op.Correct(nil, u, f, nil, finest.f, stencil.Factor{}, 0, 1/scale, s.slots.correct)
	default:
		s.op.Correct(s.lent, u, f, e, finest.f, made, s.centring(), 1/scale, s.slots.correct)
		u.Swap(s.lent)
	}
	return s.corrected(u)
}

// firstScale returns what the first residual of a solve is divided by.
func (s inSingle) firstScale() float64 {
	if s.first.known {
		return s.first.scale
	}
	if r := s.monitor.reference; r > 0 {
		return r
	}
	return 1
}

// residual is residualSingle of the first guess, over a scale that it returns: what the first residual is divided by, or more where that is too small
// a part of the residual.
func (s inSingle) residual(u, f *stencil.Field) (r, scale float64, err error) {
	scale = s.firstScale()
	for {
		if r, err = s.residualSingle(u, f, nil, stencil.Factor{}, scale); err != nil || !tooLarge(r, scale) {
			return r * scale, scale, err
		}
		scale *= enlarged(r)
	}
}

func (s inSingle) cycles(u, f *stencil.Field, number int) {
	if number != onSolution {
		s.recorded(number)
		return
	}
	s.op.ResidualSingle(s.levels[0].f, f, u, 1)
	s.recorded(1)
	s.add(u, 1)
}

// add adds the correction times scale.
func (s inSingle) add(u *stencil.Field, scale float64) {
	u.Combine(stencil.Sum{C: 1, X: u}, stencil.Sum{C: scale, X: s.levels[0].u})
}

func (s inSingle) pass(p *full, u, f *stencil.Field, scale float64, values bool) {
	finest := s.levels[0]
	if !values {
		p.climb(finest.f, fromZero)
		s.add(u, scale)
		return
	}
	finest.f.Combine(stencil.Sum{C: 1 / scale, X: f})
	finest.u.Combine(stencil.Sum{C: 1 / scale, X: u})
	p.maskRightSide()
	p.climb(finest.residual, fromValues)
	finest.residual.Combine(stencil.Sum{C: 1 / scale, X: u}) // the same bits as before, so that fixed nodes change by zero
	finest.u.Combine(stencil.Sum{C: 1, X: finest.u}, stencil.Sum{C: -1, X: finest.residual})
	s.add(u, scale)
}

func (s inSingle) outer(u, f *stencil.Field, zero bool) {
	finest := s.levels[0]
	switch {
	case !s.op.Corrects():
		s.op.ResidualSingle(finest.f, f, u, 1)
	case zero:
		s.op.Correct(nil, nil, f, nil, finest.f, stencil.Factor{}, 0, 1, s.slots.correct)
		s.op.Correct(u, nil, f, finest.u, finest.f, stencil.Factor{C: 1}, 0, 1, s.slots.correct)
	default:
		s.op.Correct(nil, u, f, nil, finest.f, stencil.Factor{}, 0, 1, s.slots.correct)
		if s.lent != nil {
			s.op.Correct(s.lent, u, f, finest.u, finest.f, stencil.Factor{C: 1}, 0, 1, s.slots.correct)
		}
	}
}

func (s inSingle) scratch() *stencil.Field { return s.levels[0].u }

func (s inSingle) rooms(*stencil.Field) (e, right *stencil.Field) {
	return s.levels[0].u, s.levels[0].f
}

// singleCycles is the strategy of cycle after cycle in float32, on residuals in float64.
type singleCycles struct {
	inSingle
	// What the finest level's right side is over, and what its correction is to be added times; 0: none is. added is what it was to be last.
	scale, made, added float64
}

func (c *singleCycles) begin(u, f *stencil.Field) error {
	c.made = 0
	return c.inSingle.begin(u, f)
}

func (c *singleCycles) iterate(u, f *stencil.Field) error { return c.repeat(c, u, f) }

// firstLeft chooses the scale, too.
func (c *singleCycles) firstLeft(u, f *stencil.Field) (r float64, err error) {
	if c.made != 0 { // there is a correction of a residual over it
		c.scale = c.firstScale()
		return c.left(u, f)
	}
	r, c.scale, err = c.residual(u, f)
	return r, err
}

func (c *singleCycles) left(u, f *stencil.Field) (float64, error) {
	r, err := c.residualSingle(u, f, c.levels[0].u, stencil.Factor{C: c.made}, c.scale)
	return r * c.scale, err
}

func (c *singleCycles) improve(u, _ *stencil.Field, number int) {
	c.recorded(number)
	c.add(u, c.scale)
	c.scale = c.monitor.last()
}

// correctsLater tells whether u is corrected as the next residual is computed: where the device can and there is room.
func (s inSingle) correctsLater() bool { return s.op.Corrects() && (s.lent != nil || s.unwritten) }

// add corrects u, or leaves that to the next residual.
func (c *singleCycles) add(u *stencil.Field, scale float64) {
	c.made, c.added = scale, scale
	if !c.correctsLater() {
		c.inSingle.add(u, scale)
		c.made = 0
	}
}

// undo takes the last correction away from u, whose residual is known.
func (c *singleCycles) undo(u *stencil.Field) { c.inSingle.add(u, -c.added) }

func (c *singleCycles) pass(p *full, u, f *stencil.Field, scale float64, values bool) {
	if values {
		c.inSingle.pass(p, u, f, scale, values)
		return
	}
	finest := c.levels[0]
	p.climb(finest.f, fromZero)
	c.add(u, scale)
}

func (c *singleCycles) leavesZero() bool { return c.op.Corrects() }
func (c *singleCycles) attempts() bool   { return c.attemptable() }

// visits tells of the first cycle and those that follow it.
func (c *singleCycles) visits() []bool { return []bool{true, false} }
