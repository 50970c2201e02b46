/* Apply, Residual, Smooth, RedBlack, Correct and Energy on grids of even widths with one K a cell, with 7 and with 27 points, on strips (strip.cuh). Cells beyond walls have
   K = 0, so that nothing is mirrored. Every node gets

     out = own + factor (f + z s),

   s the sum of fluxes, weighted so that those in z have the weight 1, and z s is -A u; apply has no f, and sweeps divide by the diagonal. own is u in
   sweeps and nothing else. The factor is 0 at fixed nodes. With a mass its part of -A u / z comes to s, and its part of A to the diagonal. */
#include "../march/strip_sweep.cuh"

/* cells_single is cells_residual rounded to float; cells_measure and cells_correct are it with the sums of Correct, and cells_energy is cells_apply with
   that of Energy, which writes nothing. */
enum { cells_apply, cells_residual, cells_single, cells_smooth, cells_measure, cells_correct, cells_energy };

/* Whether a sweep is a kind of apply, and whether it makes sums. */
DEVICE constexpr bool cells_applies(int op) { return op == cells_apply || op == cells_energy; }
DEVICE constexpr bool cells_sums(int op) { return op >= cells_measure; }

/* Beside the arguments of a sweep: where a corrected u goes, and the sums of a thread. */
struct cells_beside {
  REAL *corrected;
  double sums[5];
};

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

/* Adds a node to the sums: `value` is what a sweep gives it, u its own, f its source, and volume that of the node over that of an inner one. */
template <int OP> DEVICE void cells_add(double (&sums)[5], REAL value, REAL u, REAL f, REAL volume, bool free) {
  const double v = value, x = u, part = x * volume, y = f;
  if (OP == cells_energy) {
    sums[0] = fma(x, v, sums[0]);
    return;
  }
  const double rounded = (float)v, source = free ? y : 0;
  sums[0] = sizeof(REAL) == 8 ? fma(rounded, rounded, sums[0]) : fma(v, v, sums[0]);
  sums[1] += part, sums[2] = fma(x, part, sums[2]);
  sums[3] += source, sums[4] = fma(source, source, sums[4]);
}

/* The same of row r of a thread in plane k. Fixed nodes have no volume. */
template <int V, int R, int OP>
DEVICE void cells_add_row(const cv_even_sweep_args &a, const cells_thread<V, R> &t, int r, int k, REAL row, const REAL (&value)[V], const REAL (&own)[V],
                          const REAL (&source)[V], cells_beside &beside) {
  if (!counts_row(a.box, t.p.j + r))
    return;
  const REAL of_row = strip_factors_at(a, 2, k).balance * strip_factors_at(a, 1, t.p.j + r).balance;
#pragma unroll
  for (int m = 0; m < V; m++)
    if (m < t.p.nodes)
      cells_add<OP>(beside.sums, value[m], own[m], source[m], of_row * strip_factors_at(a, 0, t.p.x + m).balance, row * t.ends[m] != 0);
}

/* Writes row r of a thread in plane k. `row` is the factor of its nodes; `sum` is s, `diagonal` that of A, of sweeps. */
template <int V, int R, int OP, bool MASS>
DEVICE void cells_store(const cv_even_sweep_args &a, const cells_thread<V, R> &t, int r, int k, REAL row, const REAL (&own)[V],
                        REAL (&sum)[V], const REAL (&source)[V], REAL (&diagonal)[V], cells_beside &beside) {
  const int64_t at = t.at + k * a.box.sz + r * (int)a.box.sy;
  if (MASS)
    cells_add_mass<V, R>(a, t, r, k, own, sum, diagonal);
  REAL value[V];
  [[maybe_unused]] const strip_stays stays = strip_stays_of(a, t.p, k);
#pragma unroll
  for (int m = 0; m < V; m++) {
    const REAL free = row * t.ends[m];
    REAL v;
    if (cells_applies(OP))
      v = free * sum[m];
    else if (OP == cells_smooth)
      v = fma(free * strip_reciprocal(diagonal[m]), fma(a.z.TYPE, sum[m], source[m]), own[m]), v = ((m + r) & 1 ? stays.odd : stays.even) ? own[m] : v;
    else
      v = free * fma(a.z.TYPE, sum[m], source[m]);
    value[m] = v;
  }
  if (t.p.j + r >= (int)a.box.n[1])
    return;
  if constexpr (cells_sums(OP))
    cells_add_row<V, R, OP>(a, t, r, k, row, value, own, source, beside);
  if constexpr (OP == cells_energy || (OP == cells_measure && sizeof(REAL) == 4))
    return;
  if constexpr (OP == cells_correct)
    strip_put<V, strip_any>(beside.corrected + at, own, t.p.nodes);
  if constexpr (OP == cells_single || OP == cells_measure || OP == cells_correct)
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
  const bool load_high = t.p.load_high;
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
  t.p.load_low = false, t.p.load_high = lane == 31;
  int k0, k1;
  strip_planes(a, k0, k1);
  modes_state<V, R> s;
  modes_load<V, R>(s.low.u, u, t.at + (k0 - 1) * a.box.sz, (int)a.box.sy, t.p);
  modes_of<V, R>(s.low, lane == 31);
  modes_layer<V, R, OP, AHEAD, MASS, true>(a, u, beside, t, s, k0 - 1, k1);
  for (int k = k0; k < k1; k++)
    modes_layer<V, R, OP, AHEAD, MASS, false>(a, u, beside, t, s, k, k1);
}

