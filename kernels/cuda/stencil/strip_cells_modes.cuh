/* Sweeps with one K a cell and 27 points, on strips. */
#ifndef CONVECT_STRIP_CELLS_MODES_CUH
#define CONVECT_STRIP_CELLS_MODES_CUH

#include "strip_cells.cuh"

/* With 27 points the matrix of a cell is diagonal in the sums and differences over its eight nodes: the mode s of {0,1}^3, differences along the
   axes in s and sums along the others, has the eigenvalue

     lambda_s = V K sum_(d in s) 2/h_d^2 prod_(e not d) (e in s ? 1/6 : 1/2).

   A plane gives the modes in x and y of the cells between four nodes: D (10), E (01) and X (11); G (00) is of the differences between two planes. The
   modes of two planes, for a node of the lower one,

     lambda_s (D + D') - lambda_(s+z) (D' - D) = near (D + far D'),

   near being the sum of both lambdas and far their difference over it; of the upper plane with D and D' exchanged. The sum over the two layers of
   cells around a plane goes back to nodes in the same way: to a node at the low end of an axis a difference is negative. There come in the factors
   near, in parts: of E over the lambda of G, of D likewise, and of X over that of D.

   Lane 0 of a warp computes cells for lane 1, and no nodes. */
template <int V, int R> struct modes_plane {
  REAL u[R + 2][V + 1];                      /* of the node rows around, and the node after the last */
  REAL d[R + 1][V], e[R + 1][V], x[R + 1][V]; /* D, E and X of the cell rows */
};

/* u of the plane in which the thread's first node is at `at`. */
template <int V, int R, typename From>
DEVICE void modes_load(REAL (&u)[R + 2][V + 1], const From &from, int64_t at, int sy, const strip_place &p) {
#pragma unroll
  for (int r = 0; r < R + 2; r++) {
    strip_row<V> row;
    strip_load<V>(row, from, at + (r - 1) * sy);
    strip_load_sides<V>(row, from, at + (r - 1) * sy, p);
#pragma unroll
    for (int m = 0; m <= V; m++)
      u[r][m] = row.v[m + 1];
  }
}

/* Whether a thread reads the node after its last: of the number of its lane alone. Kept beside what differs between threads it made the compiler take all exchanges
   between lanes for divergent, and sweeps half as slow again. */
DEVICE bool modes_last_lane() { return ((int)threadIdx.x & 31) == 31; }

template <int V, int R> DEVICE void modes_of(modes_plane<V, R> &p, bool load_high) {
#pragma unroll
  for (int r = 0; r < R + 2; r++) {
    const REAL high = __shfl_down_sync(0xffffffffu, p.u[r][0], 1);
    p.u[r][V] = load_high ? p.u[r][V] : high;
  }
#pragma unroll
  for (int c = 0; c < R + 1; c++) {
    REAL before = p.u[c + 1][0] - p.u[c][0];
#pragma unroll
    for (int m = 0; m < V; m++) {
      const REAL after = p.u[c + 1][m + 1] - p.u[c][m + 1];
      p.e[c][m] = before + after;
      p.x[c][m] = after - before;
      p.d[c][m] = (p.u[c][m + 1] - p.u[c][m]) + (p.u[c + 1][m + 1] - p.u[c + 1][m]);
      before = after;
    }
  }
}

/* K of a layer. */
template <int V, int R> DEVICE void modes_cells(REAL (&k)[R + 1][V], const REAL *cells, int sy) {
#pragma unroll
  for (int c = 0; c < R + 1; c++)
    strip_get<V>(k[c], cells + (c - 1) * sy);
}

/* The sums of a layer's K over the four cells around a node. */
template <int V, int R> DEVICE void modes_diagonal(REAL (&s)[R][V], const REAL (&k)[R + 1][V], REAL inner) {
  REAL before[V] = {};
#pragma unroll
  for (int c = 0; c < R + 1; c++) {
    REAL low = inner * __shfl_up_sync(0xffffffffu, k[c][V - 1], 1);
#pragma unroll
    for (int m = 0; m < V; m++) {
      const REAL both = low + k[c][m];
      if (c > 0)
        s[c > 0 ? c - 1 : 0][m] = before[m] + both;
      before[m] = both;
      low = k[c][m];
    }
  }
}

/* What is carried from layer to layer: the plane between them, what the layer below gives to its modes, and the layer's part of the diagonal. */
template <int V, int R> struct modes_state {
  modes_plane<V, R> low;
  REAL z[R + 1][V], x[R + 1][V], y[R + 1][V], xy[R + 1][V], around[R][V];
};

