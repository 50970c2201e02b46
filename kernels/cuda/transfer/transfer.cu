/* Restriction and prolongation between nested grids, each axis coarsened or not: one thread a node of the target. */
#include "../launch.h"
#include "../stencil/mask.cuh"

/* The value at x, or with both neighbours at distance s, weighted 1 and 1/2. */
DEVICE REAL restricted_line(const REAL *x, int64_t s, bool coarsened) {
  return coarsened ? x[0] + (REAL)0.5 * (x[-s] + x[s]) : x[0];
}

/* The same in a plane of x and y. */
DEVICE REAL restricted_plane(const REAL *x, int64_t sy, const int64_t *factor) {
  const bool in_x = factor[0] == 2;
  const REAL middle = restricted_line(x, 1, in_x);
  if (factor[1] != 2)
    return middle;
  return middle + (REAL)0.5 * (restricted_line(x - sy, 1, in_x) + restricted_line(x + sy, 1, in_x));
}

/* CoarseX = mask Pt FineX. Reads FineX once, 8 words of it for each that is written. */
KERNEL(restrict, cv_transfer_args) {
  NODE(i, j, k, a.coarse);
  const int64_t sy = a.fine.sy, sz = a.fine.sz;
  const REAL *x = AXIS(a.fine_x) + a.factor[0] * i + a.factor[1] * j * sy + a.factor[2] * k * sz;
  REAL sum = restricted_plane(x, sy, a.factor);
  if (a.factor[2] == 2)
    sum += (REAL)0.5 * (restricted_plane(x - sz, sy, a.factor) + restricted_plane(x + sz, sy, a.factor));
  const REAL free = mask_at(a.mask, i, j + k * a.coarse.n[1]);
  static_cast<REAL *>(a.coarse_x)[i + j * a.coarse.sy + k * a.coarse.sz] = free * sum;
}

/* The mean of two values at distance s, or the value itself where s is zero. */
DEVICE REAL prolonged_line(const REAL *x, int64_t s) { return s ? (REAL)0.5 * (x[0] + x[s]) : x[0]; }

DEVICE REAL prolonged_plane(const REAL *x, int64_t sx, int64_t sy) {
  return sy ? (REAL)0.5 * (prolonged_line(x, sx) + prolonged_line(x + sy, sx)) : prolonged_line(x, sx);
}

/* FineX += mask P CoarseX. Reads and writes FineX; reads CoarseX once, 1/8 word a node. */
KERNEL(prolong, cv_transfer_args) {
  NODE(i, j, k, a.fine);
  const int fx = (int)a.factor[0], fy = (int)a.factor[1], fz = (int)a.factor[2];
  const int64_t sx = i % fx, sy = j % fy ? a.coarse.sy : 0, sz = k % fz ? a.coarse.sz : 0;
  const REAL *c = AXIS(a.coarse_x) + i / fx + j / fy * a.coarse.sy + k / fz * a.coarse.sz;
  const REAL low = prolonged_plane(c, sx, sy), free = mask_at(a.mask, i, j + k * a.fine.n[1]);
  const REAL correction = sz ? (REAL)0.5 * (low + prolonged_plane(c + sz, sx, sy)) : low;
  static_cast<REAL *>(a.fine_x)[i + j * a.fine.sy + k * a.fine.sz] += free * correction;
}

/* The coarse nodes of an axis that a fine node is interpolated from, and their weights. */
typedef struct {
  int count, at[4];
  REAL weight[4];
} cubic_taps;

/* Nodes first, first + step, ... of n, round about the end. */
DEVICE cubic_taps cubic_taps_from(int count, int first, int step, int n, REAL w0, REAL w1, REAL w2, REAL w3) {
  cubic_taps t = {count, {}, {w0, w1, w2, w3}};
#pragma unroll
  for (int m = 0; m < 4; m++) {
    const int node = first + m * step;
    t.at[m] = node < n ? node : node % n;
  }
  return t;
}

/* Those of fine node i of an axis of n coarse nodes. */
DEVICE cubic_taps cubic_taps_of(int i, int factor, int n, bool periodic) {
  const int low = i / factor, first = low > 0 ? n - 1 : 0, step = low > 0 ? -1 : 1; /* of those near a wall */
  if (low * factor == i)
    return cubic_taps_from(1, low, 0, n, 1, 0, 0, 0);
  if (periodic || (low > 0 && low < n - 2))
    return cubic_taps_from(4, (low + n - 1) % n, 1, n, (REAL)-0.0625, (REAL)0.5625, (REAL)0.5625, (REAL)-0.0625);
  if (n > 3)
    return cubic_taps_from(4, first, step, n, (REAL)0.3125, (REAL)0.9375, (REAL)-0.3125, (REAL)0.0625);
  if (n == 3)
    return cubic_taps_from(3, first, step, n, (REAL)0.375, (REAL)0.75, (REAL)-0.125, 0);
  return cubic_taps_from(n, first, step, n, (REAL)0.5, (REAL)0.5, 0, 0);
}

/* The row of coarse nodes at c, interpolated along x. */
DEVICE REAL cubic_row(const REAL *c, const cubic_taps &x) {
  REAL sum = 0;
#pragma unroll
  for (int m = 0; m < 4; m++)
    if (m < x.count)
      sum += x.weight[m] * c[x.at[m]];
  return sum;
}

/* FineX += mask P3 CoarseX. */
KERNEL(prolong_cubic, cv_transfer_args) {
  NODE(i, j, k, a.fine);
  const int n[3] = {(int)a.coarse.n[0], (int)a.coarse.n[1], (int)a.coarse.n[2]};
  const cubic_taps x = cubic_taps_of(i, (int)a.factor[0], n[0], a.periodic[0]);
  const cubic_taps y = cubic_taps_of(j, (int)a.factor[1], n[1], a.periodic[1]);
  const cubic_taps z = cubic_taps_of(k, (int)a.factor[2], n[2], a.periodic[2]);
  REAL sum = 0;
#pragma unroll
  for (int q = 0; q < 4; q++)
#pragma unroll
    for (int p = 0; p < 4; p++)
      if (q < z.count && p < y.count) {
        const int64_t row = y.at[p] * a.coarse.sy + z.at[q] * a.coarse.sz;
        sum += y.weight[p] * z.weight[q] * cubic_row(AXIS(a.coarse_x) + row, x);
      }
  static_cast<REAL *>(a.fine_x)[i + j * a.fine.sy + k * a.fine.sz] += mask_at(a.mask, i, j + k * a.fine.n[1]) * sum;
}

/* CoarseX = FineX at coincident nodes. */
KERNEL(inject, cv_transfer_args) {
  NODE(i, j, k, a.coarse);
  static_cast<REAL *>(a.coarse_x)[i + j * a.coarse.sy + k * a.coarse.sz] =
      AXIS(a.fine_x)[a.factor[0] * i + a.factor[1] * j * a.fine.sy + a.factor[2] * k * a.fine.sz];
}
