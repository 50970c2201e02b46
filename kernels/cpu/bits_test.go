package cpu_test

import (
	"math"
	"math/rand/v2"
	"testing"

	"convect/kernels"
	"convect/kernels/cpu"
	"convect/kernels/devicetest"
)

// outcome runs every kernel of the fixture in turn on random fields and returns all fields and slots.
func outcome(t *testing.T, e kernels.Elem, opts cpu.Options) []float64 {
	t.Helper()
	f := devicetest.NewFixture(t, open(t, opts), e, 33)
	random := rand.New(rand.NewPCG(3, 4))
	values := make([]float64, f.Box.Nodes())
	for _, b := range append(f.X[:], f.Q[:]...) {
		for n := range values {
			values[n] = 0.5 + random.Float64()
		}
		f.UploadBox(b, f.Box, values)
	}
	var all []float64
	for _, k := range devicetest.TimedKernels() {
		k.Run(f)
		for _, b := range append(f.X[:], f.Q[:]...) {
			if err := f.DownloadBox(values, b, f.Box); err != nil {
				t.Fatal(k.Name, err)
			}
			all = append(all, values[len(all)%len(values)], values[len(values)/2], sum(values))
		}
		slots, err := f.Scalars()
		if err != nil {
			t.Fatal(k.Name, err)
		}
		all = append(all, slots...)
	}
	return all
}

func sum(v []float64) float64 {
	s := 0.0
	for _, x := range v {
		s += x
	}
	return s
}

// Every kernel gives the same bits with any number of threads, and with all instruction sets that have fused
// multiply-add.
func TestSameBitsWithAnyThreadsAndInstructions(t *testing.T) {
	for _, e := range []kernels.Elem{kernels.Float32, kernels.Float64} {
		want := map[bool][]float64{} // by whether multiply-add is fused
		for _, instruction := range cpu.Instructions() {
			fused := instruction != "baseline"
			for _, threads := range []int{1, 2, 3} {
				got := outcome(t, e, cpu.Options{Threads: threads, Instruction: instruction})
				if want[fused] == nil {
					want[fused] = got
				}
				for n, w := range want[fused] {
					if math.Float64bits(got[n]) != math.Float64bits(w) {
						t.Errorf("%v, %s, %d threads: value %d is %v, want %v", e, instruction, threads, n, got[n], w)
						break
					}
				}
			}
		}
	}
}

// No kernel allocates Go memory once its scratch memory has grown.
func TestKernelsAllocateNothing(t *testing.T) {
	f := devicetest.NewFixture(t, open(t, cpu.Options{Threads: 2}), kernels.Float64, 33)
	for _, k := range devicetest.TimedKernels() {
		if n := testing.AllocsPerRun(3, func() { k.Run(f) }); n != 0 {
			t.Errorf("%s allocates %g times", k.Name, n)
		}
	}
	if err := f.Sync(); err != nil {
		t.Fatal(err)
	}
}

// An unknown instruction set is refused with those that there are.
func TestUnknownInstructionSet(t *testing.T) {
	if _, err := cpu.New(cpu.Options{Instruction: "mmx"}); err == nil {
		t.Error("mmx is accepted")
	}
}
