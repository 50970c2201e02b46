/* The 7-point operator on strips (strip.cuh) on any grid: K constant, one a cell or three, widths of cells that differ along every axis, masses of nodes and
   masks of any nodes. Cells beyond walls have K = 0, or a reciprocal width of 0, so that nothing is mirrored.

   A face conducts the sum over the cells around it, at most four, of K times a quarter of the widths across over the width along. A thread sums a layer of cells, between two planes
   of nodes, into what it gives to the faces along x and along y, and into whole faces along z, and keeps the first two for the plane above. */
#ifndef CONVECT_SWEEP_SEVEN_CUH
#define CONVECT_SWEEP_SEVEN_CUH

#include "../march/strip_sweep.cuh"
#include "column.cuh"

/* What sweeps make: A u, F - A u, that times a scale rounded to float, sweeps of all nodes, of one colour and from zero, and sums: x A x, that of a direction which is written
   too, and those of Correct, of u as it is and of one that is corrected and written. */
enum { sweep_apply, sweep_residual, sweep_single, sweep_smooth, sweep_colour, sweep_zero, sweep_energy, sweep_conjugate, sweep_measure, sweep_correct };

/* Whether a sweep sums up x A x, or makes what Correct does. */
DEVICE constexpr bool sweep_energies(int op) { return op == sweep_energy || op == sweep_conjugate; }
DEVICE constexpr bool sweep_measures(int op) { return op == sweep_measure || op == sweep_correct; }

/* Whether a sweep reads u, and F, and needs the diagonal. */
DEVICE constexpr bool sweep_reads(int op) { return op != sweep_zero; }
DEVICE constexpr bool sweep_sourced(int op) { return op != sweep_apply && !sweep_energies(op); }
DEVICE constexpr bool sweep_smooths(int op) { return op == sweep_smooth || op == sweep_colour || op == sweep_zero; }

/* A thread's nodes, and the widths of the cells around them, [0] before the first node, with their reciprocals. */
template <int V, int R> struct sweep_thread {
  strip_place p;
  int at, k0, k1; /* its first node in a plane, and its planes */
  REAL hx[V + 1], rx[V + 1], hy[R + 1], ry[R + 1];
};

/* An index between -1 and the last node, along an axis of n: widths of other cells are those of nothing that is stored. */
DEVICE int sweep_within(int i, int n) { return i < n ? i : n - 1; }

/* Of thread q of a plane, where BEFORE vectors of a group of rows lie before its first node, within the halo. */
template <int V, int R, int BEFORE> DEVICE sweep_thread<V, R> sweep_thread_at(const cv_elliptic &a, int q) {
  const int n = (int)a.box.n[0], ny = (int)a.box.n[1], nz = (int)a.box.n[2], vectors = (n + V - 1) / V + BEFORE, groups = (ny + R - 1) / R;
  const int lane = (int)threadIdx.x & 31, counted = q / vectors, group = counted < groups ? counted : groups - 1, vector = q - counted * vectors - BEFORE;
  static_assert(BEFORE * V < 3);
  sweep_thread<V, R> t;
  t.p.x = vector * V, t.p.j = group * R;
  t.p.nodes = counted >= groups || vector < 0 ? 0 : t.p.x + V <= n ? V : n - t.p.x;
  t.p.first = t.p.x == 0, t.p.last = t.p.x + V >= n;
  t.p.load_low = lane == 0 || t.p.first, t.p.load_high = lane == 31 || t.p.last;
  t.at = t.p.j * (int)a.box.sy + t.p.x;
  t.k0 = (int)((int64_t)blockIdx.y * nz / gridDim.y), t.k1 = (int)(((int64_t)blockIdx.y + 1) * nz / gridDim.y);
#pragma unroll
  for (int m = 0; m <= V; m++) {
    t.hx[m] = AXIS(a.h[0])[sweep_within(t.p.x + m - 1, n)];
    t.rx[m] = AXIS(a.rh[0])[sweep_within(t.p.x + m - 1, n)];
  }
#pragma unroll
  for (int r = 0; r <= R; r++) {
    t.hy[r] = AXIS(a.h[1])[sweep_within(t.p.j + r - 1, ny)];
    t.ry[r] = AXIS(a.rh[1])[sweep_within(t.p.j + r - 1, ny)];
  }
  return t;
}

