/* Modes: tridiagonal systems along z, or along y of boxes that are turned, one a column of nodes, by elimination from below: of whole columns where they fill the GPU, and else of parts of columns. */
#include "../launch.h"
#include "../march/strip.cuh"

/* Nodes of a column whose couplings are made at a time, planes whose numbers a block has in shared memory, and nodes of a column whose factors it keeps
   there. */
enum { modes_group = 8, modes_chunk = (sizeof(REAL) == 4 ? 15 : 9) * modes_ahead, modes_nodes = modes_kept / sizeof(REAL) };
static_assert(modes_nodes % modes_ahead == 0);

/* The numbers of a plane, of those that a GPU has; the mass is in `tie`, and nothing leads up from the last one of all. */
struct alignas(16) modes_numbers {
  REAL first, second, tie, up, up_first, up_second;
};

DEVICE modes_numbers modes_numbers_of(const cv_modes_args &a, const REAL *heights, int k) {
  const int nz = (int)a.rows, at = (int)a.first + k;
  const REAL *const h = heights + at, above = at + 1 < nz ? 1 : 0;
  return modes_numbers{h[modes_first * nz], h[modes_second * nz], fma((REAL)a.mass, h[modes_volume * nz], h[modes_tie * nz]),
                     above * h[modes_up * nz], above * h[modes_up_first * nz], above * h[modes_up_second * nz]};
}

/* The column of the constant vector, which is the first, less its mean, weighted by volumes, or of what is integrated over them: by all threads of a block, of which
   the first modes_threads at most add up. */
DEVICE void modes_shift(const cv_modes_args &a, const REAL *volume, bool integrated) {
  __shared__ REAL parts[2][modes_threads];
  REAL *const x = static_cast<REAL *>(a.x);
  const int n = (int)a.box.n[2], t = (int)(threadIdx.y * blockDim.x + threadIdx.x), threads = (int)(blockDim.x * blockDim.y);
  REAL sum = 0, all = 0;
  __syncthreads();
  for (int k = t; k < n && t < modes_threads; k += min(threads, (int)modes_threads)) {
    sum += integrated ? x[k * a.box.sz] : volume[k] * x[k * a.box.sz];
    all += volume[k];
  }
  if (t < modes_threads)
    parts[0][t] = sum, parts[1][t] = all;
  __syncthreads();
  sum = 0, all = 0;
#pragma unroll 8
  for (int q = 0; q < modes_threads && q < threads; q++)
    sum += parts[0][q], all += parts[1][q];
  const REAL mean = sum / all;
  for (int k = t; k < n; k += threads)
    x[k * a.box.sz] -= integrated ? mean * volume[k] : mean;
  __syncthreads();
}

/* A column without fixed nodes: its first node, the first one's factors in global and in shared memory, and its nodes; a thread that has no column has none. */
struct modes_column {
  REAL *x, *work, *kept;
  unsigned stride; /* bytes between nodes */
  int nodes;
  REAL lambda, mu, volume;
};

DEVICE REAL modes_coupling(const modes_column &c, const modes_numbers &p) { return fma(-c.mu, p.up_second, fma(-c.lambda, p.up_first, p.up)); }

/* Node k of the column at x, whose nodes are so many bytes apart: a plane has less than 2^32. */
DEVICE REAL *modes_at(REAL *x, unsigned stride, unsigned k) { return reinterpret_cast<REAL *>(reinterpret_cast<char *>(x) + (uint64_t)stride * k); }

/* 1/d, and 0 where nothing ties a node and nothing is above it. */
DEVICE REAL modes_inverse(REAL d) { return d > 0 ? strip_reciprocal(d) : (REAL)0; }

