// Package kernels is the line between the numerics and the machine that runs them.
//
// A [Device] owns memory ([Buffer]) and offers the array operations from which the solver is built. Every
// operation takes one args struct, works on whole arrays and may run asynchronously; after a first failure a
// device does nothing more, and [Device.Sync] returns that failure, named by kernel. Above this line every
// scalar is a float64 and nothing knows which device runs.
//
// # Arrays
//
// All fields of one grid share one layout, a [Box]: values on nodes (i,j,k), x fastest, rows padded so that
// node 0 of every row is aligned, and [HaloWidth] layers around the nodes of every axis. The low halo of a row
// lives in the padding of the row before. In 2-D (x–z) the y axis is absent: one node, no halo, and a y stride
// of zero, so that a y-neighbour is the node itself and every y-difference vanishes.
//
// Beyond a physical wall halo values are finite (zero unless stated) and every kernel multiplies them by a zero
// coefficient; at a seam or a periodic end they hold the neighbour's values, put there by [Device.Halo]. Kernels that
// compute nodes leave halo and padding as they are; only Fill, Copy, Combine, Halo and, along periodic axes,
// SolveCoarse write there.
//
// # Tensor-product grid
//
// Cell i of an axis lies between nodes i and i+1 and has width h[i]; h is zero beyond a wall. The dual width
// of node i is w[i] = (h[i-1]+h[i])/2, so the dual volume of a node is V = wx wy wz (half at a wall, quarter on
// an edge, eighth in a corner). An absent y axis has h = w = 1 at node 0 and its low neighbour, and 1/h = 0.
//
// # Elliptic operator
//
// [Elliptic] describes, in integrated (conservative, symmetric) form,
//
//	(A u)_n = s m_n u_n + Σ_faces g_f (u_n - u_neighbour)
//
// with m_n the nodal mass (dual volume, or a buffer), s its scale, and g_f the conductance of dual face f: the
// average over the four cells around the edge that pierces the face, weighted by their part of the face,
//
//	g_(i+1/2) = 1/hx[i] Σ_{a,b in {-1,0}} K_x[i,j+a,k+b] hy[j+a] hz[k+b] / 4
//
// and the like in y and z. Cells beyond a wall have h = 0, so walls carry the natural (no-flux) condition.
//
// # Trilinear elements
//
// With Stencil [TwentySevenPoint] the sum over faces is the stiffness of trilinear finite elements instead (bilinear
// in 2-D), integrated exactly in each cell; the mass stays lumped, the dual volume or Mass. In a cell of widths hx, hy,
// hz and conductivities kx, ky, kz let δ be the differences u_high - u_low along its four edges in x, and likewise in y
// and z. Direction x adds to the nodes at the low and the high end of an edge (b,c) in x
//
//	∓ c_x Σ_(b',c') M_bb' M_cc' δ_(b',c'),   c_x = kx hy hz / hx,   M = (2 1; 1 2) / 6.
//
// For constant k and all cells that is the tensor product kx Kx⊗My⊗Mz + ky Mx⊗Ky⊗Mz + kz Mx⊗My⊗Kz of the stiffness K and
// mass M of linear elements along the axes. Where y is absent the factors of y are 1.
//
// # Fluxes of trilinear elements
//
// The eight nodal parts r of a cell sum to zero, so they are the outflow of fluxes F along its 12 edges. Of all those the
// fluxes are meant that are nearest to the ones of the edges alone, F⁰_x(b,c) = -c_x δ_(b,c) / 4 (2-D: / 2), which the
// 7-point form has, in the norm Σ (F - F⁰)²/w, w_d = k_d/h_d²: F = F⁰ + w_d (φ_low - φ_high), with the Laplacian of the cell's
// graph Σ w (φ - φ_neighbour) = r less the outflow of F⁰. It is diagonal in the Hadamard transform φ̂(s) = Σ (-1)^(s·corner) φ,
// s in {0,1}³, with the eigenvalues 2 (s_x w_x + s_y w_y + s_z w_z). A dual face has the sum of the fluxes of the (four) cells
// around its edge.
//
// Buoyancy enters the differences in z, δ = p_high - p_low - b with b = hz Ra θ of the edge (see [BuoyancySourceArgs]).
// Where there is none, that is for any u alone, F⁰ is a difference of u too, and the fluxes are simply
//
//	F_x(b,c) = -c_x Σ_(b',c') M_bb' M_cc' δ_(b',c'),
//
// the flux of the element averaged with the weights of its edges, which are those of least Σ F²/w too. With buoyancy the
// same holds with b in δ, but for circulations within the cell, which F⁰ has and averages of it lack: with b̂(s_x,s_y) over
// the four edges in z,
//
//	F̂_x(0,1) -= γ_x,           F̂_z(1,0) += γ_x,                γ_x = V/6 w_x w_z / (w_x + w_z) b̂(1,0),
//	F̂_y(0,1) -= γ_y,           F̂_z(0,1) += γ_y,                γ_y = V/6 w_y w_z / (w_y + w_z) b̂(0,1),
//	F̂_x(1,1) -= w_x γ,  F̂_y(1,1) -= w_y γ,  F̂_z(1,1) += (w_x + w_y) γ,   γ = 2V/9 w_z / (w_x + w_y + w_z) b̂(1,1),
//
// each transform over the two axes across (F_x over y, z), the earlier axis first.
//
// # Sums
//
// Every reduction is made in a fixed tree that does not depend on the number of threads: one partial sum per
// row (or per plane) in float64, then pairwise. Equal inputs give equal bits.
package kernels

//go:generate go run ./internal/generate
