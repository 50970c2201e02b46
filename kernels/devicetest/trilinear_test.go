package devicetest

import (
	"fmt"
	"math"
	"testing"

	"convect/kernels"
)

// A unit square with k = 1 has the stiffness 2/3 on the diagonal, -1/6 along the sides and -1/3 across; a unit cube
// 1/3, 0 along the edges, -1/12 across the faces and through the middle.
func TestElementStiffness(t *testing.T) {
	for _, c := range []struct {
		widths [3][]float64
		want   map[Node]float64
	}{
		{[3][]float64{{1}, nil, {1}}, map[Node]float64{{}: 2. / 3, {1, 0, 0}: -1. / 6, {0, 0, 1}: -1. / 6, {1, 0, 1}: -1. / 3}},
		{[3][]float64{{1}, {1}, {1}}, map[Node]float64{{}: 1. / 3, {1, 0, 0}: 0, {0, 1, 0}: 0, {0, 0, 1}: 0,
			{1, 1, 0}: -1. / 12, {1, 0, 1}: -1. / 12, {0, 1, 1}: -1. / 12, {1, 1, 1}: -1. / 12}},
	} {
		o := &Operator{Grid: NewGrid(kernels.Float64, c.widths, [3]bool{}), Stencil: kernels.TwentySevenPoint, K: [3]float64{1, 1, 1}}
		for n, want := range c.want {
			unit := NewField(o.Box)
			unit.Set(n, 1)
			near(t, fmt.Sprint("a of ", n), o.at(Node{}, unit).value, want, 1e-15)
		}
	}
}

// A is the integral of ∇u·k∇v: for u = v = xyz on a box a·b·c it is Σ k_d (abc)³ / (9 d²), and with k doubled in
// half of the box in x, the x part of that half doubles: it holds half the volume.
func TestElementEnergy(t *testing.T) {
	g := NewGrid(kernels.Float64, [3][]float64{{1, 1}, {0.5, 1}, {2, 0.25}}, [3]bool{})
	kx := NewField(g.Box)
	kr := NewField(g.Box)
	EachNode(g.Box, func(n Node) {
		if n[0] < 2 && n[1] < 2 && n[2] < 2 {
			kx.Set(n, float64(1+n[0]))
			kr.Set(n, 3)
		}
	})
	o := &Operator{Grid: g, Stencil: kernels.TwentySevenPoint, Cells: [3]*Field{&kx, &kr, &kr}}
	u := evaluate(g, func(x [3]float64) float64 { return x[0] * x[1] * x[2] })
	energy := total(o.Box, func(n Node) (s sum) { s.addScaled(u.At(n), o.at(n, u)); return s })
	cube := math.Pow(2*1.5*2.25, 3) / 9
	want := cube*1.5/4 + 3*cube/(1.5*1.5) + 3*cube/(2.25*2.25)
	near(t, "energy of xyz", energy.value, want, 1e-13*energy.size)
	near(t, "dissipation of xyz", o.dissipation(u).value, want, 1e-13*energy.size)
}

// In every cell the fluxes leave the nodes as the parts of the balance do, and they are the nearest to those of edges alone: around
// each face of the cell Σ ± (F - F⁰)/w vanishes. Without buoyancy they are the natural ones.
func TestNearestFluxes(t *testing.T) {
	for _, s := range []setting{{n: [3]int{2, 2, 2}, cells: "three"}, {n: [3]int{2, 1, 2}, flat: true, cells: "three"}} {
		for _, ra := range []float64{0, rayleigh} {
			b := newBed(t)
			s.stencil = kernels.TwentySevenPoint
			o := b.operator(s)
			p, temperature, mean := b.field(o.Grid), b.field(o.Grid), b.means(o.Grid)
			e := o.elementsAt(Node{})[0]
			g := e.gradient(p)
			var buoyancy differences
			e.buoyant(&buoyancy, temperature, mean, ra)
			e.buoyant(&g, temperature, mean, ra)
			flux := func(d, corner int) float64 { return e.flux(&g, &buoyancy, d, corner&^(1<<d)).value }
			beyond := func(d, corner int) float64 { return flux(d, corner) - e.alone(&g, d, corner&^(1<<d)).value }
			EachNode(o.Box, func(n Node) {
				own := e.cornerOf(n)
				var out sum
				for d := range 3 {
					if o.present(d) {
						out.add(flux(d, own) * float64(1-2*(own>>d&1)))
					}
				}
				r := e.outflow(&g, n)
				near(t, s.String()+": outflow", out.value, r.value, 1e-13*(r.size+out.size))
				for d := range 3 {
					for q := range d {
						if !o.present(d) || !o.present(q) {
							continue
						}
						var loop sum
						loop.add(beyond(d, own&^(1<<q)) / e.w(d))
						loop.add(-beyond(d, own|1<<q) / e.w(d))
						loop.add(-beyond(q, own&^(1<<d)) / e.w(q))
						loop.add(beyond(q, own|1<<d) / e.w(q))
						near(t, s.String()+": circulation", loop.value, 0, 1e-12*loop.size)
					}
					if o.present(d) && own>>d&1 == 0 && ra == 0 {
						natural := e.natural(&g, d, own)
						near(t, s.String()+": F", flux(d, own), natural.value, 1e-12*natural.size)
					}
				}
			})
		}
	}
}

// Fluxes of a linear function are k times its gradient on every dual face, at walls too.
func TestLinearFluxes(t *testing.T) {
	b := newBed(t)
	for _, s := range []setting{
		{n: [3]int{6, 5, 4}, cells: "const"}, {n: [3]int{6, 1, 4}, flat: true, cells: "const"},
		{n: [3]int{6, 5, 4}, cells: "const", stencil: kernels.TwentySevenPoint},
		{n: [3]int{6, 1, 4}, flat: true, cells: "const", stencil: kernels.TwentySevenPoint},
	} {
		o := b.operator(s)
		p := evaluate(o.Grid, func(x [3]float64) float64 { return 3 + 2*x[0] - x[1] + 5*x[2] })
		for d, slope := range []float64{2, -1, 5} {
			if !o.present(d) {
				continue
			}
			q := o.darcyFlux(d, p, NewField(o.Box), make([]float64, o.Box.N[2]), 0)
			EachNode(o.Box, func(n Node) {
				if o.inner(d, n) {
					near(t, s.String()+": Q", q.value.At(n), -o.K[d]*slope, 1e-13*q.size.At(n))
				}
			})
		}
	}
}
