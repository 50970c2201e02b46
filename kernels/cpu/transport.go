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
	*s = c.Advect(a)
	s.Stream, s.Strip = c.stream(), c.strip(8, d.l2)
	c.reserveRows(advectRowsUsed + 2*int(s.Strip))
	c.runRows(C.cv_advect, unsafe.Pointer(s))
}
