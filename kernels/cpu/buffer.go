package cpu

// #include "cpu.h"
import "C"

import (
	"fmt"
	"math"
	"unsafe"

	"convect/kernels"
	"convect/kernels/call"
)

// Buffer is C memory: aligned to 64 bytes, from 2 MiB on in huge pages.
type Buffer struct {
	device *Device
	ptr    unsafe.Pointer // nil when freed
	elem   kernels.Elem
	len    int
}

// Elem returns the element type.
func (b *Buffer) Elem() kernels.Elem { return b.elem }

// Len returns the number of elements.
func (b *Buffer) Len() int { return b.len }

// Address returns the address of the first element, 0 when freed.
func (b *Buffer) Address() uintptr { return uintptr(b.ptr) }

// Keeper returns where the failure of the buffer's device is kept.
func (b *Buffer) Keeper() *call.Failure {
	if b == nil {
		return nil
	}
	return &b.device.failure
}

// find returns the address, type and length of a live buffer of the device; 0 for any other.
func (d *Device) find(b kernels.Buffer) (address uintptr, e kernels.Elem, n int) {
	if own, ok := b.(*Buffer); ok && own != nil && own.device == d {
		return own.Address(), own.elem, own.len
	}
	return 0, 0, 0
}

// bytes returns the size in bytes.
func (b *Buffer) bytes() int { return b.len * b.elem.Size() }

// Alloc returns n zeroed elements. It fails, naming the bytes, when the machine has not so much memory available.
func (d *Device) Alloc(e kernels.Elem, n int) (kernels.Buffer, error) {
	if d.failure.Err != nil {
		return nil, d.failure.Err
	}
	if e > kernels.Int32 {
		return nil, fmt.Errorf("cpu: Alloc: unknown element type %d", e)
	}
	if n < 0 || n > math.MaxInt64/e.Size()-1<<22 {
		return nil, fmt.Errorf("cpu: Alloc: %d elements of %v are not possible", n, e)
	}
	bytes := max(n, 1) * e.Size()
	if free := int(C.cv_memory(1)); bytes > 1<<20 && bytes > free {
		return nil, fmt.Errorf("cpu: Alloc: %d bytes do not fit: %d are free", bytes, free)
	}
	ptr := C.cv_alloc(d.pool, C.int64_t(bytes), C.int64_t(d.allocations))
	if ptr == nil {
		return nil, fmt.Errorf("cpu: Alloc: cannot allocate %d bytes", bytes)
	}
	d.allocations++
	return &Buffer{d, ptr, e, n}, nil
}

// Free releases a buffer; nil and a buffer freed before are ignored.
func (d *Device) Free(b kernels.Buffer) {
	if own, ok := b.(*Buffer); ok && own != nil && own.device == d && own.ptr != nil {
		C.cv_release(own.ptr, C.int64_t(max(own.len, 1)*own.elem.Size()))
		own.ptr = nil
	}
}

// values returns a buffer's elements as a slice of C memory.
func values[T float32 | float64 | int32](b *Buffer) []T {
	return unsafe.Slice((*T)(b.ptr), b.len)
}
