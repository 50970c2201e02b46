package mueller_test

import (
	"fmt"
	"slices"

	"convect/kernels"
	"convect/kernels/devicetest"
	"convect/lab/mueller"
)

// Roundings of mueller.Kernels. A balance has 2 products and 1 difference a term, added 7 at a time, and 2 products more. A
// solution has about 12 for every level that an elimination passes, there and back, the coefficients of a column included.
const columnRoundings = 16

func solveRoundings(p mueller.Panel) float64 { return float64(24 * (p.N[2] + 4)) }

// columnChecks returns the checks of all kernels.
func columnChecks() []check {
	return []check{
		{"ColumnApply", checkColumnApply},
		{"ColumnSolve", checkColumnSolve},
		{"ColumnSearch", checkColumnSearch},
		{"ColumnDescend", checkColumnDescend},
		{"ColumnDot", checkColumnDot},
		{"ColumnSmooth", checkColumnSmooth},
		{"ColumnCorrect", checkColumnCorrect},
		{"ColumnRestrict", checkColumnRestrict},
		{"ColumnProlong", checkColumnProlong},
		{"ColumnMatrix", checkColumnMatrix},
		{"MatrixApply", checkMatrixApply},
		{"MatrixSolve", checkMatrixSolve},
		{"ColumnIterate", checkColumnIterate},
	}
}

// panels runs a case on panels of both orders: odd, even, prime, one column or one cell thin, longer than a vector or
// a batch, large enough to be shared by threads, and of long columns.
func (s *suite) panels(run func(b *bench, p mueller.Panel)) {
	for _, n := range [][3]int{
		{4, 4, 4}, {5, 4, 3}, {1, 1, 1}, {2, 2, 1}, {1, 1, 40}, {17, 3, 9}, {32, 2, 16}, {9, 1, 33}, {278, 2, 5}, {66, 10, 28}, {19, 2, 100}, {3, 2, 130},
	} {
		for _, order := range []mueller.Order{mueller.ColumnOrder, mueller.RowOrder} {
			s.one(fmt.Sprintf("%dx%dx%d-%v", n[0], n[1], n[2], order), func(b *bench) { run(b, mueller.NewPanel(n, order)) })
		}
	}
}

// number returns a normally distributed number of the element type.
func (b *bench) number() float64 { return b.Numbers(1)[0] }

// value compares a number with the reference, to roundings * ε * size.
func (b *bench) value(what string, got float64, want sum, roundings float64) {
	b.Helper()
	b.Value(what, got, want.value, want.size, roundings)
}

// onPanel returns a random field, zero where there is no cell.
func (b *bench) onPanel(p mueller.Panel) PanelField {
	f := NewPanelField(p)
	eachCell(p, func(n Node) { f.Set(n, b.number()) })
	return f
}

// columnOperator returns random coefficients: flat cells, whose vertical coupling is a thousand times the rest.
func (b *bench) columnOperator(p mueller.Panel) *Columns {
	c := &Columns{Panel: p, Mass: make([]float64, p.Levels()), Vertical: make([]float64, p.Levels()),
		Horizontal: make([]float64, p.Levels()), Area: make([]float64, p.Around), EdgeX: make([]float64, p.Around),
		EdgeY: make([]float64, p.Around)}
	for k := range p.N[2] {
		c.Mass[k], c.Horizontal[k] = b.Between(0.5, 2), b.Between(0.5, 2)
		if k > 0 {
			c.Vertical[k] = b.Between(500, 2000)
		}
	}
	for j := range p.N[1] {
		for i := range p.N[0] {
			at := p.Horizontal(i, j)
			c.Area[at] = b.Between(0.5, 2)
			if i < p.N[0]-1 {
				c.EdgeX[at] = b.Between(0.5, 2)
			}
			if j < p.N[1]-1 {
				c.EdgeY[at] = b.Between(0.5, 2)
			}
		}
	}
	return c
}

