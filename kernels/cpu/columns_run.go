package cpu

// #include "cpu.h"
import "C"

import (
	"unsafe"

	"convect/kernels"
)

const (
	// columnGroup is column_group of columns.h: the columns that share a partial sum.
	columnGroup = 16
	// stripRows is the number of rows, for each of a strip, that should stay in a core's cache: three levels of one field,
	// three arrays over columns, and three fields that pass by.
	stripRows = 9
	// maxBatch is the largest number of columns in a batch.
	maxBatch = 256
	// firstCache is the number of bytes that an elimination may take of a core's first cache.
	firstCache = 32 << 10
)

// groups returns the number of groups of columns of the call's panel.
func (c *job) groups() int { return c.Panel.Row / columnGroup * c.Panel.N[1] }

// runs returns the number of contiguous runs of the call's panel, that of the partials: in row order rows (j,k), in column order
// groups of columns.
func (c *job) runs() int {
	if c.Panel.Order == kernels.ColumnOrder {
		return c.groups()
	}
	return c.Panel.N[1] * c.Panel.N[2]
}

// streamColumns tells whether the fields of the call are so large that its output is better streamed to memory.
func (c *job) streamColumns() int64 { return c.d.streams(c.Arrays * c.Panel.Len * c.Elem.Size()) }

// runRuns runs a kernel on the contiguous runs of the call's panel.
func (c *job) runRuns(kernel C.int) {
	if !c.OK() {
		return
	}
	s, p := &c.d.state.column, &c.Panel
	s.Stream = c.streamColumns()
	s.Strip = int64(min(max(c.d.l2/2/(stripRows*p.Run*c.Elem.Size()), 4), p.N[1]))
	c.run(kernel, unsafe.Pointer(s), c.runs(), p.Cells())
}

// runBatches runs a kernel on batches of columns whose eliminations fit into half of a core's cache.
func (c *job) runBatches(kernel C.int) {
	if !c.OK() {
		return
	}
	s, p := &c.d.state.column, &c.Panel
	size, levels := c.Elem.Size(), (p.N[2]+15)/16*16
	cache := c.d.l2 / 2
	if p.Order == kernels.ColumnOrder {
		cache = firstCache
	}
	width := cache / (2 * levels * size) / columnGroup * columnGroup
	width = min(max(width, columnGroup), maxBatch, p.Row)
	s.Width, s.Stream = int64(width), c.streamColumns()
	c.reserve(6*8*(levels*width+48) + 5*8*(width+48))
	c.run(kernel, unsafe.Pointer(s), (p.N[0]+width-1)/width*p.N[1], p.Cells())
}

// runOnto runs a transfer on the runs, or columns, of its target's panel.
func (c *job) runOnto(kernel C.int, target kernels.Panel) {
	n := target.N[1] * target.N[2]
	if target.Order == kernels.ColumnOrder {
		n = target.N[1] * target.N[0]
	}
	c.reserve(2 * 8 * (c.Panel.Run + 64))
	c.run(kernel, unsafe.Pointer(&c.d.state.column), n, c.Panel.Cells())
}

// runMatrix runs a kernel on the rows of a matrix.
func (c *job) runMatrix(kernel C.int, m *kernels.Matrix) {
	if c.OK() {
		c.run(kernel, unsafe.Pointer(&c.d.state.column), m.Rows, m.Rows)
	}
}
