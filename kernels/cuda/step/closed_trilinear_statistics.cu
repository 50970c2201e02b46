/* The statistics of a flow that goes through no wall and of its heat, the content and the dissipation: closed_statistics.cu for trilinear elements.

   Sums are made of 2 u, whose squares and magnitudes are scaled at the end: max(|a|,|b|) = (|a + b| + |a - b|) / 2, and both are needed anyway. What T
   loses is a sum of squares of its differences along each axis, less squares of their differences across (kernels/doc.go: M along an axis is 1 + d/6, and a
   sum of u d u one of - (differences of u)^2). */
#include "closed_sums.cuh"
#include "closed_trilinear.cuh"

/* What is the same in a row: dual width, half its reciprocal, the factor of differences to the next row: 1, or at a wall 0. */
typedef struct {
  REAL w, r, inner;
  trilinear_sides sides;
} measured_row;

/* Over the dual widths in y and z: what T loses in a plane, with and without differences to the row behind, and between planes. */
typedef struct {
  REAL own, beside, above, both;
} measured_loss;

DEVICE measured_loss measured_loss_of(const cv_closed_trilinear_args &a, const march_vector &w, const march_vector &dz, const trilinear_bends &low,
                                      const trilinear_bends &high) {
  const march_vector x = march_difference(high.x, low.x), y = march_difference(high.y, low.y), xy = march_difference(high.xy, low.xy);
  REAL sx = 0, sy = 0, sz = 0, sxy = 0, sxz = 0, syz = 0, sxyz = 0;
#pragma unroll
  for (int v = 0; v < march_nodes; v++) {
    sx = fma(low.x.v[v], low.x.v[v], sx);
    sy = fma(w.v[v] * low.y.v[v], low.y.v[v], sy);
    sz = fma(w.v[v] * dz.v[v], dz.v[v], sz);
    sxy = fma(low.xy.v[v], low.xy.v[v], sxy);
    sxz = fma(x.v[v], x.v[v], sxz);
    syz = fma(w.v[v] * y.v[v], y.v[v], syz);
    sxyz = fma(xy.v[v], xy.v[v], sxyz);
  }
  measured_loss l;
  l.own = a.lost[0].TYPE * sx;
  l.beside = fma(-a.lost[3].TYPE, sxy, a.lost[1].TYPE * sy);
  l.above = fma(-a.lost[4].TYPE, sxz, a.lost[2].TYPE * sz);
  l.both = fma(-a.lost[5].TYPE, syz, a.lost[6].TYPE * sxyz);
  return l;
}

/* There are no differences in x across a wall and beyond the row. */
DEVICE void measured_within(const trilinear_column &c, trilinear_bends &bends) {
  const int none = c.walls | c.idle;
  if (none == 0)
    return;
  closed_seldom();
#pragma unroll
  for (int v = 0; v < march_nodes; v++)
    if (none >> v & 1)
      bends.x.v[v] = bends.xy.v[v] = 0;
}

/* What a lane keeps: the faces in z below the last plane read but one, T of the last two, and its differences in them. */
typedef struct {
  trilinear_state flux;
  march_vector below, here, next;
  trilinear_bends low;
} measured_state;

