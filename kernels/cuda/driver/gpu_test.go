//go:build cuda

package driver_test

import (
	"testing"

	"convect/kernels/cuda/driver"
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

func TestGPUDriver(t *testing.T) { testDriver(t, open(t)) }

func TestNoSuchGPU(t *testing.T) {
	open(t).Close()
	if _, err := driver.Open(1 << 20); err == nil {
		t.Error("opened a GPU that does not exist")
	}
}
