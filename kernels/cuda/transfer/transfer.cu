/* Restriction and prolongation, each axis coarsened or not: one thread a node of the target. Where an axis has coarse nodes between fine ones, all axes go by
   the ratio of their cells, and Restrict and Prolong take one thread a column of a slab of the target: along z it counts on instead of dividing. */
#include "../launch.h"
#include "../march/slab.cuh"
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

/* Offsets of the nodes of taps, of n at a distance `stride`; with `wraps` beyond the ends. Those that do not count are the first one's, weighted 0. */
DEVICE void tap_offsets(int64_t (&at)[4], const axis_taps &t, int n, int64_t stride, bool wraps) {
#pragma unroll
  for (int m = 0; m < 4; m++) {
    const int node = m < t.count ? t.first + m : t.first;
    at[m] = (!wraps ? node : node < 0 ? node + n : node % n) * stride;
  }
}

/* The sum over taps of all axes of the nodes of x, those of a box; beyond its ends are those of the other ends. */
DEVICE REAL sum_of_taps(const REAL *x, const cv_box &box, const axis_taps (&t)[3]) {
  const int64_t stride[3] = {1, box.sy, box.sz};
  int64_t at[3][4];
#pragma unroll
  for (int d = 0; d < 3; d++)
    tap_offsets(at[d], t[d], (int)box.n[d], stride[d], true);
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

/* Where a march is between the coarse planes `low` and low + 1: `past` cells of `coarse` of the `fine` between them. */
struct plane_place {
  int low, past, fine, coarse;
};

/* That of fine plane k, which may be -1. */
DEVICE plane_place plane_place_of(int k, cell_ratio c) {
  const int64_t all = (int64_t)k * c.coarse;
  const int low = all < 0 ? -1 : (int)(all / c.fine);
  return plane_place{low, (int)(all - (int64_t)low * c.fine), c.fine, c.coarse};
}

/* Goes on to the next fine plane, and tells whether it lies in the next coarse cell. */
DEVICE bool next_plane(plane_place &p) {
  p.past += p.coarse;
  if (p.past < p.fine)
    return false;
  p.past -= p.fine;
  p.low++;
  return true;
}

/* CoarseX = mask Pt FineX in a column where an axis lies between: each plane is gathered once, and given to the two coarse planes around it. A kernel of
   its own, since it needs three times the registers. */
KERNEL(restrict_between, cv_transfer_args) {
  const slab s = slab_of(a.coarse.n);
  if (s.low >= s.high)
    return;
  const cell_ratio cz = cell_ratio_of(a, 2);
  const axis_taps x = gathered_taps(s.i, cell_ratio_of(a, 0), (int)a.fine.n[0], a.periodic[0]);
  const axis_taps y = gathered_taps(s.j, cell_ratio_of(a, 1), (int)a.fine.n[1], a.periodic[1]);
  int64_t along[4], across[4];
  tap_offsets(along, x, (int)a.fine.n[0], 1, false);
  tap_offsets(across, y, (int)a.fine.n[1], a.fine.sy, false);
  int k = gathered_taps(s.low, cz, (int)a.fine.n[2], a.periodic[2]).first;
  const int end = a.periodic[2] ? (int)a.fine.n[2] + 1 : (int)a.fine.n[2];
  plane_place p = plane_place_of(k, cz);
  const REAL part = 1 / (REAL)cz.fine;
  const REAL *plane = AXIS(a.fine_x) + k * a.fine.sz;
  REAL low = 0, high = 0;
  const auto put = [&](int K) {
    if (K >= s.low)
      static_cast<REAL *>(a.coarse_x)[s.i + s.j * a.coarse.sy + K * a.coarse.sz] = mask_at(a.mask, s.i, s.j + K * a.coarse.n[1]) * low;
    low = high;
    high = 0;
  };
  for (; p.low < s.high && k < end; k++, plane += a.fine.sz) {
    REAL sum = 0;
#pragma unroll
    for (int m = 0; m < 4; m++) {
      const REAL *row = plane + across[m];
      const REAL gathered = fma(x.weight[0], row[along[0]], x.weight[1] * row[along[1]]) + fma(x.weight[2], row[along[2]], x.weight[3] * row[along[3]]);
      sum = fma(y.weight[m], gathered, sum);
    }
    const REAL above = (REAL)p.past * part;
    low = fma(1 - above, sum, low);
    high = fma(above, sum, high);
    const int K = p.low;
    if (next_plane(p))
      put(K);
  }
  if (p.low < s.high) /* the last plane of all, on which the last fine one lies */
    put(p.low);
}

/* FineX += mask P CoarseX in a column: each coarse plane is interpolated once, and asked for a coarse cell before it is needed, as the nodes of the next
   fine plane are. */
DEVICE void prolong_column_between(const cv_transfer_args &a) {
  const slab s = slab_of(a.fine.n);
  if (s.low >= s.high)
    return;
  const int nz = (int)a.coarse.n[2];
  const axis_taps x = between_taps(s.i, cell_ratio_of(a, 0)), y = between_taps(s.j, cell_ratio_of(a, 1));
  int64_t along[4], across[4];
  tap_offsets(along, x, (int)a.coarse.n[0], 1, true);
  tap_offsets(across, y, (int)a.coarse.n[1], a.coarse.sy, true);
  const auto in_plane = [&](int K) {
    const REAL *c = AXIS(a.coarse_x) + (K < nz ? K : a.periodic[2] ? K - nz : nz - 1) * a.coarse.sz;
    const REAL front = fma(x.weight[0], c[across[0] + along[0]], x.weight[1] * c[across[0] + along[1]]);
    const REAL back = fma(x.weight[0], c[across[1] + along[0]], x.weight[1] * c[across[1] + along[1]]);
    return fma(y.weight[0], front, y.weight[1] * back);
  };
  plane_place p = plane_place_of(s.low, cell_ratio_of(a, 2));
  const REAL part = 1 / (REAL)p.fine;
  REAL below = in_plane(p.low), above = in_plane(p.low + 1), over = in_plane(p.low + 2);
  REAL *out = static_cast<REAL *>(a.fine_x) + s.i + s.j * a.fine.sy + s.low * a.fine.sz;
  REAL next = *out, next_free = mask_at(a.mask, s.i, s.j + s.low * a.fine.n[1]);
  for (int k = s.low; k < s.high; k++, out += a.fine.sz) {
    const REAL w = (REAL)p.past * part, own = next, free = next_free;
    if (k + 1 < s.high) {
      next = out[a.fine.sz];
      next_free = mask_at(a.mask, s.i, s.j + (k + 1) * a.fine.n[1]);
    }
    *out = own + free * fma(w, above, (1 - w) * below);
    if (next_plane(p)) {
      below = above;
      above = over;
      over = in_plane(p.low + 2);
    }
  }
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
  if (lies_between(a)) {
    prolong_column_between(a);
    return;
  }
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
  if (lies_between(a)) {
    const int node[3] = {i, j, k};
    axis_taps t[3];
#pragma unroll
    for (int d = 0; d < 3; d++)
      t[d] = cubic_between_taps(node[d], cell_ratio_of(a, d), (int)a.coarse.n[d], a.periodic[d]);
    const REAL sum = sum_of_taps(AXIS(a.coarse_x), a.coarse, t);
    static_cast<REAL *>(a.fine_x)[i + j * a.fine.sy + k * a.fine.sz] += mask_at(a.mask, i, j + k * a.fine.n[1]) * sum;
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
    static_cast<REAL *>(a.coarse_x)[i + j * a.coarse.sy + k * a.coarse.sz] = sum_of_taps(AXIS(a.fine_x), a.fine, t);
    return;
  }
  static_cast<REAL *>(a.coarse_x)[i + j * a.coarse.sy + k * a.coarse.sz] =
      AXIS(a.fine_x)[a.factor[0] * i + a.factor[1] * j * a.fine.sy + a.factor[2] * k * a.fine.sz];
}
