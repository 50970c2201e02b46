// Package multigrid solves A u = f for the elliptic operators of package stencil. It is linear algebra only.
//
// # Hierarchy
//
// [New] builds all levels once. Each axis coarsens on its own while it has enough cells and its coupling is
// at least 2/3 of the strongest (see stencil.Operator.CoarsenFactors): an even number of cells is halved, and the coarse grid keeps every second node; an odd
// number gets a coarse grid of its own, whose nodes lie between the fine ones, of a number of cells that can be halved. Coarse operators are discretised anew
// (see stencil.Operator.Coarsen). Level 0 is the operator of the caller.
//
// Where k is constant, widths are even and all axes coarsen, what lies below 7 points are trilinear elements (9 below 5 points in 2-D).
// With trilinear P the product PᵀAP of 7 points is nearly theirs: Fourier analysis of two grids and V(2,2) with the weights below gives a
// factor of 0.064 with PᵀAP, 0.063 with trilinear elements and 0.116 with 7 points, whose corrections of waves of four widths of a cell are too
// small. Between fine nodes the factor is at most 0.12, measured on boxes of 9 to 200 cubical cells an axis. Red–black sweeps, which 27 points do not have, keep 7 points on all levels.
// Where k or the widths vary, elements have elements on the first level below and 7 points from there on.
//
// # Cycle
//
// With P multilinear interpolation, one V-cycle on level l is
//
//	u ← S_pre(u, f);   f_c = Pᵀ (f - A u);   u ← u + P A_c⁻¹ f_c (recursively);   u ← S_post(u, f)
//
// Residuals are integrated over dual volumes, so Pᵀ conserves their sum and a closed box stays consistent on every
// level. V(m,n) counts m applications of A before and n after the correction. The coarsest level is solved to
// rounding: by conjugate gradients inside one kernel where it is small, else by conjugate gradients made of
// the kernels of the finer levels, preconditioned by Gauss–Seidel, or by the lines of the few columns that [Line]
// leaves.
//
// A W-cycle makes two W-cycles of the next level in place of one, an F-cycle an F- and then a V-cycle; the coarsest level, being
// solved, is visited once. Where all axes are halved a W-cycle costs 8/6 of the finest level in 3-D (a V-cycle 8/7), where one axis alone
// is, each level costs as much as the finest. W is symmetric, F is not: its two visits do not commute.
//
// Beside a mass, as that of a time step, all eigenvalues of D⁻¹A lie within 1 ± (1 - m/D) with 7 points, m and D those of the node that is tied the most. On the first level
// below the finest where a Chebyshev polynomial on all of them, of as many sweeps as a level has, leaves at most 3 % of any error, a cycle ends with these sweeps; levels
// below serve longer time steps. That is a part of the error that cycles leave anyway (see massive.go). Where masses or coefficients differ in a way that is
// not known cycles go on to the bottom.
//
// # Full multigrid
//
// [FullMultigrid] begins a solve with one pass from the coarsest level up, P₃ cubic interpolation in the index:
//
//	f_c = Pᵀ f on all levels;   u = A⁻¹ f on the coarsest;   u ← P₃ u_c, then one V-cycle, on each finer level
//
// which leaves less than 1.5 times the error of the discretisation, so that V-cycles or conjugate gradients after it have
// only digits to add that the discretisation does not have. A first guess gets a correction, f being its residual; a
// zero one the solution itself, its fixed values injected into all levels.
//
// # Smoothers
//
// On a uniform grid D⁻¹A has the eigenvalues Σ s_d (1 - cos θ_d) / Σ s_d, with s_d = k_d/h_d². Those that the next
// level cannot represent lie in [a, b],
//
//	a = min s_d / Σ s_d over the axes that coarsen,   b = 2     (1/3 and 2 for a cube, 1/2 and 2 for a square)
//
// and a mass moves both towards 1. On a graded grid b is the largest over the combinations of the extreme couplings, which
// no eigenvalue exceeds, and a the geometric mean of the smallest and that of the mean couplings. With 27 points where k varies
// b is the largest over the ratios of couplings that the widths and the contrasts between k_x, k_y and k_z allow in any cell, with which it is
// up to 9/2: a largest quotient of one element bounds that of their sum. All weights follow from a and b on each level:
//
//   - [Jacobi] damps with ω = 2/(a+b): 6/7 in 3-D, 4/5 in 2-D;
//   - [Chebyshev] of degree m makes m Jacobi sweeps with 1/ω_k = (b+a)/2 + (b-a)/2 cos(π(2k-1)/(2m)). As a preconditioner
//     S_pre and S_post have a polynomial each; in cycles alone both share one of degree pre + post, on [c a, b] with c fitted
//     to that degree, which costs the same and reduces more: V(2,2) on a cube leaves 0.061 over
//     trilinear elements and 0.103 over 7 points, with two polynomials 0.145 over 7 points; beside a mass cycles of the default
//     length may have two sweeps more after the correction of the finest level, of one polynomial with the others, where one such
//     cycle takes the place of two ([Options].Massive). Of n cycles in a row, between which no residual is computed, the k-th has a
//     times l₁ (l₂/l₁)^((k-1)/(n-1)), with 0.7 and 1.5 for l₁ and l₂, over trilinear elements 0.8 and 1.25, within √(b/a) of 1;
//   - [RedBlack] is Gauss–Seidel in two colours over-relaxed with ω = 2/(1 + √(1-c²)), c = 1-a
//     (Yavneh, SIAM J. Sci. Comput. 17, 1996): 1.15 in 3-D, 1.07 in 2-D;
//   - [RedBlackSymmetric] has ω = 1 and the colours reversed after the correction;
//   - [Line] makes Chebyshev–Jacobi sweeps of vertical lines, u ← u + ω_k T⁻¹(f - A u) with T the vertical tridiagonal
//     part of A, and leaves z as it is on all levels: x and y coarsen by their own couplings.
//
// A [Sweeper] makes the sweeps of [Jacobi] and [Chebyshev] in a way of its own, with these weights.
//
// T⁻¹A has the eigenvalues 1 - (s_x cos θ_x + s_y cos θ_y) / (s_x + s_y + s_z (1 - cos θ_z)), the extreme ones at θ_z = 0,
// so that the weights of lines are those above without s_z: the plane problem, whatever k_z and its jumps from layer
// to layer, which no grid that is coarser in z can know. A column between natural walls has no fixed node, but a
// diagonal with the couplings to its neighbours: T is regular, and constants are left to the null space of A.
//
// With 27 points, A having the symbol a(c) of trilinearSpectrum in c_d = cos θ_d, D⁻¹A has the eigenvalues a(c)/a(0) and T⁻¹A
// a(c)/a(0, 0, c_z). Where z is tied the most the latter is (2 + c_x)(2 + c_y)/4, in [1/4, 9/4], while points, of which those
// errors want another sign at each θ_z, leave up to 0.38 in V(2,2); lines leave at most 0.14, whatever k_z.
//
// Where the caller names no smoother, [New] takes [Chebyshev], and [Line] where layers of k_z differ by a factor of 10 (27 points:
// 3), where in 3-D the widths along z alone are graded by a factor of 9 (7), with 27 points where in 3-D z is tied 12 times as
// strongly as x and y, and from the level on where z alone should coarsen but cannot (odd or fewer than 4 cells).
//
// # Conjugate gradients
//
// One V-cycle from zero is the preconditioner M. It is symmetric because S_post is the adjoint of S_pre (weights or
// colours in reverse order), which [RedBlack] is not: [New] refuses that pair.
//
// [Adaptive] solves by cycles alone or by conjugate gradients. Of n cycles, or iterations, that are expected to end a solve it counts the work in sweeps of the finest
// level, n (s + 3) + 2 ⌈n/rows⌉ for cycles with s sweeps and rows of so many, n (s + 3 + 4) for iterations (5 for 3 and 2 for 4 where K is given along each axis, 10 for 4 in one precision), and goes the cheaper way in the next solve. n follows from the last two
// residuals of the last solve of either way, between which the logarithm of the residual is taken for linear; after 1, 2, 4, ... 128 and then every 128 solves the other way is gone once. A solve by cycles goes over to gradients where one leaves more than half, but for the first, or makes the residual grow.
//
// [LineGradients] takes T, the vertical part with the whole diagonal, as M and no coarser grids (Müller et al.,
// arXiv:1302.7193, 2013; the same method on columns of cells is in package panel). T⁻¹A has eigenvalues in [1-ρ, 1+ρ],
//
//	ρ = (s_x + s_y) / (s_x + s_y + s_z (1 - cos θ_z) + m/2),
//
// with θ_z the longest wave that the bottom and top walls allow: π/N_z where both are fixed, zero where both are closed. So
// the iterations do not depend on the resolution while a cell is about as long as the fluid is deep, or with a mass; with
// closed walls and no mass they grow with the number of columns along an axis, and cycles are the better choice.
//
// # Mixed precision
//
// For fields of float64 the whole hierarchy may be float32: with r = f - A u in float64 and s = |r|,
//
//	e ← cycles on A₃₂ e = round(r/s);   u ← u + s e
//
// converges like cycles in float64 as long as a cycle leaves more of the error than float32 rounding does. Conjugate gradients are float32 in all but u and its residual:
//
//	p ← M₃₂ round(r/s) + β p;   α = (r/s)·M₃₂(r/s) / p·A₃₂ p;   u ← u + s α p.
//
// A device that corrects u and measures what it leaves in one pass ([kernels.Corrector]), or takes ratios of slots ([kernels.RatioTaker]), computes the residual of u in each
// iteration, in the same way. On others r/s ← r/s - α A₃₂ p in float32 takes its place for a few iterations, while each halves it: the residual of u decides in the end and has in it what rounding
// did before. What rounding of p and of A₃₂ p does to α and β costs no iterations (TestGoldenIterationsOfMixedPrecision, TestResidualIsBroughtForward).
//
// # Null space
//
// Where no node is fixed and there is no mass, constants are in the null space. No node is ever pinned: a right side
// is made consistent by r_n -= V_n Σr / ΣV, and solutions have zero volume-weighted mean: to the tolerance on devices with [kernels.Corrector].
//
// A small fixed patch can fall between the nodes of a coarse level, which then does not know what ties the constants
// down. Such a level and those below it get a small mass that gives a constant the energy it has one level up, so
// that every level stays as regular as the finest one.
//
// # Rounding
//
// A solve cannot get below the residual that the rounding of u alone makes, the floor
//
//	c ε (‖A (ξ u)‖₂ + ‖f‖₂),   ξ random signs at the nodes, ε the unit roundoff,
//
// which grows as ε N² |u| on N cells an axis: for a Poisson problem with a smooth right side on 65³ nodes it is 1.5e-4 of |f|
// in float32. A solve that gets there has converged as far as its precision allows, and ends. The floor of one solve, over its
// reference, serves the seven that follow it.
package multigrid
