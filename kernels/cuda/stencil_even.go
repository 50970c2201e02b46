package cuda

import (
	"fmt"
	"math"
	"unsafe"

	"convect/kernels"
	"convect/kernels/call"
)

// stripShape is what a kernel of stencil_even.cu or stencil_cells_even.cu is compiled for.
type stripShape struct {
	bytes, rows     int // of a thread
	threads, blocks int // of a block, and that a multiprocessor holds
	idle            int // lanes of a warp that have no nodes
}

// mostSmall is the number of nodes up to which Apply with 27 points in float32 has a kernel of its own: at 257³ it takes 44 µs, that of larger
// grids 49.
const mostSmall = 24 << 20

// longestStrip is the most planes that a block marches through in float64: with 57 and 64 of 512 planes Apply takes 557 and 570 µs on 512³ nodes with 7 and 27 points,
// with 256 and 171 of them 570 and 578.
const longestStrip = 64

// stripShapes returns the shape of a kernel for a kind of operator.
func stripShapes(kernel string, points int64, cells bool, elem kernels.Elem) stripShape {
	less := 0
	if elem == kernels.Float64 {
		less = 1
	}
	switch {
	case cells && points == 7 && kernel == "apply":
		return stripShape{bytes: 16, rows: 2, threads: 128, blocks: 4}
	case cells && points == 7:
		return stripShape{bytes: 16, rows: 2, threads: 128, blocks: 4 - less}
	case cells && kernel == "apply":
		return stripShape{bytes: 8, rows: 4, threads: 128, blocks: 3, idle: 1}
	case cells && (kernel == "smooth" || kernel == "correct"):
		return stripShape{bytes: 8, rows: 3, threads: 128, blocks: 3, idle: 1}
	case cells:
		return stripShape{bytes: 8, rows: 4 - less, threads: 128, blocks: 3, idle: 1}
	case points == 7 && kernel == "apply":
		return stripShape{bytes: 32, rows: 2, threads: 128, blocks: 4}
	case points == 7:
		return stripShape{bytes: 32, rows: 2, threads: 128, blocks: 3}
	case kernel == "apply":
		return stripShape{bytes: 32, rows: 2, threads: 384, blocks: 1}
	}
	return stripShape{bytes: 16, rows: 2, threads: 128, blocks: 4}
}

// scaleShape is that of sweeps from zero, of updates by the mass, and of residuals of zero.
var scaleShape = stripShape{bytes: 16, rows: 1, threads: 256, blocks: 4}

// applyKernel chooses among the kernels of Apply for constant K.
func (d *Device) applyKernel(b kernels.Box, points int64, elem kernels.Elem) string {
	if n := b.Nodes(); points == 27 && elem == kernels.Float32 && n >= d.sizes.leastSmall && n <= mostSmall {
		return "apply_small"
	}
	return "apply"
}

// evenSweep runs a kernel of stencil_even.cu, or of stencil_cells_even.cu, and returns true, or returns false where these kernels do not know the operator
// and notes why. Of the kernel "mass" out is U and f is R.
func (d *Device) evenSweep(c *call.Call, kernel string, a *kernels.Elliptic, s *call.Sweep) bool {
	if !c.OK() {
		return false
	}
	cells := a.Conductivity() != kernels.Constant && kernel != "mass"
	if why := notStrips(a, cells, s); why != "" {
		d.because(c, why)
		return false
	}
	e := call.EvenSweep{Box: s.A.Box, Out: s.Out, U: s.U, F: s.F, Cells: s.A.Cells[0], Single: s.Single}
	h, fixed, why := evenBox(a, &e)
	if why != "" {
		d.because(c, why)
		return false
	}
	switch {
	case kernel == "apply" && !cells:
		kernel = d.applyKernel(a.Box, s.A.Points, c.Elem)
	case kernel == "red_black":
		kernel, e.Colour = "smooth", s.Colour+1
	}
	name := fmt.Sprintf("strip_%s_%d", kernel, s.A.Points)
	shape := stripShapes(kernel, s.A.Points, cells, c.Elem)
	if cells {
		name = fmt.Sprintf("strip_cells_%s_%d", kernel, s.A.Points)
		weighCells(&e, c.Elem, kernel, a.MassScale, s, h)
		sideFactors(&e, c.Elem, fixed, 0.5, 1)
	} else if weighStrip(&e, c.Elem, kernel, a, s, h); kernel == "smooth" || kernel == "mass" {
		sideFactors(&e, c.Elem, fixed, 1, 2)
	} else {
		sideFactors(&e, c.Elem, fixed, 0.5, 1)
	}
	switch {
	case kernel == "mass":
		name, shape, e.U = "strip_scale", scaleShape, s.Out
	case s.U == 0:
		name, shape = "strip_scale", scaleShape
	case !cells:
		name += rowEnd(&e, c.Box.N[0], shape.bytes/c.Elem.Size())
	}
	cutStrips(&e, c.Box.N, shape, shape.bytes/c.Elem.Size())
	d.launch(c, name, d.stripGeometry(int(e.Vectors*e.Groups), c.Box.N[2], shape, c.Elem), unsafe.Pointer(&e), unsafe.Sizeof(e))
	return true
}

