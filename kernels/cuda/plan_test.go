package cuda_test

import (
	"errors"
	"maps"
	"strings"
	"testing"
	"unsafe"

	"convect/kernels"
	"convect/kernels/cuda"
	"convect/kernels/cuda/driver"
	"convect/kernels/cuda/emulation"
	"convect/multigrid"
	"convect/stencil"
)

// TestPlanIsWhatRuns compares the kernels that a plan names with those that run, and looks for the reasons of slower forms, on grids that
// no fast form knows as well.
func TestPlanIsWhatRuns(t *testing.T) {
	cells := [3]int{32, 16, 16}
	k := make([]float64, cells[0]*cells[1]*cells[2])
	for c := range k {
		k[c] = float64(1 + c%5)
	}
	one := [3]float64{1, 1, 1}
	graded := [3]stencil.Grading{kernels.X: {Ratio: 2, Cluster: stencil.ClusterLow}}
	for _, c := range []struct {
		name    string
		grading [3]stencil.Grading
		patch   bool
		of      stencil.Coefficients
		reason  string // of the finest level's passes; "": they are fast
	}{
		{"even", [3]stencil.Grading{}, false, stencil.Coefficients{Constant: one}, ""},
		{"trilinear", [3]stencil.Grading{}, false, stencil.Coefficients{Constant: one, Stencil: kernels.TwentySevenPoint}, ""},
		{"cells", [3]stencil.Grading{}, false, stencil.Coefficients{Cells: [3][]float64{k, k, k}}, ""},
		{"graded", graded, false, stencil.Coefficients{Constant: one}, "a width of x differs"},
		{"patch", [3]stencil.Grading{}, true, stencil.Coefficients{Constant: one}, "patches: not whole sides are fixed"},
		{"trilinear cells", [3]stencil.Grading{}, false,
			stencil.Coefficients{Cells: [3][]float64{k, k, k}, Stencil: kernels.TwentySevenPoint}, "27 points and K on cells"},
	} {
		t.Run(c.name, func(t *testing.T) {
			l := listener{emulation.New(emulation.Options{}), map[string]int{}}
			d := must[*cuda.Device](t)(cuda.New(l))
			defer d.Close()
			g := must[*stencil.Grid](t)(stencil.NewGrid(d, kernels.Float32, stencil.Extent{Cells: cells, Size: [3]float64{32, 16, 16}, Grading: c.grading}))
			walls := [6][]bool{kernels.Left: make([]bool, g.Box.WallNodes(kernels.Left))}
			for n := range walls[kernels.Left] {
				walls[kernels.Left][n] = !c.patch || n%g.Box.N[1] < 8
			}
			b := must[*stencil.Boundary](t)(stencil.NewBoundary(g, walls))
			o := must[*stencil.Operator](t)(stencil.NewOperator(b, c.of))
			s := must[*multigrid.Solver](t)(multigrid.New(o, multigrid.Options{Smoother: multigrid.Chebyshev, Pre: 2, Post: 2, Method: multigrid.Multigrid}))
			u, f := must[*stencil.Field](t)(g.NewField("u", b)), must[*stencil.Field](t)(g.NewField("f", b))
			r := must[*stencil.Field](t)(g.NewField("r", b))
			clear(l.heard)
			planned, reason, wanted := map[string]int{}, "", "Residual"
			for n, level := range s.Plan(u, f, multigrid.FromGuess) {
				for _, choice := range level.Choices {
					for _, kernel := range choice.Kernels {
						planned[kernel]++
					}
					if n == 0 && choice.Call == "Descend" {
						reason = choice.Reason
					}
				}
			}
			if len(l.heard) > 0 || d.Sync() != nil {
				t.Fatalf("a plan ran %v and left the error %v", l.heard, d.Sync())
			}
			if reason != c.reason {
				t.Errorf("Descend: %q, not %q", reason, c.reason)
			}
			first := s.Plan(u, f, multigrid.FromGuess)[0].Choices[0].Call
			switch {
			case s.Options().Method == multigrid.ConjugateGradients: // also where a patch replaces cycles by them
				s.CycleFromZero(u, f)
				o.Residual(r, f, u)
				o.Apply(r, u)
			case o.Corrects():
				s.Cycle(u, f)
				o.Correct(nil, u, f, nil, nil, stencil.Factor{}, 0, 1, 0)
				wanted = "Correct"
			default:
				s.Cycle(u, f)
				o.Residual(r, f, u)
			}
			if first != wanted {
				t.Errorf("the finest level begins with %q, not %q", first, wanted)
			}
			if err := d.Sync(); err != nil {
				t.Fatal(err)
			}
			if !maps.Equal(planned, l.heard) {
				t.Errorf("planned %v, ran %v", planned, l.heard)
			}
			for kernel := range planned {
				if !strings.HasSuffix(kernel, "_f32") {
					t.Errorf("%s in float32", kernel)
				}
			}
		})
	}
}

// telling is an emulated GPU whose kernels tell the host numbers. To wait for one that no kernel writes fails.
type telling struct{ *emulation.GPU }

func (telling) AllocHost(bytes int) (unsafe.Pointer, error) {
	return unsafe.Pointer(&make([]byte, bytes)[0]), nil
}
func (telling) FreeHost(unsafe.Pointer) {}
func (telling) DownloadAsync(unsafe.Pointer, uintptr, int) (driver.Pending, error) {
	return nil, errors.New("nobody asks for this here")
}
func (telling) Await(driver.Pending) error { return nil }
func (telling) Heard(p unsafe.Pointer, number uint32) error {
	if *(*uint32)(p) != number {
		return errors.New("nobody wrote the number")
	}
	return nil
}

// A plan does not wait for numbers that no kernel tells, names no failure, and leaves what the host knows of slots as it was.
func TestPlanWaitsForNoNumber(t *testing.T) {
	d := must[*cuda.Device](t)(cuda.New(telling{emulation.New(emulation.Options{})}))
	defer d.Close()
	g := must[*stencil.Grid](t)(stencil.NewGrid(d, kernels.Float32, stencil.Extent{Cells: [3]int{16, 16, 16}, Size: [3]float64{1, 1, 1}}))
	f := must[*stencil.Field](t)(g.NewField("f", nil))
	sum := func() float64 {
		f.Reduce(kernels.Sum, nil, 3)
		return must[[]float64](t)(d.Scalars())[3]
	}
	f.Fill(1)
	first := sum()
	f.Fill(2)
	f.Reduce(kernels.Sum, nil, 3) // not asked for yet
	choices := d.Plan(func() {
		f.Reduce(kernels.Sum, nil, 3)
		if _, err := d.Scalars(); err != nil {
			t.Error(err)
		}
	})
	if len(choices) != 2 || choices[0].Call != "Reduce" || choices[1].Call != "Scalars" {
		t.Errorf("planned: %+v", choices)
	}
	if got := must[[]float64](t)(d.Scalars())[3]; first != float64(g.Nodes()) || got != 2*first {
		t.Errorf("sums %g and %g of %d nodes", first, got, g.Nodes())
	}
}
