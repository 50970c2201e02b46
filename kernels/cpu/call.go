package cpu

// #include "cpu.h"
// #include <stdlib.h>
import "C"

import (
	"unsafe"

	"convect/kernels"
)

// call is one kernel on its way: it checks the buffers and holds what the kernel needs to run. The first failed check
// is kept in the device and keeps the kernel, and all after it, from running.
type call struct {
	d      *Device
	kernel string
	elem   kernels.Elem
	box    kernels.Box
	arrays int // box arrays seen: what the kernel moves

	wide bool // the kernel is among those that gain from the widest vectors
}

// begin starts a call whose element type is that of a buffer.
func (d *Device) begin(kernel string, first kernels.Buffer) call {
	c := call{d: d, kernel: kernel}
	if b := c.buffer(first, "first buffer"); b != nil {
		c.elem = b.elem
		if b.elem != kernels.Float32 && b.elem != kernels.Float64 {
			c.fail("the buffer holds %v, not float32 or float64", b.elem)
		}
	}
	return c
}

func (c *call) fail(format string, args ...any) {
	if c.d.err == nil {
		c.d.fail(c.kernel+": "+format, args...)
	}
}

// ok tells whether no check has failed.
func (c *call) ok() bool { return c.d.err == nil }

// buffer returns a live buffer of this device, or nil after a failure.
func (c *call) buffer(b kernels.Buffer, name string) *Buffer {
	if c.d.err != nil {
		return nil
	}
	own, ok := b.(*Buffer)
	switch {
	case b == nil || ok && own == nil:
		c.fail("%s is missing", name)
	case !ok || own.device != c.d:
		c.fail("%s belongs to another device", name)
	case own.ptr == nil:
		c.fail("%s has been freed", name)
	default:
		return own
	}
	return nil
}

// elements returns the first element of a buffer of at least n elements of type e, or nil after a failure.
func (c *call) elements(b kernels.Buffer, e kernels.Elem, n int, name string) unsafe.Pointer {
	own := c.buffer(b, name)
	switch {
	case own == nil:
	case own.elem != e:
		c.fail("%s holds %v, not %v", name, own.elem, e)
	case own.len < n:
		c.fail("%s has %d elements, not %d", name, own.len, n)
	default:
		return own.ptr
	}
	return nil
}

// at returns a pointer to an element of the call's type.
func (c *call) at(p unsafe.Pointer, element int) unsafe.Pointer {
	if p == nil {
		return nil
	}
	return unsafe.Add(p, element*c.elem.Size())
}

// nodes returns node (0,0,0) of an array laid out by the call's box.
func (c *call) nodes(b kernels.Buffer, name string) unsafe.Pointer { return c.nodesOf(b, c.box, name) }

// nodesOf is nodes for another box.
func (c *call) nodesOf(b kernels.Buffer, box kernels.Box, name string) unsafe.Pointer {
	c.arrays++
	return c.at(c.elements(b, c.elem, box.Len, name), box.Origin)
}

// singleNodes is nodes for an array of float32 in a call of float64.
func (c *call) singleNodes(b kernels.Buffer, name string) unsafe.Pointer {
	c.arrays++
	p := c.elements(b, kernels.Float32, c.box.Len, name)
	if p == nil {
		return nil
	}
	return unsafe.Add(p, c.box.Origin*kernels.Float32.Size())
}

// maybeNodes is nodes for a buffer that may be nil.
func (c *call) maybeNodes(b kernels.Buffer, name string) unsafe.Pointer {
	if b == nil {
		return nil
	}
	return c.nodes(b, name)
}

// axes returns node 0 of three axis arrays.
func (c *call) axes(b [3]kernels.Buffer, name string) (p [3]unsafe.Pointer) {
	for d := range b {
		p[d] = c.at(c.elements(b[d], c.elem, c.box.N[d]+2*kernels.HaloWidth, name), kernels.HaloWidth)
	}
	return p
}

// wall returns a wall array.
func (c *call) wall(b kernels.Buffer, side kernels.Side, name string) unsafe.Pointer {
	return c.elements(b, c.elem, c.box.WallNodes(side), name)
}

