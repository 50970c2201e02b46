/* Darcy's law with 7 points: BuoyancySource and DarcyFlux. */
#include "../launch.h"
#include "darcy.cuh"
#include "faces.cuh"
#include "../march/march.cuh"

/* Parts of the faces across an axis that the cells before and after each node of a vector have. */
typedef struct {
  march_vector before, after;
} march_parts;

DEVICE march_parts march_parts_of(const REAL *h, int i, int n) {
  const march_vector before = march_axis(h - 1, i, n), after = march_axis(h, i, n);
  march_parts r;
#pragma unroll
  for (int v = 0; v < march_nodes; v++) {
    const REAL whole = before.v[v] + after.v[v];
    r.before.v[v] = march_quotient(before.v[v], whole);
    r.after.v[v] = march_quotient(after.v[v], whole);
  }
  return r;
}

/* The average of both cells beside each node of a vector along x. All lanes of a warp take part. */
DEVICE march_vector average_beside(const march_parts &x, const march_vector &k) {
  const REAL before = march_before(k.v[march_nodes - 1]);
  march_vector r;
#pragma unroll
  for (int v = 0; v < march_nodes; v++)
    r.v[v] = fma(x.before.v[v], v == 0 ? before : k.v[(v + march_nodes - 1) % march_nodes], x.after.v[v] * k.v[v]);
  return r;
}

/* a x + b y. */
DEVICE march_vector average_of_two(REAL a, const march_vector &x, REAL b, const march_vector &y) {
  march_vector r;
#pragma unroll
  for (int v = 0; v < march_nodes; v++)
    r.v[v] = fma(a, x.v[v], b * y.v[v]);
  return r;
}

/* Parts of a face across y that the cells before and after a node have; h is at the node. */
DEVICE void parts_across_y(const REAL *h, REAL &before, REAL &after) {
  const REAL whole = h[-1] + h[0];
  before = march_quotient(h[-1], whole), after = march_quotient(h[0], whole);
}

/* The conductivities of the upper faces of the nodes of a vector: `cells` are those of its layer. All lanes of a warp take part. */
DEVICE march_vector face_along_z(const march_parts &x, REAL front, REAL back, const REAL *cells, int sy) {
  return average_of_two(front, average_beside(x, march_load(cells - sy)), back, average_beside(x, march_load(cells)));
}

