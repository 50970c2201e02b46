package cuda

import (
	"fmt"
	"unsafe"

	"convect/kernels"
	"convect/kernels/call"
)

// triPass is a pass of cycle_trilinear.cu: its rows at the rim of a block, and arrays of rows in shared memory, whole and of coarse nodes.
type triPass struct {
	name                string
	rim, arrays, coarse int
}

// triWarps is the number of rows that a block has at most.
const triWarps = triThreads / warp

// trilinearPass runs one pass of a cycle with trilinear elements in one kernel and returns whether there is one for it.
func (d *Device) trilinearPass(c *call.Call, down bool, a kernels.CycleArgs, s *call.Cycle) bool {
	if !c.OK() || a.A.Stencil != kernels.TwentySevenPoint || a.A.Conductivity() != kernels.Constant {
		return false
	}
	t := call.Trilinear{Even: call.Even{Fine: s.A.Box, Coarse: s.Coarse, Out: s.Out, U: s.U, F: s.F, CoarseX: s.CoarseX}}
	e := &t.Even
	if why := evenPassOf(&a, e); why != "" {
		d.because(c, why)
		return false
	}
	t.Numbers = trilinearNumbers(e)
	for i, x := range t.Numbers {
		t.SingleNumbers[i] = float32(x)
	}
	p := triPass{name: "up", rim: 4, arrays: 8}
	switch {
	case down && a.U != nil:
		p = triPass{name: "down", rim: 7, arrays: 10, coarse: 2}
	case down:
		p = triPass{name: "down_zero", rim: 5, arrays: 6, coarse: 2}
	}
	cut := d.cutFor(c, "trilinear "+p.name, a.Periodic[0], func() cut { return d.trilinearCut(c, p, evenRowOf(c, a.Periodic[0])) })
	if cut.rows == 0 {
		d.because(c, noSharedRoom)
		return false
	}
	e.Columns, e.Rows, e.Planes = cut.columns, cut.rows, cut.planes
	d.launch(c, cut.kernel, cut.geometry, unsafe.Pointer(&t), unsafe.Sizeof(t))
	return true
}

// trilinearNumbers are those of cycle_trilinear.cu: coefficients for residuals, and for the correction that all sweeps make of one.
func trilinearNumbers(e *call.Even) (n [18]float64) {
	x, y, z := e.C[0], e.C[1], e.C[2]
	residual := [8]float64{x, y, (x + y) / 6, -e.Mass, (x + z) / 6, (y + z) / 6, (x + y + z) / 36, z}
	copy(n[:], residual[:])
	diagonal := 8.0/9*(x+y+z) + e.Mass
	square := e.Omega[0] * e.Omega[1] / (diagonal * diagonal)
	for i, r := range residual {
		n[8+i] = square * r
	}
	n[8+3] += (e.Omega[0] + e.Omega[1]) / diagonal
	n[16], n[17] = e.Volume, 1/e.Volume
	return n
}

// trilinearCut cuts the grid into blocks so that the GPU is busy for the shortest time. There are no rows where shared memory has no
// room for the fewest.
func (d *Device) trilinearCut(c *call.Call, p triPass, row evenRow) cut {
	n, best := c.Box.N, 0
	found := cut{kernel: fmt.Sprintf("tri_%s_%s_%d", p.name, row.kind, row.lane), columns: int64(row.stride)}
	// A plane costs a block its rows, half of those at the rim, and as much as some rows besides; so do the planes at the ends of its march.
	const step, ends = 4, 6
	bytes := (p.arrays*(warp*row.lane+4) + p.coarse*(warp*row.lane/2+4)) * c.Elem.Size() // of a row
	most := min(triWarps, d.info.SharedBytes()/bytes)
	for rows := 2; rows <= (most-p.rim)/2*2; rows += 2 {
		for slabs := 1; slabs <= over(n[2], 4); slabs++ {
			planes := (over(n[2], slabs) + 1) / 2 * 2
			blocks := row.tiles * over(n[1], rows) * over(n[2], planes)
			cost := over(blocks, d.info.Multiprocessors) * (2*rows + p.rim + 2*step) * (planes + ends)
			if best == 0 || cost < best {
				best, found.rows, found.planes = cost, int64(rows), int64(planes)
			}
		}
	}
	rows := int(found.rows) + p.rim
	found.geometry = geometry{grid: [3]int{row.tiles, over(n[1], max(int(found.rows), 1)), over(n[2], max(int(found.planes), 1))},
		block: [3]int{warp, rows, 1}, shared: rows * bytes}
	return found
}
