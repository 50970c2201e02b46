package cpu_test

import (
	"testing"

	"convect/kernels"
	"convect/kernels/cpu"
	"convect/kernels/devicetest"
)

// TestConformance checks the instructions that this machine takes by itself on all cases, and the others, which are the same C with vectors of another length, on
// one in three.
func TestConformance(t *testing.T) {
	own := open(t, cpu.Options{}).Info().Instruction
	for _, instruction := range cpu.Instructions() {
		every := 3
		if instruction == own {
			every = 1
		}
		t.Run(instruction, func(t *testing.T) {
			devicetest.RunEvery(every, t, func() kernels.Device {
				d, err := cpu.New(cpu.Options{Instruction: instruction})
				if err != nil {
					t.Fatal(err)
				}
				return d
			})
		})
	}
}

// TestCyclesInStrips checks cycles on levels that are cut in y too, as large ones are: strips of 16 rows, the least there is, and slabs.
func TestCyclesInStrips(t *testing.T) {
	devicetest.RunCycles(t, func() kernels.Device {
		return open(t, cpu.Options{Threads: 3, Cache: 1})
	})
}

// A constant in the right side of a singular coarse problem changes nothing, with any instruction set.
func TestCoarseMean(t *testing.T) {
	for _, instruction := range cpu.Instructions() {
		t.Run(instruction, func(t *testing.T) {
			devicetest.RunCoarseMean(t, open(t, cpu.Options{Instruction: instruction, Threads: 1}))
		})
	}
}
