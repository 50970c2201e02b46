/* HierarchicalJacobi (Islam & Wang 2020): Jacobi sweeps on blocks of a plane, or of the lines that its rows are.

   The blocks of a cycle live in registers: a lane has some of the unknowns of one, and sees those beside them by shuffles. What the paper keeps in
   shared memory passes through it once on the way in and once on the way out, so that memory is read and written row by row. Blocks too
   large for that are swept in scratch memory. */
#include "block_part.cuh"
#include "march/strip.cuh"

DEVICE block_part part_in_x(const islam_jacobi_args &a, int b) {
  return owned_part(b, (int)a.blocks[0], (int)a.tile[0], (int)a.overlap, 1, (int)a.box.n[0] - 1);
}

DEVICE block_part part_in_z(const islam_jacobi_args &a, int b) {
  const int n = (int)a.box.n[2];
  return a.lines ? owned_part(b, (int)a.blocks[1], (int)a.tile[1], 0, 0, n)
                 : owned_part(b, (int)a.blocks[1], (int)a.tile[1], (int)a.overlap, 1, n - 1);
}

/* Node (i,k) keeps its value. */
DEVICE void keep_node(const islam_jacobi_args &a, int i, int k) {
  static_cast<REAL *>(a.out)[k * a.box.sz + i] = AXIS(a.u)[k * a.box.sz + i];
}

/* The walls beside what a block owns, by `threads` threads. */
DEVICE void keep_walls(const islam_jacobi_args &a, block_part x, block_part z, int thread, int threads) {
  const int nx = (int)a.box.n[0], nz = (int)a.box.n[2];
  const bool left = x.own == 1, right = x.own_end == nx - 1;
  for (int k = z.own + thread; k < z.own_end; k += threads) {
    if (left)
      keep_node(a, 0, k);
    if (right)
      keep_node(a, nx - 1, k);
  }
  if (a.lines)
    return;
  for (int i = x.own - left + thread; i < x.own_end + right; i += threads) {
    if (z.own == 1)
      keep_node(a, i, 0);
    if (z.own_end == nz - 1)
      keep_node(a, i, nz - 1);
  }
}

/* One sweep of the whole: plain Jacobi. The threads are dealt as in strip.cuh; each has 16 bytes of R rows. Reads u and f and writes out: 3 words an
   unknown. */
template <int R, bool LINES> DEVICE void plain_sweep(const islam_jacobi_args &a) {
  constexpr int V = 16 / sizeof(REAL);
  const int q = (int)(blockIdx.x * blockDim.x + threadIdx.x), lane = (int)threadIdx.x & 31;
  const int nx = (int)a.box.n[0], nz = (int)a.box.n[2], sz = (int)a.box.sz, vectors = (nx + V - 1) / V, groups = (nz + R - 1) / R;
  const int counted = q / vectors, group = min(counted, groups - 1), vector = q - counted * vectors, x = vector * V;
  const REAL *u = AXIS(a.u);
  strip_row<V> rows[R + 2];
  REAL f[R][V];
  int64_t at[R + 2];
#pragma unroll
  for (int r = 0; r < R + 2; r++) {
    at[r] = (int64_t)min(max(group * R + r - 1, 0), nz - 1) * sz + x;
    if (!LINES || (r > 0 && r <= R))
      strip_load<V>(rows[r], u + at[r]);
  }
#pragma unroll
  for (int r = 0; r < R; r++) {
    strip_row<V> &row = rows[r + 1];
    strip_get<V>(f[r], AXIS(a.f) + at[r + 1]);
    row.v[0] = lane == 0 && x > 0 ? u[at[r + 1] - 1] : (REAL)0;
    row.v[V + 1] = lane == 31 && x + V < nx ? u[at[r + 1] + V] : (REAL)0;
  }
#pragma unroll
  for (int r = 0; r < R; r++) {
    strip_row<V> &row = rows[r + 1];
    const REAL low = __shfl_up_sync(0xffffffffu, row.v[V], 1), high = __shfl_down_sync(0xffffffffu, row.v[1], 1);
    row.v[0] = lane > 0 ? low : row.v[0];
    row.v[V + 1] = lane < 31 ? high : row.v[V + 1];
    const int k = group * R + r;
    const bool wall = !LINES && (k == 0 || k == nz - 1);
    REAL value[V];
#pragma unroll
    for (int m = 0; m < V; m++) {
      const REAL beside = row.v[m] + row.v[m + 2];
      value[m] = LINES ? (REAL)0.5 * (beside + f[r][m]) : (REAL)0.25 * ((beside + (rows[r].v[m + 1] + rows[r + 2].v[m + 1])) + f[r][m]);
      value[m] = wall || x + m == 0 || x + m == nx - 1 ? row.v[m + 1] : value[m];
    }
    if (counted < groups && k < nz)
      strip_put<V, strip_any>(static_cast<REAL *>(a.out) + at[r + 1], value, min(V, nx - x));
  }
}

