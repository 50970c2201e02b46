/* Modes of columns of which each of several GPUs has some nodes. */
#include "modes_parts.cuh"

/* Nothing is felt of what has fallen by exp(-modes_digits): a hundredth of what a number is rounded by. */
#define modes_digits ((REAL)(modes_floats ? 22 : 42))

/* A thread's part of a column of which other GPUs have other nodes, and where its numbers are among those of all columns. */
struct modes_share {
  int column, columns, k0, k1;
  bool there;
};

DEVICE int modes_share_nodes(const cv_modes_args &a) { return (int)a.box.n[2] - (a.low != 0) - (a.high != 0); }

DEVICE modes_share modes_share_of(const cv_modes_cut_args &s) {
  const cv_modes_args &a = s.modes;
  const int nodes = modes_share_nodes(a), parts = (int)blockDim.y, part = (int)threadIdx.y;
  modes_share m = {(int)(blockIdx.x * blockDim.x + threadIdx.x), (int)(a.box.n[0] * a.box.n[1]), 0, 0, false};
  m.there = m.column < m.columns;
  m.k0 = modes_begin(part, parts, nodes, a.held), m.k1 = m.there ? modes_begin(part + 1, parts, nodes, a.held) : m.k0;
  return m;
}

/* Numbers of a GPU: six for each column; then, where the systems are singular, what the first column has, 0 at nodes that are not its own. */
DEVICE const REAL *modes_all_ends(const cv_modes_cut_args &s, int gpu) { return static_cast<const REAL *>(s.all) + (int64_t)gpu * s.count; }

/* Where a thread's part of a column keeps six numbers until it is solved: in the room for factors, at its first nodes. */
DEVICE REAL *modes_own_part(const modes_column &c, int k0) { return modes_at(c.work, c.stride, k0); }

/* What is told of a part of a column that is felt at neither end, which parts those below from those above: by its last number, which else is not negative where it is known how x
   falls. */
DEVICE modes_part modes_unfelt() { return {0, 1, 1, 0, 0, -1}; }

/* How many nodes away nothing is felt of another node in any column of a block: from one to the next x falls by cosh t = 1 + d/2g at least, with the least tie d of any node and the
   largest coupling g. By all threads of a block, of which those of the lowest parts share what they find by `room`. */
DEVICE REAL modes_reach(const cv_modes_cut_args &s, const modes_column &c, bool there, REAL *room) {
  const modes_numbers least = {(REAL)s.least[0], (REAL)s.least[1], (REAL)s.least[2], (REAL)s.least[3], (REAL)s.least[4], (REAL)s.least[5]};
  if (threadIdx.y == 0) {
    const REAL q = fma(c.volume, least.tie, fma(c.lambda, least.first, c.mu * least.second)) / modes_coupling(c, least);
    const REAL far = q > 0 ? modes_digits / log((REAL)1 + q / 2 + sqrt(q + q * q / 4)) : (REAL)s.modes.rows; /* 0 and what is not known: all is felt */
    room[threadIdx.x] = there ? far : (REAL)0;
  }
  __syncthreads();
  REAL reach = 0;
  for (int lane = 0; lane < (int)blockDim.x; lane++)
    reach = fmax(reach, room[lane]);
  __syncthreads();
  return reach;
}

/* What all parts of a column are together, the lowest with the others, of which the numbers lie one after the other. Of those that are not felt one is enough. */
DEVICE modes_part modes_joined(modes_part all, const REAL *numbers, bool known) {
  const int across = (int)blockDim.x;
  bool parted = false;
  for (int p = 1; p < (int)blockDim.y; p++) {
    modes_part next = modes_recall(numbers + p * parts_numbers * across, across);
    const bool unfelt = known && next.up < 0, again = unfelt && parted;
    next.up = unfelt ? 0 : next.up;
    parted = unfelt;
    if (!again) {
      modes_extend(all, next.low, next.into_low, next.across);
      modes_extend(all, next.high, next.into_high, next.up);
    }
  }
  return all;
}

/* Finds what the parts of columns that a GPU has are between their first nodes and their last, and what all of them are together. Reads X, but not what is felt at neither end where
   parts are in registers, and writes six numbers of each column, and of each part that is not held in registers. */
