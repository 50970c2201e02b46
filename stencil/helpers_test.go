package stencil

import (
	"math"
	"math/rand/v2"
	"testing"

	"convect/kernels"
	"convect/kernels/cpu"
)

// device opens the cpu backend for one test.
func device(t testing.TB) kernels.Device {
	t.Helper()
	dev, err := cpu.New(cpu.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := dev.Close(); err != nil {
			t.Error(err)
		}
	})
	return dev
}

// must ends the test on an error.
func must[T any](t testing.TB) func(v T, err error) T {
	return func(v T, err error) T {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		return v
	}
}

// graded returns n widths that grow by the factor r from cell to cell and sum to length.
func graded(n int, length, r float64) []float64 {
	w := make([]float64, n)
	sum := 0.0
	for i := range w {
		w[i] = math.Pow(r, float64(i))
		sum += w[i]
	}
	for i := range w {
		w[i] *= length / sum
	}
	return w
}

// gradedGrid returns a grid of three different gradings; flat leaves y out.
func gradedGrid(t testing.TB, dev kernels.Device, flat bool) *Grid {
	t.Helper()
	widths := [3][]float64{graded(8, 1.5, 1.2), graded(6, 1, 0.8), graded(10, 0.7, 1.1)}
	if flat {
		widths[1] = nil
	}
	return must[*Grid](t)(newGrid(dev, kernels.Float64, widths, [3]bool{}))
}

// walls returns wall arrays in which whole sides are fixed.
func walls(g *Grid, sides ...kernels.Side) [6][]bool {
	var fixed [6][]bool
	for _, s := range sides {
		fixed[s] = make([]bool, g.Box.WallNodes(s))
		for n := range fixed[s] {
			fixed[s][n] = true
		}
	}
	return fixed
}

// nodes evaluates f on the nodes of a grid, [z][y][x].
func nodes(g *Grid, f func(x, y, z float64) float64) []float64 {
	x, y, z := g.Coordinates(0), g.Coordinates(1), g.Coordinates(2)
	v := make([]float64, 0, g.Nodes())
	for k := range z {
		for j := range y {
			for i := range x {
				v = append(v, f(x[i], y[j], z[k]))
			}
		}
	}
	return v
}

// field makes a field from host values.
func field(t testing.TB, g *Grid, v []float64) *Field {
	t.Helper()
	f := must[*Field](t)(g.NewField("test", nil))
	f.Upload(v)
	return f
}

func download(t testing.TB, f *Field) []float64 {
	t.Helper()
	return must[[]float64](t)(f.Download())
}

// noise returns n seeded values in [-1, 1].
func noise(n int, seed uint64) []float64 {
	r := rand.New(rand.NewPCG(seed, 7))
	v := make([]float64, n)
	for i := range v {
		v[i] = 2*r.Float64() - 1
	}
	return v
}

// lognormal returns exp(spread * noise).
func lognormal(n int, spread float64, seed uint64) []float64 {
	v := noise(n, seed)
	for i := range v {
		v[i] = math.Exp(spread * v[i])
	}
	return v
}

// cellValues downloads the conductivity of an operator's cells along axis d.
func cellValues(t testing.TB, o *Operator, d int) []float64 {
	t.Helper()
	n, nodes := o.Grid.CellShape(), o.Grid.Box.N
	f := Field{Name: "cells", Grid: o.Grid, Buffer: o.elliptic.Cells[d]}
	var v []float64
	for at, k := range download(t, &f) {
		if i, j, l := at%nodes[0], at/nodes[0]%nodes[1], at/(nodes[0]*nodes[1]); i < n[0] && j < n[1] && l < n[2] {
			v = append(v, k)
		}
	}
	return v
}

func cellCount(g *Grid) int { n := g.CellShape(); return n[0] * n[1] * n[2] }

func sum(v []float64) float64 {
	s := 0.0
	for _, x := range v {
		s += x
	}
	return s
}

func dot(a, b []float64) float64 {
	s := 0.0
	for i := range a {
		s += a[i] * b[i]
	}
	return s
}

func maxAbs(v []float64) float64 {
	m := 0.0
	for _, x := range v {
		m = math.Max(m, math.Abs(x))
	}
	return m
}

// near fails where a and b differ by more than tolerance times scale.
func near(t testing.TB, what string, a, b, tolerance, scale float64) {
	t.Helper()
	if !(math.Abs(a-b) <= tolerance*scale) {
		t.Errorf("%s: %.17g, want %.17g (difference %.3g, allowed %.3g)", what, a, b, a-b, tolerance*scale)
	}
}

// inner tells whether node n of a grid lies on no wall.
func inner(g *Grid, n int) bool {
	ijk := [3]int{n % g.Box.N[0], n / g.Box.N[0] % g.Box.N[1], n / (g.Box.N[0] * g.Box.N[1])}
	for d, i := range ijk {
		if g.Cells[d] > 0 && !g.Periodic[d] && (i == 0 || i == g.Box.N[d]-1) {
			return false
		}
	}
	return true
}

// volume returns the dual volumes, [z][y][x].
func volume(g *Grid) []float64 {
	v := make([]float64, g.Nodes())
	for n := range v {
		v[n] = g.DualWidth(0, n%g.Box.N[0]) * g.DualWidth(1, n/g.Box.N[0]%g.Box.N[1]) * g.DualWidth(2, n/(g.Box.N[0]*g.Box.N[1]))
	}
	return v
}