KERNEL(hierarchical_plain_lines_2, islam_jacobi_args) { plain_sweep<2, true>(a); }
KERNEL(hierarchical_plain_plane_2, islam_jacobi_args) { plain_sweep<2, false>(a); }
KERNEL(hierarchical_plain_plane_4, islam_jacobi_args) { plain_sweep<4, false>(a); }

/* Lines: a warp has one block of each of 32/L lines, a lane M unknowns of one side by side, L lanes a block. */
template <int M, int L> struct line_block {
  static_assert(M * L % 32 == 0, "a warp reads parts of a line");
  static constexpr int lines = 32 / L, stride = L * (M + 1); /* of shared memory: no bank is asked twice by lanes at the same unknown */

  /* Where unknown e of a line is held. */
  static __device__ __forceinline__ int place(int line, int e) { return line * stride + e + e / M; }

  /* The unknowns from x.first on of lines k.. to shared memory; what lies beyond x.end is as there. */
  static __device__ __forceinline__ void read(REAL *shared, const REAL *from, const islam_jacobi_args &a, block_part x, int k, int lane) {
#pragma unroll
    for (int c = 0; c < M; c++) {
      const int line = c * 32 / (L * M), e = c * 32 % (L * M) + lane;
      shared[place(line, e)] = from[min(k + line, (int)a.box.n[2] - 1) * a.box.sz + min(x.first + e, x.end)];
    }
  }

  /* The lane's part of them. */
  static __device__ __forceinline__ void take(REAL (&v)[M], const REAL *shared, int lane) {
#pragma unroll
    for (int c = 0; c < M; c++)
      v[c] = shared[place(lane / L, lane % L * M + c)];
  }

  /* `sweeps` sweeps. Of a block of fewer than M L unknowns the first of the others is the rim, which is put back after every sweep: the lane's `rim`-th, if
     that is one of them. */
  static __device__ __forceinline__ void sweep(REAL (&u)[M], const REAL (&f)[M], REAL low_rim, REAL high_rim, int rim, bool less, int sweeps, int lane) {
    const bool lowest = lane % L == 0, highest = lane % L == L - 1;
    for (int s = 0; s < sweeps; s++) {
      const REAL before = __shfl_up_sync(0xffffffffu, u[M - 1], 1), after = __shfl_down_sync(0xffffffffu, u[0], 1);
      const REAL high = highest ? high_rim : after;
      REAL low = lowest ? low_rim : before;
#pragma unroll
      for (int c = 0; c < M; c++) {
        const REAL old = u[c];
        u[c] = fma((REAL)0.5, low + (c < M - 1 ? u[c + 1] : high), f[c]);
        low = old;
      }
      if (less)
#pragma unroll
        for (int c = 0; c < M; c++)
          u[c] = c == rim ? high_rim : u[c];
    }
  }
};

/* Warps of a block of lines. */
enum { line_warps = 4 };

