package ranks_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"convect/kernels"
	"convect/kernels/cuda/emulation"
	"convect/kernels/ranks"
	"convect/stencil"
)

// Direct solves of ranks, which transform and solve in columns, have the bits of one device, on GPUs its results: with constants in the null space and fixed walls, where lines are
// transformed by products and fast; also where one array is read and written while columns hold it.
func TestSolvesAcrossColumns(t *testing.T) {
	extents := []stencil.Extent{
		{Cells: [3]int{21, 30, 9}, Size: [3]float64{2, 3, 1}},
		{Cells: [3]int{30, 64, 5}, Size: [3]float64{1, 2, 0.3}, Periodic: [3]bool{false, true, false}},
		{Cells: [3]int{3, 60, 4}, Size: [3]float64{0.1, 2, 0.3}},
		{Cells: [3]int{9, 41, 10}, Size: [3]float64{1, 2, 0.9}}, // of which GPUs solve systems along y, also with graded y and periodic x
		{Cells: [3]int{12, 30, 12}, Size: [3]float64{1, 2, 0.9}, Periodic: [3]bool{true, false, false}, Grading: [3]stencil.Grading{1: {Ratio: 3, Cluster: stencil.ClusterLow}}},
	}
	const firstTurned = 3
	o := ranks.Options{Rows: 2, Gather: -1, Poison: true}
	for _, of := range []struct {
		name string
		off  float64 // of the largest result
		open func(size int) kernels.Device
	}{
		{"cores", 0, func(size int) kernels.Device { return open(t, size, o) }},
		{"linked", 0, func(size int) kernels.Device { return openLinked(t, size, o) }},
		{"GPUs", 1e-13, func(size int) kernels.Device { return openGPUs(t, size, emulation.Options{}, o).Whole() }},
		{"GPUs apart", 1e-13, func(size int) kernels.Device { return openGPUs(t, size, emulation.Options{Apart: true}, o).Whole() }},
	} {
		for n, e := range extents {
			for _, walls := range [][]kernels.Side{nil, {kernels.Top}, {kernels.Front}, {kernels.Back, kernels.Bottom}} {
				if n >= firstTurned && of.off == 0 { // cores have no systems along y
					continue
				}
				if e.Periodic[kernels.Y] && len(walls) > 0 && walls[0] != kernels.Top {
					continue
				}
				t.Run(fmt.Sprint(of.name, " ", n, " ", walls), func(t *testing.T) {
					want := directly(t, of.open(1), e, walls)
					for _, size := range []int{2, 3} {
						got, worst, most := directly(t, of.open(size), e, walls), 0.0, 0.0
						for n := range want {
							worst, most = max(worst, math.Abs(got[n]-want[n])), max(most, math.Abs(want[n]))
						}
						// GPUs transform lines in pairs, and others where slabs begin elsewhere; or they have other vectors.
						off := of.off
						if n >= firstTurned {
							off *= 10
						}
						if !(worst <= off*most) || len(got) != len(want) {
							t.Errorf("%d ranks differ by %g of %g", size, worst, most)
						}
					}
				})
			}
		}
	}
}

// Systems along y are cut between GPUs that have enough rows each.
func TestTurns(t *testing.T) {
	box, flat := kernels.NewBox([3]int{5, 16, 20}, false), kernels.NewBox([3]int{5, 15, 20}, false)
	for name, c := range map[string]struct {
		d    kernels.Device
		want bool
	}{
		"cores":  {open(t, 2, ranks.Options{Rows: 2, Gather: -1}), false},
		"a GPU":  {openGPUs(t, 1, emulation.Options{}, ranks.Options{Rows: 2, Gather: -1}).Whole(), false},
		"GPUs":   {openGPUs(t, 2, emulation.Options{}, ranks.Options{Rows: 2, Gather: -1}).Whole(), true},
		"linked": {linkedGPUs(t, 2, false, ranks.Options{Rows: 2, Gather: -1}), true},
	} {
		turner, ok := c.d.(kernels.Turner)
		if got := ok && turner.Turns(box); got != c.want {
			t.Errorf("%s: %v", name, got)
		}
		if ok && turner.Turns(flat) {
			t.Errorf("%s: with seven rows of a rank", name)
		}
		if err := c.d.Close(); err != nil {
			t.Error(err)
		}
	}
}

// directly solves twice, with kernels on what columns hold, and returns all results.
func directly(t *testing.T, d kernels.Device, e stencil.Extent, sides []kernels.Side) (all []float64) {
	defer d.Close()
	g := must(stencil.NewGrid(d, kernels.Float64, e))(t)
	var walls [6][]bool
	for _, s := range sides {
		walls[s] = slices.Repeat([]bool{true}, g.Box.WallNodes(s))
	}
	b := must(stencil.NewBoundary(g, walls))(t)
	op := must(stencil.NewOperator(b, stencil.Coefficients{Constant: [3]float64{1, 2, 0.5}}))(t)
	s := must(stencil.NewSeparable(op))(t)
	defer s.Free()
	field := func() *stencil.Field { return must(g.NewField("test", b))(t) }
	f, u, v := field(), field(), field()
	rng, values := rand.New(rand.NewPCG(1, 2)), make([]float64, g.Nodes())
	for n := range values {
		values[n] = rng.NormFloat64()
	}
	f.Upload(values)
	s.Solve(u, f)
	all = append(all, must(u.Download())(t)...)
	s.Solve(v, u)
	all = append(all, must(v.Download())(t)...)
	all = append(all, must(u.Download())(t)...)
	// One array after the other through the columns, by a matrix, and what they hold read, overwritten and freed.
	n := g.Box.N[kernels.Y]
	rows, pitch := kernels.TransformRows(n, kernels.Whole)
	matrix := make([]float64, rows*pitch)
	for i := range matrix {
		matrix[i] = rng.NormFloat64()
	}
	m := must(d.Alloc(kernels.Float64, len(matrix)))(t)
	d.Upload(m, matrix)
	along := func(out, in *stencil.Field) {
		d.Transform(kernels.TransformArgs{Box: g.Box, Axis: kernels.Y, Matrix: m, Entries: len(matrix), Out: out.Buffer, In: in.Buffer})
	}
	along(u, f)
	along(v, f)
	all = append(all, must(u.Download())(t)...)
	d.Copy(kernels.CopyArgs{Dst: f.Buffer, Src: u.Buffer})
	along(f, v)
	along(u, f)
	along(f, u)
	u.Free()
	all = append(all, must(f.Download())(t)...)
	all = append(all, must(v.Download())(t)...)
	if err := d.Sync(); err != nil {
		t.Fatal(err)
	}
	return all
}
