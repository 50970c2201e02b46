package cuda_test

import (
	"testing"
	"unsafe"

	"convect/kernels"
	"convect/kernels/cuda"
	"convect/kernels/cuda/driver"
	"convect/kernels/cuda/emulation"
)

// counter counts the downloads of a GPU.
type counter struct {
	driver.GPU
	downloads int
}

func (c *counter) Download(dst unsafe.Pointer, src uintptr, bytes int) error {
	c.downloads++
	return c.GPU.Download(dst, src, bytes)
}

// Slots are copied once after a kernel that writes one, and anew after the next one.
func TestScalarsAreCopiedOnce(t *testing.T) {
	gpu := &counter{GPU: emulation.New(emulation.Options{})}
	d := must[*cuda.Device](t)(cuda.New(gpu))
	defer d.Close()
	box := kernels.NewBox([3]int{5, 1, 3}, false)
	x := must[kernels.Buffer](t)(kernels.AllocBox(d, kernels.Float64, box))
	for n, want := range []struct {
		value     float64
		downloads int
	}{{2, 1}, {3, 2}} {
		d.Fill(kernels.FillArgs{X: x, Value: want.value})
		d.Reduce(kernels.ReduceArgs{Kind: kernels.MaxAbs, Box: box, X: x, Slot: 7})
		for range 2 {
			if got := must[[]float64](t)(d.Scalars())[7]; got != want.value {
				t.Errorf("%d: the largest is %g, want %g", n, got, want.value)
			}
		}
		if gpu.downloads != want.downloads {
			t.Errorf("%d: %d downloads, want %d", n, gpu.downloads, want.downloads)
		}
	}
}
