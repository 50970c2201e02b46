package mueller

import (
	"unsafe"

	"convect/kernels"
	"convect/kernels/cuda"
)

// gpu runs the kernels on a GPU.
type gpu struct {
	*cuda.Device
	iterates iterates // of conjugate gradients
}

// guestCall is a call on its way.
type guestCall struct {
	checked
	run *cuda.GuestCall
}

// begin starts a call whose element type is that of a buffer, nil: of no type yet.
func (d *gpu) begin(kernel string, first kernels.Buffer) *guestCall {
	run := d.BeginGuest(kernel, first)
	return &guestCall{checked{Call: &run.Call}, run}
}

// geometry is how the threads of a launch are laid out.
type geometry struct {
	grid, block [3]int
	shared      int // bytes of dynamic shared memory a block
}

// blocks returns the number of blocks of a launch.
func (g geometry) blocks() int { return g.grid[0] * g.grid[1] * g.grid[2] }

// over returns the number of blocks that cover n.
func over(n, block int) int { return (n + block - 1) / block }

// overElements gives every element of a buffer a thread.
func overElements(n int) geometry {
	return geometry{grid: [3]int{over(max(n, 1), elementThreads), 1, 1}, block: [3]int{elementThreads, 1, 1}}
}

// launch runs a kernel.
func (c *guestCall) launch(kernel string, g geometry, l *launchArgs) {
	c.run.Launch(kernel, g.grid, g.block, g.shared, unsafe.Pointer(l), unsafe.Sizeof(*l))
}

// launchArgs is mueller_launch of columns.cuh.
type launchArgs struct {
	arguments
	Slot, Scalars, Given uintptr
}

// Shapes of launches on columns, as columns_stencil.cu and columns_solve.cu have them.
const (
	stencilThreads = 256
	stencilBlocks  = 4 // of a multiprocessor
	sumThreads     = 1024
	leastPlanes    = 2 // of a slab, and those of kernels that update fields, which ask for the planes of the next slab
	segmentLevels  = 16
	mostSegments   = 8
	longThreads    = 128
	laneBytes      = 16
	warp           = 32
	elementThreads = 256
	dotBlocks      = 1056 // 8 for every multiprocessor of a large GPU, which sums do not depend on
)

// ofOrder names the kernel of an order.
func ofOrder(kernel string, o Order) string {
	if o == RowOrder {
		return kernel + "_rows"
	}
	return kernel + "_columns"
}

// launchColumns runs a kernel that has so many sums, the first in slot.
func (d *gpu) launchColumns(c *guestCall, kernel string, g geometry, a arguments, slot, sums int) {
	l := launchArgs{arguments: a, Slot: d.SlotAddress(slot), Scalars: d.iterates.scalars, Given: d.iterates.given}
	if sums > 0 {
		l.Partial = c.run.Partials(sums * g.blocks())
	}
	c.launch(kernel, g, &l)
	if sums > 0 {
		l.Length, l.Width = int64(g.blocks()), int64(sums)
		c.launch("column_sums", geometry{grid: [3]int{1, 1, 1}, block: [3]int{sumThreads, 1, 1}}, &l)
	}
}

// stencil runs a kernel of columns_stencil.cu: a thread a vector, in slabs of Width planes, as many as run at a time, or short ones where
// fields are updated.
func (d *gpu) stencil(c *guestCall, kernel string, a arguments, slot, sums int) {
	if !c.OK() {
		return
	}
	p := &c.Panel
	runs, planes := p.N[0], p.N[1]
	if p.Order == RowOrder {
		runs, planes = p.N[1], p.N[2]
	}
	g := geometry{grid: [3]int{over(p.Run*runs*c.Elem.Size()/laneBytes, stencilThreads), 1, 1}, block: [3]int{stencilThreads, 1, 1}}
	width := leastPlanes
	if sums == 0 {
		slabs := max(stencilBlocks*c.run.Multiprocessors()/g.grid[0], 1)
		width = max(over(planes, slabs), leastPlanes)
	}
	g.grid[1], a.Width = over(planes, width), int64(width)
	d.launchColumns(c, ofOrder(kernel, p.Order), g, a, slot, sums)
}

// solveColumns runs a kernel of columns_solve.cu, or its like of columns_long.cu.
func (d *gpu) solveColumns(c *guestCall, kernel string, a arguments, slot, sums int) {
	if !c.OK() {
		return
	}
	p, size := &c.Panel, c.Elem.Size()
	parts, columns := over(p.N[2], segmentLevels), p.N[0]*p.N[1]
	if parts > mostSegments {
		d.longColumns(c, kernel+"_long", a, slot, sums)
		return
	}
	g := geometry{block: [3]int{warp, parts, 1}, shared: parts * size * (4*segmentLevels + 5*warp)}
	if p.Order == RowOrder {
		columns = p.Run * p.N[1]
	} else {
		g.shared += warp * (parts*segmentLevels*size + laneBytes)
	}
	g.grid = [3]int{over(columns, warp), 1, 1}
	d.launchColumns(c, ofOrder(kernel, p.Order), g, a, slot, sums)
}

