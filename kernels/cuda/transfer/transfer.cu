/* Restriction and prolongation, each axis coarsened or not: one thread a node of the target. Where an axis has coarse nodes between fine ones, all axes go by
   the ratio of their cells. */
#include "../launch.h"
#include "../stencil/mask.cuh"

/* Whether an axis has coarse nodes between fine ones: the same for all threads. */
DEVICE bool lies_between(const cv_transfer_args &a) { return !a.factor[0] || !a.factor[1] || !a.factor[2]; }

/* Up to four nodes of an axis side by side, and their weights; nodes beyond the n of a periodic axis are those of the other end. */
struct axis_taps {
  int first, count;
  REAL weight[4];
};

/* Cells of the fine and the coarse grid along an axis, at least 1. */
struct cell_ratio {
  int fine, coarse;
};

DEVICE cell_ratio cell_ratio_of(const cv_transfer_args &a, int d) {
  const int walls = a.periodic[d] ? 0 : 1;
  return cell_ratio{max((int)a.fine.n[d] - walls, 1), max((int)a.coarse.n[d] - walls, 1)};
}

/* The fine nodes, of n, that coarse node J gathers. */
DEVICE axis_taps gathered_taps(int J, cell_ratio c, int n, bool periodic) {
  const int low = J > 0 ? (int)((int64_t)(J - 1) * c.fine / c.coarse) + 1 : periodic ? -1 : 0;
  axis_taps t = {low, 0, {0, 0, 0, 0}};
#pragma unroll
  for (int m = 0; m < 4; m++) {
    const int i = low + m;
    const int64_t away = (int64_t)i * c.coarse - (int64_t)J * c.fine;
    if (away < c.fine && (periodic || i < n)) {
      t.weight[m] = (REAL)(c.fine - (away < 0 ? -away : away)) / (REAL)c.fine;
      t.count = m + 1;
    }
  }
  return t;
}

/* The coarse nodes that fine node i lies between. */
DEVICE axis_taps between_taps(int i, cell_ratio c) {
  const int low = (int)((int64_t)i * c.coarse / c.fine), past = (int)((int64_t)i * c.coarse - (int64_t)low * c.fine);
  return axis_taps{low, past ? 2 : 1, {(REAL)(c.fine - past) / (REAL)c.fine, (REAL)past / (REAL)c.fine, 0, 0}};
}

/* The coarse nodes, of n, around fine node i whose cubic polynomial it lies on, or that of all where there are fewer than four. */
DEVICE axis_taps cubic_between_taps(int i, cell_ratio c, int n, bool periodic) {
  const int low = (int)((int64_t)i * c.coarse / c.fine), past = (int)((int64_t)i * c.coarse - (int64_t)low * c.fine);
  if (past == 0)
    return axis_taps{low, 1, {1, 0, 0, 0}};
  axis_taps t = {low - 1, 4, {0, 0, 0, 0}};
  if (!periodic) {
    t.count = min(n, 4);
    t.first = max(min(low - 1, n - t.count), 0);
  }
  const REAL x = (REAL)(low - t.first) + (REAL)past / (REAL)c.fine;
#pragma unroll
  for (int m = 0; m < 4; m++) {
    REAL w = 1;
#pragma unroll
    for (int o = 0; o < 4; o++)
      if (o != m && o < t.count)
        w *= (x - (REAL)o) / (REAL)(m - o);
    t.weight[m] = m < t.count ? w : 0;
  }
  return t;
}

