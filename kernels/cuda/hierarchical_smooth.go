package cuda

import (
	"unsafe"

	"convect/kernels"
)

// Threads of a block that sweeps a tile, and the most blocks at a time: each has scratch memory of its own.
const (
	tileThreads = 256
	tileBlocks  = 512
)

// HierarchicalSmooth makes Jacobi sweeps on blocks of rows.
func (d *Device) HierarchicalSmooth(a kernels.HierarchicalSmoothArgs) {
	c := d.begin("HierarchicalSmooth", a.Out)
	s := c.HierarchicalSmooth(a)
	if !c.OK() {
		return
	}
	n, margin, tiles, room := c.Box.N, int(s.Margin), 1, 2*(c.Box.N[0]+2)*c.Elem.Size()
	for axis, rows := range s.Tile {
		tiles *= over(n[axis+1], int(rows))
		if axis == 1 || !c.Box.Flat() {
			room *= int(rows) + 2*margin + 2
		}
	}
	g := geometry{grid: [3]int{min(tiles, tileBlocks), 1, 1}, block: [3]int{tileThreads, 1, 1}}
	s.Scratch = d.reserve(&c, &d.scratch, g.grid[0]*room)
	d.launch(&c, variant("hierarchical_smooth", &s.Sweep.A), g, unsafe.Pointer(&s), unsafe.Sizeof(s))
}
