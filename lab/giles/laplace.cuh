/* Jacobi sweeps of Laplace's equation from registers: threads march up through the planes of a slab with V nodes side by side in x of R
   rows. Neighbours in x come from the lanes beside. */
#ifndef GILES_LAPLACE_CUH
#define GILES_LAPLACE_CUH

#include "march/even.cuh"
#include "march/strip.cuh"

#include "args.h"

/* A lane's place: its V nodes from x on, those of them that lie within the row, and whether these begin or end at a wall. */
template <int V> struct laplace_place {
  int x, nodes;
  bool first, last;
};

/* Whether rows hold a multiple of V nodes. */
enum : bool { laplace_any = false, laplace_whole = true };

/* Puts back what is fixed of a row: all of it, or its ends. */
template <int V, bool WHOLE> DEVICE void laplace_walls(REAL (&out)[V], const REAL (&u)[V], const laplace_place<V> &p, bool row) {
  if (row) {
#pragma unroll
    for (int m = 0; m < V; m++)
      out[m] = u[m];
    return;
  }
  out[0] = p.first ? u[0] : out[0];
  if (WHOLE) {
    out[V - 1] = p.last ? u[V - 1] : out[V - 1];
  } else if (p.last) {
#pragma unroll
    for (int m = 0; m < V; m++)
      out[m] = m == p.nodes - 1 ? u[m] : out[m];
  }
}

/* The right side, of those arguments that have one. */
DEVICE const REAL *laplace_source(const giles_laplace_args &) { return nullptr; }

/* One sweep: reads u, and f if there is a SOURCE, and writes out, 2 or 3 words a node. The threads of a plane are dealt as in strip.cuh: a.tile[0]
   of them have a row, a.tile[1] groups
   of R rows a plane, and rows beside those of a group come from the first cache. Every other slab is swept from above: the planes that two slabs share are
   then wanted by both at the same time, and come from memory once. All slabs are swept the other way where u lies behind out: a sweep back from one array to
   the other then begins with the planes that the sweep before wrote last, which the second-level cache still has. */
template <int V, int R, bool WHOLE, bool SOURCE = false, typename ARGS> DEVICE void laplace_strip(const ARGS &a) {
  const int q = (int)(blockIdx.x * blockDim.x + threadIdx.x), lane = (int)threadIdx.x & 31;
  const int vectors = (int)a.tile[0], groups = (int)a.tile[1], nx = (int)a.box.n[0], ny = (int)a.box.n[1], nz = (int)a.box.n[2];
  const int counted = q / vectors, group = min(counted, groups - 1), vector = q - counted * vectors;
  const int k0 = (int)((int64_t)blockIdx.y * nz / gridDim.y), k1 = (int)(((int64_t)blockIdx.y + 1) * nz / gridDim.y);
  const bool load_low = lane == 0 && vector > 0, load_high = lane == 31 && vector < vectors - 1;
  laplace_place<V> p;
  p.x = vector * V;
  p.nodes = counted >= groups ? 0 : min(V, nx - p.x);
  p.first = vector == 0, p.last = vector == vectors - 1;
  /* Planes are counted from the first of the slab; `low` and `high` are those at the walls. What is read beyond walls, halo, is of no use. */
  const bool down = (blockIdx.y & 1) != (a.u > a.out);
  const int count = k1 - k0, low = down ? k1 - nz : -k0, high = low + nz - 1, sy = (int)a.box.sy;
  const int64_t stride = down ? -a.box.sz : a.box.sz;
  int64_t at = (down ? k1 - 1 : k0) * a.box.sz + group * R * sy + p.x - stride; /* of the first node in plane t */
  const REAL *u = static_cast<const REAL *>(a.u);
  [[maybe_unused]] const REAL *f = laplace_source(a);
  REAL *out = static_cast<REAL *>(a.out);

  /* u of the plane, and of the one before; sums of what is beside it in the plane. */
  REAL own[R][V], before[R][V], sum[R][V];
#pragma unroll
  for (int r = 0; r < R; r++) {
    strip_get<V>(own[r], u + at + r * sy);
#pragma unroll
    for (int m = 0; m < V; m++)
      before[r][m] = sum[r][m] = 0;
  }
  for (int t = -1; t < count; t++, at += stride) {
    const REAL *after = u + at + stride;
    strip_row<V> rows[R + 2];
#pragma unroll
    for (int r = 0; r < R + 2; r++)
      strip_load<V>(rows[r], after + (r - 1) * sy);
    [[maybe_unused]] REAL source[R][V];
    if (SOURCE)
#pragma unroll
      for (int r = 0; r < R; r++)
        strip_get<V>(source[r], f + at + r * sy);
#pragma unroll
    for (int r = 1; r <= R; r++) {
      rows[r].v[0] = load_low ? after[(r - 1) * sy - 1] : (REAL)0;
      rows[r].v[V + 1] = load_high ? after[(r - 1) * sy + V] : (REAL)0;
    }
    const bool plane = t == low || t == high;
#pragma unroll
    for (int r = 0; r < R; r++) {
      const int j = group * R + r;
      strip_row<V> &row = rows[r + 1];
      if (t >= 0 && j < ny) {
        REAL value[V];
#pragma unroll
        for (int m = 0; m < V; m++)
          value[m] = sum[r][m] + (before[r][m] + row.v[m + 1]);
#pragma unroll
        for (int m = 0; m < V; m++)
          value[m] = (REAL)(1.0 / 6) * (SOURCE ? value[m] + source[r][m] : value[m]);
        laplace_walls<V, WHOLE>(value, own[r], p, plane || j == 0 || j == ny - 1);
        strip_put<V, WHOLE ? strip_whole : strip_any>(out + at + r * sy, value, p.nodes);
      }
      const REAL left = __shfl_up_sync(0xffffffffu, row.v[V], 1), right = __shfl_down_sync(0xffffffffu, row.v[1], 1);
      row.v[0] = load_low ? row.v[0] : left;
      row.v[V + 1] = load_high ? row.v[V + 1] : right;
#pragma unroll
      for (int m = 0; m < V; m++) {
        sum[r][m] = (row.v[m] + row.v[m + 2]) + (rows[r].v[m + 1] + rows[r + 2].v[m + 1]);
        before[r][m] = own[r][m];
        own[r][m] = row.v[m + 1];
      }
    }
  }
}

