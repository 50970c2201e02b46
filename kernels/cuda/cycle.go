package cuda

import (
	"unsafe"

	"convect/kernels"
	"convect/kernels/call"
)

// Descend makes the way down of a cycle on one level: in one pass where the grid is even, else sweep by sweep.
func (d *Device) Descend(a kernels.CycleArgs) {
	c := d.begin("Descend", a.Out)
	s := c.Descend(a)
	if d.evenCycle(&c, "descend", a, &s) || d.trilinearPass(&c, true, a, &s) {
		return
	}
	if p, ok := d.facesPasses(&c, a, &s); ok {
		p.descend()
		return
	}
	l := d.level(&c, &s, a)
	u := l.smooth(s.U, l.periodic)
	l.restrict(u)
	if u != s.Out {
		l.copy(u, s.Out, 0)
	}
}

// Ascend makes the way up of a cycle on one level, likewise.
func (d *Device) Ascend(a kernels.CycleArgs) {
	c := d.begin("Ascend", a.Out)
	s := c.Ascend(a)
	if measured := d.ascend(&c, a, &s); a.Measures && !measured && c.OK() {
		d.Reduce(kernels.ReduceArgs{Kind: kernels.Dot, Box: a.A.Box, X: a.F, Y: a.Out, Slot: a.Slot})
	}
}

// MeasuresCycles implements [kernels.CycleMeasurer].
func (d *Device) MeasuresCycles() bool { return true }

// ascend makes the way up and tells whether it has measured where it should.
func (d *Device) ascend(c *call.Call, a kernels.CycleArgs, s *call.Cycle) (measured bool) {
	if d.ascendEven(c, a, s) {
		return false
	}
	if p, ok := d.facesPasses(c, a, s); ok {
		return p.ascend(a)
	}
	l := d.level(c, s, a)
	if u := l.correct(); a.Sweeps > 0 {
		l.smooth(u, false)
	}
	return false
}

// pairOfSweeps is how many sweeps the passes over grids of even widths make at once.
const pairOfSweeps = 2

// ascendEven makes the way up on a grid of even widths, the correction and a pair of sweeps in one pass and any others one by one, and tells whether it can.
func (d *Device) ascendEven(c *call.Call, a kernels.CycleArgs, s *call.Cycle) bool {
	bytes := c.Box.Len * c.Elem.Size() // of another array for single sweeps
	if a.Sweeps <= pairOfSweeps {
		made := d.evenCycle(c, "ascend", a, s) || d.trilinearPass(c, false, a, s)
		if made && a.Periodic == [3]bool{} { // longer cycles may come later, and what a run needs is foreseen from its first steps
			d.reserve(c, &d.scratch, bytes)
		}
		return made
	}
	first, pass := a, *s
	first.Sweeps = pairOfSweeps
	if a.Periodic != [3]bool{} || a.A.Conductivity() != kernels.Constant || evenPassOf(&first, &call.Even{}) != "" {
		d.because(c, manySweeps)
		return false
	}
	spare := d.reserve(c, &d.scratch, bytes) + uintptr(c.Box.Origin*c.Elem.Size())
	u, other := s.Out, spare
	if a.Sweeps%2 != 0 { // so that the last one ends in Out
		u, other = other, u
	}
	pass.Out = u
	if !d.evenCycle(c, "ascend", first, &pass) && !d.trilinearPass(c, false, first, &pass) {
		return false
	}
	l := cycleLevel{d: d, c: c, args: s, operator: a.A}
	for _, omega := range s.Omega[pairOfSweeps:a.Sweeps] {
		l.sweep("smooth", call.Sweep{A: s.A, F: s.F, U: u, Out: other, Omega: omega})
		u, other = other, u
	}
	return true
}

// cycleLevel is a level of a cycle on its way, with scratch arrays that have a halo. Those of the caller have none where an axis is
// periodic; beyond walls what is there does not matter.
type cycleLevel struct {
	d        *Device
	c        *call.Call
	args     *call.Cycle
	operator *kernels.Elliptic
	periodic bool // along any axis
	scratch  [2]uintptr
}

