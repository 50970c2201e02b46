/* Sweeps with one K a cell and 7 points, on strips. */
#ifndef CONVECT_STRIP_CELLS_SEVEN_CUH
#define CONVECT_STRIP_CELLS_SEVEN_CUH

#include "strip_cells.cuh"

/* Of 7 points: the sums of K over two cells beside each other in y, and in x, of a layer. [.][0] and [0][.] belong to the cells before the first node. */
template <int V, int R> struct seven_cells {
  REAL y[R][V + 1], x[R + 1][V];
};

template <int V, int R>
DEVICE void seven_cells_load(seven_cells<V, R> &s, const REAL *k, int sy, bool load_low) {
  REAL cells[R + 1][V + 1];
  strip_cells<V, R>(cells, k, sy, load_low);
#pragma unroll
  for (int r = 0; r < R; r++)
#pragma unroll
    for (int m = 0; m <= V; m++)
      s.y[r][m] = cells[r][m] + cells[r + 1][m];
#pragma unroll
  for (int r = 0; r <= R; r++)
#pragma unroll
    for (int m = 0; m < V; m++)
      s.x[r][m] = cells[r][m] + cells[r][m + 1];
}

/* Reads u and K (and f) and writes out: 3 (4) words a node. Correcting, it reads the correction and writes u besides. */
template <int V, int R, int OP, int AHEAD, bool MASS, typename From>
DEVICE void seven_cells_sweep(const cv_even_sweep_args &a, const From &u, cells_beside &beside) {
  const int lane = (int)threadIdx.x & 31, sy = (int)a.box.sy;
  const int64_t sz = a.box.sz;
  cells_thread<V, R> t = cells_thread_of<V, R>(a, (int)(blockIdx.x * blockDim.x + threadIdx.x));
  const bool load_low = t.p.load_low = lane == 0 || t.p.first, load_high = t.p.load_high = lane == 31 || t.p.last;
  int k0, k1;
  strip_planes(a, k0, k1);
  const REAL *f = static_cast<const REAL *>(a.f) + t.at;
  const REAL *cells = static_cast<const REAL *>(a.cells) + t.at;

  seven_cells<V, R> low;
  strip_row<V> own[R];
  REAL up[R][V], conducts[R][V]; /* the flux from the plane below, and the sum of K it went through */
  seven_cells_load<V, R>(low, cells + (k0 - 1) * sz, sy, load_low);
#pragma unroll
  for (int r = 0; r < R; r++) {
    strip_row<V> before;
    strip_load<V>(before, u, t.at + (k0 - 1) * sz + r * sy);
    strip_load<V>(own[r], u, t.at + k0 * sz + r * sy);
    strip_load_sides<V>(own[r], u, t.at + k0 * sz + r * sy, t.p);
#pragma unroll
    for (int m = 0; m < V; m++) {
      conducts[r][m] = low.x[r][m] + low.x[r + 1][m];
      up[r][m] = conducts[r][m] * (own[r].v[m + 1] - before.v[m + 1]);
    }
  }
  for (int k = k0; k < k1; k++) {
    const int64_t plane = t.at + k * sz;
    strip_row<V> next[R], front, back;
    REAL source[R][V];
#pragma unroll
    for (int r = 0; r < R; r++) {
      strip_load<V>(next[r], u, plane + sz + r * sy);
      strip_load_sides<V>(next[r], u, plane + sz + r * sy, t.p);
    }
    strip_load<V>(front, u, plane - sy);
    strip_load<V>(back, u, plane + R * sy);
    if (!cells_applies(OP))
#pragma unroll
      for (int r = 0; r < R; r++)
        strip_get<V>(source[r], f + k * sz + r * sy);
    if (AHEAD > 0 && k + 1 + AHEAD <= k1)
#pragma unroll
      for (int r = 0; r < R; r++) {
        strip_ahead<V>(u, plane + (1 + AHEAD) * sz + r * sy);
        strip_prefetch<V>(cells + (k + AHEAD) * sz + r * sy);
        if (!cells_applies(OP))
          strip_prefetch<V>(f + (k + AHEAD) * sz + r * sy);
      }
    seven_cells<V, R> high;
    seven_cells_load<V, R>(high, cells + k * sz, sy, load_low);
    const REAL plane_scale = strip_factors_at(a, 2, k).source * a.source_scale.TYPE;
    REAL in_y[V], of_y[V]; /* flux from the row before, and what it went through */
#pragma unroll
    for (int m = 0; m < V; m++) {
      of_y[m] = low.x[0][m] + high.x[0][m];
      in_y[m] = of_y[m] * (own[0].v[m + 1] - front.v[m + 1]);
    }
#pragma unroll
    for (int r = 0; r < R; r++) {
      const REAL left = __shfl_up_sync(0xffffffffu, own[r].v[V], 1), right = __shfl_down_sync(0xffffffffu, own[r].v[1], 1);
      own[r].v[0] = load_low ? own[r].v[0] : left;
      own[r].v[V + 1] = load_high ? own[r].v[V + 1] : right;
      REAL sum[V], diagonal[V], value[V];
      REAL of_x = low.y[r][0] + high.y[r][0], in_x = of_x * (own[r].v[1] - own[r].v[0]);
#pragma unroll
      for (int m = 0; m < V; m++) {
        const REAL here = value[m] = own[r].v[m + 1];
        const REAL to_x = low.y[r][m + 1] + high.y[r][m + 1], out_x = to_x * (own[r].v[m + 2] - here);
        const REAL to_y = low.x[r + 1][m] + high.x[r + 1][m];
        const REAL out_y = to_y * ((r < R - 1 ? own[r < R - 1 ? r + 1 : r].v[m + 1] : back.v[m + 1]) - here);
        const REAL to_z = high.x[r][m] + high.x[r + 1][m], out_z = to_z * (next[r].v[m + 1] - here);
        sum[m] = fma(a.x.TYPE, out_x - in_x, fma(a.y.TYPE, out_y - in_y[m], out_z - up[r][m]));
        if (OP == cells_smooth)
          diagonal[m] = fma(a.x.TYPE, of_x + to_x, fma(a.y.TYPE, of_y[m] + to_y, conducts[r][m] + to_z));
        else
          diagonal[m] = 0;
        of_x = to_x, in_x = out_x, of_y[m] = to_y, in_y[m] = out_y, conducts[r][m] = to_z, up[r][m] = out_z;
      }
      cells_store<V, R, OP, MASS>(a, t, r, k, plane_scale * t.rows[r], value, sum, source[r], diagonal, beside);
    }
    low = high;
#pragma unroll
    for (int r = 0; r < R; r++)
      own[r] = next[r];
  }
}

#endif
