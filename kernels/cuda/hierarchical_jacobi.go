package cuda

import (
	"fmt"
	"unsafe"

	"convect/kernels"
)

var _ kernels.Benchmarks = (*Device)(nil)

// The blocks of hierarchical_jacobi.cu that live in registers: in the plane, the unknowns along an axis; of lines, those that a lane has, the least and
// the most lanes of a block, and the warps of a thread block.
const (
	blockSide  = 32
	laneLine   = 8
	leastLanes = 4
	mostLanes  = 16
	lineWarps  = 4
)

// fewNodes is the size up to which threads of a plain sweep of the plane have two rows, beyond it four: 5.5 for 5.6 µs at 1024², 194 for 186 at 5760².
const fewNodes = 4 << 20

// HierarchicalJacobi makes a cycle of Jacobi sweeps on blocks.
func (d *Device) HierarchicalJacobi(a kernels.HierarchicalJacobiArgs) {
	c := d.begin("HierarchicalJacobi", a.Out)
	h := c.HierarchicalJacobi(a)
	if !c.OK() {
		return
	}
	n := c.Box.N
	var name string
	g := geometry{block: [3]int{warp, 1, 1}}
	switch {
	case a.Sweeps == 1:
		rows, shape := 2, "plane"
		if a.Lines {
			shape = "lines"
		} else if c.Box.Nodes() > fewNodes {
			rows = 4
		}
		name = fmt.Sprintf("hierarchical_plain_%s_%d", shape, rows)
		threads := min(over(a.Tile[0], warp)*warp, rowOrColumn)
		g = geometry{grid: [3]int{over(over(n[0], laneBytes/c.Elem.Size())*over(n[2], rows), threads), 1, 1}, block: [3]int{threads, 1, 1}}
	case a.Lines && a.Tile[0] <= laneLine*mostLanes:
		lanes := leastLanes
		for laneLine*lanes < a.Tile[0] {
			lanes *= 2
		}
		name = fmt.Sprintf("hierarchical_lines_%d", lanes)
		g = geometry{grid: [3]int{over(over(n[2], warp/lanes)*int(h.Blocks[0]), lineWarps), 1, 1}, block: [3]int{warp * lineWarps, 1, 1}}
	case !a.Lines && a.Tile[0] <= blockSide && a.Tile[1] <= blockSide:
		name = "hierarchical_plane"
		g.grid = [3]int{int(h.Blocks[0]), int(h.Blocks[1]), 1}
	default:
		name = "hierarchical_blocks"
		g = geometry{grid: [3]int{min(int(h.Blocks[0]*h.Blocks[1]), tileBlocks), 1, 1}, block: [3]int{tileThreads, 1, 1}}
		h.Scratch = d.reserve(&c, &d.scratch, g.grid[0]*2*int((h.Room[0]+2)*(h.Room[1]+2))*c.Elem.Size())
	}
	d.launch(&c, name, g, unsafe.Pointer(&h), unsafe.Sizeof(h))
}
