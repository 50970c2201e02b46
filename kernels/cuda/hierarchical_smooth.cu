/* HierarchicalSmooth: Jacobi sweeps on blocks of whole rows (Islam & Wang 2020). A thread block copies the rows of
   its block with a rim of one row to two arrays in scratch memory, sweeps from one to the other while the rim keeps
   its values, and hands on the rows of its tile. Sweep s is made on those rows alone that the tile still depends on:
   the tile and at most sweeps-1-s rows around it. */
#include "sevenpoint.cuh"
#include "trilinear.cuh"
#include "trilinear_cells.cuh"

/* Threads of a block by the points of the stencil, as in hierarchical_smooth.go: as many as registers allow. */
enum { block_threads_7 = 512, block_threads_27 = 256 };

/* A block: its rows low..high-1 along y and z, which may lie beyond periodic ends, and the place of node (0, low,
   low) in both arrays. */
typedef struct {
  REAL *u[2];
  int64_t sy, sz;
  int low[2], high[2];
} smooth_block;

/* The node of an axis of n nodes that one beyond its ends is, -1: none. */
DEVICE int block_node(int i, int n, int periodic) { return periodic ? (i % n + n) % n : i < 0 || i >= n ? -1 : i; }

/* The block of the tile whose first row is (y,z). */
DEVICE smooth_block block_at(const cv_smooth_args &s, int y, int z) {
  const cv_box &box = s.sweep.a.box;
  const int at[2] = {y, z}, flat = box.sy == 0;
  smooth_block b;
#pragma unroll
  for (int d = 0; d < 2; d++) {
    const int n = box.n[1 + d], margin = d == 0 && flat ? 0 : s.margin, end = min(at[d] + (int)s.tile[d], n);
    b.low[d] = s.periodic[1 + d] ? at[d] - margin : max(at[d] - margin, 0);
    b.high[d] = s.periodic[1 + d] ? end + margin : min(end + margin, n);
  }
  const int64_t row = box.n[0] + 2, rows = flat ? 1 : s.tile[0] + 2 * s.margin + 2;
  const int64_t room = row * rows * (s.tile[1] + 2 * s.margin + 2);
  b.sy = flat ? 0 : row;
  b.sz = row * rows;
  b.u[0] = static_cast<REAL *>(s.scratch) + blockIdx.x * 2 * room + 1 + b.sy + b.sz;
  b.u[1] = b.u[0] + room;
  return b;
}

/* Copies U, zero if there is none, with the rim and the nodes beyond the ends of rows, to both arrays. A warp has row after row, so that indices of rows
   are computed once a row. */
DEVICE void block_load(const cv_smooth_args &s, const smooth_block &b, int lane, int warp) {
  const cv_box &box = s.sweep.a.box;
  const int rim = box.sy ? 1 : 0, nx = (int)box.n[0], rows = b.high[0] - b.low[0] + 2 * rim, planes = b.high[1] - b.low[1] + 2;
  for (int r = warp; r < rows * planes; r += (int)blockDim.x / 32) {
    const int y = r % rows - rim, z = r / rows - 1;
    const int j = block_node(b.low[0] + y, box.n[1], s.periodic[1]), k = block_node(b.low[1] + z, box.n[2], s.periodic[2]);
    const bool inside = s.sweep.u && j >= 0 && k >= 0;
    const REAL *from = inside ? AXIS(s.sweep.u) + j * box.sy + k * box.sz : nullptr;
    const int64_t to = y * b.sy + z * b.sz;
    for (int x = lane - 1; x <= nx; x += 32) {
      const int i = block_node(x, nx, s.periodic[0]);
      b.u[0][to + x] = b.u[1][to + x] = inside && i >= 0 ? from[i] : (REAL)0;
    }
  }
}

/* Sweep n on the rows from (y,z) to (y_end,z_end); the last one stores to Out. */
template <int points, int kind>
DEVICE void block_sweep(const cv_smooth_args &s, const smooth_block &b, int n, int y, int z, int y_end, int z_end, int lane, int warp) {
  const cv_elliptic &a = s.sweep.a;
  const int nx = (int)a.box.n[0], rows = y_end - y;
  const bool last = n == s.sweeps - 1;
  for (int r = warp; r < rows * (z_end - z); r += (int)blockDim.x / 32) {
    const int row = y + r % rows, plane = z + r / rows;
    const int j = block_node(row, a.box.n[1], s.periodic[1]), k = block_node(plane, a.box.n[2], s.periodic[2]);
    const int64_t at = (row - b.low[0]) * b.sy + (plane - b.low[1]) * b.sz, first = j * a.box.sy + k * a.box.sz;
    const REAL *now = (n % 2 ? b.u[1] : b.u[0]) + at, *f = AXIS(s.sweep.f) + first;
    REAL *next = last ? static_cast<REAL *>(s.sweep.out) + first : (n % 2 ? b.u[0] : b.u[1]) + at;
    for (int i = lane; i < nx; i += 32) {
      const node_mass mass = mass_of_node(a, i, j, k);
      column<points, kind, from_u> c;
      column_node v;
      column_begin(c, a, now + i, b.sy, b.sz, i, j, k);
      column_next(c, a, k, mass, v);
      const REAL weight = point_weight((REAL)s.omega[n], node_diagonal(v, mass));
      const REAL u = node_is_free(a, i, j, k) ? v.u + weight * (f[i] - v.balance) : v.u;
      next[i] = u;
      if (last || !s.periodic[0])
        continue;
      if (i == 0)
        next[nx] = u;
      if (i == nx - 1)
        next[-1] = u;
    }
  }
}

/* Tiles blockIdx.x, blockIdx.x + gridDim.x, ..., those along y the faster. */
template <int points, int kind> DEVICE void block_smooth(const cv_smooth_args &s) {
  const cv_box &box = s.sweep.a.box;
  const int lane = (int)threadIdx.x % 32, warp = __shfl_sync(0xffffffffu, (int)threadIdx.x / 32, 0);
  const int across = (box.n[1] + s.tile[0] - 1) / s.tile[0], tiles = across * ((box.n[2] + s.tile[1] - 1) / s.tile[1]);
  for (int t = blockIdx.x; t < tiles; t += gridDim.x) {
    const int y = t % across * s.tile[0], z = t / across * s.tile[1];
    const int y_end = min(y + (int)s.tile[0], (int)box.n[1]), z_end = min(z + (int)s.tile[1], (int)box.n[2]);
    const smooth_block b = block_at(s, y, z);
    block_load(s, b, lane, warp);
    __syncthreads();
    for (int n = 0; n < s.sweeps; n++) {
      const int reach = s.sweeps - 1 - n;
      block_sweep<points, kind>(s, b, n, max(y - reach, b.low[0]), max(z - reach, b.low[1]),
                                min(y_end + reach, b.high[0]), min(z_end + reach, b.high[1]), lane, warp);
      __syncthreads();
    }
  }
}

#define BLOCKS(points, kind)                                                                                           \
  KERNEL_BOUNDS(hierarchical_smooth_##points##_##kind, cv_smooth_args, block_threads_##points, 1) {                    \
    block_smooth<points, k_##kind>(a);                                                                                 \
  }

BLOCKS(7, constant)
BLOCKS(7, shared)
BLOCKS(7, three)
BLOCKS(27, constant)
BLOCKS(27, shared)
BLOCKS(27, three)
