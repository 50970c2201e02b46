/* Predict and Settle in 3-D for constant conductivity and 7 points where whole sides are fixed, or none: no mask is read, and what concerns sides
   is in branches that few lanes take. A lane has the vectors of two rows, so that half of what it reads of its neighbours in y is its own. */
#include "launch.h"
#include "march.cuh"
#include "reduce.cuh"

/* Rows of a lane. */
enum { sides_rows = 2 };

/* Keeps what is done seldom a branch: as choices it would cost every lane. */
#ifdef __CUDACC__
DEVICE void sides_seldom() { asm volatile(""); }
#else
DEVICE void sides_seldom() {}
#endif

/* The vectors of a lane in a plane. */
typedef struct {
  march_vector row[sides_rows];
} sides_vectors;

/* A lane with rows m.j.. of a box, of which the last may lie beyond it. What does not change from plane to plane: along x dual widths (0 at nodes
   that are not the lane's) and conductances above each node over the widths across; the widths of the rows, and the conductances between and
   beside them over the widths across. Which nodes are fixed by sides in x and y, a bit each, from those of the row before on to those of the row
   behind; and which of the lane's, numbered alike, lie beyond the box. */
typedef struct {
  march m;
  int fixed, beyond;
  march_vector w, gx;
  REAL wy[sides_rows], gy[sides_rows + 1];
} sides_column;

/* The bits of a row of a lane; -1 is the row before. */
DEVICE int sides_bits(int bits, int r) { return bits >> ((r + 1) * march_nodes) & ((1 << march_nodes) - 1); }

/* Index p of an axis of n nodes, wrapped where it lies beyond. */
DEVICE int sides_image(int p, int n) { return p < 0 ? p + n : p < n ? p : p - n; }

/* Whether a plane is fixed, which may lie one beyond the box. */
DEVICE bool sides_plane(const cv_step_args &a, int k) {
  const int nz = (int)a.a.box.n[2];
  return (a.fixed[4] && (k == 0 || k == nz)) || (a.fixed[5] && (k == nz - 1 || k == -1));
}

DEVICE sides_column sides_column_of(const cv_step_args &a) {
  const cv_elliptic &e = a.a;
  const int nx = (int)e.box.n[0], ny = (int)e.box.n[1];
  const int64_t groups[3] = {nx, (ny + sides_rows - 1) / sides_rows, e.box.n[2]};
  sides_column c;
  march &m = c.m = march_of<march_together>(groups, 1);
  m.j *= sides_rows;
  c.fixed = c.beyond = 0;
  for (int r = -1; r <= sides_rows; r++)
    for (int v = 0; v < march_nodes; v++) {
      const int i = sides_image(m.i + v, nx), j = sides_image(m.j + r, ny), bit = 1 << ((r + 1) * march_nodes + v);
      if ((i == 0 && a.fixed[0]) || (i == nx - 1 && a.fixed[1]) || (j == 0 && a.fixed[2]) || (j == ny - 1 && a.fixed[3]))
        c.fixed |= bit;
      if (m.i < nx && r >= 0 && r < sides_rows && (m.i + v >= nx || m.j + r >= ny))
        c.beyond |= bit;
    }
  c.w = march_axis(AXIS(e.w[0]), m.i, m.owns ? nx : 0);
#pragma unroll
  for (int v = 0; v < march_nodes; v++)
    c.gx.v[v] = m.i + v >= -1 && m.i + v < nx ? (REAL)e.k[0] * AXIS(e.rh[0])[m.i + v] : 0;
#pragma unroll
  for (int r = 0; r <= sides_rows; r++)
    c.gy[r] = (REAL)e.k[1] * AXIS(e.rh[1])[min(m.j + r, ny) - 1];
#pragma unroll
  for (int r = 0; r < sides_rows; r++)
    c.wy[r] = AXIS(e.w[1])[min(m.j + r, ny - 1)];
  return c;
}

/* What is the same in a plane: the dual width, and the conductances below and above over the widths across. */
typedef struct {
  REAL w, low, high;
} sides_level;

