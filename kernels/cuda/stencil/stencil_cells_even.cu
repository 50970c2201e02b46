/* Apply, Residual, Smooth and RedBlack on grids of even widths with one K a cell, with 7 and with 27 points, on strips (strip.cuh). Cells beyond walls have
   K = 0, so that nothing is mirrored. Every node gets

     out = own + factor (f + z s),

   s the sum of fluxes, weighted so that those in z have the weight 1, and z s is -A u; apply has no f, and sweeps divide by the diagonal. own is u in
   sweeps and nothing else. The factor is 0 at fixed nodes. With a mass its part of -A u / z comes to s, and its part of A to the diagonal. */
#include "../march/strip.cuh"

/* cells_single is cells_residual rounded to float. */
enum { cells_apply, cells_residual, cells_single, cells_smooth };

/* What all of a thread's planes have in common. */
template <int V, int R> struct cells_thread {
  strip_place p;
  int at; /* its first node in a plane */
  REAL rows[R], ends[V]; /* factors of its rows, and of its nodes in a row: 0 on fixed sides */
  unsigned fixed;        /* the same of rows, as bits */
};

/* q: the thread's number in its plane, or -1. */
template <int V, int R> DEVICE cells_thread<V, R> cells_thread_of(const cv_even_sweep_args &a, int q) {
  const int vectors = (int)a.vectors, groups = (int)a.groups, n = (int)a.box.n[0];
  const int from = q < 0 ? 0 : q, counted = from / vectors, group = counted < groups ? counted : groups - 1;
  cells_thread<V, R> t;
  t.p.x = (from - counted * vectors) * V, t.p.j = group * R;
  t.p.nodes = q < 0 || counted >= groups ? 0 : t.p.x + V <= n ? V : n - t.p.x;
  t.p.first = t.p.x == 0, t.p.last = t.p.x + V >= n;
  t.at = t.p.j * (int)a.box.sy + t.p.x;
  t.fixed = 0;
#pragma unroll
  for (int r = 0; r < R; r++) {
    t.rows[r] = strip_factors_at(a, 1, t.p.j + r).source;
    t.fixed |= t.rows[r] == 0 ? 1u << r : 0u;
  }
#pragma unroll
  for (int m = 0; m < V; m++)
    t.ends[m] = strip_factors_at(a, 0, t.p.x + m).source;
  return t;
}

/* Adds the mass of the nodes of row r in plane k. */
template <int V, int R>
DEVICE void cells_add_mass(const cv_even_sweep_args &a, const cells_thread<V, R> &t, int r, int k, const REAL (&own)[V], REAL (&sum)[V], REAL (&diagonal)[V]) {
  const REAL row = strip_factors_at(a, 2, k).balance * strip_factors_at(a, 1, t.p.j + r).balance;
#pragma unroll
  for (int m = 0; m < V; m++) {
    const REAL share = row * strip_factors_at(a, 0, t.p.x + m).balance;
    sum[m] = fma(-a.mass.TYPE * share, own[m], sum[m]);
    diagonal[m] = fma(a.own_mass.TYPE, share, diagonal[m]);
  }
}