template <int V, int R> DEVICE sweep_thread<V, R> sweep_thread_of(const cv_elliptic &a) { return sweep_thread_at<V, R, 0>(a, (int)(blockIdx.x * blockDim.x + threadIdx.x)); }

/* What a layer of cells gives to the faces along x and along y: [.][0] and [0][.] are those before the first node. */
template <int V, int R> struct sweep_layer {
  REAL x[R][V + 1], y[R + 1][V];
};

/* The layer above plane k, `at` being the thread's first node of that plane. z: its faces along z. */
template <int V, int R, int KIND>
DEVICE void sweep_layer_of(sweep_layer<V, R> &l, REAL (&z)[R][V], const cv_elliptic &a, const sweep_thread<V, R> &t, int64_t at, int k) {
  const int sy = (int)a.box.sy;
  const REAL high = (REAL)0.25 * AXIS(a.h[2])[k], over = (REAL)0.25 * AXIS(a.rh[2])[k];
  REAL c[R + 1][V + 1];
  strip_cells<V, R>(c, AXIS(a.cells[0]) + at, sy, t.p.load_low);
#pragma unroll
  for (int r = 0; r < R; r++)
#pragma unroll
    for (int m = 0; m <= V; m++)
      l.x[r][m] = fma(high * t.hy[r], c[r][m], high * t.hy[r + 1] * c[r + 1][m]);
  if (KIND == k_three)
    strip_cells<V, R>(c, AXIS(a.cells[1]) + at, sy, t.p.load_low);
  REAL across[R + 1][V]; /* of the cells before and after a node */
#pragma unroll
  for (int r = 0; r <= R; r++)
#pragma unroll
    for (int m = 0; m < V; m++) {
      across[r][m] = fma(t.hx[m], c[r][m], t.hx[m + 1] * c[r][m + 1]);
      l.y[r][m] = high * across[r][m];
    }
  if (KIND == k_three) {
    strip_cells<V, R>(c, AXIS(a.cells[2]) + at, sy, t.p.load_low);
#pragma unroll
    for (int r = 0; r <= R; r++)
#pragma unroll
      for (int m = 0; m < V; m++)
        across[r][m] = fma(t.hx[m], c[r][m], t.hx[m + 1] * c[r][m + 1]);
  }
#pragma unroll
  for (int r = 0; r < R; r++)
#pragma unroll
    for (int m = 0; m < V; m++)
      z[r][m] = fma(over * t.hy[r], across[r][m], over * t.hy[r + 1] * across[r + 1][m]);
}

/* Conductances of the faces around the nodes of a plane, and what is needed for those of the next. */
template <int V, int R, int KIND> struct sweep_faces {
  sweep_layer<V, R> low, both; /* of the layer below, and of both */
  REAL up[R][V];               /* along z */
};
template <int V, int R> struct sweep_faces<V, R, k_constant> {
  sweep_layer<V, R> both;
  REAL up[R][V];
  REAL wx[V], wy[R]; /* widths of nodes */
};

/* The layer above plane k below a thread's first plane, and the faces along z through it. */
template <int V, int R, int KIND>
DEVICE void sweep_faces_begin(sweep_faces<V, R, KIND> &f, const cv_elliptic &a, const sweep_thread<V, R> &t, int64_t at, int k) {
  sweep_layer_of<V, R, KIND>(f.low, f.up, a, t, at, k);
}

/* The faces around the nodes of plane k. */
template <int V, int R, int KIND>
DEVICE void sweep_faces_next(sweep_faces<V, R, KIND> &f, const cv_elliptic &a, const sweep_thread<V, R> &t, int64_t at, int k) {
  sweep_layer<V, R> high;
  sweep_layer_of<V, R, KIND>(high, f.up, a, t, at, k);
#pragma unroll
  for (int r = 0; r < R; r++)
#pragma unroll
    for (int m = 0; m <= V; m++)
      f.both.x[r][m] = t.rx[m] * (f.low.x[r][m] + high.x[r][m]);
#pragma unroll
  for (int r = 0; r <= R; r++)
#pragma unroll
    for (int m = 0; m < V; m++)
      f.both.y[r][m] = t.ry[r] * (f.low.y[r][m] + high.y[r][m]);
  f.low = high;
}

