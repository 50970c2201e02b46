package cuda

import (
	"unsafe"

	"convect/kernels"
)

// The blocks of hierarchical_cube.cu that live in registers: the unknowns along an axis, the threads of one, and the numbers of a row of shared memory.
const (
	cubeSide    = 16
	cubeThreads = 256
	cubeRow     = 26
)

// cubeStrip is how plain sweeps are made: on an H200 the fastest of 16 and 32 bytes of one to three rows a thread.
var cubeStrip = stripShape{bytes: 16, rows: 2, threads: 128, blocks: 6}

// HierarchicalCube makes a cycle of Jacobi sweeps on blocks in three dimensions.
func (d *Device) HierarchicalCube(a kernels.HierarchicalCubeArgs) {
	c := d.begin("HierarchicalCube", a.Out)
	h := c.HierarchicalCube(a)
	if !c.OK() {
		return
	}
	shared := cubeRow * (cubeSide + 2) * (cubeSide + 2) * c.Elem.Size()
	name := "hierarchical_cube"
	g := geometry{grid: [3]int{int(h.Blocks[0]), int(h.Blocks[1]), int(h.Blocks[2])}, block: [3]int{cubeThreads, 1, 1}, shared: shared}
	switch {
	case a.Sweeps == 1:
		shape, nodes := cubeStrip, cubeStrip.bytes/c.Elem.Size()
		h.Tile = [3]int64{int64(over(c.Box.N[0], nodes)), int64(over(c.Box.N[1], shape.rows)), 0}
		across := over(int(h.Tile[0]*h.Tile[1]), shape.threads)
		name = "hierarchical_plain_cube_" + wholeRows(c.Box.N[0], nodes)
		g = geometry{grid: [3]int{across, d.soonestSlabs(c.Box.N[2], across, shape.blocks, 2), 1}, block: [3]int{shape.threads, 1, 1}}
	case max(a.Tile[0], a.Tile[1], a.Tile[2]) > cubeSide || shared > d.info.sharedBytes():
		name = "hierarchical_cubes"
		blocks, room := int(h.Blocks[0]*h.Blocks[1]*h.Blocks[2]), 2*c.Elem.Size()
		for _, n := range h.Room {
			room *= int(n) + 2
		}
		g = geometry{grid: [3]int{min(blocks, tileBlocks), 1, 1}, block: [3]int{tileThreads, 1, 1}}
		h.Scratch = d.reserve(&c, &d.scratch, g.grid[0]*room)
	}
	d.launch(&c, name, g, unsafe.Pointer(&h), unsafe.Sizeof(h))
}
