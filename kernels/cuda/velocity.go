package cuda

import (
	"unsafe"

	"convect/kernels"
)

// Streamfunction computes the streamfunction on a flat box.
func (d *Device) Streamfunction(a kernels.StreamfunctionArgs) {
	c := d.begin("Streamfunction", a.Out)
	s := c.Streamfunction(a)
	nx := a.Box.N[kernels.X]
	slabs := min(over(a.Box.N[kernels.Z], flatPlanes), flatSlabs)
	g := geometry{grid: [3]int{over(nx, flatColumns), 1, 1}, block: [3]int{flatColumns, slabs, 1}}
	s.Partial = d.partial(&c, nx+1+2*g.blocks())
	bottom := geometry{grid: [3]int{1, 1, 1}, block: [3]int{min(over(nx, warp), warp) * warp, 1, 1}}
	d.launch(&c, "streamfunction_bottom", bottom, unsafe.Pointer(&s), unsafe.Sizeof(s))
	d.launch(&c, "streamfunction", g, unsafe.Pointer(&s), unsafe.Sizeof(s))
	d.gather(&c, a.Slot, nx+1, g.blocks(), largest)
	d.gather(&c, a.Slot+1, nx+1+g.blocks(), g.blocks(), addUp)
}
