package jaugey

import (
	"convect/kernels"
	"convect/kernels/call"
)

// Layout says in which order Poisson2D visits the nodes of a flat box.
type Layout uint8

// Layouts of Poisson2D: blocks of n whole rows, visited column by column, so that n threads side by side would each
// own a row; blocks of n whole columns, visited row by row; n by n tiles, visited row by row; the same from a copy of
// the tile and its rim.
const (
	RowThreads Layout = iota
	ColumnThreads
	SquareTiles
	StagedTiles
)

// String returns the name in reports.
func (l Layout) String() string { return [...]string{"row", "column", "2-D", "2-D staged"}[l] }

// Poisson2DArgs makes one Jacobi sweep of -∇²u = f on a flat box with square cells of width h,
//
//	Out_ik = (U_i-1,k + U_i+1,k + U_i,k-1 + U_i,k+1 + F_ik) / 4,   F = h² f,
//
// at inner nodes, Out = U on the four walls. It reads U and F and writes Out once: 3 words a node. Out must not be U or F.
// Layout and Tile (n, at least 1) say how the work is cut, along both axes into ceil((N-1)/n)+1 blocks, of which the last may
// be empty. They do not change the result.
//
// Source: Jaugey, Poisson solver in CUDA, 2021; its threads of a block are the nodes side by side in a block here.
type Poisson2DArgs struct {
	Box       kernels.Box
	Out, U, F kernels.Buffer
	Layout    Layout
	Tile      int
}

// Blocks returns the number of blocks along an axis of n nodes: ceil((n-1)/tile) + 1.
func (a Poisson2DArgs) Blocks(n int) int { return (n-2+a.Tile)/a.Tile + 1 }

// arguments is jaugey_poisson_args: what kernels get.
type arguments struct {
	Box                  call.Box
	Out, U, F            uintptr
	Layout, Tile, Blocks int64
}

// check checks the fields and how the work is cut.
func (a *Poisson2DArgs) check(c *call.Call) arguments {
	s := arguments{Box: c.SetBox(a.Box), Out: c.Nodes(a.Out, "Out"), U: c.Nodes(a.U, "U"), F: c.Nodes(a.F, "F"),
		Layout: int64(a.Layout), Tile: int64(a.Tile)}
	switch {
	case !c.OK():
		return s
	case a.Out == a.U || a.Out == a.F:
		c.Fail("Out is U or F")
	case !a.Box.Flat():
		c.Fail("the box is not flat")
	case a.Tile < 1:
		c.Fail("a tile of %d nodes", a.Tile)
	case a.Layout > StagedTiles:
		c.Fail("unknown layout %d", a.Layout)
	default:
		s.Blocks = int64(a.Blocks(a.Box.N[kernels.X]))
	}
	return s
}
