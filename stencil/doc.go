// Package stencil holds the grid and the discrete operators that live on it.
//
// # Grid
//
// Unknowns live on the nodes of a tensor-product [Grid]; around each node lies its dual control volume, cut off at
// walls. Material properties live on cells. A [Field] is a grid, a [Boundary] and a device buffer. All fields
// of a grid share one memory layout, see package kernels.
//
// A grid is a box in a global grid: it carries its offset and the global extent, and each of its six sides is
// either a wall or a seam with a neighbour (with itself where an axis is periodic).
//
// # Elliptic operator
//
// An [Operator] is, by default, the 7-point (5 in 2-D) finite-volume form of s m u - ∇·(k∇u), integrated over dual volumes:
//
//	(A u)_n = s m_n u_n + Σ_faces g_f (u_n - u_neighbour),   g_f = A_f k_f / h_f,
//
// where A_f k_f is the sum over the four cells around the edge of k times the cell's part of the dual face. A is
// symmetric; walls are natural (no flux) unless their nodes are fixed. Residuals are integrated as well, so their
// sum over a closed box is the total imbalance.
//
// Ties t_n u_n on the diagonal stand for what ties a node to a value outside; see Coefficients.
//
// With [kernels.TwentySevenPoint] (9 in 2-D) it is the stiffness of trilinear finite elements, integrated exactly in each
// cell from its k, with the same lumped mass, boundaries and integrated residuals. Both give second order; the trilinear
// form couples a node to all of its cells, so that point smoothers damp better, and costs more arithmetic but no more
// memory traffic.
//
// A stencil is an operator together with its fluxes through the dual faces: [Flow] computes, with the same
// conductances, the right side that buoyancy makes and the Darcy velocities on all dual faces, so that the
// mass balance of every node closes to the residual of the pressure solve.
//
// # Coarse operators
//
// [Operator.Coarsen] discretises anew: a coarse cell's k is the harmonic mean of its children along the direction
// it acts in and the arithmetic mean across (trilinear elements: the arithmetic mean of all children); nodal mass and ties are
// restricted with the transposed prolongation, which conserves them.
//
// # Mobility
//
// With a [Mobility] the k of an operator is K f(T̄), T̄ the mean temperature of a cell's nodes. It is renewed on the
// device from the temperature, and [Operator.Refresh] then renews the coarse operators. With a [Dispersivity] it is K + length |u|, renewed from a flow.
package stencil
