/* Kernels on grids of even widths and constant K, with 7 and with 27 points, on strips (strip.cuh). Every node gets

     out = own + balance (s + mass u) + source f,

   s the sum of weights times differences: A u, -A u or -omega/D A u without mass at an inner node. own is u in sweeps and nothing else. Where a solution
   is corrected, u is what the correction makes of it. */
#ifndef CONVECT_STRIP_SWEEP_CUH
#define CONVECT_STRIP_SWEEP_CUH

#include "../vector/reduce.cuh"
#include "strip.cuh"

/* Ways to march and to write, which pay in some kernels:
   pairs  lanes write in pairs, rows of two vectors and nothing else;
   tails  the end of a row that fills a part of 32 bytes is asked for before it is written, so that the cache need not fetch the rest of them when they leave. */
enum { strip_pairs = 1, strip_tails = 2 };

/* strip_single is strip_residual rounded to float. */
enum { strip_apply, strip_residual, strip_single, strip_smooth, strip_measure, strip_correct };

/* Weights of second differences in x, y and z, with 27 points of what strip_plane makes of them. */
struct strip_operator {
  REAL x, y, z, mass;
  REAL own_beside;               /* within the plane x, y and this */
  REAL far_x, far_beside, far_y; /* from a plane beside */
};

DEVICE strip_operator strip_operator_of(const cv_even_sweep_args &a) {
  strip_operator o;
  o.x = a.x.TYPE, o.y = a.y.TYPE, o.z = a.z.TYPE, o.mass = a.mass.TYPE;
  o.own_beside = a.own_beside.TYPE;
  o.far_x = a.far_x.TYPE, o.far_beside = a.far_beside.TYPE, o.far_y = a.far_y.TYPE;
  return o;
}

/* What the thread carries from plane to plane of a row: u and u less that of the plane before, what its plane and the one before give to s, and with
   27 points what its plane gives to the next. */
template <int V> struct strip_state {
  REAL u[V], rise[V], sum[V], far[V];
};

/* The differences of a plane within itself. rows: the thread's, one before and one after. */
template <int V, int R, int POINTS, int LEFT>
DEVICE void strip_plane(REAL (&own)[R][V], REAL (&far)[R][V], strip_row<V> (&rows)[R + 2], const strip_operator &o, const strip_place &p) {
  REAL dx[R + 2][V], step[V];
#pragma unroll
  for (int r = POINTS == 27 ? 0 : 1; r < (POINTS == 27 ? R + 2 : R + 1); r++) {
    strip_sides<V, LEFT>(rows[r], p);
    strip_bend<V>(dx[r], rows[r]);
  }
#pragma unroll
  for (int m = 0; m < V; m++)
    step[m] = rows[1].v[m + 1] - rows[0].v[m + 1];
#pragma unroll
  for (int r = 0; r < R; r++)
#pragma unroll
    for (int m = 0; m < V; m++) {
      const REAL next = rows[r + 2].v[m + 1] - rows[r + 1].v[m + 1], dy = next - step[m];
      step[m] = next;
      own[r][m] = fma(o.x, dx[r + 1][m], o.y * dy);
      if (POINTS == 27) {
        const REAL beside = dx[r][m] + dx[r + 2][m];
        own[r][m] = fma(o.own_beside, beside, own[r][m]);
        far[r][m] = fma(o.far_beside, beside, fma(o.far_x, dx[r + 1][m], o.far_y * dy));
      }
    }
}

/* Where u comes from: an array, the scaled and shifted correction of float, or an array and that correction added to it; `at` counts elements from node (0,0,0). */
struct strip_array {
  const REAL *u;
};
struct strip_scaled {
  const float *e;
  REAL scale, shift;
};
struct strip_corrected {
  const REAL *u;
  strip_scaled by;
};

/* Its correction in V nodes. */
template <int V> struct alignas(V * sizeof(float) < 16 ? V * sizeof(float) : 16) strip_pack {
  float v[V];
};
template <int V> DEVICE strip_pack<V> strip_correction(const float *e) { return *reinterpret_cast<const strip_pack<V> *>(e); }

