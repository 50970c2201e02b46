/* The statistics of a flow that goes through no wall and of its heat, as those of FlowStatistics, the content and the dissipation.

   Sums are made of 2 u, whose squares and magnitudes are scaled at the end: max(|a|,|b|) = (|a + b| + |a - b|) / 2, and both are needed anyway. */
#include "closed_sums.cuh"

/* What is the same in a row: dual width, half its reciprocal, Q over a difference of p on the faces below and above, what a difference of T above
   loses. */
typedef struct {
  REAL w, r, low, high, lost;
} closed_statistics_row;

/* T and p of three planes, the third loaded ahead, theta of two, Q on the faces below and above the first, and what drives the flow in the second and
   third plane where that is not T. */
typedef struct {
  march_vector t[3], p[3], theta[2], q[2], driver[2];
} closed_state;

/* Adds what plane k gives; t, p and driver point at it, `per` holds halves of the reciprocals of dual widths. */
DEVICE void closed_statistics_plane(bool apart, const cv_closed_args &a, const closed_column &c, const closed_statistics_row &row, const march_vector &per,
                                    const closed_level &l, int k, closed_state &s, closed_sums &sums, const REAL *t, const REAL *p,
                                    const REAL *driver) {
  const cv_advect_args &f = a.advect_measured.flow;
  const int sy = (int)f.box.sy, sz = (int)f.box.sz, nx = (int)f.box.n[0], nz = (int)f.box.n[2];
  const bool inside = f.periodic[2] != 0 || (k > 0 && k < nz - 1);
  /* The rows beside come first: they are near, and what is asked for after them is not. */
  const march_vector back = march_load(t + sy), p_front = march_load(p - sy), p_back = march_load(p + sy), &here = s.t[0];
  s.t[2] = march_load(t + 2 * sz);
  s.p[2] = march_load(p + 2 * sz);
  if (apart)
    s.driver[1] = march_load(driver + 2 * sz);
  const march_vector q = closed_along(a, c, s.p[0]);
  const REAL low = march_before(q.v[march_nodes - 1]), next = march_after(here.v[0]);
  march_vector u, balance, rate, lost;
  REAL across = 0;
#pragma unroll
  for (int v = 0; v < march_nodes; v++) {
    const REAL q_low = v > 0 ? q.v[(v + march_nodes - 1) % march_nodes] : low, more = q.v[v] - q_low;
    const REAL d = (v + 1 < march_nodes ? here.v[(v + 1) % march_nodes] : next) - here.v[v];
    u.v[v] = q_low + q.v[v];
    rate.v[v] = (fabs(u.v[v]) + fabs(more)) * per.v[v];
    balance.v[v] = row.w * more;
    across = fma(c.rh.v[v] * d, d, across);
  }
  if (c.edge) {
    closed_seldom();
    if (c.at_left)
      u.v[0] = 0;
#pragma unroll
    for (int v = 0; v < march_nodes; v++)
      if (c.at_right && c.m.i + v == nx - 1)
        u.v[v] = 0;
  }
  s.theta[1] = closed_less(apart ? s.driver[0] : s.t[1], l.mean);
  s.q[1] = closed_up(l.g, l.lift, s.p[0], s.p[1], s.theta[0], s.theta[1]);
  const REAL share = row.w * l.r, half = (REAL)0.5 * l.r, lost_z = row.w * l.lost;
#pragma unroll
  for (int v = 0; v < march_nodes; v++) {
    const REAL y_low = darcy_across(row.low, p_front.v[v], s.p[0].v[v]), y_high = darcy_across(row.high, s.p[0].v[v], p_back.v[v]);
    const REAL y = y_low + y_high, more = y_high - y_low, z = s.q[0].v[v] + s.q[1].v[v], more_z = s.q[1].v[v] - s.q[0].v[v];
    const REAL dy = back.v[v] - here.v[v], dz = s.t[1].v[v] - here.v[v];
    u.v[v] *= u.v[v];
    if (!c.wall_y)
      u.v[v] = fma(y, y, u.v[v]);
    if (inside)
      u.v[v] = fma(z, z, u.v[v]);
    rate.v[v] = fma(fabs(z) + fabs(more_z), half, fma(fabs(y) + fabs(more), row.r, rate.v[v]));
    balance.v[v] = fma(c.w.v[v], fma(share, more_z, more), balance.v[v]);
    lost.v[v] = fma(lost_z * dz, dz, row.lost * dy * dy);
  }
  if (c.edge) { /* what lies beyond the row counts for nothing */
    closed_seldom();
#pragma unroll
    for (int v = 1; v < march_nodes; v++)
      if (c.m.i + v >= nx)
        balance.v[v] = u.v[v] = rate.v[v] = 0;
  }
  REAL energy = 0, content = 0, total = 0, absolute = 0, dissipated = (REAL)a.advect_measured.k[0] * row.w * across;
#pragma unroll
  for (int v = 0; v < march_nodes; v++) {
    energy = v > 0 ? fma(c.w.v[v], u.v[v], energy) : c.w.v[v] * u.v[v];
    content = v > 0 ? fma(c.w.v[v], here.v[v], content) : c.w.v[v] * here.v[v];
    total = v > 0 ? total + balance.v[v] : balance.v[v];
    absolute = v > 0 ? absolute + fabs(balance.v[v]) : fabs(balance.v[v]);
    dissipated = fma(c.w.v[v], lost.v[v], dissipated);
    sums.u2 = closed_larger(sums.u2, u.v[v]);
    sums.rate = closed_larger(sums.rate, rate.v[v]);
    sums.divergence = closed_larger(sums.divergence, fabs(balance.v[v]) * per.v[v]);
  }
  const double wz = l.w;
  sums.energy = fma(wz, (double)energy, sums.energy);
  sums.total = fma(wz, (double)total, sums.total);
  sums.absolute = fma(wz, (double)absolute, sums.absolute);
  sums.content = fma(wz, (double)content, sums.content);
  sums.lost = fma(wz, (double)dissipated, sums.lost);
}

