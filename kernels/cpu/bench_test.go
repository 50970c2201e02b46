package cpu_test

import (
	"flag"
	"fmt"
	"slices"
	"testing"
	"time"

	"convect/kernels"
	"convect/kernels/cpu"
)

var instruction = flag.String("instruction", "", "instruction set of the benchmarks; empty: the best")

// BenchmarkKernels reports the speed of each kernel, and the fraction of the copy bandwidth measured in the same run.
func BenchmarkKernels(b *testing.B) {
	for _, n := range []int{129, 257} {
		for _, e := range []kernels.Elem{kernels.Float32, kernels.Float64} {
			b.Run(fmt.Sprintf("%d/%v", n, e), func(b *testing.B) {
				f := newFixture(b, e, n, cpu.Options{Instruction: *instruction})
				for _, k := range timedKernels() {
					b.Run(k.name, func(b *testing.B) { f.measure(b, k) })
				}
			})
		}
	}
}

// measure times a kernel in turns with a copy of arrays as large as its own, and compares the medians and the best.
func (f *fixture) measure(b *testing.B, k timed) {
	bytes := k.words * float64(f.box.Nodes()*f.elem.Size())
	b.SetBytes(int64(bytes))
	k.run(f)
	var speeds, copies []float64
	for b.Loop() {
		start := time.Now()
		k.run(f)
		speeds = append(speeds, bytes/time.Since(start).Seconds())
		b.StopTimer()
		copied, err := f.CopyBandwidth(64 << 20)
		if err != nil {
			b.Fatal(err)
		}
		copies = append(copies, copied)
		b.StartTimer()
	}
	if err := f.Sync(); err != nil {
		b.Fatal(err)
	}
	slices.Sort(speeds)
	slices.Sort(copies)
	n := len(speeds)
	b.ReportMetric(speeds[n/2]/1e9, "GB/s")
	b.ReportMetric(speeds[n/2]/copies[n/2], "of-copy")
	b.ReportMetric(speeds[n-1]/copies[n-1], "best-of-copy")
}
