package islam

import (
	"convect/kernels"
	"convect/kernels/call"
)

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
	Box       kernels.Box
	Out, U, F kernels.Buffer
	Lines     bool
	Tile      [2]int // along x and z
	Overlap   int
	Sweeps    int
}

// Blocks returns the numbers of blocks along x and z.
func (a HierarchicalJacobiArgs) Blocks() (n [2]int) {
	n[0] = blocksOver(a.Box.N[kernels.X]-2, a.Tile[0], a.Overlap)
	if a.Lines {
		n[1] = blocksOver(a.Box.N[kernels.Z], a.Tile[1], 0)
	} else {
		n[1] = blocksOver(a.Box.N[kernels.Z]-2, a.Tile[1], a.Overlap)
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
	Box       kernels.Box
	Out, U, F kernels.Buffer
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

// flat is islam_jacobi_args: what HierarchicalJacobi gets.
type flat struct {
	Box                     call.Box
	Out, U, F, Scratch      uintptr
	Lines                   int64
	Tile, Room, Blocks      [2]int64
	Overlap, Sweeps, Stream int64
}

// cube is islam_cube_args: what HierarchicalCube gets.
type cube struct {
	Box                     call.Box
	Out, U, F, Scratch      uintptr
	Tile, Room, Blocks      [3]int64
	Overlap, Sweeps, Stream int64
}

// check checks the fields and the blocks.
func (a *HierarchicalJacobiArgs) check(c *call.Call) flat {
	s := flat{Box: c.SetBox(a.Box), Out: c.Nodes(a.Out, "Out"), U: c.Nodes(a.U, "U"), F: c.Nodes(a.F, "F"),
		Overlap: int64(a.Overlap), Sweeps: int64(a.Sweeps)}
	if a.Lines {
		s.Lines = 1
	}
	n := a.Box.N
	switch {
	case a.Out == a.U || a.Out == a.F:
		c.Fail("Out is U or F")
	case !a.Box.Flat():
		c.Fail("the box is not flat")
	case n[0] < 3 || n[2] < 3 && !a.Lines:
		c.Fail("%d x %d nodes hold no unknown", n[0], n[2])
	case a.Tile[0] < 1 || a.Tile[1] < 1 || a.Sweeps < 1:
		c.Fail("%d sweeps on blocks of %d x %d unknowns", a.Sweeps, a.Tile[0], a.Tile[1])
	case a.Overlap < 0 || a.Overlap%2 != 0 || a.Overlap >= a.Tile[0] || a.Overlap >= a.Tile[1] && !a.Lines:
		c.Fail("an overlap of %d unknowns of %d x %d is not even and smaller", a.Overlap, a.Tile[0], a.Tile[1])
	}
	if !c.OK() {
		return s
	}
	blocks := a.Blocks()
	s.Tile = [2]int64{int64(a.Tile[0]), int64(a.Tile[1])}
	s.Room = [2]int64{int64(min(a.Tile[0], n[0]-2)), int64(min(a.Tile[1], n[2]))}
	s.Blocks = [2]int64{int64(blocks[0]), int64(blocks[1])}
	return s
}

// check checks the fields and the blocks.
func (a *HierarchicalCubeArgs) check(c *call.Call) cube {
	s := cube{Box: c.SetBox(a.Box), Out: c.Nodes(a.Out, "Out"), U: c.Nodes(a.U, "U"), F: c.Nodes(a.F, "F"), Overlap: int64(a.Overlap),
		Sweeps: int64(a.Sweeps)}
	n := a.Box.N
	switch {
	case a.Out == a.U || a.Out == a.F:
		c.Fail("Out is U or F")
	case a.Box.Flat():
		c.Fail("the box is flat")
	case min(n[0], n[1], n[2]) < 3:
		c.Fail("%d x %d x %d nodes hold no unknown", n[0], n[1], n[2])
	case min(a.Tile[0], a.Tile[1], a.Tile[2], a.Sweeps) < 1:
		c.Fail("%d sweeps on blocks of %d x %d x %d unknowns", a.Sweeps, a.Tile[0], a.Tile[1], a.Tile[2])
	case a.Overlap < 0 || a.Overlap%2 != 0 || a.Overlap >= min(a.Tile[0], a.Tile[1], a.Tile[2]):
		c.Fail("an overlap of %d unknowns of %d x %d x %d is not even and smaller", a.Overlap, a.Tile[0], a.Tile[1], a.Tile[2])
	}
	if !c.OK() {
		return s
	}
	for axis, blocks := range a.Blocks() {
		s.Tile[axis], s.Room[axis], s.Blocks[axis] = int64(a.Tile[axis]), int64(min(a.Tile[axis], n[axis]-2)), int64(blocks)
	}
	return s
}