/* Constant K: products of widths. */
template <int V, int R> DEVICE void sweep_faces_up(sweep_faces<V, R, k_constant> &f, const cv_elliptic &a, int k) {
  const REAL z = (REAL)a.k[2] * AXIS(a.rh[2])[k];
#pragma unroll
  for (int r = 0; r < R; r++)
#pragma unroll
    for (int m = 0; m < V; m++)
      f.up[r][m] = z * f.wy[r] * f.wx[m];
}

template <int V, int R> DEVICE void sweep_faces_begin(sweep_faces<V, R, k_constant> &f, const cv_elliptic &a, const sweep_thread<V, R> &t, int64_t, int k) {
#pragma unroll
  for (int m = 0; m < V; m++)
    f.wx[m] = AXIS(a.w[0])[sweep_within(t.p.x + m, (int)a.box.n[0])];
#pragma unroll
  for (int r = 0; r < R; r++)
    f.wy[r] = AXIS(a.w[1])[sweep_within(t.p.j + r, (int)a.box.n[1])];
  sweep_faces_up<V, R>(f, a, k);
}

template <int V, int R> DEVICE void sweep_faces_next(sweep_faces<V, R, k_constant> &f, const cv_elliptic &a, const sweep_thread<V, R> &t, int64_t, int k) {
  const REAL wz = AXIS(a.w[2])[k], x = (REAL)a.k[0] * wz, y = (REAL)a.k[1] * wz;
#pragma unroll
  for (int r = 0; r < R; r++)
#pragma unroll
    for (int m = 0; m <= V; m++)
      f.both.x[r][m] = x * f.wy[r] * t.rx[m];
#pragma unroll
  for (int r = 0; r <= R; r++)
#pragma unroll
    for (int m = 0; m < V; m++)
      f.both.y[r][m] = y * t.ry[r] * f.wx[m];
  sweep_faces_up<V, R>(f, a, k);
}

/* Factors of the nodes of row r in plane k: 0 at fixed ones, and their masses. */
template <int V, int R> DEVICE void sweep_free(REAL (&free)[V], const cv_elliptic &a, const sweep_thread<V, R> &t, int r, int k) {
  const int64_t row = sweep_within(t.p.j + r, (int)a.box.n[1]) + k * a.box.n[1];
  const int entry = a.mask.index ? a.mask.index[row] : 0;
#pragma unroll
  for (int m = 0; m < V; m++)
    free[m] = (REAL)(1 - entry);
  if (entry > 1)
#pragma unroll
    for (int m = 0; m < V; m++)
      free[m] = AXIS(a.mask.table)[entry * a.mask.stride + sweep_within(t.p.x + m, (int)a.box.n[0])];
}

template <int V, int R> DEVICE void sweep_mass(REAL (&mass)[V], const cv_elliptic &a, const sweep_thread<V, R> &t, int r, int k) {
#pragma unroll
  for (int m = 0; m < V; m++)
    mass[m] = 0;
  if (a.mass_scale == 0)
    return;
  if (a.mass) {
    strip_get<V>(mass, AXIS(a.mass) + t.at + r * (int)a.box.sy + k * a.box.sz);
#pragma unroll
    for (int m = 0; m < V; m++)
      mass[m] *= (REAL)a.mass_scale;
    return;
  }
  const REAL row = (REAL)a.mass_scale * (AXIS(a.w[1])[sweep_within(t.p.j + r, (int)a.box.n[1])] * AXIS(a.w[2])[k]);
#pragma unroll
  for (int m = 0; m < V; m++)
    mass[m] = row * AXIS(a.w[0])[sweep_within(t.p.x + m, (int)a.box.n[0])];
}

/* What a sweep makes besides: where u goes that is written, and the sums of a thread. */
struct sweep_beside {
  REAL *u;
  double sums[5];
};

