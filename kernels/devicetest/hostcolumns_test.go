package devicetest

import (
	"convect/kernels"
)

// laidOutColumns wants fields of a panel.
func laidOutColumns(p kernels.Panel, buffers ...kernels.Buffer) (w []want) {
	for _, b := range buffers {
		w = append(w, want{b, p.Len, false})
	}
	return w
}

// columnOperands wants the buffers of an operator and fields of its panel.
func columnOperands(a *kernels.ColumnOperator, fields ...kernels.Buffer) []want {
	w := laidOutColumns(a.Panel, fields...)
	for _, b := range []kernels.Buffer{a.Mass, a.Vertical, a.Horizontal} {
		w = append(w, want{b, a.Panel.Levels(), false})
	}
	for _, b := range []kernels.Buffer{a.Area, a.EdgeX, a.EdgeY} {
		w = append(w, want{b, a.Panel.Around, false})
	}
	return w
}

// columnsOf views an operator.
func columnsOf(a *kernels.ColumnOperator) *Columns {
	v := func(b kernels.Buffer) []float64 { return b.(*hostBuffer).values }
	return &Columns{a.Panel, v(a.Mass), v(a.Vertical), v(a.Horizontal), v(a.Area), v(a.EdgeX), v(a.EdgeY)}
}

// panelOf views a field; nil has no values.
func panelOf(p kernels.Panel, b kernels.Buffer) PanelField {
	if b == nil {
		return PanelField{}
	}
	return PanelField{p, b.(*hostBuffer).values}
}

// writeColumns stores a result.
func writeColumns(out kernels.Buffer, r panelResult) {
	p := r.value.Panel
	eachCell(p, func(n Node) { out.(*hostBuffer).store(p.Index(n[0], n[1], n[2]), r.value.At(n)) })
}

func (d *hostDevice) ColumnApply(a kernels.ColumnApplyArgs) {
	d.run("ColumnApply", func() {
		o, x := columnsOf(a.A), panelOf(a.A.Panel, a.X)
		writeColumns(a.Y, onCells(a.A.Panel, func(n Node) sum { return o.apply(x, n) }))
	}, columnOperands(a.A, a.Y, a.X)...)
}

func (d *hostDevice) ColumnSolve(a kernels.ColumnSolveArgs) {
	d.run("ColumnSolve", func() {
		writeColumns(a.Z, columnsOf(a.A).solve(exactly(panelOf(a.A.Panel, a.R))))
	}, columnOperands(a.A, a.Z, a.R)...)
}

func (d *hostDevice) ColumnSearch(a kernels.ColumnSearchArgs) {
	d.reduceTo("ColumnSearch", a.Slot, 1, func() []sum {
		p, o := a.A.Panel, columnsOf(a.A)
		z, q := panelOf(p, a.Z), panelOf(p, a.Q)
		writeColumns(a.U, combineCells(panelOf(p, a.U), a.Alpha, panelOf(p, a.P)))
		next := combineCells(z, a.Beta, panelOf(p, a.P))
		image := onCells(p, func(n Node) sum {
			s := o.apply(z, n)
			s.add(a.Beta * q.At(n))
			return s
		})
		writeColumns(a.P, next)
		writeColumns(a.Q, image)
		return []sum{dotCells(next, image)}
	}, columnOperands(a.A, a.U, a.P, a.Q, a.Z)...)
}

func (d *hostDevice) ColumnDescend(a kernels.ColumnDescendArgs) {
	d.reduceTo("ColumnDescend", a.Slot, 2, func() []sum {
		p := a.A.Panel
		next := combineCells(panelOf(p, a.R), -a.Alpha, panelOf(p, a.Q))
		solved := columnsOf(a.A).solve(next)
		writeColumns(a.R, next)
		writeColumns(a.Z, solved)
		return []sum{dotCells(next, next), dotCells(next, solved)}
	}, columnOperands(a.A, a.R, a.Q, a.Z)...)
}

func (d *hostDevice) ColumnDot(a kernels.ColumnDotArgs) {
	d.reduceTo("ColumnDot", a.Slot, 1, func() []sum {
		var s sum
		for e, v := range a.X.(*hostBuffer).values {
			s.add(v * a.Y.(*hostBuffer).values[e])
		}
		return []sum{s}
	}, want{a.X, a.Y.Len(), false}, want{a.Y, a.X.Len(), false})
}