/* Eliminates the `nodes` planes from `first` on, upwards. Nodes beyond the last are computed from anything and not stored; their factors are 0. */
DEVICE void modes_eliminate(const cv_modes_args &a, const modes_column &c, const REAL *heights, int first, int nodes) {
  __shared__ modes_numbers planes[modes_chunk];
  REAL passed = first > 0 ? modes_coupling(c, modes_numbers_of(a, heights, 0)) : (REAL)0, carried = 0, next[modes_ahead];
#pragma unroll
  for (int m = 0; m < modes_ahead; m++)
    next[m] = m < c.nodes ? *modes_at(c.x, c.stride, m) : (REAL)0;
  for (int k0 = 0, within = 0; k0 < nodes; k0 += modes_ahead, within += modes_ahead) {
    if (within == modes_chunk || k0 == 0) {
      within = 0;
      __syncthreads();
      for (int q = (int)threadIdx.x; q < modes_chunk && k0 + q < nodes + modes_ahead; q += modes_threads)
        planes[q] = modes_numbers_of(a, heights, min(first + k0 + q, (int)a.box.n[2] - 1));
      __syncthreads();
    }
    const int left = c.nodes - k0;
    REAL *const to = modes_at(c.x, c.stride, k0), *const from = modes_at(to, c.stride, modes_ahead);
#pragma unroll
    for (int m0 = 0; m0 < modes_ahead; m0 += modes_group) {
      REAL own[modes_group], g[modes_group], above[modes_group];
#pragma unroll
      for (int m = 0; m < modes_group; m++) {
        const modes_numbers p = planes[within + m0 + m];
        own[m] = fma(c.volume, p.tie, fma(c.lambda, p.first, c.mu * p.second));
        g[m] = modes_coupling(c, p);
      }
#pragma unroll
      for (int m = 0; m < modes_group; m++) {
        const REAL f = next[m0 + m];
        if (m0 + m + modes_ahead < left)
          next[m0 + m] = *modes_at(from, c.stride, m0 + m);
        const REAL ground = passed + own[m], inverse = modes_inverse(ground + g[m]);
        const REAL value = (f + carried) * inverse;
        above[m] = g[m] * inverse;
        carried = g[m] * value;
        passed = ground * above[m];
        if (m0 + m < left)
          *modes_at(to, c.stride, m0 + m) = value;
      }
#pragma unroll
      for (int m = 0; m < modes_group; m++)
        if (k0 < modes_nodes)
          c.kept[(k0 + m0 + m) * modes_threads] = above[m];
        else if (m0 + m < left)
          *modes_at(c.work, c.stride, k0 + m0 + m) = above[m];
    }
  }
}

/* The way back down, of as many nodes at a time. What is beyond the last of the `nodes` planes is 0. */
DEVICE void modes_substitute(const modes_column &c, int nodes) {
  const int last = (nodes - 1) / modes_ahead * modes_ahead;
  REAL value = 0, next[modes_ahead], factor[modes_ahead];
#pragma unroll
  for (int m = 0; m < modes_ahead; m++) {
    const int k = last + m;
    next[m] = k < c.nodes ? *modes_at(c.x, c.stride, k) : (REAL)0;
    factor[m] = last >= modes_nodes && k < c.nodes ? *modes_at(c.work, c.stride, k) : (REAL)0;
  }
  for (int k0 = last; k0 >= 0; k0 -= modes_ahead) {
    const bool more = k0 > 0 && c.nodes > 0, far = more && k0 > modes_nodes;
    const int left = c.nodes - k0, before = max(k0 - modes_ahead, 0);
    REAL *const to = modes_at(c.x, c.stride, k0), *const from = modes_at(c.x, c.stride, before), *const work = modes_at(c.work, c.stride, before);
    if (k0 < modes_nodes) {
#pragma unroll
      for (int m = 0; m < modes_ahead; m++)
        factor[m] = c.kept[(k0 + m) * modes_threads];
    }
#pragma unroll
    for (int m = modes_ahead - 1; m >= 0; m--) {
      value = fma(factor[m], value, next[m]);
      if (more)
        next[m] = *modes_at(from, c.stride, m);
      if (far)
        factor[m] = *modes_at(work, c.stride, m);
      if (m < left)
        *modes_at(to, c.stride, m) = value;
    }
  }
}

/* The table of a column, and where it begins. */
DEVICE modes_column modes_column_of(const cv_modes_args &a, int column, bool there, REAL *kept) {
  const int nx = (int)a.box.n[0], ny = (int)a.box.n[1], first = a.low != 0;
  const int i = there ? column % nx : 0, j = there ? column / nx : 0;
  const REAL *const of_x = static_cast<const REAL *>(a.table), *const of_y = of_x + 2 * nx;
  const int64_t sz = a.box.sz, at = j * a.box.sy + i + first * sz;
  return modes_column{static_cast<REAL *>(a.x) + at, static_cast<REAL *>(a.work) + at, kept, (unsigned)(sz * sizeof(REAL)), there ? (int)a.box.n[2] - first - (a.high != 0) : 0,
                      of_x[i], of_y[j], of_x[nx + i] * of_y[ny + j]};
}

DEVICE const REAL *modes_planes_of(const cv_modes_args &a) { return static_cast<const REAL *>(a.table) + 2 * (a.box.n[0] + a.box.n[1]); }