// notStrips tells why the kernels do not know the coefficients of an operator for a sweep, on cells or not; "": they do.
func notStrips(a *kernels.Elliptic, cells bool, s *call.Sweep) string {
	switch {
	case a.Mass != nil && a.MassScale != 0:
		return call.MassOfNodes
	case !cells:
	case a.Conductivity() == kernels.Apart:
		return call.ThreeOnCells
	case s.U == 0:
		return "from zero with K on cells"
	case s.A.Points == 27 && a.Shape.Periodic[0]:
		return "27 points, K on cells and periodic x"
	}
	return ""
}

// stripOperator returns the widths of an operator and its fixed sides, or tells why strips do not know it for sweeps that read u.
func stripOperator(a *kernels.Elliptic, e *call.EvenSweep) (h [3]float64, fixed [6]int64, why string) {
	s := call.Sweep{A: call.Elliptic{Points: int64(a.Stencil.Points())}, U: 1}
	if why = notStrips(a, a.Conductivity() != kernels.Constant, &s); why != "" {
		return h, fixed, why
	}
	return evenBox(a, e)
}

// evenCorrect runs Correct on strips of even widths and returns true, or returns false where these kernels do not know the operator and notes why.
func (d *Device) evenCorrect(c *call.Call, a kernels.CorrectArgs, s *call.Sweep, k *call.Correct) bool {
	e := &k.Sweep
	*e = call.EvenSweep{Box: s.A.Box, Out: s.Out, U: s.U, F: s.F, Cells: s.A.Cells[0]}
	h, fixed, why := stripOperator(a.A, e)
	if own := a.A.Box.Own; a.A.Stencil == kernels.TwentySevenPoint && own != [2]int{} && own != [2]int{0, a.A.Box.N[kernels.Y]} {
		why = "with 27 points its sums are of all rows"
	}
	if why != "" {
		d.because(c, why)
		return false
	}
	cells, kernel := s.A.Cells[0] != 0, correctKernel(a)
	name := fmt.Sprintf("strip_%s_%d", kernel, s.A.Points)
	if kernel == "measure" {
		kernel = "residual"
	}
	shape := stripShapes(kernel, s.A.Points, cells, c.Elem)
	if cells {
		name = fmt.Sprintf("strip_cells_%s_%d", correctKernel(a), s.A.Points)
		weighCells(e, c.Elem, "residual", a.A.MassScale, s, h)
	} else {
		name += rowEnd(e, c.Box.N[0], shape.bytes/c.Elem.Size())
		weighStrip(e, c.Elem, "residual", a.A, s, h)
	}
	sideFactors(e, c.Elem, fixed, 0.5, 1)
	k.Volume, k.By = h[0]*h[1]*h[2], d.quotient(c, a.By)
	if a.U == nil && a.E == nil {
		name, shape = "strip_begin", scaleShape
	}
	cutStrips(e, c.Box.N, shape, shape.bytes/c.Elem.Size())
	d.correct(c, name, d.stripGeometry(int(e.Vectors*e.Groups), c.Box.N[2], shape, c.Elem), a.Slot, k)
	return true
}

// evenEnergy runs the kernel of strips for one K a cell and returns true, or returns false where it does not know the operator and notes why.
func (d *Device) evenEnergy(c *call.Call, a kernels.EnergyArgs, s *call.Energy) bool {
	if !c.OK() {
		return false
	}
	k := call.Correct{Sweep: call.EvenSweep{Box: s.A.Box, U: s.X, Cells: s.A.Cells[0]}}
	shape, why := d.energyStrips(c, a.A, &s.A, &k.Sweep)
	if why != "" {
		d.because(c, why)
		return false
	}
	g := d.stripGeometry(int(k.Sweep.Vectors*k.Sweep.Groups), c.Box.N[2], shape, c.Elem)
	k.Partial = d.partial(c, g.blocks())
	d.launch(c, fmt.Sprintf("strip_cells_energy_%d", s.A.Points), g, unsafe.Pointer(&k), unsafe.Sizeof(k))
	d.gatherAll(c, a.Slot, g.blocks(), addUp)
	return true
}

// evenConjugate runs Conjugate on strips of even widths and returns true, or returns false where these kernels do not know the operator and notes why.
func (d *Device) evenConjugate(c *call.Call, a kernels.ConjugateArgs, s *call.Sweep, k *call.Conjugate) bool {
	k.Sweep = call.EvenSweep{Box: s.A.Box, U: s.U, Cells: s.A.Cells[0]}
	shape, why := d.energyStrips(c, a.A, &s.A, &k.Sweep)
	if why != "" {
		d.because(c, why)
		return false
	}
	d.conjugate(c, fmt.Sprintf("strip_cells_conjugate_%d", s.A.Points), d.stripGeometry(int(k.Sweep.Vectors*k.Sweep.Groups), c.Box.N[2], shape, c.Elem), a.Slot, k)
	return true
}

