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

// capture is a graph that is recorded, and the GPUs that record it, of which the first began.
type capture struct {
	steps graph
	of    []*GPU
}

// do runs a step, or records it.
func (d *GPU) do(step func() error) error {
	if d.recording != nil {
		d.recording.steps = append(d.recording.steps, step)
		return nil
	}
	return step()
}

// BeginCapture starts to record.
func (d *GPU) BeginCapture() error {
	switch {
	case d.options.Forgets:
		return errors.New("this GPU records nothing")
	case d.recording != nil:
		return errors.New("launches are recorded already")
	}
	d.recording = &capture{of: []*GPU{d}}
	return nil
}

// EndCapture returns what was recorded.
func (d *GPU) EndCapture() (driver.Graph, error) {
	if d.recording == nil {
		return nil, errors.New("no launches are recorded")
	}
	c := d.recording
	if c.of[0] != d {
		return nil, errors.New("another GPU began to record")
	}
	for _, o := range c.of {
		o.recording = nil
	}
	return &c.steps, nil
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

// Heard waits for all.
func (d *GPU) Heard(p unsafe.Pointer, number uint32) error {
	if err := d.Sync(); err != nil {
		return err
	}
	if is := *(*uint32)(p); int32(is-number) < 0 {
		return fmt.Errorf("number %d has been written and not %d", is, number)
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

// records returns what is recorded.
func (d *GPU) records() *capture { return d.recording }

// Give has nothing to note: what was queued is done.
func (d *GPU) Give() error { return nil }

// Beside: one kernel runs at a time.
func (d *GPU) Beside(driver.GPU) bool { return false }

// Loading: kernels are part of the program.
func (d *GPU) Loading() bool { return false }

// Take has nothing to wait for. While the other GPU records, this one does so, too.
func (d *GPU) Take(other driver.GPU) error {
	o, ok := other.(interface{ records() *capture })
	switch {
	case !ok:
		return fmt.Errorf("%T is no emulated GPU", other)
	case d.recording == o.records():
		return nil
	case d.recording != nil:
		return errors.New("what is recorded would wait for what is not")
	}
	d.recording = o.records()
	d.recording.of = append(d.recording.of, d)
	return nil
}
