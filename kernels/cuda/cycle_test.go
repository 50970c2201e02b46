package cuda_test

import (
	"slices"
	"strings"
	"testing"
	"unsafe"

	"convect/kernels"
	"convect/kernels/cuda"
	"convect/kernels/cuda/emulation"
	"convect/multigrid"
	"convect/stencil"
)

// listener is an emulated GPU that notes which kernels it runs.
type listener struct {
	*emulation.GPU
	heard map[string]int
}

func (l listener) Launch(kernel string, grid, block [3]int, shared int, args unsafe.Pointer, size uintptr) error {
	l.heard[kernel]++
	return l.GPU.Launch(kernel, grid, block, shared, args, size)
}

// TestPassesOfCycle checks which kernels a cycle on a grid of even widths takes: with trilinear elements one a way and level, of two
// levels above the coarsest, which is solved directly; with one K a cell and 7 points, with a mass or without, one pass down and one up, of three
// levels.
func TestPassesOfCycle(t *testing.T) {
	t.Run("trilinear", func(t *testing.T) {
		passesOfCycle(t, stencil.Extent{Cells: [3]int{160, 16, 16}}, stencil.Coefficients{Stencil: kernels.TwentySevenPoint, Constant: [3]float64{1, 1, 1}},
			0, map[string]int{"tri_down_aligned": 1, "tri_down_zero_aligned": 1, "tri_up_aligned": 2, "spectral_along": 1})
	})
	t.Run("cells", func(t *testing.T) {
		cells := [3]int{64, 16, 16}
		k := make([]float64, cells[0]*cells[1]*cells[2])
		for c := range k {
			k[c] = float64(1 + c%7)
		}
		passesOfCycle(t, stencil.Extent{Cells: cells}, stencil.Coefficients{Cells: [3][]float64{k, k, k}},
			0, map[string]int{"faces_descend_guess": 1, "faces_descend_zero": 2, "faces_pair_correct": 3, "solve_coarse": 1})
		passesOfCycle(t, stencil.Extent{Cells: cells}, stencil.Coefficients{Cells: [3][]float64{k, k, k}},
			0.1, map[string]int{"faces_descend_guess": 1, "faces_descend_zero": 2, "faces_pair_correct": 3, "solve_coarse": 1})
	})
	for name, e := range map[string]stencil.Extent{
		"periodic x":    {Cells: [3]int{64, 16, 16}, Periodic: [3]bool{true, false, false}},
		"periodic y":    {Cells: [3]int{64, 16, 16}, Periodic: [3]bool{false, true, false}},
		"narrow":        {Cells: [3]int{72, 16, 16}, Periodic: [3]bool{true, true, false}},
		"2-D":           {Cells: [3]int{64, 0, 32}},
		"2-D, periodic": {Cells: [3]int{64, 0, 32}, Periodic: [3]bool{true, false, false}},
	} {
		t.Run(name, func(t *testing.T) {
			k := make([]float64, e.Cells[0]*max(e.Cells[1], 1)*e.Cells[2])
			for c := range k {
				k[c] = float64(1 + c%7)
			}
			wanted := map[string]int{"faces_descend_guess": 1, "faces_descend_zero": 2, "faces_pair_correct": 3, "solve_coarse": 1}
			if name == "narrow" { // the third level
				wanted["faces_descend_zero_narrow"], wanted["faces_pair_correct_narrow"] = 1, 1
			}
			passesOfCycle(t, e, stencil.Coefficients{Cells: [3][]float64{k, k, k}}, 0, wanted)
		})
	}
}

// passesOfCycle runs a V(2,2)-cycle on a grid with a fixed wall, and compares how often kernels ran.
func passesOfCycle(t *testing.T, e stencil.Extent, c stencil.Coefficients, mass float64, wanted map[string]int) {
	must := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	for d, n := range e.Cells {
		e.Size[d] = float64(n)
	}
	l := listener{emulation.New(emulation.Options{}), map[string]int{}}
	d, err := cuda.New(l)
	must(err)
	defer func() { must(d.Close()) }()
	g, err := stencil.NewGrid(d, kernels.Float32, e)
	must(err)
	walls := [6][]bool{kernels.Bottom: slices.Repeat([]bool{true}, g.Box.WallNodes(kernels.Bottom))}
	b, err := stencil.NewBoundary(g, walls)
	must(err)
	o, err := stencil.NewOperator(b, c)
	must(err)
	o.SetMassScale(mass)
	s, err := multigrid.New(o, multigrid.Options{Smoother: multigrid.Chebyshev, Pre: 2, Post: 2})
	must(err)
	u, err := g.NewField("u", b)
	must(err)
	f, err := g.NewField("f", b)
	must(err)
	clear(l.heard)
	s.Cycle(u, f)
	must(d.Sync())
	for pass, want := range wanted {
		got := 0
		for kernel, times := range l.heard {
			if strings.HasPrefix(kernel, pass) {
				got += times
			}
		}
		if got != want {
			t.Errorf("%s ran %d times, not %d", pass, got, want)
		}
	}
	for kernel, times := range l.heard {
		if strings.Contains(kernel, "smooth") || strings.HasPrefix(kernel, "restrict") {
			t.Errorf("%s ran %d times", kernel, times)
		}
	}
}

// TestDirectSolveNeedsNoWarning makes a hierarchy that ends early, since the device solves there directly: nothing is slow about that.
func TestDirectSolveNeedsNoWarning(t *testing.T) {
	d, err := cuda.New(emulation.New(emulation.Options{}))
	if err != nil {
		t.Fatal(err)
	}
	g, err := stencil.NewGrid(d, kernels.Float32, stencil.Extent{Cells: [3]int{64, 64, 16}, Size: [3]float64{64, 64, 16}})
	if err != nil {
		t.Fatal(err)
	}
	b, err := stencil.NewBoundary(g, [6][]bool{})
	if err != nil {
		t.Fatal(err)
	}
	o, err := stencil.NewOperator(b, stencil.Coefficients{Constant: [3]float64{1, 1, 1}})
	if err != nil {
		t.Fatal(err)
	}
	s, err := multigrid.New(o, multigrid.Options{})
	if err != nil {
		t.Fatal(err)
	}
	levels := s.Levels()
	if last := levels[len(levels)-1]; last.Nodes <= 4000 {
		t.Fatalf("the last level has %d nodes: it would need no warning anyway", last.Nodes)
	}
	if w := s.Warnings(); len(w) > 0 {
		t.Errorf("warnings: %q", w)
	}
}
