package cuda

import (
	"fmt"
	"unsafe"

	"convect/kernels"
	"convect/kernels/call"
)

// bothColours is the colour of a sweep of elliptic.cu over all nodes.
const bothColours = -1

// Apply computes Y = mask (A X).
func (d *Device) Apply(a kernels.ApplyArgs) {
	c := d.begin("Apply", a.Y)
	s := c.Apply(a)
	if !d.evenSweep(&c, "apply", a.A, &s) {
		d.sweep(&c, "apply", &s)
	}
}

// Residual computes R = mask (F - A U), or Scale times that into an R of float32 where all else is float64.
func (d *Device) Residual(a kernels.ResidualArgs) {
	c := d.begin("Residual", a.U)
	s := c.Residual(a)
	if !d.evenSweep(&c, "residual", a.A, &s) {
		d.sweep(&c, "residual", &s)
	}
}

// Smooth makes one damped Jacobi sweep.
func (d *Device) Smooth(a kernels.SmoothArgs) {
	c := d.begin("Smooth", a.Out)
	s := c.Smooth(a)
	if !d.evenSweep(&c, "smooth", a.A, &s) {
		d.sweep(&c, "smooth", &s)
	}
}

// RedBlack relaxes the nodes of one colour in place.
func (d *Device) RedBlack(a kernels.RedBlackArgs) {
	c := d.begin("RedBlack", a.U)
	s := c.RedBlack(a)
	if !d.evenSweep(&c, "red_black", a.A, &s) {
		d.sweep(&c, "red_black", &s)
	}
}

// MassUpdate computes U += mask R / (s m).
func (d *Device) MassUpdate(a kernels.MassUpdateArgs) {
	c := d.begin("MassUpdate", a.U)
	s := c.MassUpdate(a)
	if a.A != nil && a.A.MassScale != 0 && d.evenSweep(&c, "mass", a.A, &s) {
		return
	}
	d.launch(&c, "mass_update", overNodes(c.Box), unsafe.Pointer(&s), unsafe.Sizeof(s))
}

// Energy computes Σ X (A X); with an image by Apply, and the product of both.
func (d *Device) Energy(a kernels.EnergyArgs) {
	c := d.begin("Energy", a.X)
	s := c.Energy(a)
	if a.Image != nil && c.OK() {
		d.Apply(kernels.ApplyArgs{A: a.A, Y: a.Image, X: a.X})
		d.Reduce(kernels.ReduceArgs{Kind: kernels.Dot, Box: a.A.Box, X: a.X, Y: a.Image, Slot: a.Slot})
		return
	}
	if d.evenEnergy(&c, a, &s) {
		return
	}
	g := overSlabsOf(c.Box, sweepRows)
	s.Partial, s.Parts = d.partial(&c, g.blocks()), int64(g.blocks())
	d.launch(&c, Variant("energy", &s.A), g, unsafe.Pointer(&s), unsafe.Sizeof(s))
	d.gatherAll(&c, a.Slot, g.blocks(), addUp)
}

// sweep runs a kernel of elliptic.cu on slabs of the call's box.
func (d *Device) sweep(c *call.Call, kernel string, s *call.Sweep) {
	switch kernel {
	case "apply", "residual":
		kernel = "balance"
	case "smooth":
		s.Colour = bothColours
	case "red_black":
		kernel = "smooth"
	}
	d.launch(c, Variant(kernel, &s.A), overSlabsOf(c.Box, sweepRows), unsafe.Pointer(s), unsafe.Sizeof(*s))
}

// Variant names the kernel for an operator's stencil and conductivity, one number a direction, one array or three.
func Variant(kernel string, a *call.Elliptic) string {
	conductivity := "three"
	switch {
	case a.Cells[0] == 0:
		conductivity = "constant"
	case a.Cells[0] == a.Cells[1] && a.Cells[0] == a.Cells[2]:
		conductivity = "shared"
	}
	return fmt.Sprintf("%s_%d_%s", kernel, a.Points, conductivity)
}
