/* What the kernels of the elliptic operator of kernels/doc.go have in common: masks, nodal mass, and the column of
   nodes (i,j,.) that a thread visits from below, one node after the other, with the 7-point (sevenpoint.cuh) or the
   27-point operator (trilinear.cuh, trilinear_cells.cuh). What a column has of its last plane or layer of cells it
   keeps in registers: a value of u, or of K, comes from memory once.

   Everything is made of differences of u: a constant gives zero to the bit, and so do opposite differences of equal
   conductance. */
#ifndef CONVECT_SWEEP_CUH
#define CONVECT_SWEEP_CUH

#include "../launch.h"
#include "mask.cuh"

/* Conductivity: numbers, one array for all directions, or one array for each. */
enum { k_constant, k_shared, k_three };

/* Whether u is given, or zero. */
enum { from_zero, from_u };

/* Whether node (i,j,k) is free. */
DEVICE bool node_is_free(const cv_elliptic &a, int i, int j, int k) {
  return mask_at(a.mask, i, j + k * a.box.n[1]) != 0;
}

/* The nodal mass s m is factor * m. */
typedef struct {
  REAL factor, m;
} node_mass;

DEVICE node_mass mass_of_node(const cv_elliptic &a, int i, int j, int k) {
  node_mass mass;
  if (a.mass && a.mass_scale != 0) {
    mass.factor = (REAL)a.mass_scale;
    mass.m = AXIS(a.mass)[i + j * a.box.sy + k * a.box.sz];
  } else {
    mass.factor = (REAL)a.mass_scale * (AXIS(a.w[1])[j] * AXIS(a.w[2])[k]);
    mass.m = AXIS(a.w[0])[i];
  }
  return mass;
}

/* What a column tells of its node: u, A u, and the diagonal of A without mass in parts: conductances to the nodes
   above and below, and all that ties the node to others. `up` and `down` of flat trilinear elements may be negative,
   `beside` is not. */
typedef struct {
  REAL u, balance, up, down, beside;
} column_node;

/* The diagonal of A. */
DEVICE REAL node_diagonal(const column_node &n, node_mass mass) {
  return (n.beside + (n.up + n.down)) + mass.factor * mass.m;
}

/* A column for a stencil (7 or 27 points), a kind of conductivity, and u given or zero. column_begin(c, a, u, sy,
   sz, i, j, k) makes node (i,j,k) the next that column_next(c, a, k, mass, node) visits; u is its place in an array
   of strides sy and sz. */
template <int points, int kind, int given> struct column;

#endif
