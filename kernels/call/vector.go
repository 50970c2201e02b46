package call

import "convect/kernels"

// Fill checks X, which may be of any type.
func (c *Call) Fill(a kernels.FillArgs) (v Vector) {
	x := c.Buffer(a.X, "X")
	if x == nil {
		return v
	}
	c.Elem = x.Elem()
	v = Vector{Len: int64(x.Len()), Out: x.Address()}
	v.C[0] = a.Value
	return v
}

// Copy checks both buffers. The call's type is that of Dst; convert tells whether Src is of the other. Nothing is to be done
// where v.Len is zero.
func (c *Call) Copy(a kernels.CopyArgs) (v Vector, convert bool) {
	dst, src := c.Buffer(a.Dst, "Dst"), c.Buffer(a.Src, "Src")
	if dst == nil || src == nil {
		return v, false
	}
	if dst.Len() < src.Len() {
		c.Fail("Dst has %d elements, Src %d", dst.Len(), src.Len())
	}
	if (dst.Elem() == kernels.Int32) != (src.Elem() == kernels.Int32) {
		c.Fail("cannot copy %v to %v", src.Elem(), dst.Elem())
	}
	if !c.OK() || dst == src {
		return v, false
	}
	c.Elem = dst.Elem()
	v = Vector{Len: int64(src.Len()), Out: dst.Address()}
	v.X[0], v.Single[0] = src.Address(), flag(src.Elem() == kernels.Float32)
	return v, dst.Elem() != src.Elem()
}

// Combine checks all buffers and leaves out those that are nil. mixed tells whether they are not all of one type; the call's is
// float64 then.
func (c *Call) Combine(a kernels.CombineArgs) (v Vector, mixed bool) {
	out := c.Buffer(a.Out, "Out")
	if out == nil {
		return v, false
	}
	v = Vector{Len: int64(out.Len()), Out: out.Address(), SingleOut: flag(out.Elem() == kernels.Float32)}
	for n, b := range a.X {
		if b == nil {
			continue
		}
		x := c.Floats(b, "X")
		if x == nil {
			return v, mixed
		}
		if x.Len() != out.Len() {
			c.Fail("Out has %d elements, X %d", out.Len(), x.Len())
		}
		if x.Elem() != out.Elem() {
			mixed, c.Elem = true, kernels.Float64
		}
		v.X[v.Terms], v.C[v.Terms], v.Single[v.Terms] = x.Address(), a.C[n], flag(x.Elem() == kernels.Float32)
		v.Terms++
	}
	for n := v.Terms; n < 4; n++ {
		v.X[n] = v.Out // not read
	}
	return v, mixed
}

// Halo checks X; layers along axes that are absent or not periodic are none.
func (c *Call) Halo(a kernels.HaloArgs) Halo {
	h := Halo{Box: c.SetBox(a.Box), X: c.Nodes(a.X, "X")}
	if a.Width < 0 || a.Width > kernels.HaloWidth {
		c.Fail("width %d is not 0 to %d", a.Width, kernels.HaloWidth)
	}
	for axis, periodic := range a.Periodic {
		if periodic && (axis != kernels.Y || !a.Box.Flat()) {
			h.Width[axis] = int64(a.Width)
		}
	}
	return h
}

// SetWall checks the wall arrays; with Face, X is shifted so that its wall faces lie where the nodes do.
func (c *Call) SetWall(a kernels.SetWallArgs) Wall {
	w := Wall{Box: c.SetBox(a.Box), X: c.Nodes(a.X, "X"), Side: int64(a.Side)}
	if a.Face && !a.Side.High() {
		w.X = c.at(w.X, -a.Box.Stride[a.Side.Axis()])
	}
	w.Where, w.Value = c.wall(a.Where, a.Side, "Where"), c.wall(a.Value, a.Side, "Value")
	return w
}

// WallSum checks the weight.
func (c *Call) WallSum(a kernels.WallSumArgs) Wall {
	w := Wall{Box: c.SetBox(a.Box), X: c.Nodes(a.X, "X"), Side: int64(a.Side)}
	w.Where = c.wall(a.Weight, a.Side, "Weight")
	c.slot(a.Slot, 1)
	return w
}
