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
	d.launch(&c, "mass_update", d.overStrips(c.Box, vectorShape, c.Elem), unsafe.Pointer(&s), unsafe.Sizeof(s))
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
	name := Variant("energy", &s.A)
	g := d.overStrips(c.Box, sweepShape(&s.A, sweepLight, c.Elem), c.Elem)
	s.Partial, s.Parts = d.partial(&c, g.blocks()), int64(g.blocks())
	d.launch(&c, name, g, unsafe.Pointer(&s), unsafe.Sizeof(s))
	d.gatherAll(&c, a.Slot, g.blocks(), addUp)
}

// Corrects tells that Correct knows an operator: any.
func (d *Device) Corrects(*kernels.Elliptic) bool { return true }

// Correct computes Out = U + Scale E, R = Inverse mask (F - A Out), and their sums.
func (d *Device) Correct(a kernels.CorrectArgs) {
	c := d.begin("Correct", a.F)
	s, k := c.Correct(a)
	if !c.OK() || d.evenCorrect(&c, a, &s, &k) {
		return
	}
	k.Of, k.By = s, d.quotient(&c, a.By)
	name, shape := Variant(correctKernel(a), &s.A), sweepShape(&s.A, sweepHeavy, c.Elem)
	if a.U == nil && a.E == nil {
		name, shape = "measure_zero", vectorShape
	}
	d.correct(&c, name, d.overStrips(c.Box, shape, c.Elem), a.Slot, &k)
}

// correct launches a kernel of Correct and takes its sums together.
func (d *Device) correct(c *call.Call, name string, g geometry, slot int, k *call.Correct) {
	k.Partial = d.partial(c, kernels.CorrectSlots*g.blocks())
	d.launch(c, name, g, unsafe.Pointer(k), unsafe.Sizeof(*k))
	d.gatherAll(c, slot, g.blocks(), addUp, addUp, addUp, addUp, addUp)
}

// Conjugates tells whether Conjugate knows an operator: one with K on cells.
func (d *Device) Conjugates(a *kernels.Elliptic) bool { return a.Conductivity() != kernels.Constant }

// Conjugate computes Out = X + Scale P and Σ Out (A Out).
func (d *Device) Conjugate(a kernels.ConjugateArgs) {
	c := d.begin("Conjugate", a.X)
	s, k := c.Conjugate(a)
	if !c.OK() {
		return
	}
	k.By = d.quotient(&c, a.By)
	switch {
	case s.A.Cells[0] == 0:
		c.Fail("K is constant")
	case !d.evenConjugate(&c, a, &s, &k):
		k.Of = s
		d.conjugate(&c, Variant("conjugate", &s.A), d.overStrips(c.Box, sweepShape(&s.A, sweepHeavy, c.Elem), c.Elem), a.Slot, &k)
	}
}

// conjugate launches a kernel of Conjugate and takes its sum together.
func (d *Device) conjugate(c *call.Call, name string, g geometry, slot int, k *call.Conjugate) {
	k.Partial = d.partial(c, g.blocks())
	d.launch(c, name, g, unsafe.Pointer(k), unsafe.Sizeof(*k))
	d.gatherAll(c, slot, g.blocks(), addUp)
}

// vectorShape is that of kernels of elliptic.cu that do not look at neighbours.
var vectorShape = stripShape{bytes: laneBytes, rows: 1, threads: 256, blocks: 4}

// sweep runs a kernel of elliptic.cu on strips of the call's box.
func (d *Device) sweep(c *call.Call, kernel string, s *call.Sweep) {
	weight := sweepLight
	switch kernel {
	case "apply", "residual":
		kernel = "balance"
	case "smooth":
		s.Colour, weight = bothColours, sweepRelaxing
	case "red_black":
		kernel, weight = "smooth", sweepRelaxing
	}
	d.launch(c, Variant(kernel, &s.A), d.overStrips(c.Box, sweepShape(&s.A, weight, c.Elem), c.Elem), unsafe.Pointer(s), unsafe.Sizeof(*s))
}

// What a kernel of elliptic.cu has in its registers.
const (
	sweepLight = iota
	sweepRelaxing
	sweepHeavy
)

// sweepShape is sweep_shape of elliptic.cu.
func sweepShape(a *call.Elliptic, weight int, elem kernels.Elem) stripShape {
	s := stripShape{bytes: laneBytes, rows: 2, threads: 128, blocks: 2}
	wide, seven, kind := elem == kernels.Float64, a.Points == 7, conductivityOf(a)
	if !seven && kind != "constant" { // trilinear_thread_of in sweep_trilinear.cuh
		s.idle = 1
		if !wide {
			s.bytes, s.rows, s.blocks = 8, 3, 3
		}
		return s
	}
	if seven && kind != "shared" && !wide {
		s.rows = 1
	}
	switch {
	case kind == "constant" && !seven:
		s.blocks = 3
	case kind == "constant" && wide:
		s.blocks = 4
	case kind == "constant":
		s.blocks = 6
	case kind == "shared" && wide && weight == sweepLight:
		s.threads = 192
	case kind == "shared" && (!wide || weight == sweepRelaxing):
		s.blocks = 3
	case kind == "three" && !wide:
		s.blocks = 4
	}
	if kind == "constant" && seven && weight == sweepHeavy {
		s.blocks--
	}
	return s
}

// overStrips cuts a box into strips of a shape: sweep_thread_at in sweep_seven.cuh. Where lanes have no nodes, so has the first thread of every group of rows.
func (d *Device) overStrips(b kernels.Box, shape stripShape, elem kernels.Elem) geometry {
	vectors, groups := over(b.N[0], shape.bytes/elem.Size())+shape.idle, over(b.N[1], shape.rows)
	return d.stripGeometry(vectors*groups, b.N[2], shape, elem)
}

// Variant names the kernel for an operator's stencil and conductivity, one number a direction, one array or three.
func Variant(kernel string, a *call.Elliptic) string {
	return fmt.Sprintf("%s_%d_%s", kernel, a.Points, conductivityOf(a))
}

// conductivityOf names the kind of an operator's conductivity.
func conductivityOf(a *call.Elliptic) string {
	switch {
	case a.Cells[0] == 0:
		return "constant"
	case a.Cells[0] == a.Cells[1] && a.Cells[0] == a.Cells[2]:
		return "shared"
	}
	return "three"
}
