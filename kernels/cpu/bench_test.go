package cpu_test

import (
	"flag"
	"fmt"
	"slices"
	"testing"
	"time"

	"convect/kernels"
	"convect/kernels/cpu"
	"convect/kernels/devicetest"
)

var instruction = flag.String("instruction", "", "instruction set of the benchmarks; empty: the best")

// BenchmarkKernels reports the speed of each kernel, and the fraction of the copy bandwidth measured in the same run.
func BenchmarkKernels(b *testing.B) {
	for _, n := range []int{129, 257} {
		for _, e := range []kernels.Elem{kernels.Float32, kernels.Float64} {
			b.Run(fmt.Sprintf("%d/%v", n, e), func(b *testing.B) {
				f := devicetest.NewFixture(b, open(b, cpu.Options{Instruction: *instruction}), e, n)
				for _, k := range devicetest.TimedKernels() {
					b.Run(k.Name, func(b *testing.B) { measure(b, f, k) })
				}
			})
		}
	}
}

// measure times a kernel in turns with a copy of arrays as large as its own, and compares the medians and the best.
// The timer is not stopped during the copies, because that stops the world and disturbs what follows; the time of an
// operation is that of the kernel alone.
func measure(b *testing.B, f *devicetest.Fixture, k devicetest.Timed) {
	bytes := k.Words * float64(f.Box.Nodes()*f.Elem.Size())
	b.SetBytes(int64(bytes))
	k.Run(f)
	var kernel, plain []float64
	for b.Loop() {
		kernel = append(kernel, seconds(func() { k.Run(f) }))
		plain = append(plain, seconds(func() { f.Copy(kernels.CopyArgs{Dst: f.Copied, Src: f.X[1]}) }))
	}
	if err := f.Sync(); err != nil {
		b.Fatal(err)
	}
	slices.Sort(kernel)
	slices.Sort(plain)
	n := len(kernel)
	speed, best := bytes/kernel[n/2], bytes/kernel[0]
	copied := float64(2 * f.Box.Len * f.Elem.Size())
	b.ReportMetric(kernel[n/2]*1e9, "ns/op")
	b.ReportMetric(speed/1e6, "MB/s")
	b.ReportMetric(speed/(copied/plain[n/2]), "of-copy")
	b.ReportMetric(best/(copied/plain[0]), "best-of-copy")
}

// seconds returns the time that run takes.
func seconds(run func()) float64 {
	start := time.Now()
	run()
	return time.Since(start).Seconds()
}