/* Adds a node to the sums of Correct: what is left there, its value, its source, and its volume; all are 0 where it is fixed. */
DEVICE void sweep_add(double (&sums)[5], float left, REAL u, REAL f, REAL volume) {
  const double v = left, part = (double)volume * u;
  sums[0] = fma(v, v, sums[0]);
  sums[1] += part, sums[2] = fma((double)u, part, sums[2]);
  sums[3] += f, sums[4] = fma((double)f, (double)f, sums[4]);
}

/* The same for row r of plane k. */
template <int V, int R>
DEVICE void sweep_add_row(double (&sums)[5], const cv_elliptic &a, const sweep_thread<V, R> &t, int r, int k, const REAL (&free)[V], const float (&left)[V], const REAL (&u)[V],
                          const REAL (&f)[V]) {
  if (!counts_row(a.box, t.p.j + r))
    return;
  const REAL row = AXIS(a.w[1])[sweep_within(t.p.j + r, (int)a.box.n[1])] * AXIS(a.w[2])[k];
#pragma unroll
  for (int m = 0; m < V; m++)
    if (m < t.p.nodes)
      sweep_add(sums, left[m], u[m], free[m] * f[m], free[m] * (row * AXIS(a.w[0])[sweep_within(t.p.x + m, (int)a.box.n[0])]));
}

/* Row r of plane k: what a sweep writes, and adds to its sums. `flow` is -A u without mass. */
template <int V, int R, int OP>
DEVICE void sweep_store(const cv_sweep_args &s, const sweep_thread<V, R> &t, int r, int k, const REAL (&u)[V], const REAL (&flow)[V], const REAL (&diagonal)[V],
                        const REAL (&f)[V], sweep_beside &beside) {
  const cv_elliptic &a = s.a;
  const int64_t at = t.at + r * (int)a.box.sy + k * a.box.sz;
  REAL mass[V], value[V], free[V];
  sweep_mass<V, R>(mass, a, t, r, k);
  if constexpr (sweep_energies(OP)) {
#pragma unroll
    for (int m = 0; m < V; m++)
      if (m < t.p.nodes && counts_row(a.box, t.p.j + r))
        beside.sums[0] = fma((double)u[m], (double)fma(mass[m], u[m], -flow[m]), beside.sums[0]);
  } else {
    sweep_free<V, R>(free, a, t, r, k);
#pragma unroll
    for (int m = 0; m < V; m++) {
      const REAL rest = f[m] + fma(-mass[m], u[m], flow[m]);
      if (OP == sweep_apply)
        value[m] = free[m] * fma(mass[m], u[m], -flow[m]);
      else if (!sweep_smooths(OP))
        value[m] = free[m] * rest;
      else
        value[m] = fma((REAL)s.omega * free[m] * strip_reciprocal(diagonal[m] + mass[m]), rest, u[m]);
      if (OP == sweep_single || sweep_measures(OP))
        value[m] *= (REAL)s.scale;
      if (OP == sweep_colour)
        value[m] = ((t.p.x + m + t.p.j + r + k) & 1) == (int)s.colour ? value[m] : u[m];
    }
  }
  if (t.p.j + r >= (int)a.box.n[1])
    return;
  if constexpr (OP == sweep_correct || OP == sweep_conjugate)
    strip_put<V, strip_any>(beside.u + at, u, t.p.nodes);
  if constexpr (sweep_measures(OP)) {
    float left[V];
#pragma unroll
    for (int m = 0; m < V; m++)
      left[m] = (float)value[m];
    sweep_add_row<V, R>(beside.sums, a, t, r, k, free, left, u, f);
    if (sizeof(REAL) == 8)
      strip_put<V, strip_any>(static_cast<float *>(s.out) + at, left, t.p.nodes);
  } else if constexpr (OP == sweep_single) {
    strip_put_rounded<V, strip_any>(static_cast<float *>(s.out) + at, value, t.p.nodes);
  } else if constexpr (!sweep_energies(OP)) {
    strip_put<V, strip_any>(static_cast<REAL *>(s.out) + at, value, t.p.nodes);
  }
}

/* u of a thread's rows in a plane, and of those before and after them. */
template <int V, int R, typename From>
DEVICE void sweep_load(strip_row<V> (&rows)[R], const From &from, int64_t at, int sy, const strip_place &p) {
#pragma unroll
  for (int r = 0; r < R; r++) {
    strip_load<V>(rows[r], from, at + r * sy);
    strip_load_sides<V>(rows[r], from, at + r * sy, p);
  }
}

