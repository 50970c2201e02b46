package cuda

import (
	"unsafe"

	"convect/kernels"
	"convect/kernels/call"
)

var _ kernels.Columns = (*Device)(nil)

// columnLaunch is cv_column_launch of columns.cuh.
type columnLaunch struct {
	call.Column
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
	dotBlocks      = 1056 // 8 for every multiprocessor of a large GPU, which sums do not depend on
)

// ofOrder names the kernel of an order.
func ofOrder(kernel string, o kernels.Order) string {
	if o == kernels.RowOrder {
		return kernel + "_rows"
	}
	return kernel + "_columns"
}

// launchColumns runs a kernel that has so many sums, the first in slot.
func (d *Device) launchColumns(c *call.Call, kernel string, g geometry, a call.Column, slot, sums int) {
	l := columnLaunch{Column: a, Slot: d.slot(slot), Scalars: d.iterates.scalars, Given: d.iterates.given}
	if sums > 0 {
		l.Partial = d.partial(c, sums*g.blocks())
	}
	d.launch(c, kernel, g, unsafe.Pointer(&l), unsafe.Sizeof(l))
	if sums > 0 {
		l.Length, l.Width = int64(g.blocks()), int64(sums)
		d.launch(c, "column_sums", geometry{grid: [3]int{1, 1, 1}, block: [3]int{sumThreads, 1, 1}}, unsafe.Pointer(&l), unsafe.Sizeof(l))
	}
}

// stencil runs a kernel of columns_stencil.cu: a thread a vector, in slabs of Width planes, as many as run at a time, or short ones where
// fields are updated.
func (d *Device) stencil(c *call.Call, kernel string, a call.Column, slot, sums int) {
	if !c.OK() {
		return
	}
	p := &c.Panel
	runs, planes := p.N[0], p.N[1]
	if p.Order == kernels.RowOrder {
		runs, planes = p.N[1], p.N[2]
	}
	g := geometry{grid: [3]int{over(p.Run*runs*c.Elem.Size()/laneBytes, stencilThreads), 1, 1}, block: [3]int{stencilThreads, 1, 1}}
	width := leastPlanes
	if sums == 0 {
		slabs := max(stencilBlocks*d.info.Multiprocessors/g.grid[0], 1)
		width = max(over(planes, slabs), leastPlanes)
	}
	g.grid[1], a.Width = over(planes, width), int64(width)
	d.launchColumns(c, ofOrder(kernel, p.Order), g, a, slot, sums)
}

// solveColumns runs a kernel of columns_solve.cu, or its like of columns_long.cu.
func (d *Device) solveColumns(c *call.Call, kernel string, a call.Column, slot, sums int) {
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
	if p.Order == kernels.RowOrder {
		columns = p.Run * p.N[1]
	} else {
		g.shared += warp * (parts*segmentLevels*size + laneBytes)
	}
	g.grid = [3]int{over(columns, warp), 1, 1}
	d.launchColumns(c, ofOrder(kernel, p.Order), g, a, slot, sums)
}

// longColumns runs a kernel that gives a thread a column, and two words a cell of scratch memory: P.
func (d *Device) longColumns(c *call.Call, kernel string, a call.Column, slot, sums int) {
	if !c.OK() {
		return
	}
	g := geometry{grid: [3]int{over(c.Panel.N[0]*c.Panel.N[1], longThreads), 1, 1}, block: [3]int{longThreads, 1, 1}}
	a.P = d.reserve(c, &d.scratch, 2*c.Panel.Cells()*c.Elem.Size())
	d.launchColumns(c, kernel, g, a, slot, sums)
}

// ColumnApply computes Y = A X.
func (d *Device) ColumnApply(a kernels.ColumnApplyArgs) {
	c := d.begin("ColumnApply", a.Y)
	d.stencil(&c, "column_apply", c.ColumnApply(a), 0, 0)
}

// ColumnSearch makes the first loop of interleaved conjugate gradients.
func (d *Device) ColumnSearch(a kernels.ColumnSearchArgs) {
	c := d.begin("ColumnSearch", a.P)
	d.stencil(&c, "column_search", c.ColumnSearch(a), a.Slot, 1)
}

