package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"strings"
	"testing"
	"unsafe"

	"convect/kernels/cuda"
	"convect/kernels/cuda/driver"
	"convect/kernels/cuda/emulation"
	"convect/kernels/ranks"
)

// emulatedGPU names the variable that gives a program of these tests an emulated GPU, cuda:0: an emulated in JSON.
const emulatedGPU = "CONVECT_TEST_EMULATED_GPU"

// testRanks names the variable that gives the ranks of a program of these tests their options, in JSON.
const testRanks = "CONVECT_TEST_RANKS"

// emulated describes an emulated GPU.
type emulated struct {
	Memory    int    // bytes; 0: plenty
	LostAfter string // the GPU is lost some launches after this file is there; "": never
	Launches  int
	GPUs      int  // 0: one
	Apart     bool // they do not reach each other
}

// withGPU gives the programs of a test an emulated GPU.
func withGPU(t *testing.T, e emulated) {
	t.Helper()
	text, err := json.Marshal(e)
	if err != nil {
		t.Fatal(err)
	}
	t.Setenv(emulatedGPU, string(text))
}

// openTestDevice opens an emulated GPU where there is to be one.
func openTestDevice(name string, threads int) (device, error) {
	if size, isRanks := cpuRanks(name); isRanks && os.Getenv(testRanks) != "" {
		var o ranks.Options
		if err := json.Unmarshal([]byte(os.Getenv(testRanks)), &o); err != nil {
			return nil, err
		}
		return openRanks(size, threads, o)
	}
	if os.Getenv(emulatedGPU) == "" || !strings.HasPrefix(name, "cuda") {
		return openDevice(name, threads)
	}
	return openOf(testGPUs(), name, threads)
}

// testGPUs are the emulated GPUs that there are to be, or those of the machine.
func testGPUs() gpus {
	g, text := machineGPUs(), os.Getenv(emulatedGPU)
	if o := os.Getenv(testRanks); o != "" {
		if err := json.Unmarshal([]byte(o), &g.shares); err != nil {
			panic(err)
		}
	}
	if text == "" {
		return g
	}
	var e emulated
	if err := json.Unmarshal([]byte(text), &e); err != nil {
		panic(err)
	}
	open := func(n int) *mortal {
		return &mortal{GPU: emulation.New(emulation.Options{Memory: e.Memory, Apart: e.Apart}), emulated: e, ordinal: n}
	}
	g.open = func(n int) (*cuda.Device, error) { return cuda.New(open(n)) }
	g.list = func() (all []driver.Info, err error) {
		for n := range max(e.GPUs, 1) {
			all = append(all, open(n).Info())
		}
		return all, nil
	}
	return g
}

// mortal is an emulated GPU that may get lost. As on a GPU the launches themselves still succeed then, and so does what is asked of the
// driver alone.
type mortal struct {
	*emulation.GPU
	emulated
	seen, lost bool
	ordinal    int
}

var errLost = errors.New("CUDA error 719 CUDA_ERROR_LAUNCH_FAILED: unspecified launch failure")

// Info names the GPU as a real one.
func (d *mortal) Info() driver.Info {
	i := d.GPU.Info()
	i.Name, i.UUID = fmt.Sprintf("cuda:%d", d.ordinal), fmt.Sprintf("emulated-%d", d.ordinal)
	return i
}

// Launch runs the kernel unless the GPU is lost.
func (d *mortal) Launch(kernel string, grid, block [3]int, shared int, args unsafe.Pointer, size uintptr) error {
	if d.LostAfter != "" && !d.seen {
		_, err := os.Stat(d.LostAfter)
		d.seen = err == nil
	}
	if d.seen {
		d.Launches--
		d.lost = d.lost || d.Launches < 0
	}
	if d.lost {
		return nil
	}
	return d.GPU.Launch(kernel, grid, block, shared, args, size)
}

// orLost does something unless the GPU is lost.
func (d *mortal) orLost(do func() error) error {
	if d.lost {
		return errLost
	}
	return do()
}

func (d *mortal) Heard(p unsafe.Pointer, number uint32) error {
	return d.orLost(func() error { return d.GPU.Heard(p, number) })
}

func (d *mortal) Alloc(bytes int) (p uintptr, err error) {
	err = d.orLost(func() error { p, err = d.GPU.Alloc(bytes); return err })
	return p, err
}

func (d *mortal) Upload(dst uintptr, src unsafe.Pointer, bytes int) error {
	return d.orLost(func() error { return d.GPU.Upload(dst, src, bytes) })
}

func (d *mortal) Download(dst unsafe.Pointer, src uintptr, bytes int) error {
	return d.orLost(func() error { return d.GPU.Download(dst, src, bytes) })
}

func (d *mortal) Copy(dst, src uintptr, bytes int) error {
	return d.orLost(func() error { return d.GPU.Copy(dst, src, bytes) })
}

func (d *mortal) Set(dst uintptr, value byte, bytes int) error {
	return d.orLost(func() error { return d.GPU.Set(dst, value, bytes) })
}

func (d *mortal) Sync() error { return d.orLost(d.GPU.Sync) }
