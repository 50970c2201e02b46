package cuda

import (
	"fmt"
	"unsafe"

	"convect/kernels"
	"convect/kernels/call"
)

// Shape of a block of stencil_even.cu: warps beside each other in y, rows of a thread, and blocks that a multiprocessor holds at once.
const (
	stripWarps    = 4
	stripRows     = 2
	stripResident = 4
)

// evenSweep runs a kernel of stencil_even.cu and returns true, or returns false where the operator is not one of constant K and
// even widths with whole sides fixed.
func (d *Device) evenSweep(c *call.Call, kernel string, a *kernels.Elliptic, s *call.Sweep) bool {
	if !c.OK() || s.U == 0 || a.Cells[0] != nil || a.Mass != nil || a.Box.Flat() {
		return false
	}
	e := call.EvenSweep{Box: s.A.Box, Points: s.A.Points, Out: s.Out, U: s.U, F: s.F, K: a.K, Mass: a.MassScale, Omega: s.Omega,
		Single: s.Single, Scale: s.Scale}
	for axis, n := range a.Box.N {
		if n < 2 {
			return false
		}
		f := d.evenAxis(a.H[axis], n)
		if f.width == 0 {
			return false
		}
		e.H[axis] = f.width
		for side, open := range f.open {
			if open {
				e.Open[2*axis+side] = 1
			}
		}
	}
	if !d.sides(a.Mask, a.Box, &e.Fixed) {
		return false
	}
	g := d.stripGeometry(c, &e)
	d.launch(c, fmt.Sprintf("strip_%s_%d_%d", kernel, e.Points, stripRows), g, unsafe.Pointer(&e), unsafe.Sizeof(e))
	return true
}

// stripGeometry cuts a box into strips so that the blocks fill the GPU a whole number of times, or nearly.
func (d *Device) stripGeometry(c *call.Call, e *call.EvenSweep) geometry {
	n, width := c.Box.N, warp*16/c.Elem.Size()
	across := over(n[0], width)
	if n[0]%width == 1 && n[0] > 1 && e.Open[1] == 0 {
		across = n[0] / width
	}
	up := over(n[1], stripWarps*stripRows)
	wave := stripResident * d.info.Multiprocessors
	slabs := max(wave/(across*up), 1)
	for most := over(n[2], 24); slabs < most; {
		slabs += max(wave/(across*up), 1)
	}
	e.Planes = int64(over(n[2], slabs))
	return geometry{grid: [3]int{across, up, over(n[2], int(e.Planes))}, block: [3]int{warp, stripWarps, 1}}
}
