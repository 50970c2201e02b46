/* HierarchicalSmooth: Jacobi sweeps on blocks of whole rows (Islam & Wang 2020). A thread block copies the rows of
   its block with a rim of one row to two arrays in scratch memory, sweeps from one to the other while the rim keeps
   its values, and hands on the rows of its tile. Sweep s is made on those rows alone that the tile still depends on:
   the tile and at most sweeps-1-s rows around it. */
#include "stencil/sevenpoint.cuh"
#include "stencil/trilinear.cuh"
#include "stencil/trilinear_cells.cuh"

#include "args.h"

enum { block_threads = 256 };

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
DEVICE smooth_block block_at(const islam_smooth_args &s, int y, int z) {
  const cv_box &box = s.a.box;
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

/* Copies U, zero if there is none, with the rim and the nodes beyond the ends of rows, to both arrays. */
DEVICE void block_load(const islam_smooth_args &s, const smooth_block &b) {
  const cv_box &box = s.a.box;
  const int rim = box.sy ? 1 : 0, row = box.n[0] + 2;
  const int rows = b.high[0] - b.low[0] + 2 * rim, planes = b.high[1] - b.low[1] + 2;
  for (int64_t e = threadIdx.x; e < (int64_t)row * rows * planes; e += blockDim.x) {
    const int x = e % row - 1, y = e / row % rows - rim, z = e / row / rows - 1;
    const int i = block_node(x, box.n[0], s.periodic[0]), j = block_node(b.low[0] + y, box.n[1], s.periodic[1]);
    const int k = block_node(b.low[1] + z, box.n[2], s.periodic[2]);
    const int inside = s.u && i >= 0 && j >= 0 && k >= 0;
    const REAL value = inside ? AXIS(s.u)[i + j * box.sy + k * box.sz] : 0;
    b.u[0][x + y * b.sy + z * b.sz] = b.u[1][x + y * b.sy + z * b.sz] = value;
  }
}

/* Sweep n on the rows from (y,z) to (y_end,z_end); the last one stores to Out. */
template <int points, int kind>
DEVICE void block_sweep(const islam_smooth_args &s, const smooth_block &b, int n, int y, int z, int y_end, int z_end) {
  const cv_elliptic &a = s.a;
  const int nx = a.box.n[0], rows = y_end - y;
  for (int64_t e = threadIdx.x; e < (int64_t)nx * rows * (z_end - z); e += blockDim.x) {
    const int i = e % nx, row = y + e / nx % rows, plane = z + e / nx / rows;
    const int j = block_node(row, a.box.n[1], s.periodic[1]), k = block_node(plane, a.box.n[2], s.periodic[2]);
    const int64_t at = i + (row - b.low[0]) * b.sy + (plane - b.low[1]) * b.sz, node = i + j * a.box.sy + k * a.box.sz;
    const node_mass mass = mass_of_node(a, i, j, k);
    column<points, kind> c;
    column_node v;
    column_begin(c, a, b.u[n % 2] + at, b.sy, b.sz, i, j, k);
    column_next(c, a, k, mass, v);
    const REAL weight = point_weight((REAL)s.omega[n], node_diagonal(v, mass));
    const REAL u = node_is_free(a, i, j, k) ? v.u + weight * (AXIS(s.f)[node] - v.balance) : v.u;
    if (n == s.sweeps - 1) {
      static_cast<REAL *>(s.out)[node] = u;
      continue;
    }
    REAL *next = b.u[(n + 1) % 2] + at;
    next[0] = u;
    if (s.periodic[0] && i == 0)
      next[nx] = u;
    if (s.periodic[0] && i == nx - 1)
      next[-nx] = u;
  }
}

/* Tiles blockIdx.x, blockIdx.x + gridDim.x, ..., those along y the faster. */
template <int points, int kind> DEVICE void block_smooth(const islam_smooth_args &s) {
  const cv_box &box = s.a.box;
  const int across = (box.n[1] + s.tile[0] - 1) / s.tile[0], tiles = across * ((box.n[2] + s.tile[1] - 1) / s.tile[1]);
  for (int t = blockIdx.x; t < tiles; t += gridDim.x) {
    const int y = t % across * s.tile[0], z = t / across * s.tile[1];
    const int y_end = min(y + (int)s.tile[0], (int)box.n[1]), z_end = min(z + (int)s.tile[1], (int)box.n[2]);
    const smooth_block b = block_at(s, y, z);
    block_load(s, b);
    __syncthreads();
    for (int n = 0; n < s.sweeps; n++) {
      const int reach = s.sweeps - 1 - n;
      block_sweep<points, kind>(s, b, n, max(y - reach, b.low[0]), max(z - reach, b.low[1]),
                                min(y_end + reach, b.high[0]), min(z_end + reach, b.high[1]));
      __syncthreads();
    }
  }
}

#define BLOCKS(points, kind)                                                                                           \
  KERNEL_BOUNDS(hierarchical_smooth_##points##_##kind, islam_smooth_args, block_threads, 1) {                             \
    block_smooth<points, k_##kind>(a);                                                                                 \
  }

BLOCKS(7, constant)
BLOCKS(7, shared)
BLOCKS(7, three)
BLOCKS(27, constant)
BLOCKS(27, shared)
BLOCKS(27, three)
