/* The first and the last pass of a step of the temperature: Predict and Conserve. With constant conductivity and 7 points they
   apply the operator on their way; with others it is applied between. */
#include "../launch.h"
#include "../march/march.cuh"
#include "../stencil/mask.cuh"
#include "../vector/reduce.cuh"

/* Index p of an axis of n nodes, wrapped where it is one beyond. */
DEVICE int step_image(int p, int n) { return p < 0 ? p + n : p < n ? p : p - n; }

/* The entry of a mask for the row (j,k), which may lie one beyond the box at a periodic end. */
DEVICE int step_row(const cv_elliptic &e, int j, int k) {
  return e.mask.index ? e.mask.index[step_image(j, (int)e.box.n[1]) + step_image(k, (int)e.box.n[2]) * e.box.n[1]] : 0;
}

/* Whether node i of a row with such an entry is fixed; i may lie one beyond. */
DEVICE bool step_fixed(const cv_elliptic &e, int entry, int i) {
  const int nx = (int)e.box.n[0];
  return entry == 1 || (entry > 1 && i >= -1 && i <= nx && AXIS(e.mask.table)[entry * e.mask.stride + step_image(i, nx)] == 0);
}

/* What does not change from plane to plane: dual widths (0 at nodes that are not the lane's), and conductances over the
   widths across: along x above each node, in y below and above the row. */
typedef struct {
  march m;
  bool flat;
  march_vector w, gx;
  REAL wy, front, back;
} step_column;

DEVICE step_column step_column_of(const cv_elliptic &e) {
  step_column c;
  const march m = c.m = march_of<march_together>(e.box.n, 1);
  const int nx = (int)e.box.n[0];
  c.flat = e.box.sy == 0;
  c.w = march_axis(AXIS(e.w[0]), m.i, m.owns ? nx : 0);
  c.wy = AXIS(e.w[1])[m.j];
#pragma unroll
  for (int v = 0; v < march_nodes; v++)
    c.gx.v[v] = m.i + v >= -1 && m.i + v < nx ? (REAL)e.k[0] * AXIS(e.rh[0])[m.i + v] : 0;
  c.front = (REAL)e.k[1] * AXIS(e.rh[1])[m.j - 1];
  c.back = (REAL)e.k[1] * AXIS(e.rh[1])[m.j];
  return c;
}

/* -K u of plane k: u of the vector and of those around. */
DEVICE march_vector step_conducted(const cv_elliptic &e, const step_column &c, int k, const march_vector &u, const march_vector &front,
                                   const march_vector &back, const march_vector &below, const march_vector &above) {
  const REAL wz = AXIS(e.w[2])[k], area = c.wy * wz;
  const REAL yl = wz * c.front, yh = wz * c.back;
  const REAL zl = c.wy * ((REAL)e.k[2] * AXIS(e.rh[2])[k - 1]), zh = c.wy * ((REAL)e.k[2] * AXIS(e.rh[2])[k]);
  const REAL next = march_after(u.v[0]);
  march_vector flux, r;
#pragma unroll
  for (int v = 0; v < march_nodes; v++)
    flux.v[v] = c.gx.v[v] * ((v + 1 < march_nodes ? u.v[(v + 1) % march_nodes] : next) - u.v[v]);
  const REAL before = march_before(flux.v[march_nodes - 1]);
#pragma unroll
  for (int v = 0; v < march_nodes; v++) {
    REAL across = fma(zh, above.v[v] - u.v[v], -(zl * (u.v[v] - below.v[v])));
    if (!c.flat)
      across += fma(yh, back.v[v] - u.v[v], -(yl * (u.v[v] - front.v[v])));
    r.v[v] = fma(c.w.v[v], across, area * (flux.v[v] - (v > 0 ? flux.v[(v + march_nodes - 1) % march_nodes] : before)));
  }
  return r;
}

/* s m of the nodes of a vector; 1 at those that are not the lane's. */
DEVICE march_vector step_mass(const cv_elliptic &e, const step_column &c, int k, int64_t at) {
  march_vector mass;
  const bool given = e.mass && e.mass_scale != 0;
  const REAL row = (REAL)e.mass_scale * (c.wy * AXIS(e.w[2])[k]);
#pragma unroll
  for (int v = 0; v < march_nodes; v++)
    mass.v[v] = row * c.w.v[v];
  if (given) {
    const march_vector own = march_load(AXIS(e.mass) + at);
#pragma unroll
    for (int v = 0; v < march_nodes; v++)
      mass.v[v] = (REAL)e.mass_scale * own.v[v];
  }
  return mass;
}