/* Zeros where a column is fixed; x is its first node. */
DEVICE void modes_fix(const cv_modes_args &a, const modes_column &c) {
  REAL *const x = a.low ? c.x - a.box.sz : c.x;
  if (a.low)
    x[0] = 0;
  if (a.high)
    x[(a.box.n[2] - 1) * a.box.sz] = 0;
}

/* A thread has a column. What a block works on at once stays in the second cache on its way up and down: so its factors are in shared memory, and
   few columns are under way. */
KERNEL_BOUNDS(modes, cv_modes_args, modes_threads, 3) {
  DYNAMIC_SHARED(REAL, kept);
  const int nz = (int)a.box.n[2], first = a.low != 0;
  const int column = (int)(blockIdx.x * blockDim.x + threadIdx.x);
  const bool there = column < (int)(a.box.n[0] * a.box.n[1]), constant = a.singular && blockIdx.x == 0;
  const REAL *const heights = modes_planes_of(a);
  const modes_column c = modes_column_of(a, column, there, kept + threadIdx.x);
  if (constant)
    modes_shift(a, heights + modes_volume * nz, true);
  modes_eliminate(a, c, heights, first, nz - first - (a.high != 0));
  modes_substitute(c, nz - first - (a.high != 0));
  if (there)
    modes_fix(a, c);
  if (constant)
    modes_shift(a, heights + modes_volume * nz, false);
}

/* What a part of a column is between its first node and its last: the coupling of both, what ties each of them, and their sources; `up` is the coupling of the last
   one to the node above. Where the couplings are positive so are all terms of it, and nothing is lost by differences. */
struct modes_part {
  REAL across, low, high, into_low, into_high, up;
};

/* The same numbers once the parts below are eliminated: what reaches the first node from there, tie and source, and by what both nodes follow from those above,
   x_last = last + last_by x_above, x_first = first + first_by x_last. In the end `first` is x_above. */
struct modes_link {
  REAL passed, carried, first, first_by, last, last_by;
};

/* Node k of a column by itself: what ties it, and the coupling to the one above. */
struct modes_node {
  REAL own, up;
};

DEVICE modes_node modes_node_of(const cv_modes_args &a, const modes_column &c, const REAL *heights, int k) {
  const modes_numbers p = modes_numbers_of(a, heights, k);
  return {fma(c.volume, p.tie, fma(c.lambda, p.first, c.mu * p.second)), modes_coupling(c, p)};
}

/* Calls visit(k, x, node) for the nodes from k0 up to k1 of a column, upwards, eight of which are asked for at a time. */
template <typename Visit> DEVICE void modes_upwards(const cv_modes_args &a, const modes_column &c, const REAL *heights, int k0, int k1, Visit visit) {
  const int first = a.low != 0;
  for (int k = k0; k < k1; k += modes_group) {
    REAL x[modes_group];
    modes_node node[modes_group];
#pragma unroll
    for (int m = 0; m < modes_group; m++) {
      const int at = min(k + m, k1 - 1);
      x[m] = *modes_at(c.x, c.stride, at);
      node[m] = modes_node_of(a, c, heights, first + at);
    }
#pragma unroll
    for (int m = 0; m < modes_group; m++)
      if (k + m < k1)
        visit(k + m, x[m], node[m]);
  }
}

/* Adds a node above a part, with its source and its coupling to what is above it: the last one before is eliminated. */
DEVICE void modes_extend(modes_part &p, REAL own, REAL source, REAL up) {
  const REAL inverse = modes_inverse(p.across + p.high + p.up), below = p.across * inverse, above = p.up * inverse;
  p.low = fma(below, p.high, p.low), p.into_low = fma(below, p.into_high, p.into_low);
  p.high = fma(above, p.high, own), p.into_high = fma(above, p.into_high, source);
  p.across = below * p.up, p.up = up;
}

/* Eliminates what is between the first node of a part and its last. */
DEVICE modes_part modes_between(const cv_modes_args &a, const modes_column &c, const REAL *heights, int k0, int k1) {
  modes_part p = {};
  modes_upwards(a, c, heights, k0, k1, [&](int k, REAL x, const modes_node &node) {
    if (k == k0)
      p.low = node.own, p.into_low = x, p.across = node.up;
    else if (k == k0 + 1)
      p.high = node.own, p.into_high = x, p.up = node.up;
    else
      modes_extend(p, node.own, x, node.up);
  });
  return p;
}

