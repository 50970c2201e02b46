/* BuoyancySource for trilinear elements of constant K and even widths where no fluid passes a wall: theta averaged in x and y as in a plane of
   closed_trilinear.cuh, but without circulations, which have no balance. */
#include "../stencil/trilinear_rows.cuh"
#include "faces.cuh"

/* T of the rows before and behind a lane's and its own. */
typedef struct {
  march_vector t[3];
} source_rows;

DEVICE source_rows source_rows_at(const trilinear_column &c, const REAL *t, const march_vector &own) {
  return source_rows{{march_load(t + c.front), own, march_load(t + c.back)}};
}

/* Averages of T less its mean. */
DEVICE march_vector source_averages(const trilinear_column &c, source_rows r, REAL mean) {
  if (c.mirrors)
#pragma unroll
    for (int n = 0; n < 3; n++)
      trilinear_mirror(c, r.t[n]);
  const REAL sixth = (REAL)1 / 6;
  const march_vector &own = r.t[1];
  march_vector y, s;
#pragma unroll
  for (int v = 0; v < march_nodes; v++)
    y.v[v] = (r.t[0].v[v] - own.v[v]) + (r.t[2].v[v] - own.v[v]);
  /* T and a sixth of its second differences in y, and of the sum those in x: the former from differences, which constants have none of. */
  march_vector step, part;
  const REAL next = march_after(own.v[0]), y_next = march_after(y.v[0]);
#pragma unroll
  for (int v = 0; v < march_nodes; v++)
    step.v[v] = fma(sixth, (v + 1 < march_nodes ? y.v[(v + 1) % march_nodes] : y_next) - y.v[v],
                    (v + 1 < march_nodes ? own.v[(v + 1) % march_nodes] : next) - own.v[v]);
  const REAL before = march_before(step.v[march_nodes - 1]);
#pragma unroll
  for (int v = 0; v < march_nodes; v++) {
    part.v[v] = step.v[v] - (v > 0 ? step.v[(v + march_nodes - 1) % march_nodes] : before);
    s.v[v] = fma(sixth, y.v[v] + part.v[v], own.v[v] - mean);
  }
  return s;
}

/* F of kernels.BuoyancySourceArgs. Reads T once and writes F: 2 words a node. */
KERNEL_BOUNDS(buoyancy_source_trilinear, cv_darcy_args, 256, 4) {
  const cv_elliptic &e = a.a;
  const trilinear_column c = trilinear_column_of(e.box, a.periodic, 1);
  const march &m = c.m;
  const int nx = (int)e.box.n[0], nz = (int)e.box.n[2], sz = (int)e.box.sz;
  const bool walls = !a.periodic[2];
  const REAL across = (REAL)0.5 * ((REAL)e.k[2] * (REAL)a.rayleigh) * AXIS(e.w[1])[m.j];
  march_vector w = march_axis(AXIS(e.w[0]), m.i, m.owns ? nx : 0);
#pragma unroll
  for (int v = 0; v < march_nodes; v++)
    w.v[v] *= across;
  const int64_t at = m.i + m.j * e.box.sy + m.low * e.box.sz;
  const REAL *t = AXIS(a.t) + at;
  REAL *f = static_cast<REAL *>(a.f) + at;
  march_vector below = {};
  if (!walls || m.low > 0)
    below = source_averages(c, source_rows_at(c, t - sz, march_load(t - sz)), mean_at(a, m.low - 1));
  march_vector here = source_averages(c, source_rows_at(c, t, march_load(t)), mean_at(a, m.low));
  source_rows ahead = source_rows_at(c, t + sz, march_load(t + sz));
  for (int k = m.low; k < m.high; k++) {
    const source_rows rows = ahead;
    ahead = source_rows_at(c, t + 2 * sz, march_load(t + 2 * sz)); /* not used beyond the slab */
    const march_vector above = source_averages(c, rows, mean_at(a, k + 1));
    const REAL low = walls && k == 0 ? 0 : 1, high = walls && k == nz - 1 ? 0 : 1;
    march_vector r;
#pragma unroll
    for (int v = 0; v < march_nodes; v++)
      r.v[v] = w.v[v] * (low * (below.v[v] + here.v[v]) - high * (here.v[v] + above.v[v]));
    if (m.owns)
      march_store(f, r, m.i, nx);
    below = here;
    here = above;
    t += sz;
    f += sz;
  }
}
