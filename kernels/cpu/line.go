package cpu

// #include "cpu.h"
import "C"

import (
	"unsafe"

	"convect/kernels"
)

const (
	// lineRowsUsed is the number of scratch rows of line_scratch in line.h besides those of the sweep.
	lineRowsUsed = 12
	// lineCache is the part of a last-level cache, in bytes, that the columns of a tile take, and lineCacheFlat the
	// same where there is one row of columns to share out. They are the same on every machine, because the bits
	// of a row depend on where its tiles begin. Long rows matter more than the second-level cache: planes are read in
	// pieces as long as a row of the tile.
	lineCache     = 2 << 20
	lineCacheFlat = 128 << 10
)

// LineSmooth makes one damped sweep of vertical lines.
func (d *Device) LineSmooth(a kernels.LineSmoothArgs) {
	c := d.begin("LineSmooth", a.Out)
	l := &d.state.line
	*l = C.cv_line_args{periodic: flag(a.Periodic)}
	l.sweep = C.cv_sweep_args{a: c.elliptic(a.A), out: c.nodes(a.Out, "Out"), u: c.maybeNodes(a.U, "U"), f: c.nodes(a.F, "F"),
		omega: C.double(a.Omega), stream: flag(a.Out != a.F) & c.stream()}
	if c.ok() && a.U == a.Out {
		c.fail("Out is U")
	}
	arrays := 3
	if a.Periodic {
		arrays = 4
		if c.box.N[kernels.Z] < 2 {
			c.fail("one node along z cannot be periodic")
		}
	}
	cache := lineCache
	if c.box.N[1] == 1 {
		cache = lineCacheFlat
	}
	nz, size := max(c.box.N[2], 1), c.elem.Size()
	tile := min(max(cache/(arrays*nz*size)/16*16, 16), c.box.N[0])
	l.tile = C.int64_t(tile)
	c.reserve((sweepRowsUsed+lineRowsUsed)*8*(tile+64) + arrays*nz*(tile+16)*size)
	tiles := (c.box.N[0] + max(tile, 1) - 1) / max(tile, 1)
	c.run(C.cv_line_smooth, unsafe.Pointer(l), tiles*c.box.N[1], c.box.Nodes())
}