func (d *Device) level(c *call.Call, s *call.Cycle, a kernels.CycleArgs) cycleLevel {
	size := c.Elem.Size()
	p := d.reserve(c, &d.scratch, 2*c.Box.Len*size) + uintptr(c.Box.Origin*size)
	return cycleLevel{d, c, s, a.A, a.Periodic != [3]bool{}, [2]uintptr{p, p + uintptr(c.Box.Len*size)}}
}

// other returns a scratch array that is not p.
func (l *cycleLevel) other(p uintptr) uintptr {
	if p == l.scratch[0] {
		return l.scratch[1]
	}
	return l.scratch[0]
}

// readable returns an array whose halo is filled: p itself, or else a copy in the second scratch array.
func (l *cycleLevel) readable(p uintptr) uintptr {
	switch {
	case p == 0:
	case p == l.scratch[0] || p == l.scratch[1]:
		l.fillRim(p)
	case l.periodic:
		l.copy(p, l.scratch[1], 1)
		return l.scratch[1]
	}
	return p
}

// smooth makes all sweeps from an array, 0: zero, and returns where it left the result: in Out, or in scratch if so told.
func (l *cycleLevel) smooth(u uintptr, keep bool) uintptr {
	s := call.Sweep{A: l.args.A, F: l.args.F}
	for n := range int(l.args.Sweeps) {
		s.U, s.Omega = l.readable(u), l.args.Omega[n]
		s.Out = l.other(s.U)
		if !keep && n == int(l.args.Sweeps)-1 {
			s.Out = l.args.Out
		}
		l.sweep("smooth", s)
		u = s.Out
	}
	return u
}

// sweep makes a sweep or a residual.
func (l *cycleLevel) sweep(kernel string, s call.Sweep) {
	if !l.d.evenSweep(l.c, kernel, l.operator, &s) {
		l.d.sweep(l.c, kernel, &s)
	}
}

// restrict computes the residual of an array and restricts it.
func (l *cycleLevel) restrict(u uintptr) {
	s := l.args
	r := l.other(u)
	l.sweep("residual", call.Sweep{A: s.A, Out: r, U: l.readable(u), F: s.F})
	t := call.Transfer{Fine: s.A.Box, Coarse: s.Coarse, Factor: s.Factor, FineX: r, CoarseX: s.CoarseX, Mask: s.CoarseMask,
		Periodic: s.Periodic}
	n := s.Coarse.N
	l.d.launch(l.c, "restrict_wrapped", overPoints([3]int{int(n[0]), int(n[1]), int(n[2])}), unsafe.Pointer(&t), unsafe.Sizeof(t))
}

// correct adds the coarse correction to the first guess and returns where it left the sum: in Out where no sweeps follow.
func (l *cycleLevel) correct() uintptr {
	s := *l.args
	if s.Sweeps > 0 {
		s.Out = l.scratch[0]
	}
	l.d.launch(l.c, "correct_wrapped", overSlabs(l.c.Box), unsafe.Pointer(&s), unsafe.Sizeof(s))
	return s.Out
}

// fillRim fills the layer around the nodes of a scratch array.
func (l *cycleLevel) fillRim(p uintptr) {
	t := call.Transfer{Fine: l.args.A.Box, FineX: p, Periodic: l.args.Periodic}
	n := l.c.Box.N
	high, round := n[1], 2*n[1]
	if t.Fine.Sy != 0 {
		high, round = n[1]+2, round+2*(n[0]+2)
	}
	l.d.launch(l.c, "wrap_rim", overElements(2*(n[0]+2)*high+n[2]*round), unsafe.Pointer(&t), unsafe.Sizeof(t))
}

// copy copies the nodes of an array of the fine box and so many layers around them, none or one.
func (l *cycleLevel) copy(from, to uintptr, layers int) {
	t := call.Transfer{Fine: l.args.A.Box, FineX: from, CoarseX: to, Periodic: l.args.Periodic}
	n := l.c.Box.N
	for axis := range n {
		if axis != kernels.Y || t.Fine.Sy != 0 {
			t.Factor[axis] = int64(layers)
			n[axis] += 2 * layers
		}
	}
	l.d.launch(l.c, "copy_wrapped", overPoints(n), unsafe.Pointer(&t), unsafe.Sizeof(t))
}
