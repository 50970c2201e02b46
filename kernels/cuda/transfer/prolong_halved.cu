/* Prolongation where all three axes are halved, linear and, of five coarse nodes or more along each, cubic. A thread of the linear one has two fine nodes side
   by side in x of a fine row. Both march through a slab of coarse planes: what those around a fine plane give, interpolated along x and y, stays in registers. */
#include "../launch.h"
#include "../stencil/mask.cuh"

/* Values at a fine node of even index in x and at the next. */
struct alignas(2 * sizeof(REAL)) halved_pair {
  REAL even, odd;
};

/* A pair of FineX, and where it lies; of an odd number of nodes the last has no other. Without a place there is none at all. */
struct halved_place {
  REAL *to;
  halved_pair own;
  int entry; /* of its row in the mask */
};

/* FineX += mask P CoarseX. Reads and writes FineX; reads CoarseX, 1/8 word a node. The last coarse node may lie in the halo. */
KERNEL_BOUNDS(prolong_halved, cv_transfer_args, 256, 2) {
  const int nz = (int)a.coarse.n[2];
  const int i = (int)(blockIdx.x * blockDim.x + threadIdx.x), j = (int)(blockIdx.y * blockDim.y + threadIdx.y);
  if (i >= (int)a.coarse.n[0] || j >= (int)a.fine.n[1])
    return;
  const REAL half = (REAL)0.5;
  const bool odd = 2 * i + 1 < (int)a.fine.n[0], between = j % 2;
  const REAL *coarse = AXIS(a.coarse_x) + i + j / 2 * a.coarse.sy;
  const auto in_plane = [&](int plane) {
    const REAL *c = coarse + plane * a.coarse.sz;
    halved_pair v = {c[0], half * c[0] + half * c[1]};
    if (between) {
      c += a.coarse.sy;
      v.even = half * v.even + half * c[0];
      v.odd = half * v.odd + half * (half * c[0] + half * c[1]);
    }
    return v;
  };
  const auto place = [&](int k) {
    halved_place p = {static_cast<REAL *>(a.fine_x) + 2 * i + j * a.fine.sy + k * a.fine.sz, {0, 0}, 0};
    if (k >= (int)a.fine.n[2])
      return halved_place{nullptr, {0, 0}, 0};
    if (odd)
      p.own = *reinterpret_cast<const halved_pair *>(p.to);
    else
      p.own.even = p.to[0];
    if (a.mask.index)
      p.entry = a.mask.index[j + k * a.fine.n[1]];
    return p;
  };
  const auto put = [&](const halved_place &p, const halved_pair &v) {
    const REAL *const row = AXIS(a.mask.table) + p.entry * a.mask.stride + 2 * i, all = (REAL)(1 - p.entry);
    const bool mixed = p.entry > 1;
    const REAL even = p.own.even + (mixed ? row[0] : all) * v.even;
    if (odd)
      *reinterpret_cast<halved_pair *>(p.to) = {even, p.own.odd + (mixed ? row[1] : all) * v.odd};
    else
      p.to[0] = even;
  };
  const int k0 = (int)blockIdx.z * halved_planes, k1 = min(k0 + (int)halved_planes, nz);
  halved_pair low = in_plane(k0);
  halved_place next = place(2 * k0);
  for (int k = k0; k < k1; k++) {
    const halved_place own = next, other = place(2 * k + 1);
    const halved_pair high = in_plane(k + 1);
    if (k + 1 < k1)
      next = place(2 * k + 2);
    put(own, low);
    if (other.to)
      put(other, {half * low.even + half * high.even, half * low.odd + half * high.odd});
    low = high;
  }
}

/* The cubic one where there are five coarse nodes along each axis. A thread has four fine nodes of two rows, the first of them even: of a coarse row it reads
   the five nodes around its own, and of a plane four rows. Threads are counted along the rows. */

/* What an odd fine node between coarse nodes low and low + 1 of n is interpolated from: 4 nodes side by side, round about a periodic end. */
struct rows_taps {
  int first;
  REAL weight[4];
};