// onCells compares the cells of a field with the reference, and demands zeros elsewhere.
func (b *bench) onCells(what string, got []float64, want panelResult, roundings float64) {
	b.Helper()
	left := append([]float64(nil), got...)
	eachCell(want.value.Panel, func(n Node) {
		at := want.value.Panel.Index(n[0], n[1], n[2])
		left[at] = 0
		w := want.at(n)
		b.Value(fmt.Sprintf("%s at %v", what, n), got[at], w.value, w.size, roundings)
	})
	if !slices.Equal(left, make([]float64, len(left))) {
		b.Errorf("%s: elements that are no cells are not zero", what)
	}
}

func (b *bench) panel(f PanelField) *devicetest.Array { return b.Put(f.V) }

func checkColumnApply(s *suite) {
	s.panels(func(b *bench, p mueller.Panel) {
		o, x := b.columnOperator(p), b.onPanel(p)
		a, xs, y := o.Upload(&b.Memory), b.panel(x), b.panel(b.onPanel(p))
		got := b.Call(func() { b.columns().ColumnApply(mueller.ColumnApplyArgs{A: a, Y: y.Buffer, X: xs.Buffer}) }, y)
		b.onCells("Y", got[0], onCells(p, func(n Node) sum { return o.apply(x, n) }), columnRoundings)
	})
}

func checkColumnSolve(s *suite) {
	s.panels(func(b *bench, p mueller.Panel) {
		o, r := b.columnOperator(p), b.onPanel(p)
		a, rs, z := o.Upload(&b.Memory), b.panel(r), b.panel(b.onPanel(p))
		want := o.solve(exactly(r))
		got := b.Call(func() { b.columns().ColumnSolve(mueller.ColumnSolveArgs{A: a, Z: z.Buffer, R: rs.Buffer}) }, z)
		b.onCells("Z", got[0], want, solveRoundings(p))
		inPlace := b.Call(func() { b.columns().ColumnSolve(mueller.ColumnSolveArgs{A: a, Z: rs.Buffer, R: rs.Buffer}) }, rs, z)
		b.onCells("Z in place", inPlace[0], want, solveRoundings(p))
	})
}

func checkColumnSearch(s *suite) {
	s.panels(func(b *bench, p mueller.Panel) {
		o := b.columnOperator(p)
		var x [4]PanelField // u, p, q, z
		var d [4]*devicetest.Array
		for n := range x {
			x[n] = b.onPanel(p)
			d[n] = b.panel(x[n])
		}
		a, alpha, beta := o.Upload(&b.Memory), b.number(), b.number()
		args := mueller.ColumnSearchArgs{A: a, U: d[0].Buffer, P: d[1].Buffer, Q: d[2].Buffer, Z: d[3].Buffer,
			Alpha: alpha, Beta: beta, Slot: 5}
		got := b.Call(func() { b.columns().ColumnSearch(args) }, d[0], d[1], d[2])
		next := combineCells(x[3], beta, x[1])
		image := onCells(p, func(n Node) sum {
			s := o.apply(x[3], n)
			s.add(beta * x[2].At(n))
			return s
		})
		b.onCells("U", got[0], combineCells(x[0], alpha, x[1]), columnRoundings)
		b.onCells("P", got[1], next, columnRoundings)
		b.onCells("Q", got[2], image, columnRoundings)
		slots := b.Slots()
		b.value("Σ P Q", slots[5], dotCells(next, image), 2*columnRoundings)
	})
}

func checkColumnDescend(s *suite) {
	s.panels(func(b *bench, p mueller.Panel) {
		o, r, q := b.columnOperator(p), b.onPanel(p), b.onPanel(p)
		a, rs, qs, z, alpha := o.Upload(&b.Memory), b.panel(r), b.panel(q), b.panel(b.onPanel(p)), b.number()
		args := mueller.ColumnDescendArgs{A: a, R: rs.Buffer, Q: qs.Buffer, Z: z.Buffer, Alpha: alpha, Slot: 7}
		got := b.Call(func() { b.columns().ColumnDescend(args) }, rs, z)
		next := combineCells(r, -alpha, q)
		solved := o.solve(next)
		b.onCells("R", got[0], next, columnRoundings)
		b.onCells("Z", got[1], solved, solveRoundings(p))
		slots := b.Slots()
		b.value("Σ R R", slots[7], dotCells(next, next), 2*columnRoundings)
		b.value("Σ R Z", slots[8], dotCells(next, solved), 2*solveRoundings(p))
	})
}

