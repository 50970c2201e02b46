package kernels

//kernel:family Solvers apply an Elliptic operator.

// Elliptic is the operator of doc.go on one grid: what a kernel needs to apply it. All buffers have the element
// type of the fields it is applied to.
type Elliptic struct {
	Box Box
	// Shape is what the axis arrays hold.
	Shape Shape
	// Stencil is the discretisation; RedBlack takes SevenPoint only.
	Stencil Stencil
	// Axis arrays of N+2*HaloWidth elements; the value of node (or cell) i is element i+HaloWidth.
	// Flat boxes: see the package text.
	H, RH, W [3]Buffer // cell widths h, their reciprocals (0 where h is 0), dual widths w
	// Conductivities: one number per direction where Cells[0] is nil; otherwise one array per direction laid out
	// by Box, cell (i,j,k) at node (i,j,k), zero beyond walls, wrapped at periodic ends. Directions may share one
	// buffer.
	K     [3]float64
	Cells [3]Buffer
	// Faces hold what ConductanceArgs makes of all this, for devices that go by it (Conductor, FacesSweeper); nil where it is not kept, and along an
	// absent y axis.
	Faces [3]Buffer
	// Mass: s = MassScale; m is Mass if set (box layout, integrated over the dual volume), else the dual volume.
	MassScale float64
	Mass      Buffer
	// Mask tells fixed nodes; nil: all nodes are free.
	Mask *RowMask
}

// Stencil is a discretisation of -∇·(k∇u): which nodes an operator ties, and by which fluxes.
type Stencil uint8

// Stencils; doc.go defines both.
const (
	SevenPoint       Stencil = iota // finite volumes: a node and its neighbours along the axes (5 in 2-D)
	TwentySevenPoint                // trilinear finite elements: all nodes of the cells around a node (9 in 2-D)
)

// Points returns the number of points of the stencil in 3-D.
func (s Stencil) Points() int { return [...]int{7, 27}[s] }

// RowMask tells free (1) from fixed (0) nodes. Distinct rows are stored once: row (j,k) of the box uses entry
// Index[j+k*N[1]] of Table, whose entries are N[0] elements long at a stride of Stride elements. Entry 0 is the
// row of ones and entry 1 the row of zeros, so that kernels may treat both fast.
type RowMask struct {
	Index  Buffer // Int32, N[1]*N[2]
	Table  Buffer // Rows*Stride elements of the fields' type
	Rows   int
	Stride int
	// Fixed are the sides all of whose nodes are fixed. Whole tells that no other node is.
	Fixed [6]bool
	Whole bool
}

// ApplyArgs computes Y = mask (A X). X needs one halo layer.
//
//kernel:struct Sweep Y=Out X=U
type ApplyArgs struct {
	A *Elliptic
	Y Buffer `kernel:"write"`
	X Buffer `kernel:"read,halo=1"`
}

// ResidualArgs computes R = mask (F - A U). U needs one halo layer. R may be F.
//
// R may be float32 where A, F and U are float64: it is then Scale mask (F - A U), computed in float64 and rounded
// once, the right side of a correction in single precision. Scale is not used otherwise.
//
// A device that SweepsFaces of an operator has it faster where what they conduct is kept (Elliptic.Faces), as well as cycles.
//
//kernel:better FacesSweeper SweepsFaces(*Elliptic) cpu
//kernel:struct Sweep R=Out Scale=-
//kernel:check
type ResidualArgs struct {
	A     *Elliptic
	R     Buffer `kernel:"write,inplace=F,byhand"`
	F     Buffer `kernel:"read"`
	U     Buffer `kernel:"read,halo=1"`
	Scale float64
}

