package multigrid

import (
	"math"
	"strings"
	"testing"

	"convect/kernels"
	"convect/kernels/cpu"
	"convect/kernels/cuda"
	"convect/kernels/cuda/emulation"
	"convect/stencil"
)

// TestDirect solves to 1e-10 with few solves, in all precisions, where New chooses it and where it is asked for.
func TestDirect(t *testing.T) {
	dev := must[*cpu.Device](t)(cpu.New(cpu.Options{}))
	t.Cleanup(func() { dev.Close() })
	jumps := func(n [3]int) []float64 {
		k := make([]float64, n[0]*max(1, n[1])*n[2])
		for c := range k {
			k[c] = math.Pow(10, float64(c/(n[0]*max(1, n[1]))%4))
		}
		return k
	}
	for name, c := range map[string]struct {
		problem
		options Options
		most    int
	}{
		"graded":              {problem{cells: cube(24), fixed: mixed, grading: [3]stencil.Grading{narrow(10), narrow(4), narrow(10)}}, Options{Mixed: true}, 4},
		"graded, closed":      {problem{cells: cube(24), grading: [3]stencil.Grading{narrow(10), narrow(4), narrow(10)}}, Options{Mixed: true}, 4},
		"graded, float64":     {problem{cells: cube(24), fixed: mixed, grading: [3]stencil.Grading{2: narrow(10)}}, Options{}, 1},
		"graded, mass":        {problem{cells: cube(24), mass: 1e4, grading: [3]stencil.Grading{2: narrow(10)}}, Options{Mixed: true}, 3},
		"layers":              {problem{cells: cube(24), layout: jumps}, Options{Mixed: true}, 5},
		"layers, 27, 2-D":     {problem{cells: square(40), fixed: mixed, layout: jumps, stencil: kernels.TwentySevenPoint}, Options{Mixed: true}, 5},
		"even, asked for":     {problem{cells: cube(24), fixed: mixed}, Options{Mixed: true, Method: Direct}, 4},
		"awkward, 27 points":  {problem{cells: [3]int{13, 17, 11}, stencil: kernels.TwentySevenPoint}, Options{Mixed: true, Method: Direct}, 4},
		"periodic, asked for": {problem{cells: cube(20), periodic: [3]bool{true, true, false}, fixed: mixed}, Options{Mixed: true, Method: Direct}, 4},
	} {
		t.Run(name, func(t *testing.T) {
			c.options.Tolerance = 1e-10
			s, u, f := c.solver(t, dev, c.options)
			defer s.Free()
			if s.Options().Method != Direct || len(s.Levels()) != 1 {
				t.Fatalf("method %s with %d levels", s.Options().Method, len(s.Levels()))
			}
			smoothRightSide(f)
			r, err := s.Solve(u, f, 0)
			if err != nil {
				t.Fatal(err)
			}
			if r.Iterations > c.most {
				t.Errorf("%d solves, more than %d: %.1e", r.Iterations, c.most, r.Residuals)
			}
			if w := s.Warnings(); len(w) > 0 {
				t.Errorf("warns: %q", w)
			}
		})
	}
	t.Run("not separable", func(t *testing.T) {
		p := problem{cells: cube(16), layout: func(n [3]int) []float64 { return lognormal(n, 1, 6, 1) }}
		if _, err := New(p.operator(t, dev), Options{Method: Direct}); err == nil || !strings.Contains(err.Error(), "along z alone") {
			t.Errorf("error %v", err)
		}
	})
}

// Where transforms are fast, equal cells are solved directly in mixed precision, and in single precision alone, which needs a cycle or two, on small grids.
func TestDirectByPrecision(t *testing.T) {
	gpu := must[*cuda.Device](t)(cuda.New(emulation.New(emulation.Options{})))
	t.Cleanup(func() { gpu.Close() })
	single, mixed := problem{cells: cube(64), float32: true}.operator(t, gpu), problem{cells: cube(64)}.operator(t, gpu)
	for _, c := range []struct {
		finer         float64
		single, mixed bool
	}{{1, true, true}, {4, false, true}, {6, false, true}} {
		if got := directPays(single, &Options{Finer: c.finer}); got != c.single {
			t.Errorf("%g³ cells in single precision: direct %v", 64*c.finer, got)
		}
		if got := directPays(mixed, &Options{Finer: c.finer, Mixed: true}); got != c.mixed {
			t.Errorf("%g³ cells in mixed precision: direct %v", 64*c.finer, got)
		}
	}
}