/* Writes row r of a thread in plane k. `row` is the factor of its nodes; `sum` is s, `diagonal` that of A, of sweeps. */
template <int V, int R, int OP, bool MASS>
DEVICE void cells_store(const cv_even_sweep_args &a, const cells_thread<V, R> &t, int r, int k, REAL row, const REAL (&own)[V],
                        REAL (&sum)[V], const REAL (&source)[V], REAL (&diagonal)[V]) {
  const int64_t at = t.at + k * a.box.sz + r * (int)a.box.sy;
  if (MASS)
    cells_add_mass<V, R>(a, t, r, k, own, sum, diagonal);
  REAL value[V];
  [[maybe_unused]] const strip_stays stays = strip_stays_of(a, t.p, k);
#pragma unroll
  for (int m = 0; m < V; m++) {
    const REAL free = row * t.ends[m];
    REAL v;
    if (OP == cells_apply)
      v = free * sum[m];
    else if (OP == cells_smooth)
      v = fma(free * strip_reciprocal(diagonal[m]), fma(a.z.TYPE, sum[m], source[m]), own[m]), v = ((m + r) & 1 ? stays.odd : stays.even) ? own[m] : v;
    else
      v = free * fma(a.z.TYPE, sum[m], source[m]);
    value[m] = v;
  }
  if (t.p.j + r >= (int)a.box.n[1])
    return;
  if constexpr (OP == cells_single)
    strip_put_rounded<V, strip_any>(static_cast<float *>(a.out) + at, value, t.p.nodes);
  else
    strip_put<V, strip_any>(static_cast<REAL *>(a.out) + at, value, t.p.nodes);
}

/* Of 7 points: the sums of K over two cells beside each other in y, and in x, of a layer. [.][0] and [0][.] belong to the cells before the first node. */
template <int V, int R> struct seven_cells {
  REAL y[R][V + 1], x[R + 1][V];
};

template <int V, int R>
DEVICE void seven_cells_load(seven_cells<V, R> &s, const REAL *k, int sy, bool load_low) {
  REAL cells[R + 1][V + 1];
#pragma unroll
  for (int r = 0; r <= R; r++) {
    REAL v[V];
    const REAL *row = k + (r - 1) * sy;
    strip_get<V>(v, row);
    cells[r][0] = load_low ? row[-1] : (REAL)0;
#pragma unroll
    for (int m = 0; m < V; m++)
      cells[r][m + 1] = v[m];
  }
#pragma unroll
  for (int r = 0; r <= R; r++) {
    const REAL low = __shfl_up_sync(0xffffffffu, cells[r][V], 1);
    cells[r][0] = load_low ? cells[r][0] : low;
  }
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

/* Reads u and K (and f) and writes out: 3 (4) words a node. */
template <int V, int R, int OP, int AHEAD, bool MASS> DEVICE void seven_cells_sweep(const cv_even_sweep_args &a) {
  const int lane = (int)threadIdx.x & 31, sy = (int)a.box.sy;
  const int64_t sz = a.box.sz;
  const cells_thread<V, R> t = cells_thread_of<V, R>(a, (int)(blockIdx.x * blockDim.x + threadIdx.x));
  const bool load_low = lane == 0 || t.p.first, load_high = lane == 31 || t.p.last;
  int k0, k1;
  strip_planes(a, k0, k1);
  const REAL *u = static_cast<const REAL *>(a.u) + t.at, *f = static_cast<const REAL *>(a.f) + t.at;
  const REAL *cells = static_cast<const REAL *>(a.cells) + t.at;

  seven_cells<V, R> low;
  strip_row<V> own[R];
  REAL up[R][V], conducts[R][V]; /* the flux from the plane below, and the sum of K it went through */
  seven_cells_load<V, R>(low, cells + (k0 - 1) * sz, sy, load_low);
#pragma unroll
  for (int r = 0; r < R; r++) {
    strip_row<V> before;
    strip_load<V>(before, u + (k0 - 1) * sz + r * sy);
    strip_load<V>(own[r], u + k0 * sz + r * sy);
    own[r].v[0] = load_low ? u[k0 * sz + r * sy - 1] : (REAL)0;
    own[r].v[V + 1] = load_high ? u[k0 * sz + r * sy + V] : (REAL)0;
#pragma unroll
    for (int m = 0; m < V; m++) {
      conducts[r][m] = low.x[r][m] + low.x[r + 1][m];
      up[r][m] = conducts[r][m] * (own[r].v[m + 1] - before.v[m + 1]);
    }
  }
  for (int k = k0; k < k1; k++) {
    const REAL *plane = u + k * sz;
    strip_row<V> next[R];
    REAL front[V], back[V], source[R][V];
#pragma unroll
    for (int r = 0; r < R; r++) {
      const REAL *row = plane + sz + r * sy;
      strip_load<V>(next[r], row);
      next[r].v[0] = load_low ? row[-1] : (REAL)0;
      next[r].v[V + 1] = load_high ? row[V] : (REAL)0;
    }
    strip_get<V>(front, plane - sy);
    strip_get<V>(back, plane + R * sy);
    if (OP != cells_apply)
#pragma unroll
      for (int r = 0; r < R; r++)
        strip_get<V>(source[r], f + k * sz + r * sy);
    if (AHEAD > 0 && k + 1 + AHEAD <= k1)
#pragma unroll
      for (int r = 0; r < R; r++) {
        strip_prefetch<V>(plane + (1 + AHEAD) * sz + r * sy);
        strip_prefetch<V>(cells + (k + AHEAD) * sz + r * sy);
        if (OP != cells_apply)
          strip_prefetch<V>(f + (k + AHEAD) * sz + r * sy);
      }
    seven_cells<V, R> high;
    seven_cells_load<V, R>(high, cells + k * sz, sy, load_low);
    const REAL plane_scale = strip_factors_at(a, 2, k).source * a.source_scale.TYPE;
    REAL in_y[V], of_y[V]; /* flux from the row before, and what it went through */
#pragma unroll
    for (int m = 0; m < V; m++) {
      of_y[m] = low.x[0][m] + high.x[0][m];
      in_y[m] = of_y[m] * (own[0].v[m + 1] - front[m]);
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
        const REAL out_y = to_y * ((r < R - 1 ? own[r < R - 1 ? r + 1 : r].v[m + 1] : back[m]) - here);
        const REAL to_z = high.x[r][m] + high.x[r + 1][m], out_z = to_z * (next[r].v[m + 1] - here);
        sum[m] = fma(a.x.TYPE, out_x - in_x, fma(a.y.TYPE, out_y - in_y[m], out_z - up[r][m]));
        if (OP == cells_smooth)
          diagonal[m] = fma(a.x.TYPE, of_x + to_x, fma(a.y.TYPE, of_y[m] + to_y, conducts[r][m] + to_z));
        else
          diagonal[m] = 0;
        of_x = to_x, in_x = out_x, of_y[m] = to_y, in_y[m] = out_y, conducts[r][m] = to_z, up[r][m] = out_z;
      }
      cells_store<V, R, OP, MASS>(a, t, r, k, plane_scale * t.rows[r], value, sum, source[r], diagonal);
    }
    low = high;
#pragma unroll
    for (int r = 0; r < R; r++)
      own[r] = next[r];
  }
}

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

