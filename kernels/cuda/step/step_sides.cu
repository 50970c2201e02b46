/* Predict, Conserve and Finish for constant conductivity and 7 points where whole sides are fixed, or none: no mask is read, and what concerns sides
   is in branches that few lanes take. A lane has the vectors of two rows, so that half of what it reads of its neighbours in y is its own. In 2-D the second row lies beyond the box and,
   as those beside the first, is the first one again, so that nothing flows along y. */
#include "../launch.h"
#include "../march/march.cuh"
#include "../vector/reduce.cuh"

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

/* The extrapolated temperature of row r of a lane in plane k. At fixed nodes it is given; `plain` tells that there are none. */
template <bool plain>
DEVICE march_vector sides_guess(const cv_step_args &a, const sides_column &c, int r, int k, bool plane, const march_vector &t,
                                const march_vector &past, const march_vector &older) {
  march_vector g;
#pragma unroll
  for (int v = 0; v < march_nodes; v++)
    g.v[v] = fma((REAL)a.omega, t.v[v] - past.v[v], fma((REAL)a.bend, past.v[v] - older.v[v], t.v[v]));
  if (!plain && (plane || c.fixed != 0)) {
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
template <bool plain>
DEVICE sides_vectors sides_guesses(const cv_step_args &a, const sides_column &c, int k, const sides_vectors &t, const sides_vectors &past,
                                   const sides_vectors &older) {
  const bool plane = sides_plane(a, k);
  sides_vectors g;
#pragma unroll
  for (int r = 0; r < sides_rows; r++)
    g.row[r] = sides_guess<plain>(a, c, r, k, plane, t.row[r], past.row[r], older.row[r]);
  return g;
}

/* Writes the nodes of a vector that begins at node i of n, in single precision. */
DEVICE void sides_store_single(float *p, const march_vector &x, int i, int n) {
  struct alignas(march_nodes * sizeof(float)) pack {
    float v[march_nodes];
  };
  pack q;
#pragma unroll
  for (int v = 0; v < march_nodes; v++)
    q.v[v] = (float)x.v[v];
  if (i + march_nodes <= n) {
    *reinterpret_cast<pack *>(p) = q;
    return;
  }
#pragma unroll
  for (int v = 0; v < march_nodes; v++)
    if (i + v < n)
      p[v] = q.v[v];
}

/* What a lane carries from plane to plane: the guess of the plane below and of its own, T and TPrev of its own, and the sums of (G - T)^2 and F^2. */
typedef struct {
  sides_vectors below, guess, own, was;
  double changes, residuals;
} sides_prediction;

/* A plane; `at` is the lane's first element in it. `plain` tells that no node is fixed in the rows that the lane reads, and that mass and source are no arrays: then
   nothing is asked before all is loaded. Where there were branches between, the compiler put loads behind them, and a plane waited for memory four times. */
template <bool plain>
DEVICE void sides_predict_plane(const cv_step_args &a, const sides_column &c, sides_prediction &s, int k, int64_t at) {
  const cv_elliptic &e = a.a;
  const march &m = c.m;
  const int nx = (int)e.box.n[0], ny = (int)e.box.n[1], sy = (int)e.box.sy;
  const int64_t sz = e.box.sz;
  const REAL a0 = (REAL)a.a0, a2 = (REAL)a.a2, e1 = (REAL)a.e1, e2 = (REAL)a.e2;
  const REAL *const t = AXIS(a.t) + at, *const past = AXIS(a.t_prev) + at, *const older = AXIS(a.t_older) + at;
  const bool plane = !plain && sides_plane(a, k);
  /* The rows beside come first: they are near, and what is asked for after them is not. */
  const march_vector t_front = march_load(t - sy), past_front = march_load(past - sy), older_front = march_load(older - sy);
  const march_vector t_back = march_load(t + sides_rows * sy), past_back = march_load(past + sides_rows * sy);
  const march_vector older_back = march_load(older + sides_rows * sy);
  const sides_vectors above = sides_load(t + sz, sy), above_was = sides_load(past + sz, sy), above_older = sides_load(older + sz, sy);
  const sides_vectors now = sides_load(AXIS(a.n) + at, sy), before = sides_load(AXIS(a.n_prev) + at, sy);
  const march_vector front = sides_guess<plain>(a, c, -1, k, plane, t_front, past_front, older_front);
  const march_vector back = sides_guess<plain>(a, c, sides_rows, k, plane, t_back, past_back, older_back);
  const sides_level l = sides_level_of(e, k);
  const sides_vectors next = sides_guesses<plain>(a, c, k + 1, above, above_was, above_older);
  sides_vectors f;
#pragma unroll
  for (int r = 0; r < sides_rows; r++) {
    march_vector &sum = f.row[r];
    sum = sides_conducted(c, l, r, s.guess.row[r], r > 0 ? s.guess.row[(r + sides_rows - 1) % sides_rows] : front,
                          r + 1 < sides_rows ? s.guess.row[(r + 1) % sides_rows] : back, s.below.row[r], next.row[r]);
    march_vector mass, gained;
    const REAL row = (REAL)e.mass_scale * (c.wy[r] * l.w);
#pragma unroll
    for (int v = 0; v < march_nodes; v++) {
      mass.v[v] = row * c.w.v[v];
      gained.v[v] = fma(e1, now.row[r].v[v], e2 * before.row[r].v[v]);
    }
    if (!plain && e.mass && e.mass_scale != 0) {
      sides_seldom();
      mass = march_load(AXIS(e.mass) + at + r * sy);
#pragma unroll
      for (int v = 0; v < march_nodes; v++)
        mass.v[v] *= (REAL)e.mass_scale;
    }
    if (!plain && a.source) {
      sides_seldom();
      const march_vector source = march_load(AXIS(a.source) + at + r * sy);
#pragma unroll
      for (int v = 0; v < march_nodes; v++)
        gained.v[v] += source.v[v];
    }
#pragma unroll
    for (int v = 0; v < march_nodes; v++) {
      const REAL t_own = s.own.row[r].v[v], change = s.guess.row[r].v[v] - t_own;
      sum.v[v] += fma(-mass.v[v], fma(a0, change, -(a2 * (t_own - s.was.row[r].v[v]))), gained.v[v]);
    }
  }
#pragma unroll
  for (int r = 0; r < sides_rows; r++) {
    const bool owns = m.owns && (r == 0 || m.j + r < ny);
    march_vector change = march_difference(s.guess.row[r], s.own.row[r]), &sum = f.row[r];
    if (owns) {
      march_store(static_cast<REAL *>(a.g) + at + r * sy, s.guess.row[r], m.i, nx);
      march_store(static_cast<REAL *>(a.f) + at + r * sy, sum, m.i, nx);
    }
    if (plane || (c.fixed | c.beyond) != 0) { /* fixed nodes and what lies beyond the box count for nothing */
      sides_seldom();
      const int bits = plane ? -1 : sides_bits(c.fixed | c.beyond, r);
#pragma unroll
      for (int v = 0; v < march_nodes; v++)
        if (bits >> v & 1)
          change.v[v] = sum.v[v] = 0;
    }
    if (counts_row(e.box, m.j + r)) {
#pragma unroll
      for (int v = 0; v < march_nodes; v++) {
        s.changes = fma((double)change.v[v], (double)change.v[v], s.changes);
        s.residuals = fma((double)sum.v[v], (double)sum.v[v], s.residuals);
      }
    }
    if (sizeof(REAL) == 8 && a.single) {
#pragma unroll
      for (int v = 0; v < march_nodes; v++)
        sum.v[v] *= (REAL)a.scale;
      if (owns)
        sides_store_single(a.single + at + r * sy, sum, m.i, nx);
    }
  }
  s.below = s.guess;
  s.guess = next;
  s.own = above;
  s.was = above_was;
}

/* G and F of kernels.PredictArgs, and partial sums of (G - T)^2 and F^2. Reads T, TPrev, TOlder, N and NPrev (and the source) and writes G and F: 7
   words a node (8), and half a one for F in single precision. */
DEVICE void sides_predict(const cv_step_args &a, double (*room)[32]) {
  const cv_elliptic &e = a.a;
  const sides_column c = sides_column_of(a);
  const march &m = c.m;
  const int sy = (int)e.box.sy;
  const int64_t sz = e.box.sz;
  int64_t at = m.i + m.j * e.box.sy + m.low * sz;
  const REAL *const t = AXIS(a.t) + at, *const past = AXIS(a.t_prev) + at, *const older = AXIS(a.t_older) + at;
  sides_prediction s;
  s.below = sides_guesses<false>(a, c, m.low - 1, sides_load(t - sz, sy), sides_load(past - sz, sy), sides_load(older - sz, sy));
  s.own = sides_load(t, sy), s.was = sides_load(past, sy), s.guess = sides_guesses<false>(a, c, m.low, s.own, s.was, sides_load(older, sy));
  s.changes = s.residuals = 0;
  const bool plain = __all_sync(0xffffffff, c.fixed == 0) && !(e.mass && e.mass_scale != 0) && !a.source;
  for (int k = m.low; k < m.high; k++, at += sz) {
    if (plain && !sides_plane(a, k) && !sides_plane(a, k + 1))
      sides_predict_plane<true>(a, c, s, k, at);
    else
      sides_predict_plane<false>(a, c, s, k, at);
  }
  if (a.partial) {
    const double sums[2] = {m.owns ? s.changes : 0, m.owns ? s.residuals : 0};
    put_all<2, 0>(a.partial, sums, room);
  }
}

KERNEL_BOUNDS(predict_sides, cv_step_args, 128, 3) {
  __shared__ double room[2][32];
  sides_predict(a, room);
}

/* What is taken up: an increment, or a correction in single precision times a scale. */
struct sides_increment {
  const REAL *u;
};
struct sides_correction {
  const float *e;
  REAL scale;
};

DEVICE march_vector sides_row(const sides_increment &from, int64_t at) { return march_load(from.u + at); }
DEVICE march_vector sides_row(const sides_correction &from, int64_t at) {
  struct alignas(march_nodes * sizeof(float)) pack {
    float v[march_nodes];
  };
  const pack e = *reinterpret_cast<const pack *>(from.e + at);
  march_vector u;
#pragma unroll
  for (int v = 0; v < march_nodes; v++)
    u.v[v] = from.scale * (REAL)e.v[v];
  return u;
}

template <typename From> DEVICE sides_vectors sides_rows_of(const From &from, int64_t at, int sy) {
  sides_vectors r;
#pragma unroll
  for (int n = 0; n < sides_rows; n++)
    r.row[n] = sides_row(from, at + n * sy);
  return r;
}

/* X of kernels.ConserveArgs from u, into out, and R at fixed nodes. Reads F, U and X and writes X: 4 words a node. Returns the sum of R^2 over the free nodes
   of the lane where it is asked for. */
template <bool measures, typename From>
DEVICE double sides_conserve(const cv_step_args &a, const From &u, const REAL *from_x, REAL *out) {
  const cv_elliptic &e = a.a;
  const sides_column c = sides_column_of(a);
  const march &m = c.m;
  const int nx = (int)e.box.n[0], ny = (int)e.box.n[1], sy = (int)e.box.sy, i = m.i, j = m.j;
  const int64_t sz = e.box.sz;
  int64_t at = i + j * e.box.sy + m.low * sz;
  const REAL *mass_given = e.mass && e.mass_scale != 0 ? AXIS(e.mass) : nullptr;
  double residuals = 0;
  sides_vectors below = sides_rows_of(u, at - sz, sy), own = sides_rows_of(u, at, sy);
  march_vector per;
  REAL over[sides_rows];
#pragma unroll
  for (int v = 0; v < march_nodes; v++)
    per.v[v] = point_weight(1, c.w.v[v]);
#pragma unroll
  for (int r = 0; r < sides_rows; r++)
    over[r] = point_weight(1, (REAL)e.mass_scale * c.wy[r]);
  for (int k = m.low; k < m.high; k++, at += sz) {
    const march_vector front = sides_row(u, at - sy), back = sides_row(u, at + sides_rows * sy);
    const sides_vectors above = sides_rows_of(u, at + sz, sy), was = sides_load(from_x + at, sy), given = sides_load(AXIS(a.f) + at, sy);
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
        mass = march_load(mass_given + at + r * sy);
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
            static_cast<REAL *>(a.r)[at + r * sy + v] = left.v[v];
            left.v[v] = 0;
          }
      }
      march_store(out + at + r * sy, y, i, nx);
      if (measures) {
        if (c.beyond != 0) { /* what lies beyond the box counts for nothing */
          sides_seldom();
#pragma unroll
          for (int v = 0; v < march_nodes; v++)
            if (sides_bits(c.beyond, r) >> v & 1)
              left.v[v] = 0;
        }
        if (!counts_row(e.box, j + r))
          continue;
#pragma unroll
        for (int v = 0; v < march_nodes; v++)
          residuals = fma((double)left.v[v], (double)left.v[v], residuals);
      }
    }
    below = own;
    own = above;
  }
  return residuals;
}

/* X of kernels.ConserveArgs; or, where there is room for partial sums of R^2, Out of kernels.ConserveMeasuredArgs and R at fixed nodes. Reads F, U (or E) and X and
   writes X (or Out): 4 words a node, measured 3 1/2 words of double. */
KERNEL_BOUNDS(conserve_sides, cv_step_args, 128, 4) {
  __shared__ double room[1][32];
  if (!a.partial) {
    const sides_increment u = {AXIS(a.u)};
    sides_conserve<false>(a, u, AXIS(a.g), static_cast<REAL *>(a.g));
    return;
  }
  const sides_correction u = {a.e, (REAL)a.scale};
  const double sums[1] = {sides_conserve<true>(a, u, AXIS(a.t), static_cast<REAL *>(a.g))};
  put_all<1, 0>(a.partial, sums, room);
}
