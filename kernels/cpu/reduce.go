package cpu

// #include "cpu.h"
import "C"

import (
	"unsafe"

	"convect/kernels"
)

// Reduce reduces the nodes of a box to one slot.
func (d *Device) Reduce(a kernels.ReduceArgs) {
	c := d.begin("Reduce", a.X)
	r := &d.state.reduce
	*r = C.cv_reduce_args{box: c.setBox(a.Box), x: c.nodes(a.X, "X"), kind: C.int64_t(a.Kind)}
	switch a.Kind {
	case kernels.Dot, kernels.VolumeDot, kernels.MaxDiff:
		r.y = c.nodes(a.Y, "Y")
	case kernels.VolumeSum, kernels.MaxAbs, kernels.Sum, kernels.Finite:
	default:
		c.fail("unknown reduction %d", a.Kind)
	}
	if a.Kind == kernels.VolumeSum || a.Kind == kernels.VolumeDot {
		r.w = c.axes(a.W, "W")
	}
	r.mask = c.mask(a.Mask)
	c.slot(a.Slot, 1)
	c.reduceRows(r)
	if a.Kind == kernels.MaxAbs || a.Kind == kernels.MaxDiff {
		c.store(a.Slot, c.max(0, c.rows()))
		return
	}
	c.store(a.Slot, c.sum(0, c.rows()))
}

// reduceRows computes the partials of all rows.
func (c *call) reduceRows(r *C.cv_reduce_args) {
	c.reserveRows(1)
	r.partial = c.partials(c.rows())
	c.runRows(C.cv_reduce, unsafe.Pointer(r))
}

// RemoveMean removes the volume-weighted mean.
func (d *Device) RemoveMean(a kernels.RemoveMeanArgs) {
	c := d.begin("RemoveMean", a.X)
	r := &d.state.reduce
	*r = C.cv_reduce_args{box: c.setBox(a.Box), x: c.nodes(a.X, "X"), w: c.axes(a.W, "W"), kind: C.cv_volume_sum}
	if a.Integrated {
		r.kind = C.cv_sum
	}
	c.reduceRows(r)
	sum := c.sum(0, c.rows())
	s := &d.state.shift
	*s = C.cv_shift_args{box: r.box, x: c.nodes(a.X, "X"), w: r.w, integrated: flag(a.Integrated)}
	if c.ok() {
		s.shift = C.double(sum / (c.length(a.W[0], 0) * c.length(a.W[1], 1) * c.length(a.W[2], 2)))
	}
	c.runRows(C.cv_shift, unsafe.Pointer(s))
}

// length returns the sum of the dual widths of an axis.
func (c *call) length(w kernels.Buffer, axis int) float64 {
	sum := 0.0
	for n := range c.box.N[axis] {
		if b := w.(*Buffer); b.elem == kernels.Float64 {
			sum += values[float64](b)[n+kernels.HaloWidth]
		} else {
			sum += float64(values[float32](b)[n+kernels.HaloWidth])
		}
	}
	return sum
}

// HorizontalMean averages over every z plane: of equal values exactly.
func (d *Device) HorizontalMean(a kernels.HorizontalMeanArgs) {
	c := d.begin("HorizontalMean", a.X)
	r := &d.state.reduce
	*r = C.cv_reduce_args{box: c.setBox(a.Box), x: c.nodes(a.X, "X"), w: c.axes(a.W, "W"), kind: C.cv_area_sum}
	nz, ny := a.Box.N[2], a.Box.N[1]
	c.elements(a.Out, c.elem, nz, "Out")
	c.reduceRows(r)
	if !c.ok() {
		return
	}
	area := c.length(a.W[0], 0) * c.length(a.W[1], 1)
	x, out := a.X.(*Buffer), a.Out.(*Buffer)
	for k := range nz {
		if first := a.Box.Index(0, 0, k); c.elem == kernels.Float64 {
			values[float64](out)[k] = values[float64](x)[first] + c.sum(k*ny, ny)/area
		} else {
			values[float32](out)[k] = float32(float64(values[float32](x)[first]) + c.sum(k*ny, ny)/area)
		}
	}
}
