package cpu

// #include "cpu.h"
import "C"

import (
	"math"
	"unsafe"

	"convect/kernels"
)

var _ kernels.Columns = (*Device)(nil)

// columnGroup is column_group of columns.h: the columns that share a partial sum.
const columnGroup = 16

// columnCall is a call whose fields are laid out by a panel.
type columnCall struct {
	call
	panel kernels.Panel
	args  *C.cv_column_args
}

// beginColumns starts a call on a panel.
func (d *Device) beginColumns(kernel string, first kernels.Buffer, panel kernels.Panel) columnCall {
	c := columnCall{call: d.begin(kernel, first), panel: panel, args: &d.state.column}
	*c.args = C.cv_column_args{}
	c.wide = true
	c.args.a.panel = c.cPanel(panel)
	return c
}

// cPanel checks a panel and converts it.
func (c *columnCall) cPanel(p kernels.Panel) C.cv_panel {
	if p.N[0] < 1 || p.N[1] < 1 || p.N[2] < 1 || p.Order > kernels.RowOrder || p != kernels.NewPanel(p.N, p.Order) {
		c.fail("the panel of %d x %d columns of %d cells is not laid out by NewPanel", p.N[0], p.N[1], p.N[2])
	}
	return C.cv_panel{n: ints(p.N), stride: ints(p.Stride), run: C.int64_t(p.Run), row: C.int64_t(p.Row),
		order: C.int64_t(p.Order)}
}

// field returns cell (0,0,0) of a field of the call's panel.
func (c *columnCall) field(b kernels.Buffer, name string) unsafe.Pointer {
	c.arrays++
	return c.at(c.elements(b, c.elem, c.panel.Len, name), c.panel.Origin)
}

// beginOperator starts a call with an operator.
func (d *Device) beginOperator(kernel string, first kernels.Buffer, a *kernels.ColumnOperator) columnCall {
	if a == nil {
		c := columnCall{call: d.begin(kernel, first), args: &d.state.column}
		c.fail("the operator is missing")
		return c
	}
	c := d.beginColumns(kernel, first, a.Panel)
	level := func(b kernels.Buffer, name string) unsafe.Pointer {
		return c.elements(b, c.elem, c.panel.Levels(), name)
	}
	column := func(b kernels.Buffer, name string) unsafe.Pointer {
		return c.at(c.elements(b, c.elem, c.panel.Around, name), c.panel.Horizontal(0, 0))
	}
	o := &c.args.a
	o.mass, o.vertical, o.horizontal = level(a.Mass, "Mass"), level(a.Vertical, "Vertical"), level(a.Horizontal, "Horizontal")
	o.area, o.edge_x, o.edge_y = column(a.Area, "Area"), column(a.EdgeX, "EdgeX"), column(a.EdgeY, "EdgeY")
	return c
}

// runs runs a kernel on the contiguous runs of the call's panel: in row order rows (j,k), in column order groups of
// columns. It returns their number, that of the partials.
func (c *columnCall) runs(kernel C.int, partials bool) int {
	p := c.panel
	n := p.N[1] * p.N[2]
	if p.Order == kernels.ColumnOrder {
		n = p.Row / columnGroup * p.N[1]
	}
	if partials {
		c.args.partial = c.partials(n)
	}
	c.args.stream = flag(c.arrays*p.Len*c.elem.Size() > c.d.llc)
	c.args.strip = C.int64_t(min(max(c.d.l2/2/(stripRows*p.Run*c.elem.Size()), 4), p.N[1]))
	c.run(kernel, unsafe.Pointer(c.args), n, p.Cells())
	return n
}

// stripRows is the number of rows, for each of a strip, that should stay in a core's cache: three levels of one field, three
// arrays over columns, and three fields that pass by.
const stripRows = 9

// batches runs a kernel on batches of columns whose eliminations fit into half of a core's cache.
func (c *columnCall) batches(kernel C.int) {
	p := c.panel
	if !c.ok() {
		return
	}
	size, levels := c.elem.Size(), (p.N[2]+15)/16*16
	cache := c.d.l2 / 2
	if p.Order == kernels.ColumnOrder {
		cache = firstCache
	}
	width := cache / (2 * levels * size) / columnGroup * columnGroup
	width = min(max(width, columnGroup), maxBatch, p.Row)
	c.args.width = C.int64_t(width)
	c.args.stream = flag(c.arrays*p.Len*size > c.d.llc)
	c.reserve(6*8*(levels*width+48) + 5*8*(width+48))
	c.run(kernel, unsafe.Pointer(c.args), (p.N[0]+width-1)/width*p.N[1], p.Cells())
}

const (
	// maxBatch is the largest number of columns in a batch.
	maxBatch = 256
	// firstCache is the number of bytes that an elimination may take of a core's first cache.
	firstCache = 32 << 10
)