// checkColumnIterate compares two iterations, bit by bit, with the loops that they are made of and scalars of the host.
func checkColumnIterate(s *suite) {
	const slot, norm = 11, 17
	s.panels(func(b *bench, p mueller.Panel) {
		o := b.columnOperator(p)
		d, ok := b.columns().(mueller.Iterator)
		if !ok {
			b.Skip("the device leaves scalars to the host")
		}
		var x [2][5]*devicetest.Array // u, p, q, r, z
		for n := range x[0] {
			f := b.onPanel(p)
			x[0][n], x[1][n] = b.panel(f), b.panel(f)
		}
		a, own := o.Upload(&b.Memory), x[0]
		iterate := mueller.ColumnIterateArgs{A: a, U: own[0].Buffer, P: own[1].Buffer, Q: own[2].Buffer, R: own[3].Buffer, Z: own[4].Buffer,
			Slot: slot, First: true}
		d.ColumnDot(mueller.ColumnDotArgs{X: own[3].Buffer, Y: own[4].Buffer, Slot: slot + 2})
		rho, alpha, beta := b.Slots()[slot+2], 0.0, 0.0
		var waits [2]func() (float64, error)
		for n := range waits {
			iterate.Norm = norm + 2*n
			d.ColumnIterate(iterate)
			waits[n] = d.Follow(iterate.Norm)
			iterate.First = false
		}
		u, q, r, z := x[1][0].Buffer, x[1][2].Buffer, x[1][3].Buffer, x[1][4].Buffer
		for n := range waits {
			d.ColumnSearch(mueller.ColumnSearchArgs{A: a, U: u, P: x[1][1].Buffer, Q: q, Z: z, Alpha: alpha, Beta: beta, Slot: 0})
			alpha = rho / b.Slots()[0]
			d.ColumnDescend(mueller.ColumnDescendArgs{A: a, R: r, Q: q, Z: z, Alpha: alpha, Slot: 1})
			sums := b.Slots()
			beta, rho = sums[2]/rho, sums[2]
			if rr, err := waits[n](); err != nil || rr != sums[1] {
				b.Errorf("Σ R R of iteration %d is %v, want %v (%v)", n, rr, sums[1], err)
			}
		}
		if got := b.Slots()[slot:][:3]; got[0] != alpha || got[1] != beta || got[2] != rho {
			b.Errorf("α, β and ρ are %v, want %v, %v, %v", got, alpha, beta, rho)
		}
		for n := range x[0] {
			if !slices.Equal(b.Read(x[0][n].Buffer), b.Read(x[1][n].Buffer)) {
				b.Errorf("field %d differs from that of the loops", n)
			}
		}
	})
}

func checkColumnDot(s *suite) {
	s.panels(func(b *bench, p mueller.Panel) {
		x, y := b.onPanel(p), b.onPanel(p)
		xs, ys := b.panel(x), b.panel(y)
		got := b.CallSlots(3, 1, func() {
			b.columns().ColumnDot(mueller.ColumnDotArgs{X: xs.Buffer, Y: ys.Buffer, Slot: 3})
		})
		bound := float64(p.Len) * kernels.Float64.Epsilon() / b.Elem.Epsilon() // sums are in float64
		b.value("Σ X Y", got[0], dotCells(exactly(x), exactly(y)), bound)
	})
}

func checkColumnSmooth(s *suite) {
	s.panels(func(b *bench, p mueller.Panel) {
		o, u, f := b.columnOperator(p), b.onPanel(p), b.onPanel(p)
		a, us, fs, out, omega := o.Upload(&b.Memory), b.panel(u), b.panel(f), b.panel(b.onPanel(p)), b.number()
		args := mueller.ColumnSmoothArgs{A: a, Out: out.Buffer, U: us.Buffer, F: fs.Buffer, Omega: omega}
		got := b.Call(func() { b.columns().ColumnSmooth(args) }, out)
		b.onCells("Out", got[0], o.smooth(u, f, omega), columnRoundings+solveRoundings(p))
		args.U = nil
		got = b.Call(func() { b.columns().ColumnSmooth(args) }, out)
		b.onCells("Out from zero", got[0], o.smooth(PanelField{}, f, omega), columnRoundings+solveRoundings(p))
	})
}

