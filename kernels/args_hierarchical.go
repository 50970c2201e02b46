package kernels

//kernel:family Solvers

// MaxBlockSweeps is the largest number of sweeps of HierarchicalSmooth.
const MaxBlockSweeps = 32

// HierarchicalSmoothArgs makes Sweeps damped Jacobi sweeps on blocks of rows, each independent of the others, so that a block
// stays in cache meanwhile (Islam & Wang, Hierarchical Jacobi iteration for structured matrices on GPUs using shared memory, 2020).
// The rows (j,k) of nodes are cut from the first on into tiles of Tile[0] rows along y and Tile[1] along z. A block is a tile
// with Margin more rows on each side, less where a wall is nearer, and round about periodic ends. From U (nil: zero) it makes
//
//	u <- u + Omega[s] mask D^-1 (F - A u)    on its own rows, s = 0 ... Sweeps-1,
//
// u being as in U on all other rows. Out on the tile is the last u: blocks that lie beside each other share 2 Margin rows and each
// hands on the half that is farther from its rim. With a Margin of Sweeps-1 or more they are sweeps of all nodes, those of SmoothArgs. In
// 2-D tiles are Tile[1] rows along z.
//
// Fields need no halo. Out must be neither U nor F.
type HierarchicalSmoothArgs struct {
	A         *Elliptic
	Periodic  [3]bool
	Out, U, F Buffer
	Omega     [MaxBlockSweeps]float64
	Sweeps    int
	Tile      [2]int
	Margin    int
}
