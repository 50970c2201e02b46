package cpu

// #include "cpu.h"
import "C"

import (
	"unsafe"

	"convect/kernels"
)

// Streamfunction computes the streamfunction on a flat box.
func (d *Device) Streamfunction(a kernels.StreamfunctionArgs) {
	c := d.begin("Streamfunction", a.Out)
	s := hold(c, c.Streamfunction(a))
	c.reserveRows(2)
	s.Partial = c.partials(2)
	c.run(C.cv_streamfunction, unsafe.Pointer(s), 1, 0) // one column after the other: flat boxes are small
	if c.acts() {
		c.store(a.Slot, d.partials[0])
		c.store(a.Slot+1, d.partials[1])
	}
}
