package cpu

// #include "cpu.h"
import "C"

import (
	"slices"
	"unsafe"

	"convect/kernels"
)

// Guest is the kernels of another package, which its own C code is compiled for: the table that GUEST of guest.h makes, of an instruction set by its
// number and an element type.
type Guest func(instruction int, e kernels.Elem) unsafe.Pointer

// GuestCall is a call of a guest's kernel on its way. There is one at a time: it ends where the next call of the device begins.
type GuestCall struct{ *job }

// BeginGuest starts a call whose element type is that of a buffer, nil: of no type yet. Where wide, the kernel gains from the widest vectors, as those
// do that compute much for what they read.
func (d *Device) BeginGuest(kernel string, first kernels.Buffer, wide bool) GuestCall {
	c := d.beginAny(kernel)
	if first != nil {
		c.SetElem(first)
	}
	c.wide = wide
	return GuestCall{c}
}

// Run runs a kernel, by its number in the guest's table, on rows 0..rows-1, which hold so many elements together, shared out over the threads. The
// arguments, of so many bytes, are copied. It does nothing after a failure.
func (g GuestCall) Run(guest Guest, number int, args unsafe.Pointer, size uintptr, rows, elements int) {
	c := g.job
	if !c.acts() {
		c.note()
		return
	}
	set := c.d.instruction
	if c.wide {
		set = c.d.widest
	}
	if size > 8*heldWords {
		c.Fail("arguments of %d bytes", size)
		return
	}
	copy(unsafe.Slice((*byte)(unsafe.Pointer(&c.d.state.held)), size), unsafe.Slice((*byte)(args), size))
	table := (*C.cv_kernel)(guest(slices.Index(instructionNames(), set), c.Elem))
	parts := c.d.threads
	if elements < sharedElements {
		parts = 1
	}
	C.cv_run(c.d.pool, table, C.int(number), unsafe.Pointer(&c.d.state.held), C.int64_t(rows), C.int(parts))
}

// Reserve gives every thread so many bytes of scratch memory.
func (g GuestCall) Reserve(bytes int) { g.job.reserve(bytes) }

// Streams tells whether arrays of so many bytes together are so large that output is better streamed to memory: 1 or 0.
func (g GuestCall) Streams(bytes int) int64 { return g.d.streams(bytes) }

// Partials returns the address of room for n partial results.
func (g GuestCall) Partials(n int) uintptr { return g.job.partials(n) }

// StoreSum puts the sum of n partials from one on, in the fixed tree, into a slot.
func (g GuestCall) StoreSum(slot, first, n int) { g.store(slot, g.sum(first, n)) }

// Cache returns the bytes of a thread's second-level cache.
func (d *Device) Cache() int { return d.l2 }
