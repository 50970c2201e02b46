package ranks_test

import (
	"fmt"
	"os"
	"slices"
	"testing"

	"convect/kernels"
	"convect/kernels/cuda"
	"convect/kernels/cuda/emulation"
	"convect/kernels/devicetest"
	"convect/kernels/ranks"
)

// gpu opens an emulated GPU.
func gpu(t *testing.T, o emulation.Options) *cuda.Device {
	d, err := cuda.New(emulation.New(o))
	if err != nil {
		t.Fatal(err)
	}
	return d
}

// linkedGPUs makes a device of so many emulated GPUs on a link, which send each other messages, or, apart, go through the host.
func linkedGPUs(t *testing.T, size int, apart bool, o ranks.Options) kernels.Device {
	return onLink(t, size, o, func() ranks.Common { return gpu(t, emulation.Options{Apart: true, Messages: !apart}) })
}

// openGPUs makes a device of so many emulated GPUs.
func openGPUs(t *testing.T, size int, of emulation.Options, o ranks.Options) *ranks.Device {
	var devices []ranks.Common
	for range size {
		devices = append(devices, gpu(t, of))
	}
	d, err := ranks.New(devices, o)
	if err != nil {
		t.Fatal(err)
	}
	return d
}

// gpuWays are the ways of blocks between GPUs: a GPU reads the memory of another, they pass through the host or over a link, or processes send messages from GPU to GPU.
var gpuWays = []struct {
	name   string
	seldom bool // among all cases alone
	open   func(t *testing.T, o ranks.Options) kernels.Device
}{
	{"here", false, func(t *testing.T, o ranks.Options) kernels.Device {
		return openGPUs(t, 2, emulation.Options{}, o).Whole()
	}},
	{"apart", true, func(t *testing.T, o ranks.Options) kernels.Device {
		return openGPUs(t, 3, emulation.Options{Apart: true}, o).Whole()
	}},
	{"linked", false, func(t *testing.T, o ranks.Options) kernels.Device { return linkedGPUs(t, 2, false, o) }},
	{"linked, apart", true, func(t *testing.T, o ranks.Options) kernels.Device { return linkedGPUs(t, 3, true, o) }},
}

// Every kernel of GPUs does on slabs what it does on the whole grid.
func TestGPUConformance(t *testing.T) {
	for _, w := range gpuWays {
		every := 90
		if os.Getenv("TEST_EVERY") == "1" {
			every = 18
		} else if w.seldom {
			continue
		}
		t.Run(w.name, func(t *testing.T) {
			devicetest.RunEvery(every, t, func() kernels.Device { return w.open(t, ranks.Options{Rows: 2, Gather: -1, Poison: true}) })
		})
	}
}

// So do those that only GPUs have.
func TestGPUPasses(t *testing.T) {
	for _, w := range gpuWays {
		if os.Getenv("TEST_EVERY") != "1" && w.seldom || testing.Short() && w.name != "here" {
			continue
		}
		t.Run(w.name, func(t *testing.T) {
			devicetest.RunPasses(3, t, func() kernels.Device { return w.open(t, ranks.Options{Rows: 2, Gather: -1, Poison: true}) })
		})
	}
}

// Kernels of all ranks, with the copies of ghosts between them, are recorded as one; a record runs on ghosts that are no longer right, and does not run where the host is
// asked.
func TestGPUsRecord(t *testing.T) {
	o := ranks.Options{Rows: 2, Gather: -1, Poison: true}
	t.Run("here", func(t *testing.T) { testRecord(t, openGPUs(t, 2, emulation.Options{}, o).Whole()) })
	t.Run("linked", func(t *testing.T) { testRecord(t, linkedGPUs(t, 3, false, o)) })
	opened := 0
	d := onLink(t, 3, o, func() ranks.Common { // ranks that cannot record are heard
		opened++
		return gpu(t, emulation.Options{Apart: true, Messages: true, Forgets: opened == 3})
	})
	if d.(kernels.Recorder).Record(func() {}) != nil {
		t.Error("all have recorded, though one cannot")
	}
	if err := d.Close(); err != nil {
		t.Error(err)
	}
}

