package cuda

import (
	"fmt"
	"math"
	"unsafe"

	"convect/kernels"
	"convect/kernels/call"
)

// stripShape is what a kernel of stencil_even.cu is compiled for.
type stripShape struct {
	bytes, rows     int // of a thread
	threads, blocks int // of a block, and that a multiprocessor holds
}

// stripShapes returns the shape of a kernel and a kind of operator.
func stripShapes(kernel string, points int64) stripShape {
	switch {
	case points == 7 && kernel == "apply":
		return stripShape{32, 2, 128, 4}
	case points == 7:
		return stripShape{32, 2, 128, 3}
	case kernel == "apply":
		return stripShape{16, 4, 128, 3}
	}
	return stripShape{16, 2, 128, 4}
}

// evenSweep runs a kernel of stencil_even.cu and returns true, or returns false where the operator is not one of constant K and
// even widths with whole sides fixed.
func (d *Device) evenSweep(c *call.Call, kernel string, a *kernels.Elliptic, s *call.Sweep) bool {
	if !c.OK() || s.U == 0 || a.Cells[0] != nil || a.Mass != nil || a.Box.Flat() {
		return false
	}
	e := call.EvenSweep{Box: s.A.Box, Out: s.Out, U: s.U, F: s.F}
	h, fixed, ok := d.evenBox(a, &e)
	if !ok {
		return false
	}
	if s.Single != 0 {
		kernel = "single"
	}
	weighStrip(&e, c.Elem, kernel, a, s, h)
	sideFactors(&e, c.Elem, fixed, kernel == "smooth")
	shape := stripShapes(kernel, s.A.Points)
	left := d.cutStrips(&e, c.Box.N, shape, shape.bytes/c.Elem.Size())
	name := fmt.Sprintf("strip_%s_%d_%s", kernel, s.A.Points, left)
	d.launch(c, name, d.stripGeometry(&e, c.Box.N[2], shape), unsafe.Pointer(&e), unsafe.Sizeof(e))
	return true
}

// evenBox finds the widths of a box and its open and fixed sides; ok is false where the widths of an axis differ, or where more than sides
// are fixed.
func (d *Device) evenBox(a *kernels.Elliptic, e *call.EvenSweep) (h [3]float64, fixed [6]int64, ok bool) {
	for axis, n := range a.Box.N {
		if n < 2 {
			return h, fixed, false
		}
		f := d.evenAxis(a.H[axis], n)
		if f.width == 0 {
			return h, fixed, false
		}
		h[axis] = f.width
		for side, open := range f.open {
			if open {
				e.Open[2*axis+side] = 1
			}
		}
	}
	return h, fixed, d.sides(a.Mask, a.Box, &fixed)
}

// weighStrip fills in the weights of differences: those of A, -A (times Scale) or, in sweeps, -ω/D A at inner nodes.
func weighStrip(e *call.EvenSweep, elem kernels.Elem, kernel string, a *kernels.Elliptic, s *call.Sweep, h [3]float64) {
	var c [3]float64
	for d := range c {
		c[d] = a.K[d] / (h[d] * h[d])
	}
	volume := h[0] * h[1] * h[2]
	// The negative stiffness over the volume between a node and one (x,y,z) steps away: of the tensor products of
	// K = (-1 2 -1)/h² and M = (1 4 1)/6.
	w := func(x, y, z int) float64 {
		k, m := [2]float64{2, -1}, [2]float64{4.0 / 6, 1.0 / 6}
		return -(c[0]*k[x]*m[y]*m[z] + c[1]*m[x]*k[y]*m[z] + c[2]*m[x]*m[y]*k[z])
	}
	diagonal := 2 * (c[0] + c[1] + c[2])
	if s.A.Points == 27 {
		diagonal = -w(0, 0, 0)
	}
	scale, source := -volume, 0.0
	switch kernel {
	case "residual":
		scale, source = volume, 1
	case "single":
		scale, source = volume*s.Scale, s.Scale
	case "smooth":
		scale = 0
		if diagonal += a.MassScale; diagonal != 0 {
			scale = s.Omega / diagonal
		}
		source = scale / volume
	}
	of := func(v float64) call.Real { return realOf(elem, scale*v) }
	e.SourceScale, e.Mass = realOf(elem, source), of(-a.MassScale)
	if s.A.Points == 7 {
		e.X, e.Y, e.Z = of(c[0]), of(c[1]), of(c[2])
		return
	}
	e.X, e.OwnBeside, e.Y = of(w(1, 0, 0)), of(w(1, 1, 0)), of(w(0, 1, 0)+2*w(1, 1, 0))
	e.FarX, e.FarBeside, e.FarY = of(w(1, 0, 1)), of(w(1, 1, 1)), of(w(0, 1, 1)+2*w(1, 1, 1))
	e.Z = of(w(0, 0, 1) + 2*w(1, 0, 1) + 2*w(0, 1, 1) + 4*w(1, 1, 1))
}

// sideFactors fills in what A u and f are multiplied by at sides. Integrated values are halves at walls; a sweep, which works on values per
// volume, doubles f instead.
func sideFactors(e *call.EvenSweep, elem kernels.Elem, fixed [6]int64, perVolume bool) {
	for side := range fixed {
		balance, source := 1.0, 1.0
		switch {
		case fixed[side] != 0:
			balance, source = 0, 0
		case e.Open[side] == 0 && perVolume:
			source = 2
		case e.Open[side] == 0:
			balance = 0.5
		}
		e.Balance[side], e.Source[side] = realOf(elem, balance), realOf(elem, source)
	}
}

// realOf makes a number of a type.
func realOf(e kernels.Elem, v float64) call.Real {
	if e == kernels.Float32 {
		return call.Real(math.Float32bits(float32(v)))
	}
	return call.Real(math.Float64bits(v))
}

// cutStrips deals rows of n nodes to threads, which have `width` nodes of several rows, and names what is left of a row in the last.
func (d *Device) cutStrips(e *call.EvenSweep, n [3]int, shape stripShape, width int) string {
	e.Vectors, e.Groups = int64(over(n[0], width)), int64(over(n[1], shape.rows))
	switch n[0] % width {
	case 0:
		return "whole"
	case 1:
		return "one"
	}
	return "any"
}

// stripGeometry cuts n planes into slabs so that the blocks are done soonest if each of those that the GPU holds at a time takes as long as it has
// planes, and those around it.
func (d *Device) stripGeometry(e *call.EvenSweep, n int, shape stripShape) geometry {
	across := over(int(e.Vectors*e.Groups), shape.threads)
	held := shape.blocks * d.info.Multiprocessors
	slabs, least := 1, math.MaxInt
	for s := 1; s <= max(over(n, leastSlab), 1); s++ {
		if cost := over(across*s, held) * (over(n, s) + 2); cost < least {
			slabs, least = s, cost
		}
	}
	return geometry{grid: [3]int{across, slabs, 1}, block: [3]int{shape.threads, 1, 1}}
}
