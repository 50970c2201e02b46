/* Prolongation, each axis coarsened or not: one thread a node of the target; and restriction where an axis lies between. Where an axis has coarse nodes between fine ones, all axes go by
   the ratio of their cells, and a thread takes a column of a slab of the target, of Prolong two side by side in y: along z it counts on instead of dividing. */
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

/* Where fine node i is: `past` parts of the `fine` of a coarse cell beyond coarse node low. */
struct cell_place {
  int low, past;
};

/* That of node i, which may be -1. A quotient is guessed in float, and mended by its remainder, which is right modulo 2^32: nothing is divided by but `fine`. */
DEVICE cell_place cell_place_of(int i, cell_ratio c) {
  cell_place p = {(int)((float)i * (float)c.coarse * (1 / (float)c.fine)), 0};
  p.past = (int)((unsigned)i * (unsigned)c.coarse - (unsigned)p.low * (unsigned)c.fine);
#pragma unroll 1
  for (; p.past < 0; p.past += c.fine)
    p.low--;
#pragma unroll 1
  for (; p.past >= c.fine; p.past -= c.fine)
    p.low++;
  return p;
}

/* The fine nodes, of n, that coarse node J gathers: those less than a coarse cell away. */
DEVICE axis_taps gathered_taps(int J, cell_ratio c, int n, bool periodic) {
  const bool wall = J == 0 && !periodic;
  const cell_place before = cell_place_of(J - 1, cell_ratio{c.coarse, c.fine});
  axis_taps t = {wall ? 0 : before.low + 1, 0, {0, 0, 0, 0}};
  const int away = wall ? 0 : c.coarse - before.past - c.fine;
  const REAL part = 1 / (REAL)c.fine;
#pragma unroll
  for (int m = 0; m < 4; m++) {
    const int d = away + m * c.coarse;
    if (d < c.fine && (periodic || t.first + m < n)) {
      t.weight[m] = (REAL)(c.fine - (d < 0 ? -d : d)) * part;
      t.count = m + 1;
    }
  }
  return t;
}

/* The coarse nodes that fine node i lies between. */
DEVICE axis_taps between_taps(int i, cell_ratio c) {
  const cell_place p = cell_place_of(i, c);
  return axis_taps{p.low, p.past ? 2 : 1, {(REAL)(c.fine - p.past) / (REAL)c.fine, (REAL)p.past / (REAL)c.fine, 0, 0}};
}

