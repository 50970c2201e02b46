package devicetest

import (
	"fmt"
	"math"

	"convect/kernels"
)

// cellsChecks returns the checks of kernels.Cells.
func cellsChecks() []check {
	return []check{{"Mobility", checkMobility}, {"Tabulate", checkTabulate}, {"CoarsenCells", checkCoarsenCells}, {"Coupling", checkCoupling},
		{"Conductance", checkConductance}}
}

// Roundings: eight additions, the place in the table, the interpolation, the product; eight children with their
// products, quotients and sums.
const (
	mobilityRoundings = 24
	tabulateRoundings = 16 // four of each position, two of each weight, and the sum
	coarsenRoundings  = 32
	couplingRoundings = 4
)

// cellValues compares the cells of the domain with the reference and demands that all other elements stay.
func (b *bench) cellValues(what string, g *Grid, got []float64, before Field, want result, roundings float64) {
	b.Helper()
	left := before.Clone()
	g.cellsOf(func(n Node) {
		v, w := Field{g.Box, got}.At(n), sum{want.value.At(n), want.size.At(n)}
		left.Set(n, v)
		if !within(v, w, roundings*b.Elem.Epsilon()) {
			b.fail("%s in cell %v is %v, want %v ± %.2g", what, n, v, w.value, roundings*b.Elem.Epsilon()*w.size)
		}
	})
	b.leaveGhosts(left, got)
	if !sameBits(left.V, got) {
		b.fail("%s: what is not a cell of the domain was modified", what)
	}
}

func checkMobility(s *suite) {
	for i, c := range shapes() {
		constant, entries := i%2 == 0, []int{2, 3, 65}[i%3]
		s.one(fmt.Sprintf("%v-constant-%v-entries-%d", c, constant, entries), func(b *bench) {
			g := b.grid(c)
			t, before := b.field(g), b.noise(g.Box)
			f := &table{numbers(entries, func() float64 { return b.between(0.2, 5) }), round(b.Elem, -0.9), float64(entries-1) / 2}
			args := kernels.MobilityArgs{Box: g.Box, Periodic: c.periodic, T: b.put(t).Buffer, K: 1.7,
				Table: b.Floats(f.values), Entries: entries, Low: f.low, PerUnit: f.perUnit}
			k := func(Node) float64 { return round(b.Elem, 1.7) }
			if !constant {
				cells := b.cells(g, 0)
				args.Cells, k = b.put(*cells).Buffer, cells.At
			}
			out := b.put(before)
			args.Out = out.Buffer
			got := b.call(func() { b.Device.Mobility(args) }, out)
			b.cellValues("Out", g, got[0], before, g.mobility(t, k, f), mobilityRoundings)
			b.tableEnds(g, args, out)
		})
	}
}

// tableEnds checks that the table's ends hold beyond it, to the bit, and the first for NaN.
func (b *bench) tableEnds(g *Grid, args kernels.MobilityArgs, out *array) {
	b.Helper()
	values := b.read(args.Table)
	args.Cells, args.K = nil, 1
	for t, want := range map[float64]float64{-1e6: values[0], 1e6: values[args.Entries-1], math.Inf(-1): values[0],
		math.Inf(1): values[args.Entries-1], math.NaN(): values[0], args.Low: values[0]} {
		args.T = b.Floats(Uniform(g.Box.Len, t))
		got := b.call(func() { b.Device.Mobility(args) }, out)
		wrong, value := 0, 0.0
		g.cellsOf(func(n Node) {
			if v := (Field{g.Box, got[0]}).At(n); v != want {
				wrong, value = wrong+1, v
			}
		})
		if wrong > 0 {
			b.fail("Out at T = %v is %v in %d cells, want %v", t, value, wrong, want)
		}
	}
}

func checkTabulate(s *suite) {
	for i, c := range shapes() {
		columns, rows := []int{2, 3, 65}[i%3], []int{2, 17}[i%2]
		s.one(fmt.Sprintf("%v-%d-by-%d", c, columns, rows), func(b *bench) {
			g := b.grid(c)
			x, y, before := b.field(g), b.field(g), b.noise(g.Box)
			f := &tableOfTwo{numbers(columns*rows, b.number), columns, rows, [2]float64{round(b.Elem, -0.9), round(b.Elem, -0.7)},
				[2]float64{float64(columns-1) / 2, float64(rows-1) / 2}}
			out := b.put(before)
			args := kernels.TabulateArgs{Box: g.Box, X: b.put(x).Buffer, Y: b.put(y).Buffer, Table: b.Floats(f.values), Entries: columns * rows, Columns: columns, Rows: rows,
				LowX: f.low[0], LowY: f.low[1], PerX: f.perUnit[0], PerY: f.perUnit[1], Out: out.Buffer}
			got := b.call(func() { b.Device.Tabulate(args) }, out)
			b.nodes("Out", got[0], before, compute(g.Box, func(n Node) sum { return f.at(x.At(n), y.At(n)) }), tabulateRoundings)
			for at, want := range map[float64]float64{math.Inf(-1): f.values[0], math.Inf(1): f.values[len(f.values)-1], math.NaN(): f.values[0]} {
				args.X = b.Floats(Uniform(g.Box.Len, at))
				args.Y = args.X
				got := b.call(func() { b.Device.Tabulate(args) }, out)
				EachNode(g.Box, func(n Node) {
					if v := (Field{g.Box, got[0]}).At(n); v != round(b.Elem, want) {
						b.fail("Out at X = Y = %v is %v, want %v", at, v, want)
					}
				})
			}
		})
	}
}

