/* What sweeps of stencil_cells_even.cu share: threads, masses, sums, and what is written. */
#ifndef CONVECT_STRIP_CELLS_CUH
#define CONVECT_STRIP_CELLS_CUH

#include "../march/strip_sweep.cuh"

/* cells_single is cells_residual rounded to float; cells_measure and cells_correct are it with the sums of Correct, and cells_energy and cells_conjugate are
   cells_apply with that of Energy, which write nothing but, the latter, u. cells_conserve is cells_residual of ConserveMeasured. */
enum { cells_apply, cells_residual, cells_single, cells_smooth, cells_measure, cells_correct, cells_energy, cells_conjugate, cells_conserve };

/* Whether a sweep is that of an energy, whether it is a kind of apply, and whether it makes sums. */
DEVICE constexpr bool cells_energies(int op) { return op == cells_energy || op == cells_conjugate; }
DEVICE constexpr bool cells_applies(int op) { return op == cells_apply || cells_energies(op); }
DEVICE constexpr bool cells_sums(int op) { return op >= cells_measure; }

/* Beside the arguments of a sweep: where another u than the one that was read goes, the sums of a thread, and what cells_conserve has more. */
struct cells_beside {
  REAL *u;
  double sums[5];
  const cv_conserve_strips_args *conserve;
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
  if (cells_energies(OP)) {
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

/* Writes what the nodes of row r of a thread in plane k become by their increments u and what those leave, and that at fixed nodes. */
template <int V, int R>
DEVICE void cells_conserve_row(const cells_thread<V, R> &t, int r, int k, int64_t at, const REAL (&left)[V], const REAL (&own)[V], cells_beside &beside) {
  const cv_conserve_strips_args &c = *beside.conserve;
  const cv_even_sweep_args &a = c.sweep;
  const int j = t.p.j + r;
  const bool fixed_row = (c.fixed[2] && j == 0) || (c.fixed[3] && j == (int)a.box.n[1] - 1) || (c.fixed[4] && k == 0) || (c.fixed[5] && k == (int)a.box.n[2] - 1);
  const REAL row = strip_factors_at(a, 2, k).balance * strip_factors_at(a, 1, j).balance;
  REAL y[V];
  strip_get<V>(y, AXIS(c.x) + at);
#pragma unroll
  for (int m = 0; m < V; m++) {
    const int x = t.p.x + m;
    const bool within = m < t.p.nodes, fixed = fixed_row || (c.fixed[0] && x == 0) || (c.fixed[1] && x == (int)a.box.n[0] - 1);
    const REAL over = c.per_mass.TYPE * strip_reciprocal(row * strip_factors_at(a, 0, x).balance);
    y[m] = fixed ? y[m] + own[m] : y[m] + fma(left[m], over, own[m]);
    if (fixed && within)
      static_cast<REAL *>(c.r)[at + m] = left[m];
    const double v = fixed || !within || !counts_row(a.box, j) ? (REAL)0 : left[m];
    beside.sums[0] = fma(v, v, beside.sums[0]);
  }
  strip_put<V, strip_any>(static_cast<REAL *>(c.out) + at, y, t.p.nodes);
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
  if constexpr (OP == cells_conserve) {
    if (t.p.nodes > 0)
      cells_conserve_row<V, R>(t, r, k, at, value, own, beside);
    return;
  }
  if constexpr (cells_sums(OP))
    cells_add_row<V, R, OP>(a, t, r, k, row, value, own, source, beside);
  if constexpr (OP == cells_correct || OP == cells_conjugate)
    strip_put<V, strip_any>(beside.u + at, own, t.p.nodes);
  if constexpr (cells_energies(OP) || (OP == cells_measure && sizeof(REAL) == 4))
    return;
  if constexpr (OP == cells_single || OP == cells_measure || OP == cells_correct)
    strip_put_rounded<V, strip_any>(static_cast<float *>(a.out) + at, value, t.p.nodes);
  else
    strip_put<V, strip_any>(static_cast<REAL *>(a.out) + at, value, t.p.nodes);
}

#endif
