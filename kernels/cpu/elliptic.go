package cpu

// #include "cpu.h"
import "C"

import (
	"unsafe"

	"convect/kernels"
)

// sweepRowsUsed is the largest number of scratch rows of sweep_scratch in sweep.h.
const sweepRowsUsed = 19

// runSweep runs one of the sweeps with the arguments in the device's state.
func (c *call) runSweep(kernel C.int, stream bool) {
	s := &c.d.state.sweep
	s.strip = c.strip(4, c.d.l2)
	if stream {
		s.stream = c.stream()
	}
	c.reserveRows(sweepRowsUsed)
	c.runRows(kernel, unsafe.Pointer(s))
}

// Apply computes Y = mask (A X).
func (d *Device) Apply(a kernels.ApplyArgs) {
	c := d.begin("Apply", a.Y)
	d.state.sweep = C.cv_sweep_args{a: c.elliptic(a.A), out: c.nodes(a.Y, "Y"), u: c.nodes(a.X, "X")}
	if c.ok() && a.X == a.Y {
		c.fail("Y is X")
	}
	c.runSweep(C.cv_apply, true)
}

// Residual computes R = mask (F - A U), or Scale times that into an R of float32 where all else is float64.
func (d *Device) Residual(a kernels.ResidualArgs) {
	c := d.begin("Residual", a.U)
	s := &d.state.sweep
	*s = C.cv_sweep_args{a: c.elliptic(a.A), u: c.nodes(a.U, "U"), f: c.nodes(a.F, "F")}
	if c.ok() && c.elem == kernels.Float64 && a.R != nil && a.R.Elem() == kernels.Float32 {
		s.out, s.single, s.scale = c.singleNodes(a.R, "R"), 1, C.double(a.Scale)
	} else {
		s.out = c.nodes(a.R, "R")
	}
	if c.ok() && a.R == a.U {
		c.fail("R is U")
	}
	c.runSweep(C.cv_residual, a.R != a.F)
}

// Smooth makes one damped Jacobi sweep.
func (d *Device) Smooth(a kernels.SmoothArgs) {
	c := d.begin("Smooth", a.Out)
	s := &d.state.sweep
	*s = C.cv_sweep_args{a: c.elliptic(a.A), out: c.nodes(a.Out, "Out"), u: c.maybeNodes(a.U, "U"), f: c.nodes(a.F, "F"),
		omega: C.double(a.Omega)}
	if c.ok() && a.U == a.Out {
		c.fail("Out is U")
	}
	c.runSweep(C.cv_smooth, a.Out != a.F)
}

// RedBlack relaxes the nodes of one colour in place.
func (d *Device) RedBlack(a kernels.RedBlackArgs) {
	c := d.begin("RedBlack", a.U)
	u := c.elliptic(a.A)
	c.sevenPoint(a.A)
	s := &d.state.sweep
	*s = C.cv_sweep_args{a: u, out: c.nodes(a.U, "U"), f: c.nodes(a.F, "F"), omega: C.double(a.Omega),
		colour: C.int64_t(a.Colour)}
	s.u = s.out
	c.runSweep(C.cv_red_black, false)
}

// MassUpdate computes U += mask R / (s m).
func (d *Device) MassUpdate(a kernels.MassUpdateArgs) {
	c := d.begin("MassUpdate", a.U)
	s := &d.state.sweep
	*s = C.cv_sweep_args{a: c.elliptic(a.A), out: c.nodes(a.U, "U"), f: c.nodes(a.R, "R")}
	c.runRows(C.cv_mass_update, unsafe.Pointer(s))
}

// sevenPoint refuses other stencils: their nodes of one colour are coupled to each other, or the kernel is not written.
func (c *call) sevenPoint(a *kernels.Elliptic) {
	if c.ok() && a.Stencil != kernels.SevenPoint {
		c.fail("the %d-point stencil has no such kernel, only the 7-point one", a.Stencil.Points())
	}
}

// Numbers of float64 arrays of coarse.h, and relative residuals at which SolveCoarse stops.
const (
	coarseArrays      = 10
	coarseArrays27    = 20
	coarseTolerance32 = 1e-9
	coarseTolerance64 = 1e-15
)

// SolveCoarse solves a small problem by conjugate gradients, in float64 for both element types. It needs none of the
// work buffers, which it only checks.
func (d *Device) SolveCoarse(a kernels.SolveCoarseArgs) {
	c := d.begin("SolveCoarse", a.U)
	s := &d.state.coarse
	*s = C.cv_coarse_args{a: c.elliptic(a.A), u: c.nodes(a.U, "U"), f: c.nodes(a.F, "F"), singular: flag(a.Singular),
		periodic: flags(a.Periodic), tolerance: coarseTolerance64}
	if c.elem == kernels.Float32 {
		s.tolerance = coarseTolerance32
	}
	for _, w := range a.Work {
		c.nodes(w, "Work")
	}
	n, arrays := c.box.N, coarseArrays
	if s.a.points == 27 {
		arrays = coarseArrays27
	}
	c.reserve(arrays*8*(n[0]+2)*(n[1]+2)*(n[2]+2) + 8*(n[0]+64))
	c.run(C.cv_solve_coarse, unsafe.Pointer(s), 1, 0)
}
