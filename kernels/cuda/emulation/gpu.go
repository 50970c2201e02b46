package emulation

// #cgo CXXFLAGS: -std=c++17 -O1 -Wall -Wextra -Wno-unknown-pragmas
// #include <stdlib.h>
// #include "emulation.h"
import "C"

import (
	"errors"
	"fmt"
	"sync"
	"time"
	"unsafe"

	"convect/kernels/cuda/driver"
)

// Options chooses how kernels are run.
type Options struct {
	Memory   int  // bytes of device memory, 4 GiB if 0
	Reverse  bool // the last block and thread run first
	Apart    bool // it reaches no other GPU
	Messages bool // it sends messages to others, of this process
	Forgets  bool // it records nothing
}

// GPU stands in for a real one. What is queued is done at once, but downloads of a Streamer are as late as can be.
type GPU struct {
	options   Options
	memory    memory
	recording *capture // nil: launches run
	marks     [64]time.Time
}

var (
	_ driver.GPU         = (*GPU)(nil)
	_ driver.Recorder    = (*GPU)(nil)
	_ driver.Streamer    = (*GPU)(nil)
	_ driver.Listener    = (*GPU)(nil)
	_ driver.Timer       = (*GPU)(nil)
	_ driver.Peer        = (*GPU)(nil)
	_ driver.Communicant = (*GPU)(nil)
)

// New returns an emulated GPU.
func New(o Options) *GPU {
	if o.Memory == 0 {
		o.Memory = 4 << 30
	}
	return &GPU{options: o}
}

// Info describes the emulation as a small GPU.
func (d *GPU) Info() driver.Info {
	return driver.Info{
		Name: "emulation", Description: "emulated GPU", Major: 9, Multiprocessors: 4,
		CacheBytes: 1 << 20, TotalMemory: d.options.Memory, Memory: d.options.Memory - d.memory.used,
	}
}

// launching makes launches one at a time: shared variables of kernels are variables of the process.
var launching sync.Mutex

// Launch runs a kernel, or records it.
func (d *GPU) Launch(kernel string, grid, block [3]int, shared int, args unsafe.Pointer, size uintptr) error {
	l := launch{kernel, grid, block, shared, append([]byte(nil), unsafe.Slice((*byte)(args), size)...)}
	return d.do(func() error { return l.run(d.options.Reverse) })
}

// launch is what GPU.Launch takes.
type launch struct {
	kernel      string
	grid, block [3]int
	shared      int
	args        []byte
}

func (l *launch) run(reverse bool) error {
	name := C.CString(l.kernel)
	defer C.free(unsafe.Pointer(name))
	args := C.CBytes(l.args) // exactly so many bytes
	defer C.free(args)
	grid, block := dimensions(l.grid), dimensions(l.block)
	message := make([]byte, 512)
	order := C.int(0)
	if reverse {
		order = 1
	}
	launching.Lock()
	defer launching.Unlock()
	if C.emulation_launch(name, &grid[0], &block[0], C.size_t(l.shared), args, C.size_t(len(l.args)), order,
		(*C.char)(unsafe.Pointer(&message[0])), C.size_t(len(message))) == 0 {
		return nil
	}
	return errors.New(C.GoString((*C.char)(unsafe.Pointer(&message[0]))))
}

func dimensions(n [3]int) (out [3]C.int) {
	for i := range n {
		out[i] = C.int(min(n[i], 1<<31-1))
	}
	return out
}

// Kernels returns the names of all kernels, those of the package's own tests left out.
func Kernels() (names []string) {
	for n := C.int(0); ; n++ {
		name := C.emulation_kernel(n)
		if name == nil {
			return names
		}
		if s := C.GoString(name); len(s) < 7 || s[:7] != "sample_" {
			names = append(names, s)
		}
	}
}

// Sync has nothing to wait for.
func (d *GPU) Sync() error { return d.idle("Sync") }

// idle fails while a graph is recorded, as a GPU does.
func (d *GPU) idle(what string) error {
	if d.recording != nil {
		return fmt.Errorf("%s while launches are recorded", what)
	}
	return nil
}

// Close frees the memory; it fails if some was left.
func (d *GPU) Close() error {
	left := len(d.memory.blocks)
	d.memory.clear()
	if left > 0 {
		return fmt.Errorf("%d allocations were left", left)
	}
	return nil
}
