package emulation_test

import (
	"math"
	"strings"
	"testing"
	"unsafe"

	"convect/kernels/cuda/emulation"
)

// sample is the bench of these tests: a device with the arrays x = 1, 2, ... and out.
type sample struct {
	t      *testing.T
	d      *emulation.GPU
	n      int
	x, out uintptr
}

// sampleArgs is sample_args of samples.cu.
type sampleArgs struct {
	n      int64
	out, x uintptr
}

// each runs a test in either order of threads.
func each(t *testing.T, n, outputs int, test func(s *sample)) {
	for _, reverse := range []bool{false, true} {
		d := emulation.New(emulation.Options{Reverse: reverse})
		s := &sample{t: t, d: d, n: n}
		values := make([]float64, n)
		for i := range values {
			values[i] = float64(i + 1)
		}
		s.x, s.out = s.alloc(8*n), s.alloc(8*outputs)
		s.must(d.Upload(s.x, unsafe.Pointer(&values[0]), 8*n))
		test(s)
		d.Free(s.x)
		d.Free(s.out)
		s.must(d.Close())
	}
}

func (s *sample) must(err error) {
	s.t.Helper()
	if err != nil {
		s.t.Fatal(err)
	}
}

func (s *sample) alloc(bytes int) uintptr {
	p, err := s.d.Alloc(bytes)
	s.must(err)
	return p
}

// launch runs a sample on a row of blocks.
func (s *sample) launch(name string, blocks, threads, shared int) error {
	a := sampleArgs{int64(s.n), s.out, s.x}
	return s.d.Launch("sample_"+name+"_f64", [3]int{blocks, 1, 1}, [3]int{threads, 1, 1}, shared,
		unsafe.Pointer(&a), unsafe.Sizeof(a))
}

// wants compares the first outputs.
func (s *sample) wants(want ...float64) {
	s.t.Helper()
	got := make([]float64, len(want))
	s.must(s.d.Download(unsafe.Pointer(&got[0]), s.out, 8*len(got)))
	for i := range want {
		if got[i] != want[i] {
			s.t.Fatalf("output %d is %g, not %g", i, got[i], want[i])
		}
	}
}

func TestElements(t *testing.T) {
	each(t, 300, 300, func(s *sample) {
		s.must(s.launch("twice", 3, 128, 0))
		want := make([]float64, 300)
		for i := range want {
			want[i] = 2 * float64(i+1)
		}
		s.wants(want...)
	})
}

func TestBarriers(t *testing.T) {
	each(t, 500, 2, func(s *sample) {
		s.must(s.launch("sum", 2, 256, 0))
		s.wants(256*257/2, 500*501/2-256*257/2)
	})
}

func TestDynamicSharedMemory(t *testing.T) {
	each(t, 4, 4, func(s *sample) {
		s.must(s.launch("turn", 2, 2, 16))
		s.wants(2, 1, 4, 3)
	})
}

func TestSharedMemoryStartsAsNaN(t *testing.T) {
	each(t, 32, 32, func(s *sample) {
		for range 2 {
			s.must(s.launch("garbage", 2, 32, 32*8))
			var first float64
			s.must(s.d.Download(unsafe.Pointer(&first), s.out, 8))
			if !math.IsNaN(first) {
				t.Errorf("shared memory starts as %g", first)
			}
		}
	})
}

func TestShuffles(t *testing.T) {
	each(t, 64, 6*64, func(s *sample) {
		s.must(s.launch("shuffles", 1, 64, 0))
		got := make([]float64, 6*64)
		s.must(s.d.Download(unsafe.Pointer(&got[0]), s.out, 8*len(got)))
		sum := []float64{32 * 33 / 2, 32*33/2 + 32*32}
		for i := range 64 {
			lane, warp, row := i%32, i/32, got[6*i:][:6]
			next := float64(lane + 1)
			if lane%8 == 7 {
				next = float64(lane)
			}
			for c, want := range map[int]float64{2: sum[warp], 3: float64(32*warp + 4), 4: next, 5: float64(lane/8*8 + 1)} {
				if row[c] != want {
					t.Fatalf("thread %d has %g in column %d, not %g", i, row[c], c, want)
				}
			}
			if lane == 0 && row[0] != sum[warp] || lane == 31 && row[1] != sum[warp] {
				t.Fatalf("thread %d has the sums %g", i, row[:2])
			}
		}
	})
}

func TestLanesMeetApart(t *testing.T) {
	each(t, 32, 32, func(s *sample) {
		s.must(s.launch("halves", 1, 32, 0))
		want := make([]float64, 32)
		for i := range want {
			want[i] = 1
			if i < 16 {
				want[i] = 6
			}
		}
		s.wants(want...)
	})
}

