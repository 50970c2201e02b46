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
	d.state.reduce = c.Reduce(a)
	c.reduceRows()
	way := addUp
	if a.Kind == kernels.MaxAbs || a.Kind == kernels.MaxDiff {
		way = largest
	}
	c.gather(a.Slot, c.overRows(), way)
}

// reduceRows computes the partials of all rows.
func (c *job) reduceRows() {
	r := &c.d.state.reduce
	c.reserveRows(1)
	r.Partial = c.partials(c.Rows())
	c.runRows(C.cv_reduce, unsafe.Pointer(r))
}

// RemoveMean removes the volume-weighted mean.
func (d *Device) RemoveMean(a kernels.RemoveMeanArgs) {
	c := d.begin("RemoveMean", a.X)
	d.state.reduce, d.state.shift = c.RemoveMean(a)
	c.reduceRows()
	if !c.acts() {
		c.runRows(C.cv_shift, unsafe.Pointer(&d.state.shift))
		return
	}
	volume := c.length(a.W[0], 0) * c.length(a.W[1], 1) * c.length(a.W[2], 2)
	d.state.shift.Shift = kernels.TreeSum(c.rowSums(0, c.overRows())) / volume
	c.runRows(C.cv_shift, unsafe.Pointer(&d.state.shift))
}

// Shift implements [kernels.RowReducer].
func (d *Device) Shift(a kernels.RemoveMeanArgs, shift float64) {
	c := d.begin("RemoveMean", a.X)
	_, d.state.shift = c.RemoveMean(a)
	d.state.shift.Shift = shift
	c.runRows(C.cv_shift, unsafe.Pointer(&d.state.shift))
}

// length returns the sum of the dual widths of an axis.
func (c *job) length(w kernels.Buffer, axis int) float64 {
	sum := 0.0
	for n := range c.Box.N[axis] {
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
	d.state.reduce, _ = c.HorizontalMean(a)
	c.reduceRows()
	if !c.acts() {
		return
	}
	area := c.length(a.W[0], 0) * c.length(a.W[1], 1)
	x, out, ny := a.X.(*Buffer), a.Out.(*Buffer), a.Box.N[1]
	for k := range a.Box.N[2] {
		if first := a.Box.Index(0, 0, k); c.Elem == kernels.Float64 {
			values[float64](out)[k] = values[float64](x)[first] + c.sum(k*ny, ny)/area
		} else {
			values[float32](out)[k] = float32(float64(values[float32](x)[first]) + c.sum(k*ny, ny)/area)
		}
	}
}

// HeightSums implements [kernels.RowReducer].
func (d *Device) HeightSums(a kernels.HorizontalMeanArgs) []float64 {
	c := d.begin("HorizontalMean", a.X)
	d.state.reduce, d.state.reduce.Y = c.HorizontalMean(a)
	c.reduceRows()
	if !c.acts() {
		return nil
	}
	first, last, rows := c.counted(c.overRows())
	sums := make([]float64, 0, (last-first)*a.Box.N[2])
	for k := range a.Box.N[2] {
		sums = append(sums, d.partials[k*rows+first:k*rows+last]...)
	}
	return sums
}
