package kernels

// LaplaceForm says how a GPU makes a Jacobi sweep of Laplace's equation.
type LaplaceForm uint8

// Forms of LaplaceJacobi: the paper's, columns of Tile[0] by Tile[1] threads, one a node, that march up with three planes
// in shared memory; and threads that march up with nodes side by side in their registers, to which rows beside come from the
// first cache and, where several sweeps are made in one pass, from shared memory. On a CPU they are the same.
const (
	PlanesInShared LaplaceForm = iota
	NodesInRegisters
)

// String returns the name in reports.
func (f LaplaceForm) String() string { return [...]string{"three planes", "registers"}[f] }

// LaplaceJacobiArgs makes Jacobi sweeps of Laplace's equation on a box in three dimensions,
//
//	Out_ijk = (U_i-1,j,k + U_i+1,j,k + U_i,j-1,k + U_i,j+1,k + U_i,j,k-1 + U_i,j,k+1) / 6
//
// at inner nodes, Out = U on the six walls. A sweep reads U and writes Out once: 2 words a node. Out must not be U.
//
// Tile is the extent of the blocks of nodes along x, y and z into which the work is cut; 0 stands for a whole axis. A
// block is swept plane by plane in z and belongs to one thread (CPU) or thread block (GPU; one of at most 1024 threads has tiles
// no larger). It does not change the result, nor does Form; with NodesInRegisters Tile is ignored on a GPU.
//
// Sweeps, where more than 1, are made one after the other, the last to Out. On a GPU NodesInRegisters makes up to four of them in
// one pass over memory. Work, like Out, is needed then and left with anything in it; it must not be U or Out.
//
// Source: Giles, Jacobi iteration for a Laplace discretisation on a 3D structured grid, 2008.
type LaplaceJacobiArgs struct {
	Box    Box
	Out, U Buffer
	Tile   [3]int
	Form   LaplaceForm
	Sweeps int
	Work   Buffer
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

// HierarchicalJacobiArgs makes one cycle of Jacobi sweeps on blocks of a flat box with square cells of width h: every block
// of Tile unknowns is copied with its rim, sweeps Sweeps times by itself from U while its rim stays as it was,
//
//	u_ik ← (u_i-1,k + u_i+1,k + u_i,k-1 + u_i,k+1 + F_ik) / 4,   F = h² f,
//
// and hands its unknowns on to Out; Out = U on the walls. With Lines every row of the box is an equation of its own in one
// dimension, u_i ← (u_i-1 + u_i+1 + F_i) / 2, and has walls at its two ends only; a block then is Tile[1] rows by Tile[0] unknowns,
// and Tile[1] does not change the result.
//
// Neighbouring blocks share Overlap unknowns, along x and, without Lines, along z: an even number less than Tile. Of those that two
// blocks have, each hands on the half that is farther from its rim. With one sweep it is plain Jacobi whatever the blocks. A
// block belongs to one thread (CPU: in its first cache) or thread block (GPU: in shared memory). At least 3 words an unknown
// move. Out must not be U or F.
//
// Source: Islam, Wang, Hierarchical Jacobi iteration for structured matrices on GPUs using shared memory, 2020; all blocks
// start from the same U here, where a GPU may let a block see what its neighbour has just handed on.
type HierarchicalJacobiArgs struct {
	Box       Box
	Out, U, F Buffer
	Lines     bool
	Tile      [2]int // along x and z
	Overlap   int
	Sweeps    int
}

// Blocks returns the numbers of blocks along x and z.
func (a HierarchicalJacobiArgs) Blocks() (n [2]int) {
	n[0] = blocksOver(a.Box.N[X]-2, a.Tile[0], a.Overlap)
	if a.Lines {
		n[1] = blocksOver(a.Box.N[Z], a.Tile[1], 0)
	} else {
		n[1] = blocksOver(a.Box.N[Z]-2, a.Tile[1], a.Overlap)
	}
	return n
}

// blocksOver returns how many blocks cover the unknowns of an axis, each but the first adding tile - overlap.
func blocksOver(unknowns, tile, overlap int) int {
	if unknowns <= tile {
		return 1
	}
	return 1 + (unknowns-tile+tile-overlap-1)/(tile-overlap)
}
