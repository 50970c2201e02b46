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
	"descend": {before: 2, after: 1, lead: 5, arrays: 2, sums: 1}, // cycle_even_down.cu
	"ascend":  {before: 1, after: 1, lead: 4, arrays: 2},          // cycle_even_up.cu
}

// evenFrom is that of cycle_even_from.cu, in rows.
var evenFrom = struct{ rim, lead, records, coarse int }{7, 8, 3, 1}

// evenOperator puts what the passes need to know of an operator of constant K into its arguments. It returns why they do not know it, ""
// where they do: on even widths with whole sides fixed.
func evenOperator(a *kernels.Elliptic, e *call.Even) string {
	if why := notEven(a, 5); why != "" {
		return why
	}
	if a.Mass != nil {
		return call.MassOfNodes
	}
	e.Mass, e.Volume = a.MassScale, 1
	for axis, n := range a.Box.N {
		periodic, h := a.Shape.Periodic[axis], a.Shape.Width[axis]
		if periodic && n%2 != 0 {
			return "an odd number of nodes along a periodic axis"
		}
		e.C[axis] = a.K[axis] / (h * h)
		e.Volume *= h
		if periodic {
			e.Periodic[axis] = 1
		}
	}
	if !sides(a.Mask, &e.Fixed) {
		return notWholeSides
	}
	return ""
}

// sides sets the flags of the sides that a mask fixes and returns whether it fixes nothing else.
func sides(m *kernels.RowMask, flags *[6]int64) bool {
	fixed, whole := m.Sides()
	for s, f := range fixed {
		if f {
			flags[s] = 1
		}
	}
	return whole
}

// evenCycle runs one pass of a cycle in one kernel and returns whether there is one for it.
func (d *Device) evenCycle(c *call.Call, name string, a kernels.CycleArgs, s *call.Cycle) bool {
	if !c.OK() || a.A.Stencil != kernels.SevenPoint || a.A.Conductivity() != kernels.Constant {
		return false
	}
	if name == "descend" && a.U != nil {
		name = "descend_from"
	}
	e := call.Even{Fine: s.A.Box, Coarse: s.Coarse, Out: s.Out, U: s.U, F: s.F, CoarseX: s.CoarseX}
	if why := evenPassOf(&a, &e); why != "" {
		d.because(c, why)
		return false
	}
	cut := d.cutFor(c, "even "+name, a.Periodic[0], func() cut {
		if name == "descend_from" {
			return d.fromCut(c, evenRowOf(c, a.Periodic[0]))
		}
		return d.bandCut(c, name, a.Periodic[0])
	})
	if cut.rows == 0 {
		d.because(c, noSharedRoom)
		return false
	}
	e.Columns, e.Rows, e.Planes = cut.columns, cut.rows, cut.planes
	d.launch(c, cut.kernel, cut.geometry, unsafe.Pointer(&e), unsafe.Sizeof(e))
	return true
}

// evenPassOf puts what a pass needs to know into its arguments but the geometry. It returns why there is none, or "".
func evenPassOf(a *kernels.CycleArgs, e *call.Even) string {
	switch {
	case a.Sweeps < 1:
		return "no sweeps"
	case a.Sweeps > 2:
		return manySweeps
	case a.A.Box.Flat():
		return isFlat
	case a.Factor != [3]int{2, 2, 2}:
		return notHalved
	}
	copy(e.Omega[:], a.Omega[:a.Sweeps])
	why := evenOperator(a.A, e)
	if why == "" && !sides(a.CoarseMask, &e.CoarseFixed) {
		return notWholeSides
	}
	return why
}

// evenRow is how rows are cut into tiles (even.cuh).
type evenRow struct {
	kind   string // "aligned" or "tile"
	lane   int    // nodes that a lane holds
	parts  int    // warps that lie beside each other in a tile
	stride int    // from the first node of a tile to that of the next
	tiles  int
}

// alignedRow cuts rows of n nodes between walls into tiles that lie within them, and returns false if they cannot be.
func alignedRow(n, lane, parts int) (evenRow, bool) {
	// The last tile begins where 16 bytes of nodes, or fewer if a lane has fewer, and of coarse nodes begin.
	begin, align := n-1-parts*warp*lane, lane
	if lane == 6 {
		align = 2
	}
	stride := evenStride(lane, parts)
	return evenRow{"aligned", lane, parts, stride, 1 + over(begin, stride)}, begin >= 0 && begin%align == 0
}

// tiledRow cuts any rows.
func tiledRow(n, lane int) evenRow {
	stride := evenStride(lane, 1)
	return evenRow{"tile", lane, 1, stride, over(n, stride)}
}