template <int V, int R> DEVICE void modes_load(REAL (&u)[R + 2][V + 1], const REAL *plane, int sy, bool load_high) {
#pragma unroll
  for (int r = 0; r < R + 2; r++) {
    REAL v[V];
    const REAL *row = plane + (r - 1) * sy;
    strip_get<V>(v, row);
    u[r][V] = load_high ? row[V] : (REAL)0;
#pragma unroll
    for (int m = 0; m < V; m++)
      u[r][m] = v[m];
  }
}

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
template <int V, int R, int OP, int AHEAD, bool MASS, bool begin>
DEVICE void modes_layer(const cv_even_sweep_args &a, const cells_thread<V, R> &t, modes_state<V, R> &s, int k, int k1) {
  const int sy = (int)a.box.sy;
  const int64_t sz = a.box.sz;
  const bool load_high = (threadIdx.x & 31) == 31;
  const REAL inner = t.p.first ? 0 : 1; /* a factor, since a choice becomes a branch about all that follows */
  const REAL *u = static_cast<const REAL *>(a.u) + t.at + k * sz, *cells = static_cast<const REAL *>(a.cells) + t.at + k * sz;
  const REAL *f = static_cast<const REAL *>(a.f) + t.at + k * sz;
  modes_plane<V, R> high;
  REAL conducts[R + 1][V], source[R][V] = {}, here[R][V] = {};
  modes_load<V, R>(high.u, u + sz, sy, load_high);
  modes_cells<V, R>(conducts, cells, sy);
  if (OP != cells_apply && !begin)
#pragma unroll
    for (int r = 0; r < R; r++)
      strip_get<V>(source[r], f + r * sy);
  if (AHEAD > 0 && k + 1 + AHEAD <= k1)
#pragma unroll
    for (int r = 0; r < R; r++) {
      strip_prefetch<V>(u + (1 + AHEAD) * sz + r * sy);
      strip_prefetch<V>(cells + AHEAD * sz + r * sy);
      if (OP != cells_apply)
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
        cells_store<V, R, OP, MASS>(a, t, row, k, t.fixed & 1u << row ? (REAL)0 : plane_scale, own, sum, source[row], diagonal);
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

/* Reads u and K (and f) and writes out: 3 (4) words a node. */
template <int V, int R, int OP, int AHEAD, bool MASS> DEVICE void modes_sweep(const cv_even_sweep_args &a) {
  const int lane = (int)threadIdx.x & 31, warps = (int)blockDim.x >> 5;
  cells_thread<V, R> t = cells_thread_of<V, R>(a, ((int)blockIdx.x * warps + ((int)threadIdx.x >> 5)) * 31 + lane - 1);
  t.p.nodes = lane == 0 ? 0 : t.p.nodes;
  int k0, k1;
  strip_planes(a, k0, k1);
  modes_state<V, R> s;
  modes_load<V, R>(s.low.u, static_cast<const REAL *>(a.u) + t.at + (k0 - 1) * a.box.sz, (int)a.box.sy, lane == 31);
  modes_of<V, R>(s.low, lane == 31);
  modes_layer<V, R, OP, AHEAD, MASS, true>(a, t, s, k0 - 1, k1);
  for (int k = k0; k < k1; k++)
    modes_layer<V, R, OP, AHEAD, MASS, false>(a, t, s, k, k1);
}

/* As in stencil_even.cu, with W times 8 bytes of a row a thread. What is left of a row in its last thread is of no weight here. A residual that is
   rounded has a code of its own, and so has a mass. */
#define CELLS(op, points, sweep, W, R, AHEAD, threads, blocks)                              \
  KERNEL_BOUNDS(strip_cells_##op##_##points, cv_even_sweep_args, threads, blocks) {         \
    constexpr bool rounds = cells_##op == cells_residual && sizeof(REAL) == 8;              \
    constexpr int single = rounds ? cells_single : cells_##op, V = W * 8 / sizeof(REAL);    \
    if (a.own_mass.TYPE != 0 && rounds && a.single)                                         \
      sweep<V, R, single, AHEAD, true>(a);                                                  \
    else if (a.own_mass.TYPE != 0)                                                          \
      sweep<V, R, cells_##op, AHEAD, true>(a);                                              \
    else if (rounds && a.single)                                                            \
      sweep<V, R, single, AHEAD, false>(a);                                                 \
    else                                                                                    \
      sweep<V, R, cells_##op, AHEAD, false>(a);                                             \
  }

enum { cells_blocks = sizeof(REAL) == 4 ? 4 : 3, cells_rows = sizeof(REAL) == 4 ? 4 : 3 };

CELLS(apply, 7, seven_cells_sweep, 2, 2, 0, 128, 4)
CELLS(residual, 7, seven_cells_sweep, 2, 2, 0, 128, cells_blocks)
CELLS(smooth, 7, seven_cells_sweep, 2, 2, 0, 128, cells_blocks)
CELLS(apply, 27, modes_sweep, 1, 4, 1, 128, 3)
CELLS(residual, 27, modes_sweep, 1, cells_rows, 1, 128, 3)
CELLS(smooth, 27, modes_sweep, 1, 3, 1, 128, 3)
