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

// realGPUs opens so many GPUs of the host, where there are fewer the first one for each that is missing; it ends a test where there is none.
func realGPUs(t testing.TB, size int) (all []ranks.Common) {
	if err := driver.Available(); err != nil {
		t.Skip(err)
	}
	for n := range size {
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
		return must(ranks.New(realGPUs(t, 2), ranks.Options{Rows: 2, Gather: -1, Poison: true}))(t)
	}
	t.Run("conformance", func(t *testing.T) { devicetest.RunEvery(9, t, func() kernels.Device { return open() }) })
	t.Run("passes", func(t *testing.T) { devicetest.RunPasses(3, t, func() kernels.Device { return open().Whole() }) })
}

// TestNCCL checks all kernels and passes on two ranks on a link whose GPUs send each other messages.
func TestNCCL(t *testing.T) {
	if all, err := driver.Devices(); err != nil || len(all) < 2 {
		t.Skip("there are no two GPUs", err)
	}
	open := func() kernels.Device {
		n := -1
		return onLink(t, 2, ranks.Options{Rows: 2, Gather: -1, Poison: true}, func() ranks.Common {
			n++
			return must(cuda.New(must(driver.Open(n))(t)))(t)
		}, func(d *ranks.Device) {
			if name, why := d.Way(); name == "" {
				t.Fatalf("GPUs send no messages: %s", why)
			}
		})
	}
	t.Run("conformance", func(t *testing.T) { devicetest.RunEvery(18, t, open) })
	t.Run("passes", func(t *testing.T) { devicetest.RunPasses(6, t, open) })
}

// BenchmarkGPUs tells what ranks on GPUs cost each other: on two, and on four where the host has them.
func BenchmarkGPUs(b *testing.B) {
	for _, size := range []int{2, 4} {
		if all, err := driver.Devices(); size > 2 && (err != nil || len(all) < size) {
			continue
		}
		b.Run(fmt.Sprint(size), func(b *testing.B) {
			gpus := realGPUs(b, size)
			d := must(ranks.New(gpus, ranks.Options{Ghosts: 6}))(b).Whole()
			defer d.Close()
			t := &timer{b, d, gpus}
			t.waits()
			t.exchanges()
			t.records()
			t.numbers()
		})
	}
}

// timer times what ranks do.
type timer struct {
	b    *testing.B
	d    kernels.Device
	gpus []ranks.Common
}

func (t *timer) timed(name string, f func()) {
	t.b.Run(name, func(b *testing.B) {
		for range b.N { // b.Loop would not count what is still queued at its end
			f()
		}
		if err := t.d.Sync(); err != nil {
			b.Fatal(err)
		}
	})
}

// array returns an array of nodes.
func (t *timer) array(e kernels.Elem, n [3]int) kernels.Buffer {
	return must(kernels.AllocBox(t.d, e, kernels.NewBox(n, false)))(t.b)
}

func (t *timer) waits() {
	t.timed("neighbours wait for each other", func() {
		for n := range t.gpus[1:] {
			one, other := t.gpus[n].(kernels.Queuer), t.gpus[n+1].(kernels.Queuer)
			one.Give()
			other.Give()
			one.Take(t.gpus[n+1])
			other.Take(t.gpus[n])
		}
	})
	x, y := t.array(kernels.Float32, [3]int{33, 40 * len(t.gpus), 17}), t.array(kernels.Float32, [3]int{33, 40 * len(t.gpus), 17})
	t.timed("launch of a kernel of few nodes", func() { t.d.Copy(kernels.CopyArgs{Dst: y, Src: x}) })
}

