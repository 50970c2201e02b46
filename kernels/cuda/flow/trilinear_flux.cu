/* Fluxes of trilinear elements through the dual faces (kernels/doc.go): BuoyancySource, DarcyFlux, HeatFlux and
   Dissipation with 27 points. A node adds up what the cells around it give to the edges above it. */
#include "../launch.h"
#include "faces.cuh"
#include "../vector/reduce.cuh"
#include "../march/slab.cuh"
#include "../step/transport.cuh"

/* A cell: u at its corners x + 2 y + 4 z, b of its edges in z at x + 2 y, conductivities and w_d = k_d / h_d^2, and
   widths. */
typedef struct {
  REAL u[8], b[4], w[3];
  REAL volume;
} flux_cell;

/* b = hz Ra theta of the edges in z of cell (i,j,k). */
DEVICE void cell_buoyancy(flux_cell &c, const cv_darcy_args &a, int i, int j, int k) {
  const cv_box &box = a.a.box;
  const int nz = (int)box.n[2];
  const REAL *t = AXIS(a.t) + i + j * box.sy + k * box.sz;
  const REAL low = AXIS(a.mean)[k < 0 ? nz - 1 : k], high = AXIS(a.mean)[k + 1 < nz ? k + 1 : 0];
  const REAL scale = AXIS(a.a.h[2])[k] * (REAL)a.rayleigh;
#pragma unroll
  for (int e = 0; e < 4; e++) {
    const REAL *edge = t + (e & 1) + (e >> 1) * box.sy;
    c.b[e] = scale * point_theta(edge[0], low, edge[box.sz], high);
  }
}

/* Cell (i,j,k), with u where it is given and without buoyancy. */
DEVICE flux_cell cell_at(const cv_elliptic &e, const REAL *u, int i, int j, int k) {
  const int at[3] = {i, j, k};
  const int64_t cell = i + j * e.box.sy + k * e.box.sz;
  flux_cell c;
  c.volume = 1;
#pragma unroll
  for (int d = 0; d < 3; d++) {
    const REAL rh = AXIS(e.rh[d])[at[d]];
    c.w[d] = (e.cells[0] ? AXIS(e.cells[d])[cell] : (REAL)e.k[d]) * (rh * rh);
    c.volume *= AXIS(e.h[d])[at[d]];
  }
#pragma unroll
  for (int n = 0; n < 8; n++)
    c.u[n] = u ? u[cell + (n & 1) + (n >> 1 & 1) * e.box.sy + (n >> 2) * e.box.sz] : 0;
#pragma unroll
  for (int n = 0; n < 4; n++)
    c.b[n] = 0;
  return c;
}

/* Natural flux along the edge in direction d above a corner: c_d times the sum of M M and the differences of the
   edges, minus delta. */
template <int d> DEVICE REAL natural_flux(const flux_cell &c, int corner) {
  constexpr int along = 1 << d, p = d == 0 ? 2 : 1, q = d == 2 ? 2 : 4; /* bits of the corners along d and across */
  const int beside[4] = {corner, corner ^ p, corner ^ q, corner ^ p ^ q};
  REAL difference[4];
#pragma unroll
  for (int n = 0; n < 4; n++)
    difference[n] = (c.u[beside[n]] - c.u[beside[n] | along]) + (d == 2 ? c.b[beside[n] & 3] : 0);
  const REAL sum = 4 * difference[0] + (2 * (difference[1] + difference[2]) + difference[3]);
  return c.volume * c.w[d] / 36 * sum;
}

/* What the circulations of buoyancy add to the flux along the edge in direction d above a corner: gamma of kernels/doc.go. */
template <int d> DEVICE REAL circulation(const flux_cell &c, int corner) {
  const REAL *b = c.b, wx = c.w[0], wy = c.w[1], wz = c.w[2], v = c.volume * wz / -24;
  const REAL x = corner & 1 ? -1 : 1, y = corner & 2 ? -1 : 1, z = corner & 4 ? -1 : 1;
  const REAL b10 = (b[0] - b[1]) + (b[2] - b[3]), b01 = (b[0] - b[2]) + (b[1] - b[3]);
  const REAL b11 = (b[0] - b[1]) - (b[2] - b[3]);
  const REAL gx = v * point_weight(wx, wx + wz) * b10, gy = v * point_weight(wy, wy + wz) * b01;
  const REAL g = v * point_weight(4 * b11, 3 * (wx + (wy + wz)));
  if (d == 0)
    return z * gx + (y * z) * (wx * g);
  if (d == 1)
    return z * gy + (x * z) * (wy * g);
  return -(x * gx + y * gy) - (x * y) * ((wx + wy) * g);
}

/* Flux along the edge in direction d above a corner; with buoyancy that nearest to the fluxes of edges. */
template <int buoyant, int d> DEVICE REAL cell_flux(const flux_cell &c, int corner) {
  const REAL flux = natural_flux<d>(c, corner);
  return buoyant ? flux + circulation<d>(c, corner) : flux;
}

