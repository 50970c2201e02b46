package cuda_test

import (
	"math"
	"strings"
	"testing"

	"convect/kernels"
	"convect/kernels/cuda"
	"convect/kernels/cuda/emulation"
	"convect/stencil"
)

// TestFoldedSolve solves directly where both ends of each axis are alike, and elsewhere not so, on grids of several tiles.
func TestFoldedSolve(t *testing.T) {
	all := []kernels.Side{kernels.Left, kernels.Right, kernels.Front, kernels.Back, kernels.Bottom, kernels.Top}
	for _, c := range []struct {
		cells    [3]int
		fixed    []kernels.Side
		periodic [3]bool
		folded   int // calls of its kernels
	}{
		{[3]int{19, 18, 17}, all, [3]bool{}, 1},
		{[3]int{17, 19, 18}, all[4:], [3]bool{}, 1},
		{[3]int{18, 5, 16}, all[2:], [3]bool{true}, 1},
		{[3]int{6, 17, 19}, all[4:], [3]bool{true, true}, 1},
		{[3]int{19, 18, 17}, all[:5], [3]bool{}, 0},
		{[3]int{21, 18, 17}, all, [3]bool{}, 0},
	} {
		for _, points := range []kernels.Stencil{kernels.SevenPoint, kernels.TwentySevenPoint} {
			l := listener{emulation.New(emulation.Options{}), map[string]int{}}
			d := must[*cuda.Device](t)(cuda.New(l))
			d.MixSizes()
			left := directSolve(t, d, c.cells, c.fixed, c.periodic, points)
			got := 0
			for kernel, times := range l.heard {
				if strings.HasPrefix(kernel, "fold_forth") {
					got += times
				}
			}
			if got != c.folded {
				t.Errorf("%+v: %d folded solves, %v", c, got, l.heard)
			}
			if !(left < directRoundings) {
				t.Errorf("%+v, %d points: residual of %g roundings", c, points.Points(), left)
			}
		}
	}
}

// must ends the test on an error.
func must[T any](t *testing.T) func(v T, err error) T {
	return func(v T, err error) T {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		return v
	}
}

// directRoundings bounds those of a direct solve: each transform of three makes one of its sums, there and back, and λ one of its quotient.
const directRoundings = 8

// directSolve solves in float32 on a unit box and returns the residual over what one rounding of the right side and of the solution makes of it, if
// all of the latter falls to the stiffest error.
func directSolve(t *testing.T, d *cuda.Device, cells [3]int, sides []kernels.Side, periodic [3]bool, points kernels.Stencil) float64 {
	t.Helper()
	defer d.Close()
	g := must[*stencil.Grid](t)(stencil.NewGrid(d, kernels.Float32, stencil.Extent{Cells: cells, Size: [3]float64{1, 1, 1}, Periodic: periodic}))
	var walls [6][]bool
	for _, s := range sides {
		if !g.Wall(s) {
			continue
		}
		walls[s] = make([]bool, g.Box.WallNodes(s))
		for n := range walls[s] {
			walls[s][n] = true
		}
	}
	b := must[*stencil.Boundary](t)(stencil.NewBoundary(g, walls))
	o := must[*stencil.Operator](t)(stencil.NewOperator(b, stencil.Coefficients{Stencil: points, Constant: [3]float64{1, 1, 1}}))
	if err := o.PrepareCoarse(); err != nil {
		t.Fatal(err)
	}
	var fields [3]*stencil.Field
	for n := range fields {
		fields[n] = must[*stencil.Field](t)(g.NewField("field", b))
	}
	u, f, r := fields[0], fields[1], fields[2]
	values := make([]float64, g.Nodes())
	for n := range values {
		values[n] = math.Sin(float64(n * n % 1009))
	}
	f.Upload(values)
	o.SolveCoarse(u, f)
	o.Residual(r, f, u)
	norm := func(x *stencil.Field) float64 {
		x.Grid.Device.Reduce(kernels.ReduceArgs{Kind: kernels.Dot, Box: g.Box, X: x.Buffer, Y: x.Buffer, Mask: b.Mask, Slot: 0})
		return math.Sqrt(must[[]float64](t)(d.Scalars())[0])
	}
	stiffest, volume := 0.0, 1.0
	for _, n := range cells {
		stiffest += 4 * float64(n*n)
		volume /= float64(n)
	}
	return norm(r) / (0x1p-24 * (norm(f) + stiffest*volume*norm(u)))
}
