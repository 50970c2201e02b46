package cpu

// #include "cpu.h"
import "C"

import (
	"unsafe"

	"convect/kernels"
)

// sweepRowsUsed is the largest number of scratch rows of sweep_scratch in sweep.h.
const sweepRowsUsed = 20

// runSweep runs one of the sweeps with the arguments in the device's state.
func (c *job) runSweep(kernel C.int, stream bool) {
	s := &c.d.state.sweep
	s.Strip = c.sweepStrip()
	c.wide = c.wide && s.A.Cells[kernels.X] != 0 // constant coefficients: memory is the limit, and narrow vectors ask for more of it at once
	if stream {
		s.Stream = c.stream()
	}
	switch {
	case kernel == C.cv_red_black:
		c.rows = oneColour
	case s.U == 0:
		c.rows = rightSides
	default:
		c.rows = allNodes
	}
	c.elliptic = &s.A
	c.reserveRows(sweepRowsUsed)
	c.runRows(kernel, unsafe.Pointer(s))
}

// Apply computes Y = mask (A X).
func (d *Device) Apply(a kernels.ApplyArgs) {
	c := d.beginElliptic("Apply", a.Y, a.A)
	d.state.sweep = c.Apply(a)
	c.runSweep(C.cv_apply, true)
}

// Residual computes R = mask (F - A U), or Scale times that into an R of float32 where all else is float64.
func (d *Device) Residual(a kernels.ResidualArgs) {
	c := d.beginElliptic("Residual", a.U, a.A)
	d.state.sweep = c.Residual(a)
	c.runSweep(C.cv_residual, a.R != a.F)
}

// Smooth makes one damped Jacobi sweep.
func (d *Device) Smooth(a kernels.SmoothArgs) {
	c := d.beginElliptic("Smooth", a.Out, a.A)
	d.state.sweep = c.Smooth(a)
	c.runSweep(C.cv_smooth, a.Out != a.F)
}

// RedBlack relaxes the nodes of one colour in place.
func (d *Device) RedBlack(a kernels.RedBlackArgs) {
	c := d.beginElliptic("RedBlack", a.U, a.A)
	d.state.sweep = c.RedBlack(a)
	c.runSweep(C.cv_red_black, false)
}

// Energy computes A X and Σ X (A X).
func (d *Device) Energy(a kernels.EnergyArgs) {
	c := d.beginElliptic("Energy", a.X, a.A)
	s := hold(c, c.Energy(a))
	over := c.overRows()
	s.Strip = c.sweepStrip()
	if a.Image != nil {
		s.Stream = c.stream()
	}
	c.rows, c.elliptic = allNodes, &s.A
	c.reserveRows(sweepRowsUsed + 1)
	s.Partial, s.Parts = c.partials(over.lines), int64(over.lines)
	c.runLines(C.cv_energy, unsafe.Pointer(s), over)
	c.gather(a.Slot, over, addUp)
}

// MassUpdate computes U += mask R / (s m).
func (d *Device) MassUpdate(a kernels.MassUpdateArgs) {
	c := d.beginElliptic("MassUpdate", a.U, a.A)
	d.state.sweep = c.MassUpdate(a)
	c.runRows(C.cv_mass_update, unsafe.Pointer(&d.state.sweep))
}

// SweepsFaces tells whether residuals are faster by what faces conduct.
func (d *Device) SweepsFaces(a *kernels.Elliptic) bool { return d.Conducts(a) }

// Conducts tells whether cycles are faster by what faces conduct: with 7 points and K on cells.
func (d *Device) Conducts(a *kernels.Elliptic) bool {
	return a.Stencil == kernels.SevenPoint && a.Conductivity() != kernels.Constant
}

// Numbers of float64 arrays of coarse.h.
const (
	coarseArrays   = 10
	coarseArrays27 = 20
)

// SolveCoarse solves a small problem by conjugate gradients, in float64 for both element types. It needs none of the
// work buffers, which it only checks.
func (d *Device) SolveCoarse(a kernels.SolveCoarseArgs) {
	c := d.beginElliptic("SolveCoarse", a.U, a.A)
	s := &d.state.coarse
	*s = c.SolveCoarse(a)
	n, arrays := c.Box.N, coarseArrays
	if s.A.Points == 27 {
		arrays = coarseArrays27
	}
	c.reserve(arrays*8*(n[0]+2)*(n[1]+2)*(n[2]+2) + 8*(n[0]+64))
	c.run(C.cv_solve_coarse, unsafe.Pointer(s), 1, 0)
}