DEVICE rows_taps rows_taps_of(int low, int n, bool periodic) {
  const bool begin = !periodic && low == 0, end = !periodic && !begin && low >= n - 2;
  const auto one_of = [&](double inside, double first, double last) { return (REAL)(begin ? first : end ? last : inside); };
  return {begin ? 0 : end ? n - 4 : low - 1, {one_of(-0.0625, 0.3125, 0.0625), one_of(0.5625, 0.9375, -0.3125), one_of(0.5625, -0.3125, 0.9375), one_of(-0.0625, 0.0625, 0.3125)}};
}

/* Where a tap lies on an axis of n nodes. */
DEVICE int rows_index(int i, int n) { return i < 0 ? i + n : i >= n ? i - n : i; }

enum { rows_nodes = 4, rows_window = rows_nodes / 2 + 3 };

/* What the nodes of a row of coarse nodes give to the thread's: even ones are coarse nodes themselves, odd ones sums over the window. Ones are weights too, since the
   choice of a register by a number would put all of them into memory. */
struct rows_columns {
  int at[rows_window];
  REAL even[rows_nodes / 2][rows_window], odd[rows_nodes / 2][rows_window];
};

DEVICE REAL rows_one(bool here) { return here ? (REAL)1 : (REAL)0; }

DEVICE rows_columns rows_columns_of(int low, int n, bool periodic) {
  const int begin = periodic ? low - 1 : min(max(low - 1, 0), n - rows_window);
  rows_columns c;
#pragma unroll
  for (int m = 0; m < rows_window; m++)
    c.at[m] = rows_index(begin + m, n);
#pragma unroll
  for (int b = 0; b < rows_nodes / 2; b++) {
    const int node = periodic ? low + b : min(low + b, n - 1);
    const rows_taps taps = rows_taps_of(node, n, periodic);
#pragma unroll
    for (int m = 0; m < rows_window; m++) {
      c.even[b][m] = rows_one(node - begin == m);
      c.odd[b][m] = 0;
#pragma unroll
      for (int p = 0; p < 4; p++)
        c.odd[b][m] = begin + m == taps.first + p ? taps.weight[p] : c.odd[b][m];
    }
  }
  return c;
}

/* Values at the nodes of both rows. */
struct rows_values {
  REAL v[2][rows_nodes];
};

struct alignas(4 * sizeof(REAL) < 16 ? 4 * sizeof(REAL) : 16) rows_four {
  REAL v[rows_nodes];
};

/* A row of the thread's nodes: the mask's entry, -1 where there is none, and their values. */
struct rows_target {
  int entry;
  rows_four u;
};