KERNEL_BOUNDS(modes_ends, cv_modes_cut_args, parts_threads, parts_blocks) {
  DYNAMIC_SHARED(modes_numbers, planes);
  const cv_modes_args &m = a.modes;
  const modes_share share = modes_share_of(a);
  const int parts = (int)blockDim.y, part = (int)threadIdx.y, across = (int)blockDim.x, nodes = modes_share_nodes(m);
  const bool held = modes_floats && m.held;
  const modes_column c = modes_column_of(m, share.column, share.there, nullptr);
  REAL *const room = reinterpret_cast<REAL *>(planes + (held ? nodes : 0)), *const numbers = room + threadIdx.x;
  modes_part own = modes_unfelt();
  if (held) {
    const int k0 = share.k0, k1 = modes_begin(part + 1, parts, nodes, true), first = m.low != 0;
    const bool felt = (REAL)min(k0, nodes - k1) <= modes_reach(a, c, share.there, room);
    REAL x[modes_held];
    if (felt) {
      modes_ask(modes_at(c.x, c.stride, k0), c.stride, share.k1 - k0, x);
      for (int k = k0 + (int)threadIdx.x; k < k1; k += across)
        planes[k] = modes_numbers_of(m, modes_planes_of(m), first + k);
    }
    __syncthreads();
    if (felt)
      own = modes_hold<false>(c, planes + k0, share.k1 - k0, x, nullptr);
  } else {
    own = modes_between(m, c, modes_planes_of(m), share.k0, share.k1);
    if (share.there)
      modes_store(modes_own_part(c, share.k0), m.box.sz, own);
  }
  modes_store(numbers + part * parts_numbers * across, across, own);
  __syncthreads();
  if (share.there && part == 0)
    modes_store(static_cast<REAL *>(a.own) + share.column, share.columns, modes_joined(own, numbers, held && a.least[3] > 0));
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

/* Solves the systems of which a GPU has some nodes, from what all GPUs found: the chain of all, and then the chain of its own parts. Parts in registers read X and write it; others
   read it twice, write it twice, and write and read factors. */
KERNEL_BOUNDS(modes_cut, cv_modes_cut_args, parts_threads, parts_blocks) {
  DYNAMIC_SHARED(modes_numbers, planes);
  const cv_modes_args &m = a.modes;
  const modes_share share = modes_share_of(a);
  const int parts = (int)blockDim.y, part = (int)threadIdx.y, across = (int)blockDim.x, lane = (int)threadIdx.x, gpus = (int)a.ranks, keeps = (int)m.kept;
  const int number = parts_numbers * across, nodes = modes_share_nodes(m);
  const bool constant = m.singular && blockIdx.x == 0, held = modes_floats && m.held;
  REAL *const numbers = reinterpret_cast<REAL *>(planes + (held ? nodes : 0)), *const chain = numbers + lane, *const own = chain + gpus * number + part * number;
  REAL *const kept = numbers + (gpus + parts) * number;
  modes_follows *const follows = reinterpret_cast<modes_follows *>(kept) + (part * across + lane) * modes_pitch(parts, nodes);
  const REAL *const heights = modes_planes_of(m);
  const modes_column c = modes_column_of(m, share.column, share.there, kept + (part * keeps * across + lane));
  const modes_part none = {};
  REAL x[modes_held];
  for (int gpu = part; gpu < gpus; gpu += parts)
    modes_store(chain + gpu * number, across, share.there ? modes_recall(modes_all_ends(a, gpu) + share.column, share.columns) : none);
  if (held) {
    modes_ask(modes_at(c.x, c.stride, share.k0), c.stride, share.k1 - share.k0, x);
    modes_stage(m, heights, nodes, planes);
    modes_store(own, across, modes_hold<true>(c, planes + share.k0, share.k1 - share.k0, x, follows));
  } else
    modes_store(own, across, share.there ? modes_recall(modes_own_part(c, share.k0), m.box.sz) : none);
  __syncthreads();
  if (part == 0) {
    modes_chain(chain, across, gpus, a.low ? modes_coupling(c, modes_numbers_of(m, heights, -(int)m.first)) : (REAL)0, 0, 0);
    const REAL *const link = chain + (int)a.rank * number;
    modes_chain(own, across, parts, link[modes_link_passed * across], link[modes_link_carried * across], link[modes_link_above * across]);
  }
  __syncthreads();
  if (!(constant && share.column == 0) && held)
    modes_release(modes_at(c.x, c.stride, share.k0), c.stride, share.k1 - share.k0, x, follows, own[modes_link_first * across], own[modes_link_last * across]);
  else if (!(constant && share.column == 0))
    modes_part_solve(m, c, heights, share.k0, share.k1, keeps, across, own);
  if (share.there && part == 0)
    modes_fix(m, c);
  if (constant) {
    __syncthreads();
    modes_constant(a, numbers);
  }
}
