package devicetest

import (
	"math"
	"testing"

	"convect/kernels"
)

// Σ ± A Q of the Darcy flux is A P - F at every node, walls with prescribed velocity included.
func TestMassBalance(t *testing.T) {
	for _, s := range stencils(operators()) {
		if s.large() {
			continue
		}
		b := newBed(t)
		s.mass = "none"
		o := b.operator(s)
		p, temperature, mean, q := b.field(o.Grid), b.field(o.Grid), b.means(o.Grid), b.flow(o.Grid)
		for d := range q {
			if !o.present(d) {
				continue
			}
			flux := o.darcyFlux(d, p, temperature, mean, rayleigh).value
			EachNode(o.Box, func(n Node) {
				if o.inner(d, n) {
					q[d].Set(n, flux.At(n))
				}
			})
			o.wrapHalo(q[d])
		}
		f := o.buoyancySource(temperature, mean, rayleigh, q, [3]bool{true, true, true})
		EachNode(o.Box, func(n Node) {
			balance, ap := o.imbalance(q, n), o.at(n, p)
			near(t, s.String()+": Σ ± A Q - (A P - F)", balance.value, ap.value-f.value.At(n),
				1e-13*(balance.size+ap.size+f.size.At(n)))
		})
	}
}

// A stable stratification T = TMean has no source and no flow.
func TestStratification(t *testing.T) {
	for _, s := range stencils([]setting{{n: [3]int{4, 3, 5}, cells: "three"}}) {
		b := newBed(t)
		o := b.operator(s)
		mean := b.means(o.Grid)
		layers := NewField(o.Box)
		EachNode(o.Box, func(n Node) { layers.Set(n, mean[n[2]]) })
		f := o.buoyancySource(layers, mean, rayleigh, flow{}, [3]bool{})
		q := o.darcyFlux(kernels.Z, NewField(o.Box), layers, mean, rayleigh)
		EachNode(o.Box, func(n Node) {
			near(t, "F", f.value.At(n), 0, 0)
			near(t, "Q", q.value.At(n), 0, 0)
		})
	}
}

// One cell of widths 1, 2 with k = 3: Q = -3 (Δp/2 - Ra θ_f) upwards, and the source is what leaves through A = 1/2.
func TestBuoyancy(t *testing.T) {
	g := NewGrid(kernels.Float64, [3][]float64{{1}, nil, {2}}, [3]bool{})
	o := &Operator{Grid: g, K: [3]float64{5, 5, 3}}
	p := evaluate(g, func(x [3]float64) float64 { return 4 * x[2] })
	temperature := evaluate(g, func(x [3]float64) float64 { return 1 + x[2] })
	q := o.darcyFlux(kernels.Z, p, temperature, []float64{0, 1}, 10).value
	near(t, "Q", q.At(Node{0, 0, 0}), -3*(4-10*1.5), 1e-14)
	f := o.buoyancySource(temperature, []float64{0, 1}, 10, flow{}, [3]bool{}).value
	near(t, "F at the bottom", f.At(Node{0, 0, 0}), -0.5*3*15, 1e-14)
	near(t, "F at the top", f.At(Node{1, 0, 1}), 0.5*3*15, 1e-14)
}

// Where shares add up to one, WallFlux closes the balance of the node; without a share nothing changes.
func TestWallFluxBalance(t *testing.T) {
	for i, s := range shapes() {
		if s.large() {
			continue
		}
		b := newBed(t)
		g := b.grid(s)
		q := b.flow(g)
		share := b.shares(g, i)
		after := flow{}
		for d, r := range g.wallFlux(q, share) {
			after[d] = r.value
		}
		EachNode(g.Box, func(n Node) {
			var parts float64
			for _, f := range g.faces(n) {
				part := share.of(g.Box, f, n)
				if parts += part; part == 0 && after.outflow(f) != q.outflow(f) {
					t.Errorf("%v: a face of %v without a share changed", s, n)
				}
			}
			if balance := g.imbalance(after, n); parts != 0 {
				near(t, s.String()+": balance", balance.value, 0, 1e-13*(balance.size+g.imbalance(q, n).size))
			}
		})
	}
}

// A cell of widths 2, 4 into whose corner flows Q_x = 3 through A = 2 and Q_z = -1 through A = 1: the outflow 7
// leaves half to the left, half through the bottom, along negative axes.
func TestWallFluxCorner(t *testing.T) {
	g := NewGrid(kernels.Float64, [3][]float64{{2}, nil, {4}}, [3]bool{})
	q := flow{NewField(g.Box), {}, NewField(g.Box)}
	q[0].Set(Node{0, 0, 0}, -3)
	q[2].Set(Node{0, 0, 0}, -1)
	share := shares{kernels.Left: {0.5, 0}, kernels.Bottom: {0.5, 0}}
	out := g.wallFlux(q, share)
	near(t, "Q_x", out[0].value.At(Node{-1, 0, 0}), -3.5/2, 0)
	near(t, "Q_z", out[2].value.At(Node{0, 0, -1}), -3.5, 0)
}

