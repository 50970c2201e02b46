package cpu

// #include "cpu.h"
import "C"

import (
	"unsafe"

	"convect/kernels"
)

// transfer checks the arguments of a transfer and puts them into the device's state. The target's box, with its mask,
// is the call's.
func (c *call) transfer(a kernels.TransferArgs, target kernels.Box) *C.cv_transfer_args {
	t := &c.d.state.transfer
	*t = C.cv_transfer_args{fine: c.cBox(a.Fine), coarse: c.cBox(a.Coarse), factor: ints(a.Factor), periodic: flags(a.Periodic)}
	t.fine_x, t.coarse_x = c.nodesOf(a.FineX, a.Fine, "FineX"), c.nodesOf(a.CoarseX, a.Coarse, "CoarseX")
	c.factors(a.Factor, a.Fine, a.Coarse)
	c.box = target
	t.mask = c.mask(a.Mask)
	c.reserve(restrictedTogether * 8 * (a.Fine.N[0] + 64))
	return t
}

// factors checks that the coarse box follows from the fine one.
func (c *call) factors(factor [3]int, fine, coarse kernels.Box) {
	for d, f := range factor {
		if f != 1 && f != 2 || coarse.N[d] != (fine.N[d]+f-1)/f {
			c.fail("factor %d along axis %d does not lead from %d to %d nodes", f, d, fine.N[d], coarse.N[d])
		}
	}
}

// Restrict computes CoarseX = mask Pᵀ FineX.
func (d *Device) Restrict(a kernels.TransferArgs) {
	c := d.begin("Restrict", a.CoarseX)
	t := c.transfer(a, a.Coarse)
	c.run(C.cv_restrict, unsafe.Pointer(t), c.rows(), a.Fine.Nodes())
}

// Prolong computes FineX += mask P CoarseX.
func (d *Device) Prolong(a kernels.TransferArgs) {
	c := d.begin("Prolong", a.FineX)
	t := c.transfer(a, a.Fine)
	c.runRows(C.cv_prolong, unsafe.Pointer(t))
}

// ProlongCubic computes FineX += mask P₃ CoarseX.
func (d *Device) ProlongCubic(a kernels.TransferArgs) {
	c := d.begin("ProlongCubic", a.FineX)
	t := c.transfer(a, a.Fine)
	c.runRows(C.cv_prolong_cubic, unsafe.Pointer(t))
}

// Inject copies FineX at coincident nodes.
func (d *Device) Inject(a kernels.TransferArgs) {
	a.Mask = nil
	c := d.begin("Inject", a.CoarseX)
	t := c.transfer(a, a.Coarse)
	c.run(C.cv_inject, unsafe.Pointer(t), c.rows(), a.Fine.Nodes())
}
