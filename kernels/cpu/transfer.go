package cpu

// #include "cpu.h"
import "C"

import (
	"unsafe"

	"convect/kernels"
)

// transferRowsUsed is the number of scratch rows of prolongation_between in transfer.h, which needs the most.
const transferRowsUsed = 7

// runTransfer runs a kernel on the rows of the call's box, the target's.
func (c *job) runTransfer(kernel C.int, fine kernels.Box) {
	c.reserve(transferRowsUsed * 8 * (fine.N[0] + 64))
	c.run(kernel, unsafe.Pointer(&c.d.state.transfer), c.Rows(), fine.Nodes())
}

// Restrict computes CoarseX = mask Pᵀ FineX.
func (d *Device) Restrict(a kernels.TransferArgs) {
	c := d.begin("Restrict", a.CoarseX)
	d.state.transfer = c.Restrict(a)
	c.runTransfer(C.cv_restriction, a.Fine)
}

// Prolong computes FineX += mask P CoarseX.
func (d *Device) Prolong(a kernels.TransferArgs) {
	c := d.begin("Prolong", a.FineX)
	d.state.transfer = c.Prolong(a)
	c.runTransfer(C.cv_prolongation, a.Fine)
}

// ProlongCubic computes FineX += mask P₃ CoarseX, or FineX = mask P₃ CoarseX.
func (d *Device) ProlongCubic(a kernels.TransferArgs) {
	c := d.begin("ProlongCubic", a.FineX)
	d.state.transfer = c.ProlongCubic(a)
	c.runTransfer(C.cv_cubic_prolongation, a.Fine)
}

// Inject copies FineX at coincident nodes.
func (d *Device) Inject(a kernels.TransferArgs) {
	c := d.begin("Inject", a.CoarseX)
	d.state.transfer = c.Inject(a)
	c.runTransfer(C.cv_injection, a.Fine)
}
