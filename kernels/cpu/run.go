package cpu

// #cgo noescape cv_run
// #cgo nocallback cv_run
// #include "cpu.h"
import "C"

import (
	"unsafe"

	"convect/kernels"
)

// smallest number of elements that is worth sharing out over threads.
const sharedElements = 1 << 14

// run runs a kernel on rows 0..rows-1, which hold so many elements together.
func (c *job) run(kernel C.int, args unsafe.Pointer, rows, elements int) {
	if !c.acts() {
		c.note()
		return
	}
	parts := c.d.threads
	if elements < sharedElements {
		parts = 1
	}
	table := c.d.tables[c.Elem]
	if c.wide {
		table = c.d.wide[c.Elem]
	}
	C.cv_run(c.d.pool, table, kernel, args, C.int64_t(rows), C.int(parts))
}

// runRows runs a kernel on the rows (j,k) of the call's box.
func (c *job) runRows(kernel C.int, args unsafe.Pointer) {
	c.run(kernel, args, c.Rows(), c.Box.Nodes())
}

// extent is what a kernel is shared out over: lines of so many elements, and how many elements they hold together. Line n is one of row n mod rows of y; where
// rows is 0 all are of one row.
type extent struct{ lines, line, elements, rows int }

// overRows are the rows (j,k) of the call's box.
func (c *job) overRows() extent { return extent{c.Rows(), c.Box.N[0], c.Box.Nodes(), c.Box.N[1]} }

// overCells are the rows of so many cells along the axes. A row counts as one of nodes.
func overCells(n [3]int64) extent {
	rows := int(n[1] * n[2])
	return extent{rows, int(n[0]) + 1, int(n[0]) * rows, int(n[1])}
}

// overLines are the lines of a side: along x, or along z where x is normal to it.
func (c *job) overLines(side kernels.Side) extent {
	n, most := c.Box.N, max(c.Box.N[0], c.Box.N[2])
	switch side.Axis() {
	case kernels.X:
		return extent{n[1], most, n[1] * n[2], n[1]}
	case kernels.Y:
		return extent{n[2], most, n[0] * n[2], 0}
	}
	return extent{n[1], most, n[0] * n[1], n[1]}
}

// runLines runs a kernel on all lines.
func (c *job) runLines(kernel C.int, args unsafe.Pointer, over extent) {
	c.run(kernel, args, over.lines, over.elements)
}

// reserveLines gives every thread scratch memory for n lines of so many elements.
func (c *job) reserveLines(n, line int) { c.reserve(n * 8 * (line + 64)) }

// reserveRows gives every thread scratch memory for n rows of the call's box.
func (c *job) reserveRows(n int) { c.reserveLines(n, c.Box.N[0]) }

// reserve gives every thread so many bytes of scratch memory.
func (c *job) reserve(bytes int) {
	if c.acts() && !c.d.grow(bytes) {
		c.Fail("cannot allocate %d bytes of scratch memory", bytes)
	}
}

// grow gives every thread at least so many bytes of scratch memory, and tells whether there is so much.
func (d *Device) grow(bytes int) bool {
	if bytes > d.scratch {
		if C.cv_pool_reserve(d.pool, C.int64_t(bytes)) == 0 {
			return false
		}
		d.scratch = bytes
	}
	return true
}

// stream tells whether the arrays of the call are so large that its output is better streamed to memory.
func (c *job) stream() int64 { return c.d.streams(c.Arrays * c.Box.Nodes() * c.Elem.Size()) }

// streams tells the same for so many bytes: 1 or 0.
func (d *Device) streams(bytes int) int64 {
	if bytes > d.llc {
		return 1
	}
	return 0
}

// strip returns how many rows of y, of so many arrays, fit in half of a cache of so many bytes.
func (c *job) strip(arrays, cache int) int64 {
	bytes := arrays * (c.Box.N[0] + 2*kernels.HaloWidth) * c.Elem.Size()
	return int64(min(max(cache/2/bytes, 8), max(c.Box.N[1], 1)))
}

// sweepStrip returns how many rows of y a sweep visits before it goes on to the next plane. What it reads three times, once for each of
// three planes, then comes from the second-level cache if that holds three planes well; planes of which it would hold some and lose the
// others are worse than planes that all come from the last level (docs/notebook.md), so those go whole as far as a thread's
// share of that holds them.
func (c *job) sweepStrip() int64 {
	const planes = 3
	row, rows := (c.Box.N[0]+2*kernels.HaloWidth)*c.Elem.Size(), max(c.Box.N[1], 1)
	whole := c.strip(planes+1, c.d.llc/c.d.threads)
	if 2*planes*row*rows > 3*c.d.l2 {
		return whole
	}
	most := int(c.strip(planes, c.d.l2))
	strips := (rows + most - 1) / most
	return int64((rows + strips - 1) / strips)
}