// ColumnCorrect adds a correction and renews the residual.
func (d *Device) ColumnCorrect(a kernels.ColumnCorrectArgs) {
	c := d.begin("ColumnCorrect", a.U)
	d.stencil(&c, "column_correct", c.ColumnCorrect(a), a.Slot, 1)
}

// ColumnSolve solves the systems of all columns.
func (d *Device) ColumnSolve(a kernels.ColumnSolveArgs) {
	c := d.begin("ColumnSolve", a.Z)
	s := c.ColumnSolve(a)
	s.Omega = 1
	d.solveColumns(&c, "column_solve", s, 0, 0)
}

// ColumnDescend makes the second loop of interleaved conjugate gradients.
func (d *Device) ColumnDescend(a kernels.ColumnDescendArgs) {
	c := d.begin("ColumnDescend", a.R)
	s := c.ColumnDescend(a)
	s.Omega = 1
	d.solveColumns(&c, "column_descend", s, a.Slot, 2)
}

// ColumnSmooth relaxes all columns.
func (d *Device) ColumnSmooth(a kernels.ColumnSmoothArgs) {
	c := d.begin("ColumnSmooth", a.Out)
	kernel := "column_smooth"
	if a.U == nil {
		kernel = "column_solve"
	}
	d.solveColumns(&c, kernel, c.ColumnSmooth(a), 0, 0)
}

// ColumnDot reduces the product of two buffers.
func (d *Device) ColumnDot(a kernels.ColumnDotArgs) {
	c := d.begin("ColumnDot", a.X)
	s := c.ColumnDot(a)
	g := overElements(over(int(s.Length), laneBytes/max(c.Elem.Size(), 1)))
	g.grid[0] = min(g.grid[0], dotBlocks)
	d.launchColumns(&c, "column_dot", g, s, a.Slot, 1)
}

// overPanel gives every cell of a panel a thread: panel_cell_of of columns_transfer.cu.
func overPanel(p kernels.Panel) geometry {
	n := [3]int{p.N[2], p.N[0], p.N[1]}
	if p.Order == kernels.RowOrder {
		n = p.N
	}
	return geometry{grid: [3]int{over(n[0], warp), over(n[1], 8), n[2]}, block: [3]int{warp, 8, 1}}
}

// ColumnRestrict sums the residual over the children of every coarse column.
func (d *Device) ColumnRestrict(a kernels.ColumnRestrictArgs) {
	c := d.begin("ColumnRestrict", a.U)
	d.launchColumns(&c, "column_restrict", overPanel(a.Coarse), c.ColumnRestrict(a), 0, 0)
}

// ColumnProlong adds the interpolated coarse field.
func (d *Device) ColumnProlong(a kernels.ColumnProlongArgs) {
	c := d.begin("ColumnProlong", a.U)
	d.launchColumns(&c, "column_prolong", overPanel(a.Fine), c.ColumnProlong(a), 0, 0)
}

// ColumnMatrix stores the operator as a matrix.
func (d *Device) ColumnMatrix(a kernels.ColumnMatrixArgs) {
	c := call.New(&d.failure, "ColumnMatrix")
	s := c.ColumnMatrix(a)
	if !c.OK() {
		return
	}
	d.launchColumns(&c, "column_matrix", overElements(a.Matrix.Rows+1), s, 0, 0)
}

// MatrixApply computes Y = Matrix X.
func (d *Device) MatrixApply(a kernels.MatrixApplyArgs) {
	c := d.begin("MatrixApply", a.Y)
	s := c.MatrixApply(a)
	if c.OK() {
		s.Length = int64(a.Matrix.Rows)
	}
	d.launchColumns(&c, "matrix_apply", overElements(int(s.Length)), s, 0, 0)
}

// MatrixSolve solves stored systems.
func (d *Device) MatrixSolve(a kernels.MatrixSolveArgs) {
	c := d.begin("MatrixSolve", a.Z)
	s := c.MatrixSolve(a)
	s.Omega = 1
	d.longColumns(&c, "matrix_solve", s, 0, 0)
}
