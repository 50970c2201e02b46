package cpu

// #include "cpu.h"
import "C"

import (
	"unsafe"

	"convect/kernels"
)

// HierarchicalSmooth makes Jacobi sweeps on blocks of rows.
func (d *Device) HierarchicalSmooth(a kernels.HierarchicalSmoothArgs) {
	c := d.beginElliptic("HierarchicalSmooth", a.Out, a.A)
	s := &d.state.smooth
	*s = c.HierarchicalSmooth(a)
	if !c.OK() {
		return
	}
	s.Sweep.Stream = c.stream()
	n, tiles, bytes := c.Box.N, 1, 2*c.Elem.Size()*(c.Box.N[0]+48)
	for i := range s.Tile {
		rows := int(s.Tile[i])
		tiles *= (n[i+1] + rows - 1) / rows
		bytes *= rows + 2*int(s.Margin) + 2
	}
	c.reserve(8*sweepRowsUsed*(n[0]+64) + bytes + 64*c.Elem.Size())
	c.run(C.cv_hierarchical_smooth, unsafe.Pointer(s), tiles, c.Box.Nodes())
}
