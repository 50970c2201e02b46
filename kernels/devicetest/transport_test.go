package devicetest

import (
	"math"
	"testing"

	"convect/kernels"
)

// van Leer: T_U = 0, T_C = 1, T_D = 3 gives r = 1/2, ψ = 2/3, T_f = 1 + 2/3; against the flow T_C = 3, T_U = 4,
// T_D = 1 gives r = 1/2 and T_f = 3 - 2/3; over an extremum T_f = T_C; beside a wall ψ = 1.
func TestFaceTemperature(t *testing.T) {
	g := NewGrid(kernels.Float64, [3][]float64{Uniform(3, 1), nil, {1}}, [3]bool{})
	q, temperature := NewField(g.Box), NewField(g.Box)
	for i, v := range []float64{0, 1, 3, 4} {
		temperature.Set(Node{i, 0, 0}, v)
	}
	face := func(i int, velocity float64) float64 {
		q.Set(Node{i, 0, 0}, velocity)
		return g.faceTemperature(kernels.TVD, 0, Node{i, 0, 0}, q, temperature).value
	}
	near(t, "T_f", face(1, 1), 5./3, 1e-15)
	near(t, "T_f against the axis", face(1, -1), 3-2./3, 1e-15)
	near(t, "T_f beside the low wall", face(0, 1), 0.5, 0)
	near(t, "T_f beside the high wall", face(2, -1), 3.5, 0)
	near(t, "T_f central", g.faceTemperature(kernels.Central, 0, Node{1, 0, 0}, q, temperature).value, 2, 0)
	temperature.Set(Node{0, 0, 0}, 9)
	near(t, "T_f behind an extremum", face(1, 1), 1, 0)
	temperature.Set(Node{2, 0, 0}, 1)
	near(t, "T_f between equal values", face(1, 1), 1, 0)
}

// WENO5 on the means of a parabola over equal cells gives its value on the face, whichever way the flow; beside a jump
// it takes the parabola that does not cross it; where a node lies beyond the wall it is TVD.
func TestFaceTemperatureOfWENO5(t *testing.T) {
	const n = 9
	g := NewGrid(kernels.Float64, [3][]float64{Uniform(n-1, 1), nil, {1}}, [3]bool{})
	q, temperature := NewField(g.Box), NewField(g.Box)
	face := func(scheme kernels.Scheme, i int, velocity float64) float64 {
		q.Set(Node{i, 0, 0}, velocity)
		return g.faceTemperature(scheme, 0, Node{i, 0, 0}, q, temperature).value
	}
	for i := range n {
		x := float64(i)
		temperature.Set(Node{i, 0, 0}, x*x+1./12-3*x)
	}
	for _, velocity := range []float64{1, -1} {
		near(t, "T_f of a parabola", face(kernels.WENO5, 4, velocity), 4.5*4.5-3*4.5, 1e-13)
	}
	for i, wall := range []bool{true, true, false, false, false, false, false, true} {
		if same := face(kernels.WENO5, i, 1) == face(kernels.TVD, i, 1); same != wall {
			t.Errorf("face %d: as TVD is %v", i, same)
		}
	}
	for i, wall := range []bool{true, false, false, false, false, false, true, true} {
		if same := face(kernels.WENO5, i, -1) == face(kernels.TVD, i, -1); same != wall {
			t.Errorf("face %d against the axis: as TVD is %v", i, same)
		}
	}
	for i := 5; i < n; i++ {
		temperature.Set(Node{i, 0, 0}, 1e3)
	}
	// The others weigh (β_0/β)² ~ (1e-5)² and are 1e3 off.
	near(t, "T_f beside a jump", face(kernels.WENO5, 4, 1), 4.5*4.5-3*4.5, 1e-5)
}

// T_f of the TVD scheme lies between its two nodes.
func TestBetweenNeighbours(t *testing.T) {
	for _, s := range shapes() {
		if s.large() {
			continue
		}
		b := newBed(t)
		g := b.grid(s)
		q, temperature := b.flow(g), b.field(g)
		EachNode(g.Box, func(n Node) {
			for d := range n {
				if !g.inner(d, n) {
					continue
				}
				low, high := temperature.At(n), temperature.At(shift(n, d, 1))
				tf := g.faceTemperature(kernels.TVD, d, n, q[d], temperature).value
				if tf < math.Min(low, high)-1e-14 || tf > math.Max(low, high)+1e-14 {
					t.Errorf("%v: T_f = %v between %v and %v", s, tf, low, high)
				}
			}
		})
	}
}

