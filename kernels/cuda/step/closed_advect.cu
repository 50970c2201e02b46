/* The heat gain by advection where the flow goes through no wall, and the sums of that gain and of the heat carried upwards. */
#include "closed_sums.cuh"
#include "van_leer.cuh"

/* What goes out through the faces in x, for widths of 1 across. */
DEVICE march_vector closed_out_x(bool central, const cv_closed_args &a, const closed_column &c, const march_vector &t, const march_vector &p) {
  const march &m = c.m;
  const int nx = (int)a.advect_measured.flow.box.n[0];
  const march_vector q = closed_along(a, c, p);
  const REAL next = march_after(t.v[0]);
  march_vector d, heat, r;
#pragma unroll
  for (int v = 0; v < march_nodes; v++)
    d.v[v] = (v + 1 < march_nodes ? t.v[(v + 1) % march_nodes] : next) - t.v[v];
  REAL before = march_before(d.v[march_nodes - 1]), after = march_after(d.v[0]);
  if (c.edge) {
    closed_seldom();
    if (c.at_left) /* the limiter's value is 1 where the node upwind lies beyond a wall */
      before = d.v[0];
#pragma unroll
    for (int v = 1; v < march_nodes; v++)
      if (c.at_right && m.i + v == nx - 1)
        d.v[v] = d.v[v - 1];
    if (c.at_right && m.i + march_nodes == nx - 1)
      after = d.v[march_nodes - 1];
  }
#pragma unroll
  for (int v = 0; v < march_nodes; v++)
    heat.v[v] = carried_heat(central, q.v[v], t.v[v], v + 1 < march_nodes ? t.v[(v + 1) % march_nodes] : next,
                                    v > 0 ? d.v[(v + march_nodes - 1) % march_nodes] : before, d.v[v],
                                    v + 1 < march_nodes ? d.v[(v + 1) % march_nodes] : after);
  const REAL low = march_before(heat.v[march_nodes - 1]);
#pragma unroll
  for (int v = 0; v < march_nodes; v++)
    r.v[v] = heat.v[v] - (v > 0 ? heat.v[(v + march_nodes - 1) % march_nodes] : low);
  return r;
}

/* T of the two rows before and behind a lane's, and p of the nearer ones. */
typedef struct {
  march_vector far_front, front, back, far_back, p_front, p_back;
} closed_beside;

/* t and p point at the lane's vectors. */
DEVICE closed_beside closed_beside_of(const REAL *t, const REAL *p, int sy) {
  closed_beside b = {};
  b.far_front = march_load(t - 2 * sy);
  b.back = march_load(t + sy);
  b.front = march_load(t - sy);
  b.far_back = march_load(t + 2 * sy);
  b.p_front = march_load(p - sy);
  b.p_back = march_load(p + sy);
  return b;
}

/* What is the same in a row: dual width, Q over a difference of p on the faces below and above. */
typedef struct {
  REAL w, low, high;
} closed_advect_row;

/* The same in y. */
DEVICE march_vector closed_out_y(bool central, const cv_closed_args &a, const closed_column &c, const closed_advect_row &row, const closed_beside &b,
                                 const march_vector &t, const march_vector &p) {
  const int ny = (int)a.advect_measured.flow.box.n[1], j = c.m.j;
  march_vector d[4] = {march_difference(b.front, b.far_front), march_difference(t, b.front), march_difference(b.back, t),
                       march_difference(b.far_back, b.back)};
  if (c.near_y) {
    closed_seldom();
    if (j == 0)
      d[1] = d[2];
    if (j == 1)
      d[0] = d[1];
    if (j == ny - 1)
      d[2] = d[1];
    if (j == ny - 2)
      d[3] = d[2];
  }
  march_vector low, high;
#pragma unroll
  for (int v = 0; v < march_nodes; v++)
    low.v[v] = carried_heat(central, darcy_across(row.low, b.p_front.v[v], p.v[v]), b.front.v[v], t.v[v], d[0].v[v], d[1].v[v], d[2].v[v]);
#pragma unroll
  for (int v = 0; v < march_nodes; v++)
    high.v[v] = carried_heat(central, darcy_across(row.high, p.v[v], b.p_back.v[v]), t.v[v], b.back.v[v], d[1].v[v], d[2].v[v], d[3].v[v]);
  return march_difference(high, low);
}

/* Heat through the faces in z above the nodes. */
DEVICE march_vector closed_heat_z(bool central, const march_vector &q, const march_vector &tb, const march_vector &tc, const march_vector &below,
                                  const march_vector &across, const march_vector &above) {
  march_vector r;
#pragma unroll
  for (int v = 0; v < march_nodes; v++)
    r.v[v] = carried_heat(central, q.v[v], tb.v[v], tc.v[v], below.v[v], across.v[v], above.v[v]);
  return r;
}

/* Asks for what lies at p, so that it is in the second-level cache when it is read. */
DEVICE void closed_ask([[maybe_unused]] const REAL *p) {
#ifdef __CUDACC__
  asm volatile("prefetch.global.L2 [%0];" ::"l"(p));
#endif
}

