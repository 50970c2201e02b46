package cpu

// #include "cpu.h"
import "C"

import (
	"unsafe"

	"convect/kernels"
)

// Predict extrapolates the temperature and computes the residual of the heat equation there: all of it but what the temperature conducts, and then that.
func (d *Device) Predict(a kernels.PredictArgs) {
	c := d.beginElliptic("Predict", a.G, a.A)
	c.Predict(a)
	if c.OK() && a.Single != nil {
		c.Fail("there is no right side in single precision")
	}
	if !c.OK() {
		return
	}
	extrapolated := kernels.CombineArgs{Out: a.G, C: [4]float64{1, a.Omega, -a.Omega}, X: [4]kernels.Buffer{a.T, a.T, a.TPrev}}
	if a.TOlder != nil && a.Bend != 0 {
		extrapolated.C[2], extrapolated.C[3], extrapolated.X[3] = a.Bend-a.Omega, -a.Bend, a.TOlder
	}
	d.Combine(extrapolated)
	for _, w := range a.Walls {
		if w.Where != nil {
			d.SetWall(w)
		}
	}
	d.balance(a)
	if a.Periodic != [3]bool{} {
		d.Halo(kernels.HaloArgs{Box: a.A.Box, X: a.G, Periodic: a.Periodic, Width: 1})
	}
	d.part = *a.A
	d.part.Mask, d.part.MassScale = nil, 0
	d.Residual(kernels.ResidualArgs{A: &d.part, R: a.F, F: a.F, U: a.G})
	if a.Norms && !a.OnlyChange {
		d.Reduce(kernels.ReduceArgs{Kind: kernels.Dot, Box: a.A.Box, X: a.F, Y: a.F, Mask: a.A.Mask, Slot: a.Slot + 1})
	}
}

// balance computes F but for what G conducts, and with Norms what is in the first slot.
func (d *Device) balance(a kernels.PredictArgs) {
	c := d.beginElliptic("Predict", a.G, a.A)
	s := hold(c, c.Predict(a))
	c.reserveRows(1)
	if a.Norms {
		s.Partial = c.partials(c.Rows())
	}
	c.runRows(C.cv_predict, unsafe.Pointer(s))
	if a.Norms {
		c.gather(a.Slot, c.overRows(), addUp)
	}
}

// Conserve updates the temperature from the fluxes of the increment.
func (d *Device) Conserve(a kernels.ConserveArgs) {
	c := d.beginElliptic("Conserve", a.X, a.A)
	if c.Conserve(a); !c.OK() {
		return
	}
	d.part = *a.A
	d.part.Mask = nil
	d.Residual(kernels.ResidualArgs{A: &d.part, R: a.R, F: a.F, U: a.U})
	c = d.beginElliptic("Conserve", a.X, a.A)
	c.runRows(C.cv_conserve, unsafe.Pointer(hold(c, c.Conserve(a))))
}
