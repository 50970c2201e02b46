package kernels

import "slices"

//kernel:family Transfers

// Between is the factor of an axis whose coarse nodes lie between fine ones: node J of C cells at index J F/C of F, with C ≤ F ≤ 2 C.
const Between = 0

// AnyBetween tells whether an axis has the factor Between.
func AnyBetween(factor [3]int) bool { return slices.Contains(factor[:], Between) }

// TransferArgs describes the move between a fine and a coarse grid: coarse node I coincides with fine node
// Factor*I along each axis, Factor 1 or 2, or lies Between fine nodes.
//
// Restrict: CoarseX = mask_coarse Pᵀ FineX, P the prolongation that is linear in the index along each axis, for integrated residuals: weight 1
// on a coincident node and 1/2 per halved axis step, in general 1 - |i C - J F|/F of fine node i. FineX has one halo layer (zero beyond walls).
// Prolong: FineX += mask_fine P CoarseX. CoarseX has one halo layer.
// ProlongCubic: FineX += mask_fine P₃ CoarseX, P₃ the tensor product of cubic interpolation in the index: half way between
// two coarse nodes of an axis (-1, 9, 9, -1)/16 of the four around, (5, 15, -5, 1)/16 of the four nearest next to a wall, and
// the parabola or the line through all where the axis has three coarse nodes or two. CoarseX needs no halo. With Replaces, which is for it alone, FineX is not read:
// FineX = mask_fine P₃ CoarseX.
// Inject: CoarseX = FineX at coincident nodes, fixed ones too, and on the line between the two around where there is none; Mask is not used.
// Mask is that of the target grid (nil: all free).
// Rows are the first row of y of the target that is computed and the one after the last, where an axis has the factor Between; two zeros: all. With some the boxes, the
// mask and Periodic are those of whole grids, and arrays may end before the first or after the last row that is needed; Inject has none.
//
//kernel:methods Restrict Prolong ProlongCubic Inject
type TransferArgs struct {
	Fine, Coarse   Box
	Factor         [3]int
	FineX, CoarseX Buffer
	Mask           *RowMask
	Periodic       [3]bool
	Rows           [2]int
	Replaces       bool
}
