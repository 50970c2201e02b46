package islam

import (
	"convect/kernels"
	"convect/kernels/call"
)

// MaxBlockSweeps is the largest number of sweeps of HierarchicalSmooth.
const MaxBlockSweeps = 32

// HierarchicalSmoothArgs makes Sweeps damped Jacobi sweeps on blocks of rows, each independent of the others, so that a block
// stays in cache meanwhile: the paper's cycle for the elliptic operators of package kernels.
// The rows (j,k) of nodes are cut from the first on into tiles of Tile[0] rows along y and Tile[1] along z. A block is a tile
// with Margin more rows on each side, less where a wall is nearer, and round about periodic ends. From U (nil: zero) it makes
//
//	u <- u + Omega[s] mask D^-1 (F - A u)    on its own rows, s = 0 ... Sweeps-1,
//
// u being as in U on all other rows. Out on the tile is the last u: blocks that lie beside each other share 2 Margin rows and each
// hands on the half that is farther from its rim. With a Margin of Sweeps-1 or more they are sweeps of all nodes, those of
// kernels.SmoothArgs. In 2-D tiles are Tile[1] rows along z.
//
// Fields need no halo. Out must be neither U nor F.
type HierarchicalSmoothArgs struct {
	A         *kernels.Elliptic
	Periodic  [3]bool
	Out, U, F kernels.Buffer
	Omega     [MaxBlockSweeps]float64
	Sweeps    int
	Tile      [2]int
	Margin    int
}

// rows is islam_smooth_args: what HierarchicalSmooth gets.
type rows struct {
	A                  call.Elliptic
	Out, U, F, Scratch uintptr
	Omega              [MaxBlockSweeps]float64
	Sweeps             int64
	Tile               [2]int64
	Margin             int64
	Periodic           [3]int64
	Stream             int64
}

// check checks the fields, and cuts tiles and margin to what matters.
func (a *HierarchicalSmoothArgs) check(c *call.Call) rows {
	s := rows{A: c.Elliptic(a.A), Out: c.Nodes(a.Out, "Out"), F: c.Nodes(a.F, "F"), Omega: a.Omega, Sweeps: int64(a.Sweeps)}
	if a.U != nil {
		s.U = c.Nodes(a.U, "U")
	}
	switch {
	case !c.OK():
	case a.Out == a.U:
		c.Fail("Out is U")
	case a.Out == a.F:
		c.Fail("Out is F")
	case a.Sweeps < 1 || a.Sweeps > MaxBlockSweeps:
		c.Fail("%d sweeps: from 1 to %d", a.Sweeps, MaxBlockSweeps)
	case a.Tile[0] < 1 || a.Tile[1] < 1 || a.Margin < 0:
		c.Fail("tiles of %d x %d rows with a margin of %d", a.Tile[0], a.Tile[1], a.Margin)
	}
	if !c.OK() {
		return s
	}
	s.Margin = int64(min(a.Margin, a.Sweeps-1)) // further rows do not matter
	for i, tile := range a.Tile {
		s.Tile[i] = int64(min(tile, c.Box.N[i+1]))
	}
	for d, periodic := range a.Periodic {
		if periodic {
			s.Periodic[d] = 1
		}
	}
	return s
}
