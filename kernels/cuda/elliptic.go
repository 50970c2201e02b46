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

// coarseArrays is the number of arrays of float64 of coarse.cu besides those of the couplings, of which a node has 3 with 7 points and 13 with 27.
const coarseArrays = 8

// coarseSums is the bytes of shared memory that its sums take.
const coarseSums = 1536

// SolveCoarse solves a small problem by conjugate gradients, in float64 for both element types, in one block of
// threads. It needs none of the work buffers, which it only checks.
func (d *Device) SolveCoarse(a kernels.SolveCoarseArgs) {
	c := d.begin("SolveCoarse", a.U)
	s := c.SolveCoarse(a)
	if d.solveSpectral(&c, a, &s) {
		return
	}
	n, arrays := c.Box.N, coarseArrays+3
	if s.A.Points == 27 {
		arrays = coarseArrays + 13
	}
	elements := (n[0] + 2) * (n[1] + 2) * (n[2] + 2)
	g := geometry{grid: [3]int{1, 1, 1}, block: [3]int{min(over(elements, warp)*warp, coarseThreads), 1, 1}}
	if bytes := 8 * arrays * elements; bytes <= d.info.SharedBytes()-coarseSums {
		g.shared = bytes
	} else {
		s.Scratch = d.reserve(&c, &d.scratch, bytes)
	}
	d.launch(&c, fmt.Sprintf("solve_coarse_%d", s.A.Points), g, unsafe.Pointer(&s), unsafe.Sizeof(s))
}
