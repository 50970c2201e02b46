package emulation

// #include <stdlib.h>
// #include "emulation.h"
import "C"

import (
	"errors"
	"fmt"
	"time"
	"unsafe"

	"convect/kernels/cuda/driver"
)

// graph is a list of what to do.
type graph []func() error

// do runs a step, or records it.
func (d *GPU) do(step func() error) error {
	if d.recording != nil {
		*d.recording = append(*d.recording, step)
		return nil
	}
	return step()
}

// BeginCapture starts to record.
func (d *GPU) BeginCapture() error {
	if d.recording != nil {
		return errors.New("launches are recorded already")
	}
	d.recording = new(graph)
	return nil
}

// EndCapture returns what was recorded.
func (d *GPU) EndCapture() (driver.Graph, error) {
	if d.recording == nil {
		return nil, errors.New("no launches are recorded")
	}
	g := d.recording
	d.recording = nil
	return g, nil
}

// Launch does all steps.
func (g *graph) Launch() error {
	for _, step := range *g {
		if err := step(); err != nil {
			return err
		}
	}
	return nil
}

// Close forgets the steps.
func (g *graph) Close() error {
	*g = nil
	return nil
}

// pending is a download that is made when somebody waits for it.
type pending struct {
	dst   unsafe.Pointer
	src   uintptr
	bytes int
	done  bool
}

// AllocHost returns memory of the host.
func (d *GPU) AllocHost(bytes int) (unsafe.Pointer, error) {
	p := C.emulation_alloc(C.size_t(bytes))
	if p == nil {
		return nil, fmt.Errorf("the host has no memory for %d bytes", bytes)
	}
	return p, nil
}

// FreeHost frees it.
func (d *GPU) FreeHost(p unsafe.Pointer) { C.free(p) }

// DownloadAsync downloads as late as it may.
func (d *GPU) DownloadAsync(dst unsafe.Pointer, src uintptr, bytes int) (driver.Pending, error) {
	if err := d.idle("DownloadAsync"); err != nil {
		return nil, err
	}
	return &pending{dst: dst, src: src, bytes: bytes}, d.memory.holds("download", src, bytes)
}

// Await makes a download before what follows.
func (d *GPU) Await(p driver.Pending) error { return p.Wait() }

// Wait makes the download, beside what the GPU does.
func (p *pending) Wait() error {
	if !p.done {
		p.done = true
		move(uintptr(p.dst), p.src, p.bytes)
	}
	return nil
}

// Mark takes the time.
func (d *GPU) Mark(n int) error {
	return d.do(func() error {
		d.marks[n] = time.Now()
		return nil
	})
}

// Elapsed returns the time between two marks.
func (d *GPU) Elapsed(from, to int) (time.Duration, error) {
	return d.marks[to].Sub(d.marks[from]), nil
}

// Reaches tells whether kernels may read the memory of another GPU, as those of the same process may.
func (d *GPU) Reaches(driver.GPU) bool { return !d.options.Apart }

// After has nothing to wait for: what was queued is done.
func (d *GPU) After(driver.GPU) error { return d.idle("After") }
