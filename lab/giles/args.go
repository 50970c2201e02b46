package giles

import (
	"convect/kernels"
	"convect/kernels/call"
)

// Form says how a GPU makes a Jacobi sweep of Laplace's equation.
type Form uint8

// Forms of LaplaceJacobi: the paper's, columns of Tile[0] by Tile[1] threads, one a node, that march up with three planes
// in shared memory; and threads that march up with nodes side by side in their registers, to which rows beside come from the
// first cache and, where several sweeps are made in one pass, from shared memory. On a CPU they are the same.
const (
	PlanesInShared Form = iota
	NodesInRegisters
)

// String returns the name in reports.
func (f Form) String() string { return [...]string{"three planes", "registers"}[f] }

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
	Box    kernels.Box
	Out, U kernels.Buffer
	Tile   [3]int
	Form   Form
	Sweeps int
	Work   kernels.Buffer
}

// arguments is giles_laplace_args: what kernels get.
type arguments struct {
	Box    call.Box
	Out    uintptr
	U      uintptr
	Work   uintptr
	Tile   [3]int64
	Stream int64
}

// check checks the fields and cuts tiles to the box.
func (a *LaplaceJacobiArgs) check(c *call.Call) arguments {
	s := arguments{Box: c.SetBox(a.Box), Out: c.Nodes(a.Out, "Out"), U: c.Nodes(a.U, "U")}
	if a.Sweeps > 1 {
		s.Work = c.Nodes(a.Work, "Work")
	}
	switch {
	case !c.OK():
		return s
	case a.Out == a.U:
		c.Fail("Out is U")
	case a.Sweeps < 0:
		c.Fail("%d sweeps", a.Sweeps)
	case a.Form > NodesInRegisters:
		c.Fail("unknown form %d", a.Form)
	case a.Sweeps > 1 && (a.Work == a.U || a.Work == a.Out):
		c.Fail("Work is U or Out")
	case a.Box.Flat():
		c.Fail("the box is flat")
	}
	for axis, n := range a.Tile {
		if n < 0 {
			c.Fail("a tile of %d nodes", n)
		}
		if n == 0 || n > a.Box.N[axis] {
			n = a.Box.N[axis]
		}
		s.Tile[axis] = int64(n)
	}
	return s
}

// pass returns what pass n of several reads and writes: they go from Out to Work and back, so that the last writes to Out.
func (s arguments) pass(n, passes int) arguments {
	between := [2]uintptr{s.Out, s.Work}
	if n > 0 {
		s.U = between[(passes-n)%2]
	}
	s.Out = between[(passes-n-1)%2]
	return s
}
