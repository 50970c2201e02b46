package multigrid

import (
	"convect/kernels"
	"convect/stencil"
)

// inField is the part of a strategy whose corrections are in the precision of the fields.
type inField struct{ usual }

func (s inField) cycles(u, f *stencil.Field, number int) {
	buffer := u.Buffer
	s.cycle(u, f, number)
	s.restore(u, buffer)
}

// cycle is cycles, but u may end with the buffer of the finest level's spare field.
func (s inField) cycle(u, f *stencil.Field, number int) {
	finest := s.levels[0]
	ownU, ownF := finest.u, finest.f
	finest.u, finest.f = u, f
	s.recorded(number)
	finest.u, finest.f = ownU, ownF
}

// residual leaves it in the residual of the finest level.
func (s inField) residual(u, f *stencil.Field) (r, scale float64, err error) {
	finest := s.levels[0]
	s.first.known = false
	finest.op.Residual(finest.residual, f, u)
	r, err = norm(finest.residual)
	return r, 1, err
}

func (s inField) pass(p *full, u, f *stencil.Field, _ float64, values bool) {
	finest := s.levels[0]
	ownU, ownF := finest.u, finest.f
	finest.u, finest.f = u, f
	start := fromGuess
	if values {
		p.maskRightSide()
		start = fromValues
	}
	p.climb(finest.residual, start)
	finest.u, finest.f = ownU, ownF
}

func (inField) rooms(u *stencil.Field) (e, right *stencil.Field) { return u, nil }

// cycles is the strategy of cycle after cycle in the precision of the fields.
type cycles struct{ inField }

// measures tells whether the device measures a residual, in the type of the solution, without storing it.
func (c *cycles) measures() bool { return c.op.Grid.Elem == kernels.Float32 && c.op.Corrects() }

func (c *cycles) measuresFirst() bool { return c.measures() }

func (c *cycles) begin(u, f *stencil.Field) error {
	if !c.measures() {
		return c.measureRightSide(f)
	}
	given := c.monitor.reference
	for shifted := !c.op.Singular(); ; shifted = true {
		r, sums, err := c.measure(u, f)
		if err != nil {
			return err
		}
		c.keepFirst(r, given, sums)
		if shifted || c.consistent(sums[3]) {
			c.first.known = true
			return nil
		}
		f.RemoveMean(true)
	}
}

// measure returns the norm of the residual and all sums, valid until the device is asked again.
func (c *cycles) measure(u, f *stencil.Field) (float64, []float64, error) {
	c.op.Correct(nil, u, f, nil, nil, stencil.Factor{}, 0, 1, c.slots.correct)
	return c.corrected(u)
}

func (c *cycles) iterate(u, f *stencil.Field) error              { return c.repeat(c, u, f) }
func (c *cycles) firstLeft(u, f *stencil.Field) (float64, error) { return c.left(u, f) }

func (c *cycles) left(u, f *stencil.Field) (r float64, err error) {
	switch {
	case c.first.known:
		c.first.known = false
		return c.first.norm, nil
	case c.measures():
		r, _, err = c.measure(u, f)
	default:
		r, _, err = c.residual(u, f)
	}
	return r, err
}

func (c *cycles) improve(u, f *stencil.Field, number int) {
	c.inTurn(number, func(int) { c.cycle(u, f, onSolution) })
}

func (c *cycles) outer(u, f *stencil.Field, _ bool) {
	if finest := c.levels[0]; !c.measures() {
		finest.op.Residual(finest.residual, f, u)
		return
	}
	c.op.Correct(nil, u, f, nil, nil, stencil.Factor{}, 0, 1, c.slots.correct)
}

func (c *cycles) visits() []bool { return []bool{false} }
func (c *cycles) attempts() bool { return c.attemptable() }

// scratch frees the correction where there is another field.
func (c *cycles) scratch() *stencil.Field {
	if spare := c.levels[0].spare; spare != nil && len(c.levels) > 1 {
		c.correction.Free()
		return spare
	}
	return c.correction
}
