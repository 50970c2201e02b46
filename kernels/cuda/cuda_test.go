package cuda_test

import (
	"errors"
	"testing"

	"convect/kernels"
	"convect/kernels/cuda"
	"convect/kernels/cuda/emulation"
	"convect/kernels/devicetest"
)

// A box that travels in several pieces comes back as it went.
func TestPieces(t *testing.T) {
	d, err := cuda.New(emulation.New(emulation.Options{}))
	if err != nil {
		t.Fatal(err)
	}
	defer d.Close()
	box := kernels.NewBox([3]int{301, 203, 71}, false)
	values := make([]float64, box.Nodes())
	for n := range values {
		values[n] = float64(n % 1048573)
	}
	b, err := d.Alloc(kernels.Float64, box.Len)
	if err != nil {
		t.Fatal(err)
	}
	d.UploadBox(b, box, values)
	same, single := make([]float64, len(values)), make([]float32, len(values))
	if err := errors.Join(d.DownloadBox(same, b, box), d.DownloadBox32(single, b, box)); err != nil {
		t.Fatal(err)
	}
	for n, v := range values {
		if same[n] != v || single[n] != float32(v) {
			t.Fatalf("node %d is %g and %g, not %g", n, same[n], single[n], v)
		}
	}
}

func TestConformance(t *testing.T) {
	devicetest.Run(t, func() kernels.Device {
		d, err := cuda.New(emulation.New(emulation.Options{}))
		if err != nil {
			t.Fatal(err)
		}
		d.MixSizes()
		return d
	})
}

func TestCoarseMean(t *testing.T) {
	d, err := cuda.New(emulation.New(emulation.Options{}))
	if err != nil {
		t.Fatal(err)
	}
	defer d.Close()
	d.MixSizes()
	devicetest.RunCoarseMean(t, d)
}
