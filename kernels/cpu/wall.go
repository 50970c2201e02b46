package cpu

// #include "cpu.h"
import "C"

import (
	"unsafe"

	"convect/kernels"
)

// WallFlux finds the velocity through walls of fixed pressure.
func (d *Device) WallFlux(a kernels.WallFluxArgs) {
	c := d.begin("WallFlux", a.Q[0])
	d.state.wallflux = c.WallFlux(a)
	c.run(C.cv_wall_flux, unsafe.Pointer(&d.state.wallflux), c.Rows(), c.Rows())
}

// WallSum reduces a weighted sum over the nodes of one side.
func (d *Device) WallSum(a kernels.WallSumArgs) {
	c := d.begin("WallSum", a.X)
	w := &d.state.wall
	*w = c.WallSum(a)
	fast, slow := a.Box.WallShape(a.Side)
	c.reserve(8 * (fast + 64))
	w.Partial = c.partials(slow)
	c.runLines(C.cv_wall_sum, a.Side)
	c.store(a.Slot, c.sum(0, slow))
}
