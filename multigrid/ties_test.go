package multigrid

import (
	"fmt"
	"math"
	"testing"

	"convect/kernels"
	"convect/stencil"
)

// tiedLayer is a box, graded along z, whose bottom is tied by h and whose top is fixed.
func tiedLayer(t *testing.T, s kernels.Stencil, h float64) *stencil.Operator {
	t.Helper()
	e := stencil.Extent{Cells: [3]int{16, 0, 32}, Size: [3]float64{1, 0, 1}}
	e.Grading[kernels.Z] = stencil.Grading{Cluster: stencil.ClusterBoth, Ratio: 4}
	g := must[*stencil.Grid](t)(stencil.NewGrid(device(t), kernels.Float64, e))
	top := make([]bool, g.Box.WallNodes(kernels.Top))
	for n := range top {
		top[n] = true
	}
	b := must[*stencil.Boundary](t)(stencil.NewBoundary(g, [6][]bool{kernels.Top: top}))
	ties := make([]float64, g.Nodes())
	for n := range g.Box.N[0] {
		ties[n] = h * g.WallArea(kernels.Bottom, n)
	}
	return must[*stencil.Operator](t)(stencil.NewOperator(b, stencil.Coefficients{Stencil: s, Constant: [3]float64{1, 1, 1}, Ties: ties}))
}

// TestTiesOfAnySizeAreSolved checks u = (1 - z) h/(1 + h), which a source h at the tied wall makes: it is in the space of both stencils.
func TestTiesOfAnySizeAreSolved(t *testing.T) {
	for _, h := range []float64{1e-8, 1e-2, 1, 100, 1e4, 1e8} {
		for _, s := range []kernels.Stencil{kernels.SevenPoint, kernels.TwentySevenPoint} {
			for name, opt := range map[string]Options{"float64": {}, "mixed": {Mixed: true}, "multigrid": {Method: Multigrid}} {
				t.Run(fmt.Sprintf("%g/%d/%s", h, s.Points(), name), func(t *testing.T) {
					o := tiedLayer(t, s, h)
					opt.Tolerance = 1e-11
					solver := must[*Solver](t)(New(o, opt))
					defer solver.Free()
					u, f := newField(t, o), newField(t, o)
					rhs := make([]float64, o.Grid.Nodes())
					for n := range o.Grid.Box.N[0] {
						rhs[n] = h * o.Grid.WallArea(kernels.Bottom, n)
					}
					f.Upload(rhs)
					r := must[Result](t)(solver.Solve(u, f, min(1, h))) // what flows is at most 1
					if r.Iterations > 20 {
						t.Errorf("%d iterations", r.Iterations)
					}
					x, z := o.Grid.Box.N[0], o.Grid.Coordinates(2)
					for n, v := range download(t, u) {
						if want := (1 - z[n/x]) * h / (1 + h); math.Abs(v-want) > 1e-8*h/(1+h) {
							t.Fatalf("node %d: %g, not %g", n, v, want)
						}
					}
				})
			}
		}
	}
}
