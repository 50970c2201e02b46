package cpu_test

import (
	"testing"

	"convect/kernels/cpu"
)

// open returns a device that is closed when the test ends.
func open(tb testing.TB, opts cpu.Options) *cpu.Device {
	tb.Helper()
	d, err := cpu.New(opts)
	if err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(func() {
		if err := d.Close(); err != nil {
			tb.Error(err)
		}
	})
	return d
}
