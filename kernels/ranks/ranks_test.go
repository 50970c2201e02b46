package ranks_test

import (
	"fmt"
	"testing"

	"convect/kernels"
	"convect/kernels/cpu"
	"convect/kernels/devicetest"
	"convect/kernels/ranks"
)

// open makes a device of so many cores.
func open(t *testing.T, size int, o ranks.Options) *ranks.Device {
	var devices []ranks.Common
	for range size {
		d, err := cpu.New(cpu.Options{Threads: 1})
		if err != nil {
			t.Fatal(err)
		}
		devices = append(devices, d)
	}
	d, err := ranks.New(devices, o)
	if err != nil {
		t.Fatal(err)
	}
	return d
}

// Every kernel does on slabs, of few rows, what it does on the whole grid. Ghosts that are not right are NaN.
func TestConformance(t *testing.T) {
	for _, size := range []int{2, 3} {
		t.Run(fmt.Sprint(size), func(t *testing.T) {
			devicetest.RunEvery(3*size, t, func() kernels.Device { // the kernels themselves have been checked
				return open(t, size, ranks.Options{Rows: 2, Gather: -1, Poison: true})
			})
		})
	}
}