KERNEL_BOUNDS(prolong_cubic_rows, cv_transfer_args, 128, 3) {
  const int nx = (int)a.coarse.n[0], ny = (int)a.coarse.n[1], nz = (int)a.coarse.n[2], fine_x = (int)a.fine.n[0], fine_y = (int)a.fine.n[1];
  const int fours = (fine_x + rows_nodes - 1) / rows_nodes, q = (int)(blockIdx.x * blockDim.x + threadIdx.x), J = q / fours, i = (q - J * fours) * rows_nodes;
  if (2 * J >= fine_y)
    return;
  const rows_taps y = rows_taps_of(J, ny, a.periodic[1]);
  const rows_columns x = rows_columns_of(i / 2, nx, a.periodic[0]);
  int row[4];
#pragma unroll
  for (int p = 0; p < 4; p++)
    row[p] = rows_index(y.first + p, ny) * (int)a.coarse.sy;
  auto in_plane = [&](int plane) {
    const REAL *const c = AXIS(a.coarse_x) + rows_index(plane, nz) * a.coarse.sz;
    rows_values to = {};
#pragma unroll
    for (int p = 0; p < 4; p++) {
      REAL window[rows_window], along[rows_nodes];
#pragma unroll
      for (int m = 0; m < rows_window; m++)
        window[m] = c[row[p] + x.at[m]];
#pragma unroll
      for (int b = 0; b < rows_nodes / 2; b++) {
        along[2 * b] = along[2 * b + 1] = 0;
#pragma unroll
        for (int m = 0; m < rows_window; m++) {
          along[2 * b] = fma(x.even[b][m], window[m], along[2 * b]);
          along[2 * b + 1] = fma(x.odd[b][m], window[m], along[2 * b + 1]);
        }
      }
#pragma unroll
      for (int n = 0; n < rows_nodes; n++) {
        to.v[0][n] = fma(rows_one(y.first + p == J), along[n], to.v[0][n]);
        to.v[1][n] = fma(y.weight[p], along[n], to.v[1][n]);
      }
    }
    return to;
  };
  const int nodes = min((int)rows_nodes, fine_x - i);
  auto place = [&](int k, int r) { return static_cast<REAL *>(a.fine_x) + i + (2 * J + r) * a.fine.sy + k * a.fine.sz; };
  /* What is there of a row of the thread's nodes. Rows of both planes are asked for before any is needed: one after the other they would be waited for. */
  auto fetch = [&](int k, int r) {
    rows_target t = {-1, {}};
    const int j = 2 * J + r;
    if (j >= fine_y || k >= (int)a.fine.n[2])
      return t;
    t.entry = a.mask.index ? a.mask.index[j + (int64_t)k * fine_y] : 0;
    if (a.replaces)
      return t;
    const REAL *const from = place(k, r);
    if (nodes == rows_nodes)
      t.u = *reinterpret_cast<const rows_four *>(from);
    else
#pragma unroll
      for (int n = 0; n < rows_nodes - 1; n++)
        t.u.v[n] = n < nodes ? from[n] : (REAL)0;
    return t;
  };
  /* The mask's entry of the last row, and what it says of the thread's nodes. */
  int known = 0;
  REAL free[rows_nodes] = {1, 1, 1, 1};
  auto put = [&](int k, const rows_values &of, rows_target (&targets)[2]) {
#pragma unroll
    for (int r = 0; r < 2; r++) {
      rows_target &t = targets[r];
      if (t.entry < 0 || (t.entry == 1 && !a.replaces))
        continue;
      if (t.entry != known) {
        known = t.entry;
#pragma unroll
        for (int n = 0; n < rows_nodes; n++)
          free[n] = n < nodes ? mask_at(a.mask, i + n, 2 * J + r + (int64_t)k * fine_y) : (REAL)0;
      }
#pragma unroll
      for (int n = 0; n < rows_nodes; n++)
        t.u.v[n] = fma(free[n], of.v[r][n], t.u.v[n]);
      REAL *const to = place(k, r);
      if (nodes == rows_nodes)
        *reinterpret_cast<rows_four *>(to) = t.u;
      else
#pragma unroll
        for (int n = 0; n < rows_nodes - 1; n++)
          if (n < nodes)
            to[n] = t.u.v[n];
    }
  };
  const int k0 = (int)((int64_t)blockIdx.y * nz / gridDim.y), k1 = (int)(((int64_t)blockIdx.y + 1) * nz / gridDim.y);
  int first = rows_taps_of(k0, nz, a.periodic[2]).first;
  rows_values planes[4];
#pragma unroll
  for (int m = 0; m < 4; m++)
    planes[m] = in_plane(first + m);
  for (int k = k0; k < k1; k++) {
    const rows_taps z = rows_taps_of(k, nz, a.periodic[2]);
    if (z.first > first) {
#pragma unroll
      for (int m = 0; m < 3; m++)
        planes[m] = planes[m + 1];
      planes[3] = in_plane(z.first + 3);
      first = z.first;
    }
    rows_target even[2] = {fetch(2 * k, 0), fetch(2 * k, 1)}, odd[2] = {fetch(2 * k + 1, 0), fetch(2 * k + 1, 1)};
    rows_values own = {}, between = {};
#pragma unroll
    for (int m = 0; m < 4; m++)
#pragma unroll
      for (int r = 0; r < 2; r++)
#pragma unroll
        for (int n = 0; n < rows_nodes; n++) {
          own.v[r][n] = fma(rows_one(m == k - first), planes[m].v[r][n], own.v[r][n]);
          between.v[r][n] = fma(z.weight[m], planes[m].v[r][n], between.v[r][n]);
        }
    put(2 * k, own, even);
    put(2 * k + 1, between, odd);
  }
}