/* F of kernels.BuoyancySourceArgs, in vectors; K is constant, or given on cells. */
template <bool cells> DEVICE void buoyancy_source_march(const cv_darcy_args &a) {
  const cv_elliptic &e = a.a;
  const march m = march_of<cells ? march_together : march_alone>(e.box.n, 0);
  if (!cells && !m.owns)
    return;
  const int nx = (int)e.box.n[0], ny = (int)e.box.n[1], nz = (int)e.box.n[2], sy = (int)e.box.sy, sz = (int)e.box.sz;
  const bool flows = a.q[0] || a.q[1] || a.q[2], side = flows && (m.i == 0 || m.i + march_nodes >= nx || m.j == 0 || m.j == ny - 1);
  march_vector w = march_axis(AXIS(e.w[0]), m.i, nx);
  const REAL across = cells ? AXIS(e.w[1])[m.j] : (REAL)e.k[2] * AXIS(e.w[1])[m.j], ra = (REAL)a.rayleigh;
#pragma unroll
  for (int v = 0; v < march_nodes; v++)
    w.v[v] *= across;
  const int64_t at = m.i + m.j * e.box.sy + m.low * e.box.sz;
  const REAL *t = AXIS(a.t) + at, *layer = 0;
  march_parts x = {};
  REAL front = 0, back = 0;
  if (cells) {
    x = march_parts_of(AXIS(e.h[0]), m.i, nx);
    parts_across_y(AXIS(e.h[1]) + m.j, front, back);
    layer = AXIS(e.cells[2]) + at;
  }
  REAL *f = static_cast<REAL *>(a.f) + at;
  march_vector own = march_load(t), above = march_load(t + sz), low = {};
  REAL mean = mean_at(a, m.low);
  if (a.periodic[2] || m.low > 0) {
    const march_vector below = march_load(t - sz), k = cells ? face_along_z(x, front, back, layer - sz, sy) : below;
    const REAL mean_below = mean_at(a, m.low - 1);
#pragma unroll
    for (int v = 0; v < march_nodes; v++)
      low.v[v] = (cells ? w.v[v] * k.v[v] : w.v[v]) * (ra * point_theta(below.v[v], mean_below, own.v[v], mean));
  }
#pragma unroll(cells ? 1 : 2)
  for (int k = m.low; k < m.high; k++) {
    const march_vector over = march_load(t + 2 * sz), conducts = cells ? face_along_z(x, front, back, layer, sy) : over;
    const REAL mean_above = mean_at(a, k + 1);
    const REAL buoyancy = a.periodic[2] || k < nz - 1 ? ra : 0;
    march_vector high, r;
#pragma unroll
    for (int v = 0; v < march_nodes; v++) {
      high.v[v] = (cells ? w.v[v] * conducts.v[v] : w.v[v]) * (buoyancy * point_theta(own.v[v], mean, above.v[v], mean_above));
      r.v[v] = low.v[v] - high.v[v];
    }
    if (m.owns) {
      march_store(f, r, m.i, nx);
      if (side || (flows && (k == 0 || k == nz - 1)))
#pragma unroll 1
        for (int v = 0; v < march_nodes && m.i + v < nx; v++) /* few nodes, and much code */
          f[v] += wall_inflow(a, m.i + v, m.j, k, at + (k - m.low) * e.box.sz + v);
    }
    own = above;
    above = over;
    low = high;
    mean = mean_above;
    t += sz;
    layer += sz;
    f += sz;
  }
}

/* Reads T once and writes F: 2 words a node, and one for each array of cells. */
KERNEL_BOUNDS(buoyancy_source, cv_darcy_args, 256, 4) {
  if (a.a.cells[0])
    buoyancy_source_march<true>(a);
  else
    buoyancy_source_march<false>(a);
}

/* The conductivity of faces where K is given on cells. What those along x and y have of the cells of a plane serves two planes of nodes. */
typedef struct {
  const REAL *cells[3]; /* at the nodes of plane k; of a flat box, which has no faces along y, any along y */
  int sy, sz;
  march_parts x = {};
  REAL front, back; /* the parts along y */
  march_vector x_below, y_below;
} face_march;

DEVICE march_vector face_across_x(const face_march &f) {
  return average_of_two(f.front, march_load(f.cells[0] - f.sy), f.back, march_load(f.cells[0]));
}

/* Planes from `low` on. */
DEVICE face_march face_march_of(const cv_elliptic &e, const march &m, int low) {
  face_march f;
  f.sy = (int)e.box.sy, f.sz = (int)e.box.sz;
  const int64_t at = m.i + m.j * e.box.sy + (low - 1) * e.box.sz;
#pragma unroll
  for (int d = 0; d < 3; d++)
    f.cells[d] = AXIS(d == 1 && !e.cells[1] ? e.cells[0] : e.cells[d]) + at;
  f.x = march_parts_of(AXIS(e.h[0]), m.i, (int)e.box.n[0]);
  parts_across_y(AXIS(e.h[1]) + m.j, f.front, f.back);
  f.x_below = face_across_x(f);
  f.y_below = average_beside(f.x, march_load(f.cells[1]));
#pragma unroll
  for (int d = 0; d < 3; d++)
    f.cells[d] += f.sz;
  return f;
}

/* The conductivities of the upper faces of plane k, which is the next. */
DEVICE void face_march_step(face_march &f, const REAL *hz, int k, march_vector (&faces)[3]) {
  const march_vector x = face_across_x(f), y = average_beside(f.x, march_load(f.cells[1]));
  faces[2] = face_along_z(f.x, f.front, f.back, f.cells[2], f.sy);
  const REAL whole = hz[k - 1] + hz[k], below = march_quotient(hz[k - 1], whole), above = march_quotient(hz[k], whole);
  faces[0] = average_of_two(below, f.x_below, above, x);
  faces[1] = average_of_two(below, f.y_below, above, y);
  f.x_below = x;
  f.y_below = y;
#pragma unroll
  for (int d = 0; d < 3; d++)
    f.cells[d] += f.sz;
}

