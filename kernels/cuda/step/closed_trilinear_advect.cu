/* The heat gain by advection where the flow goes through no wall, and the sums of that gain and of the heat carried upwards: closed_advect.cu for trilinear
   elements. */
#include "closed_sums.cuh"
#include "closed_trilinear.cuh"
#include "van_leer.cuh"

/* Q T_f on the faces of vectors. */
DEVICE march_vector carried_by(bool central, const march_vector &q, const march_vector &tb, const march_vector &tc, const march_vector &below,
                               const march_vector &across, const march_vector &above) {
  march_vector r;
#pragma unroll
  for (int v = 0; v < march_nodes; v++)
    r.v[v] = carried_heat(central, q.v[v], tb.v[v], tc.v[v], below.v[v], across.v[v], above.v[v]);
  return r;
}

/* A vector and the value before or after it, less its last or first. */
DEVICE march_vector carried_later(const march_vector &x, REAL after) {
  march_vector r;
#pragma unroll
  for (int v = 0; v < march_nodes; v++)
    r.v[v] = v + 1 < march_nodes ? x.v[(v + 1) % march_nodes] : after;
  return r;
}
DEVICE march_vector carried_earlier(const march_vector &x, REAL before) {
  march_vector r;
#pragma unroll
  for (int v = 0; v < march_nodes; v++)
    r.v[v] = v > 0 ? x.v[(v + march_nodes - 1) % march_nodes] : before;
  return r;
}

/* What goes out through the faces in x, for widths of 1 across. Where the node upwind lies beyond a wall the limiter's value is 1. */
DEVICE march_vector carried_out_x(bool central, const trilinear_column &c, const march_vector &q, const march_vector &t) {
  const march_vector next = carried_later(t, march_after(t.v[0]));
  march_vector d = march_difference(next, t);
  REAL before = march_before(d.v[march_nodes - 1]), after = march_after(d.v[0]);
  if (c.ends != 0) {
    closed_seldom();
    if (c.ends & 1)
      before = d.v[0];
#pragma unroll
    for (int v = 1; v <= march_nodes; v++) /* node v is the last of the row */
      if (c.ends >> v & 1) {
        if (v < march_nodes)
          d.v[v % march_nodes] = d.v[v - 1];
        else
          after = d.v[march_nodes - 1];
      }
  }
  const march_vector heat = carried_by(central, q, t, next, carried_earlier(d, before), d, carried_later(d, after));
  return march_difference(heat, carried_earlier(heat, march_before(heat.v[march_nodes - 1])));
}

/* T of the two rows before and behind a lane's. */
typedef struct {
  march_vector far_front, front, back, far_back;
} carried_beside;

/* t points at the lane's vector. */
DEVICE carried_beside carried_beside_of(const REAL *t, int sy) {
  carried_beside b = {};
  b.far_front = march_load(t - 2 * sy);
  b.front = march_load(t - sy);
  b.back = march_load(t + sy);
  b.far_back = march_load(t + 2 * sy);
  return b;
}

