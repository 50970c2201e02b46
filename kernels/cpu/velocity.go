package cpu

// #include "cpu.h"
import "C"

import (
	"unsafe"

	"convect/kernels"
)

// Columns that a thread adds up flow in at a time: so many, or more where there would be more parts than this.
const (
	flatColumns = 32
	flatParts   = 64
)

// Streamfunction computes the streamfunction on a flat box.
func (d *Device) Streamfunction(a kernels.StreamfunctionArgs) {
	c := d.begin("Streamfunction", a.Out)
	s := hold(c, c.Streamfunction(a))
	parts := max(min(c.Box.N[kernels.X]/flatColumns, flatParts), 1)
	c.reserveRows(4)
	s.Partial, s.Parts = c.partials(2*parts), int64(parts)
	c.run(C.cv_streamfunction, unsafe.Pointer(s), parts, c.Box.Nodes())
	c.store(a.Slot, c.max(0, parts))
	c.store(a.Slot+1, c.sum(parts, parts))
}