func testRecord(t *testing.T, d kernels.Device) {
	defer d.Close()
	box := kernels.NewBox([3]int{5, 12, 4}, false)
	array := func() kernels.Buffer {
		b, err := d.(kernels.BoxAllocator).AllocBox(kernels.Float64, box)
		if err != nil {
			t.Fatal(err)
		}
		return b
	}
	x, u, w := array(), array(), [3]kernels.Buffer{}
	for axis := range w {
		var err error
		if w[axis], err = d.Alloc(kernels.Float64, box.N[axis]+2*kernels.HaloWidth); err != nil {
			t.Fatal(err)
		}
		ones := make([]float64, box.N[axis]+2*kernels.HaloWidth)
		for i := range ones {
			ones[i] = 1
		}
		d.Upload(w[axis], ones)
	}
	a := &kernels.Elliptic{Box: box, Stencil: kernels.SevenPoint, K: [3]float64{1, 2, 3}, H: w, RH: w, W: w}
	start := make([]float64, box.Nodes())
	for i := range start {
		start[i] = float64(i * i % 17)
	}
	step := func() { // each product needs a row of the neighbour more
		for range 3 {
			d.Apply(kernels.ApplyArgs{A: a, X: x, Y: u})
			d.Apply(kernels.ApplyArgs{A: a, X: u, Y: x})
		}
	}
	read := func() []float64 {
		v := make([]float64, box.Nodes())
		if err := d.DownloadBox(v, x, box); err != nil {
			t.Fatal(err)
		}
		return v
	}
	d.UploadBox(x, box, start)
	step()
	want := read()
	d.UploadBox(x, box, start)
	record := d.(kernels.Recorder).Record(step)
	if record == nil {
		t.Fatal("nothing was recorded")
	}
	defer record.Free()
	if got := read(); !slices.Equal(got, start) {
		t.Error("what was recorded ran")
	}
	for range 3 {
		d.UploadBox(x, box, start)
		d.Combine(kernels.CombineArgs{Out: x, C: [4]float64{1, 1}, X: [4]kernels.Buffer{x, u}}) // of which few ghosts are right
		d.Combine(kernels.CombineArgs{Out: x, C: [4]float64{1, -1}, X: [4]kernels.Buffer{x, u}})
		if !record.Replay() {
			t.Fatal("a record did not run")
		}
		if got := read(); !slices.Equal(got, want) {
			t.Errorf("a record gave %v, not %v", got, want)
		}
	}
	if d.(kernels.Recorder).Record(func() { d.RemoveMean(kernels.RemoveMeanArgs{Box: box, X: x, W: w}) }) != nil {
		t.Error("a mean, which passes through the host, was recorded")
	}
	if err := d.Sync(); err != nil {
		t.Error(err)
	}
}

// Transfers to a grid whose rows lie between are recorded too, once they have been run: whether all have the coarse grid whole, or it is shared out.
func TestGPUsRecordBetween(t *testing.T) {
	for _, gather := range []int{-1, 500} {
		for _, linked := range []bool{false, true} {
			o := ranks.Options{Rows: 2, Gather: gather, Poison: true}
			d := openGPUs(t, 2, emulation.Options{}, o).Whole()
			if linked {
				d = linkedGPUs(t, 3, false, o)
			}
			t.Run(fmt.Sprintf("%d %v", gather, linked), func(t *testing.T) { testRecordBetween(t, d) })
		}
	}
}

func testRecordBetween(t *testing.T, d kernels.Device) {
	defer d.Close()
	a := kernels.TransferArgs{Fine: kernels.NewBox([3]int{5, 20, 7}, false), Coarse: kernels.NewBox([3]int{3, 11, 4}, false), Factor: [3]int{2, kernels.Between, 2}}
	fine, coarse := make([]float64, a.Fine.Nodes()), make([]float64, a.Coarse.Nodes())
	for i := range fine {
		fine[i] = float64(i * i % 17)
	}
	for b, box := range map[*kernels.Buffer]kernels.Box{&a.FineX: a.Fine, &a.CoarseX: a.Coarse} {
		var err error
		if *b, err = d.(kernels.BoxAllocator).AllocBox(kernels.Float64, box); err != nil {
			t.Fatal(err)
		}
	}
	cycle := func() { // of which each part reads what neighbours have written
		for range 2 {
			d.Restrict(a)
			d.Prolong(a)
			d.ProlongCubic(a)
		}
	}
	run := func(f func()) []float64 {
		d.UploadBox(a.FineX, a.Fine, fine)
		d.UploadBox(a.CoarseX, a.Coarse, coarse)
		f()
		v := make([]float64, a.Fine.Nodes())
		if err := d.DownloadBox(v, a.FineX, a.Fine); err != nil {
			t.Fatal(err)
		}
		return v
	}
	want := run(cycle)
	var record kernels.Recording
	run(func() { record = d.(kernels.Recorder).Record(cycle) })
	if record == nil {
		t.Fatal("nothing was recorded")
	}
	defer record.Free()
	for range 2 {
		if got := run(func() { record.Replay() }); !slices.Equal(got, want) {
			t.Errorf("a record gave %v, not %v", got, want)
		}
	}
	if all, ok := d.(interface{ DropIdle() bool }); ok && all.DropIdle() == record.Ready() {
		t.Error("a record is ready though its memory has been freed, or not though it has not")
	}
	if got := run(cycle); !slices.Equal(got, want) {
		t.Errorf("without what was kept %v, not %v", got, want)
	}
}
