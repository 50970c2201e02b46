package cpu

// #include "cpu.h"
import "C"

import (
	"unsafe"

	"convect/kernels"
)

var _ kernels.Columns = (*Device)(nil)

// ColumnApply computes Y = A X.
func (d *Device) ColumnApply(a kernels.ColumnApplyArgs) {
	c := d.beginColumns("ColumnApply", a.Y)
	d.state.column = c.ColumnApply(a)
	c.runRuns(C.cv_column_apply)
}

// ColumnSearch makes the first loop of interleaved conjugate gradients.
func (d *Device) ColumnSearch(a kernels.ColumnSearchArgs) {
	c := d.beginColumns("ColumnSearch", a.P)
	d.state.column = c.ColumnSearch(a)
	d.state.column.Partial = c.partials(c.runs())
	c.runRuns(C.cv_column_search)
	c.store(a.Slot, c.sum(0, c.runs()))
}

// ColumnSolve solves the systems of all columns.
func (d *Device) ColumnSolve(a kernels.ColumnSolveArgs) {
	c := d.beginColumns("ColumnSolve", a.Z)
	d.state.column = c.ColumnSolve(a)
	c.runBatches(C.cv_column_solve)
}

// ColumnDescend makes the second loop of interleaved conjugate gradients.
func (d *Device) ColumnDescend(a kernels.ColumnDescendArgs) {
	c := d.beginColumns("ColumnDescend", a.R)
	d.state.column = c.ColumnDescend(a)
	n := c.groups()
	d.state.column.Partial = c.partials(2 * n)
	c.runBatches(C.cv_column_descend)
	c.store(a.Slot, c.sum(0, n))
	c.store(a.Slot+1, c.sum(n, n))
}

// ColumnSmooth relaxes all columns.
func (d *Device) ColumnSmooth(a kernels.ColumnSmoothArgs) {
	c := d.beginColumns("ColumnSmooth", a.Out)
	d.state.column = c.ColumnSmooth(a)
	c.runBatches(C.cv_column_smooth)
}

// ColumnCorrect adds a correction and renews the residual.
func (d *Device) ColumnCorrect(a kernels.ColumnCorrectArgs) {
	c := d.beginColumns("ColumnCorrect", a.U)
	d.state.column = c.ColumnCorrect(a)
	d.state.column.Partial = c.partials(c.runs())
	c.runRuns(C.cv_column_correct)
	c.store(a.Slot, c.sum(0, c.runs()))
}

// ColumnDot reduces the product of two buffers.
func (d *Device) ColumnDot(a kernels.ColumnDotArgs) {
	c := d.begin("ColumnDot", a.X)
	s := &d.state.column
	*s = c.ColumnDot(a)
	blocks := int(s.Length+C.cv_block-1) / C.cv_block
	s.Partial = c.partials(blocks)
	c.run(C.cv_column_dot, unsafe.Pointer(s), blocks, int(s.Length))
	c.store(a.Slot, c.sum(0, blocks))
}

// ColumnRestrict sums the residual over the children of every coarse column.
func (d *Device) ColumnRestrict(a kernels.ColumnRestrictArgs) {
	c := d.beginColumns("ColumnRestrict", a.U)
	d.state.column = c.ColumnRestrict(a)
	c.runOnto(C.cv_column_restrict, a.Coarse)
}

// ColumnProlong adds the interpolated coarse field.
func (d *Device) ColumnProlong(a kernels.ColumnProlongArgs) {
	c := d.beginColumns("ColumnProlong", a.U)
	d.state.column = c.ColumnProlong(a)
	c.runOnto(C.cv_column_prolong, a.Fine)
}

// ColumnMatrix stores the operator as a matrix.
func (d *Device) ColumnMatrix(a kernels.ColumnMatrixArgs) {
	c := d.beginAny("ColumnMatrix")
	c.wide = true
	d.state.column = c.ColumnMatrix(a)
	c.runMatrix(C.cv_column_matrix, a.Matrix)
}

// MatrixApply computes Y = Matrix X.
func (d *Device) MatrixApply(a kernels.MatrixApplyArgs) {
	c := d.beginColumns("MatrixApply", a.Y)
	d.state.column = c.MatrixApply(a)
	c.runMatrix(C.cv_matrix_apply, a.Matrix)
}

// MatrixSolve solves stored systems.
func (d *Device) MatrixSolve(a kernels.MatrixSolveArgs) {
	c := d.beginColumns("MatrixSolve", a.Z)
	d.state.column = c.MatrixSolve(a)
	c.runBatches(C.cv_matrix_solve)
}