func (d *hostDevice) ColumnSmooth(a kernels.ColumnSmoothArgs) {
	d.run("ColumnSmooth", func() {
		p := a.A.Panel
		writeColumns(a.Out, columnsOf(a.A).smooth(panelOf(p, a.U), panelOf(p, a.F), a.Omega))
	}, columnOperands(a.A, a.Out, a.U, a.F)...)
}

func (d *hostDevice) ColumnCorrect(a kernels.ColumnCorrectArgs) {
	d.reduceTo("ColumnCorrect", a.Slot, 1, func() []sum {
		p := a.A.Panel
		left := columnsOf(a.A).residual(panelOf(p, a.R), panelOf(p, a.Z))
		writeColumns(a.U, combineCells(panelOf(p, a.U), 1, panelOf(p, a.Z)))
		writeColumns(a.R, left)
		return []sum{dotCells(left, left)}
	}, columnOperands(a.A, a.U, a.R, a.Z)...)
}

func (d *hostDevice) ColumnRestrict(a kernels.ColumnRestrictArgs) {
	d.run("ColumnRestrict", func() {
		p := a.A.Panel
		writeColumns(a.CoarseF, columnsOf(a.A).restrict(panelOf(p, a.U), panelOf(p, a.F), a.Coarse, a.Factor))
	}, append(columnOperands(a.A, a.U, a.F), laidOutColumns(a.Coarse, a.CoarseF)...)...)
}

func (d *hostDevice) ColumnProlong(a kernels.ColumnProlongArgs) {
	d.run("ColumnProlong", func() {
		writeColumns(a.U, prolongColumns(panelOf(a.Fine, a.U), panelOf(a.Coarse, a.CoarseU), a.Factor))
	}, append(laidOutColumns(a.Fine, a.U), laidOutColumns(a.Coarse, a.CoarseU)...)...)
}

// matrixWants wants the buffers of a matrix.
func matrixWants(m *kernels.Matrix) []want {
	return []want{{m.RowStart, m.Rows + 1, true}, {m.Column, m.Entries, true}, {m.Value, m.Entries, false}}
}

func (d *hostDevice) ColumnMatrix(a kernels.ColumnMatrixArgs) {
	p, m := a.A.Panel, a.Tridiagonal
	d.run("ColumnMatrix", func() {
		rows, systems := columnsOf(a.A).matrix()
		start, column, value := a.Matrix.RowStart.(*hostBuffer), a.Matrix.Column.(*hostBuffer), a.Matrix.Value.(*hostBuffer)
		for r := range rows {
			at := kernels.MatrixRow * r
			for e := range kernels.MatrixRow {
				column.values[at+e], value.values[at+e] = float64(r), 0
			}
			for c, v := range rows[r] {
				column.values[at] = float64(c)
				value.store(at, v.value)
				at++
			}
			start.values[r+1] = float64(kernels.MatrixRow * (r + 1))
			for s, b := range map[int]kernels.Buffer{-1: m.Lower, 0: m.Diagonal, 1: m.Upper} {
				b.(*hostBuffer).store(p.Origin+r, systems[r][s].value)
			}
		}
	}, append(append(columnOperands(a.A), laidOutColumns(p, m.Lower, m.Diagonal, m.Upper)...),
		matrixWants(a.Matrix)...)...)
}

func (d *hostDevice) MatrixApply(a kernels.MatrixApplyArgs) {
	m := a.Matrix
	d.run("MatrixApply", func() {
		start, column := m.RowStart.(*hostBuffer).values, m.Column.(*hostBuffer).values
		for r := range m.Rows {
			s := 0.0
			for e := int(start[r]); e < int(start[r+1]); e++ {
				s += m.Value.(*hostBuffer).values[e] * a.X.(*hostBuffer).values[a.Panel.Origin+int(column[e])]
			}
			a.Y.(*hostBuffer).store(a.Panel.Origin+r, s)
		}
	}, append(matrixWants(m), laidOutColumns(a.Panel, a.Y, a.X)...)...)
}

