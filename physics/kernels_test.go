package physics

import (
	"fmt"
	"strings"
	"testing"
	"unsafe"

	"convect/kernels"
	"convect/kernels/cuda"
	"convect/kernels/cuda/driver"
	"convect/kernels/cuda/emulation"
	"convect/kernels/devicetest"
	"convect/stencil"
)

// hearing is an emulated GPU that notes which kernels it runs. It records none, since those of a record are not launched one by one.
type hearing struct {
	driver.GPU
	heard map[string]bool
}

func (h hearing) Launch(kernel string, grid, block [3]int, shared int, args unsafe.Pointer, size uintptr) error {
	h.heard[kernel] = true
	return h.GPU.Launch(kernel, grid, block, shared, args, size)
}

// TestStepRunsItsPlan compares the kernels of a plan with what a step runs on an emulated GPU, less copies, sums, halos and walls.
func TestStepRunsItsPlan(t *testing.T) {
	box := stencil.Extent{Cells: [3]int{16, 16, 8}, Size: [3]float64{2, 2, 1}}
	graded := box
	graded.Grading[kernels.Z] = stencil.Grading{Ratio: 2, Cluster: stencil.ClusterBoth}
	for name, p := range devicetest.Part(t, 3, map[string]Parameters{
		"mixed":           mixed(heated(box, 300)),
		"float32":         single(heated(box, 300)),
		"float64":         heated(box, 300),
		"27 points":       mixed(withPoints27(heated(box, 300))),
		"graded, float32": single(heated(graded, 300)),
	}) {
		p.Transport, p.Initial.Noise, p.Initial.Seed = kernels.TVD, 0.1, 1
		// Steps grow from each to the next; of the shortest cycles end early, of the longest none does.
		for _, first := range []float64{1e-5, 3e-3} {
			stepRunsItsPlan(t, fmt.Sprintf("%s, first step %g", name, first), p, first)
		}
	}
}

func stepRunsItsPlan(t *testing.T, name string, p Parameters, first float64) {
	t.Run(name, func(t *testing.T) {
		h := hearing{emulation.New(emulation.Options{}), map[string]bool{}}
		dev, err := cuda.New(h)
		if err != nil {
			t.Fatal(err)
		}
		defer dev.Close()
		s, err := New(dev, p, Controls{End: 1, Courant: 0.5, FirstStep: first})
		if err != nil {
			t.Fatal(err)
		}
		defer s.Free()
		for range 3 { // with history
			if err := s.advance(); err != nil {
				t.Fatal(err)
			}
		}
		clear(h.heard)
		planned := kernelsOf(s.Plan())
		if len(h.heard) > 0 {
			t.Errorf("the plan ran %v", h.heard)
		}
		if err := s.advance(); err != nil {
			t.Fatal(err)
		}
		now := kernelsOf(s.Plan()) // a plan is of cycles as the last step made them, and the next one may make longer ones, or fewer
		for kernel := range h.heard {
			if !planned[kernel] && !now[kernel] && !besideOperators(kernel) {
				t.Errorf("%s runs, and is not planned", kernel)
			}
		}
		for kernel := range planned {
			if !h.heard[kernel] && now[kernel] {
				t.Errorf("%s is planned, and does not run", kernel)
			}
		}
	})
}

// kernelsOf returns the kernels of a plan.
func kernelsOf(plan []PartPlan) map[string]bool {
	kernels := map[string]bool{}
	for _, part := range plan {
		for _, c := range part.Choices {
			for _, kernel := range c.Kernels {
				kernels[kernel] = true
			}
		}
	}
	return kernels
}

// besideOperators tells whether a kernel combines or sums arrays, serves walls, or may estimate what rounding makes of a residual.
func besideOperators(kernel string) bool {
	for _, name := range []string{"combine", "copy", "fill", "reduce", "gather", "shift", "halo", "set_wall", "wall_",
		"area_sum", "mean_", "mass_update", "strip_apply_"} {
		if strings.HasPrefix(kernel, name) {
			return true
		}
	}
	return false
}
