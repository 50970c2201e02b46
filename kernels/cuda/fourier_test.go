package cuda_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"convect/kernels"
	"convect/kernels/cuda"
	"convect/kernels/cuda/emulation"
	"convect/stencil"
)

// TestFastSolve solves separable operators with fast transforms to rounding, with all kinds of ends, and along one axis or both.
func TestFastSolve(t *testing.T) {
	for seed := range uint64(60) {
		rng := rand.New(rand.NewPCG(seed, 5))
		lengths := []int{8, 9, 11, 12, 13, 14, 15, 16, 17, 18, 20, 24, 25, 27, 68, 152}
		e := stencil.Extent{Size: [3]float64{1, 0.7, 0.5}}
		for d := range e.Cells {
			e.Cells[d] = lengths[rng.IntN(len(lengths))]
			e.Periodic[d] = d != kernels.Z && rng.IntN(3) == 0
		}
		if rng.IntN(4) == 0 {
			e.Cells[kernels.Y], e.Size[kernels.Y], e.Periodic[kernels.Y] = 0, 0, false
		}
		var fixed []kernels.Side
		for side := kernels.Side(0); side < 6; side++ {
			if d := int(side) / 2; e.Cells[d] > 0 && !e.Periodic[d] && rng.IntN(3) == 0 {
				fixed = append(fixed, side)
			}
		}
		points := []kernels.Stencil{kernels.SevenPoint, kernels.TwentySevenPoint}[rng.IntN(2)]
		t.Run(fmt.Sprintf("%v/periodic %v/fixed %v/%d points", e.Cells, e.Periodic, fixed, points.Points()), func(t *testing.T) {
			l := listener{emulation.New(emulation.Options{}), map[string]int{}}
			d := must[*cuda.Device](t)(cuda.New(l))
			defer d.Close()
			fastSolve(t, d, e, fixed, points, rng)
			axes := 0
			for axis := range 2 {
				n, kind := e.Cells[axis]+1, kernels.Cosines
				if e.Periodic[axis] {
					n, kind = n-1, kernels.PeriodicWaves
				}
				if e.Cells[axis] > 0 && d.TransformsFast(kernels.FastTransformArgs{Box: kernels.NewBox([3]int{n, n, n}, false), Axis: axis, Waves: kind}) {
					axes++
				}
			}
			if got := l.heard["fast_transform_f64"] + l.heard["fast_mirrored_f64"]; got != 2*axes {
				t.Errorf("%d fast transforms along %d axes: %v", got, axes, l.heard)
			}
		})
	}
}

// fastSolve solves for a random right side in float64.
func fastSolve(t *testing.T, d *cuda.Device, e stencil.Extent, sides []kernels.Side, points kernels.Stencil, rng *rand.Rand) {
	t.Helper()
	g := must[*stencil.Grid](t)(stencil.NewGrid(d, kernels.Float64, e))
	var walls [6][]bool
	for _, s := range sides {
		walls[s] = make([]bool, g.Box.WallNodes(s))
		for n := range walls[s] {
			walls[s][n] = true
		}
	}
	b := must[*stencil.Boundary](t)(stencil.NewBoundary(g, walls))
	o := must[*stencil.Operator](t)(stencil.NewOperator(b, stencil.Coefficients{Stencil: points, Constant: [3]float64{1, 2, 0.5}}))
	s := must[*stencil.Separable](t)(stencil.NewSeparable(o))
	defer s.Free()
	var fields [3]*stencil.Field // the right side, the solution, and what is left
	for i := range fields {
		fields[i] = must[*stencil.Field](t)(g.NewField("test", b))
	}
	values := make([]float64, g.Nodes())
	for n := range values {
		values[n] = rng.NormFloat64()
	}
	fields[0].Upload(values)
	if o.Singular() {
		fields[0].RemoveMean(true)
	}
	s.Solve(fields[1], fields[0])
	o.Residual(fields[2], fields[0], fields[1])
	norm := func(f *stencil.Field) (sum float64) {
		for _, v := range must[[]float64](t)(f.Download()) {
			sum += v * v
		}
		return math.Sqrt(sum)
	}
	if left := norm(fields[2]) / norm(fields[0]); !(left < 1e-11) {
		t.Errorf("the residual is %g of the right side", left)
	}
}
