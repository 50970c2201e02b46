package cuda

import (
	"unsafe"

	"convect/kernels"
	"convect/kernels/call"
)

// BuoyancySource computes the integrated right side of the pressure equation.
func (d *Device) BuoyancySource(a kernels.BuoyancySourceArgs) {
	c := d.begin("BuoyancySource", a.F)
	s := c.BuoyancySource(a)
	d.darcy(&c, "buoyancy_source", "trilinear_source", &s)
}

// DarcyFlux computes the face velocities from the pressure and the temperature.
func (d *Device) DarcyFlux(a kernels.DarcyFluxArgs) {
	c := d.begin("DarcyFlux", a.P)
	s := c.DarcyFlux(a)
	d.darcy(&c, "darcy_flux", "trilinear_darcy_flux", &s)
}

// HeatFlux reduces the heat carried along an axis times distance.
func (d *Device) HeatFlux(a kernels.HeatFluxArgs) {
	c := d.begin("HeatFlux", a.T)
	s := c.HeatFlux(a)
	d.darcySum(&c, "heat_flux", "trilinear_heat_flux", &s, a.Slot)
}

// Dissipation reduces the thermal dissipation.
func (d *Device) Dissipation(a kernels.DissipationArgs) {
	c := d.begin("Dissipation", a.T)
	s := c.Dissipation(a)
	d.darcySum(&c, "dissipation", "trilinear_dissipation", &s, a.Slot)
}

// darcy runs a kernel, with 27 points the other, on slabs of the call's box.
func (d *Device) darcy(c *call.Call, kernel, trilinear string, s *call.Darcy) geometry {
	if s.A.Points == 27 {
		kernel = trilinear
	}
	g := overSlabs(c.Box.N)
	d.launch(c, kernel, g, unsafe.Pointer(s), unsafe.Sizeof(*s))
	return g
}

// darcySum runs one that leaves a partial sum for each block, and gathers them.
func (d *Device) darcySum(c *call.Call, kernel, trilinear string, s *call.Darcy, slot int) {
	s.Partial = d.partial(c, overSlabs(c.Box.N).blocks())
	g := d.darcy(c, kernel, trilinear, s)
	d.gather(c, slot, 0, g.blocks(), false)
}
