package mueller

import (
	"unsafe"

	"convect/kernels"
	"convect/kernels/cpu"
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

// job is a call on its way.
type job struct {
	checked
	run    cpu.GuestCall
	device *cpu.Device
}

// begin starts a call whose element type is that of a buffer, nil: of no type yet.
func (d processor) begin(kernel string, first kernels.Buffer, wide bool) *job {
	run := d.BeginGuest(kernel, first, wide)
	return &job{checked{Call: &run.Call}, run, d.Device}
}

// launch runs a kernel on rows that hold so many elements together.
func (c *job) launch(kernel int, s *arguments, rows, elements int) {
	c.run.Run(table, kernel, unsafe.Pointer(s), unsafe.Sizeof(*s), rows, elements)
}

// groups returns the number of groups of columns of the call's panel.
func (c *job) groups() int { return c.Panel.Row / columnGroup * c.Panel.N[1] }

// runs returns the number of contiguous runs of the call's panel, that of the partials: in row order rows (j,k), in column order
// groups of columns.
func (c *job) runs() int {
	if c.Panel.Order == ColumnOrder {
		return c.groups()
	}
	return c.Panel.N[1] * c.Panel.N[2]
}

// streamColumns tells whether the fields of the call are so large that its output is better streamed to memory.
func (c *job) streamColumns() int64 { return c.run.Streams(c.Arrays * c.Panel.Len * c.Elem.Size()) }

// runRuns runs a kernel on the contiguous runs of the call's panel.
func (c *job) runRuns(kernel int, s *arguments) {
	if !c.OK() {
		return
	}
	p := &c.Panel
	s.Stream = c.streamColumns()
	s.Strip = int64(min(max(c.device.Cache()/2/(stripRows*p.Run*c.Elem.Size()), 4), p.N[1]))
	c.launch(kernel, s, c.runs(), p.Cells())
}

// runBatches runs a kernel on batches of columns whose eliminations fit into half of a core's cache.
func (c *job) runBatches(kernel int, s *arguments) {
	if !c.OK() {
		return
	}
	p := &c.Panel
	size, levels := c.Elem.Size(), (p.N[2]+15)/16*16
	cache := c.device.Cache() / 2
	if p.Order == ColumnOrder {
		cache = firstCache
	}
	width := cache / (2 * levels * size) / columnGroup * columnGroup
	width = min(max(width, columnGroup), maxBatch, p.Row)
	s.Width, s.Stream = int64(width), c.streamColumns()
	c.run.Reserve(6*8*(levels*width+48) + 5*8*(width+48))
	c.launch(kernel, s, (p.N[0]+width-1)/width*p.N[1], p.Cells())
}

// runOnto runs a transfer on the runs, or columns, of its target's panel.
func (c *job) runOnto(kernel int, s *arguments, target Panel) {
	n := target.N[1] * target.N[2]
	if target.Order == ColumnOrder {
		n = target.N[1] * target.N[0]
	}
	c.run.Reserve(2 * 8 * (c.Panel.Run + 64))
	c.launch(kernel, s, n, c.Panel.Cells())
}

// runMatrix runs a kernel on the rows of a matrix.
func (c *job) runMatrix(kernel int, s *arguments, m *Matrix) {
	if c.OK() {
		c.launch(kernel, s, m.Rows, m.Rows)
	}
}
