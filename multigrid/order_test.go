package multigrid

import (
	"fmt"
	"math"
	"testing"

	"convect/kernels"
	"convect/stencil"
)

// TestSecondOrder solves -∇²u = f with u = Π shape_d(x_d) on two grids. The shapes make each pair of walls Dirichlet
// (sin πx + 1/2), Neumann (cos πx), one of each, or periodic (sin 2πx).
func TestSecondOrder(t *testing.T) {
	dirichlet := shape{func(x float64) float64 { return math.Sin(math.Pi*x) + 0.5 }, func(x float64) float64 { return -math.Pi * math.Pi * math.Sin(math.Pi*x) }, true, true, false}
	neumann := shape{func(x float64) float64 { return math.Cos(math.Pi * x) }, func(x float64) float64 { return -math.Pi * math.Pi * math.Cos(math.Pi*x) }, false, false, false}
	oneEach := shape{func(x float64) float64 { return math.Cos(math.Pi * x / 2) }, func(x float64) float64 { return -math.Pi * math.Pi / 4 * math.Cos(math.Pi*x/2) }, false, true, false}
	wrapped := shape{func(x float64) float64 { return math.Sin(2 * math.Pi * x) }, func(x float64) float64 { return -4 * math.Pi * math.Pi * math.Sin(2*math.Pi*x) }, false, false, true}
	dev := device(t)
	for name, axes := range map[string][3]shape{
		"dirichlet": {dirichlet, dirichlet, dirichlet}, "neumann": {neumann, neumann, neumann}, "periodic": {wrapped, wrapped, wrapped},
		"mixed": {neumann, wrapped, dirichlet}, "one of each": {oneEach, neumann, oneEach},
	} {
		for _, flat := range []bool{false, true} {
			t.Run(fmt.Sprintf("%s/flat=%v", name, flat), func(t *testing.T) {
				var e [2]float64
				for n, cells := range []int{16, 32} {
					e[n] = discretisationError(t, dev, problem{}, axes, cells, flat)
				}
				if order := math.Log2(e[0] / e[1]); !(order > 1.95 && order < 2.1) {
					t.Errorf("order %.3f (errors %.3g, %.3g)", order, e[0], e[1])
				}
			})
		}
	}
}

// shape is a factor of a manufactured solution with its second derivative.
type shape struct {
	u, second           func(x float64) float64
	fixedLow, fixedHigh bool
	periodic            bool
}

// discretisationError returns the volume-weighted L2 error of the solution on a grid of the given cells; p has the rest.
func discretisationError(t *testing.T, dev kernels.Device, p problem, axes [3]shape, cells int, flat bool) float64 {
	t.Helper()
	p.cells = cube(cells)
	if flat {
		p.cells = square(cells)
	}
	p.between(&axes)
	s, u, f := p.solver(t, dev, Options{Tolerance: 1e-10})
	o := s.op
	exact, source, volume := manufactured(o.Grid, axes)
	f.Upload(source)
	start := append([]float64(nil), exact...)
	for n, free := range freeNodes(t, o) { // only the fixed nodes know the solution
		if free {
			start[n] = 0
		}
	}
	u.Upload(start)
	must[Result](t)(s.Solve(u, f, 0))
	square, total := 0.0, 0.0
	for n, v := range download(t, u) {
		square += volume[n] * (v - exact[n]) * (v - exact[n])
		total += volume[n]
	}
	return math.Sqrt(square / total)
}

// freeNodes tells which nodes the operator leaves free: where one Jacobi sweep from zero moves away from zero.
func freeNodes(t testing.TB, o *stencil.Operator) []bool {
	t.Helper()
	one, out := newField(t, o), newField(t, o)
	one.Fill(1)
	o.Smooth(out, nil, one, 1)
	free := make([]bool, o.Grid.Nodes())
	for n, v := range download(t, out) {
		free[n] = v != 0
	}
	return free
}

// manufactured returns solution, integrated right side and dual volumes on the nodes of a grid.
func manufactured(g *stencil.Grid, axes [3]shape) (exact, source, volume []float64) {
	x := [3][]float64{g.Coordinates(0), g.Coordinates(1), g.Coordinates(2)}
	for n := range g.Nodes() {
		ijk := [3]int{n % g.Box.N[0], n / g.Box.N[0] % g.Box.N[1], n / (g.Box.N[0] * g.Box.N[1])}
		v, u, laplacian := 1.0, 1.0, 0.0
		for d, i := range ijk {
			v *= g.DualWidth(d, i)
			u *= axes[d].u(x[d][i])
			term := axes[d].second(x[d][i])
			for o, j := range ijk {
				if o != d {
					term *= axes[o].u(x[o][j])
				}
			}
			laplacian += term
		}
		exact, source, volume = append(exact, u), append(source, -laplacian*v), append(volume, v)
	}
	return exact, source, volume
}