// The heat gained by all nodes is what enters through the walls; a constant T gains T times the mass gained.
func TestHeatBalance(t *testing.T) {
	for i, s := range shapes() {
		if s.large() {
			continue
		}
		b := newBed(t)
		g := b.grid(s)
		q, temperature := b.flow(g), b.field(g)
		scheme := kernels.Scheme(i % len(schemeNames()))
		var inflow wallArrays
		inflow[kernels.Left] = numbers(g.Box.WallNodes(kernels.Left), b.number)
		var entering sum
		EachNode(g.Box, func(n Node) {
			for _, f := range g.faces(n) {
				tf := temperature.At(n)
				if f.side == kernels.Left && q.outflow(f) < 0 {
					tf = inflow[kernels.Left][wallIndex(g.Box, kernels.Left, n)]
				}
				if f.wall {
					entering.add(-f.area * q.outflow(f) * tf)
				}
			}
		})
		gain := g.advect(scheme, q, temperature, inflow).value
		all := reduce(kernels.Sum, g, gain, Field{}, 0, nil)
		near(t, s.String()+": Σ Out", all.value, entering.value, 1e-13*(all.size+entering.size))

		constant := g.advect(scheme, q, Field{g.Box, Uniform(g.Box.Len, 3)}, wallArrays{})
		EachNode(g.Box, func(n Node) {
			balance := g.imbalance(q, n)
			near(t, s.String()+": Out of a constant", constant.value.At(n), -3*balance.value, 1e-13*balance.size)
		})
	}
}

// On equal widths a linear T has r = 1, so that both schemes agree, and a uniform flow gains -V u·∇T inside.
func TestLinearTemperature(t *testing.T) {
	g := NewGrid(kernels.Float64, [3][]float64{Uniform(4, 0.5), Uniform(4, 0.25), Uniform(4, 1)}, [3]bool{})
	q := flow{{g.Box, Uniform(g.Box.Len, 2)}, {g.Box, Uniform(g.Box.Len, -1)}, {g.Box, Uniform(g.Box.Len, 3)}}
	temperature := evaluate(g, func(x [3]float64) float64 { return 1 + 4*x[0] - 8*x[1] + 0.5*x[2] })
	for number := range schemeNames() {
		out := g.advect(kernels.Scheme(number), q, temperature, wallArrays{})
		EachNode(g.Box, func(n Node) {
			if interior(g.Box, n) {
				near(t, "Out", out.value.At(n), -g.volume(n)*(2*4+8+1.5), 1e-14*out.size.At(n))
			}
		})
	}
}

// Conduction through T = 1 - 2z with D_z = 3: the mean flux is 6 and the dissipation 12 a volume; a flow Q_z = 5
// of T = 7 carries 35 a volume.
func TestConductionAndCarriedHeat(t *testing.T) {
	b := newBed(t)
	o := b.operator(setting{n: [3]int{4, 3, 6}, cells: "const"})
	o.K = [3]float64{1, 2, 3}
	volume := total(o.Box, func(n Node) sum { return exact(o.volume(n)) }).value
	conduction := evaluate(o.Grid, func(x [3]float64) float64 { return 1 - 2*x[2] })
	near(t, "heat conducted", o.heatFlux(kernels.TVD, 2, NewField(o.Box), conduction).value, 6*volume, 1e-13*volume)
	near(t, "dissipation", o.dissipation(conduction).value, 12*volume, 1e-13*volume)
	five, seven := Field{o.Box, Uniform(o.Box.Len, 5)}, Field{o.Box, Uniform(o.Box.Len, 7)}
	near(t, "heat carried", o.heatFlux(kernels.TVD, 2, five, seven).value, 35*volume, 1e-13*volume)
}

// On periodic axes every face counts once.
func TestPeriodicHeat(t *testing.T) {
	g := NewGrid(kernels.Float64, [3][]float64{{1, 2}, nil, {1, 1}}, [3]bool{true, false, true})
	o := &Operator{Grid: g, K: [3]float64{1, 1, 1}}
	temperature := NewField(g.Box)
	temperature.Set(Node{1, 0, 0}, 1)
	temperature.Set(Node{1, 0, 1}, 1)
	g.wrapHalo(temperature)
	near(t, "dissipation", o.dissipation(temperature).value, 2*(1+0.5), 1e-15)
	one := Field{g.Box, Uniform(g.Box.Len, 1)}
	near(t, "heat along x", o.heatFlux(kernels.Central, 0, one, temperature).value, 2*(0.5*1+0.5*2), 1e-15)
}