/* The layer above plane k, and with it the nodes of plane k; `begin` is of the layer below the block's first plane, which has none. */
template <int V, int R, int OP, int AHEAD, bool MASS, bool begin, typename From>
DEVICE void modes_layer(const cv_even_sweep_args &a, const From &u, cells_beside &beside, const cells_thread<V, R> &t, modes_state<V, R> &s, int k, int k1) {
  const int sy = (int)a.box.sy;
  const int64_t sz = a.box.sz;
  const bool load_high = modes_last_lane();
  const REAL inner = t.p.first ? 0 : 1; /* a factor, since a choice becomes a branch about all that follows */
  const int64_t at = t.at + k * sz;
  const REAL *cells = static_cast<const REAL *>(a.cells) + at, *f = static_cast<const REAL *>(a.f) + at;
  modes_plane<V, R> high;
  REAL conducts[R + 1][V], source[R][V] = {}, here[R][V] = {};
  modes_load<V, R>(high.u, u, at + sz, sy, t.p);
  modes_cells<V, R>(conducts, cells, sy);
  if (!cells_applies(OP) && !begin)
#pragma unroll
    for (int r = 0; r < R; r++)
      strip_get<V>(source[r], f + r * sy);
  if (AHEAD > 0 && k + 1 + AHEAD <= k1)
#pragma unroll
    for (int r = 0; r < R; r++) {
      strip_ahead<V>(u, at + (1 + AHEAD) * sz + r * sy);
      strip_prefetch<V>(cells + AHEAD * sz + r * sy);
      if (!cells_applies(OP))
        strip_prefetch<V>(f + AHEAD * sz + r * sy);
    }
  modes_of<V, R>(high, load_high);
  if (OP == cells_smooth)
    modes_diagonal<V, R>(here, conducts, inner);
  const REAL plane_scale = strip_factors_at(a, 2, k).source * a.source_scale.TYPE;
  REAL a_before[V] = {}, b_before[V] = {}, rise_before[V] = {};
#pragma unroll
  for (int r = 0; r < R + 2; r++) {
    /* Differences in z of a row of nodes, summed in x. */
    REAL rise[V], first = high.u[r][0] - s.low.u[r][0];
#pragma unroll
    for (int m = 0; m < V; m++) {
      const REAL second = high.u[r][m + 1] - s.low.u[r][m + 1];
      rise[m] = first + second;
      first = second;
    }
    if (r > 0) {
      const int c = r > 0 ? r - 1 : 0;
      REAL a_here[V], b_here[V];
#pragma unroll
      for (int m = 0; m < V; m++) {
        const REAL K = conducts[c][m], flux = K * (rise_before[m] + rise[m]);
        if (!begin) {
          const REAL to_z = s.z[c][m] - flux;
          const REAL to_x = fma(K, fma(a.far[0].TYPE, high.d[c][m], s.low.d[c][m]), s.x[c][m]);
          const REAL to_y = fma(K, fma(a.far[1].TYPE, high.e[c][m], s.low.e[c][m]), s.y[c][m]);
          const REAL to_xy = fma(K, fma(a.far[2].TYPE, high.x[c][m], s.low.x[c][m]), s.xy[c][m]);
          /* The nodes before the cells are at their low end. */
          a_here[m] = fma(-a.near[1].TYPE, to_y, to_z), b_here[m] = fma(-a.near[2].TYPE, to_xy, to_x);
          if (c > 0)
            a_here[m] = a_before[m] + a_here[m], b_here[m] = b_before[m] + b_here[m];
          a_before[m] = fma(a.near[1].TYPE, to_y, to_z), b_before[m] = fma(a.near[2].TYPE, to_xy, to_x);
        }
        s.z[c][m] = flux;
        s.x[c][m] = K * fma(a.far[0].TYPE, s.low.d[c][m], high.d[c][m]);
        s.y[c][m] = K * fma(a.far[1].TYPE, s.low.e[c][m], high.e[c][m]);
        s.xy[c][m] = K * fma(a.far[2].TYPE, s.low.x[c][m], high.x[c][m]);
      }
      if (c > 0 && !begin) {
        const int row = c > 0 ? c - 1 : 0;
        REAL sum[V], own[V], diagonal[V];
        REAL left = inner * __shfl_up_sync(0xffffffffu, fma(a.near[0].TYPE, b_here[V - 1], a_here[V - 1]), 1);
#pragma unroll
        for (int m = 0; m < V; m++) {
          sum[m] = left + fma(-a.near[0].TYPE, b_here[m], a_here[m]);
          left = fma(a.near[0].TYPE, b_here[m], a_here[m]);
          own[m] = s.low.u[row + 1][m];
          diagonal[m] = OP == cells_smooth ? s.around[row][m] + here[row][m] : (REAL)0;
        }
        cells_store<V, R, OP, MASS>(a, t, row, k, t.fixed & 1u << row ? (REAL)0 : plane_scale, own, sum, source[row], diagonal, beside);
      }
    }
#pragma unroll
    for (int m = 0; m < V; m++)
      rise_before[m] = rise[m];
  }
  s.low = high;
  if (OP == cells_smooth)
#pragma unroll
    for (int r = 0; r < R; r++)
#pragma unroll
      for (int m = 0; m < V; m++)
        s.around[r][m] = here[r][m];
}

/* As seven_cells_sweep. */
template <int V, int R, int OP, int AHEAD, bool MASS, typename From>
DEVICE void modes_sweep(const cv_even_sweep_args &a, const From &u, cells_beside &beside) {
  const int lane = (int)threadIdx.x & 31, warps = (int)blockDim.x >> 5;
  cells_thread<V, R> t = cells_thread_of<V, R>(a, ((int)blockIdx.x * warps + ((int)threadIdx.x >> 5)) * 31 + lane - 1);
  t.p.nodes = lane == 0 ? 0 : t.p.nodes;
  t.p.load_low = false, t.p.load_high = modes_last_lane();
  int k0, k1;
  strip_planes(a, k0, k1);
  modes_state<V, R> s;
  modes_load<V, R>(s.low.u, u, t.at + (k0 - 1) * a.box.sz, (int)a.box.sy, t.p);
  modes_of<V, R>(s.low, modes_last_lane());
  modes_layer<V, R, OP, AHEAD, MASS, true>(a, u, beside, t, s, k0 - 1, k1);
  for (int k = k0; k < k1; k++)
    modes_layer<V, R, OP, AHEAD, MASS, false>(a, u, beside, t, s, k, k1);
}

#endif
