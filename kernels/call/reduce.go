package call

import "convect/kernels"

// areaSum is cv_area_sum: the sum of w_x w_y (X - X_0) over a plane.
const areaSum = 7

// Reduce checks what the kind needs.
func (c *Call) Reduce(a kernels.ReduceArgs) Reduce {
	r := Reduce{Box: c.SetBox(a.Box), X: c.Nodes(a.X, "X"), Kind: int64(a.Kind), Value: a.Value}
	switch a.Kind {
	case kernels.Dot, kernels.VolumeDot, kernels.MaxDiff:
		r.Y = c.Nodes(a.Y, "Y")
	case kernels.VolumeSum, kernels.MaxAbs, kernels.Sum, kernels.Finite:
	default:
		c.Fail("unknown reduction %d", a.Kind)
	}
	if a.Kind == kernels.VolumeSum || a.Kind == kernels.VolumeDot {
		r.W = c.axes(a.W, "W")
	}
	r.Mask = c.mask(a.Mask)
	c.slot(a.Slot, 1)
	return r
}

// RemoveMean returns the sum to be made over the nodes and, without its Shift, what to take away afterwards.
func (c *Call) RemoveMean(a kernels.RemoveMeanArgs) (Reduce, Shift) {
	r := Reduce{Box: c.SetBox(a.Box), X: c.Nodes(a.X, "X"), W: c.axes(a.W, "W"), Kind: int64(kernels.VolumeSum)}
	if a.Integrated {
		r.Kind = int64(kernels.Sum)
	}
	return r, Shift{Box: r.Box, X: r.X, W: r.W, Integrated: flag(a.Integrated)}
}

// HorizontalMean returns the sum to be made over each plane, and the address of Out.
func (c *Call) HorizontalMean(a kernels.HorizontalMeanArgs) (r Reduce, out uintptr) {
	r = Reduce{Box: c.SetBox(a.Box), X: c.Nodes(a.X, "X"), W: c.axes(a.W, "W"), Kind: areaSum}
	return r, c.Elements(a.Out, c.Elem, a.Box.N[2], "Out")
}

// Mean returns what makes the mean of each plane, or of all, of the sums of several devices.
func (c *Call) Mean(s kernels.Shares, planes int) Mean {
	return Mean{Box: c.box(s.Box), W: c.axesOf(s.W, s.Box, "W"), Partial: c.Elements(s.Sums, kernels.Float64, s.N*planes, "Sums"), Parts: int64(s.N)}
}
