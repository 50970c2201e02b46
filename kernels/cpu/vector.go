package cpu

// #include "cpu.h"
import "C"

import (
	"unsafe"

	"convect/kernels"
)

// Fill sets every element of X.
func (d *Device) Fill(a kernels.FillArgs) {
	c := call{d: d, kernel: "Fill"}
	x := c.buffer(a.X, "X")
	if x == nil {
		return
	}
	if x.elem == kernels.Int32 {
		v := values[int32](x)
		for i := range v {
			v[i] = int32(a.Value)
		}
		return
	}
	c.elem = x.elem
	v := &d.state.vector
	*v = C.cv_vector_args{len: C.int64_t(x.len), out: x.ptr}
	v.c[0] = C.double(a.Value)
	c.runBlocks(C.cv_fill, x.len)
}

// runBlocks runs a kernel on whole buffers of n elements.
func (c *call) runBlocks(kernel C.int, n int) {
	c.run(kernel, unsafe.Pointer(&c.d.state.vector), (n+C.cv_block-1)/C.cv_block, n)
}

// Copy copies all elements, converting between float32 and float64.
func (d *Device) Copy(a kernels.CopyArgs) {
	c := call{d: d, kernel: "Copy"}
	dst, src := c.buffer(a.Dst, "Dst"), c.buffer(a.Src, "Src")
	if dst == nil || src == nil {
		return
	}
	if dst.len < src.len {
		c.fail("Dst has %d elements, Src %d", dst.len, src.len)
	}
	if (dst.elem == kernels.Int32) != (src.elem == kernels.Int32) {
		c.fail("cannot copy %v to %v", src.elem, dst.elem)
	}
	if !c.ok() || dst == src {
		return
	}
	v := &d.state.vector
	*v = C.cv_vector_args{len: C.int64_t(src.len), out: dst.ptr}
	v.x[0] = src.ptr
	v.stream = flag(src.bytes()+dst.bytes() > d.llc)
	kernel := C.int(C.cv_copy)
	c.elem = dst.elem
	switch {
	case dst.elem == kernels.Int32:
		c.elem = kernels.Float32 // the same bytes
	case dst.elem != src.elem:
		kernel = C.cv_convert
	}
	c.runBlocks(kernel, src.len)
}

// Combine computes a sum of up to four scaled buffers, in float64 where they are not all of one type.
func (d *Device) Combine(a kernels.CombineArgs) {
	c := d.begin("Combine", a.Out)
	out := c.buffer(a.Out, "Out")
	if out == nil {
		return
	}
	v := &d.state.vector
	*v = C.cv_vector_args{len: C.int64_t(out.len), out: out.ptr, single_out: flag(out.elem == kernels.Float32)}
	kernel, inPlace, bytes := C.int(C.cv_combine), false, out.bytes()
	for n, b := range a.X {
		if b == nil {
			continue
		}
		x := c.floats(b, "X")
		if x == nil {
			return
		}
		if x.len != out.len {
			c.fail("Out has %d elements, X %d", out.len, x.len)
		}
		if x.elem != out.elem {
			kernel, c.elem = C.cv_combine_mixed, kernels.Float64
		}
		inPlace = inPlace || x.ptr == out.ptr
		bytes += x.bytes()
		v.x[v.terms], v.c[v.terms], v.single[v.terms] = x.ptr, C.double(a.C[n]), flag(x.elem == kernels.Float32)
		v.terms++
	}
	for n := v.terms; n < 4; n++ {
		v.x[n] = out.ptr // not read
	}
	v.stream = flag(!inPlace && bytes > d.llc)
	c.reserve(5 * (C.cv_block*8 + 1024))
	c.runBlocks(kernel, out.len)
}

// floats returns a live buffer of float32 or float64, or nil after a failure.
func (c *call) floats(b kernels.Buffer, name string) *Buffer {
	own := c.buffer(b, name)
	if own != nil && own.elem != kernels.Float32 && own.elem != kernels.Float64 {
		c.fail("%s holds %v, not float32 or float64", name, own.elem)
		return nil
	}
	return own
}

// Halo fills halo layers along the periodic axes.
func (d *Device) Halo(a kernels.HaloArgs) {
	c := d.begin("Halo", a.X)
	h := &d.state.halo
	*h = C.cv_halo_args{box: c.setBox(a.Box), x: c.nodes(a.X, "X")}
	if a.Width < 0 || a.Width > kernels.HaloWidth {
		c.fail("width %d is not 0 to %d", a.Width, kernels.HaloWidth)
	}
	for axis, periodic := range a.Periodic {
		if periodic && !(axis == kernels.Y && a.Box.Flat()) {
			h.width[axis] = C.int64_t(a.Width)
		}
	}
	if h.width[0]+h.width[1] > 0 {
		c.run(C.cv_halo_plane, unsafe.Pointer(h), a.Box.N[2], a.Box.Nodes())
	}
	if h.width[2] > 0 {
		c.run(C.cv_halo_z, unsafe.Pointer(h), a.Box.N[1]+2*int(h.width[1]), a.Box.N[0]*a.Box.N[1]*a.Width)
	}
}

// SetWall sets chosen nodes of one side.
func (d *Device) SetWall(a kernels.SetWallArgs) {
	c := d.begin("SetWall", a.X)
	w := &d.state.wall
	*w = C.cv_wall_args{box: c.setBox(a.Box), x: c.nodes(a.X, "X"), side: C.int64_t(a.Side)}
	if a.Face && !a.Side.High() {
		w.x = c.at(w.x, -a.Box.Stride[a.Side.Axis()])
	}
	w.where, w.value = c.wall(a.Where, a.Side, "Where"), c.wall(a.Value, a.Side, "Value")
	c.runLines(C.cv_set_wall, w, a.Side)
}

// runLines runs a kernel on the lines of one side.
func (c *call) runLines(kernel C.int, w *C.cv_wall_args, side kernels.Side) {
	if c.ok() {
		_, slow := c.box.WallShape(side)
		c.run(kernel, unsafe.Pointer(w), slow, c.box.WallNodes(side))
	}
}
