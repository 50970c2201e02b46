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
// # Sums
//
// Every reduction is made in a fixed tree that does not depend on the number of threads: one partial sum per
// row (or per plane) in float64, then pairwise. Equal inputs give equal bits.
package kernels
