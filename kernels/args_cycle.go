package kernels

//kernel:family Transfers move values between the levels of a hierarchy.

// MaxSweeps is the largest number of sweeps of Descend and Ascend.
const MaxSweeps = 4

// CycleArgs describes one level of a cycle, made in one pass over memory; fields beyond the walls and at periodic ends
// need no halo. A sweep with Omega[s] is that of SmoothArgs, transfers are those of TransferArgs.
//
// Descend: Out = Sweeps damped Jacobi sweeps on A U = F from U (nil: zero); CoarseX = mask_coarse Pᵀ mask (F - A Out).
// Sweeps is at least 1. Moves 2 words a node, 3 with U, and 1/8 for CoarseX.
//
// Ascend: Out = Sweeps damped Jacobi sweeps on A U = F from U + mask P CoarseX. Moves 3 words a node and 1/8 for CoarseX.
//
// Out must not be U. On a CycleMeasurer Ascend with Measures reduces Σ F Out over all nodes to Slot, in float64 but for
// terms of nodes side by side; others refuse that.
//
//kernel:methods Descend Ascend
type CycleArgs struct {
	A          *Elliptic
	Periodic   [3]bool
	Out, U, F  Buffer
	Omega      [MaxSweeps]float64
	Sweeps     int
	Coarse     Box
	Factor     [3]int
	CoarseX    Buffer
	CoarseMask *RowMask // of Descend; nil: all nodes are free
	Measures   bool     // of Ascend
	Slot       int
}
