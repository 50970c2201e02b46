/* Columns of trilinear elements of variable K. A layer of cells has four beside a column. In each a plane gives,
   with o the node of the column, x, y and d those beside it in x, in y and in both,

     s = 2 (o - x) + (y - d),   t = 2 (o - y) + (x - d),   r = 2 (o - x) + 2 (o - y) + (o - d),

   and of the nodes of the column below and above the cell the one below gets

     V/36 (w_x (2 s + s') + w_y (2 t + t') + w_z (9 (o - o') - (r - r')))

   the primes belonging to the other plane, and the one above the same with primes exchanged. */
#ifndef CONVECT_TRILINEAR_CELLS_CUH
#define CONVECT_TRILINEAR_CELLS_CUH

#include "column.cuh"

/* s, t, r of the cells [y][x] on both sides of a column. */
typedef struct {
  REAL own, s[2][2], t[2][2], r[2][2];
} cell_planes;

/* What a layer of cells gives to the nodes of a column below and above it, and of their diagonal what belongs to x
   and y, and to z. */
typedef struct {
  REAL to_low, to_high, across, along;
} cell_layer;

template <int kind> struct column<27, kind> {
  const REAL *u; /* of the plane that is read next */
  int64_t sy, sz;
  const REAL *cells[3];                  /* of the next layer, right of the column and behind it */
  REAL x[2][2], y[2][2], z[2][2];        /* hy / hx / 36, hx / hy / 36, hx hy / 36 of the cells [y][x] */
  cell_planes plane;                     /* the last one */
  cell_layer layer;                      /* the last one */
};

template <int kind> DEVICE cell_planes cell_planes_next(column<27, kind> &c) {
  cell_planes p;
  const REAL own = p.own = c.u[0];
  const REAL to_x[2] = {own - c.u[-1], own - c.u[1]}, to_y[2] = {own - c.u[-c.sy], own - c.u[c.sy]};
#pragma unroll
  for (int b = 0; b < 2; b++)
#pragma unroll
    for (int d = 0; d < 2; d++) {
      const int64_t beside_y = b ? c.sy : -c.sy, beside_x = d ? 1 : -1;
      const REAL diagonal = c.u[beside_y + beside_x], x = c.u[beside_x], y = c.u[beside_y];
      p.s[b][d] = 2 * to_x[d] + (y - diagonal);
      p.t[b][d] = 2 * to_y[b] + (x - diagonal);
      p.r[b][d] = 2 * to_x[d] + (2 * to_y[b] + (own - diagonal));
    }
  c.u += c.sz;
  return p;
}

/* The layer above plane k, between the last plane and `high`. */
template <int kind>
DEVICE cell_layer cell_layer_next(column<27, kind> &c, const cv_elliptic &a, int k, const cell_planes &high) {
  const REAL h = AXIS(a.h[2])[k], rh = AXIS(a.rh[2])[k];
  const cell_planes &low = c.plane;
  cell_layer l = {0, 0, 0, 0};
  REAL in_z = 0;
#pragma unroll
  for (int b = 0; b < 2; b++)
#pragma unroll
    for (int d = 0; d < 2; d++) {
      const int64_t cell = (b - 1) * a.box.sy + d - 1;
      const REAL kx = c.cells[0][cell], ky = kind == k_shared ? kx : c.cells[1][cell];
      const REAL kz = kind == k_shared ? kx : c.cells[2][cell];
      const REAL x = c.x[b][d] * kx, y = c.y[b][d] * ky, z = c.z[b][d] * kz;
      l.across += x + y;
      l.along += z;
      l.to_low += x * (2 * low.s[b][d] + high.s[b][d]) + y * (2 * low.t[b][d] + high.t[b][d]);
      l.to_high += x * (2 * high.s[b][d] + low.s[b][d]) + y * (2 * high.t[b][d] + low.t[b][d]);
      in_z += z * (9 * (low.own - high.own) - (low.r[b][d] - high.r[b][d]));
    }
#pragma unroll
  for (int d = 0; d < (kind == k_shared ? 1 : 3); d++)
    c.cells[d] += a.box.sz;
  l.across *= h;
  l.along *= rh;
  l.to_low = h * l.to_low + rh * in_z;
  l.to_high = h * l.to_high - rh * in_z;
  return l;
}

template <int kind>
DEVICE void column_begin(column<27, kind> &c, const cv_elliptic &a, const REAL *u, int64_t sy, int64_t sz,
                         int i, int j, int k) {
  const REAL *h = AXIS(a.h[0]) + i - 1, *rh = AXIS(a.rh[0]) + i - 1;
  const REAL *hy = AXIS(a.h[1]) + j - 1, *ry = AXIS(a.rh[1]) + j - 1;
#pragma unroll
  for (int b = 0; b < 2; b++)
#pragma unroll
    for (int d = 0; d < 2; d++) {
      c.x[b][d] = hy[b] * rh[d] / 36;
      c.y[b][d] = h[d] * ry[b] / 36;
      c.z[b][d] = h[d] * hy[b] / 36;
    }
#pragma unroll
  for (int d = 0; d < 3; d++)
    c.cells[d] = AXIS(a.cells[d]) + i + j * a.box.sy + (k - 1) * a.box.sz;
  c.u = u - sz;
  c.sy = sy;
  c.sz = sz;
  c.plane = cell_planes_next(c);
  const cell_planes plane = cell_planes_next(c);
  c.layer = cell_layer_next(c, a, k - 1, plane);
  c.plane = plane;
}

template <int kind>
DEVICE void column_next(column<27, kind> &c, const cv_elliptic &a, int k, node_mass mass, column_node &n) {
  const cell_planes plane = cell_planes_next(c);
  const cell_layer low = c.layer, high = cell_layer_next(c, a, k, plane);
  n.u = c.plane.own;
  n.balance = (low.to_high + high.to_low) + mass.factor * mass.m * n.u;
  c.plane = plane;
  c.layer = high;
  /* Of the matrix of a cell two nodes above each other have 4 (g_x + g_y + g_z) on the diagonal and 2 (g_x + g_y) -
     4 g_z beside it, so that 6 (g_x + g_y) tie each to nodes beside the column. In 2-D it is 6 and 3, of cells that
     are met twice. */
  const REAL part = a.box.sy ? 4 : 6;
  n.up = part * (high.along - (REAL)0.5 * high.across);
  n.down = part * (low.along - (REAL)0.5 * low.across);
  n.beside = part * ((REAL)1.5 * (low.across + high.across));
}

#endif
