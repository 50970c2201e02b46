package cpu

import (
	"unsafe"

	"convect/kernels"
)

// CopyBlock copies a block of nodes, halos among them, from an array that another device of this package may have: n nodes along each axis from node `from` on, to node
// `to` and those after it.
func (d *Device) CopyBlock(dst kernels.Buffer, dstBox kernels.Box, to [3]int, src kernels.Buffer, srcBox kernels.Box, from, n [3]int) {
	a, okA := dst.(*Buffer)
	b, okB := src.(*Buffer)
	if !okA || !okB || a.elem != b.elem || a.ptr == nil || b.ptr == nil {
		c := d.beginAny("CopyBlock")
		c.Fail("the arrays are not alike")
		return
	}
	if n[0] == dstBox.Stride[kernels.Y] && n[0] == srcBox.Stride[kernels.Y] { // whole rows, one after the other
		n[0], n[1] = n[0]*n[1], 1
	}
	size := a.elem.Size()
	at := func(x *Buffer, box kernels.Box, first [3]int, j, k int) []byte {
		return unsafe.Slice((*byte)(unsafe.Add(x.ptr, box.Index(first[0], first[1]+j, first[2]+k)*size)), n[0]*size)
	}
	for k := range n[2] {
		for j := range n[1] {
			copy(at(a, dstBox, to, j, k), at(b, srcBox, from, j, k))
		}
	}
}

// Bytes returns the memory of a buffer, nil of one that is not the device's or has been freed.
func (d *Device) Bytes(b kernels.Buffer) []byte {
	own, ok := b.(*Buffer)
	if !ok || own == nil || own.device != d || own.ptr == nil {
		return nil
	}
	return unsafe.Slice((*byte)(own.ptr), own.bytes())
}