/* Q of kernels.DarcyFluxArgs, in vectors; K is constant, or given on cells. */
template <bool cells> DEVICE void darcy_flux_march(const cv_darcy_args &a) {
  const cv_elliptic &e = a.a;
  const march m = march_of<march_together>(e.box.n, 1);
  const int nx = (int)e.box.n[0], ny = (int)e.box.n[1], nz = (int)e.box.n[2];
  const int64_t sy = e.box.sy, sz = e.box.sz;
  const bool has_y = sy && m.owns && (a.periodic[1] || m.j < ny - 1);
  const int faces = a.periodic[0] ? nx : nx - 1;
  const REAL ra = (REAL)a.rayleigh, constant[3] = {cells ? 1 : (REAL)e.k[0], cells ? 1 : (REAL)e.k[1], cells ? 1 : (REAL)e.k[2]};
  march_vector gx = march_axis(AXIS(e.rh[0]), m.i, nx), conducts[3];
  const REAL gy = constant[1] * AXIS(e.rh[1])[m.j], lift = darcy_lift(constant[2], ra);
#pragma unroll
  for (int v = 0; v < march_nodes; v++)
    gx.v[v] *= constant[0];
  int64_t at = m.i + m.j * sy + m.low * sz;
  const REAL *p = AXIS(a.p) + at, *t = AXIS(a.t) + at;
  march_vector own = march_load(p), warm = march_load(t), above = march_load(p + sz), warmer = march_load(t + sz);
  march_vector back_ahead = march_load(p + sy);
  face_march f;
  if (cells)
    f = face_march_of(e, m, m.low);
  REAL mean = mean_at(a, m.low);
  for (int k = m.low; k < m.high; k++, at += sz) {
    const march_vector back = back_ahead, ahead = march_load(p + 2 * sz), warm_ahead = march_load(t + 2 * sz);
    back_ahead = march_load(p + sy + sz); /* not used beyond the slab */
    p += sz;
    t += sz;
    const REAL next = march_after(own.v[0]), mean_above = mean_at(a, k + 1), gz = constant[2] * AXIS(e.rh[2])[k];
    if (cells)
      face_march_step(f, AXIS(e.h[2]), k, conducts);
    march_vector x, y, z;
#pragma unroll
    for (int v = 0; v < march_nodes; v++) {
      const REAL kx = cells ? conducts[0].v[v] : 1, ky = cells ? conducts[1].v[v] : 1, kz = cells ? conducts[2].v[v] : 1;
      x.v[v] = kx * darcy_across(gx.v[v], own.v[v], v + 1 < march_nodes ? own.v[(v + 1) % march_nodes] : next);
      y.v[v] = ky * darcy_across(gy, own.v[v], back.v[v]);
      z.v[v] = kz * darcy_up(gz, own.v[v], above.v[v], lift, warm.v[v] - mean, warmer.v[v] - mean_above);
    }
    if (m.owns)
      march_store(static_cast<REAL *>(a.q[0]) + at, x, m.i, faces);
    if (has_y)
      march_store(static_cast<REAL *>(a.q[1]) + at, y, m.i, nx);
    if (m.owns && (a.periodic[2] || k < nz - 1))
      march_store(static_cast<REAL *>(a.q[2]) + at, z, m.i, nx);
    own = above;
    warm = warmer;
    above = ahead;
    warmer = warm_ahead;
    mean = mean_above;
  }
}

/* Reads P and T once and writes Q: 5 words a node, and one for each array of cells. */
KERNEL_BOUNDS(darcy_flux, cv_darcy_args, 256, 3) {
  if (a.a.cells[0])
    darcy_flux_march<true>(a);
  else
    darcy_flux_march<false>(a);
}
