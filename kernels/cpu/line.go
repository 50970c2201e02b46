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
	c := d.beginElliptic("LineSmooth", a.Out, a.A)
	l := &d.state.line
	*l = c.LineSmooth(a)
	if a.Out != a.F {
		l.Sweep.Stream = c.stream()
	}
	arrays := 3
	if a.Periodic {
		arrays = 4
	}
	cache := lineCache
	if c.Box.N[1] == 1 {
		cache = lineCacheFlat
	}
	nz, size := max(c.Box.N[2], 1), c.Elem.Size()
	tile := min(max(cache/(arrays*nz*size)/16*16, 16), c.Box.N[0])
	l.Tile = int64(tile)
	c.reserve((sweepRowsUsed+lineRowsUsed)*8*(tile+64) + arrays*nz*(tile+16)*size)
	tiles := (c.Box.N[0] + max(tile, 1) - 1) / max(tile, 1)
	c.run(C.cv_line_smooth, unsafe.Pointer(l), tiles*c.Box.N[1], c.Box.Nodes())
}
