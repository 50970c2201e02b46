/* Transport of heat through the faces, central and TVD, and with it, where they are asked for, the sums of a flow and its
   heat: Advect and AdvectMeasured. A lane has a vector of nodes; the faces in x pass between lanes, those in z from plane to
   plane, and each lane computes both of its nodes' faces in y. */
#include "../launch.h"
#include "../march/march.cuh"
#include "measured.cuh"
#include "transport.cuh"
#include "van_leer.cuh"

/* Q T_f by a scheme. */
template <int scheme>
DEVICE REAL scheme_heat(REAL q, REAL tb, REAL tc, REAL below, REAL across, REAL above) {
  return scheme == cv_central ? q * point_central(tb, tc) : carried_heat(false, q, tb, tc, below, across, above);
}

/* Of the nodes of a lane in a plane: temperature and differences to the next nodes along the axes; velocities and heat on
   the faces below (0) and above (1). */
typedef struct {
  march_vector t, d[3], q[3][2], heat[3][2];
} measured_nodes;

/* What is the same in all planes: where the walls are, dual widths, and for sums 1/w and 1/h. What is along x is 0 at nodes
   that are not the lane's. */
typedef struct {
  march m;
  bool flat, at_left, at_right, front, back, near_y, edge;
  march_vector w, r, rh;
  REAL wy, ry, rhy;
} measured_column;

/* Sum over a vector of u (h heat - k difference): what is carried through the upper faces along an axis, times distance. */
DEVICE REAL measured_heat(const march_vector &u, REAL h, const march_vector &heat, REAL k, const march_vector &d) {
  REAL sum = 0;
#pragma unroll
  for (int v = 0; v < march_nodes; v++)
    sum = fma(u.v[v], fma(h, heat.v[v], -(k * d.v[v])), sum);
  return sum;
}

/* The same along the axis of the measured. */
DEVICE REAL measured_carried(const cv_advect_measured_args &s, const measured_column &c, const measured_nodes &n, int k, REAL wz) {
  const march &m = c.m;
  if (s.axis == 2) {
    const REAL h = AXIS(s.h[2])[k];
    return h != 0 ? c.wy * measured_heat(c.w, h, n.heat[2][1], (REAL)s.k[2], n.d[2]) : 0;
  }
  if (s.axis == 1) {
    const REAL h = AXIS(s.h[1])[m.j];
    return h != 0 ? wz * measured_heat(c.w, h, n.heat[1][1], (REAL)s.k[1], n.d[1]) : 0;
  }
  REAL sum = 0;
#pragma unroll
  for (int v = 0; v < march_nodes; v++)
    if (c.rh.v[v] != 0)
      sum += AXIS(s.h[0])[m.i + v] * n.heat[0][1].v[v] - (REAL)s.k[0] * n.d[0].v[v];
  return c.wy * wz * sum;
}

/* Of the nodes of a lane in a plane: 4 |u|^2, twice the Courant rate and what goes out. */
typedef struct {
  march_vector u2, rate, balance;
} measured_flow;

/* At walls a velocity is that of the wall's face; nodes beyond the row give nothing. */
DEVICE void measured_edge(measured_flow &f, march_vector &gain, const measured_column &c, const measured_nodes &n, int nx, bool bottom, bool top) {
  measured_seldom();
#pragma unroll
  for (int v = 0; v < march_nodes; v++) {
    const int i = c.m.i + v;
    const REAL ux = measured_velocity(n.q[0][0].v[v], n.q[0][1].v[v], c.at_left && i == 0, c.at_right && i == nx - 1);
    const REAL uy = c.flat ? (REAL)0 : measured_velocity(n.q[1][0].v[v], n.q[1][1].v[v], c.front, c.back);
    const REAL uz = measured_velocity(n.q[2][0].v[v], n.q[2][1].v[v], bottom, top);
    f.u2.v[v] = 4 * fma(uy, uy, fma(uz, uz, ux * ux));
    if (i >= nx)
      f.u2.v[v] = f.rate.v[v] = f.balance.v[v] = gain.v[v] = 0;
  }
}