// ColumnApply computes Y = A X.
func (d *Device) ColumnApply(a kernels.ColumnApplyArgs) {
	c := d.beginOperator("ColumnApply", a.Y, a.A)
	c.args.out, c.args.z = c.field(a.Y, "Y"), c.field(a.X, "X")
	if c.ok() && a.X == a.Y {
		c.fail("Y is X")
	}
	c.runs(C.cv_column_apply, false)
}

// ColumnSearch makes the first loop of interleaved conjugate gradients.
func (d *Device) ColumnSearch(a kernels.ColumnSearchArgs) {
	c := d.beginOperator("ColumnSearch", a.P, a.A)
	s := c.args
	s.out, s.p, s.q, s.z = c.field(a.U, "U"), c.field(a.P, "P"), c.field(a.Q, "Q"), c.field(a.Z, "Z")
	s.alpha, s.beta = C.double(a.Alpha), C.double(a.Beta)
	c.slot(a.Slot, 1)
	n := c.runs(C.cv_column_search, true)
	c.store(a.Slot, c.sum(0, n))
}

// ColumnSolve solves the systems of all columns.
func (d *Device) ColumnSolve(a kernels.ColumnSolveArgs) {
	c := d.beginOperator("ColumnSolve", a.Z, a.A)
	c.args.out, c.args.f = c.field(a.Z, "Z"), c.field(a.R, "R")
	c.batches(C.cv_column_solve)
}

// ColumnDescend makes the second loop of interleaved conjugate gradients.
func (d *Device) ColumnDescend(a kernels.ColumnDescendArgs) {
	c := d.beginOperator("ColumnDescend", a.R, a.A)
	s := c.args
	s.r, s.q, s.out = c.field(a.R, "R"), c.field(a.Q, "Q"), c.field(a.Z, "Z")
	s.f, s.alpha = s.r, C.double(a.Alpha)
	c.slot(a.Slot, 2)
	n := c.panel.Row / columnGroup * c.panel.N[1]
	s.partial = c.partials(2 * n)
	c.batches(C.cv_column_descend)
	c.store(a.Slot, c.sum(0, n))
	c.store(a.Slot+1, c.sum(n, n))
}

// ColumnSmooth relaxes all columns.
func (d *Device) ColumnSmooth(a kernels.ColumnSmoothArgs) {
	c := d.beginOperator("ColumnSmooth", a.Out, a.A)
	s := c.args
	s.out, s.f, s.omega = c.field(a.Out, "Out"), c.field(a.F, "F"), C.double(a.Omega)
	if a.U != nil {
		s.u = c.field(a.U, "U")
	}
	if c.ok() && a.U == a.Out {
		c.fail("Out is U")
	}
	c.batches(C.cv_column_smooth)
}

// ColumnCorrect adds a correction and renews the residual.
func (d *Device) ColumnCorrect(a kernels.ColumnCorrectArgs) {
	c := d.beginOperator("ColumnCorrect", a.U, a.A)
	s := c.args
	s.out, s.r, s.z = c.field(a.U, "U"), c.field(a.R, "R"), c.field(a.Z, "Z")
	if c.ok() && (a.U == a.Z || a.R == a.Z) {
		c.fail("U or R is Z")
	}
	c.slot(a.Slot, 1)
	n := c.runs(C.cv_column_correct, true)
	c.store(a.Slot, c.sum(0, n))
}

// ColumnDot reduces the product of two buffers.
func (d *Device) ColumnDot(a kernels.ColumnDotArgs) {
	c := d.begin("ColumnDot", a.X)
	x := c.buffer(a.X, "X")
	if x == nil {
		return
	}
	s := &d.state.column
	*s = C.cv_column_args{u: x.ptr, z: c.elements(a.Y, c.elem, x.len, "Y"), length: C.int64_t(x.len)}
	if c.ok() && a.Y.Len() > x.len {
		c.fail("Y has %d elements, X %d", a.Y.Len(), x.len)
	}
	c.slot(a.Slot, 1)
	blocks := (x.len + C.cv_block - 1) / C.cv_block
	s.partial = c.partials(blocks)
	c.run(C.cv_column_dot, unsafe.Pointer(s), blocks, x.len)
	c.store(a.Slot, c.sum(0, blocks))
}

// coarse checks the factors of a transfer and returns the start of the coarse field.
func (c *columnCall) coarse(panel kernels.Panel, b kernels.Buffer, factor [2]int, name string) unsafe.Pointer {
	c.args.coarse = c.cPanel(panel)
	for d, f := range factor {
		if f < 1 || f > 2 || f*panel.N[d] != c.panel.N[d] {
			c.fail("a factor of %d does not lead from %d to %d columns", f, c.panel.N[d], panel.N[d])
		}
		c.args.factor[d] = C.int64_t(f)
	}
	if panel.Order != c.panel.Order || panel.N[2] != c.panel.N[2] {
		c.fail("the panels differ in order or levels")
	}
	return c.at(c.elements(b, c.elem, panel.Len, name), panel.Origin)
}

