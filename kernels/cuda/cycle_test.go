package cuda_test

import (
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
	*emulation.Driver
	heard map[string]int
}

func (l listener) Launch(kernel string, grid, block [3]int, shared int, args unsafe.Pointer, size uintptr) error {
	l.heard[kernel]++
	return l.Driver.Launch(kernel, grid, block, shared, args, size)
}

// TestPassesOfCycle checks that a cycle with trilinear elements on a grid of even widths takes one kernel a way and level: there are two
// above the coarsest, which is solved directly.
func TestPassesOfCycle(t *testing.T) {
	must := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	l := listener{emulation.New(emulation.Options{}), map[string]int{}}
	d, err := cuda.New(l)
	must(err)
	defer func() { must(d.Close()) }()
	g, err := stencil.NewGrid(d, kernels.Float32, stencil.Extent{Cells: [3]int{160, 16, 16}, Size: [3]float64{10, 1, 1}})
	must(err)
	walls := [6][]bool{kernels.Left: make([]bool, g.Box.WallNodes(kernels.Left))}
	for n := range walls[kernels.Left] {
		walls[kernels.Left][n] = true
	}
	b, err := stencil.NewBoundary(g, walls)
	must(err)
	o, err := stencil.NewOperator(b, stencil.Coefficients{Stencil: kernels.TwentySevenPoint, Constant: [3]float64{1, 1, 1}})
	must(err)
	s, err := multigrid.New(o, multigrid.Options{Smoother: multigrid.Chebyshev, Pre: 2, Post: 2})
	must(err)
	u, err := g.NewField("u", b)
	must(err)
	f, err := g.NewField("f", b)
	must(err)
	clear(l.heard)
	s.Cycle(u, f)
	must(d.Sync())
	for pass, want := range map[string]int{"tri_down_aligned": 1, "tri_down_zero_aligned": 1, "tri_up_aligned": 2, "spectral_along": 1} {
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
		if strings.HasPrefix(kernel, "smooth") || strings.HasPrefix(kernel, "restrict") {
			t.Errorf("%s ran %d times", kernel, times)
		}
	}
}