/* Six numbers, so many apart. */
DEVICE void modes_store(REAL *to, int64_t apart, const modes_part &p) {
  to[0] = p.across, to[apart] = p.low, to[2 * apart] = p.high, to[3 * apart] = p.into_low, to[4 * apart] = p.into_high, to[5 * apart] = p.up;
}
DEVICE modes_part modes_recall(const REAL *from, int64_t apart) {
  return {from[0], from[apart], from[2 * apart], from[3 * apart], from[4 * apart], from[5 * apart]};
}

/* Solves the chain of the parts' first and last nodes: those of a part lie `stride` numbers apart. passed, carried: what reaches the first one from below; above: x
   above the last. */
DEVICE void modes_chain(REAL *numbers, int stride, int parts, REAL passed, REAL carried, REAL above) {
  for (int p = 0; p < parts; p++) {
    REAL *const at = numbers + p * parts_numbers * stride;
    const modes_part n = modes_recall(at, stride);
    modes_link link = {passed, carried, 0, 0, 0, 0};
    const REAL low = n.low + passed, into = n.into_low + carried, of_first = modes_inverse(low + n.across);
    link.first = into * of_first, link.first_by = n.across * of_first;
    const REAL high = fma(link.first_by, low, n.high), into_high = fma(link.first_by, into, n.into_high), of_last = modes_inverse(high + n.up);
    link.last = into_high * of_last, link.last_by = n.up * of_last;
    passed = link.last_by * high, carried = link.last_by * into_high;
    at[0] = link.passed, at[stride] = link.carried, at[2 * stride] = link.first, at[3 * stride] = link.first_by, at[4 * stride] = link.last, at[5 * stride] = link.last_by;
  }
  for (int p = parts - 1; p >= 0; p--) {
    REAL *const at = numbers + p * parts_numbers * stride;
    const REAL first = at[2 * stride];
    at[2 * stride] = above;
    above = fma(at[3 * stride], fma(at[5 * stride], above, at[4 * stride]), first);
  }
}

/* Eliminates the nodes k0 ... k1-1 of a part, and substitutes; link: what modes_chain made of its numbers, `across` apart, as are the factors that are kept. */
DEVICE void modes_part_solve(const cv_modes_args &a, const modes_column &c, const REAL *heights, int k0, int k1, int keeps, int across, const REAL *link) {
  REAL passed = link[0], carried = link[across], value = link[2 * across];
  modes_upwards(a, c, heights, k0, k1, [&](int k, REAL x, const modes_node &node) {
    const REAL ground = passed + node.own, inverse = modes_inverse(ground + node.up), here = (x + carried) * inverse, above = node.up * inverse;
    carried = node.up * here, passed = ground * above;
    *modes_at(c.x, c.stride, k) = here;
    if (k - k0 < keeps)
      c.kept[(k - k0) * across] = above;
    else
      *modes_at(c.work, c.stride, k) = above;
  });
  for (int k = k1; k > k0; k -= modes_group) {
    REAL x[modes_group], factor[modes_group];
#pragma unroll
    for (int m = 0; m < modes_group; m++) {
      const int at = max(k - 1 - m, k0);
      x[m] = *modes_at(c.x, c.stride, at);
      factor[m] = at - k0 < keeps ? c.kept[(at - k0) * across] : *modes_at(c.work, c.stride, at);
    }
#pragma unroll
    for (int m = 0; m < modes_group; m++)
      if (k - 1 - m >= k0) {
        value = fma(factor[m], value, x[m]);
        *modes_at(c.x, c.stride, k - 1 - m) = value;
      }
  }
}

/* A thread has a part of a column: threads side by side have neighbours, and those of threadIdx.y the parts from below. They find what their parts are between the first and the
   last node, one of them solves the chain of these, and each eliminates its part once more, with what comes from below. Reads X twice, and writes and reads it. */
