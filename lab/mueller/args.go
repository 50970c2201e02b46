package mueller

import "convect/kernels"

// Kernels are those of conjugate gradients and multigrid on columns of cells: the model equation of Müller, Scheichl
// and others (arXiv:1302.7193, 2013) for flat, strongly anisotropic domains. [On] has them.
// Their fields are laid out by a Panel, not by a Box.
type Kernels interface {
	ColumnApply(ColumnApplyArgs)
	ColumnSolve(ColumnSolveArgs)
	ColumnSearch(ColumnSearchArgs)
	ColumnDescend(ColumnDescendArgs)
	ColumnDot(ColumnDotArgs)
	ColumnSmooth(ColumnSmoothArgs)
	ColumnCorrect(ColumnCorrectArgs)
	ColumnRestrict(ColumnRestrictArgs)
	ColumnProlong(ColumnProlongArgs)
	ColumnMatrix(ColumnMatrixArgs)
	MatrixApply(MatrixApplyArgs)
	MatrixSolve(MatrixSolveArgs)
}

// ColumnOperator is the operator on columns, in integrated (symmetric) form: for cell k of column T
//
//	(A u)_(T,k) = |T| ( a_k u_k + b_k (u_k - u_(k-1)) + b_(k+1) (u_k - u_(k+1)) ) + d_k Σ_T' α_TT' (u_(T,k) - u_(T',k))
//
// over the four neighbours T' of T. Coefficients are a product of what depends on the level (Mass, Vertical, Horizontal:
// Panel.Levels() elements each) and what depends on the column (Area, EdgeX, EdgeY: Panel.Around elements each), so that
// no matrix is stored. All buffers have the element type of the fields.
type ColumnOperator struct {
	Panel      Panel
	Mass       kernels.Buffer // a, the mass of a level
	Vertical   kernels.Buffer // b_k couples the levels k-1 and k; b_0 = b_N = 0
	Horizontal kernels.Buffer // d, the horizontal coupling of a level
	Area       kernels.Buffer // |T|
	EdgeX      kernels.Buffer // α between columns (i,j) and (i+1,j); zero at the last i
	EdgeY      kernels.Buffer // α between columns (i,j) and (i,j+1); zero at the last j
}

// ColumnApplyArgs computes Y = A X.
type ColumnApplyArgs struct {
	A    *ColumnOperator
	Y, X kernels.Buffer
}

// ColumnSolveArgs computes Z = M⁻¹ R, with M the operator without what couples a column to others: Σ_T' α_TT' u_(T,k)
// instead of the differences. One tridiagonal system a column (Thomas). Z may be R.
type ColumnSolveArgs struct {
	A    *ColumnOperator
	Z, R kernels.Buffer
}

// ColumnSearchArgs is the first loop of interleaved conjugate gradients (the paper's algorithm 2):
//
//	U += Alpha P;   P = Z + Beta P;   Q = A Z + Beta Q;   slot Slot = Σ P Q
//
// It relies on Q = A P before and keeps it so without reading neighbours of P. The sum is one in float64 of short sums in the
// fields' type, in a fixed tree.
type ColumnSearchArgs struct {
	A           *ColumnOperator
	U, P, Q, Z  kernels.Buffer
	Alpha, Beta float64
	Slot        int
}

// ColumnDescendArgs is the second loop (algorithm 3):
//
//	R -= Alpha Q;   Z = M⁻¹ R;   slots Slot = Σ R R,  Slot+1 = Σ R Z
//
// with sums as those of ColumnSearch.
type ColumnDescendArgs struct {
	A       *ColumnOperator
	R, Q, Z kernels.Buffer
	Alpha   float64
	Slot    int
}

// Iterator is a device with kernels on columns that keeps the scalars of conjugate gradients, so that they need not go to
// the host and back twice an iteration.
type Iterator interface {
	Kernels
	ColumnIterate(ColumnIterateArgs)
	// Follow returns what waits for the value that a slot has after the kernels called so far. Until then no other may write it.
	Follow(slot int) (wait func() (float64, error))
}

