package cuda

import (
	"fmt"
	"math"

	"convect/kernels"
	"convect/kernels/call"
)

// Buffer is memory of a GPU, aligned to 256 bytes.
type Buffer struct {
	device  *Device
	address uintptr // 0 when freed
	elem    kernels.Elem
	len     int
}

// Elem returns the element type.
func (b *Buffer) Elem() kernels.Elem { return b.elem }

// Len returns the number of elements.
func (b *Buffer) Len() int { return b.len }

// Address returns the address of the first element, 0 when freed.
func (b *Buffer) Address() uintptr { return b.address }

// Keeper returns where the failure of the buffer's device is kept.
func (b *Buffer) Keeper() *call.Failure {
	if b == nil {
		return nil
	}
	return &b.device.failure
}

// Alloc returns n zeroed elements. It fails, naming the bytes, when the GPU has not so much memory free.
func (d *Device) Alloc(e kernels.Elem, n int) (kernels.Buffer, error) {
	if d.failure.Err != nil {
		return nil, d.failure.Err
	}
	if e > kernels.Int32 {
		return nil, fmt.Errorf("cuda: Alloc: unknown element type %d", e)
	}
	if n < 0 || n > math.MaxInt64/e.Size()-1<<22 {
		return nil, fmt.Errorf("cuda: Alloc: %d elements of %v are not possible", n, e)
	}
	bytes := max(n, 1) * e.Size()
	if bytes > 1<<20 {
		if free := d.gpu.Info().Memory; bytes > free {
			return nil, fmt.Errorf("cuda: Alloc: %d bytes do not fit: %d are free", bytes, free)
		}
	}
	p, err := d.gpu.Alloc(bytes)
	if err != nil {
		return nil, fmt.Errorf("cuda: Alloc: %d bytes: %w", bytes, err)
	}
	b := &Buffer{device: d, address: p, elem: e, len: n}
	d.live[b] = struct{}{}
	return b, nil
}

// Free releases a buffer; nil and a buffer freed before are ignored.
func (d *Device) Free(b kernels.Buffer) {
	if own, ok := b.(*Buffer); ok && own != nil && own.device == d && own.address != 0 {
		d.gpu.Free(own.address)
		own.address = 0
		delete(d.live, own)
	}
}
