package cuda

import (
	"fmt"
	"unsafe"

	"convect/kernels"
	"convect/kernels/call"
)

// Rows that a block of a pass has, and those of them that serve its stages only.
const (
	evenRows       = 17
	evenDescendRim = 5
	evenAscendRim  = 4
)

// evenOperator puts what cycle_even.cu needs to know of an operator into its arguments. It returns false where the operator is not
// one of constant K and even widths with whole sides fixed.
func (d *Device) evenOperator(a *kernels.Elliptic, periodic [3]bool, e *call.Even) bool {
	if a.Cells[0] != nil || a.Mass != nil || a.Box.Flat() {
		return false
	}
	e.Mass, e.Volume = a.MassScale, 1
	for axis, n := range a.Box.N {
		if n < 5 || periodic[axis] && n%2 != 0 {
			return false
		}
		f := d.evenAxis(a.H[axis], n)
		h := f.width
		if h == 0 || f.open != [2]bool{periodic[axis], periodic[axis]} {
			return false
		}
		e.C[axis] = a.K[axis] / (h * h)
		e.Volume *= h
		if periodic[axis] {
			e.Periodic[axis] = 1
		}
	}
	return d.sides(a.Mask, a.Box, &e.Fixed)
}

// sides sets the flags of the sides that a mask fixes and returns whether it fixes nothing else.
func (d *Device) sides(m *kernels.RowMask, box kernels.Box, flags *[6]int64) bool {
	fixed, whole := d.fixedSides(m, box)
	for s, f := range fixed {
		if f {
			flags[s] = 1
		}
	}
	return whole
}

// evenPass runs one pass of a cycle in one kernel and returns whether there is one for it.
func (d *Device) evenPass(c *call.Call, name string, a kernels.CycleArgs, s *call.Cycle) bool {
	if !c.OK() || a.A.Stencil != kernels.SevenPoint || a.Factor != [3]int{2, 2, 2} || a.Sweeps < 1 || a.Sweeps > 2 || name == "descend" && a.U != nil {
		return false
	}
	e := call.Even{Fine: s.A.Box, Coarse: s.Coarse, Out: s.Out, U: s.U, F: s.F, CoarseX: s.CoarseX}
	copy(e.Omega[:], a.Omega[:a.Sweeps])
	if !d.evenOperator(a.A, a.Periodic, &e) || !d.sides(a.CoarseMask, a.Coarse, &e.CoarseFixed) {
		return false
	}
	lane, aligned := evenLanes(c, a.Periodic[0])
	kind := "tile"
	if aligned {
		kind = "aligned"
	}
	kernel := fmt.Sprintf("even_%s_%s_%d", name, kind, lane)
	g := d.evenGeometry(c, name == "descend", lane, aligned, &e)
	d.launch(c, kernel, g, unsafe.Pointer(&e), unsafe.Sizeof(e))
	return true
}

// evenLanes returns how many nodes a lane holds, and whether rows are aligned (even.cuh).
func evenLanes(c *call.Call, periodic bool) (lane int, aligned bool) {
	most := 8
	if c.Elem == kernels.Float64 {
		most = 4
	}
	n := c.Box.N[0]
	for lane = 2; lane < most && 2*warp*lane < n; {
		lane *= 2
	}
	return lane, !periodic && n > warp*lane && (n-1)%max(lane, 4) == 0
}

// evenGeometry cuts the grid into blocks: as many as the GPU has multiprocessors, or a multiple, where rows allow it.
func (d *Device) evenGeometry(c *call.Call, down bool, lane int, aligned bool, e *call.Even) geometry {
	n := c.Box.N
	rim, arrays := evenAscendRim, 2*(warp*lane+4)
	if down {
		rim, arrays = evenDescendRim, arrays+warp*lane/2+4
	}
	stride := warp*lane - 2*max(lane, 4)
	across := over(n[0], stride)
	if aligned {
		across = 1 + over(n[0]-1-warp*lane, stride)
	}
	e.Columns = int64(stride)
	own := (evenRows - rim) / 2 * 2
	e.Rows = int64(own)
	up := over(n[1], own)
	slabs := max(d.info.Multiprocessors/(across*up), 1)
	e.Planes = int64(max((over(n[2], slabs)+1)/2*2, 8))
	return geometry{grid: [3]int{across, up, over(n[2], int(e.Planes))}, block: [3]int{warp, own + rim, 1},
		shared: 2 * (own + rim) * arrays * c.Elem.Size()}
}