/* Adds what plane k gives once the one above it has been read: `per` holds halves of the reciprocals of dual widths w. */
DEVICE void measured_plane(const cv_closed_trilinear_args &a, const trilinear_column &c, const measured_row &row, const march_vector &w,
                           const march_vector &per, const closed_level &l, int k, const measured_state &s, const trilinear_flux &q,
                           const trilinear_bends &high, closed_sums &sums) {
  const cv_advect_args &f = a.closed.advect_measured.flow;
  const int ny = (int)f.box.n[1], nz = (int)f.box.n[2];
  const bool inside = f.periodic[2] != 0 || (k > 0 && k < nz - 1), within = f.periodic[1] != 0 || (c.m.j > 0 && c.m.j < ny - 1);
  const REAL share = row.w * l.r, half = (REAL)0.5 * l.r, before = march_before(q.x.v[march_nodes - 1]);
  march_vector u, balance, rate;
#pragma unroll
  for (int v = 0; v < march_nodes; v++) {
    const REAL x_low = v > 0 ? q.x.v[(v + march_nodes - 1) % march_nodes] : before, more = q.x.v[v] - x_low;
    u.v[v] = x_low + q.x.v[v];
    rate.v[v] = (fabs(u.v[v]) + fabs(more)) * per.v[v];
    balance.v[v] = row.w * more;
  }
  if ((c.walls | c.ends) != 0) {
    closed_seldom();
    if (c.ends & 1)
      u.v[0] = 0;
#pragma unroll
    for (int v = 0; v < march_nodes; v++)
      if (c.walls >> v & 1)
        u.v[v] = 0;
  }
#pragma unroll
  for (int v = 0; v < march_nodes; v++) {
    const REAL y = q.front.v[v] + q.back.v[v], more = q.back.v[v] - q.front.v[v], z = s.below.v[v] + q.z.v[v], more_z = q.z.v[v] - s.below.v[v];
    u.v[v] *= u.v[v];
    if (within)
      u.v[v] = fma(y, y, u.v[v]);
    if (inside)
      u.v[v] = fma(z, z, u.v[v]);
    rate.v[v] = fma(fabs(z) + fabs(more_z), half, fma(fabs(y) + fabs(more), row.r, rate.v[v]));
    balance.v[v] = fma(w.v[v], fma(share, more_z, more), balance.v[v]);
  }
  const measured_loss lost = measured_loss_of(a, w, march_difference(s.next, s.here), s.low, high);
  if (c.idle != 0) {
    closed_seldom();
#pragma unroll
    for (int v = 1; v < march_nodes; v++)
      if (c.idle >> v & 1)
        balance.v[v] = u.v[v] = rate.v[v] = 0;
  }
  REAL energy = 0, content = 0, total = 0, absolute = 0;
#pragma unroll
  for (int v = 0; v < march_nodes; v++) {
    energy = fma(w.v[v], u.v[v], energy);
    content = fma(w.v[v], s.here.v[v], content);
    total += balance.v[v];
    absolute += fabs(balance.v[v]);
    sums.u2 = closed_larger(sums.u2, u.v[v]);
    sums.rate = closed_larger(sums.rate, rate.v[v]);
    sums.divergence = closed_larger(sums.divergence, fabs(balance.v[v]) * per.v[v]);
  }
  const double wz = l.w;
  sums.energy = fma(wz, (double)energy, sums.energy);
  sums.total = fma(wz, (double)total, sums.total);
  sums.absolute = fma(wz, (double)absolute, sums.absolute);
  sums.content = fma(wz, (double)content, sums.content);
  sums.lost = fma(wz, (double)fma(row.w, lost.own, row.inner * lost.beside),
                  fma((double)l.inner, (double)fma(row.w, lost.above, row.inner * lost.both), sums.lost));
}

/* Partial results of AdvectMeasured; those that closed_trilinear_advect gives are 0. Where a velocity is NaN so is the sum of |u|^2, and then all maxima.
   Reads T and p: 2 words a node. */
KERNEL_BOUNDS(closed_trilinear_statistics, cv_closed_trilinear_args, 128, 3) {
  __shared__ closed_level levels[closed_planes + 1];
  __shared__ double room[closed_count][32];
  const cv_closed_args &closed = a.closed;
  const cv_advect_args &f = closed.advect_measured.flow;
  trilinear_column c = trilinear_column_of(f.box, f.periodic, 1);
  c.m.owns = c.m.owns && counts_row(f.box, c.m.j); /* nothing is written */
  const march &m = c.m;
  const int sz = (int)f.box.sz, nx = (int)f.box.n[0];
  const bool walls = !f.periodic[2];
  closed_trilinear_levels(closed, m, levels);
  const march_vector w = march_axis(AXIS(f.w[0]), m.i, m.owns ? nx : 0);
  const REAL wy = AXIS(f.w[1])[m.j];
  const measured_row row = {wy, (REAL)0.5 / wy, (REAL)(AXIS(closed.advect_measured.h[1])[m.j] != 0), trilinear_sides_of(a, m.j)};
  const int64_t at = m.i + m.j * f.box.sy + (m.low - 1) * f.box.sz;
  const REAL *t = AXIS(f.t) + at, *p = AXIS(closed.p) + at;
  march_vector per;
#pragma unroll
  for (int v = 0; v < march_nodes; v++)
    per.v[v] = w.v[v] != 0 ? (REAL)0.5 / w.v[v] : 0;
  closed_sums sums = {};
  measured_state s = {};
  s.here = march_load(t);
  s.next = march_load(t + sz);
  trilinear_read(a, c, row.sides, trilinear_planes_at(c, p, t, s.here, trilinear_inwards(f.box, walls, m.low - 1)), closed_mean(closed, m.low - 1), 0,
                 s.flux, s.low);
  __syncthreads();
  for (int k = m.low - 1; k < m.high; k++) {
    /* The rows beside come first: they are near, and what is asked for after them is not. */
    const trilinear_planes planes = trilinear_planes_at(c, p + sz, t + sz, s.next, trilinear_inwards(f.box, walls, k + 1));
    const march_vector over = march_load(t + 2 * sz);
    trilinear_prefetch(p + 2 * sz);
    const closed_level &l = levels[k - m.low + 1];
    trilinear_bends high;
    const trilinear_flux q = trilinear_read(a, c, row.sides, planes, l.mean, l.g, s.flux, high);
    measured_within(c, high);
    if (k >= m.low)
      measured_plane(a, c, row, w, per, l, k, s, q, high, sums);
    s.low = high;
    s.below = q.z;
    s.here = s.next;
    s.next = over;
    t += sz, p += sz;
  }
  closed_put_sums(closed.advect_measured.partial, m, sums, wy, row.r, room);
}
