package cuda

import (
	"math"
	"unsafe"

	"convect/kernels"
	"convect/kernels/call"
)

// axisEnds is what lies at the two ends of an axis.
type axisEnds struct {
	nodes    int
	fixed    [2]bool
	periodic bool
}

// spectralTable is a table of spectral.cu, or of spectral_folded.cu.
type spectralTable struct {
	ends   axisEnds
	elem   kernels.Elem
	folded bool
}

// SolvesDirectly tells whether SolveCoarse solves a problem at the cost of a few sweeps: where the operator has constant K, even widths and
// whole sides fixed, on a grid that is not too large.
func (d *Device) SolvesDirectly(a *kernels.Elliptic) bool {
	_, why := d.spectralEnds(a)
	return why == ""
}

// spectralEnds returns the axes of an operator that fast diagonalization solves, or why it cannot.
func (d *Device) spectralEnds(a *kernels.Elliptic) (ends [3]axisEnds, why string) {
	fixed, whole := a.Mask.Sides()
	why = notEven(a, 2)
	switch {
	case a.Conductivity() != kernels.Constant:
		return ends, call.OnCells
	case a.Mass != nil:
		return ends, call.MassOfNodes
	case why != "":
		return ends, why
	case !whole:
		return ends, notWholeSides
	}
	for axis, n := range a.Box.N {
		e := axisEnds{n, [2]bool{fixed[2*axis], fixed[2*axis+1]}, a.Shape.Periodic[axis]}
		if e.periodic && e.fixed != [2]bool{} {
			return ends, "fixed nodes at a periodic end"
		}
		ends[axis] = e
	}
	elem := a.H[0].Elem()
	if d.folds(ends, elem) {
		return ends, ""
	}
	cut := d.spectralCut(a.Box.N)
	switch {
	case max(a.Box.N[0], a.Box.N[1], a.Box.N[2]) > spectralMost: // up to there it takes no longer than the levels that it replaces
		return ends, "too many nodes along an axis"
	case max(cut.forth, cut.along, cut.back)*elem.Size() > d.info.SharedBytes():
		return ends, noSharedRoom
	}
	return ends, ""
}

// padded is the length of a row of n in shared memory.
func padded(n int) int { return over(n, 4) * 4 }

// spectralCut is how the work is cut: the vectors along x of a block of spectral_forth and of one of spectral_along, the rows of one of spectral_back; and how many
// values each has in shared memory.
type spectralCut struct {
	part               [2]int
	rows               int
	forth, along, back int
}

// spectralCut cuts planes into parts, so that each multiprocessor has a block, at least two parts and no more than six: in more each would load what all
// of them need, for few results.
func (d *Device) spectralCut(n [3]int) spectralCut {
	parts := func(planes int) int { return min(max(2, d.info.Multiprocessors/planes), 6) }
	x, y, z := padded(n[0]), padded(n[1]), padded(n[2])
	beyond := func(n int) int { return n + spectralBeyond }
	c := spectralCut{part: [2]int{padded(over(n[0], parts(n[2]))), padded(over(n[0], parts(n[1])))}, rows: over(n[1], parts(n[2]))}
	c.forth = beyond(n[1])*(x+y) + (x+y)*c.part[0]
	c.along = 2*z*c.part[1] + 2*beyond(n[2])*z
	c.back = (x+y)*x + beyond(c.rows)*(x+y)
	return c
}