func checkColumnCorrect(s *suite) {
	s.panels(func(b *bench, p mueller.Panel) {
		o, u, r, z := b.columnOperator(p), b.onPanel(p), b.onPanel(p), b.onPanel(p)
		a, us, rs, zs := o.Upload(&b.Memory), b.panel(u), b.panel(r), b.panel(z)
		args := mueller.ColumnCorrectArgs{A: a, U: us.Buffer, R: rs.Buffer, Z: zs.Buffer, Slot: 9}
		got := b.Call(func() { b.columns().ColumnCorrect(args) }, us, rs)
		left := o.residual(r, z)
		b.onCells("U", got[0], combineCells(u, 1, z), columnRoundings)
		b.onCells("R", got[1], left, columnRoundings)
		b.value("Σ R R", b.Slots()[9], dotCells(left, left), 2*columnRoundings)
	})
}

// transfers runs a case on panels of both orders and the ways to coarsen them.
func (s *suite) transfers(run func(b *bench, p, coarse mueller.Panel, factor [2]int)) {
	for _, f := range [][2]int{{2, 2}, {2, 1}, {1, 2}} {
		for _, n := range [][3]int{{1, 1, 4}, {3, 2, 9}, {17, 3, 5}, {33, 5, 28}} {
			for _, order := range []mueller.Order{mueller.ColumnOrder, mueller.RowOrder} {
				p := mueller.NewPanel([3]int{f[0] * n[0], f[1] * n[1], n[2]}, order)
				s.one(fmt.Sprintf("%dx%dx%d-%v", p.N[0], p.N[1], p.N[2], order), func(b *bench) { run(b, p, coarsened(p, f), f) })
			}
		}
	}
}

func coarsened(p mueller.Panel, factor [2]int) mueller.Panel {
	return mueller.NewPanel([3]int{p.N[0] / factor[0], p.N[1] / factor[1], p.N[2]}, p.Order)
}

func checkColumnRestrict(s *suite) {
	s.transfers(func(b *bench, p, coarse mueller.Panel, factor [2]int) {
		o, u, f := b.columnOperator(p), b.onPanel(p), b.onPanel(p)
		a, us, fs, out := o.Upload(&b.Memory), b.panel(u), b.panel(f), b.panel(b.onPanel(coarse))
		args := mueller.ColumnRestrictArgs{A: a, U: us.Buffer, F: fs.Buffer, Coarse: coarse, CoarseF: out.Buffer, Factor: factor}
		got := b.Call(func() { b.columns().ColumnRestrict(args) }, out)
		b.onCells("CoarseF", got[0], o.restrict(u, f, coarse, factor), columnRoundings)
	})
}

func checkColumnProlong(s *suite) {
	s.transfers(func(b *bench, p, coarse mueller.Panel, factor [2]int) {
		u, x := b.onPanel(p), b.onPanel(coarse)
		us, xs := b.panel(u), b.panel(x)
		args := mueller.ColumnProlongArgs{Fine: p, Coarse: coarse, U: us.Buffer, CoarseU: xs.Buffer, Factor: factor}
		got := b.Call(func() { b.columns().ColumnProlong(args) }, us)
		b.onCells("U", got[0], prolongColumns(u, x, factor), 6)
	})
}

// matrix allocates a matrix and systems for a panel.
func (b *bench) matrix(p mueller.Panel) (*mueller.Matrix, *mueller.Tridiagonal) {
	rows := p.Len - 2*p.Origin
	zero := func() kernels.Buffer { return b.Alloc(b.Elem, p.Len) }
	return &mueller.Matrix{Rows: rows, Entries: mueller.MatrixRow * rows, RowStart: b.Alloc(kernels.Int32, rows+1),
			Column: b.Alloc(kernels.Int32, mueller.MatrixRow*rows), Value: b.Alloc(b.Elem, mueller.MatrixRow*rows)},
		&mueller.Tridiagonal{Panel: p, Lower: zero(), Diagonal: zero(), Upper: zero()}
}

