//go:build cuda

package cuda_test

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"convect/kernels"
	"convect/kernels/cuda"
	"convect/kernels/cuda/driver"
	"convect/kernels/devicetest"
)

// BenchmarkGPUKernels prints a table of the kernels, a line each: words a node, microseconds, and the fraction of a copy of the same nodes, batch
// by batch in turns. It is to be run with -test.benchtime 2x; with 1x every kernel is launched once and not timed, for a profiler, after a fill
// of one block that tells where it begins (scripts/profile-kernels.py).
func BenchmarkGPUKernels(b *testing.B) {
	if err := driver.Available(); err != nil {
		b.Skip(err)
	}
	for _, e := range []kernels.Elem{kernels.Float32, kernels.Float64} {
		b.Run(e.String(), func(b *testing.B) {
			gpu, err := driver.Open(0)
			if err != nil {
				b.Fatal(err)
			}
			d, err := cuda.New(gpu)
			if err != nil {
				b.Fatal(err)
			}
			defer d.Close()
			f := devicetest.NewFixture(b, d, e, 257)
			marker, err := d.Alloc(e, 1)
			if err != nil {
				b.Fatal(err)
			}
			for _, k := range devicetest.TimedKernels() {
				d.Fill(kernels.FillArgs{X: marker})
				k.Run(f) // compiled and warm
				if err := d.Sync(); err != nil {
					b.Fatal(k.Name, err)
				}
				if b.N == 1 {
					continue
				}
				timeKernel(b, d, f, k)
			}
		})
	}
}

// timeKernel prints the line of one kernel.
func timeKernel(b *testing.B, d *cuda.Device, f *devicetest.Fixture, k devicetest.Timed) {
	const batch = 5e-3 // seconds
	plain := func() { d.Copy(kernels.CopyArgs{Dst: f.Copied, Src: f.X[1]}) }
	run := func() { k.Run(f) }
	timed := func(run func(), launches int) float64 {
		start := time.Now()
		for range launches {
			run()
		}
		if err := d.Sync(); err != nil {
			b.Fatal(k.Name, err)
		}
		return time.Since(start).Seconds() / float64(launches)
	}
	launches := [2]int{}
	for i, run := range []func(){run, plain} {
		launches[i] = max(3, int(batch/timed(run, 3)))
	}
	var times [2][]float64
	for range 5 {
		times[0] = append(times[0], timed(run, launches[0]))
		times[1] = append(times[1], timed(plain, launches[1]))
	}
	slices.Sort(times[0])
	slices.Sort(times[1])
	kernel, copied := times[0][2], times[1][2]
	fraction := k.Words / 2 * copied / kernel * float64(f.Box.Nodes()) / float64(f.Box.Len)
	fmt.Printf("| %s | %v | %.4g | %.1f | %.2f |\n", k.Name, f.Elem, k.Words, kernel*1e6, fraction)
}
