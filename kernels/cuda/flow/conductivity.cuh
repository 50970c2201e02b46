/* Conductivity of dual faces: averages over the four cells around an edge. */
#ifndef CONVECT_CONDUCTIVITY_CUH
#define CONVECT_CONDUCTIVITY_CUH

#include "../launch.h"

/* The average over the four cells around the edge of the upper face of node (i,j,k) along an axis; those low and
   high across along the next axes have the parts b[0], b[1] and c[0], c[1]. */
template <int axis>
DEVICE REAL edge_average(const cv_elliptic &e, int i, int j, int k, const REAL *b, const REAL *c) {
  const int64_t stride[3] = {1, e.box.sy, e.box.sz}, sb = stride[(axis + 1) % 3], sc = stride[(axis + 2) % 3];
  const REAL *x = AXIS(e.cells[axis]) + i + j * e.box.sy + k * e.box.sz;
  return point_average(b[0] * c[0], x[-sb - sc], b[1] * c[0], x[-sc], b[0] * c[1], x[-sb], b[1] * c[1], x[0]);
}

/* A_f k_f of the upper face of node (i,j,k) along an axis, that is g_f h. `cells` tells whether K is given on
   cells, or is the number `constant`. */
template <int axis>
DEVICE REAL face_section(const cv_elliptic &e, bool cells, REAL constant, int i, int j, int k) {
  constexpr int db = (axis + 1) % 3, dc = (axis + 2) % 3;
  const int at[3] = {i, j, k};
  if (!cells)
    return constant * (AXIS(e.w[db])[at[db]] * AXIS(e.w[dc])[at[dc]]);
  const REAL half = 0.5, *hb = AXIS(e.h[db]) + at[db], *hc = AXIS(e.h[dc]) + at[dc];
  const REAL b[2] = {half * hb[-1], half * hb[0]}, c[2] = {half * hc[-1], half * hc[0]};
  return edge_average<axis>(e, i, j, k, b, c);
}

/* k_f of the same face, K on cells. */
template <int axis>
DEVICE REAL face_conductivity(const cv_elliptic &e, int i, int j, int k) {
  constexpr int db = (axis + 1) % 3, dc = (axis + 2) % 3;
  const int at[3] = {i, j, k};
  const REAL *hb = AXIS(e.h[db]) + at[db], *hc = AXIS(e.h[dc]) + at[dc];
  const REAL pb = 1 / (hb[-1] + hb[0]), pc = 1 / (hc[-1] + hc[0]);
  const REAL b[2] = {pb * hb[-1], pb * hb[0]}, c[2] = {pc * hc[-1], pc * hc[0]};
  return edge_average<axis>(e, i, j, k, b, c);
}

#endif
