package cpu_test

import (
	"testing"

	"convect/kernels"
	"convect/kernels/cpu"
	"convect/kernels/devicetest"
)

// open returns a device that is closed when the test ends.
func open(t testing.TB, opts cpu.Options) *cpu.Device {
	t.Helper()
	d, err := cpu.New(opts)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := d.Close(); err != nil {
			t.Error(err)
		}
	})
	return d
}

func TestConformance(t *testing.T) {
	for _, instruction := range cpu.Instructions() {
		t.Run(instruction, func(t *testing.T) {
			devicetest.Run(t, func() kernels.Device {
				d, err := cpu.New(cpu.Options{Instruction: instruction})
				if err != nil {
					t.Fatal(err)
				}
				return d
			})
		})
	}
}