// CorrectArgs corrects a solution and measures what it leaves, in one pass:
//
//	Out = U + Scale E + Shift,   R = Inverse mask (F - A Out) rounded to float32,
//	slots from Slot on: Σ R², Σ V Out, Σ V Out², Σ F, Σ F²
//
// over the free nodes, V the dual volume. U and F are of one type and have, as has E, one halo layer. U nil means zero. E nil: nothing is
// corrected, Out is not written and may be nil, and stands for U. With float64 E and R are float32; with float32 there is no correction, R is nil, and the
// slot has Σ (mask (F - A U))². Out must not be U. A RatioTaker multiplies Scale by By.
//
//kernel:optional Corrector Corrects(*Elliptic) cuda
//kernel:struct -
//kernel:ranks points=7
type CorrectArgs struct {
	A              *Elliptic
	Out            Buffer `kernel:"write,optional"`
	U              Buffer `kernel:"read,halo=1,optional"`
	F              Buffer `kernel:"read"`
	E              Buffer `kernel:"read,halo=1,optional"`
	R              Buffer `kernel:"write,optional"`
	Scale, Inverse float64
	Shift          float64 // of all nodes; 0 where E is nil
	By             Ratio
	Slot           int `kernel:"sum,sum,sum,sum,sum"`
}

// CorrectSlots is the number of slots of CorrectArgs.
const CorrectSlots = 5

// EnergyArgs computes Image = A X, zero at fixed nodes, and Slot = Σ X (A X) over all nodes, in float64 of A X in the type of X; without Image in one pass. X needs one halo layer, and
// is zero at fixed nodes. Image may be nil; it must not be X.
//
//kernel:also Strip Stream
//kernel:check
type EnergyArgs struct {
	A     *Elliptic
	X     Buffer `kernel:"read,halo=1"`
	Image Buffer `kernel:"write,optional"`
	Slot  int    `kernel:"sum"`
}

// ConjugateArgs makes the next direction of conjugate gradients and its energy, in one pass:
//
//	Out = X + Scale P,   Slot = Σ Out (A Out) over all nodes,
//
// the sum in float64 of A Out in the type of X. X and P need one halo layer and are zero at fixed nodes. Out must be neither. A RatioTaker multiplies Scale by By.
//
//kernel:optional Conjugator Conjugates(*Elliptic) cuda
//kernel:struct -
type ConjugateArgs struct {
	A     *Elliptic
	Out   Buffer `kernel:"write"`
	X, P  Buffer `kernel:"read,halo=1"`
	Scale float64
	By    Ratio
	Slot  int `kernel:"sum"`
}

// SmoothArgs makes one damped Jacobi sweep Out = U + Omega mask D^-1 (F - A U), D the diagonal of A.
// U nil means a zero first guess. Out must not be U. Where D is zero the node is left alone.
//
//kernel:struct Sweep
type SmoothArgs struct {
	A     *Elliptic
	Out   Buffer  `kernel:"write,inplace=F"`
	U     Buffer  `kernel:"read,halo=1,optional"`
	F     Buffer  `kernel:"read"`
	Omega float64 `sample:"1"`
}

// RedBlackArgs relaxes, in place, the nodes with (i+j+k) mod 2 = Colour:
// U += Omega mask D^-1 (F - A U).
//
//kernel:struct Sweep U=Out
//kernel:check
//kernel:ranks byhand
type RedBlackArgs struct {
	A      *Elliptic
	U      Buffer  `kernel:"update,halo=1"`
	F      Buffer  `kernel:"read"`
	Omega  float64 `sample:"1"`
	Colour int
}

// LineSmoothArgs makes one damped sweep of vertical lines, each solved exactly:
//
//	Out = U + Omega T^-1 (F - A U) at free nodes, Out = U at fixed ones,
//
// T being the vertical tridiagonal part of A on the free nodes of a column (i,j), with the whole diagonal of A:
// (T x)_k = D_k x_k - g_(k-1/2) x_(k-1) - g_(k+1/2) x_(k+1). It is cyclic where z is periodic (Periodic). With TwentySevenPoint
// -g is the entry of A between the two nodes, which the cells around their edge make: Σ V (2 w_x + 2 w_y - 4 w_z)/36, in 2-D
// Σ V (6 w_x - 12 w_z)/36, w_d = k_d/h_d².
// U has one halo layer; U nil means a zero first guess. Out must not be U; it may be F.
//
// T is as near to singular as a column is loosely tied to its neighbours, and is solved to the relative accuracy of
// its conductances nevertheless: x depends on the D_k only through what is left of them without the vertical g. Nodes
// in a column that are tied to nothing else at all (no fixed node, no neighbour in x or y, no mass) have constants in
// the null space of T and of A; their topmost node is left alone.
//
//kernel:struct Line A=Sweep.A Out=Sweep.Out U=Sweep.U F=Sweep.F Omega=Sweep.Omega
//kernel:check
type LineSmoothArgs struct {
	A        *Elliptic
	Out      Buffer  `kernel:"write,inplace=F"`
	U        Buffer  `kernel:"read,halo=1,optional"`
	F        Buffer  `kernel:"read"`
	Omega    float64 `sample:"1"`
	Periodic bool    // along z
}

