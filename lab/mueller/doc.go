// Package mueller solves the model equation of Müller, Guo, Scheichl and Shi (arXiv:1302.7193, 2013) for the pressure
// correction of weather models, an elliptic problem on a flat domain with very strong vertical coupling:
//
//	-ω² (∇²_h u + λ² r⁻² ∂_r (r² ∂_r u)) + u = f
//
// on columns of cells over one panel of a gnomonic cubed sphere, 1 < r < 1+H, or over a flat square, where r⁻² ∂_r r² ∂_r
// becomes ∂²_r. No flux passes the boundary. Solvers: conjugate gradients preconditioned by the vertical systems, in three
// forms, and multigrid.
//
// # Discretisation
//
// Columns stand on a regular grid of n_x × n_y cells of [-1,1]²; on the sphere (X,Y) is the point (1,X,Y)/√(1+X²+Y²). Levels
// are graded, r_k = 1 + H (k/n_z)². The equation times r² (or 1), integrated over cell k of column T by finite volumes, is
//
//	|T| ( a_k u_k + b_k (u_k - u_(k-1)) + b_(k+1) (u_k - u_(k+1)) ) + d_k Σ_T' α_TT' (u_(T,k) - u_(T',k)) = f_(T,k)
//
//	a_k = ∫ r² dr,   b_k = ω² λ² r_k² / (distance of the cell centres),   d_k = ω² ∫ r² dr
//
// where |T| is the area of T, α_TT' the length of the edge between T and T' over the distance of their midpoints, and f is
// integrated over the cell. Vectors along the levels times numbers of columns: no matrix is stored.
//
// ∇²_h is the Laplacian on the unit sphere, as in the paper. Lines of a gnomonic grid do not cross at right angles, 120° in
// the corners, and a flux from two points knows nothing of that: what the seven points approximate, to second
// order, is ρ³ (∂_X p ∂_X + ∂_Y p⁻¹ ∂_Y) with p = √((1+X²)/(1+Y²)), ρ² = 1+X²+Y², of which the Laplacian differs by a factor
// 1/sin of the crossing angle and by mixed derivatives. That is the paper's operator, and the tests hold ours to it.
//
// # Conjugate gradients
//
// M is the operator without what couples columns to each other: one tridiagonal system a column. With ω = c Δx the condition
// of M⁻¹A is about 1 + 8c², whatever the resolution. Words that an iteration moves for every cell, caches being perfect:
//
//	Plain        apply 2, solve 2, p·q 2, u and r 3 each, r·r 1, r·z 2, p 3           18
//	Interleaved  first loop 7 (z, and u, p, q read and written), second 4 (r, q, z)     11
//	Stored       as Plain, with 7 values, 7 indices, a row start, 3 diagonals          28 + (8 indices) as words
//
// The first loop updates q = A z + β q instead of computing A p, so that only z is read from neighbours; r·z comes from the
// pivots, before z is known.
//
// # Multigrid
//
// Columns are merged two by two while the horizontal coupling exceeds the mass; levels never. The smoother solves all columns
// at once, damped by the weights of a Chebyshev polynomial on [a, b], with a the least part of the coupling in one direction in
// that of both, b = 2. Restriction sums the integrated residual, prolongation is bilinear between midpoints. A cycle starts from
// zero and gives a correction z; u += z, r -= A z. In float32 the residual of u itself ends at ε |A| |u|, which with such
// vertical coupling is a tenth of f; that of the corrections does not, as in conjugate gradients. Words a cell and V(2,2)
// cycle: 2 + 3 before, 2¼ for the residual, 2¼ for the correction, 3 + 3 after, 4/3 of it with all levels, and 5: 26.
package mueller
