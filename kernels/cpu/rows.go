package cpu

import (
	"unsafe"

	"convect/kernels"
)

// CopyRows copies n rows of all layers of nodes, with their halos along x and z, from row `from` of an array that another device of this package may have, to row `to`.
// Both boxes have as many nodes along x and z.
func (d *Device) CopyRows(dst kernels.Buffer, dstBox kernels.Box, to int, src kernels.Buffer, srcBox kernels.Box, from, n int) {
	a, okA := dst.(*Buffer)
	b, okB := src.(*Buffer)
	if !okA || !okB || a.elem != b.elem || a.ptr == nil || b.ptr == nil || dstBox.Stride[kernels.Y] != srcBox.Stride[kernels.Y] || dstBox.N[kernels.Z] != srcBox.N[kernels.Z] {
		c := d.beginAny("CopyRows")
		c.Fail("the rows of both arrays are not alike")
		return
	}
	const w = kernels.HaloWidth
	size := a.elem.Size()
	bytes := n * dstBox.Stride[kernels.Y] * size
	at := func(x *Buffer, box kernels.Box, row, k int) []byte {
		return unsafe.Slice((*byte)(unsafe.Add(x.ptr, box.Index(-w, row, k)*size)), bytes)
	}
	for k := -w; k < dstBox.N[kernels.Z]+w; k++ {
		copy(at(a, dstBox, to, k), at(b, srcBox, from, k))
	}
}