func TestNodeVelocity(t *testing.T) {
	g := NewGrid(kernels.Float64, [3][]float64{{1, 1}, nil, {1}}, [3]bool{})
	q := NewField(g.Box)
	for i, v := range []float64{2, 4, 10, 20} {
		q.Set(Node{i - 1, 0, 0}, v)
	}
	for i, want := range []float64{2, 7, 20} {
		near(t, "u at a wall or inside", g.nodeVelocity(0, q, Node{i, 0, 0}).value, want, 0)
	}
	g.Periodic[0] = true
	for i, want := range []float64{3, 7, 15} {
		near(t, "u on a periodic axis", g.nodeVelocity(0, q, Node{i, 0, 0}).value, want, 0)
	}
}

// A uniform flow (1, 0, -2) through a box 2 x 3 x 4.
func TestFlowStatisticsUniform(t *testing.T) {
	g := NewGrid(kernels.Float64, [3][]float64{{1, 1}, {3}, {2, 2}}, [3]bool{})
	q := flow{{g.Box, Uniform(g.Box.Len, 1)}, NewField(g.Box), {g.Box, Uniform(g.Box.Len, -2)}}
	want := []float64{5 * 24, math.Sqrt(5), 1/0.5 + 2/1., 0, 0, 0}
	for i, s := range g.flowStatistics(q) {
		near(t, "statistic", s.value, want[i], 1e-13)
	}
	q[0].Set(Node{0, 0, 0}, 3) // adds 2 A = 2 * 1.5 * 1 to one node of V = 0.5 * 1.5 and takes it from its neighbour
	got := g.flowStatistics(q)
	near(t, "max |Σ ± A Q|/V", got[3].value, 3/0.75, 1e-13)
	near(t, "Σ ± A Q", got[4].value, 0, 1e-13)
	near(t, "Σ |Σ ± A Q|", got[5].value, 6, 1e-13)
}

// The corners of ψ = x² (z + 1) give Q_x = -Δψ/Δz and Q_z = Δψ/Δx on the faces, from which ψ comes back.
func TestStreamfunctionOfKnownFlow(t *testing.T) {
	for _, periodic := range [][3]bool{{}, {true, false, false}, {true, false, true}} {
		b := newBed(t)
		g := b.grid(setting{n: [3]int{6, 1, 5}, flat: true, periodic: periodic})
		corner := func(a, c int) float64 {
			var x, z float64
			for i := range a {
				x += g.W[0].At(i)
			}
			for k := range c {
				z += g.W[2].At(k)
			}
			return x * x * (z + 1)
		}
		q := flow{NewField(g.Box), {}, NewField(g.Box)}
		for a := 0; a <= 6; a++ {
			for c := range 5 {
				q[0].Set(Node{a - 1, 0, c}, -(corner(a, c+1)-corner(a, c))/g.W[2].At(c))
			}
		}
		for a := range 6 {
			for c := 0; c <= 5; c++ {
				q[2].Set(Node{a, 0, c - 1}, (corner(a+1, c)-corner(a, c))/g.W[0].At(a))
			}
		}
		psi := g.cornerStreamfunction(q)
		for c, s := range psi {
			near(t, "ψ at a corner", s.value, corner(c[0], c[2]), 1e-13)
		}
		EachNode(g.Box, func(n Node) {
			near(t, "Σ ± A Q", g.imbalance(q, n).value, 0, 1e-13)
		})
		nodal, _, _ := g.streamfunction(q, centre{})
		inside := (corner(2, 1) + corner(3, 1) + corner(2, 2) + corner(3, 2)) / 4
		near(t, "ψ at a node", nodal.value.At(Node{2, 0, 1}), inside, 1e-13)
		if !periodic[0] && !periodic[2] {
			near(t, "ψ on a wall", nodal.value.At(Node{5, 0, 1}), (corner(6, 1)+corner(6, 2))/2, 1e-13)
			near(t, "ψ in the corner", nodal.value.At(Node{5, 0, 4}), corner(6, 5), 1e-13)
		}
	}
}

// A closed cell has ψ = 0 on its walls and its extreme where it turns; between nodes it is interpolated.
func TestStreamfunctionOfClosedCell(t *testing.T) {
	for n, want := range map[[3]int]float64{{5, 1, 5}: -1, {6, 1, 5}: -0.5, {6, 1, 6}: -0.25} {
		g := NewGrid(kernels.Float64, [3][]float64{Uniform(n[0]-1, 1), nil, Uniform(n[2]-1, 1)}, [3]bool{})
		q := flow{NewField(g.Box), {}, NewField(g.Box)}
		// ψ = -4 at the dual corner (2,2) alone gives a quarter of it at the four nodes around.
		q[0].Set(Node{1, 0, 1}, 4)
		q[0].Set(Node{1, 0, 2}, -4)
		q[2].Set(Node{1, 0, 1}, -4)
		q[2].Set(Node{2, 0, 1}, 4)
		middle := centre{part: [3]float64{float64(n[0]-1) / 2, 0, float64(n[2]-1) / 2}}
		for d := range middle.part {
			whole, part := math.Modf(middle.part[d])
			middle.node[d], middle.part[d] = int(whole), part
		}
		nodal, max, there := g.streamfunction(q, middle)
		near(t, "max |ψ|", max.value, 1, 1e-14)
		near(t, "ψ at the wall", nodal.value.At(Node{0, 0, 1}), 0, 0)
		near(t, "ψ at the centre", there.value, want, 1e-14)
	}
}
