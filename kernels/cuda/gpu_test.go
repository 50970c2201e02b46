//go:build cuda

package cuda_test

import (
	"testing"

	"convect/kernels"
	"convect/kernels/cuda"
	"convect/kernels/cuda/driver"
	"convect/kernels/devicetest"
)

// open opens the first GPU; without a GPU it skips the test.
func open(t *testing.T) driver.GPU {
	if err := driver.Available(); err != nil {
		t.Skip(err)
	}
	d, err := driver.Open(0)
	if err != nil {
		t.Fatal(err)
	}
	return d
}

func TestGPUConformance(t *testing.T) {
	open(t).Close()
	devicetest.Run(t, func() kernels.Device {
		d, err := cuda.New(open(t))
		if err != nil {
			t.Fatal(err)
		}
		d.MixSizes()
		return d
	})
}

// TestGPUFoldedSolve solves directly on the largest grids that spectral_folded.cu takes.
func TestGPUFoldedSolve(t *testing.T) {
	open(t).Close()
	all := []kernels.Side{kernels.Left, kernels.Right, kernels.Front, kernels.Back, kernels.Bottom, kernels.Top}
	for _, c := range []struct {
		cells    [3]int
		fixed    []kernels.Side
		periodic [3]bool
	}{{[3]int{128, 128, 128}, all, [3]bool{}}, {[3]int{128, 115, 126}, all[2:], [3]bool{true}}, {[3]int{99, 128, 127}, all[4:], [3]bool{true, true}}} {
		for _, points := range []kernels.Stencil{kernels.SevenPoint, kernels.TwentySevenPoint} {
			left := directSolve(t, must[*cuda.Device](t)(cuda.New(open(t))), c.cells, c.fixed, c.periodic, points)
			if !(left < directRoundings) {
				t.Errorf("%v, %d points: residual of %g roundings", c.cells, points.Points(), left)
			}
		}
	}
}
