//go:build cuda

package ranks_test

import (
	"fmt"
	"testing"

	"convect/kernels"
	"convect/kernels/cuda"
	"convect/kernels/cuda/driver"
	"convect/kernels/devicetest"
	"convect/kernels/ranks"
)

// realGPUs opens two GPUs of the host, or, where it has one, that one twice; it ends a test where there is none.
func realGPUs(t testing.TB) (all []ranks.Common) {
	if err := driver.Available(); err != nil {
		t.Skip(err)
	}
	for n := range 2 {
		gpu, err := driver.Open(n)
		if err != nil && n > 0 {
			gpu, err = driver.Open(0)
		}
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, must(cuda.New(gpu))(t))
	}
	return all
}

// TestRealGPUs checks all kernels and passes on two ranks that own GPUs.
func TestRealGPUs(t *testing.T) {
	open := func() *ranks.Device {
		return must(ranks.New(realGPUs(t), ranks.Options{Rows: 2, Gather: -1, Poison: true}))(t)
	}
	t.Run("conformance", func(t *testing.T) { devicetest.RunEvery(9, t, func() kernels.Device { return open() }) })
	t.Run("passes", func(t *testing.T) { devicetest.RunPasses(3, t, func() kernels.Device { return open().Whole() }) })
}

// BenchmarkGPUs tells what ranks on GPUs cost each other.
func BenchmarkGPUs(b *testing.B) {
	gpus := realGPUs(b)
	d := must(ranks.New(gpus, ranks.Options{Ghosts: 6}))(b).Whole()
	defer d.Close()
	timed := func(name string, f func()) {
		b.Run(name, func(b *testing.B) {
			for range b.N { // b.Loop would not count what is still queued at its end
				f()
			}
			if err := d.Sync(); err != nil {
				b.Fatal(err)
			}
		})
	}
	first, second := gpus[0].(kernels.Queuer), gpus[1].(kernels.Queuer)
	timed("wait for each other", func() {
		first.After(gpus[1])
		second.After(gpus[0])
	})
	array := func(e kernels.Elem, n [3]int) kernels.Buffer {
		return must(d.(kernels.BoxAllocator).AllocBox(e, kernels.NewBox(n, false)))(b)
	}
	for _, n := range [][3]int{{513, 513, 129}, {1025, 1025, 257}} {
		for _, e := range []kernels.Elem{kernels.Float32, kernels.Float64} {
			x := array(e, n)
			timed(fmt.Sprintf("exchange %v of %dx%dx%d nodes", e, n[0], n[1], n[2]), func() { ranks.Exchange(x) })
			d.Free(x)
		}
	}
	x, y := array(kernels.Float32, [3]int{33, 130, 33}), array(kernels.Float32, [3]int{33, 130, 33})
	small := func() {
		for range 10 {
			d.Copy(kernels.CopyArgs{Dst: y, Src: x})
		}
	}
	exchanged := func() {
		small()
		ranks.Exchange(x)
		small()
	}
	for name, f := range map[string]func(){"ten small kernels": small, "ten, an exchange and ten": exchanged} {
		timed(name, f)
		record := d.(kernels.Recorder).Record(f)
		if record == nil {
			b.Fatalf("%s are not recorded", name)
		}
		timed(name+", recorded", func() { record.Replay() })
		record.Free()
	}
	timed("numbers to the host", func() { d.Scalars() })
}
