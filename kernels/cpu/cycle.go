package cpu

// #include "cpu.h"
import "C"

import (
	"unsafe"

	"convect/kernels"
)

// Descend makes the way down of a cycle on one level.
func (d *Device) Descend(a kernels.CycleArgs) {
	c := d.beginElliptic("Descend", a.Out, a.A)
	d.state.cycle = c.Descend(a)
	c.runCycle(C.cv_descend)
}

// Ascend makes the way up of a cycle on one level.
func (d *Device) Ascend(a kernels.CycleArgs) {
	c := d.beginElliptic("Ascend", a.Out, a.A)
	d.state.cycle = c.Ascend(a)
	if a.Measures {
		c.Fail("it has no sums")
	}
	c.runCycle(C.cv_ascend)
}

// residualRows is the largest number of rows of the residual that a tile keeps in cycle.h, rows_at_once + 1.
const residualRows = 17

// fewRows is the height of a tile below which the rows that neighbours both compute weigh more than what the second-level cache
// saves over the last one.
const fewRows = 16

// tileHeight returns how many rows of y a tile owns. A tile keeps three planes of each stage but the residual, of which it keeps
// a quarter, and reads some of F that are on their way. These are to fit into the second-level cache, or else into a thread's share of
// the last; `more` rows of it are its neighbours'.
func (c *job) tileHeight(stages, more, row int) int {
	rows := 3 * stages * row
	if height := c.d.l2/rows - more; height >= fewRows {
		return height
	}
	return max(c.d.llc/2/c.d.threads/rows-more, 16)
}

// runCycle cuts the level into tiles and runs them. A level that fills more than half of the last cache is streamed, since those above
// and below it pass through that cache in between.
func (c *job) runCycle(kernel C.int) {
	s := &c.d.state.cycle
	if !c.OK() {
		return
	}
	c.wide, c.rows, c.elliptic = true, allNodes, &s.A
	n, threads := c.Box.N, c.d.threads
	if c.Box.Nodes() < sharedElements {
		threads = 1
	}
	stages, more := int(s.Sweeps)+2, 2*(int(s.Sweeps)+3)
	row := (n[0] + 17) * c.Elem.Size()
	height := c.tileHeight(stages, more, row)
	strips := (n[1] + height - 1) / height
	height = (n[1]+strips-1)/strips + more
	slabs := min((threads+strips-1)/strips, max(n[2]/8, 1))
	if strips > 1 && threads > 1 {
		slabs = min(threads, max(n[2]/8, 1))
	}
	s.Strips, s.Slabs, s.Stream = int64(strips), int64(slabs), c.d.streams(2*c.Arrays*c.Box.Nodes()*c.Elem.Size())
	c.reserve(8*(sweepRowsUsed+residualRows)*(n[0]+64) + 3*stages*height*row + 4*height*(n[2]+more) + 4096)
	c.run(kernel, unsafe.Pointer(s), strips*slabs, c.Box.Nodes())
}
