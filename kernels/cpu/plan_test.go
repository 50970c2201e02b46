package cpu_test

import (
	"testing"

	"convect/kernels"
	"convect/kernels/cpu"
	"convect/multigrid"
	"convect/stencil"
)

// TestPlan compares the kernels and reasons that a plan names on the finest level, and checks that a plan runs nothing.
func TestPlan(t *testing.T) {
	d, err := cpu.New(cpu.Options{Threads: 2, Instruction: "baseline"})
	if err != nil {
		t.Fatal(err)
	}
	defer d.Close()
	one := [3]float64{1, 1, 1}
	k := make([]float64, 32*16*16)
	other := make([]float64, len(k))
	for c := range k {
		k[c], other[c] = float64(1+c%5), float64(1+c%3)
	}
	grade := func(axis int) (g [3]stencil.Grading) {
		g[axis] = stencil.Grading{Ratio: 2, Cluster: stencil.ClusterLow}
		return g
	}
	for name, c := range map[string]struct {
		grading        [3]stencil.Grading
		elem           kernels.Elem
		of             stencil.Coefficients
		kernel, reason string
	}{
		"even":      {elem: kernels.Float64, of: stencil.Coefficients{Constant: one}, kernel: "descend_7_even_baseline_f64"},
		"trilinear": {of: stencil.Coefficients{Constant: one, Stencil: kernels.TwentySevenPoint}, kernel: "descend_27_even_baseline_f32"},
		"graded in x": {grading: grade(0), of: stencil.Coefficients{Constant: one}, kernel: "descend_7_graded_baseline_f32",
			reason: "a width of x differs"},
		"graded in z": {grading: grade(2), of: stencil.Coefficients{Constant: one}, kernel: "descend_7_even_x_baseline_f32",
			reason: "a width of z differs"},
		"cells": {of: stencil.Coefficients{Cells: [3][]float64{k, k, k}}, kernel: "descend_7_faces_baseline_f32"},
		"three": {of: stencil.Coefficients{Cells: [3][]float64{k, other, k}}, kernel: "descend_7_faces_baseline_f32"},
		"trilinear cells": {of: stencil.Coefficients{Cells: [3][]float64{k, k, k}, Stencil: kernels.TwentySevenPoint}, kernel: "descend_27_cells_baseline_f32",
			reason: "K on cells"},
	} {
		t.Run(name, func(t *testing.T) {
			extent := stencil.Extent{Cells: [3]int{32, 16, 16}, Size: [3]float64{32, 16, 16}, Grading: c.grading}
			g := must[*stencil.Grid](t)(stencil.NewGrid(d, c.elem, extent))
			b := must[*stencil.Boundary](t)(stencil.NewBoundary(g, [6][]bool{}))
			o := must[*stencil.Operator](t)(stencil.NewOperator(b, c.of))
			s := must[*multigrid.Solver](t)(multigrid.New(o, multigrid.Options{Smoother: multigrid.Chebyshev, Pre: 2, Post: 2}))
			u, f := must[*stencil.Field](t)(g.NewField("u", b)), must[*stencil.Field](t)(g.NewField("f", b))
			f.Fill(1)
			plans := s.Plan(u, f, multigrid.FromGuess)
			if u.Reduce(kernels.MaxAbs, nil, 0); must[[]float64](t)(d.Scalars())[0] != 0 {
				t.Error("a plan wrote to the solution")
			}
			for _, choice := range plans[0].Choices {
				if choice.Call != "Descend" {
					continue
				}
				if len(choice.Kernels) != 1 || choice.Kernels[0] != c.kernel || choice.Reason != c.reason {
					t.Errorf("%+v, not %s (%s)", choice, c.kernel, c.reason)
				}
				return
			}
			t.Errorf("no way down in %+v", plans[0])
		})
	}
}

// must ends a test at an error.
func must[T any](t *testing.T) func(v T, err error) T {
	return func(v T, err error) T {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		return v
	}
}
