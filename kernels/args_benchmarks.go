package kernels

// LaplaceJacobiArgs makes one Jacobi sweep of Laplace's equation on a box in three dimensions,
//
//	Out_ijk = (U_i-1,j,k + U_i+1,j,k + U_i,j-1,k + U_i,j+1,k + U_i,j,k-1 + U_i,j,k+1) / 6
//
// at inner nodes, Out = U on the six walls. It reads U and writes Out once: 2 words a node. Out must not be U.
//
// Tile is the extent of the blocks of nodes along x, y and z into which the work is cut; 0 stands for a whole axis. A
// block is swept plane by plane in z and belongs to one thread (CPU) or thread block (GPU). It does not change the
// result.
//
// Source: Giles, Jacobi iteration for a Laplace discretisation on a 3D structured grid, 2008.
type LaplaceJacobiArgs struct {
	Box    Box
	Out, U Buffer
	Tile   [3]int
}

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
	Box       Box
	Out, U, F Buffer
	Layout    Layout
	Tile      int
}

// Blocks returns the number of blocks along an axis of n nodes: ceil((n-1)/tile) + 1.
func (a Poisson2DArgs) Blocks(n int) int { return (n-2+a.Tile)/a.Tile + 1 }
