package cpu

import (
	"unsafe"

	"convect/kernels"
)

// SumsRows implements [kernels.RowReducer].
func (d *Device) SumsRows() bool { return true }

// CopyBlocks implements [kernels.BlockMover]; blocks may be of any device of this package.
func (d *Device) CopyBlocks(all []kernels.Copy) {
	for n := range all {
		d.copyBlock(&all[n].To, &all[n].From)
	}
}

func (d *Device) copyBlock(to, from *kernels.Block) {
	a, okA := to.Array.(*Buffer)
	b, okB := from.Array.(*Buffer)
	if !okA || !okB || a.elem != b.elem || a.ptr == nil || b.ptr == nil {
		c := d.beginAny("CopyBlocks")
		c.Fail("the arrays are not alike")
		return
	}
	n := from.N
	if n[0] == to.Box.Stride[kernels.Y] && n[0] == from.Box.Stride[kernels.Y] { // whole rows, one after the other
		n[0], n[1] = n[0]*n[1], 1
	}
	for k := range n[2] {
		for j := range n[1] {
			copy(a.line(to.Box, to.First, j, k, n[0]), b.line(from.Box, from.First, j, k, n[0]))
		}
	}
}

// line returns the memory of n elements from the node j rows and k planes after a first one on.
func (b *Buffer) line(box kernels.Box, first [3]int, j, k, n int) []byte {
	size := b.elem.Size()
	return unsafe.Slice((*byte)(unsafe.Add(b.ptr, box.Index(first[0], first[1]+j, first[2]+k)*size)), n*size)
}

// PackBlocks implements [kernels.BlockMover].
func (d *Device) PackBlocks(dst []byte, src []kernels.Block) {
	d.eachLine("PackBlocks", src, dst, func(line, bytes []byte) { copy(bytes, line) })
}

// UnpackBlocks implements [kernels.BlockMover].
func (d *Device) UnpackBlocks(dst []kernels.Block, src []byte) {
	d.eachLine("UnpackBlocks", dst, src, func(line, bytes []byte) { copy(line, bytes) })
}

// eachLine visits the lines of blocks, each with its part of bytes that are one after the other.
func (d *Device) eachLine(kernel string, all []kernels.Block, bytes []byte, visit func(line, bytes []byte)) {
	for _, b := range all {
		own, ok := b.Array.(*Buffer)
		if !ok || own.device != d || own.ptr == nil || len(bytes) < b.Bytes() {
			c := d.beginAny(kernel)
			c.Fail("a block is not one of the device, or there are %d bytes for it", len(bytes))
			return
		}
		n := b.N
		if n[0] == b.Box.Stride[kernels.Y] { // whole rows
			n[0], n[1] = n[0]*n[1], 1
		}
		for k := range n[2] {
			for j := range n[1] {
				line := own.line(b.Box, b.First, j, k, n[0])
				visit(line, bytes[:len(line)])
				bytes = bytes[len(line):]
			}
		}
	}
}
