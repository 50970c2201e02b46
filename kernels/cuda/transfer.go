package cuda

import (
	"unsafe"

	"convect/kernels"
	"convect/kernels/call"
)

// Restrict computes CoarseX = mask Pᵀ FineX.
func (d *Device) Restrict(a kernels.TransferArgs) {
	c := d.begin("Restrict", a.CoarseX)
	t := c.Restrict(a)
	d.transfer(&c, "restrict", &t)
}

// Prolong computes FineX += mask P CoarseX.
func (d *Device) Prolong(a kernels.TransferArgs) {
	c := d.begin("Prolong", a.FineX)
	t := c.Prolong(a)
	if !d.prolongHalved(&c, "prolong_halved", a, &t) {
		d.transfer(&c, "prolong", &t)
	}
}

// ProlongCubic computes FineX += mask P₃ CoarseX.
func (d *Device) ProlongCubic(a kernels.TransferArgs) {
	c := d.begin("ProlongCubic", a.FineX)
	t := c.Prolong(a)
	if n := a.Coarse.N; min(n[0], n[1], n[2]) < 4 || !d.prolongHalved(&c, "prolong_cubic_halved", a, &t) {
		d.transfer(&c, "prolong_cubic", &t)
	}
}

// halvedPlanes is halved_planes in prolong_halved.cu.
const halvedPlanes = 8

// prolongHalved runs a kernel of prolong_halved.cu where all axes are halved, and returns whether they are.
func (d *Device) prolongHalved(c *call.Call, kernel string, a kernels.TransferArgs, t *call.Transfer) bool {
	if !c.OK() || a.Factor != [3]int{2, 2, 2} {
		return false
	}
	g := geometry{block: [3]int{warp, 8, 1}}
	g.grid = [3]int{over(a.Coarse.N[0], warp), over(a.Fine.N[1], 8), over(a.Coarse.N[2], halvedPlanes)}
	d.launch(c, kernel, g, unsafe.Pointer(t), unsafe.Sizeof(*t))
	return true
}

// Inject copies FineX at coincident nodes.
func (d *Device) Inject(a kernels.TransferArgs) {
	c := d.begin("Inject", a.CoarseX)
	t := c.Inject(a)
	d.transfer(&c, "inject", &t)
}

// transfer runs a kernel on the nodes of the call's box, the target.
func (d *Device) transfer(c *call.Call, kernel string, t *call.Transfer) {
	d.launch(c, kernel, overNodes(c.Box), unsafe.Pointer(t), unsafe.Sizeof(*t))
}
