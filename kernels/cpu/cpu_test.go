package cpu_test

import (
	"testing"

	"convect/kernels"
	"convect/kernels/cpu"
	"convect/kernels/devicetest"
)

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
