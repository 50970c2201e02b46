package giles

import (
	"fmt"
	"unsafe"

	"convect/kernels/cuda"
)

// haloThreads is the largest block of the paper's kernel, with those threads that read its halo.
const haloThreads = 1024

// oneSweep and passes are what the kernels of laplace.cu are compiled for: of one sweep, and of several in one pass. On 256³ nodes in float32
// these were the fastest: a pass of two sweeps takes 45 µs, of three 58 and of four 92 where one sweep takes 36.
var (
	oneSweep = Strip{Bytes: 32, Rows: 2, Threads: 128, Blocks: 4}
	passes   = map[int]passShape{2: {2, 14}, 3: {2, 12}, 4: {2, 8}}
)

// passShape is the rows of a warp and the warps of a block.
type passShape struct{ rows, warps int }

// mostSweeps is how many sweeps a pass makes at most.
const mostSweeps = 4

// gpu runs the kernels on a GPU.
type gpu struct{ *cuda.Device }

// LaplaceJacobi makes Jacobi sweeps of Laplace's equation.
func (d gpu) LaplaceJacobi(a LaplaceJacobiArgs) {
	c := d.BeginGuest("LaplaceJacobi", a.Out)
	all := a.check(&c.Call)
	if !c.OK() {
		return
	}
	most := 1
	if a.Form == NodesInRegisters {
		most = mostSweeps
	}
	left := max(a.Sweeps, 1)
	passes := over(left, most)
	for n := range passes {
		s := all.pass(n, passes)
		sweeps := over(left, passes-n)
		left -= sweeps
		switch {
		case a.Form == PlanesInShared:
			planes(c, &s)
		case sweeps == 1:
			grid, block, suffix := oneSweep.Launch(c, &s.Tile)
			launch(c, "laplace_strip_"+suffix, grid, block, 0, &s)
		default:
			pass(c, &s, sweeps)
		}
	}
}

func launch(c *cuda.GuestCall, kernel string, grid, block [3]int, shared int, s *arguments) {
	c.Launch(kernel, grid, block, shared, unsafe.Pointer(s), unsafe.Sizeof(*s))
}

// planes runs the paper's kernel; tiles are cut to what a block can hold.
func planes(c *cuda.GuestCall, s *arguments) {
	wide := min(int(s.Tile[0]), haloThreads/2)
	high := max(min(int(s.Tile[1]), haloThreads/2/wide), 1)
	s.Tile[0], s.Tile[1] = int64(wide), int64(high)
	row := over(wide+2, 16) * 16
	var grid [3]int
	for axis, n := range c.Box.N {
		grid[axis] = over(n, int(s.Tile[axis]))
	}
	block := [3]int{over(max(wide*high, 2*(wide+high)), warp) * warp, 1, 1}
	launch(c, "laplace_planes", grid, block, 3*row*(high+2)*c.Elem.Size(), s)
}

// pass runs a kernel of several sweeps, with as many warps as there is shared memory for.
func pass(c *cuda.GuestCall, s *arguments, sweeps int) {
	shape, n, nodes := passes[sweeps], c.Box.N, oneSweep.Bytes/c.Elem.Size()
	width := warp * nodes
	bytes := 2 * sweeps * shape.rows * width * c.Elem.Size() // of a warp: two planes of each sweep
	warps := min(shape.warps, c.SharedBytes()/bytes, over(n[1], shape.rows))
	rows := warps * shape.rows
	if rows < n[1] && rows <= 2*sweeps { // nothing is left of a tile
		c.Fail("%d bytes of shared memory are not enough", c.SharedBytes())
		return
	}
	across := [2]int{tilesWithin(n[0], width, 2*nodes), tilesWithin(n[1], rows, 2*sweeps)}
	grid := [3]int{across[0], across[1], soonestSlabs(c, n[2], across[0]*across[1], 1, 2*sweeps)}
	launch(c, fmt.Sprintf("laplace_pass_%d_%s", sweeps, wholeRows(n[0], nodes)), grid, [3]int{warp, warps, 1}, warps*bytes, s)
}

// tilesWithin returns how many tiles cover n where neighbours share some.
func tilesWithin(n, tile, shared int) int {
	if n <= tile {
		return 1
	}
	return over(n-shared, tile-shared)
}