/* The coarse nodes, of n, around fine node i whose cubic polynomial it lies on, or that of all where there are fewer than four. */
DEVICE axis_taps cubic_between_taps(int i, cell_ratio c, int n, bool periodic) {
  const cell_place p = cell_place_of(i, c);
  if (p.past == 0)
    return axis_taps{p.low, 1, {1, 0, 0, 0}};
  axis_taps t = {p.low - 1, 4, {0, 0, 0, 0}};
  if (!periodic) {
    t.count = min(n, 4);
    t.first = max(min(p.low - 1, n - t.count), 0);
  }
  const REAL x = (REAL)(p.low - t.first) + (REAL)p.past / (REAL)c.fine;
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

/* Goes on to the next fine node, and tells whether it lies in the next coarse cell. */
DEVICE bool next_node(cell_place &p, cell_ratio c) {
  p.past += c.coarse;
  if (p.past < c.fine)
    return false;
  p.past -= c.fine;
  p.low++;
  return true;
}

/* CoarseX = mask Pt FineX in a column where an axis lies between: each plane is gathered once, and given to the two coarse planes around it. A kernel of
   its own, since it needs three times the registers. */
KERNEL(restrict_between, cv_transfer_args) {
  const int64_t targets[3] = {a.coarse.n[0], a.count, a.coarse.n[2]};
  slab s = slab_of(targets);
  if (s.low >= s.high)
    return;
  s.j += (int)a.first;
  const cell_ratio cz = cell_ratio_of(a, 2);
  const axis_taps x = gathered_taps(s.i, cell_ratio_of(a, 0), (int)a.fine.n[0], a.periodic[0]);
  const axis_taps y = gathered_taps(s.j, cell_ratio_of(a, 1), (int)a.fine.n[1], a.periodic[1]);
  int64_t across[4];
  tap_offsets(across, y, (int)a.fine.n[1], a.fine.sy, false);
  int k = gathered_taps(s.low, cz, (int)a.fine.n[2], a.periodic[2]).first;
  const int end = a.periodic[2] ? (int)a.fine.n[2] + 1 : (int)a.fine.n[2];
  cell_place p = cell_place_of(k, cz);
  const REAL part = 1 / (REAL)cz.fine;
  const REAL *rows[4];
  REAL v[4][4] = {}, low = 0, high = 0; /* of nodes that do not count there is no value */
#pragma unroll
  for (int m = 0; m < 4; m++)
    rows[m] = AXIS(a.fine_x) + x.first + across[m] + k * a.fine.sz;
  const auto put = [&](int K) {
    if (K >= s.low)
      static_cast<REAL *>(a.coarse_x)[s.i + s.j * a.coarse.sy + K * a.coarse.sz] = mask_at(a.mask, s.i, s.j + K * a.coarse.n[1]) * low;
    low = high;
    high = 0;
  };
  for (; p.low < s.high && k < end; k++) {
    REAL sum = 0;
#pragma unroll
    for (int m = 0; m < 4; m++) {
#pragma unroll
      for (int q = 0; q < 4; q++)
        if (q < x.count)
          v[m][q] = rows[m][q];
      rows[m] += a.fine.sz;
    }
#pragma unroll
    for (int m = 0; m < 4; m++)
      sum = fma(y.weight[m], fma(x.weight[0], v[m][0], x.weight[1] * v[m][1]) + fma(x.weight[2], v[m][2], x.weight[3] * v[m][3]), sum);
    const REAL above = (REAL)p.past * part;
    low = fma(1 - above, sum, low);
    high = fma(above, sum, high);
    const int K = p.low;
    if (next_node(p, cz))
      put(K);
  }
  if (p.low < s.high) /* the last plane of all, on which the last fine one lies */
    put(p.low);
}

/* What the mask says of a node of a column, and the entry of its row that says so. */
struct column_mask {
  int entry;
  REAL free;
};

DEVICE void column_mask_next(column_mask &f, const cv_mask &m, int i, int entry) {
  if (entry == f.entry)
    return;
  f.entry = entry;
  f.free = entry > 1 ? AXIS(m.table)[entry * m.stride + i] : (REAL)(1 - entry);
}

/* The two coarse rows after the one that the first of two fine rows side by side is at or beyond, as elements beyond it, and what these give to either: the
   second row has parts of all three. */
struct between_rows {
  int at[2];
  REAL first, second[3];
};

DEVICE between_rows between_rows_of(cell_place p, cell_ratio c, int n, bool periodic, int stride) {
  between_rows r;
  const int low = p.low;
  const REAL part = 1 / (REAL)c.fine;
  r.first = (REAL)p.past * part;
  const bool passes = next_node(p, c);
  const REAL above = (REAL)p.past * part;
#pragma unroll
  for (int m = 0; m < 2; m++) {
    const int row = low + 1 + m;
    r.at[m] = (min(row < n || !periodic ? row : row - n, n - 1) - low) * stride;
  }
  r.second[0] = passes ? 0 : 1 - above;
  r.second[1] = passes ? 1 - above : above;
  r.second[2] = passes ? above : 0;
  return r;
}

/* FineX += mask P CoarseX in two columns side by side in y: each coarse plane is interpolated once, and asked for a coarse cell before it is needed, as the
   nodes of the next fine plane are. */
DEVICE void prolong_columns_between(const cv_transfer_args &a) {
  const int64_t pairs[3] = {a.fine.n[0], (a.count + 1) / 2, a.fine.n[2]};
  const slab s = slab_of(pairs);
  if (s.low >= s.high)
    return;
  const int i = s.i, j = (int)a.first + 2 * s.j, nx = (int)a.coarse.n[0], nz = (int)a.coarse.n[2];
  const cell_ratio cx = cell_ratio_of(a, 0), cy = cell_ratio_of(a, 1), cz = cell_ratio_of(a, 2);
  const cell_place px = cell_place_of(i, cx), py = cell_place_of(j, cy);
  const between_rows y = between_rows_of(py, cy, (int)a.coarse.n[1], a.periodic[1], (int)a.coarse.sy);
  const int along = px.past == 0 ? 0 : px.low + 1 < nx ? 1 : -px.low;
  const REAL right = (REAL)px.past * (1 / (REAL)cx.fine), part = 1 / (REAL)cz.fine;
  const int64_t sz = a.coarse.sz, fine_sz = a.fine.sz, beyond = a.periodic[2] ? (1 - nz) * sz : 0;
  cell_place p = cell_place_of(s.low, cz);
  int K = p.low;
  const REAL *coarse = AXIS(a.coarse_x) + px.low + py.low * a.coarse.sy + K * sz;
  const auto next_coarse = [&](REAL (&to)[2]) { /* what the coarse plane K gives; then K is the next one */
    const REAL *const middle = coarse + y.at[0], *const back = coarse + y.at[1];
    const REAL v0 = fma(1 - right, coarse[0], right * coarse[along]), v1 = fma(1 - right, middle[0], right * middle[along]);
    const REAL v2 = fma(1 - right, back[0], right * back[along]);
    /* Rows that have no part in another may hold anything where they are those of other devices, also what is no number. */
    const REAL third = y.second[2] != 0 ? y.second[2] * v2 : (REAL)0, second = y.second[1] != 0 ? fma(y.second[1], v1, third) : third;
    to[0] = y.first != 0 ? fma(1 - y.first, v0, y.first * v1) : v0;
    to[1] = y.second[0] != 0 ? fma(y.second[0], v0, second) : second;
    K++;
    coarse += K == nz ? beyond : K < nz || a.periodic[2] ? sz : 0;
  };
  REAL below[2], above[2], over[2];
  next_coarse(below);
  next_coarse(above);
  next_coarse(over);
  /* A second row that there is not is the first one, and not stored. */
  const bool second = j + 1 < (int)(a.first + a.count);
  const int side = second ? (int)a.fine.sy : 0, beside = second ? 1 : 0, masked = a.mask.index ? 1 : 0;
  REAL *out = static_cast<REAL *>(a.fine_x) + i + j * a.fine.sy + s.low * fine_sz;
  const int32_t *index = masked ? a.mask.index + j + s.low * a.fine.n[1] : nullptr;
  REAL next[2] = {out[0], out[side]};
  int entry[2] = {masked ? index[0] : 0, masked ? index[beside] : 0};
  column_mask mask[2] = {{0, 1}, {0, 1}};
  for (int left = s.high - s.low; left > 0; left--) {
    const REAL w = (REAL)p.past * part, own[2] = {next[0], next[1]};
    REAL *const to = out;
#pragma unroll
    for (int r = 0; r < 2; r++)
      column_mask_next(mask[r], a.mask, i, entry[r]);
    if (left > 1)
      out += fine_sz;
    next[0] = out[0], next[1] = out[side];
    if (masked && left > 1) {
      index += a.fine.n[1];
      entry[0] = index[0], entry[1] = index[beside];
    }
    to[0] = fma(mask[0].free, fma(w, above[0], (1 - w) * below[0]), own[0]);
    if (second)
      to[side] = fma(mask[1].free, fma(w, above[1], (1 - w) * below[1]), own[1]);
    if (next_node(p, cz)) {
#pragma unroll
      for (int r = 0; r < 2; r++)
        below[r] = above[r], above[r] = over[r];
      next_coarse(over);
    }
  }
}

/* The mean of two values at distance s, or the value itself where s is zero. */
DEVICE REAL prolonged_line(const REAL *x, int64_t s) { return s ? (REAL)0.5 * (x[0] + x[s]) : x[0]; }

DEVICE REAL prolonged_plane(const REAL *x, int64_t sx, int64_t sy) {
  return sy ? (REAL)0.5 * (prolonged_line(x, sx) + prolonged_line(x + sy, sx)) : prolonged_line(x, sx);
}

/* FineX += mask P CoarseX. Reads and writes FineX; reads CoarseX once, 1/8 word a node. */
KERNEL_BOUNDS(prolong, cv_transfer_args, 256, sizeof(REAL) == 4 ? 4 : 3) {
  if (lies_between(a)) {
    prolong_columns_between(a);
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

/* FineX += mask P3 CoarseX, or FineX = mask P3 CoarseX. */
KERNEL(prolong_cubic, cv_transfer_args) {
  NODE(i, from_first, k, a.fine);
  const int j = (int)a.first + from_first;
  if (from_first >= (int)a.count)
    return;
  REAL *const out = static_cast<REAL *>(a.fine_x) + i + j * a.fine.sy + k * a.fine.sz;
  const REAL found = a.replaces ? (REAL)0 : *out, free = mask_at(a.mask, i, j + k * a.fine.n[1]);
  if (lies_between(a)) {
    const int node[3] = {i, j, k};
    axis_taps t[3];
#pragma unroll
    for (int d = 0; d < 3; d++)
      t[d] = cubic_between_taps(node[d], cell_ratio_of(a, d), (int)a.coarse.n[d], a.periodic[d]);
    const REAL sum = sum_of_taps(AXIS(a.coarse_x), a.coarse, t);
    *out = found + free * sum;
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
  *out = found + free * sum;
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
