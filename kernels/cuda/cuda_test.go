package cuda_test

import (
	"testing"

	"convect/kernels"
	"convect/kernels/cuda"
	"convect/kernels/cuda/emulation"
	"convect/kernels/devicetest"
)

func TestConformance(t *testing.T) {
	devicetest.Run(t, func() kernels.Device {
		d, err := cuda.New(emulation.New(emulation.Options{}))
		if err != nil {
			t.Fatal(err)
		}
		return d
	})
}