/* Blocks of up to M L unknowns, those of the same lines one after the other. */
template <int M, int L> DEVICE void lines_cycle(const islam_jacobi_args &a) {
  using block = line_block<M, L>;
  __shared__ REAL all_shared[line_warps][2][block::lines * block::stride];
  const int lane = (int)threadIdx.x & 31, warp = __shfl_sync(0xffffffffu, (int)threadIdx.x / 32, 0);
  REAL(&shared)[2][block::lines * block::stride] = all_shared[warp];
  const int id = (int)blockIdx.x * line_warps + warp, blocks = (int)a.blocks[0], nz = (int)a.box.n[2];
  const int k = id / blocks * block::lines, line = min(k + lane / L, nz - 1);
  if (k >= nz)
    return;
  const block_part x = part_in_x(a, id % blocks);
  const int wide = x.end - x.first;
  block::read(shared[0], AXIS(a.u), a, x, k, lane);
  block::read(shared[1], AXIS(a.f), a, x, k, lane);
  const REAL *row = AXIS(a.u) + line * a.box.sz;
  const REAL low = row[x.first - 1], high = row[x.end];
  __syncwarp();
  REAL u[M], f[M];
  block::take(u, shared[0], lane);
  block::take(f, shared[1], lane);
#pragma unroll
  for (int c = 0; c < M; c++)
    f[c] *= (REAL)0.5;
  block::sweep(u, f, low, high, wide - lane % L * M, wide < M * L, (int)a.sweeps, lane);
  __syncwarp();
#pragma unroll
  for (int c = 0; c < M; c++)
    shared[0][block::place(lane / L, lane % L * M + c)] = u[c];
  __syncwarp();
  const int end = min(k + block::lines, nz);
#pragma unroll
  for (int c = 0; c < M; c++) {
    const int at = c * 32 / (L * M), e = c * 32 % (L * M) + lane, i = x.first + e;
    if (k + at < end && i >= x.own && i < x.own_end)
      static_cast<REAL *>(a.out)[(k + at) * a.box.sz + i] = shared[0][block::place(at, e)];
  }
  keep_walls(a, x, {k, end, k, end}, lane, 32);
}