// transfer runs a kernel on the runs of a panel.
func (c *columnCall) transfer(kernel C.int, p kernels.Panel) {
	n := p.N[1] * p.N[2]
	if p.Order == kernels.ColumnOrder {
		n = p.N[1] * p.N[0]
	}
	c.reserve(2 * 8 * (c.panel.Run + 64))
	c.run(kernel, unsafe.Pointer(c.args), n, c.panel.Cells())
}

// ColumnRestrict sums the residual over the children of every coarse column.
func (d *Device) ColumnRestrict(a kernels.ColumnRestrictArgs) {
	c := d.beginOperator("ColumnRestrict", a.U, a.A)
	s := c.args
	s.u, s.f, s.out = c.field(a.U, "U"), c.field(a.F, "F"), c.coarse(a.Coarse, a.CoarseF, a.Factor, "CoarseF")
	c.transfer(C.cv_column_restrict, a.Coarse)
}

// ColumnProlong adds the interpolated coarse field.
func (d *Device) ColumnProlong(a kernels.ColumnProlongArgs) {
	c := d.beginColumns("ColumnProlong", a.U, a.Fine)
	c.args.out, c.args.u = c.field(a.U, "U"), c.coarse(a.Coarse, a.CoarseU, a.Factor, "CoarseU")
	c.transfer(C.cv_column_prolong, a.Fine)
}

// tridiagonal returns the fields of stored systems.
func (c *columnCall) tridiagonal(m *kernels.Tridiagonal) [3]unsafe.Pointer {
	return [3]unsafe.Pointer{c.field(m.Lower, "Lower"), c.field(m.Diagonal, "Diagonal"), c.field(m.Upper, "Upper")}
}

// ColumnMatrix stores the operator as a matrix.
func (d *Device) ColumnMatrix(a kernels.ColumnMatrixArgs) {
	if a.Matrix == nil || a.Tridiagonal == nil {
		d.fail("ColumnMatrix: the matrix or its systems are missing")
		return
	}
	c := d.beginOperator("ColumnMatrix", a.Matrix.Value, a.A)
	rows := c.panel.Len - 2*c.panel.Origin
	if c.ok() && (a.Matrix.Rows != rows || a.Tridiagonal.Panel != a.A.Panel || rows > math.MaxInt32/kernels.MatrixRow) {
		c.fail("a matrix of %d rows does not belong to a panel of %d elements", a.Matrix.Rows, c.panel.Len)
	}
	s := c.args
	s.length = C.int64_t(rows)
	s.start, s.column, s.out = c.matrix(a.Matrix, kernels.MatrixRow*rows)
	s.stored = c.tridiagonal(a.Tridiagonal)
	c.run(C.cv_column_matrix, unsafe.Pointer(s), rows, rows)
}

// matrix returns the buffers of a matrix of so many entries.
func (c *columnCall) matrix(m *kernels.Matrix, entries int) (start, column *C.int32_t, value unsafe.Pointer) {
	return (*C.int32_t)(c.elements(m.RowStart, kernels.Int32, m.Rows+1, "RowStart")),
		(*C.int32_t)(c.elements(m.Column, kernels.Int32, entries, "Column")), c.elements(m.Value, c.elem, entries, "Value")
}

// MatrixApply computes Y = Matrix X.
func (d *Device) MatrixApply(a kernels.MatrixApplyArgs) {
	c := d.beginColumns("MatrixApply", a.Y, a.Panel)
	if c.ok() && (a.Matrix == nil || a.Matrix.Rows != a.Panel.Len-2*a.Panel.Origin) {
		c.fail("the matrix does not belong to a panel of %d elements", a.Panel.Len)
	}
	if !c.ok() {
		return
	}
	entries := 0
	if start := c.elements(a.Matrix.RowStart, kernels.Int32, a.Matrix.Rows+1, "RowStart"); start != nil {
		entries = int(values[int32](a.Matrix.RowStart.(*Buffer))[a.Matrix.Rows])
	}
	s := c.args
	s.out, s.u = c.field(a.Y, "Y"), c.field(a.X, "X")
	if c.ok() && a.X == a.Y {
		c.fail("Y is X")
	}
	var value unsafe.Pointer
	s.start, s.column, value = c.matrix(a.Matrix, entries)
	s.f = value
	c.run(C.cv_matrix_apply, unsafe.Pointer(s), a.Matrix.Rows, a.Matrix.Rows)
}

// MatrixSolve solves stored systems.
func (d *Device) MatrixSolve(a kernels.MatrixSolveArgs) {
	if a.M == nil {
		d.fail("MatrixSolve: the systems are missing")
		return
	}
	c := d.beginColumns("MatrixSolve", a.Z, a.M.Panel)
	c.args.out, c.args.f, c.args.stored = c.field(a.Z, "Z"), c.field(a.R, "R"), c.tridiagonal(a.M)
	c.batches(C.cv_matrix_solve)
}
