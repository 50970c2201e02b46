package cuda

import "convect/kernels/call"

// Lanes of a warp that own nodes, bytes that a lane moves at once, and rows of a block of march.cuh.
const (
	marchLanes = 30
	laneBytes  = 16
	marchRows  = 8
)

// overMarch gives every vector of nodes of a slab of planes a lane: march_of in march.cuh, with the same number of nodes seen beyond the
// last of a row. The launch depends on the box and the type alone.
func overMarch(c *call.Call, after int) geometry {
	n, nodes := c.Box.N, laneBytes/c.Elem.Size()
	g := geometry{block: [3]int{warp, min(marchRows, n[1]), 1}}
	vectors := 1 + over(n[0]+after, nodes)
	g.grid = [3]int{over(vectors*over(n[1], g.block[1]), marchLanes), 1, 1}
	g.grid[2] = over(n[2], slabPlanes(g.grid[0], n[2]))
	return g
}

// slabPlanes returns the planes of a slab where so many blocks share a plane of n.
func slabPlanes(blocks, n int) int { return min(max(blocks*n/slabBlocks, leastSlab), mostSlab) }