// longColumns runs a kernel that gives a thread a column, and two words a cell of scratch memory: P.
func (d *gpu) longColumns(c *guestCall, kernel string, a arguments, slot, sums int) {
	if !c.OK() {
		return
	}
	g := geometry{grid: [3]int{over(c.Panel.N[0]*c.Panel.N[1], longThreads), 1, 1}, block: [3]int{longThreads, 1, 1}}
	a.P = c.run.Scratch(2 * c.Panel.Cells() * c.Elem.Size())
	d.launchColumns(c, kernel, g, a, slot, sums)
}

// ColumnApply computes Y = A X.
func (d *gpu) ColumnApply(a ColumnApplyArgs) {
	c := d.begin("ColumnApply", a.Y)
	d.stencil(c, "column_apply", c.ColumnApply(a), 0, 0)
}

// ColumnSearch makes the first loop of interleaved conjugate gradients.
func (d *gpu) ColumnSearch(a ColumnSearchArgs) {
	c := d.begin("ColumnSearch", a.P)
	d.stencil(c, "column_search", c.ColumnSearch(a), a.Slot, 1)
}

// ColumnCorrect adds a correction and renews the residual.
func (d *gpu) ColumnCorrect(a ColumnCorrectArgs) {
	c := d.begin("ColumnCorrect", a.U)
	d.stencil(c, "column_correct", c.ColumnCorrect(a), a.Slot, 1)
}

// ColumnSolve solves the systems of all columns.
func (d *gpu) ColumnSolve(a ColumnSolveArgs) {
	c := d.begin("ColumnSolve", a.Z)
	s := c.ColumnSolve(a)
	s.Omega = 1
	d.solveColumns(c, "column_solve", s, 0, 0)
}

// ColumnDescend makes the second loop of interleaved conjugate gradients.
func (d *gpu) ColumnDescend(a ColumnDescendArgs) {
	c := d.begin("ColumnDescend", a.R)
	s := c.ColumnDescend(a)
	s.Omega = 1
	d.solveColumns(c, "column_descend", s, a.Slot, 2)
}

// ColumnSmooth relaxes all columns.
func (d *gpu) ColumnSmooth(a ColumnSmoothArgs) {
	c := d.begin("ColumnSmooth", a.Out)
	kernel := "column_smooth"
	if a.U == nil {
		kernel = "column_solve"
	}
	d.solveColumns(c, kernel, c.ColumnSmooth(a), 0, 0)
}

// ColumnDot reduces the product of two buffers.
func (d *gpu) ColumnDot(a ColumnDotArgs) {
	c := d.begin("ColumnDot", a.X)
	s := c.ColumnDot(a)
	g := overElements(over(int(s.Length), laneBytes/max(c.Elem.Size(), 1)))
	g.grid[0] = min(g.grid[0], dotBlocks)
	d.launchColumns(c, "column_dot", g, s, a.Slot, 1)
}

// overPanel gives every cell of a panel a thread: panel_cell_of of columns_transfer.cu.
func overPanel(p Panel) geometry {
	n := [3]int{p.N[2], p.N[0], p.N[1]}
	if p.Order == RowOrder {
		n = p.N
	}
	return geometry{grid: [3]int{over(n[0], warp), over(n[1], 8), n[2]}, block: [3]int{warp, 8, 1}}
}

// ColumnRestrict sums the residual over the children of every coarse column.
func (d *gpu) ColumnRestrict(a ColumnRestrictArgs) {
	c := d.begin("ColumnRestrict", a.U)
	d.launchColumns(c, "column_restrict", overPanel(a.Coarse), c.ColumnRestrict(a), 0, 0)
}

// ColumnProlong adds the interpolated coarse field.
func (d *gpu) ColumnProlong(a ColumnProlongArgs) {
	c := d.begin("ColumnProlong", a.U)
	d.launchColumns(c, "column_prolong", overPanel(a.Fine), c.ColumnProlong(a), 0, 0)
}

// ColumnMatrix stores the operator as a matrix.
func (d *gpu) ColumnMatrix(a ColumnMatrixArgs) {
	c := d.begin("ColumnMatrix", nil)
	s := c.ColumnMatrix(a)
	if !c.OK() {
		return
	}
	d.launchColumns(c, "column_matrix", overElements(a.Matrix.Rows+1), s, 0, 0)
}

// MatrixApply computes Y = Matrix X.
func (d *gpu) MatrixApply(a MatrixApplyArgs) {
	c := d.begin("MatrixApply", a.Y)
	s := c.MatrixApply(a)
	if c.OK() {
		s.Length = int64(a.Matrix.Rows)
	}
	d.launchColumns(c, "matrix_apply", overElements(int(s.Length)), s, 0, 0)
}

// MatrixSolve solves stored systems.
func (d *gpu) MatrixSolve(a MatrixSolveArgs) {
	c := d.begin("MatrixSolve", a.Z)
	s := c.MatrixSolve(a)
	s.Omega = 1
	d.longColumns(c, "matrix_solve", s, 0, 0)
}
