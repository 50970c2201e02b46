package kernels

// HierarchicalCubeArgs makes one cycle of Jacobi sweeps on blocks of a box in three dimensions with cubic cells of width h, as
// HierarchicalJacobiArgs does in the plane: every block of Tile unknowns is copied with its rim, sweeps Sweeps times by itself from U while
// its rim stays as it was,
//
//	u_ijk ← (u_i-1,j,k + u_i+1,j,k + u_i,j-1,k + u_i,j+1,k + u_i,j,k-1 + u_i,j,k+1 + F_ijk) / 6,   F = h² f,
//
// and hands its unknowns on to Out; Out = U on the six walls. Neighbouring blocks share Overlap unknowns along each axis: an even number less than
// Tile. Of those that two blocks have, each hands on the half that is farther from its rim. With one sweep it is plain Jacobi whatever the
// blocks. A block belongs to one thread (CPU: in its cache) or thread block (GPU: in registers and shared memory, up to 16 unknowns along each axis).
// At least 3 words an unknown move. Out must not be U or F.
type HierarchicalCubeArgs struct {
	Box       Box
	Out, U, F Buffer
	Tile      [3]int // along x, y and z
	Overlap   int
	Sweeps    int
}

// Blocks returns the numbers of blocks along x, y and z.
func (a HierarchicalCubeArgs) Blocks() (n [3]int) {
	for axis, tile := range a.Tile {
		n[axis] = blocksOver(a.Box.N[axis]-2, tile, a.Overlap)
	}
	return n
}