// evenRowOf cuts rows for the passes whose warps own a row so that lanes have the least to do: aligned if they can be.
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
	for _, lane := range lanes {
		if r, can := alignedRow(c.Box.N[0], lane, 1); can && !periodic {
			better(r)
		}
	}
	if best.tiles > 0 {
		return best
	}
	for _, lane := range lanes {
		if lane%4 == 0 { // other tiles are aligned only
			better(tiledRow(c.Box.N[0], lane))
		}
	}
	return best
}

// bandRows are the ways in which rows can be cut for bands: the kernels of band_cycle.cuh.
func bandRows(c *call.Call, periodic bool) (rows []evenRow) {
	kinds := [][2]int{{2, 1}, {4, 1}}
	if c.Elem == kernels.Float32 {
		kinds = append(kinds, [2]int{4, 2}, [2]int{6, 1})
	}
	for _, k := range kinds {
		if r, can := alignedRow(c.Box.N[0], k[0], k[1]); can && !periodic {
			rows = append(rows, r)
		}
	}
	if len(rows) == 0 {
		rows = []evenRow{tiledRow(c.Box.N[0], 2), tiledRow(c.Box.N[0], 4)}
	}
	return rows
}

// evenStride returns the nodes of a tile that are not its neighbours': even_margin in even.cuh.
func evenStride(lane, parts int) int { return parts*warp*lane - 2*max(lane, 4) }

// bandWarps returns the largest number of warps of a block of bands (band_threads in band_cycle.cuh).
func bandWarps(elem kernels.Elem, lane int) int {
	switch {
	case elem == kernels.Float64 && lane == 4:
		return 8
	case lane == 6:
		return 12
	}
	return 16
}

// bandCut cuts the grid into tiles and blocks so that the multiprocessors have the least to do, each holding one block at a time.
func (d *Device) bandCut(c *call.Call, name string, periodic bool) (best cut) {
	pass := evenPasses[name]
	n, size, rim, least := c.Box.N, c.Elem.Size(), pass.before+pass.after, 0
	for _, row := range bandRows(c, periodic) {
		// As band_room in band.cuh lays them out: besides the bands themselves there is a row before and one behind.
		whole := 2 * pass.arrays * (row.parts*warp*row.lane + 4) * size // of a row
		half := 2 * pass.sums * (row.parts*(warp*row.lane/2+4) + 4) * size
		band := half + 2*whole
		most := min(bandWarps(c.Elem, row.lane)/row.parts, (d.info.SharedBytes()-half-2*whole)/band)
		for own := 1; own+rim <= most; own++ {
			columns := row.tiles * over(n[1], 2*own)
			for slabs := 1; slabs <= over(n[2], 2); slabs++ {
				planes := over(over(n[2], slabs), 2) * 2
				waves := over(columns*over(n[2], planes), d.info.Multiprocessors)
				// A step takes some time of its own besides that of each warp, in units of 12.5 ns of an H200.
				step := (own+rim)*row.parts*(row.lane*size/4+2) + 28
				if cost := waves * (planes + pass.lead) * step; least == 0 || cost < least {
					least = cost
					best = cut{kernel: fmt.Sprintf("even_%s_%s_%d_%d", name, row.kind, row.lane, row.parts),
						columns: int64(row.stride), rows: int64(2 * own), planes: int64(planes),
						geometry: geometry{grid: [3]int{row.tiles, over(n[1], 2*own), over(n[2], planes)}, block: [3]int{warp, row.parts, own + rim},
							shared: (own+rim)*band + 2*whole + half}}
				}
			}
		}
	}
	return best
}

// fromCut does the same for cycle_even_from.cu, whose blocks are as large as they can be.
func (d *Device) fromCut(c *call.Call, row evenRow) cut {
	pass, n, most := evenFrom, c.Box.N, 16
	if row.lane == 6 {
		most = 20
	}
	record := (pass.records*(warp*row.lane+4) + pass.coarse*(warp*row.lane/2+4)) * c.Elem.Size()
	most = min(most, d.info.SharedBytes()/(2*record))
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
	return cut{kernel: fmt.Sprintf("even_descend_from_%s_%d", row.kind, row.lane), columns: int64(row.stride), rows: int64(rows), planes: int64(planes),
		geometry: geometry{grid: [3]int{row.tiles, over(n[1], max(rows, 1)), over(n[2], max(planes, 1))}, block: [3]int{warp, rows + pass.rim, 1},
			shared: 2 * (rows + pass.rim) * record}}
}
