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
	l := d.level(&c, &s, a)
	u := l.smooth(s.U, l.periodic)
	r := l.other(u)
	l.sweep("residual", call.Sweep{A: s.A, Out: r, U: l.readable(u), F: s.F})
	if u != s.Out {
		l.copy("copy_nodes", u, s.Out)
	}
	t := call.Transfer{Fine: s.A.Box, Coarse: s.Coarse, Factor: s.Factor, FineX: r, CoarseX: s.CoarseX, Mask: s.CoarseMask,
		Periodic: s.Periodic}
	d.launch(&c, "restrict_wrapped", overPoints(a.Coarse.N), unsafe.Pointer(&t), unsafe.Sizeof(t))
}

// Ascend makes the way up of a cycle on one level, likewise.
func (d *Device) Ascend(a kernels.CycleArgs) {
	c := d.begin("Ascend", a.Out)
	s := c.Ascend(a)
	if d.evenCycle(&c, "ascend", a, &s) || d.trilinearPass(&c, false, a, &s) {
		return
	}
	l := d.level(&c, &s, a)
	corrected := s
	if a.Sweeps > 0 {
		corrected.Out = l.scratch[0]
	}
	d.launch(&c, "correct_wrapped", overSlabs(c.Box), unsafe.Pointer(&corrected), unsafe.Sizeof(corrected))
	if a.Sweeps > 0 {
		l.smooth(corrected.Out, false)
	}
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
		l.copy("copy_wrapped", p, l.scratch[1])
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

// copy runs one of the copies of cycle.cu on arrays of the fine box.
func (l *cycleLevel) copy(kernel string, from, to uintptr) {
	t := call.Transfer{Fine: l.args.A.Box, FineX: from, CoarseX: to, Periodic: l.args.Periodic}
	n := l.c.Box.N
	for axis := range n {
		if axis != kernels.Y || t.Fine.Sy != 0 {
			n[axis] += 2
		}
	}
	l.d.launch(l.c, kernel, overPoints(n), unsafe.Pointer(&t), unsafe.Sizeof(t))
}
