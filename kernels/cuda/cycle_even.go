package cuda

import (
	"fmt"
	"unsafe"

	"convect/kernels"
	"convect/kernels/call"
)

// evenPass is a pass with 7 points: its bands of two rows before and behind those that a block owns, which serve its stages only, the planes
// that it marches through besides its own, and how many arrays of bands and of sums for coarse rows it has in shared memory.
type evenPass struct{ before, after, lead, arrays, sums int }

var evenPasses = map[string]evenPass{
	"descend": {before: 2, after: 1, lead: 5, arrays: 2, sums: 1},
	"ascend":  {before: 1, after: 1, lead: 4, arrays: 2},
}

// evenFrom is that of cycle_even_from.cu, in rows.
var evenFrom = struct{ rim, lead, records, coarse int }{7, 8, 3, 1}

// evenWarps returns the largest number of warps of a block of bands: as many as the registers allow (band_cycle.cuh).
func evenWarps(elem kernels.Elem, lane int) int {
	switch {
	case elem == kernels.Float64 && lane == 4:
		return 8
	case elem == kernels.Float32 && lane > 4:
		return 12
	}
	return 16
}

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
func (d *Device) evenCycle(c *call.Call, name string, a kernels.CycleArgs, s *call.Cycle) bool {
	if !c.OK() || a.A.Stencil != kernels.SevenPoint || a.Factor != [3]int{2, 2, 2} || a.Sweeps < 1 || a.Sweeps > 2 {
		return false
	}
	if name == "descend" && a.U != nil {
		name = "descend_from"
	}
	e := call.Even{Fine: s.A.Box, Coarse: s.Coarse, Out: s.Out, U: s.U, F: s.F, CoarseX: s.CoarseX}
	copy(e.Omega[:], a.Omega[:a.Sweeps])
	if !d.evenOperator(a.A, a.Periodic, &e) || !d.sides(a.CoarseMask, a.Coarse, &e.CoarseFixed) {
		return false
	}
	var kernel string
	var g geometry
	if name == "descend_from" {
		row := evenRowOf(c, a.Periodic[0])
		kernel = fmt.Sprintf("even_%s_%s_%d", name, row.kind, row.lane)
		g = d.fromGeometry(c, row, &e)
	} else {
		row := bandRowOf(c, a.Periodic[0])
		kernel = fmt.Sprintf("even_%s_%s_%d_%d", name, row.kind, row.lane, row.parts)
		g = d.evenGeometry(c, evenPasses[name], row, &e)
	}
	if e.Rows == 0 { // too little shared memory
		return false
	}
	d.launch(c, kernel, g, unsafe.Pointer(&e), unsafe.Sizeof(e))
	return true
}

// evenRow is how rows are cut into tiles (even.cuh).
type evenRow struct {
	kind   string // "aligned" or "tile"
	lane   int    // nodes that a lane holds
	stride int    // from the first node of a tile to that of the next
	tiles  int
	parts  int // warps that lie beside each other in a tile
}

// evenRowOf cuts rows so that lanes have the least to do: aligned if they can be.
func evenRowOf(c *call.Call, periodic bool) evenRow {
	lanes := []int{8, 6, 4, 2}
	if c.Elem == kernels.Float64 {
		lanes = []int{4, 2}
	}
	var best evenRow
	better := func(r evenRow) {
		// A lane's last node and what does not depend on nodes cost it as much as two of them.
		if best.tiles == 0 || r.tiles*(r.lane+2) < best.tiles*(best.lane+2) {
			best = r
		}
	}
	n := c.Box.N[0]
	for _, lane := range lanes {
		// The last tile begins where 16 bytes of nodes, or fewer if a lane has fewer, and of coarse nodes begin.
		begin, align := n-1-warp*lane, lane
		if lane == 6 {
			align = 2
		}
		if stride := evenStride(lane); !periodic && begin >= 0 && begin%align == 0 {
			better(evenRow{"aligned", lane, stride, 1 + over(begin, stride), 1})
		}
	}
	if best.tiles > 0 {
		return best
	}
	for _, lane := range lanes {
		if lane == 6 {
			continue // such tiles are aligned only
		}
		stride := evenStride(lane)
		better(evenRow{"tile", lane, stride, over(n, stride), 1})
	}
	return best
}

