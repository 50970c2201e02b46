package cpu

import (
	"unsafe"

	"convect/kernels"
	"convect/kernels/call"
)

// job is a call with what its kernel needs to run here. A failed check keeps the kernel, and all after it, from running.
type job struct {
	call.Call
	d        *Device
	wide     bool              // the kernel is among those that gain from the widest vectors
	operator *kernels.Elliptic // nil: it has none
	rows     sweptRows
	elliptic *call.Elliptic // the operator as C has it, of a call with rows
}

// beginAny starts a call of no element type yet. There is one at a time, in the device: a copy takes as long as many checks.
func (d *Device) beginAny(kernel string) *job {
	c := &d.job
	c.Call, c.wide, c.operator, c.rows = call.New(&d.failure, kernel), false, nil, noRows
	if d.plan != nil {
		d.plan.Begin(kernel)
	}
	return c
}

// begin starts a call whose element type is that of a buffer.
func (d *Device) begin(kernel string, first kernels.Buffer) *job {
	c := d.beginAny(kernel)
	c.SetElem(first)
	return c
}

// beginElliptic is begin for a kernel with an operator.
func (d *Device) beginElliptic(kernel string, first kernels.Buffer, a *kernels.Elliptic) *job {
	c := d.begin(kernel, first)
	c.wide, c.operator = a != nil && a.Stencil == kernels.TwentySevenPoint, a
	return c
}

// heldWords is the room, in words of 8 bytes, for the arguments of one kernel.
const heldWords = 128

// hold copies the arguments of a kernel to where C sees them until the next call.
func hold[T any](c *job, args T) *T {
	s := (*T)(unsafe.Pointer(&c.d.state.held))
	_ = [1]struct{}{}[unsafe.Sizeof(args)/(8*heldWords)] // they have room
	*s = args
	return s
}

// state holds all arguments, so that a call allocates nothing, and the reduction slots. It lives in C memory.
type state struct {
	sweep    call.Sweep
	line     call.Line
	coarse   call.Coarse
	transfer call.Transfer
	cycle    call.Cycle
	vector   call.Vector
	halo     call.Halo
	reduce   call.Reduce
	shift    call.Shift
	held     [heldWords]uint64 // what hold keeps
	slots    [kernels.Slots]float64
}
