package cuda

import (
	"unsafe"

	"convect/kernels"
	"convect/kernels/call"
)

// darcyKernel names what computes the same with 7 and with 27 points.
type darcyKernel struct{ seven, trilinear string }

// darcyHalo is the number of nodes beyond the last that darcy_flux sees.
const darcyHalo = 1

// sourceTrilinear is how the kernel of buoyancy_trilinear.cu marches.
var sourceTrilinear = march{help: 1, seen: 1, rows: marchRows, each: 1, blocks: 4096}

// fluxShape is how the kernels of trilinear_flux.cu are cut: a node in each of two rows, and as many blocks as that for the fluxes has.
func fluxShape(elem kernels.Elem) stripShape {
	return stripShape{bytes: elem.Size(), rows: 2, threads: 128, blocks: 3, idle: 1}
}

// BuoyancySource computes the integrated right side of the pressure equation.
func (d *Device) BuoyancySource(a kernels.BuoyancySourceArgs) {
	c := d.begin("BuoyancySource", a.F)
	s := c.BuoyancySource(a)
	kernel := darcyKernel{"buoyancy_source", "trilinear_source"}
	if c.OK() && a.Q == [3]kernels.Buffer{} {
		if _, even := evenTrilinear(a.A); even {
			kernel.trilinear = "buoyancy_source_trilinear"
		} else {
			d.becauseTrilinear(&c, a.A)
		}
	}
	d.darcy(&c, kernel, &s)
}

// DarcyFlux computes the face velocities from the pressure and the temperature.
func (d *Device) DarcyFlux(a kernels.DarcyFluxArgs) {
	c := d.begin("DarcyFlux", a.P)
	s := c.DarcyFlux(a)
	if c.OK() {
		if h, even := evenTrilinear(a.A); even {
			d.trilinearFlux(&c, &s, h)
			return
		}
		d.becauseTrilinear(&c, a.A)
	}
	d.darcy(&c, darcyKernel{"darcy_flux", "trilinear_darcy_flux"}, &s)
}

// becauseTrilinear notes why an operator of trilinear elements is not one of even widths and constant K.
func (d *Device) becauseTrilinear(c *call.Call, a *kernels.Elliptic) {
	if a.Stencil == kernels.TwentySevenPoint {
		d.because(c, notEvenTrilinear(a))
	}
}

// HeatFlux reduces the heat carried along an axis times distance.
func (d *Device) HeatFlux(a kernels.HeatFluxArgs) {
	c := d.begin("HeatFlux", a.T)
	s := c.HeatFlux(a)
	d.darcySum(&c, &s, a.Slot)
}

// Dissipation reduces the thermal dissipation.
func (d *Device) Dissipation(a kernels.DissipationArgs) {
	c := d.begin("Dissipation", a.T)
	s := c.Dissipation(a)
	if s.A.Cells[0] != 0 && s.A.Points == 7 {
		d.conduction(&c, &s)
		d.gatherAll(&c, a.Slot, overSlabs(c.Box).blocks(), addUp)
		return
	}
	d.darcySum(&c, &s, a.Slot)
}

// conduction leaves partial results of the dissipation and of what is conducted along an axis, with 7 points and K on cells.
func (d *Device) conduction(c *call.Call, s *call.Darcy) {
	g := overSlabs(c.Box)
	s.Partial = d.partial(c, 2*g.blocks())
	d.launch(c, "conduction_sums_on_cells", g, unsafe.Pointer(s), unsafe.Sizeof(*s))
}

// addConduction reduces the dissipation on cells to a slot, if so told, and adds what is conducted along an axis to what that of the heat flux holds.
func (d *Device) addConduction(a kernels.AdvectMeasuredArgs) {
	c := d.begin("AdvectMeasured", a.T)
	s := c.Dissipation(kernels.DissipationArgs{A: a.A, T: a.T, Periodic: a.Periodic, Slot: a.Slot + kernels.MeasuredDissipation})
	s.Axis = int64(a.Axis)
	d.conduction(&c, &s)
	n := overSlabs(c.Box).blocks()
	if a.Enclosed {
		d.gather(&c, a.Slot+kernels.MeasuredDissipation, 0, n, addUp)
	}
	d.gather(&c, a.Slot+kernels.MeasuredHeatFlux, n, n, addToSlot)
}

// darcyGeometry is how kernels for so many points are cut that do not march in vectors: into slabs, or strips of trilinear_flux.cu.
func (d *Device) darcyGeometry(c *call.Call, points int64) geometry {
	if points == 27 {
		return d.overStrips(c.Box, fluxShape(c.Elem), c.Elem)
	}
	return overSlabs(c.Box)
}

// darcy runs one of two kernels: on slabs or strips of the call's box, or in vectors where it can.
func (d *Device) darcy(c *call.Call, kernel darcyKernel, s *call.Darcy) geometry {
	name, g := kernel.seven, d.darcyGeometry(c, s.A.Points)
	if s.A.Points == 27 {
		name = kernel.trilinear
	}
	switch constant := s.A.Cells[0] == 0; {
	case name == "buoyancy_source_trilinear":
		g = sourceTrilinear.over(c)
	case name == "buoyancy_source" && constant:
		g = overVectors(c, lightSlabs)
	case name == "buoyancy_source":
		g = overMarch(c, 0, lightSlabs)
	case name == "darcy_flux" && constant:
		g = overMarch(c, darcyHalo, lightSlabs)
	case name == "darcy_flux":
		g = overMarch(c, darcyHalo, sidesSlabs)
	}
	d.launch(c, name, g, unsafe.Pointer(s), unsafe.Sizeof(*s))
	return g
}

// darcySum runs what leaves a partial sum for each block, and gathers them.
func (d *Device) darcySum(c *call.Call, s *call.Darcy, slot int) {
	s.Partial = d.partial(c, d.darcyGeometry(c, s.A.Points).blocks())
	g := d.darcy(c, darcyKernel{"heat_sum", "trilinear_heat_sum"}, s)
	d.gather(c, slot, 0, g.blocks(), addUp)
}
