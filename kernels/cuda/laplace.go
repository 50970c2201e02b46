package cuda

import (
	"fmt"
	"math"
	"unsafe"

	"convect/kernels"
	"convect/kernels/call"
)

// haloThreads is the largest block of the paper's kernel, with those threads that read its halo.
const haloThreads = 1024

// laplaceStrip and laplacePasses are what the kernels of laplace.cu are compiled for: of one sweep, and of several in one pass. On 256³ nodes in float32
// these were the fastest: a pass of two sweeps takes 45 µs, of three 58 and of four 92 where one sweep takes 36.
var (
	laplaceStrip  = stripShape{bytes: 32, rows: 2, threads: 128, blocks: 4}
	laplacePasses = map[int]laplaceShape{2: {2, 14}, 3: {2, 12}, 4: {2, 8}}
)

// laplaceShape is the rows of a warp and the warps of a block.
type laplaceShape struct{ rows, warps int }

// mostSweeps is how many sweeps a pass makes at most.
const mostSweeps = 4

// LaplaceJacobi makes Jacobi sweeps of Laplace's equation.
func (d *Device) LaplaceJacobi(a kernels.LaplaceJacobiArgs) {
	c := d.begin("LaplaceJacobi", a.Out)
	all := c.LaplaceJacobi(a)
	if !c.OK() {
		return
	}
	most := 1
	if a.Form == kernels.NodesInRegisters {
		most = mostSweeps
	}
	left := max(a.Sweeps, 1)
	passes := over(left, most)
	for n := range passes {
		l := all.Pass(n, passes)
		sweeps := over(left, passes-n)
		left -= sweeps
		switch {
		case a.Form == kernels.PlanesInShared:
			d.laplacePlanes(&c, &l)
		case sweeps == 1:
			d.laplaceStrip(&c, &l)
		default:
			d.laplacePass(&c, &l, sweeps)
		}
	}
}

// laplacePlanes runs the paper's kernel; tiles are cut to what a block can hold.
func (d *Device) laplacePlanes(c *call.Call, l *call.Laplace) {
	wide := min(int(l.Tile[0]), haloThreads/2)
	high := max(min(int(l.Tile[1]), haloThreads/2/wide), 1)
	l.Tile[0], l.Tile[1] = int64(wide), int64(high)
	row := over(wide+2, 16) * 16
	g := geometry{shared: 3 * row * (high + 2) * c.Elem.Size()}
	for axis, n := range c.Box.N {
		g.grid[axis] = over(n, int(l.Tile[axis]))
	}
	g.block = [3]int{over(max(wide*high, 2*(wide+high)), warp) * warp, 1, 1}
	d.launch(c, "laplace_planes", g, unsafe.Pointer(l), unsafe.Sizeof(*l))
}

// laplaceStrip runs the kernel of one sweep.
func (d *Device) laplaceStrip(c *call.Call, l *call.Laplace) {
	shape, nodes := laplaceStrip, laplaceStrip.bytes/c.Elem.Size()
	l.Tile = [3]int64{int64(over(c.Box.N[0], nodes)), int64(over(c.Box.N[1], shape.rows)), 0}
	across := over(int(l.Tile[0]*l.Tile[1]), shape.threads)
	g := geometry{block: [3]int{shape.threads, 1, 1}}
	g.grid = [3]int{across, d.soonestSlabs(c.Box.N[2], across, shape.blocks, 2), 1}
	d.launch(c, "laplace_strip_"+wholeRows(c.Box.N[0], nodes), g, unsafe.Pointer(l), unsafe.Sizeof(*l))
}

// laplacePass runs a kernel of several sweeps, with as many warps as there is shared memory for.
func (d *Device) laplacePass(c *call.Call, l *call.Laplace, sweeps int) {
	shape, n, nodes := laplacePasses[sweeps], c.Box.N, laplaceStrip.bytes/c.Elem.Size()
	width := warp * nodes
	bytes := 2 * sweeps * shape.rows * width * c.Elem.Size() // of a warp: two planes of each sweep
	warps := min(shape.warps, d.info.sharedBytes()/bytes, over(n[1], shape.rows))
	rows := warps * shape.rows
	if rows < n[1] && rows <= 2*sweeps { // nothing is left of a tile
		c.Fail("%d bytes of shared memory are not enough", d.info.sharedBytes())
		return
	}
	g := geometry{block: [3]int{warp, warps, 1}, shared: warps * bytes}
	g.grid = [3]int{tilesWithin(n[0], width, 2*nodes), tilesWithin(n[1], rows, 2*sweeps), 1}
	g.grid[2] = d.soonestSlabs(n[2], g.blocks(), 1, 2*sweeps)
	d.launch(c, fmt.Sprintf("laplace_pass_%d_%s", sweeps, wholeRows(n[0], nodes)), g, unsafe.Pointer(l), unsafe.Sizeof(*l))
}

// tilesWithin returns how many tiles cover n where neighbours share some.
func tilesWithin(n, tile, shared int) int {
	if n <= tile {
		return 1
	}
	return over(n-shared, tile-shared)
}

// soonestSlabs returns how many slabs of n planes are done soonest if each of the blocks that the GPU holds at a time takes as long as the slab has planes
// and `more` around it.
func (d *Device) soonestSlabs(n, across, held, more int) int {
	held *= d.info.Multiprocessors
	best, least := 1, math.MaxInt
	for s := 1; s <= max(over(n, leastSlab), 1); s++ {
		if cost := over(across*s, held) * (over(n, s) + more); cost < least {
			best, least = s, cost
		}
	}
	return best
}

// wholeRows names how rows of n nodes fall to threads with so many of them.
func wholeRows(n, nodes int) string {
	if n%nodes == 0 {
		return "whole"
	}
	return "any"
}