/* S sweeps in one pass, 2 words a node and pass, of which sweep s is s planes behind what is read.

   A warp has R rows of a tile of 32 V nodes by R blockDim.y rows, one thread block a tile. What a sweep makes of the tile's outermost rows, and lanes
   where another tile follows in x, is wrong and belongs to the tiles beside: each sweep spoils one row more, so that tiles share 2 S rows, and two
   lanes.

   Of each sweep before the last a thread keeps the newest plane, and the sum of all that is needed to sweep it but the plane above. When that
   comes, one sweep after the other needs no more than registers; then the newest planes' rows pass through shared memory to those beside, with one
   barrier a plane. The next plane is asked for before the sweeps, or LATE, after them, where there are no registers for it before: spills are slow since
   shared memory leaves the first cache little. */
template <int V, int R, bool WHOLE, int S, bool LATE> DEVICE void laplace_pass(const giles_laplace_args &a) {
  constexpr int parts = R > 1 ? 2 : 1, width = even_lanes * V; /* rows of a warp that others see: the first and the last */
  DYNAMIC_SHARED(REAL, shared);
  const int nx = (int)a.box.n[0], ny = (int)a.box.n[1], nz = (int)a.box.n[2], sy = (int)a.box.sy;
  const int64_t sz = a.box.sz;
  const int lane = (int)threadIdx.x, warps = (int)blockDim.y, warp = __shfl_sync(0xffffffffu, (int)threadIdx.y, 0);
  const int j0 = (int)blockIdx.y * (R * warps - 2 * S), j = j0 + R * warp;
  const int own_low = blockIdx.y == 0 ? 0 : j0 + S, own_high = blockIdx.y == gridDim.y - 1 ? ny : j0 + R * warps - S;
  const int k0 = (int)((int64_t)blockIdx.z * nz / gridDim.z), k1 = (int)(((int64_t)blockIdx.z + 1) * nz / gridDim.z);
  laplace_place<V> p;
  p.x = (int)blockIdx.x * (width - 2 * V) + V * lane;
  const bool owns = (blockIdx.x == 0 || lane > 0) && (blockIdx.x == gridDim.x - 1 || lane < even_lanes - 1);
  p.nodes = owns ? min(V, max(nx - p.x, 0)) : 0;
  p.first = p.x == 0, p.last = p.x < nx && p.x + V >= nx;
  if (p.last)
    p.nodes = nx - p.x;
  int at[R];
#pragma unroll
  for (int r = 0; r < R; r++)
    at[r] = min(j + r, ny - 1) * sy + min(p.x, (nx - 1) / V * V);
  const REAL *u = static_cast<const REAL *>(a.u);
  REAL *out = static_cast<REAL *>(a.out);

  REAL newest[S][R][V], sum[S][R][V], next[R][V];
#pragma unroll
  for (int s = 0; s < S; s++)
#pragma unroll
    for (int r = 0; r < R; r++)
#pragma unroll
      for (int m = 0; m < V; m++)
        newest[s][r][m] = sum[s][r][m] = 0;
  const int from = max(k0 - S, 0);
#pragma unroll
  for (int r = 0; r < R; r++)
    strip_get<V>(next[r], u + from * sz + at[r]);
  for (int k = from; k < k1 + S; k++) {
    REAL now[R][V];
#pragma unroll
    for (int r = 0; r < R; r++) {
#pragma unroll
      for (int m = 0; m < V; m++)
        now[r][m] = next[r][m];
      if (!LATE && k + 1 < k1 + S)
        strip_get<V>(next[r], u + min(k + 1, nz - 1) * sz + at[r]);
    }
    REAL *rows = shared + (k & 1) * (S * parts * width) * warps;
#pragma unroll
    for (int s = 0; s < S; s++) {
      const int above = k - s; /* the plane of `now`; the sweep makes the one below it */
      const bool plane = above - 1 == 0 || above - 1 == nz - 1;
#pragma unroll
      for (int r = 0; r < R; r++) {
        REAL swept[V], low = __shfl_up_sync(0xffffffffu, now[r][V - 1], 1), high = __shfl_down_sync(0xffffffffu, now[r][0], 1);
#pragma unroll
        for (int m = 0; m < V; m++)
          swept[m] = (REAL)(1.0 / 6) * (sum[s][r][m] + now[r][m]);
        laplace_walls<V, WHOLE>(swept, newest[s][r], p, plane || j + r == 0 || j + r == ny - 1);
#pragma unroll
        for (int m = 0; m < V; m++)
          sum[s][r][m] = newest[s][r][m] + ((m > 0 ? now[r][m - 1] : low) + (m < V - 1 ? now[r][m + 1] : high));
#pragma unroll
        for (int m = 0; m < V; m++) {
          newest[s][r][m] = now[r][m];
          now[r][m] = swept[m];
        }
        if (r == 0 || r == R - 1)
          even_put_shared<V>(rows + ((s * warps + warp) * parts + (r > 0)) * width, newest[s][r], lane);
      }
    }
    if (k - S >= k0)
#pragma unroll
      for (int r = 0; r < R; r++)
        if (j + r >= own_low && j + r < own_high && owns)
          strip_put<V, WHOLE ? strip_whole : strip_any>(out + (k - S) * sz + (j + r) * sy + p.x, now[r], p.nodes);
    if (LATE)
#pragma unroll
      for (int r = 0; r < R; r++)
        strip_get<V>(next[r], u + min(k + 1, nz - 1) * sz + at[r]);
    __syncthreads();
#pragma unroll
    for (int s = 0; s < S; s++) {
      const REAL *of = rows + (s * warps + warp) * parts * width;
      const REAL *before = warp > 0 ? of - width : of, *behind = warp < warps - 1 ? of + parts * width : of;
      REAL front[V], back[V];
      even_get_shared<V>(front, before, lane);
      if (LATE) { /* one after the other, for the same reason */
#pragma unroll
        for (int r = 0; r < R; r++)
#pragma unroll
          for (int m = 0; m < V; m++)
            sum[s][r][m] += r > 0 ? newest[s][r - 1][m] : front[m];
      }
      even_get_shared<V>(back, behind, lane);
#pragma unroll
      for (int r = 0; r < R; r++)
#pragma unroll
        for (int m = 0; m < V; m++) {
          const REAL after = r < R - 1 ? newest[s][r + 1][m] : back[m];
          sum[s][r][m] += LATE ? after : (r > 0 ? newest[s][r - 1][m] : front[m]) + after;
        }
    }
  }
}

#endif
