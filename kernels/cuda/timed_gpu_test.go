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
// of one block that tells where it begins, as one tells where the last one ends (scripts/profile-kernels.py).
func BenchmarkGPUKernels(b *testing.B) {
	if err := driver.Available(); err != nil {
		b.Skip(err)
	}
	for _, e := range []kernels.Elem{kernels.Float32, kernels.Float64} {
		b.Run(e.String(), func(b *testing.B) {
			d := firstGPU(b)
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
			d.Fill(kernels.FillArgs{X: marker})
		})
	}
}

func firstGPU(b *testing.B) *cuda.Device {
	b.Helper()
	gpu, err := driver.Open(0)
	if err != nil {
		b.Fatal(err)
	}
	d, err := cuda.New(gpu)
	if err != nil {
		b.Fatal(err)
	}
	return d
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

// BenchmarkGPUTransforms prints a line for each grid and axis: microseconds of a fast transform of cosines, forth and back, and of a product with folded matrices, and the
// fraction of a copy of the same nodes that either has.
func BenchmarkGPUTransforms(b *testing.B) {
	if err := driver.Available(); err != nil {
		b.Skip(err)
	}
	d := firstGPU(b)
	defer d.Close()
	for _, e := range []kernels.Elem{kernels.Float32, kernels.Float64} {
		for _, n := range [][3]int{{65, 65, 65}, {129, 129, 129}, {257, 257, 257}, {301, 301, 181}, {601, 601, 51}, {513, 513, 129}, {1025, 1025, 65}, {2049, 65, 65}, {65, 2049, 65}, {1361, 1361, 33}, {165, 165, 257},
			{769, 769, 65}, {98, 1026, 34}, {205, 205, 257}, {534, 534, 65}, {1207, 1207, 33}} {
			for axis := range 2 {
				timeTransform(b, d, e, kernels.NewBox(n, false), axis)
			}
		}
	}
}

func timeTransform(b *testing.B, d *cuda.Device, e kernels.Elem, box kernels.Box, axis int) {
	n := box.N[axis]
	rows, pitch := kernels.TransformRows(n, kernels.FoldForth)
	var buffers [4]kernels.Buffer // in, out, a table, and matrices
	for i, length := range []int{box.Len, box.Len, kernels.WavesEntries(n, kernels.Cosines), 2 * rows * pitch} {
		var err error
		if buffers[i], err = d.Alloc(e, length); err != nil {
			b.Fatal(err)
		}
		defer d.Free(buffers[i])
	}
	fast := kernels.FastTransformArgs{Box: box, Axis: axis, Waves: kernels.Cosines, In: buffers[0], Out: buffers[1], Table: buffers[2], Entries: buffers[2].Len()}
	back := fast
	back.Back = true
	product := kernels.TransformArgs{Box: box, Axis: axis, Folding: kernels.FoldForth, In: buffers[0], Out: buffers[1], Matrix: buffers[3], Entries: buffers[3].Len()}
	if !d.TransformsFast(fast) {
		return
	}
	runs := []func(){func() { d.FastTransform(fast) }, func() { d.FastTransform(back) }, func() { d.Transform(product) },
		func() { d.Copy(kernels.CopyArgs{Dst: buffers[1], Src: buffers[0]}) }}
	times := microseconds(b, d, runs...)
	line := fmt.Sprintf("%v %-14v %c", e, box.N, "xy"[axis])
	for _, us := range times {
		line += fmt.Sprintf(" %8.1f", us)
	}
	fmt.Printf("%s us forth, back, product, copy: %.2f %.2f %.2f of the copy\n", line, times[3]/times[0], times[3]/times[1], times[3]/times[2])
}

// BenchmarkGPUModes prints for grids the microseconds of systems along z, and the fraction of a copy of as many nodes.
func BenchmarkGPUModes(b *testing.B) {
	if err := driver.Available(); err != nil {
		b.Skip(err)
	}
	d := firstGPU(b)
	defer d.Close()
	for _, n := range [][3]int{{65, 65, 65}, {129, 129, 129}, {257, 257, 257}, {301, 301, 181}, {601, 601, 51}, {513, 513, 129}, {1025, 1025, 129}, {257, 257, 1025}, {98, 1026, 34}, {97, 97, 2049},
		{1025, 1, 257}, {4097, 1, 1025}, {2049, 1, 2049}, {257, 1, 4097}} {
		for _, e := range []kernels.Elem{kernels.Float32, kernels.Float64} {
			timeModes(b, d, e, n)
		}
	}
}

func timeModes(b *testing.B, d *cuda.Device, e kernels.Elem, n [3]int) {
	box := kernels.NewBox(n, false)
	var arrays [3]kernels.Buffer // x, room and the table
	for i, length := range []int{box.Len, box.Len, kernels.ModesEntries(n)} {
		var err error
		if arrays[i], err = d.Alloc(e, length); err != nil {
			b.Fatal(err)
		}
		defer d.Free(arrays[i])
		d.Fill(kernels.FillArgs{X: arrays[i], Value: 1})
	}
	a := kernels.ModesArgs{Box: box, X: arrays[0], Work: arrays[1], Table: arrays[2], Entries: arrays[2].Len(), Singular: true}
	us := microseconds(b, d, func() { d.Modes(a) }, func() { d.Copy(kernels.CopyArgs{Dst: arrays[1], Src: arrays[0]}) })
	fmt.Printf("%v %-14v %8.1f us, %.2f of the copy\n", e, n, us[0], us[1]/us[0])
}

// microseconds returns the medians of the times that calls take, in turn.
func microseconds(b *testing.B, d *cuda.Device, calls ...func()) (median []float64) {
	times := make([][]float64, len(calls))
	for range 7 {
		for i, call := range calls {
			const launches = 20
			start := time.Now()
			for range launches {
				call()
			}
			if err := d.Sync(); err != nil {
				b.Fatal(err)
			}
			times[i] = append(times[i], time.Since(start).Seconds()/launches*1e6)
		}
	}
	for _, t := range times {
		slices.Sort(t)
		median = append(median, t[len(t)/2])
	}
	return median
}

// BenchmarkGPUCuts prints for grids of which two GPUs have half the rows each the microseconds of what a direct solve does on one of them: in columns, transforms along y and systems
// along z; in rows, transforms along z, and of the systems along y what they are between their ends, and their solution.
func BenchmarkGPUCuts(b *testing.B) {
	if err := driver.Available(); err != nil {
		b.Skip(err)
	}
	d := firstGPU(b)
	defer d.Close()
	for _, n := range [][3]int{{513, 513, 129}, {1025, 1025, 257}, {257, 513, 65}} {
		for _, e := range []kernels.Elem{kernels.Float32, kernels.Float64} {
			timeCuts(b, d, e, n)
		}
	}
}

func timeCuts(b *testing.B, d *cuda.Device, e kernels.Elem, n [3]int) {
	columns, rows := kernels.NewBox([3]int{n[0] / 2, n[1], n[2]}, false), kernels.NewBox([3]int{n[0], n[1] / 2, n[2]}, false)
	array := func(length int, values float64) kernels.Buffer {
		x, err := d.Alloc(e, length)
		if err != nil {
			b.Fatal(err)
		}
		d.Fill(kernels.FillArgs{X: x, Value: values})
		return x
	}
	x, y, table := array(max(columns.Len, rows.Len), 1), array(max(columns.Len, rows.Len), 1), array(8*(n[0]+n[1]+n[2]), 1)
	cut := kernels.Cut{First: n[1] / 2, Rows: n[1], Rank: 1, N: 2}
	entries := cut.Entries(n[0] * n[2])
	cut.Own, cut.All = array(entries, 1), array(2*entries, 1)
	all := []kernels.Buffer{x, y, table, cut.Own, cut.All}
	defer func() {
		for _, a := range all {
			d.Free(a)
		}
	}()
	turnedTable, least := tableOfModes(d, e, [3]int{n[0], n[2], n[1]}, laplace)
	cut.Least = least
	all = append(all, turnedTable)
	modes := kernels.ModesArgs{Box: columns, X: x, Work: y, Table: table, Entries: kernels.ModesEntries(columns.N), Singular: true}
	turned := modes
	turned.Box, turned.Turned, turned.Table, turned.Entries = rows, true, turnedTable, kernels.ModesEntries([3]int{n[0], n[2], n[1]})
	along := kernels.FastTransformArgs{Box: columns, Axis: kernels.Y, Waves: kernels.Cosines, In: x, Out: y, Table: table, Entries: kernels.WavesEntries(n[1], kernels.Cosines)}
	up := along
	up.Box, up.Axis, up.Entries = rows, kernels.Z, kernels.WavesEntries(n[2], kernels.Cosines)
	line := fmt.Sprintf("%v %v, us:", e, n)
	for _, k := range []struct {
		name string
		run  func()
	}{{"along y", func() { d.FastTransform(along) }}, {"modes along z", func() { d.Modes(modes) }}, {"along z", func() { d.FastTransform(up) }},
		{"ends", func() { d.ModesEnds(turned, cut) }}, {"cut", func() { d.ModesCut(turned, cut) }}, {"copy", func() { d.Copy(kernels.CopyArgs{Dst: y, Src: x}) }}} {
		line += fmt.Sprintf(" %s %.1f;", k.name, microseconds(b, d, k.run)[0])
	}
	fmt.Println(line)
}
