package mueller

// #cgo CFLAGS: -I${SRCDIR}/../../kernels/cpu -O3 -std=c11 -fopenmp-simd -Wall -Wno-unknown-pragmas -Wno-unused-function
// #include "cpu.h"
// #include "args.h"
// const cv_kernel *mueller_kernels(int instructions, int type);
import "C"

import (
	"unsafe"

	"convect/kernels"
	"convect/kernels/cpu"
)

// C and Go lay out the arguments alike.
var _ [C.sizeof_mueller_args]byte = [unsafe.Sizeof(arguments{})]byte{}

// Numbers of the kernels in their table.
const (
	columnApply = iota
	columnSolve
	columnSearch
	columnDescend
	columnDot
	columnSmooth
	columnCorrect
	columnRestrict
	columnProlong
	columnMatrix
	matrixApply
	matrixSolve
)

// processor runs the kernels on the host's cores.
type processor struct{ *cpu.Device }

// table is the cpu.Guest of this package.
func table(instruction int, e kernels.Elem) unsafe.Pointer {
	return unsafe.Pointer(C.mueller_kernels(C.int(instruction), C.int(e)))
}

// ColumnApply computes Y = A X.
func (d processor) ColumnApply(a ColumnApplyArgs) {
	c := d.begin("ColumnApply", a.Y, true)
	s := c.ColumnApply(a)
	c.runRuns(columnApply, &s)
}

// ColumnSearch makes the first loop of interleaved conjugate gradients.
func (d processor) ColumnSearch(a ColumnSearchArgs) {
	c := d.begin("ColumnSearch", a.P, true)
	s := c.ColumnSearch(a)
	s.Partial = c.run.Partials(c.runs())
	c.runRuns(columnSearch, &s)
	c.run.StoreSum(a.Slot, 0, c.runs())
}

// ColumnSolve solves the systems of all columns.
func (d processor) ColumnSolve(a ColumnSolveArgs) {
	c := d.begin("ColumnSolve", a.Z, true)
	s := c.ColumnSolve(a)
	c.runBatches(columnSolve, &s)
}

// ColumnDescend makes the second loop of interleaved conjugate gradients.
func (d processor) ColumnDescend(a ColumnDescendArgs) {
	c := d.begin("ColumnDescend", a.R, true)
	s := c.ColumnDescend(a)
	n := c.groups()
	s.Partial = c.run.Partials(2 * n)
	c.runBatches(columnDescend, &s)
	c.run.StoreSum(a.Slot, 0, n)
	c.run.StoreSum(a.Slot+1, n, n)
}

// ColumnSmooth relaxes all columns.
func (d processor) ColumnSmooth(a ColumnSmoothArgs) {
	c := d.begin("ColumnSmooth", a.Out, true)
	s := c.ColumnSmooth(a)
	c.runBatches(columnSmooth, &s)
}

// ColumnCorrect adds a correction and renews the residual.
func (d processor) ColumnCorrect(a ColumnCorrectArgs) {
	c := d.begin("ColumnCorrect", a.U, true)
	s := c.ColumnCorrect(a)
	s.Partial = c.run.Partials(c.runs())
	c.runRuns(columnCorrect, &s)
	c.run.StoreSum(a.Slot, 0, c.runs())
}

// ColumnDot reduces the product of two buffers.
func (d processor) ColumnDot(a ColumnDotArgs) {
	c := d.begin("ColumnDot", a.X, false)
	s := c.ColumnDot(a)
	blocks := int(s.Length+C.cv_block-1) / C.cv_block
	s.Partial = c.run.Partials(blocks)
	c.launch(columnDot, &s, blocks, int(s.Length))
	c.run.StoreSum(a.Slot, 0, blocks)
}

// ColumnRestrict sums the residual over the children of every coarse column.
func (d processor) ColumnRestrict(a ColumnRestrictArgs) {
	c := d.begin("ColumnRestrict", a.U, true)
	s := c.ColumnRestrict(a)
	c.runOnto(columnRestrict, &s, a.Coarse)
}

// ColumnProlong adds the interpolated coarse field.
func (d processor) ColumnProlong(a ColumnProlongArgs) {
	c := d.begin("ColumnProlong", a.U, true)
	s := c.ColumnProlong(a)
	c.runOnto(columnProlong, &s, a.Fine)
}

// ColumnMatrix stores the operator as a matrix.
func (d processor) ColumnMatrix(a ColumnMatrixArgs) {
	c := d.begin("ColumnMatrix", nil, true)
	s := c.ColumnMatrix(a)
	c.runMatrix(columnMatrix, &s, a.Matrix)
}

// MatrixApply computes Y = Matrix X.
func (d processor) MatrixApply(a MatrixApplyArgs) {
	c := d.begin("MatrixApply", a.Y, true)
	s := c.MatrixApply(a)
	c.runMatrix(matrixApply, &s, a.Matrix)
}

// MatrixSolve solves stored systems.
func (d processor) MatrixSolve(a MatrixSolveArgs) {
	c := d.begin("MatrixSolve", a.Z, true)
	s := c.MatrixSolve(a)
	c.runBatches(matrixSolve, &s)
}
