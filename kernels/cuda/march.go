package cuda

import "convect/kernels/call"

// Bytes that a lane of march.cuh moves at once, and rows of a block.
const (
	laneBytes = 16
	marchRows = 8
)

// overMarch gives every vector of nodes of a slab of planes a lane: march_of in march.cuh. Where lanes see what their neighbours have,
// `seen` is the number of nodes seen beyond the last of a row. The launch depends on the box and the type alone.
func overMarch(c *call.Call, seen int) geometry { return marchOver(c, 1, seen) }

// overVectors is overMarch where lanes are on their own.
func overVectors(c *call.Call) geometry { return marchOver(c, 0, 0) }

func marchOver(c *call.Call, help, seen int) geometry {
	n, nodes := c.Box.N, laneBytes/c.Elem.Size()
	g := geometry{block: [3]int{warp, min(marchRows, n[1]), 1}}
	vectors := help + over(n[0]+seen, nodes)
	g.grid = [3]int{over(vectors*over(n[1], g.block[1]), warp-2*help), 1, 1}
	g.grid[2] = over(n[2], slabPlanes(g.grid[0], n[2]))
	return g
}

// slabPlanes returns the planes of a slab where so many blocks share a plane of n.
func slabPlanes(blocks, n int) int { return min(max(blocks*n/slabBlocks, leastSlab), mostSlab) }
