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
	s := &d.state.wallflux
	*s = C.cv_wallflux_args{box: c.setBox(a.Box), w: c.axes(a.W, "W"), q: c.faces(a.Q), share: c.walls(a.Share, "Share")}
	if a.Box.Flat() && (a.Share[kernels.Front] != nil || a.Share[kernels.Back] != nil) {
		c.fail("a flat box has no walls in y")
	}
	c.run(C.cv_wall_flux, unsafe.Pointer(s), c.rows(), c.rows())
}

// WallSum reduces a weighted sum over the nodes of one side.
func (d *Device) WallSum(a kernels.WallSumArgs) {
	c := d.begin("WallSum", a.X)
	w := &d.state.wall
	*w = C.cv_wall_args{box: c.setBox(a.Box), x: c.nodes(a.X, "X"), side: C.int64_t(a.Side)}
	w.where = c.wall(a.Weight, a.Side, "Weight")
	c.slot(a.Slot, 1)
	fast, slow := a.Box.WallShape(a.Side)
	c.reserve(8 * (fast + 64))
	w.partial = c.partials(slow)
	c.runLines(C.cv_wall_sum, w, a.Side)
	c.store(a.Slot, c.sum(0, slow))
}