// exchanges times those of one array, and of two one by one, as they were, and at a time; and twenty of one array that are recorded.
func (t *timer) exchanges() {
	for _, n := range [][3]int{{513, 513, 129}, {1025, 1025, 257}} {
		for _, e := range []kernels.Elem{kernels.Float32, kernels.Float64} {
			x, y := t.array(e, n), t.array(e, n)
			of := fmt.Sprintf("exchange %v of %dx%dx%d nodes", e, n[0], n[1], n[2])
			t.timed(of, func() { ranks.Exchange(x) })
			t.timed(of+", two one by one", func() {
				ranks.Exchange(x)
				ranks.Exchange(y)
			})
			t.timed(of+", two at a time", func() { ranks.Exchange(x, y) })
			t.d.Free(x)
			t.d.Free(y)
		}
	}
	for _, n := range [][3]int{{89, 40 * len(t.gpus), 89}, {641, 40 * len(t.gpus), 257}} {
		x := t.array(kernels.Float32, n)
		record := t.d.(kernels.Recorder).Record(func() {
			for range 20 {
				ranks.Exchange(x)
			}
		})
		if record == nil {
			t.b.Fatal("exchanges are not recorded")
		}
		t.timed(fmt.Sprintf("twenty exchanges of 6 and 7 rows of %d bytes, recorded", 4*n[0]*n[2]), func() { record.Replay() })
		record.Free()
		t.d.Free(x)
	}
}

// records times kernels one by one and recorded, with the graph behind a kernel that takes long, which is launched before it, and where kernels that take no time
// are launched before it in its place, so that the GPUs wait for the graph as they did.
func (t *timer) records() {
	n := [3]int{33, 70 * len(t.gpus), 17}
	x, y, large, other := t.array(kernels.Float32, n), t.array(kernels.Float32, n), t.array(kernels.Float32, [3]int{513, 513, 129}), t.array(kernels.Float32, [3]int{513, 513, 129})
	small := func() {
		for range 10 {
			t.d.Copy(kernels.CopyArgs{Dst: y, Src: x})
		}
	}
	long := func() { t.d.Copy(kernels.CopyArgs{Dst: other, Src: large}) }
	for _, c := range []struct {
		name string
		f    func()
	}{
		{"ten small kernels", small},
		{"ten, an exchange and ten", func() {
			small()
			ranks.Exchange(x)
			small()
		}},
		{"a long one, an exchange and ten", func() {
			long()
			ranks.Exchange(x)
			small()
		}},
		{"a small one, a long one, an exchange and ten", func() {
			t.d.Copy(kernels.CopyArgs{Dst: y, Src: x})
			long()
			ranks.Exchange(x)
			small()
		}},
	} {
		t.timed(c.name, c.f)
		record := t.d.(kernels.Recorder).Record(c.f)
		if record == nil {
			t.b.Fatalf("%s are not recorded", c.name)
		}
		t.timed(c.name+", recorded", func() { record.Replay() })
		t.timed(c.name+", recorded, and a wait for them", func() {
			record.Replay()
			t.d.Sync()
		})
		record.Free()
	}
}

// numbers times sums that come to the host as in a step, of GPUs one after the other, as they were, and of all at a time.
func (t *timer) numbers() {
	n := [3]int{33, 70 * len(t.gpus), 17}
	x := t.array(kernels.Float32, n)
	sum := func() {
		t.d.Reduce(kernels.ReduceArgs{Kind: kernels.Dot, Box: kernels.NewBox(n, false), X: x, Y: x, Slot: 1})
	}
	inTurn := func() {
		for _, g := range t.gpus {
			g.Scalars()
		}
		t.d.Sync()
	}
	atATime := func() { t.d.Scalars() }
	t.timed("a sum", sum)
	t.timed("a sum to the host, in turn", func() {
		sum()
		inTurn()
	})
	t.timed("a sum to the host, at a time", func() {
		sum()
		atATime()
	})
	t.timed("seven sums of a step, in turn", func() {
		for range 7 {
			sum()
			inTurn()
		}
	})
	t.timed("seven sums of a step, at a time", func() {
		for range 7 {
			sum()
			atATime()
		}
	})
}