// conserveStrips runs ConserveMeasured on strips.
func (d *Device) conserveStrips(c *call.Call, a kernels.ConserveMeasuredArgs, s *call.Step) {
	k := call.ConserveStrips{E: s.E, X: s.T, Out: s.G, R: s.R, Scale: s.Scale}
	e := &k.Sweep
	*e = call.EvenSweep{Box: s.A.Box, F: s.F, Cells: s.A.Cells[0]}
	h, fixed, why := stripOperator(a.A, e)
	if why != "" {
		c.Fail("the operator is not one of even widths: %s", why)
		return
	}
	weighCells(e, c.Elem, "residual", a.A.MassScale, &call.Sweep{A: s.A}, h)
	sideFactors(e, c.Elem, [6]int64{}, 0.5, 1)
	k.PerMass, k.Fixed = realOf(c.Elem, 1/(a.A.MassScale*h[0]*h[1]*h[2])), fixed
	shape := stripShapes("correct", s.A.Points, true, c.Elem)
	cutStrips(e, c.Box.N, shape, shape.bytes/c.Elem.Size())
	g := d.stripGeometry(int(e.Vectors*e.Groups), c.Box.N[2], shape, c.Elem)
	k.Partial = d.partial(c, g.blocks())
	d.launch(c, fmt.Sprintf("strip_cells_conserve_%d", s.A.Points), g, unsafe.Pointer(&k), unsafe.Sizeof(k))
	d.gatherAll(c, a.Slot, g.blocks(), addUp)
}

// energyStrips prepares strips that apply an operator with one K a cell for its energy, or tells why they do not know it.
func (d *Device) energyStrips(c *call.Call, a *kernels.Elliptic, of *call.Elliptic, e *call.EvenSweep) (shape stripShape, why string) {
	h, fixed, why := stripOperator(a, e)
	if why == "" && of.Cells[0] == 0 {
		why = "constant K"
	}
	if why != "" {
		return shape, why
	}
	weighCells(e, c.Elem, "apply", a.MassScale, &call.Sweep{A: *of}, h)
	sideFactors(e, c.Elem, fixed, 0.5, 1)
	shape = stripShapes("apply", of.Points, true, c.Elem)
	cutStrips(e, c.Box.N, shape, shape.bytes/c.Elem.Size())
	return shape, ""
}

// correctKernel names what Correct makes u of.
func correctKernel(a kernels.CorrectArgs) string {
	if a.E == nil {
		return "measure"
	}
	return "correct"
}

// evenBox returns the widths of an operator and its fixed sides, and notes the open ones. It tells why it cannot: the widths of an axis
// differ, or more than whole sides are fixed.
func evenBox(a *kernels.Elliptic, e *call.EvenSweep) (h [3]float64, fixed [6]int64, why string) {
	if why = notEven(a, 2); why != "" {
		return h, fixed, why
	}
	for axis, periodic := range a.Shape.Periodic {
		if periodic {
			e.Open[2*axis], e.Open[2*axis+1] = 1, 1
		}
	}
	if !sides(a.Mask, &fixed) {
		return h, fixed, notWholeSides
	}
	return a.Shape.Width, fixed, ""
}

// cutStrips deals rows of n nodes to threads, which have `width` nodes of several rows.
func cutStrips(e *call.EvenSweep, n [3]int, shape stripShape, width int) {
	e.Vectors, e.Groups = int64(over(n[0], width)), int64(over(n[1], shape.rows))
}

// rowEnd names the kernel for rows of n nodes of which the last thread, of `width`, has one, or that are open and end with a thread.
func rowEnd(e *call.EvenSweep, n, width int) string {
	if left := n % width; width > 2 && (left == 1 || left == 0 && e.Open[0] != 0) {
		return "_one"
	}
	return ""
}

// stripGeometry cuts n planes, of so many vectors of each of the rows of a thread, into slabs so that the blocks are done soonest if each of those that the GPU holds at a time takes as long as it has
// planes, and those around it. On small grids a slab may be one plane.
func (d *Device) stripGeometry(vectors, n int, shape stripShape, elem kernels.Elem) geometry {
	across := over(vectors, shape.threads/warp*(warp-shape.idle))
	held := shape.blocks * d.info.Multiprocessors
	slabs, least, fewest := 1, math.MaxInt, 1
	if elem == kernels.Float64 {
		fewest = over(n, longestStrip)
	}
	for s := fewest; s <= max(over(n, leastSlab), min(n, shape.blocks*d.info.Multiprocessors)); s++ {
		if cost := over(across*s, held) * (over(n, s) + 2); cost < least {
			slabs, least = s, cost
		}
		if across*(n+2*s) >= least*held {
			break // none that follow can be better
		}
	}
	return geometry{grid: [3]int{across, slabs, 1}, block: [3]int{shape.threads, 1, 1}}
}