/* A row. */
template <int V> DEVICE void strip_load(strip_row<V> &r, const strip_array &from, int64_t at) { strip_load<V>(r, from.u + at); }
template <int V> DEVICE void strip_load(strip_row<V> &r, const strip_scaled &from, int64_t at) {
  const strip_pack<V> e = strip_correction<V>(from.e + at);
#pragma unroll
  for (int m = 0; m < V; m++)
    r.v[m + 1] = fma(from.scale, (REAL)e.v[m], from.shift);
}
template <int V> DEVICE void strip_load(strip_row<V> &r, const strip_corrected &from, int64_t at) {
  strip_load<V>(r, from.u + at);
  const strip_pack<V> e = strip_correction<V>(from.by.e + at);
#pragma unroll
  for (int m = 0; m < V; m++)
    r.v[m + 1] = fma(from.by.scale, (REAL)e.v[m], r.v[m + 1] + from.by.shift);
}

/* Its neighbours, where they must be read. */
template <int V> DEVICE void strip_load_sides(strip_row<V> &r, const strip_array &from, int64_t at, const strip_place &p) {
  strip_load_sides<V>(r, from.u + at, p);
}
template <int V> DEVICE void strip_load_sides(strip_row<V> &r, const strip_scaled &from, int64_t at, const strip_place &p) {
  r.v[0] = p.load_low ? fma(from.scale, (REAL)from.e[at - 1], from.shift) : 0;
  r.v[V + 1] = p.load_high ? fma(from.scale, (REAL)from.e[at + V], from.shift) : 0;
}
template <int V> DEVICE void strip_load_sides(strip_row<V> &r, const strip_corrected &from, int64_t at, const strip_place &p) {
  strip_load_sides<V>(r, from.u + at, p);
  if (p.load_low)
    r.v[0] = fma(from.by.scale, (REAL)from.by.e[at - 1], r.v[0] + from.by.shift);
  if (p.load_high)
    r.v[V + 1] = fma(from.by.scale, (REAL)from.by.e[at + V], r.v[V + 1] + from.by.shift);
}

/* Asks for a row ahead. */
template <int V> DEVICE void strip_ahead(const strip_array &from, int64_t at) { strip_prefetch<V>(from.u + at); }
template <int V> DEVICE void strip_ahead(const strip_scaled &from, int64_t at) { strip_prefetch<V>(from.e + at); }
template <int V> DEVICE void strip_ahead(const strip_corrected &from, int64_t at) { strip_prefetch<V>(from.u + at); }

/* The next direction of conjugate gradients: an array and a part of another. */
struct strip_conjugate {
  const REAL *u, *p;
  REAL scale;
};

template <int V> DEVICE void strip_load(strip_row<V> &r, const strip_conjugate &from, int64_t at) {
  REAL p[V];
  strip_load<V>(r, from.u + at);
  strip_get<V>(p, from.p + at);
#pragma unroll
  for (int m = 0; m < V; m++)
    r.v[m + 1] = fma(from.scale, p[m], r.v[m + 1]);
}

template <int V> DEVICE void strip_load_sides(strip_row<V> &r, const strip_conjugate &from, int64_t at, const strip_place &p) {
  r.v[0] = p.load_low ? fma(from.scale, from.p[at - 1], from.u[at - 1]) : (REAL)0;
  r.v[V + 1] = p.load_high ? fma(from.scale, from.p[at + V], from.u[at + V]) : (REAL)0;
}

template <int V> DEVICE void strip_ahead(const strip_conjugate &from, int64_t at) { strip_prefetch<V>(from.u + at), strip_prefetch<V>(from.p + at); }

/* The rows of a plane of which the thread's begin at `at`. */
template <int V, int R, int POINTS, typename From>
DEVICE void strip_load_plane(strip_row<V> (&rows)[R + 2], const From &from, int64_t plane, const int (&at)[R + 2], const strip_place &p) {
#pragma unroll
  for (int r = 0; r < R + 2; r++)
    strip_load<V>(rows[r], from, plane + at[r]);
#pragma unroll
  for (int r = POINTS == 27 ? 0 : 1; r < (POINTS == 27 ? R + 2 : R + 1); r++)
    strip_load_sides<V>(rows[r], from, plane + at[r], p);
}