// MassUpdateArgs computes U += mask R / (s m).
//
//kernel:struct Sweep U=Out R=F
type MassUpdateArgs struct {
	A *Elliptic `kernel:"mass"`
	U Buffer    `kernel:"update"`
	R Buffer    `kernel:"read"`
}

// SolveCoarseArgs solves A U = F on a small grid to the rounding of its element type, starting from zero, by
// conjugate gradients with diagonal preconditioning inside one kernel, sums in float64. Fixed nodes get zero.
// Singular: A has the constants as null space; F is made consistent, F_n -= V_n ΣF / ΣV, and U has zero
// volume-weighted mean; otherwise F is not changed.
// Work holds 4 buffers laid out by the box. Periodic tells which halos the kernel must wrap itself.
//
// A device that SolvesDirectly with an operator does so at the cost of a few sweeps, so that multigrid need not coarsen it further.
//
//kernel:better DirectSolver SolvesDirectly(*Elliptic) cuda
//kernel:struct Coarse Work=-
//kernel:check
//kernel:ranks whole
type SolveCoarseArgs struct {
	A        *Elliptic
	U        Buffer    `kernel:"write"`
	F        Buffer    `kernel:"read,lost"`
	Work     [4]Buffer `kernel:"write,lost,uncounted"`
	Singular bool
	Periodic [3]bool
}

// SolveFactoredArgs solves the problem of SolveCoarseArgs without iterations, by elimination of planes of nodes across Along, which is not periodic, from both ends
// to the middle: the factors are the inverses of
//
//	S_0 = A_00,   S_k = A_kk - A_(k,k-1) S_(k-1)^-1 A_(k-1,k),   likewise from the last plane down, and both in the middle
//
// with A_kl what couples the nodes of plane k to those of plane l. The true residual is solved for again as long as it falls fourfold, so that rounding is that of
// SolveCoarse. Renew: the factors are made first. Factors keeps them from call to call, as many of float64 as CoarseFactors tells, Entries; if nil they
// are made anew. What they hold is the device's own: in float32 it may be the inverse of A, by which F is multiplied once.
//
//kernel:optional CoarseFactorer FactorsCoarse(*Elliptic) cuda
//kernel:struct Coarse Factors=- Entries=-
//kernel:check
//kernel:ranks whole
type SolveFactoredArgs struct {
	A        *Elliptic
	U        Buffer `kernel:"write"`
	F        Buffer `kernel:"read,lost"`
	Factors  Buffer `kernel:"update,len=Entries,lost,uncounted,optional,byhand"`
	Entries  int
	Singular bool
	Periodic [3]bool
	Along    int `kernel:"axis" sample:"0"`
	Renew    bool
}

// MostFactored is the number of nodes of a plane up to which SolveFactored eliminates planes, and MostInverted that of a grid up to which its factors have room for
// the inverse of its matrix.
const (
	MostFactored = 64
	MostInverted = 512
)

// CoarseFactors returns the axis across the smallest planes that SolveFactored can eliminate, and the number of float64 of its factors: 0 where all planes have too
// many nodes, or every axis is periodic.
func CoarseFactors(n [3]int, periodic [3]bool) (along, entries int) {
	least := MostFactored + 1
	for axis := range n {
		if nodes := n[0] * n[1] * n[2] / n[axis]; !periodic[axis] && nodes < least {
			along, least = axis, nodes
		}
	}
	if least > MostFactored {
		return 0, 0
	}
	planes, inverse := FactorEntries(n, along)
	return along, planes + inverse
}

// FactorEntries returns the numbers of float64 of the factors of SolveFactored: of the inverses of planes across an axis, and of that of the whole matrix, 0 where the grid has too
// many nodes.
func FactorEntries(n [3]int, along int) (planes, inverse int) {
	all := n[0] * n[1] * n[2]
	if all <= MostInverted {
		inverse = all * all
	}
	return all * all / n[along], inverse
}
