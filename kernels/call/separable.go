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

// checkFastTransform checks the size of the table.
func (c *Call) checkFastTransform(a *kernels.FastTransformArgs, _ *FastTransform) {
	if !c.OK() {
		return
	}
	if n := kernels.WavesEntries(a.Box.N[a.Axis], a.Waves); a.Entries < n {
		c.Fail("the table has %d elements, not %d", a.Entries, n)
	}
}

// Turn exchanges y and z of a box.
func (b *Box) Turn() {
	b.N[kernels.Y], b.N[kernels.Z] = b.N[kernels.Z], b.N[kernels.Y]
	b.Sy, b.Sz = b.Sz, b.Sy
}

// checkModes checks the size of the table, and turns the box where the systems are turned.
func (c *Call) checkModes(a *kernels.ModesArgs, s *Modes) {
	if !c.OK() {
		return
	}
	c.differ(a.X, a.Work, "X is Work")
	if a.Turned && a.Box.Flat() {
		c.Fail("there are no systems along y, which is absent")
		return
	}
	if n := kernels.ModesEntries(a.Turn(a.Box.N)); a.Entries < n {
		c.Fail("the table has %d elements, not %d", a.Entries, n)
	}
	if a.Turned {
		s.Box.Turn()
	}
}

// leastFree is how many free nodes of a system a device has at least: as many as it finds numbers.
const leastFree = 6

// ModesCut checks the arguments of systems of which a device has some nodes.
func (c *Call) ModesCut(a kernels.ModesArgs, s kernels.Cut) (m ModesCut) {
	m.Modes = c.Modes(a)
	m.Modes.Rows, m.Modes.First = int64(s.Rows), int64(s.First)
	if !c.OK() {
		return m
	}
	n := a.Turn(a.Box.N)
	all := n
	all[kernels.Z] = s.Rows
	free := n[kernels.Z] - int(m.Modes.Low+m.Modes.High)
	switch {
	case s.N < 1 || s.Rank < 0 || s.Rank >= s.N:
		c.Fail("there is no device %d of %d", s.Rank, s.N)
	case s.First < 0 || s.First+n[kernels.Z] > s.Rows:
		c.Fail("of %d nodes there are none from %d to %d", s.Rows, s.First, s.First+n[kernels.Z])
	case free < leastFree:
		c.Fail("%d nodes of a system are too few to be cut", free)
	case a.Entries < kernels.ModesEntries(all):
		c.Fail("the table has %d elements, not %d", a.Entries, kernels.ModesEntries(all))
	}
	m.Count, m.Rank, m.Ranks, m.Low = int64(s.Entries(n[0]*n[1])), int64(s.Rank), int64(s.N), flag(s.Low)
	m.Least = s.Least
	m.Own = c.Elements(s.Own, c.Elem, int(m.Count), "Own")
	m.All = c.Elements(s.All, c.Elem, s.N*int(m.Count), "All")
	return m
}
