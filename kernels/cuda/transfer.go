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
	d.transfer(&c, "prolong", &t)
}

// ProlongCubic computes FineX += mask P₃ CoarseX.
func (d *Device) ProlongCubic(a kernels.TransferArgs) {
	c := d.begin("ProlongCubic", a.FineX)
	t := c.Prolong(a)
	d.transfer(&c, "prolong_cubic", &t)
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
