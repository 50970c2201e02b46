/* Modes of whole columns, a thread each, and of parts of columns, by elimination from below. */
#include "modes_parts.cuh"

/* Planes whose numbers a block of whole columns has in shared memory, and nodes of a column whose factors it keeps there. */
enum { modes_chunk = (sizeof(REAL) == 4 ? 15 : 9) * modes_ahead, modes_nodes = modes_kept / sizeof(REAL) };
static_assert(modes_nodes % modes_ahead == 0);

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

/* A thread has a part of a column: threads side by side have neighbours, and those of threadIdx.y the parts from below. They find what their parts are between the first and the
   last node, one of them solves the chain of these, and each finds its nodes from its first and last one. Parts of few nodes are in registers, which reads X once and writes it;
   longer ones are eliminated once more, with what comes from below, and X is read twice, and written and read. */
KERNEL_BOUNDS(modes_parts, cv_modes_args, parts_threads, parts_blocks) {
  DYNAMIC_SHARED(modes_numbers, planes);
  const int nz = (int)a.box.n[2], first = a.low != 0, nodes = nz - first - (a.high != 0), parts = (int)blockDim.y, part = (int)threadIdx.y, across = (int)blockDim.x;
  const int column = (int)(blockIdx.x * blockDim.x + threadIdx.x), lane = (int)threadIdx.x, keeps = (int)a.kept;
  const bool there = column < (int)(a.box.n[0] * a.box.n[1]), constant = a.singular && blockIdx.x == 0, held = modes_floats && a.held;
  const int k0 = modes_begin(part, parts, nodes, held), k1 = there ? modes_begin(part + 1, parts, nodes, held) : k0;
  const REAL *const heights = modes_planes_of(a);
  REAL *const chain = reinterpret_cast<REAL *>(planes + (held ? nodes : 0)), *const kept = chain + parts_numbers * parts * across;
  modes_follows *const follows = reinterpret_cast<modes_follows *>(kept) + (part * across + lane) * modes_pitch(parts, nodes);
  const modes_column c = modes_column_of(a, column, there, kept + (part * keeps * across + lane));
  REAL *const own = chain + (part * parts_numbers * across + lane);
  REAL x[modes_held];
  if (constant)
    modes_shift(a, heights + modes_volume * nz, true);
  if (held) {
    modes_ask(modes_at(c.x, c.stride, k0), c.stride, k1 - k0, x);
    modes_stage(a, heights, nodes, planes);
    modes_store(own, across, modes_hold<true>(c, planes + k0, k1 - k0, x, follows));
  } else
    modes_store(own, across, modes_between(a, c, heights, k0, k1));
  __syncthreads();
  if (part == 0)
    modes_chain(own, across, parts, first > 0 ? modes_coupling(c, modes_numbers_of(a, heights, 0)) : (REAL)0, 0, 0);
  __syncthreads();
  if (held)
    modes_release(modes_at(c.x, c.stride, k0), c.stride, k1 - k0, x, follows, own[modes_link_first * across], own[modes_link_last * across]);
  else
    modes_part_solve(a, c, heights, k0, k1, keeps, across, own);
  if (there && part == 0)
    modes_fix(a, c);
  if (constant)
    modes_shift(a, heights + modes_volume * nz, false);
}