template <int OP> struct strip_result {
  using type = REAL;
};
template <> struct strip_result<strip_single> {
  using type = float;
};
template <> struct strip_result<strip_measure> {
  using type = float;
};
template <> struct strip_result<strip_correct> {
  using type = float;
};

/* Partial results of Correct: the five sums of a block, one kind after the other; u and its square are times volumes over that of an inner node. */
DEVICE void correct_put(const cv_correct_args &a, const double (&of)[5]) {
  __shared__ double room[5][32];
  const double sums[5] = {of[0], a.volume * of[1], a.volume * of[2], of[3], of[4]};
  put_all<5, 0>(a.partial, sums, room);
}

/* Sums over the free nodes of a thread: the squares of residuals; u and its square times the volumes of nodes over that of an inner one; f and its square. */
struct strip_sums {
  double residual, u, square, f, source;
};

/* Reads u (and f) and writes out: 2 (3) words a node. Measuring, it makes the sums, and writes residuals in double only, rounded to float; correcting, it
   writes u too. WAYS: those of above. */
template <int V, int R, int POINTS, int OP, int LEFT, int AHEAD, int WAYS, typename From>
DEVICE strip_sums strip_sweep(const cv_even_sweep_args &a, const From &u, [[maybe_unused]] REAL *corrected) {
  using result = typename strip_result<OP>::type;
  constexpr bool measures = OP == strip_measure || OP == strip_correct, writes = OP != strip_measure || sizeof(REAL) == 8;
  static_assert(!(WAYS & strip_tails) || OP == strip_apply);
  strip_sums sums = {};
  const strip_place p = strip_place_of<V, R>(a);
  const strip_operator o = strip_operator_of(a);
  const int ny = (int)a.box.n[1], nz = (int)a.box.n[2], sy = (int)a.box.sy;
  const int64_t sz = a.box.sz;
  int k0, k1;
  strip_planes(a, k0, k1);
  const bool below_open = a.open[4], above_open = a.open[5];
  const REAL *f = static_cast<const REAL *>(a.f);
  result *out = static_cast<result *>(a.out);

  int at[R + 2];
  strip_factors rows_of[R], ends_of[V];
#pragma unroll
  for (int r = 0; r < R + 2; r++)
    at[r] = strip_index(p.j + r - 1, ny, a.open[2], a.open[3]) * sy + p.x;
#pragma unroll
  for (int r = 0; r < R; r++)
    rows_of[r] = strip_factors_at(a, 1, p.j + r);
#pragma unroll
  for (int m = 0; m < V; m++)
    ends_of[m] = strip_factors_at(a, 0, p.x + m);

  strip_pair pair = {};
  if (WAYS & strip_pairs)
    pair = strip_pair_of<V, R>(p, sy, ny);
  strip_state<V> state[R];
  {
    strip_row<V> rows[R + 2], low[R + 2];
    REAL own[R][V], far[R][V];
    const int64_t plane = strip_index(k0 - 1, nz, below_open, above_open) * sz;
    REAL far_below[R][V];
    if (POINTS == 27) {
      strip_load_plane<V, R, POINTS>(low, u, plane, at, p);
      strip_plane<V, R, POINTS, LEFT>(own, far_below, low, o, p);
    } else {
#pragma unroll
      for (int r = 0; r < R; r++)
        strip_load<V>(low[r + 1], u, plane + at[r + 1]);
    }
    strip_load_plane<V, R, POINTS>(rows, u, k0 * sz, at, p);
    strip_plane<V, R, POINTS, LEFT>(own, far, rows, o, p);
#pragma unroll
    for (int r = 0; r < R; r++)
#pragma unroll
      for (int m = 0; m < V; m++) {
        state[r].u[m] = rows[r + 1].v[m + 1];
        state[r].rise[m] = rows[r + 1].v[m + 1] - low[r + 1].v[m + 1];
        state[r].sum[m] = POINTS == 27 ? own[r][m] + far_below[r][m] : own[r][m];
        state[r].far[m] = POINTS == 27 ? far[r][m] : (REAL)0;
      }
  }

  for (int k = k0; k < k1; k++) {
    strip_row<V> rows[R + 2];
    REAL source[R][V];
    if ((WAYS & strip_tails) && LEFT != strip_whole && p.nodes > 0 && p.nodes < V)
#pragma unroll
      for (int r = 0; r < R; r++)
        strip_prefetch<1>(out + k * sz + at[r + 1]);
    strip_load_plane<V, R, POINTS>(rows, u, strip_index(k + 1, nz, below_open, above_open) * sz, at, p);
    if (OP != strip_apply) {
      const REAL *plane = f + k * sz;
#pragma unroll
      for (int r = 0; r < R; r++)
        strip_get<V>(source[r], plane + at[r + 1]);
    }
    if (AHEAD > 0 && k + 1 + AHEAD <= k1) {
      const int64_t plane = strip_index(k + 1 + AHEAD, nz, below_open, above_open) * sz;
#pragma unroll
      for (int r = 0; r < R; r++)
        strip_ahead<V>(u, plane + at[r + 1]);
    }
    if (AHEAD > 0 && OP != strip_apply && k + AHEAD < k1) {
      const REAL *plane = f + (k + AHEAD) * sz;
#pragma unroll
      for (int r = 0; r < R; r++)
        strip_prefetch<V>(plane + at[r + 1]);
    }
    REAL own[R][V], far[R][V];
    strip_plane<V, R, POINTS, LEFT>(own, far, rows, o, p);
    strip_factors plane_of = strip_factors_at(a, 2, k);
    plane_of.source *= a.source_scale.TYPE;
    [[maybe_unused]] const strip_stays stays = strip_stays_of(a, p, k);
    result *plane = out + k * sz;
#pragma unroll
    for (int r = 0; r < R; r++) {
      const strip_factors row = {plane_of.balance * rows_of[r].balance, plane_of.source * rows_of[r].source};
      result value[V];
      REAL now[V];
#pragma unroll
      for (int m = 0; m < V; m++) {
        strip_state<V> &s = state[r];
        const REAL rise = rows[r + 1].v[m + 1] - s.u[m];
        REAL sum = POINTS == 27 ? s.sum[m] + far[r][m] : s.sum[m];
        sum = fma(o.mass, s.u[m], fma(o.z, rise - s.rise[m], sum));
        const REAL of_sum = strip_ends<V, LEFT>(m) ? row.balance * ends_of[m].balance : row.balance;
        REAL v = OP == strip_smooth ? s.u[m] : (REAL)0;
        if (OP == strip_apply) {
          v = of_sum * sum;
        } else {
          const REAL of_source = strip_ends<V, LEFT>(m) ? row.source * ends_of[m].source : row.source;
          v = fma(of_sum, sum, OP == strip_smooth ? fma(of_source, source[r][m], s.u[m]) : of_source * source[r][m]);
        }
        if (OP == strip_smooth)
          v = ((m + r) & 1 ? stays.odd : stays.even) ? s.u[m] : v;
        value[m] = (result)v;
        now[m] = s.u[m];
        /* With 27 points all rows count, whose registers are few. */
        if (measures && m < p.nodes && (POINTS == 27 ? p.j + r < ny : counts_row(a.box, p.j + r))) {
          const double x = s.u[m], part = x * of_sum;
          sums.residual = fma((double)value[m], (double)value[m], sums.residual);
          sums.u += part;
          sums.square = fma(x, part, sums.square);
          const double y = of_sum != 0 ? (double)source[r][m] : 0;
          sums.f += y;
          sums.source = fma(y, y, sums.source);
        }
        s.sum[m] = POINTS == 27 ? s.far[m] + own[r][m] : own[r][m];
        s.far[m] = far[r][m];
        s.u[m] = rows[r + 1].v[m + 1], s.rise[m] = rise;
      }
      if constexpr ((WAYS & strip_pairs) != 0) {
        strip_put_pair<V, LEFT>(plane + at[r + 1], value, p.j + r < ny ? p.nodes : 0, pair, r);
      } else if (p.j + r < ny) {
        if (writes)
          strip_put<V, LEFT>(plane + at[r + 1], value, p.nodes);
        if (OP == strip_correct)
          strip_put<V, LEFT>(corrected + k * sz + at[r + 1], now, p.nodes);
      }
    }
  }
  return sums;
}

#endif
