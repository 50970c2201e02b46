package devicetest

import (
	"math"
	"math/rand/v2"
	"testing"

	"convect/kernels"
)

// newBed returns a bench without a device, for its random grids, operators and fields.
func newBed(t *testing.T) *bench {
	return &bench{Memory: Memory{TB: t, Elem: kernels.Float64}, rng: rand.New(rand.NewPCG(1, 2))}
}

// near fails unless got is want up to bound.
func near(t *testing.T, what string, got, want, bound float64) {
	t.Helper()
	if !(math.Abs(got-want) <= bound) {
		t.Errorf("%s is %v, want %v ± %.1g", what, got, want, bound)
	}
}

// evaluate returns the values of f at the nodes of a grid and in its halo, from their coordinates. Beyond walls the
// coordinate is that of the wall.
func evaluate(g *Grid, f func(x [3]float64) float64) Field {
	v := NewField(g.Box)
	eachHaloNode(g.Box, func(n Node) { v.Set(n, f(g.coordinates(n))) })
	return v
}

// coordinates returns the distances of a node from node 0.
func (g *Grid) coordinates(n Node) (x [3]float64) {
	for d := range x {
		for i := 0; i < n[d]; i++ {
			x[d] += g.H[d].At(i)
		}
		for i := n[d]; i < 0; i++ {
			x[d] -= g.H[d].At(i)
		}
	}
	return x
}

// interior tells whether no neighbour of n lies beyond the box.
func interior(box kernels.Box, n Node) bool {
	for d := range n {
		if present(box, d) && (n[d] == 0 || n[d] == box.N[d]-1) {
			return false
		}
	}
	return true
}

// One cell of widths 2, 3, 4 and conductivities 5, 7, 11: the dual faces are quarters of its faces, so that the
// conductances are 5/2 * 3, 7/3 * 2 and 11/4 * 3/2.
func TestOneCell(t *testing.T) {
	o := &Operator{Grid: NewGrid(kernels.Float64, [3][]float64{{2}, {3}, {4}}, [3]bool{}), K: [3]float64{5, 7, 11}}
	u := NewField(o.Box)
	u.Set(Node{1, 0, 0}, 1)
	for n, want := range map[Node]float64{
		{0, 0, 0}: -7.5, {1, 1, 0}: -14. / 3, {1, 0, 1}: -4.125, {1, 0, 0}: 7.5 + 14./3 + 4.125, {0, 1, 1}: 0,
	} {
		near(t, "A u", o.at(n, u).value, want, 1e-14)
	}
	near(t, "V", o.volume(Node{1, 1, 1}), 3, 0)
	o.MassScale = 10
	near(t, "A u with mass", o.at(Node{1, 0, 0}, u).value, 7.5+14./3+4.125+30, 1e-13)
	near(t, "D", o.diagonal(Node{1, 0, 0}), 7.5+14./3+4.125+30, 1e-13)
}

// Two cells by two in the plane, with K_x = 1, 2 below and 4, 8 above: the middle face in x averages 1 and 4 by
// their heights 1 and 3, so that g = (1*1 + 4*3)/2 / 1.
func TestVariableConductivity(t *testing.T) {
	g := NewGrid(kernels.Float64, [3][]float64{{1, 2}, nil, {1, 3}}, [3]bool{})
	k := NewField(g.Box)
	for n, v := range map[Node]float64{{0, 0, 0}: 1, {1, 0, 0}: 2, {0, 0, 1}: 4, {1, 0, 1}: 8} {
		k.Set(n, v)
	}
	o := &Operator{Grid: g, Cells: [3]*Field{&k, &k, &k}}
	near(t, "g_x at the bottom", o.conductance(0, Node{0, 0, 0}), 0.5, 0)
	near(t, "g_x in the middle", o.conductance(0, Node{0, 0, 1}), 6.5, 0)
	near(t, "g_x at the top", o.conductance(0, Node{1, 0, 2}), 6, 0)
	near(t, "g_z in the middle", o.conductance(2, Node{1, 0, 0}), (1*1+2*2)/2., 0)
	near(t, "g_z of the upper cells", o.conductance(2, Node{1, 0, 1}), (4*1+8*2)/2./3, 1e-15)
	near(t, "g_y", o.conductance(1, Node{1, 0, 1}), 0, 0)
	near(t, "k_f A_f", o.section(0, Node{0, 0, 1})/o.area(0, Node{0, 0, 1}), 6.5/2, 0)
}

// A is zero on linear functions inside, and -2 (K_x + K_y + K_z) V on |x|² where widths are equal.
func TestPolynomials(t *testing.T) {
	b := newBed(t)
	for _, s := range []setting{
		{n: [3]int{6, 5, 4}, cells: "const"}, {n: [3]int{6, 1, 4}, flat: true, cells: "const"},
		{n: [3]int{6, 5, 4}, cells: "const", stencil: kernels.TwentySevenPoint},
		{n: [3]int{6, 1, 4}, flat: true, cells: "const", stencil: kernels.TwentySevenPoint},
	} {
		o := b.operator(s)
		linear := evaluate(o.Grid, func(x [3]float64) float64 { return 3 + 2*x[0] - x[1] + 5*x[2] })
		EachNode(o.Box, func(n Node) {
			if s := o.at(n, linear); interior(o.Box, n) {
				near(t, "A of a linear function", s.value, 0, 1e-14*s.size)
			}
		})
	}
	g := NewGrid(kernels.Float64, [3][]float64{Uniform(5, 0.25), Uniform(3, 0.5), Uniform(4, 0.125)}, [3]bool{})
	o := &Operator{Grid: g, K: [3]float64{3, 5, 7}}
	square := evaluate(g, func(x [3]float64) float64 { return x[0]*x[0] + x[1]*x[1] + x[2]*x[2] })
	EachNode(o.Box, func(n Node) {
		if s := o.at(n, square); interior(o.Box, n) {
			near(t, "A |x|²", s.value, -30*o.volume(n), 1e-14*s.size)
		}
	})
}