/* Adds what the nodes of plane k give. With a larger magnitude max(|a|,|b|) = (|a + b| + |a - b|) / 2 both are needed anyway; halves are taken at the end. */
DEVICE void measured_plane(measured_sums &sums, const cv_advect_measured_args &s, const measured_column &c, const measured_nodes &n, int k,
                         march_vector gain) {
  const cv_advect_args &a = s.flow;
  const bool bottom = !a.periodic[2] && k == 0, top = !a.periodic[2] && k == a.box.n[2] - 1;
  const REAL wy = c.wy, wz = AXIS(a.w[2])[k], rz = march_quotient((REAL)1, wz), area = wy * wz;
  const REAL gx = (REAL)s.k[0] * area, gy = (REAL)s.k[1] * (wz * c.rhy), gz = (REAL)s.k[2] * (wy * AXIS(s.rh[2])[k]);
  REAL energy = 0, total = 0, absolute = 0, out = 0, content = 0, lost = 0;
  measured_flow f;
#pragma unroll
  for (int v = 0; v < march_nodes; v++) {
    const REAL w = c.w.v[v], ux = n.q[0][0].v[v] + n.q[0][1].v[v], uz = n.q[2][0].v[v] + n.q[2][1].v[v];
    const REAL dx = n.q[0][1].v[v] - n.q[0][0].v[v], dz = n.q[2][1].v[v] - n.q[2][0].v[v];
    REAL u2 = fma(uz, uz, ux * ux), rate = fma(fabs(uz) + fabs(dz), rz, (fabs(ux) + fabs(dx)) * c.r.v[v]), across = wy * dz;
    REAL loss = gz * (n.d[2].v[v] * n.d[2].v[v]);
    if (!c.flat) {
      const REAL uy = n.q[1][0].v[v] + n.q[1][1].v[v], dy = n.q[1][1].v[v] - n.q[1][0].v[v];
      u2 = fma(uy, uy, u2);
      rate = fma(fabs(uy) + fabs(dy), c.ry, rate);
      across = fma(wz, dy, across);
      loss = fma(gy, n.d[1].v[v] * n.d[1].v[v], loss);
    }
    f.u2.v[v] = u2, f.rate.v[v] = rate, f.balance.v[v] = fma(w, across, area * dx);
    content = fma(w, n.t.v[v], content);
    lost = fma(gx * c.rh.v[v], n.d[0].v[v] * n.d[0].v[v], fma(w, loss, lost));
  }
  if (c.edge || bottom || top)
    measured_edge(f, gain, c, n, (int)a.box.n[0], bottom, top);
#pragma unroll
  for (int v = 0; v < march_nodes; v++) {
    const REAL balance = f.balance.v[v];
    energy = fma(c.w.v[v], f.u2.v[v], energy);
    total += balance;
    absolute += fabs(balance);
    out += gain.v[v];
    sums.u2 = measured_larger(sums.u2, f.u2.v[v]);
    sums.rate = measured_larger(sums.rate, f.rate.v[v]);
    sums.divergence = measured_larger(sums.divergence, fabs(balance) * rz * c.r.v[v]);
  }
  sums.energy += wz * energy;
  sums.total += total;
  sums.absolute += absolute;
  sums.gain += out;
  sums.content += (double)wz * content;
  sums.dissipation += lost;
  sums.heat += measured_carried(s, c, n, k, wz);
}