DEVICE sides_level sides_level_of(const cv_elliptic &e, int k) {
  const REAL *rh = AXIS(e.rh[2]) + k, kz = (REAL)e.k[2];
  return sides_level{AXIS(e.w[2])[k], kz * rh[-1], kz * rh[0]};
}

/* -K u of row r of a lane in a plane: u of the vector and of those around. */
DEVICE march_vector sides_conducted(const sides_column &c, const sides_level &l, int r, const march_vector &u, const march_vector &front,
                                    const march_vector &back, const march_vector &below, const march_vector &above) {
  const REAL wy = c.wy[r], area = wy * l.w, yl = l.w * c.gy[r], yh = l.w * c.gy[r + 1], zl = wy * l.low, zh = wy * l.high;
  const REAL next = march_after(u.v[0]);
  march_vector flux, sum;
#pragma unroll
  for (int v = 0; v < march_nodes; v++)
    flux.v[v] = c.gx.v[v] * ((v + 1 < march_nodes ? u.v[(v + 1) % march_nodes] : next) - u.v[v]);
  const REAL before = march_before(flux.v[march_nodes - 1]);
#pragma unroll
  for (int v = 0; v < march_nodes; v++) {
    REAL across = fma(zh, above.v[v] - u.v[v], -(zl * (u.v[v] - below.v[v])));
    across += fma(yh, back.v[v] - u.v[v], -(yl * (u.v[v] - front.v[v])));
    sum.v[v] = fma(c.w.v[v], across, area * (flux.v[v] - (v > 0 ? flux.v[(v + march_nodes - 1) % march_nodes] : before)));
  }
  return sum;
}

/* The rows of a lane. */
DEVICE sides_vectors sides_load(const REAL *x, int sy) {
  sides_vectors r;
#pragma unroll
  for (int n = 0; n < sides_rows; n++)
    r.row[n] = march_load(x + n * sy);
  return r;
}

/* The extrapolated temperature of row r of a lane in plane k. At fixed nodes it is given. */
DEVICE march_vector sides_guess(const cv_step_args &a, const sides_column &c, int r, int k, bool plane, const march_vector &t,
                                const march_vector &past) {
  march_vector g;
#pragma unroll
  for (int v = 0; v < march_nodes; v++)
    g.v[v] = fma((REAL)a.omega, t.v[v] - past.v[v], t.v[v]);
  if (plane || c.fixed != 0) {
    sides_seldom();
    const cv_box &box = a.a.box;
    const int nx = (int)box.n[0], bits = plane ? -1 : sides_bits(c.fixed, r);
    const REAL *row = AXIS(a.g) + sides_image(c.m.j + r, (int)box.n[1]) * box.sy + sides_image(k, (int)box.n[2]) * box.sz;
#pragma unroll
    for (int v = 0; v < march_nodes; v++)
      if (bits >> v & 1)
        g.v[v] = row[sides_image(c.m.i + v, nx)];
  }
  return g;
}

/* The same of all rows of a lane. */
DEVICE sides_vectors sides_guesses(const cv_step_args &a, const sides_column &c, int k, const sides_vectors &t, const sides_vectors &past) {
  const bool plane = sides_plane(a, k);
  sides_vectors g;
#pragma unroll
  for (int r = 0; r < sides_rows; r++)
    g.row[r] = sides_guess(a, c, r, k, plane, t.row[r], past.row[r]);
  return g;
}

/* G and F of kernels.PredictArgs, and partial sums of (G - T)^2 and F^2. Reads T, TPrev, N and NPrev (and the source) and writes G and F: 6 words a
   node (7). */