// walls returns wall arrays that may be nil.
func (c *call) walls(b [6]kernels.Buffer, name string) (p [6]unsafe.Pointer) {
	for s := range b {
		if b[s] != nil {
			p[s] = c.wall(b[s], kernels.Side(s), name)
		}
	}
	return p
}

// faces returns the arrays of face velocities; along an absent y axis there is none.
func (c *call) faces(q [3]kernels.Buffer) (p [3]unsafe.Pointer) {
	for d := range q {
		if d != kernels.Y || !c.box.Flat() {
			p[d] = c.nodes(q[d], "Q")
		}
	}
	return p
}

// setBox checks a box and makes it the call's.
func (c *call) setBox(box kernels.Box) C.cv_box {
	c.box = box
	return c.cBox(box)
}

// cBox checks a box and converts it.
func (c *call) cBox(box kernels.Box) C.cv_box {
	n, s := box.N, box.Stride
	const w = kernels.HaloWidth
	low := box.Origin - w*(1+s[1]+s[2])
	high := box.Index(n[0]-1+w, n[1]-1+w, n[2]-1+w)
	if n[0] < 1 || n[1] < 1 || n[2] < 1 || s[1] < 0 || s[2] < n[0] || low < 0 || high >= box.Len {
		c.fail("the box of %d x %d x %d nodes is not laid out by NewBox", n[0], n[1], n[2])
	}
	return C.cv_box{n: ints(n), sy: C.int64_t(s[1]), sz: C.int64_t(s[2])}
}

// ints converts three numbers.
func ints(v [3]int) [3]C.int64_t {
	return [3]C.int64_t{C.int64_t(v[0]), C.int64_t(v[1]), C.int64_t(v[2])}
}

// flag converts a truth value.
func flag(b bool) C.int64_t {
	if b {
		return 1
	}
	return 0
}

// flags converts three truth values.
func flags(b [3]bool) [3]C.int64_t { return [3]C.int64_t{flag(b[0]), flag(b[1]), flag(b[2])} }

// mask checks a mask of the call's box and converts it.
func (c *call) mask(m *kernels.RowMask) C.cv_mask {
	if m == nil || !c.ok() {
		return C.cv_mask{}
	}
	if m.Rows < 2 || m.Stride < c.box.N[0] {
		c.fail("the mask has %d rows at a stride of %d", m.Rows, m.Stride)
	}
	return C.cv_mask{
		index:  (*C.int32_t)(c.elements(m.Index, kernels.Int32, c.box.N[1]*c.box.N[2], "Mask.Index")),
		table:  c.elements(m.Table, c.elem, m.Rows*m.Stride, "Mask.Table"),
		stride: C.int64_t(m.Stride),
	}
}

// elliptic checks an operator, makes its box the call's, and converts it.
func (c *call) elliptic(a *kernels.Elliptic) C.cv_elliptic {
	if a == nil {
		c.fail("the operator is missing")
	}
	if !c.ok() {
		return C.cv_elliptic{}
	}
	if a.Stencil != kernels.SevenPoint && a.Stencil != kernels.TwentySevenPoint {
		c.fail("unknown stencil %d", a.Stencil)
		return C.cv_elliptic{}
	}
	c.wide = a.Stencil == kernels.TwentySevenPoint
	e := C.cv_elliptic{box: c.setBox(a.Box), points: C.int64_t(a.Stencil.Points()), mass_scale: C.double(a.MassScale)}
	e.h, e.rh, e.w = c.axes(a.H, "H"), c.axes(a.RH, "RH"), c.axes(a.W, "W")
	for d := range a.K {
		e.k[d] = C.double(a.K[d])
		if a.Cells[0] != nil {
			e.cells[d] = c.nodes(a.Cells[d], "Cells")
		}
	}
	e.mass = c.maybeNodes(a.Mass, "Mass")
	e.mask = c.mask(a.Mask)
	return e
}

// slot checks that n slots from slot on exist.
func (c *call) slot(slot, n int) {
	if slot < 0 || slot+n > kernels.Slots {
		c.fail("slots %d to %d do not exist", slot, slot+n-1)
	}
}
