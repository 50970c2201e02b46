package panel_test

import (
	"flag"
	"fmt"
	"slices"
	"testing"
	"time"

	"convect/kernels"
	"convect/multigrid/panel"
)

var columns = flag.Int("columns", 256, "columns along each axis in benchmarks, of half as many cells")

// BenchmarkParts times the kernels of an iteration in turns with a copy of as large fields.
func BenchmarkParts(b *testing.B) {
	for _, e := range []kernels.Elem{kernels.Float32, kernels.Float64} {
		for _, order := range orders() {
			for _, form := range panel.Forms() {
				b.Run(fmt.Sprintf("%v/%v/%v", e, order, form), func(b *testing.B) { benchmarkForm(b, e, order, form) })
			}
		}
	}
}

func benchmarkForm(b *testing.B, e kernels.Elem, order kernels.Order, form panel.Form) {
	p := problem(b, e, order, panel.Standard(*columns, *columns/2, false))
	u, from, to := noise(b, p, 4), noise(b, p, 5), field(b, p)
	s := krylov(b, p, form)
	for _, f := range s.Fields() {
		p.Device.Copy(kernels.CopyArgs{Dst: f, Src: from})
	}
	for _, part := range s.Parts(u) {
		b.Run(part.Name, func(b *testing.B) {
			var times, copies []float64
			part.Run()
			for b.Loop() {
				times = append(times, seconds(part.Run))
				copies = append(copies, seconds(func() { p.Device.Copy(kernels.CopyArgs{Dst: to, Src: from}) }))
			}
			must(b, p.Device.Sync())
			slices.Sort(times)
			slices.Sort(copies)
			cells := float64(p.Panel.Cells())
			speed := part.Work.Bytes(e) * cells / times[len(times)/2]
			b.ReportMetric(times[len(times)/2]*1e3, "ms")
			b.ReportMetric(speed/1e9, "GB/s")
			b.ReportMetric(speed/(2*cells*float64(e.Size())/copies[len(copies)/2]), "of-copy")
		})
	}
}

// seconds returns the time that run takes.
func seconds(run func()) float64 {
	start := time.Now()
	run()
	return time.Since(start).Seconds()
}
