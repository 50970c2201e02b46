package cuda

import "convect/kernels/call"

// Bytes that a lane of march.cuh moves at once, and rows of a block: more where what a row reads of its neighbours weighs.
const (
	laneBytes = 16
	marchRows = 8
)

// Blocks that a launch aims at, by the length of the slabs: kernels that keep much in registers, those that do little more than read
// and write, and sums.
const (
	heavySlabs = slabBlocks
	lightSlabs = 12000
	longSlabs  = 1000
)

// overMarch gives every vector of nodes of a slab of planes a lane: march_of in march.cuh. Where lanes see what their neighbours have,
// `seen` is the number of nodes seen beyond the last of a row. Slabs are so long that there are so many blocks. The launch depends on
// the box and the type alone.
func overMarch(c *call.Call, seen, blocks int) geometry { return marchOver(c, 1, seen, blocks) }

// overVectors is overMarch where lanes are on their own.
func overVectors(c *call.Call, blocks int) geometry { return marchOver(c, 0, 0, blocks) }

func marchOver(c *call.Call, help, seen, blocks int) geometry {
	n, nodes := c.Box.N, laneBytes/c.Elem.Size()
	g := geometry{block: [3]int{warp, max(min(marchRows, n[1]), 1), 1}}
	vectors := help + over(n[0]+seen, nodes)
	g.grid = [3]int{over(vectors*over(n[1], g.block[1]), warp-2*help), 1, 1}
	g.grid[2] = over(n[2], max(g.grid[0]*n[2]/blocks, leastSlab))
	return g
}
