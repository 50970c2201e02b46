/* Darcy's law with 7 points: BuoyancySource and DarcyFlux. */
#include "launch.h"
#include "conductivity.cuh"
#include "faces.cuh"
#include "slab.cuh"

/* A column of temperatures: theta_f on the face between the planes k and k+1 from the last one. */
typedef struct {
  const REAL *t, *mean;
  int64_t sz;
  int nz;
  REAL own; /* T at node k */
} theta_column;

/* The column above node k, which may be -1; t points at node 0. */
DEVICE theta_column theta_begin(const cv_darcy_args &a, const REAL *t, int k) {
  return theta_column{t, AXIS(a.mean), a.a.box.sz, (int)a.a.box.n[2], t[k * a.a.box.sz]};
}

DEVICE REAL theta_next(theta_column &c, int k) {
  const REAL below = c.own, mean_below = c.mean[k < 0 ? c.nz - 1 : k], mean_above = c.mean[k + 1 < c.nz ? k + 1 : 0];
  c.own = c.t[(k + 1) * c.sz];
  return point_theta(below, mean_below, c.own, mean_above);
}

/* F of kernels.BuoyancySourceArgs. Reads T, and K_z of cells, once and writes F: 2 words a node, and one with cells. */
KERNEL(buoyancy_source, cv_darcy_args) {
  const cv_elliptic &e = a.a;
  const slab s = slab_of(e.box.n);
  if (s.low >= s.high)
    return;
  const int64_t column = s.i + s.j * e.box.sy;
  const REAL ra = (REAL)a.rayleigh;
  const int nz = (int)e.box.n[2];
  REAL low = 0;
  theta_column t = theta_begin(a, AXIS(a.t) + column, s.low - 1);
  for (int k = s.low - 1; k < s.high; k++) {
    const REAL theta = theta_next(t, k);
    const bool inner = a.periodic[2] || (k >= 0 && k < nz - 1);
    const REAL high = inner ? face_section<2>(e, s.i, s.j, k) * (ra * theta) : 0;
    if (k >= s.low) {
      const int64_t at = column + k * e.box.sz;
      static_cast<REAL *>(a.f)[at] = (low - high) + wall_inflow(a, s.i, s.j, k, at);
    }
    low = high;
  }
}

/* Q of kernels.DarcyFluxArgs. Reads P, T and K of cells once and writes Q: 5 words a node, and one for each array of cells. */
KERNEL(darcy_flux, cv_darcy_args) {
  const cv_elliptic &e = a.a;
  const slab s = slab_of(e.box.n);
  if (s.low >= s.high)
    return;
  const int64_t column = s.i + s.j * e.box.sy, sy = e.box.sy, sz = e.box.sz;
  const bool has_x = a.periodic[0] || s.i < e.box.n[0] - 1, has_y = sy && (a.periodic[1] || s.j < e.box.n[1] - 1);
  const REAL *p = AXIS(a.p) + column, rx = AXIS(e.rh[0])[s.i], ry = AXIS(e.rh[1])[s.j], ra = (REAL)a.rayleigh;
  REAL own = p[s.low * sz];
  theta_column t = theta_begin(a, AXIS(a.t) + column, s.low);
  for (int k = s.low; k < s.high; k++) {
    const int64_t at = k * sz;
    const REAL above = p[at + sz], theta = theta_next(t, k);
    if (has_x)
      static_cast<REAL *>(a.q[0])[column + at] = face_conductivity<0>(e, s.i, s.j, k) * (rx * (own - p[at + 1]));
    if (has_y)
      static_cast<REAL *>(a.q[1])[column + at] = face_conductivity<1>(e, s.i, s.j, k) * (ry * (own - p[at + sy]));
    if (a.periodic[2] || k < e.box.n[2] - 1)
      static_cast<REAL *>(a.q[2])[column + at] =
          face_conductivity<2>(e, s.i, s.j, k) * (AXIS(e.rh[2])[k] * (own - above) + ra * theta);
    own = above;
  }
}