#define LINES_CYCLE(L) \
  KERNEL_BOUNDS(hierarchical_lines_##L, islam_jacobi_args, 32 * line_warps, 9) { lines_cycle<8, L>(a); }

LINES_CYCLE(4)
LINES_CYCLE(8)
LINES_CYCLE(16)

/* The plane: a warp has a block of up to 32 by 32 unknowns, a lane a patch of patch_x by patch_z of them.

   The limits are the two units for products of double and for shuffles and shared memory: a sweep of a block takes 64 steps of the first and about 80 of
   the second. f of the last rows of a patch stays in shared memory, since three warps a quarter of a multiprocessor have 168 registers. */
enum { block_side = 32, patch_x = 4, patch_z = 8, patches = block_side / patch_x, block_stride = 41, f_rows = 4 };

/* Where an unknown is held: no bank is asked twice by lanes at the same unknown of their patches. */
DEVICE int block_place(int x, int z) { return z * block_stride + x + x / patch_x; }

/* The rim: below and above the block, before and behind it. */
typedef struct __align__(16) {
  REAL below[block_side], above[block_side], before[block_side], behind[block_side];
} block_rim;

/* A block as its warp sees it: f of the lane's patch and the rim in shared memory, and the patch, the px-th in x and the pz-th in z.

   A block may have fewer than 32 by 32 unknowns. What lies beyond them, of which the first is the rim, is swept with `weight` 0, not 1/4, of its neighbours
   and its own value for f: as long as whole patches lie beyond in z, that costs nothing. Else `rows` of the patch are swept. */
typedef struct {
  const REAL *f;
  const block_rim *rim;
  int px, pz, rows;
  REAL weight[patch_x];
} block_view;

template <bool SOME_ROWS> DEVICE void patch_sweep(REAL (&u)[patch_z][patch_x], const REAL (&f)[f_rows][patch_x], const block_view &b) {
  const bool first = b.px == 0, last = b.px == patches - 1;
  const REAL *ends = first ? b.rim->before : b.rim->behind;
  REAL below[patch_x], above[patch_x], end[2] = {};
  __syncwarp(); /* or the compiler takes what is in shared memory to registers for all sweeps, and others to memory for that */
#pragma unroll
  for (int m = 0; m < patch_x; m++) {
    below[m] = __shfl_up_sync(0xffffffffu, u[patch_z - 1][m], patches);
    above[m] = __shfl_down_sync(0xffffffffu, u[0][m], patches);
  }
  if (b.pz == 0)
    strip_get<patch_x>(below, b.rim->below + b.px * patch_x);
  if (b.pz == block_side / patch_z - 1)
    strip_get<patch_x>(above, b.rim->above + b.px * patch_x);
#pragma unroll
  for (int k = 0; k < patch_z; k++) {
    if (k % 2 == 0 && (first || last))
      strip_get<2>(end, ends + b.pz * patch_z + k);
    REAL left = __shfl_up_sync(0xffffffffu, u[k][patch_x - 1], 1), right = __shfl_down_sync(0xffffffffu, u[k][0], 1);
    left = first ? end[k % 2] : left;
    right = last ? end[k % 2] : right;
#pragma unroll
    for (int m = 0; m < patch_x; m++) {
      const REAL old = u[k][m], x = left + (m < patch_x - 1 ? u[k][m + 1] : right), z = below[m] + (k < patch_z - 1 ? u[k + 1][m] : above[m]);
      const REAL source = k < f_rows ? f[k < f_rows ? k : 0][m] : b.f[block_place(0, k) + m];
      u[k][m] = fma(SOME_ROWS && k >= b.rows ? (REAL)0 : b.weight[m], x + z, source);
      left = below[m] = old;
    }
  }
}

/* Column `lane` of a block; what lies beyond its unknowns is as there. */
DEVICE void column_read(REAL (&v)[block_side], const REAL *from, int64_t sz, block_part x, block_part z, int lane) {
  const REAL *column = from + min(x.first + lane, x.end);
#pragma unroll
  for (int k = 0; k < block_side; k++)
    v[k] = column[min(z.first + k, z.end) * sz];
}

/* From columns to the first `rows` rows of patches, of which the lane's begins at `own`, through shared memory, where they stay. */
template <int rows>
DEVICE void column_to_patch(REAL (&patch)[rows][patch_x], REAL *shared, const REAL (&v)[block_side], int lane, int own) {
  __syncwarp();
#pragma unroll
  for (int k = 0; k < block_side; k++)
    shared[block_place(lane, k)] = v[k];
  __syncwarp();
#pragma unroll
  for (int k = 0; k < rows; k++)
#pragma unroll
    for (int m = 0; m < patch_x; m++)
      patch[k][m] = shared[own + block_place(0, k) + m];
}

KERNEL_BOUNDS(hierarchical_plane, islam_jacobi_args, 32, 11) {
  __shared__ REAL shared[block_side * block_stride];
  __shared__ block_rim rim;
  const int lane = (int)threadIdx.x, px = lane % patches, pz = lane / patches, own = block_place(px * patch_x, pz * patch_z);
  const block_part x = part_in_x(a, (int)blockIdx.x), z = part_in_z(a, (int)blockIdx.y);
  const int wide = x.end - x.first, high = z.end - z.first;
  const int64_t sz = a.box.sz;
  const REAL *from = AXIS(a.u);
  REAL u[patch_z][patch_x], f[f_rows][patch_x];
  {
    REAL u_column[block_side], f_column[block_side];
    column_read(u_column, from, sz, x, z, lane);
    column_read(f_column, AXIS(a.f), sz, x, z, lane);
    const int i = min(x.first + lane, x.end), k = min(z.first + lane, z.end);
    rim.below[lane] = from[(z.first - 1) * sz + i];
    rim.above[lane] = from[z.end * sz + i];
    rim.before[lane] = from[k * sz + x.first - 1];
    rim.behind[lane] = from[k * sz + x.end];
#pragma unroll
    for (int r = 0; r < block_side; r++)
      f_column[r] = lane < wide && r < high ? (REAL)0.25 * f_column[r] : u_column[r];
    column_to_patch<patch_z>(u, shared, u_column, lane, own);
    column_to_patch<f_rows>(f, shared, f_column, lane, own);
  }
  block_view b = {shared + own, &rim, px, pz, high - pz * patch_z, {}};
#pragma unroll
  for (int m = 0; m < patch_x; m++)
    b.weight[m] = px * patch_x + m < wide && b.rows > 0 ? (REAL)0.25 : (REAL)0;
  if (high % patch_z == 0) {
#pragma unroll 1
    for (int s = 0; s < a.sweeps; s++)
      patch_sweep<false>(u, f, b);
  } else {
#pragma unroll 1
    for (int s = 0; s < a.sweeps; s++)
      patch_sweep<true>(u, f, b);
  }
#pragma unroll
  for (int r = 0; r < patch_z; r++)
#pragma unroll
    for (int m = 0; m < patch_x; m++)
      shared[own + block_place(0, r) + m] = u[r][m]; /* over f of this lane's patch */
  __syncwarp();
  const int at = x.first + lane;
  if (at >= x.own && at < x.own_end)
    for (int r = z.own - z.first; r < z.own_end - z.first; r++)
      static_cast<REAL *>(a.out)[(z.first + r) * sz + at] = shared[block_place(lane, r)];
  keep_walls(a, x, z, lane, 32);
}

/* Blocks of any size: two arrays with a rim in scratch memory. A thread block has blocks blockIdx.x, blockIdx.x + gridDim.x and so on, along x first. */
KERNEL_BOUNDS(hierarchical_blocks, islam_jacobi_args, 256, 1) {
  const int64_t sz = a.box.sz, row = a.room[0] + 2, room = row * (a.room[1] + 2);
  const int rim = a.lines ? 0 : 1;
  REAL *const both = static_cast<REAL *>(a.scratch) + blockIdx.x * 2 * room + row + 1;
  for (int b = (int)blockIdx.x; b < a.blocks[0] * a.blocks[1]; b += (int)gridDim.x) {
    const block_part x = part_in_x(a, b % (int)a.blocks[0]), z = part_in_z(a, b / (int)a.blocks[0]);
    const int wide = x.end - x.first, high = z.end - z.first;
    const REAL *u = AXIS(a.u) + z.first * sz + x.first, *f = AXIS(a.f) + z.first * sz + x.first;
    const int all = (wide + 2) * (high + 2 * rim), own = wide * high;
    for (int e = (int)threadIdx.x; e < all; e += (int)blockDim.x) {
      const int i = e % (wide + 2) - 1, k = e / (wide + 2) - rim;
      both[k * row + i] = both[room + k * row + i] = u[k * sz + i];
    }
    __syncthreads();
    for (int s = 0; s < a.sweeps; s++) {
      const REAL *now = both + s % 2 * room;
      REAL *then = both + (s + 1) % 2 * room;
      for (int e = (int)threadIdx.x; e < own; e += (int)blockDim.x) {
        const int i = e % wide, k = e / wide;
        const REAL *c = now + k * row + i;
        const REAL across = c[-1] + c[1];
        then[k * row + i] =
            a.lines ? (REAL)0.5 * (across + f[k * sz + i]) : (REAL)0.25 * ((across + (c[-row] + c[row])) + f[k * sz + i]);
      }
      __syncthreads();
    }
    const REAL *last = both + a.sweeps % 2 * room;
    for (int e = (int)threadIdx.x; e < own; e += (int)blockDim.x) {
      const int i = e % wide, k = e / wide;
      if (x.first + i >= x.own && x.first + i < x.own_end && z.first + k >= z.own && z.first + k < z.own_end)
        static_cast<REAL *>(a.out)[(z.first + k) * sz + x.first + i] = last[k * row + i];
    }
    keep_walls(a, x, z, (int)threadIdx.x, (int)blockDim.x);
    __syncthreads();
  }
}
