package cpu

// #include "cpu.h"
import "C"

import (
	"unsafe"

	"convect/kernels"
)

// BuoyancySource computes the integrated right side of the pressure equation.
func (d *Device) BuoyancySource(a kernels.BuoyancySourceArgs) {
	c := d.begin("BuoyancySource", a.F)
	s := &d.state.darcy
	*s = C.cv_darcy_args{a: c.elliptic(a.A), t: c.nodes(a.T, "T"), f: c.nodes(a.F, "F"),
		mean: c.elements(a.TMean, c.elem, c.box.N[2], "TMean"), rayleigh: C.double(a.Rayleigh),
		periodic: flags(a.Periodic), stream: c.stream()}
	for axis, q := range a.Q {
		s.q[axis] = c.maybeNodes(q, "Q")
	}
	c.runDarcy(C.cv_buoyancy_source, C.cv_trilinear_source)
}

// DarcyFlux computes the face velocities from the pressure and the temperature.
func (d *Device) DarcyFlux(a kernels.DarcyFluxArgs) {
	c := d.begin("DarcyFlux", a.P)
	s := &d.state.darcy
	*s = C.cv_darcy_args{a: c.elliptic(a.A), p: c.nodes(a.P, "P"), t: c.nodes(a.T, "T"),
		mean: c.elements(a.TMean, c.elem, c.box.N[2], "TMean"), rayleigh: C.double(a.Rayleigh), q: c.faces(a.Q),
		periodic: flags(a.Periodic)}
	s.stream = c.stream()
	c.runDarcy(C.cv_darcy_flux, C.cv_trilinear_darcy_flux)
}

// HeatFlux reduces the heat carried along an axis times distance.
func (d *Device) HeatFlux(a kernels.HeatFluxArgs) {
	c := d.begin("HeatFlux", a.T)
	s := &d.state.darcy
	*s = C.cv_darcy_args{a: c.elliptic(a.A), t: c.nodes(a.T, "T"), axis: C.int64_t(a.Axis), scheme: c.scheme(a.Scheme),
		periodic: flags(a.Periodic)}
	c.axis(a.Axis)
	c.slot(a.Slot, 1)
	if c.ok() {
		s.q[a.Axis] = c.nodes(a.Q, "Q")
	}
	s.partial = c.partials(c.rows())
	c.runDarcy(C.cv_heat_flux, C.cv_trilinear_heat_flux)
	c.store(a.Slot, c.sum(0, c.rows()))
}

// Dissipation reduces the thermal dissipation.
func (d *Device) Dissipation(a kernels.DissipationArgs) {
	c := d.begin("Dissipation", a.T)
	s := &d.state.darcy
	*s = C.cv_darcy_args{a: c.elliptic(a.A), t: c.nodes(a.T, "T"), periodic: flags(a.Periodic)}
	c.slot(a.Slot, 1)
	s.partial = c.partials(c.rows())
	c.runDarcy(C.cv_dissipation, C.cv_trilinear_dissipation)
	c.store(a.Slot, c.sum(0, c.rows()))
}

// Numbers of scratch rows of the kernels of darcy.h and heat.h, and of flux_rows_new in trilinear_flux.h and of a row of
// float64.
const (
	darcyRowsUsed = 3
	fluxRowsUsed  = 15
)

// runDarcy runs a kernel, with 27 points the other, with the arguments in the device's state.
func (c *call) runDarcy(kernel, trilinear C.int) {
	s := &c.d.state.darcy
	if s.a.points == 27 {
		kernel = trilinear
	}
	c.reserveRows(max(darcyRowsUsed, fluxRowsUsed))
	c.runRows(kernel, unsafe.Pointer(s))
}

// axis checks an axis.
func (c *call) axis(axis int) {
	if axis < 0 || axis > 2 {
		c.fail("there is no axis %d", axis)
	}
}

// scheme checks a transport scheme.
func (c *call) scheme(s kernels.Scheme) C.int64_t {
	if s > kernels.WENO5 {
		c.fail("unknown transport scheme %d", s)
	}
	return C.int64_t(s)
}
