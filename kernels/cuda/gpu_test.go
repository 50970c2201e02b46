//go:build cuda

package cuda_test

import (
	"testing"

	"convect/kernels"
	"convect/kernels/cuda"
	"convect/kernels/devicetest"
)

// open returns the first GPU's driver; without a GPU it skips the test.
func open(t *testing.T) cuda.Driver {
	if err := cuda.Available(); err != nil {
		t.Skip(err)
	}
	d, err := cuda.Open(0)
	if err != nil {
		t.Fatal(err)
	}
	return d
}

func TestGPUDriver(t *testing.T) { testDriver(t, open(t)) }

func TestGPUConformance(t *testing.T) {
	open(t).Close()
	devicetest.Run(t, func() kernels.Device {
		d, err := cuda.New(open(t))
		if err != nil {
			t.Fatal(err)
		}
		return d
	})
}

func TestNoSuchGPU(t *testing.T) {
	open(t).Close()
	if _, err := cuda.Open(1 << 20); err == nil {
		t.Error("opened a GPU that does not exist")
	}
}
