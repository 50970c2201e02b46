package cuda

import (
	"unsafe"

	"convect/kernels"
	"convect/kernels/call"
	"convect/kernels/cuda/driver"
)

// Load adds the kernels of another package, of a name, unless they have been. A GPU that has all kernels by itself, as the emulated one, goes without.
func (d *Device) Load(name string, m driver.Modules) {
	if l, ok := d.gpu.(driver.Loader); ok {
		l.Load(name, m)
	}
}

// GuestCall is a call of a kernel of another package on its way.
type GuestCall struct {
	call.Call
	d *Device
}

// BeginGuest starts a call whose element type is that of a buffer, nil: of no type yet.
func (d *Device) BeginGuest(kernel string, first kernels.Buffer) *GuestCall {
	if first == nil {
		return &GuestCall{call.New(&d.failure, kernel), d}
	}
	return &GuestCall{d.begin(kernel, first), d}
}

// Launch runs a kernel of the call's type on blocks of threads, each with so many bytes of dynamic shared memory. The arguments, of so many bytes, are
// copied. It does nothing after a failure.
func (g *GuestCall) Launch(kernel string, grid, block [3]int, shared int, args unsafe.Pointer, size uintptr) {
	g.d.launch(&g.Call, kernel, geometry{grid, block, shared}, args, size)
}

// Scratch returns the address of at least so many bytes of scratch memory; 0 after a failure.
func (g *GuestCall) Scratch(bytes int) uintptr { return g.d.reserve(&g.Call, &g.d.scratch, bytes) }

// Partials returns the address of room for n partial results.
func (g *GuestCall) Partials(n int) uintptr { return g.d.partial(&g.Call, n) }

// SharedBytes returns how much shared memory a block may have.
func (g *GuestCall) SharedBytes() int { return g.d.info.SharedBytes() }

// Multiprocessors returns how many the GPU has.
func (g *GuestCall) Multiprocessors() int { return g.d.info.Multiprocessors }

// SlotAddress returns the address of a reduction slot on the GPU, and of all that follow.
func (d *Device) SlotAddress(n int) uintptr { return d.slot(n, kernels.Slots) }
