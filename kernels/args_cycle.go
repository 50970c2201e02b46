package kernels

// MaxSweeps is the largest number of sweeps of Descend and Ascend.
const MaxSweeps = 4

// CycleArgs describes one level of a cycle, made in one pass over memory; fields beyond the walls and at periodic ends
// need no halo. A sweep with Omega[s] is that of SmoothArgs, transfers are those of TransferArgs.
//
// Descend: U = Sweeps damped Jacobi sweeps from zero on A U = F; CoarseX = mask_coarse Pᵀ mask (F - A U). Sweeps is at
// least 1. Moves 2 words a node and 1/8 for CoarseX.
//
// Ascend: Out = Sweeps damped Jacobi sweeps on A U = F from U + mask P CoarseX. Out must not be U. Moves 3 words a node
// and 1/8 for CoarseX.
type CycleArgs struct {
	A          *Elliptic
	Periodic   [3]bool
	Out, U, F  Buffer // Out is not used by Descend
	Omega      [MaxSweeps]float64
	Sweeps     int
	Coarse     Box
	Factor     [3]int
	CoarseX    Buffer
	CoarseMask *RowMask // of Descend; nil: all nodes are free
}