KERNEL_BOUNDS(modes_parts, cv_modes_args, parts_threads, 1) {
  DYNAMIC_SHARED(REAL, kept);
  __shared__ REAL chain[parts_numbers * parts_threads];
  const int nz = (int)a.box.n[2], first = a.low != 0, nodes = nz - first - (a.high != 0), parts = (int)blockDim.y, part = (int)threadIdx.y, across = (int)blockDim.x;
  const int column = (int)(blockIdx.x * blockDim.x + threadIdx.x), lane = (int)threadIdx.x, keeps = (int)a.kept;
  const bool there = column < (int)(a.box.n[0] * a.box.n[1]), constant = a.singular && blockIdx.x == 0;
  const int k0 = (int)((int64_t)part * nodes / parts), k1 = there ? (int)((int64_t)(part + 1) * nodes / parts) : k0;
  const REAL *const heights = modes_planes_of(a);
  const modes_column c = modes_column_of(a, column, there, kept + (part * keeps * across + lane));
  REAL *const own = chain + (part * parts_numbers * across + lane);
  if (constant)
    modes_shift(a, heights + modes_volume * nz, true);
  modes_store(own, across, modes_between(a, c, heights, k0, k1));
  __syncthreads();
  if (part == 0)
    modes_chain(own, across, parts, first > 0 ? modes_coupling(c, modes_numbers_of(a, heights, 0)) : (REAL)0, 0, 0);
  __syncthreads();

  modes_part_solve(a, c, heights, k0, k1, keeps, across, own);
  if (there && part == 0)
    modes_fix(a, c);
  if (constant)
    modes_shift(a, heights + modes_volume * nz, false);
}

/* A thread's part of a column of which other GPUs have other nodes, and where its numbers are among those of all columns. */
struct modes_share {
  int column, columns, k0, k1;
  bool there;
};

DEVICE modes_share modes_share_of(const cv_modes_cut_args &s) {
  const cv_modes_args &a = s.modes;
  const int nodes = (int)a.box.n[2] - (a.low != 0) - (a.high != 0), parts = (int)blockDim.y, part = (int)threadIdx.y;
  modes_share m = {(int)(blockIdx.x * blockDim.x + threadIdx.x), (int)(a.box.n[0] * a.box.n[1]), 0, 0, false};
  m.there = m.column < m.columns;
  m.k0 = (int)((int64_t)part * nodes / parts), m.k1 = m.there ? (int)((int64_t)(part + 1) * nodes / parts) : m.k0;
  return m;
}

/* Numbers of a GPU: six for each column; then, where the systems are singular, what the first column has, 0 at nodes that are not its own. */
DEVICE const REAL *modes_all_ends(const cv_modes_cut_args &s, int gpu) { return static_cast<const REAL *>(s.all) + (int64_t)gpu * s.count; }

/* Where a thread's part of a column keeps six numbers until it is solved: in the room for factors, at its first nodes. */
DEVICE REAL *modes_own_part(const modes_column &c, int k0) { return modes_at(c.work, c.stride, k0); }

/* Finds what the parts of columns that a GPU has are between their first nodes and their last, and what all of them are together. Reads X, and writes six numbers of each part and of each column. */
KERNEL_BOUNDS(modes_ends, cv_modes_cut_args, parts_threads, 1) {
  DYNAMIC_SHARED(REAL, numbers);
  const cv_modes_args &m = a.modes;
  const modes_share share = modes_share_of(a);
  const int parts = (int)blockDim.y, part = (int)threadIdx.y, across = (int)blockDim.x;
  const modes_column c = modes_column_of(m, share.column, share.there, nullptr);
  const modes_part own = modes_between(m, c, modes_planes_of(m), share.k0, share.k1);
  modes_store(numbers + part * parts_numbers * across + threadIdx.x, across, own);
  if (share.there)
    modes_store(modes_own_part(c, share.k0), m.box.sz, own);
  __syncthreads();
  if (share.there && part == 0) {
    modes_part all = own;
    for (int p = 1; p < parts; p++) {
      const modes_part next = modes_recall(numbers + p * parts_numbers * across + threadIdx.x, across);
      modes_extend(all, next.low, next.into_low, next.across);
      modes_extend(all, next.high, next.into_high, next.up);
    }
    modes_store(static_cast<REAL *>(a.own) + share.column, share.columns, all);
  }
  if (m.singular && blockIdx.x == 0) {
    REAL *const line = static_cast<REAL *>(a.own) + (int64_t)parts_numbers * share.columns;
    const REAL *const x = static_cast<const REAL *>(m.x);
    for (int k = (int)(threadIdx.y * blockDim.x + threadIdx.x); k < (int)m.rows; k += (int)(blockDim.x * blockDim.y)) {
      const int at = k - (int)m.first;
      line[k] = at >= 0 && at < (int)m.box.n[2] ? x[at * m.box.sz] : (REAL)0;
    }
  }
}

/* Node k of the first column, of all nodes. */
DEVICE REAL modes_gathered(const cv_modes_cut_args &s, int64_t line, int k) {
  REAL x = 0;
  for (int gpu = 0; gpu < (int)s.ranks; gpu++)
    x += modes_all_ends(s, gpu)[line + k];
  return x;
}