/* Of a vector: the extrapolated temperature, how much that is more than T, and how much that is more than TPrev. */
typedef struct {
  march_vector g, change, past;
} step_guess;

/* Those of row (j,k) from node i on; `at` is its element. At fixed nodes G is given. */
DEVICE step_guess step_guess_of(const cv_step_args &a, int i, int j, int k, int64_t at) {
  const march_vector t = march_load(AXIS(a.t) + at), past = march_load(AXIS(a.t_prev) + at), older = march_load(AXIS(a.t_older) + at);
  const REAL omega = (REAL)a.omega, bend = (REAL)a.bend;
  step_guess r;
#pragma unroll
  for (int v = 0; v < march_nodes; v++) {
    r.past.v[v] = t.v[v] - past.v[v];
    r.g.v[v] = fma(omega, r.past.v[v], fma(bend, past.v[v] - older.v[v], t.v[v]));
  }
  const cv_box &box = a.a.box;
  const int entry = step_row(a.a, j, k);
  if (entry != 0) {
    const REAL *row = AXIS(a.g) + step_image(j, (int)box.n[1]) * box.sy + step_image(k, (int)box.n[2]) * box.sz;
#pragma unroll
    for (int v = 0; v < march_nodes; v++)
      if (i + v >= -1 && i + v <= box.n[0] && step_fixed(a.a, entry, i + v))
        r.g.v[v] = row[step_image(i + v, (int)box.n[0])];
  }
#pragma unroll
  for (int v = 0; v < march_nodes; v++)
    r.change.v[v] = r.g.v[v] - t.v[v];
  return r;
}

/* Whether a step applies the operator itself: with 7 points and constant K. */
DEVICE bool step_conducts(const cv_step_args &a) { return a.a.points == 7 && !a.a.cells[0]; }

/* G and F of kernels.PredictArgs, and partial sums of (G - T)^2 and F^2; without `conducts` F lacks K G and the second
   sum. Reads T, TPrev, TOlder, N and NPrev (and the source) and writes G and F: 7 words a node (8). */
template <bool conducts>
DEVICE void predict_march(const cv_step_args &a, double (*room)[32]) {
  const cv_elliptic &e = a.a;
  const step_column c = step_column_of(e);
  const march &m = c.m;
  const int nx = (int)e.box.n[0];
  const int64_t sy = e.box.sy, sz = e.box.sz;
  int64_t at = m.i + m.j * sy + m.low * sz;
  const REAL a0 = (REAL)a.a0, a2 = (REAL)a.a2, e1 = (REAL)a.e1, e2 = (REAL)a.e2;
  const march_vector none = {};
  march_vector below = conducts ? step_guess_of(a, m.i, m.j, m.low - 1, at - sz).g : none;
  step_guess own = step_guess_of(a, m.i, m.j, m.low, at);
  double changes = 0, residuals = 0;
  for (int k = m.low; k < m.high; k++, at += sz) {
    const march_vector now = march_load(AXIS(a.n) + at), before = march_load(AXIS(a.n_prev) + at);
    const march_vector source = a.source ? march_load(AXIS(a.source) + at) : none;
    const step_guess above = step_guess_of(a, m.i, m.j, k + 1, at + sz);
    march_vector f = none;
    if (conducts) {
      const march_vector front = c.flat ? none : step_guess_of(a, m.i, m.j - 1, k, at - sy).g;
      const march_vector back = c.flat ? none : step_guess_of(a, m.i, m.j + 1, k, at + sy).g;
      f = step_conducted(e, c, k, own.g, front, back, below, above.g);
    }
    const march_vector mass = step_mass(e, c, k, at);
    const int entry = step_row(e, m.j, k);
#pragma unroll
    for (int v = 0; v < march_nodes; v++) {
      const REAL gained = fma(e1, now.v[v], e2 * before.v[v]) + source.v[v];
      f.v[v] += fma(-mass.v[v], fma(a0, own.change.v[v], -(a2 * own.past.v[v])), gained);
      const bool counts = m.owns && m.i + v < nx && !step_fixed(e, entry, m.i + v);
      const double change = counts ? own.change.v[v] : 0, residual = counts ? f.v[v] : 0;
      changes = fma(change, change, changes);
      residuals = fma(residual, residual, residuals);
    }
    if (m.owns) {
      march_store(static_cast<REAL *>(a.g) + at, own.g, m.i, nx);
      march_store(static_cast<REAL *>(a.f) + at, f, m.i, nx);
    }
    below = own.g;
    own = above;
  }
  if (a.partial) {
    const bool counts = counts_row(e.box, m.j);
    const double sums[2] = {counts ? changes : 0, counts ? residuals : 0};
    put_all<2, 0>(a.partial, sums, room);
  }
}

