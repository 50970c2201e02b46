package cpu

// #include "cpu.h"
import "C"

import (
	"unsafe"

	"convect/kernels"
)

// advectRowsUsed is the number of scratch rows of advect_scratch in transport.h beside those of the strip.
const advectRowsUsed = 6

// Advect computes the integrated heat gain by advection.
func (d *Device) Advect(a kernels.AdvectArgs) {
	c := d.begin("Advect", a.Out)
	s := &d.state.flow
	*s = C.cv_flow_args{box: c.setBox(a.Box), w: c.axes(a.W, "W"), q: c.faces(a.Q), t: c.nodes(a.T, "T"),
		inflow: c.walls(a.Inflow, "Inflow"), periodic: flags(a.Periodic), scheme: c.scheme(a.Scheme),
		out: c.nodes(a.Out, "Out")}
	if c.ok() && a.Out == a.T {
		c.fail("Out is T")
	}
	s.stream, s.strip = c.stream(), c.strip(8, d.l2)
	c.reserveRows(advectRowsUsed + 2*int(s.strip))
	c.runRows(C.cv_advect, unsafe.Pointer(s))
}
