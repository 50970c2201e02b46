package driver_test

import (
	"testing"
	"unsafe"

	"convect/kernels/call"
	"convect/kernels/cuda/driver"
	"convect/kernels/cuda/emulation"
)

func TestEmulatedDriver(t *testing.T) { testDriver(t, emulation.New(emulation.Options{})) }

// numbers is device memory with eight values, on a bench that fails the test on any error.
type numbers struct {
	t *testing.T
	d driver.GPU
	p uintptr
}

const numberBytes = 8 * 8

func (n *numbers) must(err error) {
	n.t.Helper()
	if err != nil {
		n.t.Fatal(err)
	}
}

// another returns more memory.
func (n *numbers) another() uintptr {
	n.t.Helper()
	p, err := n.d.Alloc(numberBytes)
	n.must(err)
	return p
}

func (n *numbers) put(v [8]float64) {
	n.t.Helper()
	n.must(n.d.Upload(n.p, unsafe.Pointer(&v), numberBytes))
}

func (n *numbers) wants(p uintptr, want [8]float64) {
	n.t.Helper()
	var got [8]float64
	n.must(n.d.Download(unsafe.Pointer(&got), p, numberBytes))
	if got != want {
		n.t.Errorf("got %g, not %g", got, want)
	}
}

// testDriver is what every driver passes; it closes it.
func testDriver(t *testing.T, d driver.GPU) {
	n := &numbers{t: t, d: d}
	n.p = n.another()
	n.wants(n.p, [8]float64{})
	n.put([8]float64{1, 2, 3, 4, 5, 6, 7, 8})
	t.Run("memory", func(t *testing.T) { testMemory(&numbers{t, d, n.p}) })
	t.Run("info", func(t *testing.T) { testInfo(t, d) })
	t.Run("unknown kernel", func(t *testing.T) { testUnknownKernel(t, d) })
	t.Run("record", func(t *testing.T) { testRecorder(&numbers{t, d, n.p}, d.(driver.Recorder)) })
	t.Run("download", func(t *testing.T) { testStreamer(&numbers{t, d, n.p}, d.(driver.Streamer)) })
	t.Run("hear", func(t *testing.T) { testListener(&numbers{t, d, n.p}, d.(driver.Listener)) })
	t.Run("time", func(t *testing.T) { testTimer(&numbers{t, d, n.p}, d.(driver.Timer)) })
	d.Free(n.p)
	n.must(d.Sync())
	n.must(d.Close())
}

func testMemory(n *numbers) {
	q := n.another()
	if q%256 != 0 {
		n.t.Errorf("memory at %#x", q)
	}
	n.must(n.d.Copy(q, n.p+8, numberBytes-8))
	n.wants(q, [8]float64{2, 3, 4, 5, 6, 7, 8, 0})
	n.must(n.d.Set(q+16, 0, 8))
	n.wants(q, [8]float64{2, 3, 0, 5, 6, 7, 8, 0})
	n.d.Free(q)
	if p, err := n.d.Alloc(1 << 50); err == nil {
		n.t.Errorf("a PiB at %#x", p)
	}
}

func testInfo(t *testing.T, d driver.GPU) {
	i := d.Info()
	if i.Name == "" || i.Description == "" || i.Major < 7 || i.Multiprocessors < 1 || i.CacheBytes < 1 ||
		i.Memory < 1 || i.Memory > i.TotalMemory {
		t.Errorf("%+v", i)
	}
}

func testUnknownKernel(t *testing.T, d driver.GPU) {
	var args int64
	one := [3]int{1, 1, 1}
	if err := d.Launch("unheard_of_f32", one, one, 0, unsafe.Pointer(&args), 8); err == nil {
		t.Error("a kernel that does not exist was launched")
	}
}

func testRecorder(n *numbers, r driver.Recorder) {
	q := n.another()
	defer n.d.Free(q)
	n.must(r.BeginCapture())
	n.must(n.d.Copy(q, n.p, numberBytes))
	n.must(n.d.Set(q, 0, 8))
	g, err := r.EndCapture()
	n.must(err)
	n.wants(q, [8]float64{})
	for first := range 3 {
		n.put([8]float64{9, float64(first)})
		n.must(g.Launch())
		n.wants(q, [8]float64{0, float64(first)})
	}
	n.must(g.Close())
	n.put([8]float64{1, 2, 3, 4, 5, 6, 7, 8})
}

func testStreamer(n *numbers, s driver.Streamer) {
	p, err := s.AllocHost(numberBytes)
	n.must(err)
	defer s.FreeHost(p)
	one, err := s.DownloadAsync(p, n.p, numberBytes)
	n.must(err)
	n.must(s.Await(one))
	n.must(n.d.Set(n.p, 0, numberBytes))
	n.must(one.Wait())
	if got := *(*[8]float64)(p); got != [8]float64{1, 2, 3, 4, 5, 6, 7, 8} {
		n.t.Errorf("downloaded %g", got)
	}
	n.wants(n.p, [8]float64{})
}

func testTimer(n *numbers, c driver.Timer) {
	n.must(c.Mark(0))
	n.must(n.d.Set(n.p, 0, numberBytes))
	n.must(c.Mark(63))
	d, err := c.Elapsed(0, 63)
	n.must(err)
	if d < 0 {
		n.t.Errorf("%v passed", d)
	}
}

func testListener(n *numbers, l driver.Listener) {
	n.put([8]float64{1, 2, 3, 4, 5, 6, 7, 8})
	p, err := l.AllocHost(numberBytes)
	n.must(err)
	defer l.FreeHost(p)
	*(*[8]float64)(p) = [8]float64{}
	counter := unsafe.Add(p, 24)
	say := func(first int, number int64) {
		a := call.Report{Slot: n.p + uintptr(8*first), To: uintptr(p), N: 3, Counter: uintptr(counter), Number: number}
		n.must(n.d.Launch("report_f32", [3]int{1, 1, 1}, [3]int{32, 1, 1}, 0, unsafe.Pointer(&a), unsafe.Sizeof(a)))
	}
	for number, first := range []int{5, 2} {
		say(first, int64(7+number))
		n.must(l.Heard(counter, uint32(7+number)))
		if got, want := *(*[3]float64)(p), [3]float64{float64(first + 1), float64(first + 2), float64(first + 3)}; got != want {
			n.t.Errorf("heard %g, not %g", got, want)
		}
	}
	say(0, 1<<32-1)
	say(0, 3) // has gone round
	n.must(l.Heard(counter, 1<<32-1))
	n.must(n.d.Sync())
	if err := l.Heard(counter, 4); err == nil {
		n.t.Error("heard what nobody has said")
	}
}
