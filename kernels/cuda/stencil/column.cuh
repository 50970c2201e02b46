/* What all kernels of the elliptic operator of kernels/doc.go have in common: kinds of conductivity, masks and nodal mass. And columns of nodes (i,j,.), which a thread
   visits from below, one node after the other, for lines, with the 7-point (sevenpoint.cuh) or the 27-point operator (trilinear.cuh, trilinear_cells.cuh). What a column
   has of its last plane or layer of cells it keeps in registers: a value of u, or of K, comes from memory once.

   Everything is made of differences of u: a constant gives zero to the bit, and so do opposite differences of equal
   conductance. */
#ifndef CONVECT_COLUMN_CUH
#define CONVECT_COLUMN_CUH

#include "../launch.h"
#include "mask.cuh"

/* Conductivity: numbers, one array for all directions, or one array for each. */
enum { k_constant, k_shared, k_three };

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

/* A column for a stencil (7 or 27 points) and a kind of conductivity. column_begin(c, a, u, sy, sz, i, j, k) makes
   node (i,j,k) the next that column_next(c, a, k, mass, node) visits; u is its place in an array of strides sy and
   sz. */
template <int points, int kind> struct column;

/* u around the nodes of a column where u is zero: with strides 0 they are all the same, and stay in the first cache. */
__device__ const REAL LAUNCH_JOIN(column_zeros, TYPE)[3] = {0, 0, 0};

/* Where u of a sweep lies at a node and around it. */
typedef struct {
  const REAL *first;
  int64_t sy, sz;
} column_values;

/* At element `at`; of zero if so it may be. */
DEVICE column_values column_values_of(const cv_sweep_args &s, int64_t at, bool may_be_zero) {
  column_values v = {AXIS(s.u) + at, s.a.box.sy, s.a.box.sz};
  if (may_be_zero && !s.u)
    v = column_values{LAUNCH_JOIN(column_zeros, TYPE) + 1, 0, 0};
  IS_GLOBAL(v.first); /* the compiler does not see it through the choice */
  return v;
}

#endif
