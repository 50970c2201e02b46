package cuda

import (
	"errors"
	"unsafe"

	"convect/kernels"
	"convect/kernels/call"
	"convect/kernels/cuda/driver"
)

// plan stands for a GPU and notes kernels instead of running them.
type plan struct {
	driver.GPU
	call.Plan
}

var _ kernels.Planner = (*Device)(nil)

// Plan returns what the device would run for the calls of f, chosen by the code that runs it.
func (d *Device) Plan(f func()) []kernels.Choice {
	if d.failure.Err != nil {
		return nil
	}
	p := &plan{GPU: d.gpu}
	failure, known, wanted := d.failure, d.known, d.reports.wanted
	d.gpu, d.plan, d.recording = p, p, true // so that no memory is asked for
	f()
	d.gpu, d.plan, d.recording, d.grew = p.GPU, nil, false, false
	choices := p.Choices(d.failure.Err)
	d.failure, d.known, d.reports.wanted = failure, known, wanted
	return choices
}

// because notes why a call does not take a faster form, "" where it does. The first reason counts.
func (d *Device) because(c *call.Call, why string) {
	if d.plan != nil && c.OK() {
		d.plan.Because(c.Kernel, why)
	}
}

var errPlanned = errors.New("no memory is given while kernels are planned")

// Alloc gives nothing.
func (p *plan) Alloc(int) (uintptr, error) { return 0, errPlanned }

// Free does nothing.
func (p *plan) Free(uintptr) {}

// Upload does nothing.
func (p *plan) Upload(uintptr, unsafe.Pointer, int) error { return nil }

// Download leaves the host's memory as it is.
func (p *plan) Download(unsafe.Pointer, uintptr, int) error { return nil }

// Copy does nothing.
func (p *plan) Copy(uintptr, uintptr, int) error { return nil }

// Set does nothing.
func (p *plan) Set(uintptr, byte, int) error { return nil }

// Launch does nothing.
func (p *plan) Launch(string, [3]int, [3]int, int, unsafe.Pointer, uintptr) error { return nil }

// Sync does nothing.
func (p *plan) Sync() error { return nil }

// Close does nothing.
func (p *plan) Close() error { return nil }

// Reasons why kernels for simple operators do not know one, beside the ones of package call.
const (
	isFlat        = "2-D"
	tooFewNodes   = "too few nodes along an axis"
	notWholeSides = "patches: not whole sides are fixed"
	notHalved     = "not all axes are halved"
	manySweeps    = "more than 2 sweeps"
	noSharedRoom  = "too little shared memory"
)

// notEven tells why the grid of an operator is not one of even widths in 3-D with at least so many nodes along each axis; "": it is.
func notEven(a *kernels.Elliptic, least int) string {
	switch {
	case a.Box.Flat():
		return isFlat
	case min(a.Box.N[0], a.Box.N[1], a.Box.N[2]) < least:
		return tooFewNodes
	}
	for axis, h := range a.Shape.Width {
		if h == 0 {
			return call.WidthsDiffer(axis)
		}
	}
	return ""
}
