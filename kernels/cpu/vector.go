package cpu

// #include "cpu.h"
import "C"

import (
	"unsafe"

	"convect/kernels"
)

// Fill sets every element of X.
func (d *Device) Fill(a kernels.FillArgs) {
	c := d.beginAny("Fill")
	d.state.vector = c.Fill(a)
	if c.OK() && c.Elem == kernels.Int32 {
		v := values[int32](a.X.(*Buffer))
		for i := range v {
			v[i] = int32(a.Value)
		}
		return
	}
	c.runBlocks(C.cv_fill)
}

// runBlocks runs a kernel on whole buffers.
func (c *job) runBlocks(kernel C.int) {
	v := &c.d.state.vector
	c.run(kernel, unsafe.Pointer(v), int(v.Len+C.cv_block-1)/C.cv_block, int(v.Len))
}

// Copy copies all elements, converting between float32 and float64.
func (d *Device) Copy(a kernels.CopyArgs) {
	c := d.beginAny("Copy")
	v, convert := &d.state.vector, false
	*v, convert = c.Copy(a)
	if !c.OK() || v.Len == 0 {
		return
	}
	v.Stream = d.streams(a.Dst.(*Buffer).bytes() + a.Src.(*Buffer).bytes())
	switch {
	case c.Elem == kernels.Int32:
		c.Elem = kernels.Float32 // the same bytes
		c.runBlocks(C.cv_copy)
	case convert:
		c.runBlocks(C.cv_convert)
	default:
		c.runBlocks(C.cv_copy)
	}
}

// Combine computes a sum of up to four scaled buffers, in float64 where they are not all of one type.
func (d *Device) Combine(a kernels.CombineArgs) {
	c := d.begin("Combine", a.Out)
	v, mixed := &d.state.vector, false
	*v, mixed = c.Combine(a)
	for _, r := range a.By {
		c.Refuse(r)
	}
	if !c.OK() {
		return
	}
	inPlace, bytes := false, a.Out.(*Buffer).bytes()
	for _, x := range a.X {
		if x != nil {
			inPlace = inPlace || x == a.Out
			bytes += x.(*Buffer).bytes()
		}
	}
	if !inPlace {
		v.Stream = d.streams(bytes)
	}
	c.reserve(5 * (C.cv_block*8 + 1024))
	if mixed {
		c.runBlocks(C.cv_combine_mixed)
		return
	}
	c.runBlocks(C.cv_combine)
}

// Halo fills halo layers along the periodic axes.
func (d *Device) Halo(a kernels.HaloArgs) {
	c := d.begin("Halo", a.X)
	h := &d.state.halo
	*h = c.Halo(a)
	if h.Width[0]+h.Width[1] > 0 {
		c.run(C.cv_halo_plane, unsafe.Pointer(h), a.Box.N[2], a.Box.Nodes())
	}
	if h.Width[2] > 0 {
		c.run(C.cv_halo_z, unsafe.Pointer(h), a.Box.N[1]+2*int(h.Width[1]), a.Box.N[0]*a.Box.N[1]*a.Width)
	}
}
