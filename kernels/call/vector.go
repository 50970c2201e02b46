package call

import "convect/kernels"

// Fill checks X, which may be of any type.
func (c *Call) Fill(a kernels.FillArgs) (v Vector) {
	x, e, n := c.live(a.X, "X")
	c.Elem = e
	v = Vector{Len: int64(n), Out: x}
	v.C[0] = a.Value
	return v
}

// Copy checks both buffers. The call's type is that of Dst; convert tells whether Src is of the other. Nothing is to be done
// where v.Len is zero.
func (c *Call) Copy(a kernels.CopyArgs) (v Vector, convert bool) {
	dst, to, room := c.live(a.Dst, "Dst")
	src, from, n := c.live(a.Src, "Src")
	if room < n {
		c.Fail("Dst has %d elements, Src %d", room, n)
	}
	if (to == kernels.Int32) != (from == kernels.Int32) {
		c.Fail("cannot copy %v to %v", from, to)
	}
	if !c.OK() || dst == src {
		return v, false
	}
	c.Elem = to
	v = Vector{Len: int64(n), Out: dst}
	v.X[0], v.Single[0] = src, flag(from == kernels.Float32)
	return v, from != to
}

// Refuse fails where a ratio is not 1: the device takes none.
func (c *Call) Refuse(r kernels.Ratio) {
	if r.Of != r.Over {
		c.Fail("the ratio of slots %d and %d must be taken by the caller", r.Of, r.Over)
	}
}

// Combine checks all buffers and leaves out those that are nil. mixed tells whether they are not all of one type; the call's is
// float64 then.
func (c *Call) Combine(a kernels.CombineArgs) (v Vector, mixed bool) {
	out, elem, n := c.live(a.Out, "Out")
	v = Vector{Len: int64(n), Out: out, SingleOut: flag(elem == kernels.Float32)}
	for i, b := range a.X {
		if b == nil {
			continue
		}
		x, e, length := c.live(b, "X")
		if e == kernels.Int32 {
			c.Fail("X holds %v, not float32 or float64", e)
		}
		if length != n {
			c.Fail("Out has %d elements, X %d", n, length)
		}
		if e != elem {
			mixed, c.Elem = true, kernels.Float64
		}
		v.X[v.Terms], v.C[v.Terms], v.Single[v.Terms] = x, a.C[i], flag(e == kernels.Float32)
		v.Terms++
	}
	for i := v.Terms; i < 4; i++ {
		v.X[i] = v.Out // not read
	}
	return v, mixed
}

// checkHalo sets the layers; along axes that are absent or not periodic there are none.
func (c *Call) checkHalo(a *kernels.HaloArgs, s *Halo) {
	if a.Width < 0 || a.Width > kernels.HaloWidth {
		c.Fail("width %d is not 0 to %d", a.Width, kernels.HaloWidth)
	}
	for axis, periodic := range a.Periodic {
		if periodic && (axis != kernels.Y || !a.Box.Flat()) {
			s.Width[axis] = int64(a.Width)
		}
	}
}

// checkSetWall shifts faces so that those of the wall lie where the nodes do.
func (c *Call) checkSetWall(a *kernels.SetWallArgs, s *SetWall) {
	if a.Face && !a.Side.High() {
		s.X = c.at(s.X, -a.Box.Stride[a.Side.Axis()])
	}
}

// checkAxisMean checks that the boxes differ by the axis alone.
func (c *Call) checkAxisMean(a *kernels.AxisMeanArgs, s *AxisMean) {
	of := a.From.N
	of[a.Axis] = 1
	if a.Box.N != of || a.Box.Flat() != a.From.Flat() {
		c.Fail("Box has %v nodes, and From %v, of which the mean over axis %d has %v", a.Box.N, a.From.N, a.Axis, of)
	}
	if a.Nodes != a.From.N[a.Axis] {
		c.Fail("Part has %d numbers for %d nodes", a.Nodes, a.From.N[a.Axis])
	}
	if a.Spread != nil {
		s.Spread = c.nodesOf(a.Spread, a.From, "Spread")
	}
	if a.Spread != nil && a.Square == nil {
		c.Fail("Spread without Square")
	}
	if a.Square != nil {
		c.differ(a.Square, a.Out, "Square is Out")
	}
}

// checkAccumulate checks that squares have what they are made of.
func (c *Call) checkAccumulate(a *kernels.AccumulateArgs, _ *Accumulate) {
	if (a.Spread == nil) != (a.SpreadBefore == nil) {
		c.Fail("Spread and SpreadBefore are not both there")
	}
	if a.Spread != nil && a.Square == nil {
		c.Fail("Spread without Square")
	}
	for _, own := range []kernels.Buffer{a.Before, a.Mean, a.Square, a.SpreadBefore} {
		if own != nil {
			c.differ(own, a.X, "X is what a step changes")
		}
	}
}
