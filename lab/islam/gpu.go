package islam

import (
	"fmt"
	"unsafe"

	"convect/kernels/cuda"
	"convect/lab/giles"
)

// The blocks of hierarchical_jacobi.cu that live in registers: in the plane, the unknowns along an axis; of lines, those that a lane has, the least and
// the most lanes of a block, and the warps of a thread block.
const (
	blockSide  = 32
	laneLine   = 8
	leastLanes = 4
	mostLanes  = 16
	lineWarps  = 4
)

// The blocks of hierarchical_cube.cu that live in registers: the unknowns along an axis, the threads of one, and the numbers of a row of shared memory.
const (
	cubeSide    = 16
	cubeThreads = 256
	cubeRow     = 26
)

// Other shapes of launches: the bytes of a vector, the most threads of a block of plain sweeps, and the threads and blocks of kernels whose blocks of unknowns
// lie in scratch memory.
const (
	warp        = 32
	laneBytes   = 16
	mostThreads = 1024
	tileThreads = 256
	tileBlocks  = 512
)

// fewNodes is the size up to which threads of a plain sweep of the plane have two rows, beyond it four: 5.5 for 5.6 µs at 1024², 194 for 186 at 5760².
const fewNodes = 4 << 20

// cubeStrip is how plain sweeps are made: on an H200 the fastest of 16 and 32 bytes of one to three rows a thread.
var cubeStrip = giles.Strip{Bytes: 16, Rows: 2, Threads: 128, Blocks: 6}

// gpu runs the kernels on a GPU.
type gpu struct{ *cuda.Device }

// over returns the number of blocks that cover n.
func over(n, block int) int { return (n + block - 1) / block }

// HierarchicalJacobi makes a cycle of Jacobi sweeps on blocks.
func (d gpu) HierarchicalJacobi(a HierarchicalJacobiArgs) {
	c := d.BeginGuest("HierarchicalJacobi", a.Out)
	s := a.check(&c.Call)
	if !c.OK() {
		return
	}
	n := c.Box.N
	launch := func(kernel string, grid [2]int, threads int) {
		c.Launch(kernel, [3]int{grid[0], grid[1], 1}, [3]int{threads, 1, 1}, 0, unsafe.Pointer(&s), unsafe.Sizeof(s))
	}
	switch {
	case a.Sweeps == 1:
		rows, shape := 2, "plane"
		if a.Lines {
			shape = "lines"
		} else if c.Box.Nodes() > fewNodes {
			rows = 4
		}
		threads := min(over(a.Tile[0], warp)*warp, mostThreads)
		across := over(over(n[0], laneBytes/c.Elem.Size())*over(n[2], rows), threads)
		launch(fmt.Sprintf("hierarchical_plain_%s_%d", shape, rows), [2]int{across, 1}, threads)
	case a.Lines && a.Tile[0] <= laneLine*mostLanes:
		lanes := leastLanes
		for laneLine*lanes < a.Tile[0] {
			lanes *= 2
		}
		across := over(over(n[2], warp/lanes)*int(s.Blocks[0]), lineWarps)
		launch(fmt.Sprintf("hierarchical_lines_%d", lanes), [2]int{across, 1}, warp*lineWarps)
	case !a.Lines && a.Tile[0] <= blockSide && a.Tile[1] <= blockSide:
		launch("hierarchical_plane", [2]int{int(s.Blocks[0]), int(s.Blocks[1])}, warp)
	default:
		blocks := min(int(s.Blocks[0]*s.Blocks[1]), tileBlocks)
		s.Scratch = c.Scratch(blocks * 2 * int((s.Room[0]+2)*(s.Room[1]+2)) * c.Elem.Size())
		launch("hierarchical_blocks", [2]int{blocks, 1}, tileThreads)
	}
}

// HierarchicalCube makes a cycle of Jacobi sweeps on blocks in three dimensions.
func (d gpu) HierarchicalCube(a HierarchicalCubeArgs) {
	c := d.BeginGuest("HierarchicalCube", a.Out)
	s := a.check(&c.Call)
	if !c.OK() {
		return
	}
	launch := func(kernel string, grid, block [3]int, shared int) {
		c.Launch(kernel, grid, block, shared, unsafe.Pointer(&s), unsafe.Sizeof(s))
	}
	shared := cubeRow * (cubeSide + 2) * (cubeSide + 2) * c.Elem.Size()
	switch {
	case a.Sweeps == 1:
		grid, block, suffix := cubeStrip.Launch(c, &s.Tile)
		launch("hierarchical_plain_cube_"+suffix, grid, block, 0)
	case max(a.Tile[0], a.Tile[1], a.Tile[2]) > cubeSide || shared > c.SharedBytes():
		blocks, room := min(int(s.Blocks[0]*s.Blocks[1]*s.Blocks[2]), tileBlocks), 2*c.Elem.Size()
		for _, n := range s.Room {
			room *= int(n) + 2
		}
		s.Scratch = c.Scratch(blocks * room)
		launch("hierarchical_cubes", [3]int{blocks, 1, 1}, [3]int{tileThreads, 1, 1}, 0)
	default:
		launch("hierarchical_cube", [3]int{int(s.Blocks[0]), int(s.Blocks[1]), int(s.Blocks[2])}, [3]int{cubeThreads, 1, 1}, shared)
	}
}

// HierarchicalSmooth makes Jacobi sweeps on blocks of rows.
func (d gpu) HierarchicalSmooth(a HierarchicalSmoothArgs) {
	c := d.BeginGuest("HierarchicalSmooth", a.Out)
	s := a.check(&c.Call)
	if !c.OK() {
		return
	}
	n, tiles, room := c.Box.N, 1, 2*(c.Box.N[0]+2)*c.Elem.Size()
	for axis, tile := range s.Tile {
		tiles *= over(n[axis+1], int(tile))
		if axis == 1 || !c.Box.Flat() {
			room *= int(tile) + 2*int(s.Margin) + 2
		}
	}
	blocks := min(tiles, tileBlocks)
	s.Scratch = c.Scratch(blocks * room)
	c.Launch(cuda.Variant("hierarchical_smooth", &s.A), [3]int{blocks, 1, 1}, [3]int{tileThreads, 1, 1}, 0, unsafe.Pointer(&s), unsafe.Sizeof(s))
}