/* A sweep for a stencil; one with a mass has a code of its own. */
template <int V, int R, int POINTS, int OP, int AHEAD, typename From>
DEVICE void cells_sweep(const cv_even_sweep_args &a, const From &u, cells_beside &beside) {
  if constexpr (POINTS == 27) {
    if (a.own_mass.TYPE != 0)
      modes_sweep<V, R, OP, AHEAD, true>(a, u, beside);
    else
      modes_sweep<V, R, OP, AHEAD, false>(a, u, beside);
  } else {
    if (a.own_mass.TYPE != 0)
      seven_cells_sweep<V, R, OP, AHEAD, true>(a, u, beside);
    else
      seven_cells_sweep<V, R, OP, AHEAD, false>(a, u, beside);
  }
}

/* As in stencil_even.cu, with W times 8 bytes of a row a thread. What is left of a row in its last thread is of no weight here. A residual that is
   rounded has a code of its own. */
#define CELLS(op, points, W, R, AHEAD, threads, blocks)                                       \
  KERNEL_BOUNDS(strip_cells_##op##_##points, cv_even_sweep_args, threads, blocks) {           \
    constexpr bool rounds = cells_##op == cells_residual && sizeof(REAL) == 8;                \
    constexpr int single = rounds ? cells_single : cells_##op, V = W * 8 / sizeof(REAL);      \
    const strip_array u = {static_cast<const REAL *>(a.u)};                                   \
    cells_beside beside = {};                                                                 \
    if (rounds && a.single)                                                                   \
      cells_sweep<V, R, points, single, AHEAD>(a, u, beside);                                 \
    else                                                                                      \
      cells_sweep<V, R, points, cells_##op, AHEAD>(a, u, beside);                             \
  }

enum { cells_blocks = sizeof(REAL) == 4 ? 4 : 3, cells_rows = sizeof(REAL) == 4 ? 4 : 3 };

CELLS(apply, 7, 2, 2, 0, 128, 4)
CELLS(residual, 7, 2, 2, 0, 128, cells_blocks)
CELLS(smooth, 7, 2, 2, 0, 128, cells_blocks)
CELLS(apply, 27, 1, 4, 1, 128, 3)
CELLS(residual, 27, 1, cells_rows, 1, 128, 3)
CELLS(smooth, 27, 1, 3, 1, 128, 3)

/* Measure, and of double correct: as in correct_even.cu, and one word of K more. */
#define CELLS_CORRECT(op, points, W, R, AHEAD, threads, blocks)                               \
  KERNEL_BOUNDS(strip_cells_##op##_##points, cv_correct_args, threads, blocks) {              \
    constexpr int V = W * 8 / sizeof(REAL);                                                   \
    const REAL *u = static_cast<const REAL *>(a.sweep.u);                                     \
    [[maybe_unused]] const strip_scaled by = {a.e, (REAL)(a.scale * quotient_of(a.by))};                            \
    cells_beside beside = {static_cast<REAL *>(a.corrected), {}};                             \
    if constexpr (cells_##op == cells_measure)                                                \
      cells_sweep<V, R, points, cells_##op, AHEAD>(a.sweep, strip_array{u}, beside);          \
    else if (u)                                                                               \
      cells_sweep<V, R, points, cells_##op, AHEAD>(a.sweep, strip_corrected{u, by}, beside);  \
    else                                                                                      \
      cells_sweep<V, R, points, cells_##op, AHEAD>(a.sweep, by, beside);                      \
    correct_put(a, beside.sums);                                                              \
  }

CELLS_CORRECT(measure, 7, 2, 2, 0, 128, cells_blocks)
CELLS_CORRECT(measure, 27, 1, cells_rows, 1, 128, 3)
#define CELLS_WIDE_f64 1
#if LAUNCH_JOIN(CELLS_WIDE, TYPE)
CELLS_CORRECT(correct, 7, 2, 2, 0, 128, 3)
CELLS_CORRECT(correct, 27, 1, 3, 1, 128, 3)
#endif

/* Energy: reads x and K, 2 words a node. */
#define CELLS_ENERGY(points, W, R, AHEAD, threads, blocks)                                    \
  KERNEL_BOUNDS(strip_cells_energy_##points, cv_correct_args, threads, blocks) {              \
    const strip_array x = {static_cast<const REAL *>(a.sweep.u)};                             \
    cells_beside beside = {};                                                                 \
    cells_sweep<W * 8 / sizeof(REAL), R, points, cells_energy, AHEAD>(a.sweep, x, beside);    \
    put_sum(a.partial, beside.sums[0]);                                                       \
  }

CELLS_ENERGY(7, 2, 2, 0, 128, 4)
CELLS_ENERGY(27, 1, 4, 1, 128, 3)
