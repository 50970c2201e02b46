package cuda

import "convect/kernels/call"

// Bytes that a lane of march.cuh moves at once, and rows of a block: more where what a row reads of its neighbours weighs.
const (
	laneBytes = 16
	marchRows = 8
)

// Blocks that a launch aims at, by the length of the slabs: kernels that keep much in registers, those of step_sides.cu and darcy_flux with K on cells, those
// that do little more than read and write, statistics of the flow, and sums.
const (
	heavySlabs = slabBlocks
	sidesSlabs = 4096
	lightSlabs = 12000
	longSlabs  = 1000
	sumSlabs   = 500 // what runs at once on a large GPU
)

// mostSlabs is the most blocks that a grid may have along its third axis.
const mostSlabs = 1<<16 - 1

// overMarch gives every vector of nodes of a slab of planes a lane: march_of in march.cuh. Where lanes see what their neighbours have,
// `seen` is the number of nodes seen beyond the last of a row. Slabs are so long that there are so many blocks. The launch depends on
// the box and the type alone.
func overMarch(c *call.Call, seen, blocks int) geometry {
	return march{help: 1, seen: seen, rows: marchRows, each: 1, blocks: blocks}.over(c)
}

// overVectors is overMarch where lanes are on their own.
func overVectors(c *call.Call, blocks int) geometry {
	return march{rows: marchRows, each: 1, blocks: blocks}.over(c)
}

// march is how the lanes of a kernel march.
type march struct {
	help, seen int // lanes of a warp that only help at each end, and nodes seen beyond the last of a row
	rows, each int // rows of vectors of a block, and rows of nodes that each of them has
	blocks     int // aimed at
	planes     int // that a slab may have at most; 0: any number
}

func (m march) over(c *call.Call) geometry {
	n, nodes := c.Box.N, laneBytes/c.Elem.Size()
	n[1] = over(n[1], m.each)
	g := geometry{block: [3]int{warp, max(min(m.rows, n[1]), 1), 1}}
	vectors := m.help + over(n[0]+m.seen, nodes)
	g.grid = [3]int{over(vectors*over(n[1], g.block[1]), warp-2*m.help), 1, 1}
	planes := max(g.grid[0]*n[2]/m.blocks, leastSlab)
	if lower := m.rows / g.block[1]; lower > 1 { // as many warps in more blocks
		planes = min(planes, max(g.grid[0]*n[2]/(m.blocks*lower), 2*leastSlab))
	}
	planes = max(planes, over(n[2], mostSlabs))
	if m.planes > 0 {
		planes = min(planes, m.planes)
	}
	g.grid[2] = over(n[2], planes)
	return g
}