DEVICE void closed_statistics_march(bool apart, const cv_closed_args &a, closed_level *levels, double (*room)[32]) {
  const cv_advect_args &f = a.advect_measured.flow;
  closed_column c = closed_column_of(a, 1);
  c.m.owns = c.m.owns && counts_row(f.box, c.m.j); /* nothing is written */
  const march &m = c.m;
  closed_levels(a, m, levels);
  const int sz = (int)f.box.sz;
  const REAL *rh = AXIS(a.advect_measured.rh[1]) + m.j, ky = (REAL)a.conductivity[1], wy = AXIS(f.w[1])[m.j];
  const closed_statistics_row row = {wy, (REAL)0.5 / wy, ky * rh[-1], ky * rh[0], (REAL)a.advect_measured.k[1] * rh[0]};
  const int64_t at = m.i + m.j * f.box.sy + m.low * f.box.sz;
  const REAL *t = AXIS(f.t) + at, *p = AXIS(a.p) + at, *driver = AXIS(a.driver) + at;
  closed_sums sums = {};
  closed_state s;
  march_vector per;
#pragma unroll
  for (int v = 0; v < march_nodes; v++)
    per.v[v] = c.w.v[v] != 0 ? (REAL)0.5 / c.w.v[v] : 0;
  s.t[0] = march_load(t);
  s.t[1] = march_load(t + sz);
  s.p[0] = march_load(p);
  s.p[1] = march_load(p + sz);
  const closed_level under = closed_level_of(a, m.low - 1);
  s.theta[0] = closed_less(apart ? march_load(driver) : s.t[0], under.mean);
  s.q[0] = closed_up(under.g, under.lift, march_load(p - sz), s.p[0], closed_less(march_load((apart ? driver : t) - sz), closed_mean(a, m.low - 1)),
                     s.theta[0]);
  if (apart)
    s.driver[0] = march_load(driver + sz);
  __syncthreads();
  for (int k = m.low; k < m.high; k++) {
    closed_statistics_plane(apart, a, c, row, per, levels[k - m.low], k, s, sums, t, p, driver);
    t += sz, p += sz, driver += sz;
    s.q[0] = s.q[1];
    s.t[0] = s.t[1], s.t[1] = s.t[2], s.p[0] = s.p[1], s.p[1] = s.p[2], s.theta[0] = s.theta[1];
    if (apart)
      s.driver[0] = s.driver[1];
  }
  closed_put_sums(a.advect_measured.partial, m, sums, wy, row.r, room);
}

/* Partial results of AdvectMeasured; those that closed_advect gives are 0. Where a velocity is NaN so is the sum of |u|^2, and then all maxima.
   Reads T and p, and another field that drives the flow: 2 or 3 words a node. */
KERNEL_BOUNDS(closed_statistics, cv_closed_args, 256, 2) {
  __shared__ closed_level levels[closed_planes];
  __shared__ double room[closed_count][32];
  if (AXIS(a.driver) != AXIS(a.advect_measured.flow.t))
    closed_statistics_march(true, a, levels, room);
  else
    closed_statistics_march(false, a, levels, room);
}
