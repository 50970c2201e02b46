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
	if d.evenPass(&c, "descend", a, &s) || d.trilinearPass(&c, true, a, &s) {
		return
	}
	l := d.level(&c, &s, a)
	l.smooth(s.U)
	l.copy("copy_wrapped", s.Out, l.wrapped)
	r := call.Sweep{A: s.A, Out: l.bare, U: l.wrapped, F: s.F}
	d.sweep(&c, "residual", &r)
	l.copy("copy_wrapped", l.bare, l.wrapped)
	t := call.Transfer{Fine: s.A.Box, Coarse: s.Coarse, Factor: s.Factor, FineX: l.wrapped, CoarseX: s.CoarseX,
		Mask: s.CoarseMask}
	d.launch(&c, "restrict", overPoints(a.Coarse.N), unsafe.Pointer(&t), unsafe.Sizeof(t))
}

// Ascend makes the way up of a cycle on one level, likewise.
func (d *Device) Ascend(a kernels.CycleArgs) {
	c := d.begin("Ascend", a.Out)
	s := c.Ascend(a)
	if d.evenPass(&c, "ascend", a, &s) || d.trilinearPass(&c, false, a, &s) {
		return
	}
	l := d.level(&c, &s, a)
	first := l.bare
	if a.Sweeps == 0 {
		first = s.Out
	}
	l.copy("copy_nodes", s.U, first)
	l.copyOf(s.Coarse, a.Coarse.N, "copy_wrapped", s.CoarseX, l.coarse)
	t := call.Transfer{Fine: s.A.Box, Coarse: s.Coarse, Factor: s.Factor, FineX: first, CoarseX: l.coarse, Mask: s.A.Mask}
	d.transfer(&c, "prolong", &t)
	if a.Sweeps > 0 {
		l.smooth(first)
	}
}

// cycleLevel is a level of a cycle on its way, with scratch arrays: two of the fine box, one of the coarse, all with a
// halo.
type cycleLevel struct {
	d                     *Device
	c                     *call.Call
	args                  *call.Cycle
	bare, wrapped, coarse uintptr // the halo of the first does not matter
}

func (d *Device) level(c *call.Call, s *call.Cycle, a kernels.CycleArgs) cycleLevel {
	size := c.Elem.Size()
	p := d.reserve(c, &d.scratch, (2*c.Box.Len+a.Coarse.Len)*size)
	node := func(before int, box kernels.Box) uintptr { return p + uintptr((before+box.Origin)*size) }
	return cycleLevel{d, c, s, node(0, c.Box), node(c.Box.Len, c.Box), node(2*c.Box.Len, a.Coarse)}
}

// smooth makes all sweeps from an array, 0: zero, which may be the bare one, to Out.
func (l *cycleLevel) smooth(u uintptr) {
	s := call.Sweep{A: l.args.A, F: l.args.F}
	for n := range int(l.args.Sweeps) {
		if u != 0 {
			l.copy("copy_wrapped", u, l.wrapped)
			s.U = l.wrapped
		}
		s.Omega, s.Out = l.args.Omega[n], l.bare
		if n == int(l.args.Sweeps)-1 {
			s.Out = l.args.Out
		}
		l.d.sweep(l.c, "smooth", &s)
		u = s.Out
	}
}

// copy copies an array of the fine box.
func (l *cycleLevel) copy(kernel string, from, to uintptr) {
	l.copyOf(l.args.A.Box, l.c.Box.N, kernel, from, to)
}

// copyOf runs one of the kernels of cycle.cu on a box of n nodes.
func (l *cycleLevel) copyOf(box call.Box, n [3]int, kernel string, from, to uintptr) {
	t := call.Transfer{Fine: box, FineX: from, CoarseX: to, Periodic: l.args.Periodic}
	for axis := range n {
		if axis != kernels.Y || box.Sy != 0 {
			n[axis] += 2
		}
	}
	l.d.launch(l.c, kernel, overPoints(n), unsafe.Pointer(&t), unsafe.Sizeof(t))
}