/* The first column where it is singular, whose right side loses its mean: what flows up from a node is the sum of the right side so far. By all threads of a block, each of
   which has some nodes one after the other; sums: three for each thread. */
DEVICE void modes_constant(const cv_modes_cut_args &s, REAL *sums) {
  const cv_modes_args &a = s.modes;
  const int n = (int)a.rows, threads = (int)(blockDim.x * blockDim.y), t = (int)(threadIdx.y * blockDim.x + threadIdx.x);
  const int k0 = (int)((int64_t)t * n / threads), k1 = (int)((int64_t)(t + 1) * n / threads);
  const int64_t line = (int64_t)parts_numbers * a.box.n[0] * a.box.n[1];
  const REAL *const heights = modes_planes_of(a), *const volume = heights + modes_volume * n, *const up = heights + modes_up * n;
  REAL *const x = static_cast<REAL *>(a.x);
  REAL sum = 0, held = 0, all = 0, total = 0, flux = 0, value = 0, weighted = 0;
  for (int k = k0; k < k1; k++)
    sum += modes_gathered(s, line, k), held += volume[k];
  __syncthreads();
  sums[t] = sum, sums[threads + t] = held;
  __syncthreads();
  for (int q = 0; q < threads; q++)
    total += sums[q], all += sums[threads + q];
  const REAL mean = total / all;
  for (int q = 0; q < t; q++)
    flux += sums[q] - mean * sums[threads + q];
  const REAL before = flux;
  for (int k = k0; k < k1; k++) {
    weighted += volume[k] * value;
    flux += modes_gathered(s, line, k) - mean * volume[k];
    value -= k + 1 < n ? flux / up[k] : (REAL)0;
  }
  __syncthreads();
  sums[t] = value, sums[2 * threads + t] = weighted;
  __syncthreads();
  REAL begins = 0, own = 0;
  weighted = 0;
  for (int q = 0; q < threads; q++) {
    own = q == t ? begins : own;
    weighted += fma(begins, sums[threads + q], sums[2 * threads + q]);
    begins += sums[q];
  }
  value = own - weighted / all, flux = before;
  for (int k = k0; k < k1; k++) {
    const int at = k - (int)a.first;
    if (at >= 0 && at < (int)a.box.n[2])
      x[at * a.box.sz] = value;
    flux += modes_gathered(s, line, k) - mean * volume[k];
    value -= k + 1 < n ? flux / up[k] : (REAL)0;
  }
}

/* Solves the systems of which a GPU has some nodes, from what all GPUs found: the chain of all, and then the chain of its own parts. Reads X and writes it twice, reads it once
   more, and writes and reads factors. */
KERNEL_BOUNDS(modes_cut, cv_modes_cut_args, parts_threads, 1) {
  DYNAMIC_SHARED(REAL, shared);
  const cv_modes_args &m = a.modes;
  const modes_share share = modes_share_of(a);
  const int parts = (int)blockDim.y, part = (int)threadIdx.y, across = (int)blockDim.x, lane = (int)threadIdx.x, gpus = (int)a.ranks, keeps = (int)m.kept;
  const int number = parts_numbers * across;
  const bool constant = m.singular && blockIdx.x == 0;
  REAL *const chain = shared + lane, *const own = chain + gpus * number, *const kept = shared + a.room;
  const REAL *const heights = modes_planes_of(m);
  const modes_column c = modes_column_of(m, share.column, share.there, kept + (part * keeps * across + lane));
  const modes_part none = {};
  for (int gpu = part; gpu < gpus; gpu += parts)
    modes_store(chain + gpu * number, across, share.there ? modes_recall(modes_all_ends(a, gpu) + share.column, share.columns) : none);
  modes_store(own + part * number, across, share.there ? modes_recall(modes_own_part(c, share.k0), m.box.sz) : none);
  __syncthreads();
  if (part == 0) {
    modes_chain(chain, across, gpus, a.low ? modes_coupling(c, modes_numbers_of(m, heights, -(int)m.first)) : (REAL)0, 0, 0);
    const REAL *const link = chain + (int)a.rank * number;
    modes_chain(own, across, parts, link[0], link[across], link[2 * across]);
  }
  __syncthreads();
  const int k1 = constant && share.column == 0 ? share.k0 : share.k1;
  modes_part_solve(m, c, heights, share.k0, k1, keeps, across, own + part * number);
  if (share.there && part == 0)
    modes_fix(m, c);
  if (constant) {
    __syncthreads();
    modes_constant(a, shared);
  }
}