func (d *hostDevice) MatrixSolve(a kernels.MatrixSolveArgs) {
	p := a.M.Panel
	d.run("MatrixSolve", func() {
		lower, diagonal, upper := panelOf(p, a.M.Lower), panelOf(p, a.M.Diagonal), panelOf(p, a.M.Upper)
		z, pivots := panelOf(p, a.R), NewPanelField(p)
		result := onCells(p, func(n Node) sum { return exact(z.At(n)) })
		eachCell(p, func(n Node) {
			pivot, v := diagonal.At(n), result.value.At(n)
			if below := shift(n, 2, -1); n[2] > 0 {
				f := lower.At(n) / pivots.At(below)
				pivot -= f * upper.At(below)
				v -= f * result.value.At(below)
			}
			pivots.Set(n, pivot)
			result.value.Set(n, v)
		})
		for k := p.N[2] - 1; k >= 0; k-- {
			eachWithin(Node{0, 0, k}, Node{p.N[0], p.N[1], k + 1}, func(n Node) {
				v := result.value.At(n)
				if n[2] < p.N[2]-1 {
					v -= upper.At(n) * result.value.At(shift(n, 2, 1))
				}
				result.value.Set(n, v/pivots.At(n))
			})
		}
		writeColumns(a.Z, result)
	}, laidOutColumns(p, a.Z, a.R, a.M.Lower, a.M.Diagonal, a.M.Upper)...)
}

// columnDefects names what is wrong with the columns of a brokenDevice.
func columnDefects() []string {
	return []string{
		"ColumnApply/writes padding",
		"ColumnSolve/rounds to 10 bits",
		"ColumnSearch/forgets U",
		"ColumnDescend/swaps its sums",
		"ColumnCorrect/adds to the residual",
		"ColumnRestrict/averages",
		"ColumnMatrix/loses the last row",
	}
}

// spoilColumns changes the value of the first cell.
func spoilColumns(b kernels.Buffer, p kernels.Panel, change func(v float64) float64) {
	x := panelOf(p, b)
	x.Set(Node{}, change(x.At(Node{})))
}

func (d *brokenDevice) ColumnApply(a kernels.ColumnApplyArgs) {
	d.hostDevice.ColumnApply(a)
	if d.defect == "ColumnApply/writes padding" {
		a.Y.(*hostBuffer).values[a.Y.Len()-1] = 1
	}
}

func (d *brokenDevice) ColumnSolve(a kernels.ColumnSolveArgs) {
	d.hostDevice.ColumnSolve(a)
	if d.defect == "ColumnSolve/rounds to 10 bits" {
		a.Z.(*hostBuffer).values[a.A.Panel.Origin] *= 1 + 0x1p-9
	}
}

func (d *brokenDevice) ColumnSearch(a kernels.ColumnSearchArgs) {
	if d.defect == "ColumnSearch/forgets U" {
		a.Alpha = 0
	}
	d.hostDevice.ColumnSearch(a)
}

func (d *brokenDevice) ColumnDescend(a kernels.ColumnDescendArgs) {
	d.hostDevice.ColumnDescend(a)
	if d.defect == "ColumnDescend/swaps its sums" {
		d.slots[a.Slot], d.slots[a.Slot+1] = d.slots[a.Slot+1], d.slots[a.Slot]
	}
}

func (d *brokenDevice) ColumnCorrect(a kernels.ColumnCorrectArgs) {
	d.hostDevice.ColumnCorrect(a)
	if d.defect == "ColumnCorrect/adds to the residual" {
		spoilColumns(a.R, a.A.Panel, func(v float64) float64 { return v + 1 })
	}
}

func (d *brokenDevice) ColumnRestrict(a kernels.ColumnRestrictArgs) {
	d.hostDevice.ColumnRestrict(a)
	if d.defect == "ColumnRestrict/averages" {
		d.fillWith(a.CoarseF, func(e int) float64 { return a.CoarseF.(*hostBuffer).values[e] / 2 })
	}
}

func (d *brokenDevice) ColumnMatrix(a kernels.ColumnMatrixArgs) {
	d.hostDevice.ColumnMatrix(a)
	if d.defect == "ColumnMatrix/loses the last row" && d.err == nil {
		p := a.A.Panel
		a.Tridiagonal.Diagonal.(*hostBuffer).values[p.Index(p.N[0]-1, p.N[1]-1, p.N[2]-1)] = 0
	}
}

var _ kernels.Columns = (*hostDevice)(nil)
