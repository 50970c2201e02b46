package cuda_test

import (
	"math"
	"testing"

	"convect/kernels"
	"convect/kernels/cuda"
	"convect/kernels/cuda/emulation"
	"convect/stencil"
)

// TestFactorsFollowTheOperator solves on a coarse grid before and after its conductivities have changed, and after a plan was made, which runs
// nothing: the factors that are kept are always those of the operator.
func TestFactorsFollowTheOperator(t *testing.T) {
	for _, points := range []kernels.Stencil{kernels.SevenPoint, kernels.TwentySevenPoint} {
		d := must[*cuda.Device](t)(cuda.New(emulation.New(emulation.Options{})))
		defer d.Close()
		cells := [3]int{5, 3, 4}
		k := make([]float64, cells[0]*cells[1]*cells[2])
		for c := range k {
			k[c] = float64(1 + c%7)
		}
		g := must[*stencil.Grid](t)(stencil.NewGrid(d, kernels.Float64, stencil.Extent{Cells: cells, Size: [3]float64{1, 1, 1}}))
		b := must[*stencil.Boundary](t)(stencil.NewBoundary(g, [6][]bool{}))
		o := must[*stencil.Operator](t)(stencil.NewOperator(b, stencil.Coefficients{Stencil: points, Cells: [3][]float64{k, k, k}}))
		if err := o.PrepareCoarse(); err != nil {
			t.Fatal(err)
		}
		u, f, r := must[*stencil.Field](t)(g.NewField("u", b)), must[*stencil.Field](t)(g.NewField("f", b)), must[*stencil.Field](t)(g.NewField("r", b))
		values := make([]float64, g.Nodes())
		for n := range values {
			values[n] = math.Sin(float64(n * n % 1009))
		}
		solve := func(when string) {
			f.Upload(values)
			f.RemoveMean(true)
			o.SolveCoarse(u, f)
			o.Residual(r, f, u)
			for n, v := range must[[]float64](t)(r.Download()) {
				if !(math.Abs(v) < 1e-13) {
					t.Fatalf("%d points, %s: the residual of node %d is %g", points.Points(), when, n, v)
				}
			}
		}
		solve("first")
		solve("again")
		other := make([]float64, g.Nodes()) // of cells, laid out like nodes
		for n := range other {
			if i, j := n%6, n/6%4; i < cells[0] && j < cells[1] && n/24 < cells[2] {
				other[n] = float64(2 + n%3)
			}
		}
		d.UploadBox(o.Elliptic().Cells[kernels.X], g.Box, other)
		o.Refresh()
		solve("changed")
		o.FactorAgain()
		if plan := d.Plan(func() { o.SolveCoarse(u, f) }); len(plan) != 1 || plan[0].Call != "SolveFactored" {
			t.Errorf("%d points: planned are %v", points.Points(), plan)
		}
		o.FactorAgain()
		solve("planned")
	}
}
