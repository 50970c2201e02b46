/* Jacobi sweeps of Laplace's equation from registers: threads march up through the planes of a slab with V nodes side by side in x of R
   rows. Neighbours in x come from the lanes beside. */
#ifndef CONVECT_LAPLACE_CUH
#define CONVECT_LAPLACE_CUH

#include "even.cuh"
#include "strip.cuh"

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

/* The planes of a slab in the order in which its block visits them: from 0 to count-1, and those around it before and after. Every other slab is visited from
   above: then the planes that two slabs share are wanted by both at the same time, and come from memory once. */
struct laplace_slab {
  int64_t origin, stride; /* of plane 0, and from one to the next */
  int count, low, high;   /* low and high are the planes at the walls */
};

DEVICE laplace_slab laplace_slab_of(const cv_box &box, int slab, int slabs) {
  const int nz = (int)box.n[2], k0 = (int)((int64_t)slab * nz / slabs), k1 = (int)(((int64_t)slab + 1) * nz / slabs);
  const bool down = slab & 1;
  laplace_slab s;
  s.origin = (down ? k1 - 1 : k0) * box.sz;
  s.stride = down ? -box.sz : box.sz;
  s.count = k1 - k0;
  s.low = down ? k1 - nz : -k0;
  s.high = s.low + nz - 1;
  return s;
}

/* One sweep: reads u and writes out, 2 words a node. The threads of a plane are dealt as in strip.cuh: a.tile[0] of them have a row, a.tile[1] groups
   of R rows a plane, and rows beside those of a group come from the first cache. */