/* Q T on the faces of a lane in x that are walls'; `next` is T after the vector. */
DEVICE void wall_faces_x(const cv_advect_args &a, const march &m, int k, measured_nodes &n, REAL next) {
  const int nx = (int)a.box.n[0];
  const int64_t element = m.j + k * a.box.n[1];
#pragma unroll
  for (int v = 0; v < march_nodes; v++) {
    REAL &heat = n.heat[0][1].v[v];
    if (m.i + v == -1)
      heat = wall_heat(a, 0, false, n.q[0][1].v[v], v + 1 < march_nodes ? n.t.v[(v + 1) % march_nodes] : next, element);
    if (m.i + v == nx - 1)
      heat = wall_heat(a, 0, true, n.q[0][1].v[v], n.t.v[v], element);
  }
}

/* The faces in x: differences, and heat below and above. */
template <int scheme>
DEVICE void measured_x(const cv_advect_args &a, const measured_column &c, int k, measured_nodes &n) {
  const march &m = c.m;
  const int nx = (int)a.box.n[0];
  const march_vector &t = n.t;
  march_vector &d = n.d[0];
  const REAL next = march_after(t.v[0]);
#pragma unroll
  for (int v = 0; v < march_nodes; v++)
    d.v[v] = (v + 1 < march_nodes ? t.v[(v + 1) % march_nodes] : next) - t.v[v];
  REAL before = march_before(d.v[march_nodes - 1]), after = march_after(d.v[0]);
  if (c.at_left || c.at_right) {
    measured_seldom();
    if (c.at_left && m.i == 0)
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
    n.heat[0][1].v[v] =
        scheme_heat<scheme>(n.q[0][1].v[v], t.v[v], v + 1 < march_nodes ? t.v[(v + 1) % march_nodes] : next,
                             v > 0 ? d.v[(v + march_nodes - 1) % march_nodes] : before, d.v[v],
                             v + 1 < march_nodes ? d.v[(v + 1) % march_nodes] : after);
  if (c.at_left || c.at_right)
    wall_faces_x(a, m, k, n, next);
  const REAL heat = march_before(n.heat[0][1].v[march_nodes - 1]), q = march_before(n.q[0][1].v[march_nodes - 1]);
#pragma unroll
  for (int v = 0; v < march_nodes; v++) {
    n.heat[0][0].v[v] = v > 0 ? n.heat[0][1].v[(v + march_nodes - 1) % march_nodes] : heat;
    n.q[0][0].v[v] = v > 0 ? n.q[0][1].v[(v + march_nodes - 1) % march_nodes] : q;
  }
}

/* Q T on the faces of a row at a wall in y. */
DEVICE void wall_faces_y(const cv_advect_args &a, const measured_column &c, int k, measured_nodes &n) {
#pragma unroll
  for (int v = 0; v < march_nodes; v++) {
    const int i = c.m.i + v;
    if (!c.m.owns || i >= a.box.n[0])
      continue;
    const int64_t element = i + k * a.box.n[0];
    if (c.front)
      n.heat[1][0].v[v] = wall_heat(a, 1, false, n.q[1][0].v[v], n.t.v[v], element);
    if (c.back)
      n.heat[1][1].v[v] = wall_heat(a, 1, true, n.q[1][1].v[v], n.t.v[v], element);
  }
}

/* The faces in y; t points at the vector. */
template <int scheme>
DEVICE void measured_y(const cv_advect_args &a, const measured_column &c, int k, measured_nodes &n, const REAL *t) {
  const int64_t sy = a.box.sy;
  const int ny = (int)a.box.n[1], j = c.m.j;
  const march_vector none = {}, far_front = scheme == cv_central ? none : march_load(t - 2 * sy), front = march_load(t - sy);
  const march_vector back = march_load(t + sy), far_back = scheme == cv_central ? none : march_load(t + 2 * sy);
  march_vector d[4];
#pragma unroll
  for (int v = 0; v < march_nodes; v++) {
    d[0].v[v] = front.v[v] - far_front.v[v];
    d[1].v[v] = n.t.v[v] - front.v[v];
    d[2].v[v] = back.v[v] - n.t.v[v];
    d[3].v[v] = far_back.v[v] - back.v[v];
  }
  if (scheme != cv_central && c.near_y) {
    measured_seldom();
    if (j == 0)
      d[1] = d[2];
    if (j == 1)
      d[0] = d[1];
    if (j == ny - 1)
      d[2] = d[1];
    if (j == ny - 2)
      d[3] = d[2];
  }
  n.d[1] = d[2];
#pragma unroll
  for (int v = 0; v < march_nodes; v++) {
    const REAL own = n.t.v[v];
    n.heat[1][0].v[v] = scheme_heat<scheme>(n.q[1][0].v[v], front.v[v], own, d[0].v[v], d[1].v[v], d[2].v[v]);
    n.heat[1][1].v[v] = scheme_heat<scheme>(n.q[1][1].v[v], own, back.v[v], d[1].v[v], d[2].v[v], d[3].v[v]);
  }
  if (c.front || c.back)
    wall_faces_y(a, c, k, n);
}

/* Heat on the faces between planes k and k + 1 of a lane, from T there and its differences from plane k-1 to k+2. */
template <int scheme>
DEVICE march_vector measured_z(const cv_advect_args &a, const march &m, int k, const march_vector &q, const march_vector &tb,
                             const march_vector &tc, march_vector below, const march_vector &across, march_vector above) {
  const int nz = (int)a.box.n[2];
  march_vector heat;
  if (!a.periodic[2] && (k < 0 || k >= nz - 1)) {
#pragma unroll
    for (int v = 0; v < march_nodes; v++) {
      const bool own = m.owns && m.i + v < a.box.n[0];
      heat.v[v] = own ? wall_heat(a, 2, k >= 0, q.v[v], k >= 0 ? tb.v[v] : tc.v[v], m.i + v + m.j * a.box.n[0]) : 0;
    }
    return heat;
  }
  if (scheme != cv_central && !a.periodic[2] && (k == 0 || k == nz - 2)) {
    measured_seldom();
    if (k == 0)
      below = across;
    if (k == nz - 2)
      above = across;
  }
#pragma unroll
  for (int v = 0; v < march_nodes; v++)
    heat.v[v] = scheme_heat<scheme>(q.v[v], tb.v[v], tc.v[v], below.v[v], across.v[v], above.v[v]);
  return heat;
}

/* The column of a lane. `measures` tells whether s is given. */
template <bool measures>
DEVICE measured_column measured_column_of(const cv_advect_args &a, const cv_advect_measured_args *s) {
  measured_column c;
  const march m = c.m = march_of<march_together>(a.box.n, 2);
  const int nx = (int)a.box.n[0], ny = (int)a.box.n[1];
  c.flat = a.box.sy == 0;
  c.at_left = !a.periodic[0] && m.i <= 0;
  c.at_right = !a.periodic[0] && m.i + march_nodes >= nx - 1;
  c.front = !c.flat && !a.periodic[1] && m.j == 0;
  c.back = !c.flat && !a.periodic[1] && m.j == ny - 1;
  c.near_y = !a.periodic[1] && (m.j < 2 || m.j >= ny - 2);
  c.edge = c.at_left || c.at_right || c.front || c.back || m.i + march_nodes > nx;
  const int n = m.owns ? nx : 0;
  c.w = march_axis(AXIS(a.w[0]), m.i, n);
  c.wy = AXIS(a.w[1])[m.j];
  if (measures) {
    c.rh = march_axis(AXIS(s->rh[0]), m.i, n);
    c.ry = 1 / c.wy;
    c.rhy = AXIS(s->rh[1])[m.j];
#pragma unroll
    for (int v = 0; v < march_nodes; v++)
      c.r.v[v] = c.w.v[v] != 0 ? 1 / c.w.v[v] : 0;
  }
  return c;
}

/* Out = -sum of +- A_f Q_f T_f and, with s, partial results of its sums. Reads T and Q once and writes Out: 5 words a
   node. */
template <int scheme, bool measures>
DEVICE void measured_march(const cv_advect_args &a, const cv_advect_measured_args *s, double (*room)[32]) {
  const measured_column c = measured_column_of<measures>(a, s);
  const march &m = c.m;
  const int64_t sy = a.box.sy, sz = a.box.sz;
  int64_t at = m.i + m.j * sy + m.low * sz;
  measured_sums sums = {};
  measured_nodes n;
  const REAL *t = AXIS(a.t) + at, *qx = AXIS(a.q[0]) + at, *qy = AXIS(a.q[1]) + at, *qz = AXIS(a.q[2]) + at;
  REAL *out = static_cast<REAL *>(a.out) + at;
  march_vector own = march_load(t), above = march_load(t + sz), down = march_load(t - sz);
  march_vector low = march_difference(own, down), high = march_difference(above, own);
  march_vector ahead_x = march_load(qx), ahead_z = march_load(qz), ahead_y = {};
  if (!c.flat)
    ahead_y = march_load(qy);
  n.q[2][1] = march_load(qz - sz);
  n.heat[2][1] = measured_z<scheme>(a, m, m.low - 1, n.q[2][1], down, own, march_difference(down, march_load(t - 2 * sz)), low, high);
  for (int k = m.low; k < m.high; k++) {
    n.t = own;
    n.q[0][1] = ahead_x;
    n.q[1][1] = ahead_y;
    n.q[2][0] = n.q[2][1];
    n.q[2][1] = ahead_z;
    n.heat[2][0] = n.heat[2][1];
    const march_vector over = march_load(t + 2 * sz);
    ahead_x = march_load(qx += sz); /* not used beyond the slab */
    ahead_z = march_load(qz += sz);
    if (!c.flat) {
      n.q[1][0] = march_load(qy - sy);
      ahead_y = march_load(qy += sz);
      measured_y<scheme>(a, c, k, n, t);
    }
    measured_x<scheme>(a, c, k, n);
    const march_vector higher = march_difference(over, above);
    n.heat[2][1] = measured_z<scheme>(a, m, k, n.q[2][1], own, above, low, high, higher);
    march_vector gain;
    const REAL wy = c.wy, wz = AXIS(a.w[2])[k], area = wy * wz;
#pragma unroll
    for (int v = 0; v < march_nodes; v++) {
      REAL across = wy * (n.heat[2][1].v[v] - n.heat[2][0].v[v]);
      if (!c.flat)
        across = fma(wz, n.heat[1][1].v[v] - n.heat[1][0].v[v], across);
      gain.v[v] = -fma(c.w.v[v], across, area * (n.heat[0][1].v[v] - n.heat[0][0].v[v]));
    }
    if (m.owns)
      march_store(out, gain, m.i, (int)a.box.n[0]);
    if (measures && m.owns) {
      n.d[2] = high;
      measured_plane(sums, *s, c, n, k, gain);
    }
    own = above;
    above = over;
    low = high;
    high = higher;
    t += sz;
    out += sz;
  }
  sums.energy *= 0.25, sums.u2 *= (REAL)0.25, sums.rate *= (REAL)0.5;
  if (measures)
    measured_put(s->partial, counts_row(a.box, m.j) ? sums : measured_sums{}, c.wy, c.ry, room);
}

KERNEL_BOUNDS(advect, cv_advect_args, 256, 2) {
  if (a.scheme == cv_central)
    measured_march<cv_central, false>(a, nullptr, nullptr);
  else
    measured_march<cv_tvd, false>(a, nullptr, nullptr);
}

KERNEL_BOUNDS(advect_measured, cv_advect_measured_args, 32 * measured_rows, 3) {
  __shared__ double room[measured_count][32];
  if (a.flow.scheme == cv_central)
    measured_march<cv_central, true>(a.flow, &a, room);
  else
    measured_march<cv_tvd, true>(a.flow, &a, room);
}