DEVICE void sides_predict(const cv_step_args &a, double (*room)[32]) {
  const cv_elliptic &e = a.a;
  const sides_column c = sides_column_of(a);
  const march &m = c.m;
  const int nx = (int)e.box.n[0], ny = (int)e.box.n[1], sy = (int)e.box.sy, sz = (int)e.box.sz, i = m.i, j = m.j;
  const int64_t at = i + j * e.box.sy + m.low * e.box.sz;
  const REAL a0 = (REAL)a.a0, a2 = (REAL)a.a2, e1 = (REAL)a.e1, e2 = (REAL)a.e2;
  const REAL *t = AXIS(a.t) + at, *past = AXIS(a.t_prev) + at, *n = AXIS(a.n) + at, *n_prev = AXIS(a.n_prev) + at;
  const REAL *source = a.source ? AXIS(a.source) + at : nullptr, *mass_given = e.mass && e.mass_scale != 0 ? AXIS(e.mass) + at : nullptr;
  REAL *g = static_cast<REAL *>(a.g) + at, *f = static_cast<REAL *>(a.f) + at;
  sides_vectors below = sides_guesses(a, c, m.low - 1, sides_load(t - sz, sy), sides_load(past - sz, sy));
  sides_vectors own = sides_load(t, sy), was = sides_load(past, sy), guess = sides_guesses(a, c, m.low, own, was);
  double changes = 0, residuals = 0;
  for (int k = m.low; k < m.high; k++) {
    const bool plane = sides_plane(a, k);
    /* The rows beside come first: they are near, and what is asked for after them is not. */
    const march_vector t_front = march_load(t - sy), past_front = march_load(past - sy);
    const march_vector t_back = march_load(t + sides_rows * sy), past_back = march_load(past + sides_rows * sy);
    const sides_vectors above = sides_load(t + sz, sy), above_was = sides_load(past + sz, sy);
    const sides_vectors now = sides_load(n, sy), before = sides_load(n_prev, sy);
    const march_vector front = sides_guess(a, c, -1, k, plane, t_front, past_front);
    const march_vector back = sides_guess(a, c, sides_rows, k, plane, t_back, past_back);
    const sides_level l = sides_level_of(e, k);
    const sides_vectors next = sides_guesses(a, c, k + 1, above, above_was);
#pragma unroll
    for (int r = 0; r < sides_rows; r++) {
      march_vector sum = sides_conducted(c, l, r, guess.row[r], r > 0 ? guess.row[(r + sides_rows - 1) % sides_rows] : front,
                                         r + 1 < sides_rows ? guess.row[(r + 1) % sides_rows] : back, below.row[r], next.row[r]);
      march_vector change, mass;
      const REAL row = (REAL)e.mass_scale * (c.wy[r] * l.w);
#pragma unroll
      for (int v = 0; v < march_nodes; v++)
        mass.v[v] = row * c.w.v[v];
      if (mass_given) {
        sides_seldom();
        mass = march_load(mass_given + (k - m.low) * e.box.sz + r * sy);
#pragma unroll
        for (int v = 0; v < march_nodes; v++)
          mass.v[v] *= (REAL)e.mass_scale;
      }
      march_vector gained;
#pragma unroll
      for (int v = 0; v < march_nodes; v++) {
        gained.v[v] = fma(e1, now.row[r].v[v], e2 * before.row[r].v[v]);
        change.v[v] = guess.row[r].v[v] - own.row[r].v[v];
      }
      if (source) {
        sides_seldom();
        const march_vector s = march_load(source + (k - m.low) * e.box.sz + r * sy);
#pragma unroll
        for (int v = 0; v < march_nodes; v++)
          gained.v[v] += s.v[v];
      }
#pragma unroll
      for (int v = 0; v < march_nodes; v++)
        sum.v[v] += fma(-mass.v[v], fma(a0, change.v[v], -(a2 * (own.row[r].v[v] - was.row[r].v[v]))), gained.v[v]);
      if (m.owns && (r == 0 || j + r < ny)) {
        march_store(g + r * sy, guess.row[r], i, nx);
        march_store(f + r * sy, sum, i, nx);
      }
      if (plane || (c.fixed | c.beyond) != 0) { /* fixed nodes and what lies beyond the box count for nothing */
        sides_seldom();
        const int bits = plane ? -1 : sides_bits(c.fixed | c.beyond, r);
#pragma unroll
        for (int v = 0; v < march_nodes; v++)
          if (bits >> v & 1)
            change.v[v] = sum.v[v] = 0;
      }
#pragma unroll
      for (int v = 0; v < march_nodes; v++) {
        changes = fma((double)change.v[v], (double)change.v[v], changes);
        residuals = fma((double)sum.v[v], (double)sum.v[v], residuals);
      }
    }
    below = guess;
    guess = next;
    own = above;
    was = above_was;
    t += sz, past += sz, n += sz, n_prev += sz, g += sz, f += sz;
  }
  if (a.partial) {
    const double sums[2] = {m.owns ? changes : 0, m.owns ? residuals : 0};
    put_all<2, 0>(a.partial, sums, room);
  }
}

