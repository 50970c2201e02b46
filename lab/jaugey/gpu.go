package jaugey

import (
	"unsafe"

	"convect/kernels"
	"convect/kernels/cuda"
)

// Threads of a block along an axis where they are one a row or column, and where they are one a node of a tile.
const (
	rowOrColumn = 1024
	sideThreads = 32
)

// gpu runs the kernels on a GPU, with the paper's threads.
type gpu struct{ *cuda.Device }

// Poisson2D makes one Jacobi sweep of Poisson's equation in the plane.
func (d gpu) Poisson2D(a Poisson2DArgs) {
	c := d.BeginGuest("Poisson2D", a.Out)
	s := a.check(&c.Call)
	if !c.OK() {
		return
	}
	across, up, side := int(s.Blocks), a.Blocks(c.Box.N[kernels.Z]), min(a.Tile, sideThreads)
	line, tile, shared := [3]int{min(a.Tile, rowOrColumn), 1, 1}, [3]int{side, side, 1}, (side+2)*(side+2)*c.Elem.Size()
	launch := func(kernel string, grid, block [3]int, shared int) {
		c.Launch(kernel, grid, block, shared, unsafe.Pointer(&s), unsafe.Sizeof(s))
	}
	switch a.Layout {
	case RowThreads:
		launch("poisson2d_rows", [3]int{up, 1, 1}, line, 0)
	case ColumnThreads:
		launch("poisson2d_columns", [3]int{across, 1, 1}, line, 0)
	case SquareTiles:
		launch("poisson2d_tiles", [3]int{across, up, 1}, tile, 0)
	case StagedTiles:
		launch("poisson2d_staged", [3]int{across, up, 1}, tile, shared)
	}
}
