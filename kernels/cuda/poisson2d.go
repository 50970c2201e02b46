package cuda

import (
	"unsafe"

	"convect/kernels"
)

// Threads of a block along an axis where they are one a row or column, and where they are one a node of a tile.
const (
	rowOrColumn = 1024
	sideThreads = 32
)

// Poisson2D makes one Jacobi sweep of Poisson's equation in the plane, with the paper's threads.
func (d *Device) Poisson2D(a kernels.Poisson2DArgs) {
	c := d.begin("Poisson2D", a.Out)
	p := c.Poisson2D(a)
	if !c.OK() {
		return
	}
	across, up, side := int(p.Blocks), a.Blocks(c.Box.N[2]), min(a.Tile, sideThreads)
	line := [3]int{min(a.Tile, rowOrColumn), 1, 1}
	tiles := geometry{grid: [3]int{across, up, 1}, block: [3]int{side, side, 1}}
	name, g := "", tiles
	switch a.Layout {
	case kernels.RowThreads:
		name, g = "poisson2d_rows", geometry{grid: [3]int{up, 1, 1}, block: line}
	case kernels.ColumnThreads:
		name, g = "poisson2d_columns", geometry{grid: [3]int{across, 1, 1}, block: line}
	case kernels.SquareTiles:
		name = "poisson2d_tiles"
	case kernels.StagedTiles:
		name = "poisson2d_staged"
		g.shared = (side + 2) * (side + 2) * c.Elem.Size()
	}
	d.launch(&c, name, g, unsafe.Pointer(&p), unsafe.Sizeof(p))
}