// solveSpectral solves by fast diagonalization and returns true, or returns false where it cannot.
func (d *Device) solveSpectral(c *call.Call, a kernels.SolveCoarseArgs, s *call.Coarse) bool {
	if !c.OK() {
		return false
	}
	ends, why := d.spectralEnds(a.A)
	if why != "" {
		d.because(c, why)
		return false
	}
	n := c.Box.N
	e := call.Spectral{Box: s.A.Box, Points: s.A.Points, U: s.U, F: s.F, Mass: a.A.MassScale, Volume: 1}
	for axis := range ends {
		h := a.A.Shape.Width[axis]
		e.C[axis] = a.A.K[axis] / (h * h)
		e.Volume *= h
		e.Periodic[axis] = s.Periodic[axis]
	}
	if a.Singular { // over the volume of the grid in inner nodes
		e.Mean = 1
		for axis, end := range ends {
			intervals := n[axis] - 1
			if end.periodic {
				intervals++
			}
			e.Mean /= float64(intervals)
		}
	}
	if d.folds(ends, c.Elem) {
		d.solveFolded(c, ends, &e)
		return true
	}
	for axis := range ends {
		e.Table[axis] = d.spectralTable(c, spectralTable{ends[axis], c.Elem, false})
	}
	cut := d.spectralCut(n)
	e.Part, e.Rows = [2]int64{int64(cut.part[0]), int64(cut.part[1])}, int64(cut.rows)
	e.Scratch = d.reserve(c, &d.scratch, (padded(n[0])*n[1]*n[2]+1)*c.Elem.Size())
	launch := func(kernel string, parts, planes, shared int) {
		d.launch(c, kernel, geometry{grid: [3]int{parts, planes, 1}, block: [3]int{spectralThreads, 1, 1}, shared: shared * c.Elem.Size()},
			unsafe.Pointer(&e), unsafe.Sizeof(e))
	}
	launch("spectral_forth", over(n[0], cut.part[0]), n[2], cut.forth)
	launch("spectral_along", over(n[0], cut.part[1]), n[1], cut.along)
	launch("spectral_back", over(n[1], cut.rows), n[2], cut.back)
	return true
}

// spectralTable returns the address of a table, which it makes when it is first asked for.
func (d *Device) spectralTable(c *call.Call, t spectralTable) uintptr {
	if b := d.tables[t]; b != nil {
		return b.address
	}
	if d.recording {
		d.grew = true
		return 0
	}
	var v []float64
	if t.folded {
		v = t.ends.foldedTable()
	} else {
		v = t.ends.table()
	}
	b, err := d.Alloc(t.elem, len(v))
	if err != nil {
		c.Fail("%w", err)
		return 0
	}
	d.Upload(b, v)
	if d.tables == nil {
		d.tables = map[spectralTable]*Buffer{}
	}
	d.tables[t] = b.(*Buffer)
	return b.(*Buffer).address
}

// table returns the vectors of an axis, their transpose, eigenvalues and norms, as spectral.cu has them: in rows of `padded` numbers, and as many rows.
func (e axisEnds) table() []float64 {
	n := e.nodes
	wide := padded(n)
	matrix := wide * wide
	t := make([]float64, 2*matrix+2*wide)
	forth, back, kappa, norm := t[:matrix], t[matrix:2*matrix], t[2*matrix:2*matrix+wide], t[2*matrix+wide:]
	for m := range n {
		part, whole := e.angle(m)
		s := math.Sin(math.Pi * float64(part) / float64(2*whole))
		kappa[m] = 4 * s * s
		square := 0.0
		for i := range n {
			v := e.value(m, i)
			forth[i*wide+m], back[m*wide+i] = v, v
			if !e.periodic && (i == 0 || i == n-1) {
				v *= math.Sqrt(0.5)
			}
			square += v * v
		}
		if square > 0.25 && !(e.fixed[0] != e.fixed[1] && m == n-1) {
			norm[m] = 1 / square
		}
	}
	return t
}

// angle returns the angle of vector m, over π, as a fraction.
func (e axisEnds) angle(m int) (part, whole int) {
	switch {
	case e.periodic:
		return 2 * ((m + 1) / 2), e.nodes
	case e.fixed[0] == e.fixed[1]:
		return m, e.nodes - 1
	}
	return 2*m + 1, 2 * (e.nodes - 1)
}

// value returns node i of vector m: a sine where the low end is fixed, and for every other vector of a period, else a cosine.
func (e axisEnds) value(m, i int) float64 {
	part, whole := e.angle(m)
	turn := part * i % (2 * whole)
	if e.fixed[0] || e.periodic && m%2 == 0 && m > 0 {
		if turn%whole == 0 {
			return 0
		}
		return math.Sin(math.Pi * float64(turn) / float64(whole))
	}
	if 2*turn == whole || 2*turn == 3*whole {
		return 0
	}
	return math.Cos(math.Pi * float64(turn) / float64(whole))
}