/* Out of kernels.AdvectMeasuredArgs, and partial sums of Out and of the heat flux upwards; `apart` where another field than T drives the flow. Reads T, p
   and that field and writes Out: 3 or 4 words a node. */
DEVICE void closed_advect_march(bool central, bool apart, const cv_closed_args &a, closed_level *levels, double (*room)[32]) {
  const cv_advect_args &f = a.advect_measured.flow;
  const closed_column c = closed_column_of(a, 2);
  const march &m = c.m;
  closed_levels(a, m, levels);
  const int sy = (int)f.box.sy, sz = (int)f.box.sz, nx = (int)f.box.n[0], nz = (int)f.box.n[2];
  const bool walls = !f.periodic[2];
  const REAL *rh = AXIS(a.advect_measured.rh[1]) + m.j, ky = (REAL)a.conductivity[1];
  const closed_advect_row row = {AXIS(f.w[1])[m.j], ky * rh[-1], ky * rh[0]};
  const int64_t at = m.i + m.j * f.box.sy + m.low * f.box.sz;
  const REAL *t = AXIS(f.t) + at, *p = AXIS(a.p) + at, *driver = AXIS(a.driver) + at;
  REAL *out = static_cast<REAL *>(f.out) + at;
  closed_heats sums = {};
  const closed_level under = closed_level_of(a, m.low - 1);
  march_vector own = march_load(t), above = march_load(t + sz), pressure = march_load(p);
  const march_vector down = march_load(t - sz), lowest = march_difference(down, march_load(t - 2 * sz));
  march_vector low = march_difference(own, down), high = march_difference(above, own), theta = closed_less(apart ? march_load(driver) : own, under.mean);
  const march_vector q = closed_up(under.g, under.lift, march_load(p - sz), pressure, closed_less(apart ? march_load(driver - sz) : down, closed_mean(a, m.low - 1)), theta);
  march_vector heat = closed_heat_z(central, q, down, own, walls && m.low == 1 ? low : lowest, low, walls && m.low == nz - 1 ? low : high);
  if (walls && m.low == 0)
    low = high;
  __syncthreads();
  for (int k = m.low; k < m.high; k++) {
    /* The rows beside come first: they are near, and what is asked for after them is not. */
    const closed_beside b = closed_beside_of(t, p, sy);
    const march_vector over = march_load(t + 2 * sz), p_above = march_load(p + sz);
    const march_vector driver_above = apart ? march_load(driver + sz) : above;
    if (sizeof(REAL) == 4 && k + 1 < m.high) { /* in double it costs more than it gains */
      closed_ask(t + 3 * sz);
      closed_ask(p + 2 * sz);
    }
    const closed_level &l = levels[k - m.low];
    const march_vector x = closed_out_x(central, a, c, own, pressure), y = closed_out_y(central, a, c, row, b, own, pressure);
    march_vector higher = march_difference(over, above);
    if (walls && k == nz - 2)
      higher = high;
    const march_vector theta_above = closed_less(driver_above, l.mean);
    const march_vector up = closed_heat_z(central, closed_up(l.g, l.lift, pressure, p_above, theta, theta_above), own, above, low, high, higher);
    const REAL share = row.w * l.r;
    march_vector gain;
    REAL sum = 0, carried = 0, conducted = 0;
#pragma unroll
    for (int v = 0; v < march_nodes; v++) {
      gain.v[v] = -l.w * fma(c.w.v[v], fma(share, up.v[v] - heat.v[v], y.v[v]), row.w * x.v[v]);
      carried = fma(c.w.v[v], up.v[v], carried);
      conducted = fma(c.w.v[v], high.v[v], conducted);
    }
    if (c.edge) { /* what lies beyond the row counts for nothing */
      closed_seldom();
#pragma unroll
      for (int v = 1; v < march_nodes; v++)
        if (m.i + v >= nx)
          gain.v[v] = 0;
    }
#pragma unroll
    for (int v = 0; v < march_nodes; v++)
      sum += gain.v[v];
    sums.out += sum;
    sums.carried = fma((double)(l.h * row.w), (double)carried, sums.carried);
    sums.conducted = fma((double)(l.inner * row.w), (double)conducted, sums.conducted);
    if (m.owns)
      march_store(out, gain, m.i, nx);
    own = above;
    above = over;
    pressure = p_above;
    theta = theta_above;
    low = high;
    high = higher;
    heat = up;
    t += sz, p += sz, driver += sz, out += sz;
  }
  closed_put_heats(a.advect_measured.partial, a.advect_measured.flow.box, m, sums, a.advect_measured.k[2], room);
}

KERNEL_BOUNDS(closed_advect, cv_closed_args, 256, 2) {
  __shared__ closed_level levels[closed_planes];
  __shared__ double room[2][32];
  const bool central = a.advect_measured.flow.scheme == cv_central;
  if (AXIS(a.driver) != AXIS(a.advect_measured.flow.t))
    closed_advect_march(central, true, a, levels, room);
  else if (central) /* a code for each: the choice in the loop costs 3 % */
    closed_advect_march(true, false, a, levels, room);
  else
    closed_advect_march(false, false, a, levels, room);
}