KERNEL_BOUNDS(predict, cv_step_args, 256, 2) {
  __shared__ double room[2][32];
  if (step_conducts(a))
    predict_march<true>(a, room);
  else
    predict_march<false>(a, room);
}

/* X of kernels.ConserveArgs, and R at fixed nodes. Reads F, U and X and writes X: 4 words a node. Without `conducts` R is given,
   and F is not read. */
template <bool conducts>
DEVICE void conserve_march(const cv_step_args &a) {
  const cv_elliptic &e = a.a;
  const step_column c = step_column_of(e);
  const march &m = c.m;
  const int nx = (int)e.box.n[0];
  const int64_t sy = e.box.sy, sz = e.box.sz;
  const REAL *u = AXIS(a.u) + m.i + m.j * sy + m.low * sz;
  int64_t at = m.i + m.j * sy + m.low * sz;
  const march_vector none = {};
  march_vector below = conducts ? march_load(u - sz) : none, own = march_load(u), per;
#pragma unroll
  for (int v = 0; v < march_nodes; v++)
    per.v[v] = point_weight(1, c.w.v[v]);
  const REAL *given = conducts ? AXIS(a.f) : AXIS(a.r);
  march_vector u_ahead = march_load(u + sz), x_ahead = march_load(AXIS(a.g) + at), r_ahead = march_load(given + at);
  for (int k = m.low; k < m.high; k++, at += sz, u += sz) {
    const march_vector above = u_ahead, x = x_ahead;
    march_vector r = r_ahead, y;
    u_ahead = march_load(u + 2 * sz); /* not used beyond the slab */
    x_ahead = march_load(AXIS(a.g) + at + sz);
    r_ahead = march_load(given + at + sz);
    const march_vector mass = step_mass(e, c, k, at);
    if (conducts) {
      const march_vector front = c.flat ? none : march_load(u - sy), back = c.flat ? none : march_load(u + sy);
      const march_vector gained = step_conducted(e, c, k, own, front, back, below, above);
#pragma unroll
      for (int v = 0; v < march_nodes; v++)
        r.v[v] = (r.v[v] + gained.v[v]) - mass.v[v] * own.v[v];
    }
    if (e.mass) {
#pragma unroll
      for (int v = 0; v < march_nodes; v++)
        y.v[v] = x.v[v] + (own.v[v] + r.v[v] * point_weight(1, mass.v[v]));
    } else {
      const REAL row = point_weight(1, (REAL)e.mass_scale * (c.wy * AXIS(e.w[2])[k]));
#pragma unroll
      for (int v = 0; v < march_nodes; v++)
        y.v[v] = x.v[v] + fma(r.v[v], row * per.v[v], own.v[v]);
    }
    const int entry = step_row(e, m.j, k);
    if (entry != 0) {
#pragma unroll
      for (int v = 0; v < march_nodes; v++)
        if (m.owns && m.i + v < nx && step_fixed(e, entry, m.i + v)) {
          y.v[v] = x.v[v] + own.v[v];
          if (conducts)
            static_cast<REAL *>(a.r)[at + v] = r.v[v];
        }
    }
    if (m.owns)
      march_store(static_cast<REAL *>(a.g) + at, y, m.i, nx);
    below = own;
    own = above;
  }
}

KERNEL_BOUNDS(conserve, cv_step_args, 256, 3) {
  if (step_conducts(a))
    conserve_march<true>(a);
  else
    conserve_march<false>(a);
}
