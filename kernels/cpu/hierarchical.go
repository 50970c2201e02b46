package cpu

// #include "cpu.h"
import "C"

import (
	"unsafe"

	"convect/kernels"
)

// HierarchicalSmooth makes Jacobi sweeps on blocks of rows.
func (d *Device) HierarchicalSmooth(a kernels.HierarchicalSmoothArgs) {
	c := d.begin("HierarchicalSmooth", a.Out)
	s := &d.state.smooth
	*s = C.cv_smooth_args{sweeps: C.int64_t(a.Sweeps), periodic: flags(a.Periodic)}
	s.sweep = C.cv_sweep_args{a: c.elliptic(a.A), out: c.nodes(a.Out, "Out"), u: c.maybeNodes(a.U, "U"), f: c.nodes(a.F, "F"),
		stream: c.stream()}
	switch {
	case !c.ok():
		return
	case a.U == a.Out:
		c.fail("Out is U")
	case a.Out == a.F:
		c.fail("Out is F")
	case a.Sweeps < 1 || a.Sweeps > kernels.MaxBlockSweeps:
		c.fail("%d sweeps: from 1 to %d", a.Sweeps, kernels.MaxBlockSweeps)
	case a.Tile[0] < 1 || a.Tile[1] < 1 || a.Margin < 0:
		c.fail("tiles of %d x %d rows with a margin of %d", a.Tile[0], a.Tile[1], a.Margin)
	}
	for i, w := range a.Omega {
		s.omega[i] = C.double(w)
	}
	margin := min(a.Margin, max(a.Sweeps-1, 0)) // further rows do not matter
	n, tiles, bytes := c.box.N, 1, 2*c.elem.Size()*(c.box.N[0]+48)
	for i, rows := range a.Tile {
		rows = min(max(rows, 1), n[i+1])
		s.tile[i] = C.int64_t(rows)
		tiles *= (n[i+1] + rows - 1) / rows
		bytes *= rows + 2*margin + 2
	}
	s.margin = C.int64_t(margin)
	c.reserve(8*sweepRowsUsed*(n[0]+64) + bytes + 64*c.elem.Size())
	c.run(C.cv_hierarchical_smooth, unsafe.Pointer(s), tiles, c.box.Nodes())
}