// ColumnIterateArgs makes a whole iteration, ColumnSearch and ColumnDescend, with α, β and ρ in the slots Slot, Slot+1 and Slot+2:
//
//	ColumnSearch with α and β;   slot Slot+3 = Σ P Q;   α = ρ / Σ P Q
//	ColumnDescend with α;   slot Norm = Σ R R;   β = Σ R Z / ρ;   ρ = slot Norm+1 = Σ R Z
//
// First takes zero for α and β before.
type ColumnIterateArgs struct {
	A             *ColumnOperator
	U, P, Q, R, Z kernels.Buffer
	Slot, Norm    int
	First         bool
}

// ColumnDotArgs reduces Σ X Y over whole buffers of one length to slot Slot, in float64 and in a fixed tree.
type ColumnDotArgs struct {
	X, Y kernels.Buffer
	Slot int
}

// ColumnSmoothArgs relaxes all columns at once: Out = U + Omega M⁻¹ (F - A U). U nil means a zero first guess. Out must not
// be U.
type ColumnSmoothArgs struct {
	A         *ColumnOperator
	Out, U, F kernels.Buffer
	Omega     float64
}

// ColumnCorrectArgs adds a correction to a solution and takes its image from the residual, whose rounding then is that of the
// correction, not of the solution: U += Z;  R -= A Z;  slot Slot = Σ R R, summed as by ColumnSearch. Neither U nor R may be Z.
type ColumnCorrectArgs struct {
	A       *ColumnOperator
	U, R, Z kernels.Buffer
	Slot    int
}

// ColumnRestrictArgs computes the residual and sums it over the children of every column of a coarser panel:
// CoarseF_(I,J,k) = Σ (F - A U)_(i,j,k), with i in Factor[0] I + {0..Factor[0]-1}, the same for j; factors are 1 or 2.
// Levels are not coarsened, and both panels have one order.
type ColumnRestrictArgs struct {
	A       *ColumnOperator
	U, F    kernels.Buffer
	Coarse  Panel
	CoarseF kernels.Buffer
	Factor  [2]int
}

// ColumnProlongArgs computes U += P CoarseU, P bilinear between the centres of columns: along a halved axis a child takes
// 3/4 of its parent and 1/4 of the parent's neighbour on its side, or all of its parent where there is none.
type ColumnProlongArgs struct {
	Fine, Coarse Panel
	U, CoarseU   kernels.Buffer
	Factor       [2]int
}

// Matrix is a sparse matrix in compressed rows: row r holds Value[e] in column Column[e] for RowStart[r] <= e < RowStart[r+1]. Entries is
// RowStart[Rows]. Row and column r stand for element r of a field from the cell (0,0,0) of its panel on.
type Matrix struct {
	Rows, Entries    int
	RowStart, Column kernels.Buffer // Int32, Rows+1 and Entries elements
	Value            kernels.Buffer
}

// Tridiagonal holds the tridiagonal systems of all columns, in three fields: the coefficients of u_(k-1), u_k and u_(k+1).
type Tridiagonal struct {
	Panel                  Panel
	Lower, Diagonal, Upper kernels.Buffer
}

// MatrixRow is the number of entries of every row that ColumnMatrix stores.
const MatrixRow = 7

// ColumnMatrixArgs stores A as a matrix, with MatrixRow entries a row in the order of their columns, those beyond the panel
// as zeros on the diagonal; and the systems of M. Matrix has Panel.Len - 2 Panel.Origin rows; rows that are no cell are zero.
type ColumnMatrixArgs struct {
	A           *ColumnOperator
	Matrix      *Matrix
	Tridiagonal *Tridiagonal
}

// MatrixApplyArgs computes Y = Matrix X, for a matrix of Panel.Len - 2 Panel.Origin rows. Y must not be X.
type MatrixApplyArgs struct {
	Matrix *Matrix
	Panel  Panel
	Y, X   kernels.Buffer
}

// MatrixSolveArgs computes Z = M⁻¹ R for stored systems, by elimination without pivoting. Z may be R.
type MatrixSolveArgs struct {
	M    *Tridiagonal
	Z, R kernels.Buffer
}