/* What goes out through the faces in y, for widths of 1 across. */
DEVICE march_vector carried_out_y(bool central, int j, int ny, bool near, const trilinear_flux &q, const carried_beside &b, const march_vector &t) {
  march_vector d[4] = {march_difference(b.front, b.far_front), march_difference(t, b.front), march_difference(b.back, t),
                       march_difference(b.far_back, b.back)};
  if (near) {
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
  const march_vector low = carried_by(central, q.front, b.front, t, d[0], d[1], d[2]);
  return march_difference(carried_by(central, q.back, t, b.back, d[1], d[2], d[3]), low);
}

/* Out of kernels.AdvectMeasuredArgs, and partial sums of Out and of the heat flux upwards. What trilinear elements conduct upwards through a plane is as much as
   with 7 points. Reads T and p and writes Out: 3 words a node. */
DEVICE void closed_trilinear_advect_march(const cv_closed_trilinear_args &a, closed_level *levels, double (*room)[32]) {
  const cv_closed_args &closed = a.closed;
  const cv_advect_args &f = closed.advect_measured.flow;
  const bool central = f.scheme == cv_central;
  const trilinear_column c = trilinear_column_of(f.box, f.periodic, 2);
  const march &m = c.m;
  const int sy = (int)f.box.sy, sz = (int)f.box.sz, nx = (int)f.box.n[0], ny = (int)f.box.n[1], nz = (int)f.box.n[2];
  const bool walls = !f.periodic[2], near_y = !f.periodic[1] && (m.j < 2 || m.j >= ny - 2);
  const march_vector w = march_axis(AXIS(f.w[0]), m.i, m.owns ? nx : 0);
  const REAL wy = AXIS(f.w[1])[m.j];
  const trilinear_sides row = trilinear_sides_of(a, m.j);
  closed_trilinear_levels(closed, m, levels);
  const int64_t at = m.i + m.j * f.box.sy + (m.low - 1) * f.box.sz;
  const REAL *t = AXIS(f.t) + at, *p = AXIS(closed.p) + at;
  REAL *out = static_cast<REAL *>(f.out) + at;
  closed_heats sums = {};
  trilinear_state s = {};
  trilinear_bends bends;
  march_vector own = march_load(t), above = march_load(t + sz), over = march_load(t + 2 * sz);
  march_vector low = march_difference(own, march_load(t - sz)), high = march_difference(above, own), heat = {};
  trilinear_read(a, c, row, trilinear_planes_at(c, p, t, own, trilinear_inwards(f.box, walls, m.low - 1)), closed_mean(closed, m.low - 1), 0, s, bends);
  __syncthreads();
  for (int k = m.low - 1; k < m.high; k++) {
    /* The rows beside come first: they are near, and what is asked for after them is not, nor is it needed in this step. */
    const carried_beside b = carried_beside_of(t, sy);
    const trilinear_planes planes = trilinear_planes_at(c, p + sz, t + sz, above, trilinear_inwards(f.box, walls, k + 1));
    const march_vector far = march_load(t + 3 * sz); /* not used beyond the slab, and not beyond the halo */
    trilinear_prefetch(p + 2 * sz);
    const closed_level &l = levels[k - m.low + 1];
    const trilinear_flux q = trilinear_read(a, c, row, planes, l.mean, l.g, s, bends);
    march_vector higher = march_difference(over, above);
    if (walls && k == 0)
      low = high;
    if (walls && k == nz - 2)
      higher = high;
    const march_vector up = carried_by(central, q.z, own, above, low, high, higher);
    if (k >= m.low) {
      const march_vector x = carried_out_x(central, c, q.x, own), y = carried_out_y(central, m.j, ny, near_y, q, b, own);
      const REAL share = wy * l.r;
      march_vector gain;
      REAL sum = 0, carried = 0, conducted = 0;
#pragma unroll
      for (int v = 0; v < march_nodes; v++) {
        gain.v[v] = -l.w * fma(w.v[v], fma(share, up.v[v] - heat.v[v], y.v[v]), wy * x.v[v]);
        carried = fma(w.v[v], up.v[v], carried);
        conducted = fma(w.v[v], high.v[v], conducted);
      }
      if (c.idle != 0) {
        closed_seldom();
#pragma unroll
        for (int v = 1; v < march_nodes; v++)
          if (c.idle >> v & 1)
            gain.v[v] = 0;
      }
#pragma unroll
      for (int v = 0; v < march_nodes; v++)
        sum += gain.v[v];
      sums.out += sum;
      sums.carried = fma((double)(l.h * wy), (double)carried, sums.carried);
      sums.conducted = fma((double)(l.inner * wy), (double)conducted, sums.conducted);
      if (m.owns)
        march_store(out, gain, m.i, nx);
    }
    own = above;
    above = over;
    over = far;
    low = high;
    high = higher;
    heat = up;
    t += sz, p += sz, out += sz;
  }
  closed_put_heats(closed.advect_measured.partial, closed.advect_measured.flow.box, m, sums, closed.advect_measured.k[2], room);
}

KERNEL_BOUNDS(closed_trilinear_advect, cv_closed_trilinear_args, 128, 3) {
  __shared__ closed_level levels[closed_planes + 1];
  __shared__ double room[2][32];
  closed_trilinear_advect_march(a, levels, room);
}