func TestLastBlock(t *testing.T) {
	each(t, 5, 8, func(s *sample) {
		s.must(s.launch("last", 5, 1, 0))
		s.wants(15)
	})
}

func TestEndedThreadsDoNotHoldUpOthers(t *testing.T) {
	each(t, 3, 4, func(s *sample) {
		s.must(s.launch("early", 1, 64, 0))
		s.wants(1, 1, 1, 0)
	})
}

func TestMistakesAreNamed(t *testing.T) {
	for name, want := range map[string]string{
		"deadlock": "deadlock: 1 threads wait at samples.cu:",
		"apart":    "threads wait at different barriers, samples.cu:",
		"ended":    "names lane 5, which has ended",
		"unnamed":  "reads lane 3, which the mask of samples.cu:",
		"none":     "there is no such kernel",
	} {
		each(t, 32, 32, func(s *sample) {
			err := s.launch(name, 2, 32, 0)
			if err == nil || !strings.Contains(err.Error(), want) || !strings.HasPrefix(err.Error(), "sample_"+name+"_f64: ") {
				t.Errorf("%s: got %v", name, err)
			}
			if name == "none" {
				return
			}
			if !strings.Contains(err.Error(), "block (") {
				t.Errorf("no block in %v", err)
			}
			s.must(s.launch("twice", 1, 32, 0))
			s.wants(2, 4, 6)
		})
	}
}

func TestRefusesWhatAGPURefuses(t *testing.T) {
	d := emulation.New(emulation.Options{})
	a := sampleArgs{}
	one := [3]int{1, 1, 1}
	for _, c := range []struct {
		kernel      string
		grid, block [3]int
		shared      int
		size        uintptr
	}{
		{"twice", one, [3]int{1025, 1, 1}, 0, unsafe.Sizeof(a)},
		{"twice", one, [3]int{1, 1, 65}, 0, unsafe.Sizeof(a)},
		{"twice", [3]int{1, 65536, 1}, one, 0, unsafe.Sizeof(a)},
		{"twice", [3]int{0, 1, 1}, one, 0, unsafe.Sizeof(a)},
		{"twice", one, one, 227<<10 + 1, unsafe.Sizeof(a)},
		{"twice", one, one, 0, unsafe.Sizeof(a) - 8},
		{"sum", one, [3]int{257, 1, 1}, 0, unsafe.Sizeof(a)},
	} {
		if err := d.Launch("sample_"+c.kernel+"_f64", c.grid, c.block, c.shared, unsafe.Pointer(&a), c.size); err == nil {
			t.Errorf("%+v was launched", c)
		}
	}
}

func TestMemory(t *testing.T) {
	d := emulation.New(emulation.Options{Memory: 1000})
	p, err := d.Alloc(600)
	if err != nil || p%256 != 0 {
		t.Fatal(p, err)
	}
	if _, err := d.Alloc(401); err == nil {
		t.Error("more memory than there is")
	}
	var v [700]byte
	if err := d.Upload(p, unsafe.Pointer(&v), 601); err == nil {
		t.Error("an upload beyond the allocation")
	}
	if err := d.Copy(p, p+8, 593); err == nil {
		t.Error("a copy from beyond the allocation")
	}
	if err := d.Close(); err == nil {
		t.Error("an allocation was left")
	}
}

func TestHostMemoryMayLieBesidePointers(t *testing.T) {
	each(t, 1, 1, func(s *sample) {
		host := &struct {
			other *sample
			value [1]float64
		}{other: s}
		s.must(s.d.Download(unsafe.Pointer(&host.value), s.x, 8))
		s.must(s.d.Upload(s.out, unsafe.Pointer(&host.value), 8))
		s.wants(1)
	})
}

func TestCaptureReplays(t *testing.T) {
	each(t, 32, 32, func(s *sample) {
		s.must(s.d.BeginCapture())
		s.must(s.launch("twice", 1, 32, 0))
		s.must(s.d.Copy(s.x, s.out, 8))
		if err := s.d.Sync(); err == nil {
			t.Error("synchronised while recording")
		}
		g, err := s.d.EndCapture()
		s.must(err)
		s.wants(0)
		s.must(g.Launch())
		s.must(g.Launch())
		s.wants(4, 4, 6)
		s.must(g.Close())
	})
}

func TestDownloadsAreLate(t *testing.T) {
	each(t, 32, 32, func(s *sample) {
		host, err := s.d.AllocHost(8)
		s.must(err)
		defer s.d.FreeHost(host)
		p, err := s.d.DownloadAsync(host, s.out, 8)
		s.must(err)
		s.must(s.launch("twice", 1, 32, 0))
		s.must(p.Wait())
		if got := *(*float64)(host); got != 2 {
			t.Errorf("a download that nothing awaits has %g", got)
		}
	})
}
