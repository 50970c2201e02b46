package call

import "convect/kernels"

// folding checks a form of matrices.
func (c *Call) folding(f kernels.Folding) int64 {
	if f > kernels.FoldBack {
		c.Fail("unknown folding %d of the matrix", f)
	}
	return int64(f)
}

// checkTransform checks the size of the matrix, and that the axis is x or y.
func (c *Call) checkTransform(a *kernels.TransformArgs, _ *Transform) {
	if !c.OK() {
		return
	}
	c.differ(a.Out, a.In, "Out is In")
	if a.Axis > kernels.Y {
		c.Fail("transforms are along x and y")
		return
	}
	rows, pitch := kernels.TransformRows(a.Box.N[a.Axis], a.Folding)
	if a.Folding != kernels.Whole {
		rows *= 2
	}
	if a.Entries < rows*pitch {
		c.Fail("the matrix has %d elements, not %d", a.Entries, rows*pitch)
	}
}

// waves checks a kind of waves.
func (c *Call) waves(w kernels.Waves) int64 {
	if w == kernels.NoWaves || w > kernels.PeriodicWaves {
		c.Fail("unknown waves %d", w)
	}
	return int64(w)
}

// checkFastTransform checks the size of the table, and that the axis is x or y.
func (c *Call) checkFastTransform(a *kernels.FastTransformArgs, _ *FastTransform) {
	if !c.OK() {
		return
	}
	if a.Axis > kernels.Y {
		c.Fail("transforms are along x and y")
		return
	}
	if n := kernels.WavesEntries(a.Box.N[a.Axis], a.Waves); a.Entries < n {
		c.Fail("the table has %d elements, not %d", a.Entries, n)
	}
}

// checkModes checks the size of the table.
func (c *Call) checkModes(a *kernels.ModesArgs, _ *Modes) {
	if !c.OK() {
		return
	}
	c.differ(a.X, a.Work, "X is Work")
	if n := kernels.ModesEntries(a.Box.N); a.Entries < n {
		c.Fail("the table has %d elements, not %d", a.Entries, n)
	}
}