template <int V, int R, bool WHOLE> DEVICE void laplace_strip(const cv_laplace_args &a) {
  const int q = (int)(blockIdx.x * blockDim.x + threadIdx.x), lane = (int)threadIdx.x & 31;
  const int vectors = (int)a.tile[0], groups = (int)a.tile[1], nx = (int)a.box.n[0], ny = (int)a.box.n[1];
  const int counted = q / vectors, group = min(counted, groups - 1), vector = q - counted * vectors;
  const laplace_slab slab = laplace_slab_of(a.box, (int)blockIdx.y, (int)gridDim.y);
  const bool load_low = lane == 0 && vector > 0, load_high = lane == 31 && vector < vectors - 1;
  laplace_place<V> p;
  p.x = vector * V;
  p.nodes = counted >= groups ? 0 : min(V, nx - p.x);
  p.first = vector == 0, p.last = vector == vectors - 1;
  int at[R + 2];
#pragma unroll
  for (int r = 0; r < R + 2; r++)
    at[r] = min(max(group * R + r - 1, 0), ny - 1) * (int)a.box.sy + p.x;
  const REAL *u = static_cast<const REAL *>(a.u) + slab.origin;
  REAL *out = static_cast<REAL *>(a.out) + slab.origin;

  /* u of the plane, and of the one before; sums of what is beside it in the plane. */
  REAL own[R][V], before[R][V], sum[R][V];
#pragma unroll
  for (int r = 0; r < R; r++) {
    strip_get<V>(own[r], u + max(-1, slab.low) * slab.stride + at[r + 1]);
#pragma unroll
    for (int m = 0; m < V; m++)
      before[r][m] = sum[r][m] = 0;
  }
  for (int t = -1; t < slab.count; t++) {
    const REAL *after = u + min(t + 1, slab.high) * slab.stride;
    strip_row<V> rows[R + 2];
#pragma unroll
    for (int r = 0; r < R + 2; r++)
      strip_load<V>(rows[r], after + at[r]);
#pragma unroll
    for (int r = 1; r <= R; r++) {
      rows[r].v[0] = load_low ? after[at[r] - 1] : (REAL)0;
      rows[r].v[V + 1] = load_high ? after[at[r] + V] : (REAL)0;
    }
    const bool plane = t == slab.low || t == slab.high;
#pragma unroll
    for (int r = 0; r < R; r++) {
      const int j = group * R + r;
      strip_row<V> &row = rows[r + 1];
      if (t >= 0 && j < ny) {
        REAL value[V];
#pragma unroll
        for (int m = 0; m < V; m++)
          value[m] = (REAL)(1.0 / 6) * (sum[r][m] + (before[r][m] + row.v[m + 1]));
        laplace_walls<V, WHOLE>(value, own[r], p, plane || j == 0 || j == ny - 1);
        strip_put<V, WHOLE ? strip_whole : strip_any>(out + t * slab.stride + at[r + 1], value, p.nodes);
      }
      const REAL low = __shfl_up_sync(0xffffffffu, row.v[V], 1), high = __shfl_down_sync(0xffffffffu, row.v[1], 1);
      row.v[0] = load_low ? row.v[0] : low;
      row.v[V + 1] = load_high ? row.v[V + 1] : high;
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

   Of each sweep before the last a thread keeps the newest plane, and the sum of all that is needed to sweep it but the plane after it. When that
   comes, one sweep after the other needs no more than registers; then the newest planes' rows pass through shared memory to those beside, with one
   barrier a plane. The next plane is asked for before the sweeps, or LATE, after them, where there are no registers for it before: spills are slow since
   shared memory leaves the first cache little. */
template <int V, int R, bool WHOLE, int S, bool LATE> DEVICE void laplace_pass(const cv_laplace_args &a) {
  constexpr int parts = R > 1 ? 2 : 1, width = even_lanes * V; /* rows of a warp that others see: the first and the last */
  DYNAMIC_SHARED(REAL, shared);
  const int nx = (int)a.box.n[0], ny = (int)a.box.n[1], sy = (int)a.box.sy;
  const int lane = (int)threadIdx.x, warps = (int)blockDim.y, warp = __shfl_sync(0xffffffffu, (int)threadIdx.y, 0);
  const int j0 = (int)blockIdx.y * (R * warps - 2 * S), j = j0 + R * warp;
  const int own_low = blockIdx.y == 0 ? 0 : j0 + S, own_high = blockIdx.y == gridDim.y - 1 ? ny : j0 + R * warps - S;
  const laplace_slab slab = laplace_slab_of(a.box, (int)blockIdx.z, (int)gridDim.z);
  laplace_place<V> p;
  p.x = (int)blockIdx.x * (width - 2 * V) + V * lane;
  const bool owns = (blockIdx.x == 0 || lane > 0) && (blockIdx.x == gridDim.x - 1 || lane < even_lanes - 1);
  p.nodes = min(V, max(nx - p.x, 0));
  p.first = p.x == 0, p.last = p.x < nx && p.x + V >= nx;
  int at[R];
#pragma unroll
  for (int r = 0; r < R; r++)
    at[r] = min(j + r, ny - 1) * sy + min(p.x, (nx - 1) / V * V);
  const REAL *u = static_cast<const REAL *>(a.u) + slab.origin;
  REAL *out = static_cast<REAL *>(a.out) + slab.origin;

  REAL newest[S][R][V], sum[S][R][V], next[R][V];
#pragma unroll
  for (int s = 0; s < S; s++)
#pragma unroll
    for (int r = 0; r < R; r++)
#pragma unroll
      for (int m = 0; m < V; m++)
        newest[s][r][m] = sum[s][r][m] = 0;
  const int from = max(-S, slab.low), end = slab.count + S;
#pragma unroll
  for (int r = 0; r < R; r++)
    strip_get<V>(next[r], u + from * slab.stride + at[r]);
  for (int t = from; t < end; t++) {
    const REAL *after = u + min(t + 1, slab.high) * slab.stride;
    REAL now[R][V];
#pragma unroll
    for (int r = 0; r < R; r++) {
#pragma unroll
      for (int m = 0; m < V; m++)
        now[r][m] = next[r][m];
      if (!LATE && t + 1 < end)
        strip_get<V>(next[r], after + at[r]);
    }
    REAL *rows = shared + (t & 1) * (S * parts * width) * warps;
#pragma unroll
    for (int s = 0; s < S; s++) { /* `now` is plane t - s; the sweep makes the one before it */
      const bool plane = t - s - 1 == slab.low || t - s - 1 == slab.high;
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
    if (t >= S)
#pragma unroll
      for (int r = 0; r < R; r++)
        if (j + r >= own_low && j + r < own_high && owns)
          strip_put<V, WHOLE ? strip_whole : strip_any>(out + (t - S) * slab.stride + (j + r) * sy + p.x, now[r], p.nodes);
    if (LATE)
#pragma unroll
      for (int r = 0; r < R; r++)
        strip_get<V>(next[r], after + at[r]);
    __syncthreads();
#pragma unroll
    for (int s = 0; s < S; s++) {
      const REAL *of = rows + (s * warps + warp) * parts * width;
      REAL front[V], back[V];
      even_get_shared<V>(front, warp > 0 ? of - width : of, lane);
      even_get_shared<V>(back, warp < warps - 1 ? of + parts * width : of, lane);
#pragma unroll
      for (int r = 0; r < R; r++)
#pragma unroll
        for (int m = 0; m < V; m++)
          sum[s][r][m] += (r > 0 ? newest[s][r - 1][m] : front[m]) + (r < R - 1 ? newest[s][r + 1][m] : back[m]);
    }
  }
}

#endif
