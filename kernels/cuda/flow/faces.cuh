/* Dual faces of nodes, for both stencils: which there are, the mean temperatures between which they lie, and what enters through walls. */
#ifndef CONVECT_FACES_CUH
#define CONVECT_FACES_CUH

#include "../launch.h"

/* Whether node p of an axis has an upper face. */
DEVICE bool has_upper_face(const cv_darcy_args &a, int axis, int p) {
  return a.periodic[axis] || p < a.a.box.n[axis] - 1;
}

/* The mean temperature of plane k, which may be one below or above the box. */
DEVICE REAL mean_at(const cv_darcy_args &a, int k) {
  const int nz = (int)a.a.box.n[2];
  return AXIS(a.mean)[k < 0 ? nz - 1 : k < nz ? k : 0];
}

/* Inflow through the walls of node (i,j,k), at element `at`. */
DEVICE REAL wall_inflow(const cv_darcy_args &a, int i, int j, int k, int64_t at) {
  const cv_elliptic &e = a.a;
  const int64_t stride[3] = {1, e.box.sy, e.box.sz};
  const int p[3] = {i, j, k};
  REAL sum = 0;
#pragma unroll
  for (int axis = 0; axis < 3; axis++) {
    if (!a.q[axis] || a.periodic[axis] || stride[axis] == 0)
      continue;
    const int b = (axis + 1) % 3, c = (axis + 2) % 3;
    if (p[axis] == 0)
      sum += AXIS(e.w[b])[p[b]] * AXIS(e.w[c])[p[c]] * AXIS(a.q[axis])[at - stride[axis]];
    if (p[axis] == e.box.n[axis] - 1)
      sum -= AXIS(e.w[b])[p[b]] * AXIS(e.w[c])[p[c]] * AXIS(a.q[axis])[at];
  }
  return sum;
}

#endif
