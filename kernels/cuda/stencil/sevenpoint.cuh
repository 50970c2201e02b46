/* Columns of the 7-point operator. */
#ifndef CONVECT_SEVENPOINT_CUH
#define CONVECT_SEVENPOINT_CUH

#include "column.cuh"

/* The values of a column: where its node lies, and u at the nodes below it, itself and above it. */
typedef struct {
  const REAL *u;
  int64_t sy, sz;
  REAL below, own, above;
} seven_values;

/* u is the place of the node that is visited next. */
DEVICE void seven_values_begin(seven_values &v, const REAL *u, int64_t sy, int64_t sz) {
  v.u = u - sz;
  v.sy = sy;
  v.sz = sz;
  v.own = v.u[0];
  v.above = v.u[sz];
}

DEVICE void seven_values_next(seven_values &v) {
  v.u += v.sz;
  v.below = v.own;
  v.own = v.above;
  v.above = v.u[v.sz];
}

/* Constant K: widths at the column, and Kx wy, Ky / hy of the cells in front and behind, Kz wy. */
template <> struct column<7, k_constant> {
  seven_values v;
  REAL rl, rr, w;
  REAL x, y_low, y_high, z;
};

DEVICE void column_begin(column<7, k_constant> &c, const cv_elliptic &a, const REAL *u, int64_t sy, int64_t sz,
                         int i, int j, [[maybe_unused]] int k) {
  const REAL *rx = AXIS(a.rh[0]), *ry = AXIS(a.rh[1]), wy = AXIS(a.w[1])[j];
  seven_values_begin(c.v, u, sy, sz);
  c.rl = rx[i - 1];
  c.rr = rx[i];
  c.w = AXIS(a.w[0])[i];
  c.x = (REAL)a.k[0] * wy;
  c.y_low = (REAL)a.k[1] * ry[j - 1];
  c.y_high = (REAL)a.k[1] * ry[j];
  c.z = (REAL)a.k[2] * wy;
}

DEVICE void column_next(column<7, k_constant> &c, const cv_elliptic &a, int k, node_mass mass, column_node &n) {
  const REAL *rz = AXIS(a.rh[2]), wz = AXIS(a.w[2])[k];
  row_coefficients r;
  r.x = c.x * wz;
  r.y_low = c.y_low * wz;
  r.y_high = c.y_high * wz;
  r.z_low = c.z * rz[k - 1];
  r.z_high = c.z * rz[k];
  r.mass = mass.factor;
  seven_values_next(c.v);
  const REAL *u = c.v.u;
  n.u = c.v.own;
  n.balance = point_balance(r, n.u, u[-1], u[1], u[-c.v.sy], u[c.v.sy], c.v.below, c.v.above, c.rl, c.rr, c.w,
                            mass.m);
  n.up = c.w * r.z_high;
  n.down = c.w * r.z_low;
  n.beside = r.x * (c.rl + c.rr) + c.w * (r.y_low + r.y_high);
}

/* What the layer of cells between two planes conducts from the nodes of a column at its bottom and at its top: its
   part of the faces to the left, right, front and back, and the face between both. */
typedef struct {
  REAL left, right, front, back, up;
} seven_layer;

/* K of cells: where the next layer lies (the cell right of the column and behind it), and widths of the cells
   around, [0] on the low side. */
template <int kind> struct column<7, kind> {
  seven_values v;
  const REAL *cells[3];
  REAL h[2], rh[2], hy[2], ry[2];
  seven_layer layer; /* the last one */
};

/* The layer above plane k. */
template <int kind>
DEVICE seven_layer seven_layer_next(column<7, kind> &c, const cv_elliptic &a, int k) {
  const REAL quarter = (REAL)0.25 * AXIS(a.h[2])[k], quarter_r = (REAL)0.25 * AXIS(a.rh[2])[k];
  const REAL *x = c.cells[0], *y = kind == k_shared ? x : c.cells[1], *z = kind == k_shared ? x : c.cells[2];
  const int64_t sy = a.box.sy;
  seven_layer l;
  l.left = c.rh[0] * (quarter * (c.hy[0] * x[-1 - sy] + c.hy[1] * x[-1]));
  l.right = c.rh[1] * (quarter * (c.hy[0] * x[-sy] + c.hy[1] * x[0]));
  l.front = c.ry[0] * (quarter * (c.h[0] * y[-1 - sy] + c.h[1] * y[-sy]));
  l.back = c.ry[1] * (quarter * (c.h[0] * y[-1] + c.h[1] * y[0]));
  l.up = quarter_r * point_average(c.hy[0] * c.h[0], z[-1 - sy], c.hy[0] * c.h[1], z[-sy], c.hy[1] * c.h[0], z[-1],
                                   c.hy[1] * c.h[1], z[0]);
#pragma unroll
  for (int d = 0; d < (kind == k_shared ? 1 : 3); d++)
    c.cells[d] += a.box.sz;
  return l;
}

template <int kind>
DEVICE void column_begin(column<7, kind> &c, const cv_elliptic &a, const REAL *u, int64_t sy, int64_t sz,
                         int i, int j, int k) {
  seven_values_begin(c.v, u, sy, sz);
#pragma unroll
  for (int d = 0; d < 3; d++)
    c.cells[d] = AXIS(a.cells[d]) + i + j * a.box.sy + (k - 1) * a.box.sz;
#pragma unroll
  for (int s = 0; s < 2; s++) {
    c.h[s] = AXIS(a.h[0])[i - 1 + s];
    c.rh[s] = AXIS(a.rh[0])[i - 1 + s];
    c.hy[s] = AXIS(a.h[1])[j - 1 + s];
    c.ry[s] = AXIS(a.rh[1])[j - 1 + s];
  }
  c.layer = seven_layer_next(c, a, k - 1);
}

template <int kind>
DEVICE void column_next(column<7, kind> &c, const cv_elliptic &a, int k, node_mass mass, column_node &n) {
  const seven_layer low = c.layer, high = seven_layer_next(c, a, k);
  const REAL left = low.left + high.left, right = low.right + high.right;
  const REAL front = low.front + high.front, back = low.back + high.back;
  c.layer = high;
  seven_values_next(c.v);
  const REAL *u = c.v.u;
  n.u = c.v.own;
  const REAL x = left * (n.u - u[-1]) + right * (n.u - u[1]);
  const REAL y = front * (n.u - u[-c.v.sy]) + back * (n.u - u[c.v.sy]);
  const REAL z = low.up * (n.u - c.v.below) + high.up * (n.u - c.v.above);
  n.balance = (x + (y + z)) + mass.factor * mass.m * n.u;
  n.up = high.up;
  n.down = low.up;
  n.beside = (left + right) + (front + back);
}

#endif