// checkColumnMatrix multiplies by the stored matrix, column by column of chosen cells, because integers cannot be downloaded.
func checkColumnMatrix(s *suite) {
	s.panels(func(b *bench, p mueller.Panel) {
		o := b.columnOperator(p)
		a := o.Upload(&b.Memory)
		matrix, systems := b.matrix(p)
		b.Call(func() {
			b.columns().ColumnMatrix(mueller.ColumnMatrixArgs{A: a, Matrix: matrix, Tridiagonal: systems})
		})
		want, wantSystems := o.matrix()
		for s, buffer := range map[int]kernels.Buffer{-1: systems.Lower, 0: systems.Diagonal, 1: systems.Upper} {
			b.onCells("systems", b.Read(buffer), onCells(p, func(n Node) sum {
				return wantSystems[p.Index(n[0], n[1], n[2])-p.Origin][s]
			}), columnRoundings)
		}
		x, y := b.panel(NewPanelField(p)), b.panel(NewPanelField(p))
		for range 4 {
			at := Node{b.Below(p.N[0]), b.Below(p.N[1]), b.Below(p.N[2])}
			unit, column := NewPanelField(p), p.Index(at[0], at[1], at[2])-p.Origin
			unit.Set(at, 1)
			b.Set(x, unit.V)
			got := b.Call(func() {
				b.columns().MatrixApply(mueller.MatrixApplyArgs{Matrix: matrix, Panel: p, Y: y.Buffer, X: x.Buffer})
			}, y)
			b.onCells("a column of the matrix", got[0], onCells(p, func(n Node) sum {
				return want[p.Index(n[0], n[1], n[2])-p.Origin][column]
			}), columnRoundings)
		}
	})
}

func checkMatrixApply(s *suite) {
	s.one("any-matrix", func(b *bench) {
		p := mueller.NewPanel([3]int{7, 8, 9}, mueller.RowOrder)
		rows, origin := p.Len-2*p.Origin, p.Origin
		start, column, value := []int32{0}, []int32{}, []float64{}
		x, host := b.Numbers(p.Len), b.Numbers(p.Len)
		y := b.Put(host)
		want := make([]sum, rows)
		for r := range rows {
			for range b.Below(12) {
				c, v := b.Below(rows), b.number()
				column, value = append(column, int32(c)), append(value, v)
				want[r].add(v * x[origin+c])
			}
			start = append(start, int32(len(column)))
		}
		m := &mueller.Matrix{Rows: rows, Entries: len(column), RowStart: b.Ints(start), Column: b.Ints(column), Value: b.Floats(value)}
		xs := b.Put(x)
		got := b.Call(func() {
			b.columns().MatrixApply(mueller.MatrixApplyArgs{Matrix: m, Panel: p, Y: y.Buffer, X: xs.Buffer})
		}, y)
		for r, w := range want {
			b.value("row", got[0][origin+r], w, columnRoundings)
		}
		if !slices.Equal(got[0][:origin], host[:origin]) || !slices.Equal(got[0][origin+rows:], host[origin+rows:]) {
			b.Errorf("elements outside the rows were modified")
		}
	})
}

func checkMatrixSolve(s *suite) {
	s.panels(func(b *bench, p mueller.Panel) {
		o, r := b.columnOperator(p), b.onPanel(p)
		for k := range p.N[2] { // elimination with plain pivots is backward stable only
			o.Vertical[k] /= 1000
		}
		_, m := o.matrix()
		var fields [3]kernels.Buffer
		for s := range fields {
			fields[s] = b.panel(onCells(p, func(n Node) sum {
				v := m[p.Index(n[0], n[1], n[2])-p.Origin][s-1].value
				return exact(b.Round(v))
			}).value).Buffer
		}
		systems := &mueller.Tridiagonal{Panel: p, Lower: fields[0], Diagonal: fields[1], Upper: fields[2]}
		rs, z := b.panel(r), b.panel(b.onPanel(p))
		got := b.Call(func() { b.columns().MatrixSolve(mueller.MatrixSolveArgs{M: systems, Z: z.Buffer, R: rs.Buffer}) }, z)
		b.onCells("Z", got[0], o.solve(exactly(r)), 4*solveRoundings(p))
	})
}