KERNEL_BOUNDS(predict_sides, cv_step_args, 128, 3) {
  __shared__ double room[2][32];
  sides_predict(a, room);
}

/* X of kernels.SettleArgs, and R at fixed nodes. Reads F, U and X and writes X: 4 words a node. */
KERNEL_BOUNDS(settle_sides, cv_step_args, 128, 4) {
  const cv_elliptic &e = a.a;
  const sides_column c = sides_column_of(a);
  const march &m = c.m;
  const int nx = (int)e.box.n[0], ny = (int)e.box.n[1], sy = (int)e.box.sy, sz = (int)e.box.sz, i = m.i, j = m.j;
  const int64_t at = i + j * e.box.sy + m.low * e.box.sz;
  const REAL *u = AXIS(a.u) + at, *f = AXIS(a.f) + at, *mass_given = e.mass && e.mass_scale != 0 ? AXIS(e.mass) + at : nullptr;
  REAL *x = static_cast<REAL *>(a.g) + at;
  sides_vectors below = sides_load(u - sz, sy), own = sides_load(u, sy);
  march_vector per;
  REAL over[sides_rows];
#pragma unroll
  for (int v = 0; v < march_nodes; v++)
    per.v[v] = point_weight(1, c.w.v[v]);
#pragma unroll
  for (int r = 0; r < sides_rows; r++)
    over[r] = point_weight(1, (REAL)e.mass_scale * c.wy[r]);
  for (int k = m.low; k < m.high; k++) {
    const march_vector front = march_load(u - sy), back = march_load(u + sides_rows * sy);
    const sides_vectors above = sides_load(u + sz, sy), was = sides_load(x, sy), given = sides_load(f, sy);
    const sides_level l = sides_level_of(e, k);
    const REAL rz = march_quotient((REAL)1, l.w);
    const bool plane = sides_plane(a, k);
#pragma unroll
    for (int r = 0; r < sides_rows; r++) {
      const march_vector gained = sides_conducted(c, l, r, own.row[r], r > 0 ? own.row[(r + sides_rows - 1) % sides_rows] : front,
                                                  r + 1 < sides_rows ? own.row[(r + 1) % sides_rows] : back, below.row[r], above.row[r]);
      const REAL row = (REAL)e.mass_scale * (c.wy[r] * l.w), share = rz * over[r];
      march_vector mass, y, left;
#pragma unroll
      for (int v = 0; v < march_nodes; v++) {
        mass.v[v] = row * c.w.v[v];
        y.v[v] = share * per.v[v];
      }
      if (mass_given) {
        sides_seldom();
        mass = march_load(mass_given + (k - m.low) * e.box.sz + r * sy);
#pragma unroll
        for (int v = 0; v < march_nodes; v++) {
          mass.v[v] *= (REAL)e.mass_scale;
          y.v[v] = point_weight(1, mass.v[v]);
        }
      }
#pragma unroll
      for (int v = 0; v < march_nodes; v++) {
        left.v[v] = (given.row[r].v[v] + gained.v[v]) - mass.v[v] * own.row[r].v[v];
        y.v[v] = was.row[r].v[v] + fma(left.v[v], y.v[v], own.row[r].v[v]);
      }
      if (!m.owns || (r > 0 && j + r >= ny))
        continue;
      if (plane || c.fixed != 0) {
        sides_seldom();
        const int bits = (plane ? -1 : sides_bits(c.fixed, r)) & ~sides_bits(c.beyond, r);
#pragma unroll
        for (int v = 0; v < march_nodes; v++)
          if (bits >> v & 1) {
            y.v[v] = was.row[r].v[v] + own.row[r].v[v];
            static_cast<REAL *>(a.r)[at + (k - m.low) * e.box.sz + r * sy + v] = left.v[v];
          }
      }
      march_store(x + r * sy, y, i, nx);
    }
    below = own;
    own = above;
    u += sz, f += sz, x += sz;
  }
}
