package mueller_test

import (
	"flag"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"convect/kernels"
	"convect/kernels/cpu"
	"convect/lab/mueller"
)

var (
	columns     = flag.Int("columns", 256, "columns along each axis in benchmarks")
	levels      = flag.Int("levels", 128, "cells of a column in benchmarks")
	instruction = flag.String("instruction", "", "instruction set in benchmarks; empty: that of choice")
)

// BenchmarkIterations times whole iterations of all forms, and a copy of as large fields, in turns. The ratios are medians of
// those of a turn.
func BenchmarkIterations(b *testing.B) {
	for _, e := range []kernels.Elem{kernels.Float32, kernels.Float64} {
		for _, order := range orders() {
			b.Run(fmt.Sprintf("%v/%v", e, order), func(b *testing.B) { benchmarkIterations(b, e, order) })
		}
	}
}

func benchmarkIterations(b *testing.B, e kernels.Elem, order mueller.Order) {
	p := problemOn(b, cpu.Options{Instruction: *instruction}, e, order, mueller.Standard(*columns, *levels, false))
	from, to, u := noise(b, p, 5), field(b, p), noise(b, p, 4)
	var parts [][]mueller.Part
	for _, form := range mueller.Forms() {
		s := krylov(b, p, form)
		for _, f := range s.Fields() {
			p.Device.Copy(kernels.CopyArgs{Dst: f, Src: from})
		}
		parts = append(parts, s.Parts(u))
	}
	times := map[string][]float64{}
	for b.Loop() {
		took := map[string]float64{"copy": seconds(func() { p.Device.Copy(kernels.CopyArgs{Dst: to, Src: from}) })}
		for n, form := range mueller.Forms() {
			for _, part := range parts[n] {
				s := seconds(part.Run)
				took[form.String()] += s
				took[form.String()+" "+part.Name] = s
			}
		}
		for _, form := range mueller.Forms()[:2] {
			took[form.String()+"/interleaved"] = took[form.String()] / took[mueller.Interleaved.String()]
		}
		took["explicit/free SpMV"] = took["matrix-explicit SpMV"] / took["matrix-free SpMV"]
		for name, s := range took {
			times[name] = append(times[name], s)
		}
	}
	must(b, p.Device.Sync())
	for name, all := range times {
		slices.Sort(all)
		middle := all[len(all)/2]
		if !strings.Contains(name, "/") {
			middle *= 1e3
		}
		b.ReportMetric(middle, strings.ReplaceAll(name, " ", "_"))
	}
}

// BenchmarkParts times the kernels of an iteration in turns with a copy of as large fields.
func BenchmarkParts(b *testing.B) {
	for _, e := range []kernels.Elem{kernels.Float32, kernels.Float64} {
		for _, order := range orders() {
			for _, form := range mueller.Forms() {
				b.Run(fmt.Sprintf("%v/%v/%v", e, order, form), func(b *testing.B) { benchmarkForm(b, e, order, form) })
			}
		}
	}
}

func benchmarkForm(b *testing.B, e kernels.Elem, order mueller.Order, form mueller.Form) {
	p := problemOn(b, cpu.Options{Instruction: *instruction}, e, order, mueller.Standard(*columns, *levels, false))
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
			b.ReportMetric(times[0]*1e3, "least")
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
