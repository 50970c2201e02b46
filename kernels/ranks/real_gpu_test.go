//go:build cuda

package ranks_test

import (
	"testing"

	"convect/kernels"
	"convect/kernels/cuda"
	"convect/kernels/cuda/driver"
	"convect/kernels/devicetest"
	"convect/kernels/ranks"
)

// TestRealGPUs checks all kernels and passes on two ranks that own GPUs: two of the host, or, where it has one, that one twice.
func TestRealGPUs(t *testing.T) {
	if err := driver.Available(); err != nil {
		t.Skip(err)
	}
	open := func() *ranks.Device {
		var devices []ranks.Common
		for n := range 2 {
			gpu, err := driver.Open(n)
			if err != nil && n > 0 {
				gpu, err = driver.Open(0)
			}
			if err != nil {
				t.Fatal(err)
			}
			d, err := cuda.New(gpu)
			if err != nil {
				t.Fatal(err)
			}
			devices = append(devices, d)
		}
		d, err := ranks.New(devices, ranks.Options{Rows: 2, Gather: -1, Poison: true})
		if err != nil {
			t.Fatal(err)
		}
		return d
	}
	t.Run("conformance", func(t *testing.T) { devicetest.RunEvery(9, t, func() kernels.Device { return open() }) })
	t.Run("passes", func(t *testing.T) { devicetest.RunPasses(3, t, func() kernels.Device { return open().Whole() }) })
}
