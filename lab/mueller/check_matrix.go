package mueller

import (
	"math"

	"convect/kernels"
)

// matrix returns the addresses of a matrix.
func (c *checked) matrix(m *Matrix) (start, column, value uintptr) {
	start = c.Elements(m.RowStart, kernels.Int32, m.Rows+1, "RowStart")
	column = c.Elements(m.Column, kernels.Int32, m.Entries, "Column")
	value = c.Elements(m.Value, c.Elem, m.Entries, "Value")
	return start, column, value
}

// tridiagonal returns the addresses of the fields of stored systems.
func (c *checked) tridiagonal(m *Tridiagonal) [3]uintptr {
	return [3]uintptr{c.field(m.Lower, "Lower"), c.field(m.Diagonal, "Diagonal"), c.field(m.Upper, "Upper")}
}

// rows returns the number of rows of a matrix on the call's panel.
func (c *checked) rows() int { return c.Panel.Len - 2*c.Panel.Origin }

// ColumnMatrix checks the matrix, whose element type it makes the call's, and its systems; out is Value, length the number of
// rows.
func (c *checked) ColumnMatrix(a ColumnMatrixArgs) (s arguments) {
	m, t := a.Matrix, a.Tridiagonal
	if m == nil || t == nil {
		c.Fail("the matrix or its systems are missing")
		return s
	}
	c.SetElem(m.Value)
	if s.A = c.columns(a.A); !c.OK() {
		return s
	}
	rows := c.rows()
	if m.Rows != rows || m.Entries != MatrixRow*rows || t.Panel != a.A.Panel || rows > math.MaxInt32/MatrixRow {
		c.Fail("a matrix of %d rows and %d entries does not belong to a panel of %d elements", m.Rows, m.Entries, c.Panel.Len)
	}
	s.Length = int64(rows)
	s.Start, s.Column, s.Out = c.matrix(m)
	s.Stored = c.tridiagonal(t)
	return s
}

// MatrixApply checks the fields and the matrix; out is Y, u is X, f is Value.
func (c *checked) MatrixApply(a MatrixApplyArgs) (s arguments) {
	s.A.Panel = c.setPanel(a.Panel)
	if c.OK() && (a.Matrix == nil || a.Matrix.Rows != c.rows()) {
		c.Fail("the matrix does not belong to a panel of %d elements", a.Panel.Len)
	}
	if !c.OK() {
		return s
	}
	s.Out, s.U = c.field(a.Y, "Y"), c.field(a.X, "X")
	c.differ(a.Y, a.X, "Y is X")
	s.Start, s.Column, s.F = c.matrix(a.Matrix)
	return s
}

// MatrixSolve checks the fields and the systems; out is Z, f is R.
func (c *checked) MatrixSolve(a MatrixSolveArgs) (s arguments) {
	if a.M == nil {
		c.Fail("the systems are missing")
		return s
	}
	s.A.Panel, s.Out, s.F = c.setPanel(a.M.Panel), c.field(a.Z, "Z"), c.field(a.R, "R")
	s.Stored = c.tridiagonal(a.M)
	return s
}
