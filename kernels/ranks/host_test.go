package ranks_test

import (
	"fmt"
	"testing"
	"unsafe"

	"convect/kernels"
	"convect/kernels/cuda"
	"convect/kernels/cuda/driver"
	"convect/kernels/ranks"
)

// idle is a GPU that does nothing, so that what the host does can be timed.
type idle struct{ next uintptr }

func (d *idle) Info() driver.Info {
	return driver.Info{Name: "cuda:0", Description: "idle", Major: 9, Multiprocessors: 132, CacheBytes: 50 << 20, TotalMemory: 80 << 30, Memory: 80 << 30}
}

func (d *idle) Alloc(bytes int) (uintptr, error) {
	p := d.next + 256
	d.next = p + uintptr(bytes+255)&^255
	return p, nil
}

func (d *idle) Free(uintptr)                                                      {}
func (d *idle) Upload(uintptr, unsafe.Pointer, int) error                         { return nil }
func (d *idle) Download(unsafe.Pointer, uintptr, int) error                       { return nil }
func (d *idle) Copy(dst, src uintptr, bytes int) error                            { return nil }
func (d *idle) Set(uintptr, byte, int) error                                      { return nil }
func (d *idle) Launch(string, [3]int, [3]int, int, unsafe.Pointer, uintptr) error { return nil }
func (d *idle) Sync() error                                                       { return nil }
func (d *idle) Close() error                                                      { return nil }
func (d *idle) Reaches(driver.GPU) bool                                           { return true }
func (d *idle) After(driver.GPU) error                                            { return nil }
func (d *idle) AllocHost(bytes int) (unsafe.Pointer, error) {
	return unsafe.Pointer(&make([]byte, bytes)[0]), nil
}
func (d *idle) FreeHost(unsafe.Pointer)                                            {}
func (d *idle) DownloadAsync(unsafe.Pointer, uintptr, int) (driver.Pending, error) { return nil, nil }
func (d *idle) Await(driver.Pending) error                                         { return nil }
func (d *idle) Heard(unsafe.Pointer, uint32) error                                 { return nil }

// must returns what ends a test where there is an error.
func must[T any](v T, err error) func(t testing.TB) T {
	return func(t testing.TB) T {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		return v
	}
}

// BenchmarkHost tells what the host does for kernels of ranks, apart from the driver, beside one device without ranks (0).
func BenchmarkHost(b *testing.B) {
	for _, size := range []int{0, 1, 2, 4} {
		d := idleGPUs(b, size)
		p := newProblem(b, d, [3]int{513, 513, 129})
		for _, c := range p.calls(d) {
			b.Run(fmt.Sprintf("%s on %d", c.name, size), func(b *testing.B) {
				b.ReportAllocs()
				for b.Loop() {
					c.call()
				}
				if err := d.Sync(); err != nil {
					b.Fatal(err)
				}
			})
		}
		d.Close()
	}
}

// idleGPUs returns a device of so many GPUs that do nothing, or, 0, one of them by itself.
func idleGPUs(t testing.TB, size int) kernels.Device {
	var all []ranks.Common
	for range max(size, 1) {
		all = append(all, must(cuda.New(&idle{}))(t))
	}
	if size == 0 {
		return all[0].(kernels.Device)
	}
	return must(ranks.New(all, ranks.Options{Ghosts: 6}))(t).Whole()
}

// problem is an operator with fields on it.
type problem struct {
	box     kernels.Box
	a       *kernels.Elliptic
	x, y, f kernels.Buffer
	coarse  kernels.Box
	g       kernels.Buffer
}

func newProblem(t testing.TB, d kernels.Device, n [3]int) *problem {
	p := &problem{box: kernels.NewBox(n, false), coarse: kernels.NewBox([3]int{n[0]/2 + 1, n[1]/2 + 1, n[2]/2 + 1}, false)}
	array := func(box kernels.Box) kernels.Buffer { return must(kernels.AllocBox(d, kernels.Float32, box))(t) }
	p.x, p.y, p.f, p.g = array(p.box), array(p.box), array(p.box), array(p.coarse)
	var w [3]kernels.Buffer
	for axis := range w {
		ones := make([]float64, n[axis]+2*kernels.HaloWidth)
		for i := range ones {
			ones[i] = 1
		}
		w[axis] = must(d.Alloc(kernels.Float32, len(ones)))(t)
		d.Upload(w[axis], ones)
	}
	p.a = &kernels.Elliptic{Box: p.box, Stencil: kernels.SevenPoint, K: [3]float64{1, 2, 3}, H: w, RH: w, W: w}
	return p
}

// named is a call to be timed.
type named struct {
	name string
	call func()
}

// calls returns those that a step is made of.
func (p *problem) calls(d kernels.Device) []named {
	all := []named{
		{"Copy", func() { d.Copy(kernels.CopyArgs{Dst: p.y, Src: p.x}) }},
		{"Combine", func() {
			d.Combine(kernels.CombineArgs{Out: p.y, C: [4]float64{1, 1}, X: [4]kernels.Buffer{p.x, p.f}})
		}},
		{"Residual", func() { d.Residual(kernels.ResidualArgs{A: p.a, F: p.f, U: p.x, R: p.y}) }},
		{"Reduce", func() {
			d.Reduce(kernels.ReduceArgs{Kind: kernels.Dot, Box: p.box, X: p.x, Y: p.x, Slot: 1})
		}},
		{"Descend", func() {
			d.Descend(kernels.CycleArgs{A: p.a, Out: p.y, U: p.x, F: p.f, Sweeps: 2, Omega: [kernels.MaxSweeps]float64{0.8, 0.8},
				Coarse: p.coarse, CoarseX: p.g, Factor: [3]int{2, 2, 2}})
		}},
		{"Scalars", func() { d.Scalars() }},
	}
	if _, ok := p.x.(*ranks.Buffer); ok {
		all = append(all, named{"exchange", func() { ranks.Exchange(p.x) }})
	}
	return all
}