// For every setting A is symmetric, A 1 = s m, and its diagonal is what multiplies a node's own value.
func TestOperatorProperties(t *testing.T) {
	for _, s := range stencils(operators()) {
		if s.large() {
			continue
		}
		b := newBed(t)
		o := b.operator(s)
		u, v := b.field(o.Grid), b.field(o.Grid)
		one := Field{o.Box, Uniform(o.Box.Len, 1)}
		dot := func(x, y Field) sum {
			return total(o.Box, func(n Node) (s sum) { s.addScaled(x.At(n), o.at(n, y)); return s })
		}
		uv, vu := dot(u, v), dot(v, u)
		near(t, s.String()+": <u, A v> - <v, A u>", uv.value, vu.value, 1e-14*uv.size)
		EachNode(o.Box, func(n Node) {
			a := o.at(n, one)
			near(t, s.String()+": A 1", a.value, o.mass(n), 1e-14*a.size)
			unit := NewField(o.Box)
			unit.Set(n, 1)
			near(t, s.String()+": D", o.at(n, unit).value, o.diagonal(n), 1e-14*math.Abs(o.diagonal(n)))
		})
	}
}

// The solution is a fixed point of all smoothers; a relaxed colour has no residual; fixed nodes do not move.
func TestSmoothers(t *testing.T) {
	for _, s := range operators() {
		if s.large() || s.cells == "holes" {
			continue
		}
		b := newBed(t)
		o := b.operator(s)
		u, f := b.field(o.Grid), b.noise(o.Box)
		solved := compute(o.Box, func(n Node) sum { return o.at(n, u) }).value
		swept := o.smooth(u, solved, 0.8).value
		for colour := range 2 {
			relaxed := o.redBlack(u, f, 1, colour).value
			EachNode(o.Box, func(n Node) {
				near(t, "a sweep over the solution", swept.At(n), u.At(n), 1e-12)
				if (n[0]+n[1]+n[2])%2 != colour || o.Mask.At(n) == 0 {
					near(t, "a node that is not relaxed", relaxed.At(n), u.At(n), 0)
					return
				}
				mixed := u.Clone()
				mixed.Set(n, relaxed.At(n))
				r := o.residualAt(n, f, mixed)
				near(t, "residual after relaxation", r.value, 0, 1e-13*r.size)
			})
		}
	}
}

// A node without conductances or mass is left alone.
func TestZeroDiagonal(t *testing.T) {
	b := newBed(t)
	o := b.operator(setting{n: [3]int{9, 4, 3}, cells: "holes", mass: "none"})
	u, f := b.field(o.Grid), b.noise(o.Box)
	near(t, "D in the hole", o.diagonal(Node{2, 1, 1}), 0, 0)
	near(t, "U in the hole", o.smooth(u, f, 1).value.At(Node{2, 1, 1}), u.At(Node{2, 1, 1}), 0)
	if o.diagonal(Node{4, 1, 1}) <= 0 || o.diagonal(Node{8, 1, 1}) <= 0 {
		t.Errorf("D is zero beside the hole")
	}
}

// MassUpdate adds 6 / (2.5 * 0.75) = 3.2 in the corner of a cell of 6, and nothing at a fixed node.
func TestMassUpdate(t *testing.T) {
	g := NewGrid(kernels.Float64, [3][]float64{{1}, {2}, {3}}, [3]bool{})
	o := &Operator{Grid: g, MassScale: 2.5, Mask: NewMask(g.Box, func(n Node) bool { return n != Node{1, 1, 1} })}
	u, r := Field{g.Box, Uniform(g.Box.Len, 1)}, Field{g.Box, Uniform(g.Box.Len, 6)}
	near(t, "U", o.massUpdate(u, r).value.At(Node{}), 4.2, 1e-15)
	near(t, "U at the fixed node", o.massUpdate(u, r).value.At(Node{1, 1, 1}), 1, 0)
}

// Mask.Rows stores distinct rows once, ones and zeros first.
func TestMaskRows(t *testing.T) {
	m := NewMask(kernels.NewBox([3]int{3, 2, 2}, false), func(n Node) bool { return n[2] == 1 || (n[1] == 1 && n[0] > 0) })
	index, table := m.Rows(4)
	wantIndex, wantTable := []int32{1, 2, 0, 0}, []float64{1, 1, 1, 0, 0, 0, 0, 0, 0, 1, 1, 0}
	for i, v := range wantIndex {
		if index[i] != v {
			t.Errorf("index %v, want %v", index, wantIndex)
		}
	}
	if !sameBits(table, wantTable) {
		t.Errorf("table %v, want %v", table, wantTable)
	}
}

// The rounding check of a solution accepts one of a direct kind and refuses an error of a thousand ε.
func TestSolved(t *testing.T) {
	b := newBed(t)
	o := b.operator(setting{n: [3]int{5, 4, 3}, cells: "three", mass: "none", mask: "walls"})
	f := b.noise(o.Box)
	u := solve(o, f, false)
	b.solved(o, u, f, false)
	probe := &bench{Memory: Memory{TB: &testing.T{}, Elem: kernels.Float64}}
	u.Set(Node{2, 1, 1}, u.At(Node{2, 1, 1})*(1+2e-13))
	probe.solved(o, u, f, false)
	if !probe.TB.(*testing.T).Failed() {
		t.Errorf("an error of 2e-13 passed")
	}
}
