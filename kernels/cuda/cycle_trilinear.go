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
const triWarps = 16

// trilinearPass runs one pass of a cycle with trilinear elements in one kernel and returns whether there is one for it.
func (d *Device) trilinearPass(c *call.Call, down bool, a kernels.CycleArgs, s *call.Cycle) bool {
	if !c.OK() || a.A.Stencil != kernels.TwentySevenPoint || a.Factor != [3]int{2, 2, 2} || a.Sweeps < 1 || a.Sweeps > 2 {
		return false
	}
	t := call.Trilinear{Even: call.Even{Fine: s.A.Box, Coarse: s.Coarse, Out: s.Out, U: s.U, F: s.F, CoarseX: s.CoarseX}}
	e := &t.Even
	copy(e.Omega[:], a.Omega[:a.Sweeps])
	if !d.evenOperator(a.A, a.Periodic, e) || !d.sides(a.CoarseMask, a.Coarse, &e.CoarseFixed) {
		return false
	}
	t.Numbers = trilinearNumbers(e)
	for i, x := range t.Numbers {
		t.Single[i] = float32(x)
	}
	p := triPass{name: "up", rim: 4, arrays: 8}
	switch {
	case down && a.U != nil:
		p = triPass{name: "down", rim: 7, arrays: 10, coarse: 2}
	case down:
		p = triPass{name: "down_zero", rim: 5, arrays: 6, coarse: 2}
	}
	tiles := triTilesOf(c, a.Periodic[0])
	kind := "tile"
	if tiles.aligned {
		kind = "aligned"
	}
	g := d.trilinearGeometry(c, p, tiles, e)
	if e.Rows == 0 {
		return false
	}
	d.launch(c, fmt.Sprintf("tri_%s_%s_%d", p.name, kind, tiles.lane), g, unsafe.Pointer(&t), unsafe.Sizeof(t))
	return true
}

// triTiles tells how rows are cut into tiles: nodes of a lane, whether tiles are aligned (even.cuh), how many there are and how far
// apart.
type triTiles struct {
	lane, across, stride int
	aligned              bool
}

// triTilesOf cuts rows so that the lanes have least to do.
func triTilesOf(c *call.Call, periodic bool) (best triTiles) {
	n, lanes := c.Box.N[0], []int{2, 4, 6, 8}
	if c.Elem == kernels.Float64 {
		lanes = lanes[:2]
	}
	for _, lane := range lanes {
		t := triTiles{lane: lane, stride: warp*lane - 2*max(lane, 4)}
		t.aligned = !periodic && n > warp*lane && (n-1)%4 == 0
		t.across = over(n, t.stride)
		if t.aligned {
			t.across = 1 + over(n-1-warp*lane, t.stride)
		}
		// A lane's last node and what does not depend on nodes cost it as much as two of them.
		if best.across == 0 || t.across*(lane+2) < best.across*(best.lane+2) {
			best = t
		}
	}
	return best
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

// sharedBytes returns how much shared memory a block may have, by compute capability.
func (i DriverInfo) sharedBytes() int {
	switch 10*i.Major + i.Minor {
	case 70, 72:
		return 96 << 10
	case 75:
		return 64 << 10
	case 80, 87:
		return 163 << 10
	case 90, 100, 103:
		return 227 << 10
	}
	return 99 << 10
}

// trilinearGeometry cuts the grid into blocks so that the GPU is busy for the shortest time. There are no rows where shared memory has no
// room for the fewest.
func (d *Device) trilinearGeometry(c *call.Call, p triPass, t triTiles, e *call.Even) geometry {
	n := c.Box.N
	e.Columns = int64(t.stride)
	// A plane costs a block its rows, half of those at the rim, and as much as some rows besides; so do the planes at the ends of its march.
	const step, ends = 4, 6
	best := 0
	bytes := (p.arrays*(warp*t.lane+4) + p.coarse*(warp*t.lane/2+4)) * c.Elem.Size() // of a row
	most := min(triWarps, d.info.sharedBytes()/bytes)
	for rows := 2; rows <= (most-p.rim)/2*2; rows += 2 {
		for slabs := 1; slabs <= over(n[2], 4); slabs++ {
			planes := (over(n[2], slabs) + 1) / 2 * 2
			blocks := t.across * over(n[1], rows) * over(n[2], planes)
			cost := over(blocks, d.info.Multiprocessors) * (2*rows + p.rim + 2*step) * (planes + ends)
			if best == 0 || cost < best {
				best, e.Rows, e.Planes = cost, int64(rows), int64(planes)
			}
		}
	}
	rows := int(e.Rows) + p.rim
	return geometry{grid: [3]int{t.across, over(n[1], max(int(e.Rows), 1)), over(n[2], max(int(e.Planes), 1))},
		block: [3]int{warp, rows, 1}, shared: rows * bytes}
}