/* Reads u, K (and f) and writes out: 3 (4) words a node with one K a cell, and two more with three. */
template <int V, int R, int KIND, int OP, typename From> DEVICE void sweep_seven(const cv_sweep_args &s, const From &from, sweep_beside &beside) {
  const cv_elliptic &a = s.a;
  const int sy = (int)a.box.sy;
  const int64_t sz = a.box.sz;
  const sweep_thread<V, R> t = sweep_thread_of<V, R>(a);
  sweep_faces<V, R, KIND> faces;
  strip_row<V> own[R] = {}, next[R] = {};
  REAL in_z[R][V] = {}, below[R][V] = {}; /* flux from the plane below, and what it goes through */
  sweep_faces_begin(faces, a, t, t.at + (t.k0 - 1) * sz, t.k0 - 1);
  if (sweep_reads(OP))
    sweep_load<V, R>(own, from, t.at + t.k0 * sz, sy, t.p);
#pragma unroll
  for (int r = 0; r < R; r++) {
    strip_row<V> before = {};
    if (sweep_reads(OP))
      strip_load<V>(before, from, t.at + (t.k0 - 1) * sz + r * sy);
#pragma unroll
    for (int m = 0; m < V; m++) {
      below[r][m] = faces.up[r][m];
      in_z[r][m] = below[r][m] * (own[r].v[m + 1] - before.v[m + 1]);
    }
  }
  for (int k = t.k0; k < t.k1; k++) {
    const int64_t at = t.at + k * sz;
    strip_row<V> front = {}, back = {};
    REAL f[R][V] = {};
    if (sweep_reads(OP)) {
      sweep_load<V, R>(next, from, at + sz, sy, t.p);
      strip_load<V>(front, from, at - sy);
      strip_load<V>(back, from, at + R * sy);
    }
    if (sweep_sourced(OP))
#pragma unroll
      for (int r = 0; r < R; r++)
        strip_get<V>(f[r], AXIS(s.f) + at + r * sy);
    sweep_faces_next(faces, a, t, at, k);
    REAL in_y[V];
#pragma unroll
    for (int m = 0; m < V; m++)
      in_y[m] = faces.both.y[0][m] * (own[0].v[m + 1] - front.v[m + 1]);
#pragma unroll
    for (int r = 0; r < R; r++) {
      const REAL left = __shfl_up_sync(0xffffffffu, own[r].v[V], 1), right = __shfl_down_sync(0xffffffffu, own[r].v[1], 1);
      own[r].v[0] = t.p.load_low ? own[r].v[0] : left;
      own[r].v[V + 1] = t.p.load_high ? own[r].v[V + 1] : right;
      REAL u[V], flow[V], diagonal[V], in_x = faces.both.x[r][0] * (own[r].v[1] - own[r].v[0]);
#pragma unroll
      for (int m = 0; m < V; m++) {
        const REAL here = u[m] = own[r].v[m + 1], beyond = r < R - 1 ? own[r < R - 1 ? r + 1 : r].v[m + 1] : back.v[m + 1];
        const REAL out_x = faces.both.x[r][m + 1] * (own[r].v[m + 2] - here), out_y = faces.both.y[r + 1][m] * (beyond - here);
        const REAL out_z = faces.up[r][m] * (next[r].v[m + 1] - here);
        const REAL beside = faces.both.x[r][m] + faces.both.x[r][m + 1], across = faces.both.y[r][m] + faces.both.y[r + 1][m];
        flow[m] = (out_x - in_x) + ((out_y - in_y[m]) + (out_z - in_z[r][m]));
        diagonal[m] = beside + (across + (below[r][m] + faces.up[r][m]));
        in_x = out_x, in_y[m] = out_y, in_z[r][m] = out_z, below[r][m] = faces.up[r][m];
      }
      sweep_store<V, R, OP>(s, t, r, k, u, flow, diagonal, f[r], beside);
    }
#pragma unroll
    for (int r = 0; r < R; r++)
      own[r] = next[r];
  }
}

#endif
