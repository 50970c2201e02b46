/* Columns of the operator of trilinear elements (kernels/doc.go), with 27 points.

   With constant K it is a tensor product, and a plane gives a column two sums of its nine nodes, as differences to
   the one in the column:

     P = (kx Kx My + ky Mx Ky) u,   Q = kz Mx My (u - u_own),

   A u at node k being Mz P + Kz (W u_own + Q), W = kz wx wy, of the three planes around it. */
#ifndef CONVECT_TRILINEAR_CUH
#define CONVECT_TRILINEAR_CUH

#include "column.cuh"

/* u at the nine nodes of a plane around a column: its own, and differences of the others to it, [y][x]. */
typedef struct {
  REAL own, d[3][3];
} plane_values;

DEVICE plane_values plane_values_at(const REAL *u, int64_t sy) {
  plane_values v;
  v.own = u[0];
#pragma unroll
  for (int b = 0; b < 3; b++)
#pragma unroll
    for (int c = 0; c < 3; c++)
      v.d[b][c] = u[(b - 1) * sy + c - 1] - v.own;
  return v;
}

/* Sum of weights times differences, opposite ones first. */
DEVICE REAL plane_sum(const REAL (&w)[3][3], const plane_values &v) {
  const REAL x = w[1][0] * v.d[1][0] + w[1][2] * v.d[1][2], y = w[0][1] * v.d[0][1] + w[2][1] * v.d[2][1];
  const REAL xy = w[0][0] * v.d[0][0] + w[2][2] * v.d[2][2], yx = w[0][2] * v.d[0][2] + w[2][0] * v.d[2][0];
  return (x + y) + (xy + yx);
}

/* Row of the mass and of the stiffness of linear elements at node i of an axis; of an absent axis those of u itself. */
DEVICE void linear_rows(const cv_elliptic &a, int axis, int i, REAL (&mass)[3], REAL (&stiffness)[3]) {
  const REAL *h = AXIS(a.h[axis]), *rh = AXIS(a.rh[axis]);
  const bool absent = axis == 1 && a.box.sy == 0;
  mass[0] = absent ? 0 : h[i - 1] / 6;
  mass[2] = absent ? 0 : h[i] / 6;
  mass[1] = absent ? 1 : (h[i - 1] + h[i]) / 3;
  stiffness[0] = -rh[i - 1];
  stiffness[2] = -rh[i];
  stiffness[1] = rh[i - 1] + rh[i];
}

/* The sums of a plane. */
typedef struct {
  REAL own, p, q;
} plane_sums;

template <> struct column<27, k_constant> {
  const REAL *u; /* of the plane that is read next */
  int64_t sy, sz;
  REAL p[3][3], q[3][3];  /* weights of the differences in P and Q; p[1][1] and q[1][1] belong to u_own */
  REAL whole;             /* W */
  plane_sums low, middle; /* of the last planes but one, and of the last */
};

DEVICE plane_sums plane_sums_next(column<27, k_constant> &c) {
  const plane_values v = plane_values_at(c.u, c.sy);
  c.u += c.sz;
  plane_sums s;
  s.own = v.own;
  s.p = plane_sum(c.p, v);
  s.q = plane_sum(c.q, v);
  return s;
}

DEVICE void column_begin(column<27, k_constant> &c, const cv_elliptic &a, const REAL *u, int64_t sy, int64_t sz,
                         int i, int j, [[maybe_unused]] int k) {
  const REAL kx = (REAL)a.k[0], ky = (REAL)a.k[1], kz = (REAL)a.k[2];
  REAL mass_x[3], stiff_x[3], mass_y[3], stiff_y[3];
  linear_rows(a, 0, i, mass_x, stiff_x);
  linear_rows(a, 1, j, mass_y, stiff_y);
#pragma unroll
  for (int b = 0; b < 3; b++)
#pragma unroll
    for (int d = 0; d < 3; d++) {
      c.p[b][d] = kx * stiff_x[d] * mass_y[b] + ky * mass_x[d] * stiff_y[b];
      c.q[b][d] = kz * mass_x[d] * mass_y[b];
    }
  c.whole = kz * AXIS(a.w[0])[i] * AXIS(a.w[1])[j];
  c.u = u - sz;
  c.sy = sy;
  c.sz = sz;
  c.low = plane_sums_next(c);
  c.middle = plane_sums_next(c);
}

DEVICE void column_next(column<27, k_constant> &c, const cv_elliptic &a, int k, node_mass mass, column_node &n) {
  const REAL *h = AXIS(a.h[2]), *rh = AXIS(a.rh[2]), h_low = h[k - 1], h_high = h[k], r_low = rh[k - 1], r_high = rh[k];
  const plane_sums high = plane_sums_next(c), low = c.low, middle = c.middle;
  const REAL across = (h_low * (low.p + 2 * middle.p) + h_high * (high.p + 2 * middle.p)) / 6;
  const REAL along = r_low * (c.whole * (middle.own - low.own) + (middle.q - low.q)) +
                     r_high * (c.whole * (middle.own - high.own) + (middle.q - high.q));
  n.u = middle.own;
  n.balance = (across + along) + mass.factor * mass.m * n.u;
  c.low = middle;
  c.middle = high;
  /* Of the matrix of a layer two nodes above each other have p h/3 + q/h on the diagonal and p h/6 - q/h beside it. */
  n.up = r_high * c.q[1][1] - h_high * c.p[1][1] / 6;
  n.down = r_low * c.q[1][1] - h_low * c.p[1][1] / 6;
  n.beside = (REAL)0.5 * (h_low + h_high) * c.p[1][1];
}

#endif
