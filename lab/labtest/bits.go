package labtest

import (
	"math"
	"math/rand/v2"
	"testing"

	"convect/kernels"
	"convect/kernels/cpu"
	"convect/kernels/devicetest"
)

// SameBits checks that calls of kernels give the same bits with any number of threads, and with all instruction sets that have fused multiply-add. They
// work on fields of a box, random ones at first.
func SameBits(t *testing.T, box kernels.Box, run func(d kernels.Device, box kernels.Box, x [4]kernels.Buffer)) {
	for _, e := range []kernels.Elem{kernels.Float32, kernels.Float64} {
		want := map[bool][4]devicetest.Field{} // by whether multiply-add is fused
		for _, instruction := range cpu.Instructions() {
			for _, threads := range []int{1, 2, 3} {
				d := Processor(t, cpu.Options{Instruction: instruction, Threads: threads})
				random := rand.New(rand.NewPCG(3, 4))
				memory := devicetest.Memory{TB: t, Device: d, Elem: e}
				var x [4]kernels.Buffer
				for n := range x {
					values := make([]float64, box.Len)
					for i := range values {
						values[i] = 0.5 + random.Float64()
					}
					x[n] = memory.Floats(values)
				}
				run(d, box, x)
				if err := d.Sync(); err != nil {
					t.Fatal(err)
				}
				fused := instruction != "baseline"
				before, known := want[fused]
				var got [4]devicetest.Field
				for n := range x {
					got[n] = Read(d, box, x[n])
				}
				if want[fused] = got; !known {
					continue
				}
				for n := range x {
					if i := different(got[n].V, before[n].V); i >= 0 {
						t.Errorf("%s with %d threads, %v: element %d of field %d has other bits", instruction, threads, e, i, n)
					}
				}
			}
		}
	}
}

// different returns the first element whose bits differ, or -1.
func different(a, b []float64) int {
	for i := range a {
		if math.Float64bits(a[i]) != math.Float64bits(b[i]) {
			return i
		}
	}
	return -1
}