/* The sum over taps of all axes of the nodes of x, those of a box with n nodes; with `wraps` beyond the ends. */
DEVICE REAL sum_of_taps(const REAL *x, const cv_box &box, const axis_taps (&t)[3], bool wraps) {
  const int64_t stride[3] = {1, box.sy, box.sz};
  int64_t at[3][4];
#pragma unroll
  for (int d = 0; d < 3; d++)
#pragma unroll
    for (int m = 0; m < 4; m++) {
      const int n = (int)box.n[d], node = m < t[d].count ? t[d].first + m : t[d].first;
      at[d][m] = (!wraps ? node : node < 0 ? node + n : node % n) * stride[d];
    }
  REAL sum = 0;
#pragma unroll
  for (int q = 0; q < 4; q++) {
    if (q >= t[2].count)
      continue;
#pragma unroll
    for (int p = 0; p < 4; p++) {
      if (p >= t[1].count)
        continue;
      const REAL *row = x + at[2][q] + at[1][p];
      REAL along = 0;
#pragma unroll
      for (int m = 0; m < 4; m++)
        if (m < t[0].count)
          along += t[0].weight[m] * row[at[0][m]];
      sum += t[1].weight[p] * t[2].weight[q] * along;
    }
  }
  return sum;
}

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
  REAL sum;
  if (lies_between(a)) {
    const int node[3] = {i, j, k};
    axis_taps t[3];
#pragma unroll
    for (int d = 0; d < 3; d++)
      t[d] = gathered_taps(node[d], cell_ratio_of(a, d), (int)a.fine.n[d], a.periodic[d]);
    sum = sum_of_taps(AXIS(a.fine_x), a.fine, t, false);
  } else {
    const REAL *x = AXIS(a.fine_x) + a.factor[0] * i + a.factor[1] * j * sy + a.factor[2] * k * sz;
    sum = restricted_plane(x, sy, a.factor);
    if (a.factor[2] == 2)
      sum += (REAL)0.5 * (restricted_plane(x - sz, sy, a.factor) + restricted_plane(x + sz, sy, a.factor));
  }
  const REAL free = mask_at(a.mask, i, j + k * a.coarse.n[1]);
  static_cast<REAL *>(a.coarse_x)[i + j * a.coarse.sy + k * a.coarse.sz] = free * sum;
}

/* The mean of two values at distance s, or the value itself where s is zero. */
DEVICE REAL prolonged_line(const REAL *x, int64_t s) { return s ? (REAL)0.5 * (x[0] + x[s]) : x[0]; }

DEVICE REAL prolonged_plane(const REAL *x, int64_t sx, int64_t sy) {
  return sy ? (REAL)0.5 * (prolonged_line(x, sx) + prolonged_line(x + sy, sx)) : prolonged_line(x, sx);
}

/* FineX += mask P CoarseX, or P3, of node (i,j,k). */
DEVICE void prolong_between(const cv_transfer_args &a, int i, int j, int k, bool cubic) {
  const int node[3] = {i, j, k};
  axis_taps t[3];
#pragma unroll
  for (int d = 0; d < 3; d++)
    t[d] = cubic ? cubic_between_taps(node[d], cell_ratio_of(a, d), (int)a.coarse.n[d], a.periodic[d])
                 : between_taps(node[d], cell_ratio_of(a, d));
  const REAL sum = sum_of_taps(AXIS(a.coarse_x), a.coarse, t, true);
  static_cast<REAL *>(a.fine_x)[i + j * a.fine.sy + k * a.fine.sz] += mask_at(a.mask, i, j + k * a.fine.n[1]) * sum;
}

/* FineX += mask P CoarseX. Reads and writes FineX; reads CoarseX once, 1/8 word a node. */
KERNEL(prolong, cv_transfer_args) {
  NODE(i, j, k, a.fine);
  if (lies_between(a)) {
    prolong_between(a, i, j, k, false);
    return;
  }
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
  if (lies_between(a)) {
    prolong_between(a, i, j, k, true);
    return;
  }
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

/* CoarseX = FineX at coincident nodes, or on the line between two. */
KERNEL(inject, cv_transfer_args) {
  NODE(i, j, k, a.coarse);
  if (lies_between(a)) {
    const int node[3] = {i, j, k};
    axis_taps t[3];
#pragma unroll
    for (int d = 0; d < 3; d++) {
      const cell_ratio c = cell_ratio_of(a, d);
      t[d] = between_taps(node[d], cell_ratio{c.coarse, c.fine});
    }
    static_cast<REAL *>(a.coarse_x)[i + j * a.coarse.sy + k * a.coarse.sz] = sum_of_taps(AXIS(a.fine_x), a.fine, t, true);
    return;
  }
  static_cast<REAL *>(a.coarse_x)[i + j * a.coarse.sy + k * a.coarse.sz] =
      AXIS(a.fine_x)[a.factor[0] * i + a.factor[1] * j * a.fine.sy + a.factor[2] * k * a.fine.sz];
}