/* Fluxes of u through the upper dual faces of node (i,j,k): the sums over the four cells around each edge. */
template <int buoyant>
DEVICE void node_fluxes(const cv_darcy_args &a, const REAL *u, int i, int j, int k, REAL (&flux)[3]) {
  flux[0] = flux[1] = flux[2] = 0;
#pragma unroll
  for (int n = 1; n < 8; n++) {
    const int in_x = n & 1, in_y = n >> 1 & 1, in_z = n >> 2, corner = 7 - n; /* of the cell, and of the node in it */
    flux_cell c = cell_at(a.a, u, i - 1 + in_x, j - 1 + in_y, k - 1 + in_z);
    if (buoyant)
      cell_buoyancy(c, a, i - 1 + in_x, j - 1 + in_y, k - 1 + in_z);
    if (in_x)
      flux[0] += cell_flux<buoyant, 0>(c, corner);
    if (in_y)
      flux[1] += cell_flux<buoyant, 1>(c, corner);
    if (in_z)
      flux[2] += cell_flux<buoyant, 2>(c, corner);
  }
}

/* F of kernels.BuoyancySourceArgs. Reads T, and K of cells, once and writes F: 2 words a node, and one with cells. */
KERNEL(trilinear_source, cv_darcy_args) {
  const cv_elliptic &e = a.a;
  const slab s = slab_of(e.box.n);
  for (int k = s.low; k < s.high; k++) {
    const int64_t at = s.i + s.j * e.box.sy + k * e.box.sz;
    REAL sum = 0;
#pragma unroll
    for (int n = 0; n < 8; n++) {
      const int x = s.i - 1 + (n & 1), y = s.j - 1 + (n >> 1 & 1), z = k - 1 + (n >> 2);
      flux_cell c = cell_at(e, nullptr, x, y, z);
      cell_buoyancy(c, a, x, y, z);
      const REAL flux = natural_flux<2>(c, (7 - n) & 3);
      sum += n >> 2 ? -flux : flux;
    }
    static_cast<REAL *>(a.f)[at] = sum + wall_inflow(a, s.i, s.j, k, at);
  }
}

/* Q of kernels.DarcyFluxArgs. Reads P, T and K of cells once and writes Q: 5 words a node, and one for each array of
   cells. */
KERNEL(trilinear_darcy_flux, cv_darcy_args) {
  const cv_elliptic &e = a.a;
  const slab s = slab_of(e.box.n);
  for (int k = s.low; k < s.high; k++) {
    const int64_t at = s.i + s.j * e.box.sy + k * e.box.sz;
    const int p[3] = {s.i, s.j, k};
    REAL flux[3];
    node_fluxes<1>(a, AXIS(a.p), s.i, s.j, k, flux);
#pragma unroll
    for (int axis = 0; axis < 3; axis++) {
      const int b = (axis + 1) % 3, c = (axis + 2) % 3;
      if ((axis == 1 && e.box.sy == 0) || !has_upper_face(a, axis, p[axis]))
        continue;
      static_cast<REAL *>(a.q[axis])[at] = flux[axis] / (AXIS(e.w[b])[p[b]] * AXIS(e.w[c])[p[c]]);
    }
  }
}

/* What a thread finds in its column of kernels.HeatFluxArgs. */
DEVICE double trilinear_heat_flux(const cv_darcy_args &a, const slab &s) {
  const cv_elliptic &e = a.a;
  const int axis = (int)a.axis, b = (axis + 1) % 3, c = (axis + 2) % 3;
  const int64_t stride = axis == 0 ? 1 : axis == 1 ? e.box.sy : e.box.sz;
  double sum = 0;
  for (int k = s.low; k < s.high; k++) {
    const int p[3] = {s.i, s.j, k};
    if (!has_upper_face(a, axis, p[axis]))
      continue;
    const int64_t at = s.i + s.j * e.box.sy + k * e.box.sz;
    const REAL *t = AXIS(a.t) + at, q = AXIS(a.q[axis])[at];
    const REAL heat = q * face_temperature((int)a.scheme, q, t, stride, p[axis], (int)e.box.n[axis], a.periodic[axis]);
    const double area = (double)AXIS(e.w[b])[p[b]] * AXIS(e.w[c])[p[c]];
    REAL flux[3];
    node_fluxes<0>(a, AXIS(a.t), s.i, s.j, k, flux);
    sum += AXIS(e.h[axis])[p[axis]] * (area * heat + (axis == 0 ? flux[0] : axis == 1 ? flux[1] : flux[2]));
  }
  return sum;
}

/* What it finds of kernels.DissipationArgs. */
DEVICE double trilinear_dissipation(const cv_darcy_args &a, const slab &s) {
  const cv_elliptic &e = a.a;
  double sum = 0;
  for (int k = s.low; k < s.high; k++) {
    const int64_t at = s.i + s.j * e.box.sy + k * e.box.sz, stride[3] = {1, e.box.sy, e.box.sz};
    const int p[3] = {s.i, s.j, k};
    const REAL *t = AXIS(a.t) + at;
    REAL flux[3];
    node_fluxes<0>(a, AXIS(a.t), s.i, s.j, k, flux);
#pragma unroll
    for (int axis = 0; axis < 3; axis++)
      if ((axis != 1 || e.box.sy != 0) && has_upper_face(a, axis, p[axis]))
        sum += ((double)t[0] - t[stride[axis]]) * flux[axis];
  }
  return sum;
}

/* One partial a block of HeatFlux; of Dissipation, where no Q is given. Reads T, and Q, once: 2 words a node or 1, and one for each array of cells. */
KERNEL(trilinear_heat_sum, cv_darcy_args) {
  const slab s = counted_slab_of(a.a.box, a.a.box.n);
  put_sum(a.partial, a.q[a.axis] ? trilinear_heat_flux(a, s) : trilinear_dissipation(a, s));
}