// bandRowOf does the same for bands, whose tiles may be several warps wide.
func bandRowOf(c *call.Call, periodic bool) evenRow {
	best := evenRowOf(c, periodic)
	if best.kind != "aligned" {
		return best
	}
	n, most := c.Box.N[0], 8
	if c.Elem == kernels.Float64 {
		most = 4
	}
	cost := func(r evenRow) int { return r.tiles * r.parts * (r.lane + 1) }
	for lane := 4; lane <= most; lane += 4 {
		for parts := 2; parts <= 2; parts *= 2 {
			begin, stride := n-1-parts*warp*lane, (parts-1)*warp*lane+evenStride(lane)
			r := evenRow{"aligned", lane, stride, 1 + over(begin, stride), parts}
			if begin >= 0 && begin%lane == 0 && cost(r) < cost(best) {
				best = r
			}
		}
	}
	return best
}

// evenStride returns the nodes of a tile that are not its neighbours': even_margin in even.cuh.
func evenStride(lane int) int { return warp*lane - 2*max(lane, 4) }

// evenGeometry cuts the grid into blocks so that the multiprocessors have the least to do, each holding one block at a time.
func (d *Device) evenGeometry(c *call.Call, pass evenPass, row evenRow, e *call.Even) geometry {
	n, rim := c.Box.N, pass.before+pass.after
	// As band_room in band.cuh lays them out: besides the bands themselves there is a row before and one behind.
	whole := 2 * pass.arrays * (row.parts*warp*row.lane + 4) * c.Elem.Size() // of a row
	half := pass.sums * (row.parts*(warp*row.lane/2+4) + 4) * c.Elem.Size()
	bytes := 2*half + 2*whole // of a band
	most := min(evenWarps(c.Elem, row.lane)/row.parts, (d.info.sharedBytes()-2*whole-2*half)/bytes)
	best, own := 0, 0
	for bands := 1; bands+rim <= most; bands++ {
		columns := row.tiles * over(n[1], 2*bands)
		for slabs := 1; slabs <= over(n[2], 2); slabs++ {
			planes := over(over(n[2], slabs), 2) * 2
			waves := over(columns*over(n[2], planes), d.info.Multiprocessors)
			// A step takes some time of its own besides that of each warp.
			cost := waves * (planes + pass.lead) * ((bands+rim)*row.parts + 2)
			if best == 0 || cost < best {
				best, own, e.Rows, e.Planes = cost, bands, int64(2*bands), int64(planes)
			}
		}
	}
	e.Columns = int64(row.stride)
	return geometry{grid: [3]int{row.tiles, over(n[1], max(2*own, 1)), over(n[2], max(int(e.Planes), 1))},
		block: [3]int{warp, row.parts, own + rim}, shared: (own+rim)*bytes + 2*whole + 2*half}
}

// fromGeometry does the same for cycle_even_from.cu, whose blocks are as large as they can be.
func (d *Device) fromGeometry(c *call.Call, row evenRow, e *call.Even) geometry {
	pass, n, most := evenFrom, c.Box.N, 16
	if row.lane == 6 {
		most = 20
	}
	record := (pass.records*(warp*row.lane+4) + pass.coarse*(warp*row.lane/2+4)) * c.Elem.Size()
	most = min(most, d.info.sharedBytes()/(2*record))
	best, rows, planes := 0, 0, 0
	for own := 2; own+pass.rim <= most; own += 2 {
		columns := row.tiles * over(n[1], own)
		for slabs := 1; slabs <= over(n[2], 2); slabs++ {
			depth := over(over(n[2], slabs), 2) * 2
			waves := over(columns*over(n[2], depth), d.info.Multiprocessors)
			// A step takes some time of its own besides that of each row.
			cost := waves * (depth + pass.lead) * (own + pass.rim + most/2)
			if best == 0 || cost < best {
				best, rows, planes = cost, own, depth
			}
		}
	}
	e.Columns, e.Rows, e.Planes = int64(row.stride), int64(rows), int64(planes)
	return geometry{grid: [3]int{row.tiles, over(n[1], max(rows, 1)), over(n[2], max(planes, 1))}, block: [3]int{warp, rows + pass.rim, 1},
		shared: 2 * (rows + pass.rim) * record}
}
