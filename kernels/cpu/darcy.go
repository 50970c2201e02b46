package cpu

// #include "cpu.h"
import "C"

import (
	"unsafe"

	"convect/kernels"
)

// BuoyancySource computes the integrated right side of the pressure equation.
func (d *Device) BuoyancySource(a kernels.BuoyancySourceArgs) {
	c := d.beginElliptic("BuoyancySource", a.F, a.A)
	d.state.darcy = c.BuoyancySource(a)
	d.state.darcy.Stream = c.stream()
	c.runDarcy(C.cv_buoyancy_source, C.cv_trilinear_source)
}

// DarcyFlux computes the face velocities from the pressure and the temperature.
func (d *Device) DarcyFlux(a kernels.DarcyFluxArgs) {
	c := d.beginElliptic("DarcyFlux", a.P, a.A)
	d.state.darcy = c.DarcyFlux(a)
	d.state.darcy.Stream = c.stream()
	c.runDarcy(C.cv_darcy_flux, C.cv_trilinear_darcy_flux)
}

// HeatFlux reduces the heat carried along an axis times distance.
func (d *Device) HeatFlux(a kernels.HeatFluxArgs) {
	c := d.beginElliptic("HeatFlux", a.T, a.A)
	d.state.darcy = c.HeatFlux(a)
	d.state.darcy.Partial = c.partials(c.Rows())
	c.runDarcy(C.cv_heat_flux, C.cv_trilinear_heat_flux)
	c.store(a.Slot, c.sum(0, c.Rows()))
}

// Dissipation reduces the thermal dissipation.
func (d *Device) Dissipation(a kernels.DissipationArgs) {
	c := d.beginElliptic("Dissipation", a.T, a.A)
	d.state.darcy = c.Dissipation(a)
	d.state.darcy.Partial = c.partials(c.Rows())
	c.runDarcy(C.cv_dissipation, C.cv_trilinear_dissipation)
	c.store(a.Slot, c.sum(0, c.Rows()))
}

// Numbers of scratch rows of the kernels of darcy.h and heat.h, and of flux_rows_new in trilinear_flux.h and of a row of
// float64.
const (
	darcyRowsUsed = 3
	fluxRowsUsed  = 15
)

// runDarcy runs a kernel, with 27 points the other, with the arguments in the device's state.
func (c *job) runDarcy(kernel, trilinear C.int) {
	s := &c.d.state.darcy
	if s.A.Points == 27 {
		kernel = trilinear
	}
	c.reserveRows(max(darcyRowsUsed, fluxRowsUsed))
	c.runRows(kernel, unsafe.Pointer(s))
}
