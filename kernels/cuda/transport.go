package cuda

import (
	"unsafe"

	"convect/kernels"
)

// Advect computes the integrated heat gain by advection.
func (d *Device) Advect(a kernels.AdvectArgs) {
	c := d.begin("Advect", a.Out)
	s := c.Advect(a)
	if c.OK() {
		kernel := [...]string{"advect_central", "advect_tvd", "advect_weno5"}[a.Scheme]
		d.launch(&c, kernel, overSlabs(a.Box), unsafe.Pointer(&s), unsafe.Sizeof(s))
	}
}