func checkCoarsenCells(s *suite) {
	for i, t := range transfers() {
		axis, arithmetic := i%3, i%4 == 0
		s.one(fmt.Sprintf("%v-to-%v-axis-%d-arithmetic-%v", t.fine, t.coarse.n, axis, arithmetic), func(b *bench) {
			fine, coarse := b.grid(t.fine), b.grid(t.coarse)
			holes := 0
			if i%5 == 0 {
				holes = t.fine.n[0] / 2
			}
			k, before := b.cells(fine, holes), b.noise(coarse.Box)
			out := b.put(before)
			args := kernels.CoarsenCellsArgs{Fine: fine.Box, Coarse: coarse.Box, Periodic: t.fine.periodic, Factor: t.factor,
				H: b.Axes(fine.H), Axis: axis, Arithmetic: arithmetic, FineK: b.put(*k).Buffer, CoarseK: out.Buffer}
			got := b.call(func() { b.Device.CoarsenCells(args) }, out)
			b.cellValues("CoarseK", coarse, got[0], before, coarsenCells(fine, coarse, *k, axis, arithmetic), t.rounds(coarsenRoundings))
		})
	}
}

func checkCoupling(s *suite) {
	for i, c := range shapes() {
		axis := i % 3
		if c.flat && axis == kernels.Y {
			axis = kernels.Z
		}
		s.one(fmt.Sprintf("%v-axis-%d", c, axis), func(b *bench) {
			g := b.grid(c)
			k := b.noise(g.Box)
			cells := b.cells(g, []int{0, 1}[i%2])
			g.cellsOf(func(n Node) { k.Set(n, cells.At(n)) })
			args := kernels.CouplingArgs{Box: g.Box, Periodic: c.periodic, Axis: axis, RH: b.Floats(g.RH[axis]),
				K: b.put(k).Buffer, Slot: 40}
			got := b.callSlots(args.Slot, 2, func() { b.Device.Coupling(args) })
			b.values("coupling", got, g.coupling(k, axis), couplingRoundings)
		})
	}
}

// conductanceRoundings: 8 products, 4 sums, and those of widths and their reciprocals.
const conductanceRoundings = 16

// checkConductance takes every operator that the device knows.
func checkConductance(s *suite) {
	known := 0
	s.each(sweepable(), func(b *bench, c setting) {
		o := b.operator(c)
		a, d := o.Upload(&b.Memory), b.Device.(kernels.Conductor)
		if !d.Conducts(a) {
			return
		}
		known++
		b.conductance(o, a)
	})
	s.found(known, "the device conducts with no operator")
}

// conductances returns those of all faces along an axis.
func (o *Operator) conductances(axis int) result {
	return compute(o.Box, func(n Node) sum {
		g := o.conductance(axis, n)
		return sum{g, g}
	})
}

// conductance has the device compute what faces conduct, in arrays of noise, and returns them. A flat box has none along y.
func (b *bench) conductance(o *Operator, a *kernels.Elliptic) [3]kernels.Buffer {
	args := kernels.ConductanceArgs{A: a}
	var before []Field
	var out []*array
	var axes []int
	for axis := range args.Out {
		if axis == kernels.Y && o.Box.Flat() {
			continue
		}
		axes, before = append(axes, axis), append(before, b.noise(o.Box))
		out = append(out, b.put(before[len(out)]))
		args.Out[axis] = out[len(out)-1].Buffer
	}
	for n, got := range b.call(func() { b.Device.(kernels.Conductor).Conductance(args) }, out...) {
		b.nodes(fmt.Sprintf("Out.%d", axes[n]), got, before[n], o.conductances(axes[n]), conductanceRoundings)
		out[n].host = got
	}
	return args.Out
}

// sweepOperator uploads an operator, every other one with what its faces conduct, where residuals go by that.
func (b *bench) sweepOperator(o *Operator) *kernels.Elliptic {
	a := o.Upload(&b.Memory)
	if (kernels.Optional{Device: b.Device}).SweepsFaces(a) && b.rng.IntN(2) == 0 {
		a.Faces = b.conductance(o, a)
	}
	return a
}

// keepFaces has a device compute what faces of an operator conduct, where it wants it; what was in its arrays before is of no use.
func (b *bench) keepFaces(o *Operator, a *kernels.Elliptic) {
	if d, ok := b.Device.(kernels.Conductor); ok && d.Conducts(a) {
		a.Faces = b.conductance(o, a)
	}
}
