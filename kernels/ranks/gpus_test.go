package ranks_test

import (
	"fmt"
	"os"
	"testing"

	"convect/kernels"
	"convect/kernels/cuda"
	"convect/kernels/cuda/emulation"
	"convect/kernels/devicetest"
	"convect/kernels/ranks"
)

// gpu opens an emulated GPU.
func gpu(t *testing.T, o emulation.Options) *cuda.Device {
	d, err := cuda.New(emulation.New(o))
	if err != nil {
		t.Fatal(err)
	}
	return d
}

// openGPUs makes a device of so many emulated GPUs.
func openGPUs(t *testing.T, size int, of emulation.Options, o ranks.Options) *ranks.Device {
	var devices []ranks.Common
	for range size {
		devices = append(devices, gpu(t, of))
	}
	d, err := ranks.New(devices, o)
	if err != nil {
		t.Fatal(err)
	}
	return d
}

// Every kernel of GPUs does on slabs what it does on the whole grid, where GPUs reach each other's memory and where rows pass through the host.
func TestGPUConformance(t *testing.T) {
	for _, c := range []struct {
		size  int
		apart bool
	}{{1, false}, {2, false}, {3, true}} {
		every := 9 * c.size
		if os.Getenv("TEST_EVERY") != "1" {
			if every = 90; c.size != 2 {
				continue
			}
		}
		t.Run(fmt.Sprint(c.size, " apart ", c.apart), func(t *testing.T) {
			devicetest.RunEvery(every, t, func() kernels.Device {
				return openGPUs(t, c.size, emulation.Options{Apart: c.apart}, ranks.Options{Rows: 2, Gather: -1, Poison: true})
			})
		})
	}
}

// So do those that only GPUs have.
func TestGPUPasses(t *testing.T) {
	for _, apart := range []bool{false, true} {
		devicetest.RunPasses(3, t, func() kernels.Device {
			return openGPUs(t, 2, emulation.Options{Apart: apart}, ranks.Options{Rows: 2, Gather: -1, Poison: true}).Whole()
		})
	}
}
