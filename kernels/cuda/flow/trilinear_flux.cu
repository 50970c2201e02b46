/* Fluxes of trilinear elements through the dual faces (kernels/doc.go): BuoyancySource, DarcyFlux, HeatFlux and Dissipation with 27 points, on strips of trilinear_march.cuh. */
#include "faces.cuh"
#include "trilinear_march.cuh"
#include "../step/transport.cuh"

/* b over the temperature of two planes: half of h_z Ra. */
DEVICE REAL flux_lift(const cv_darcy_args &a, int k) { return (REAL)0.5 * (REAL)a.rayleigh * AXIS(a.a.h[2])[k]; }

/* Whether row r of a thread has nodes of its own. */
DEVICE bool flux_owns(const cv_elliptic &e, const flux_thread &t, int r) { return t.p.nodes > 0 && t.p.j + r < (int)e.box.n[1]; }

/* F of kernels.BuoyancySourceArgs. Reads T, and K of cells, once and writes F: 2 words a node, and one for each array of cells. */
KERNEL_BOUNDS(trilinear_source, cv_darcy_args, 128, 4) {
  const cv_elliptic &e = a.a;
  const int sy = (int)e.box.sy;
  const flux_thread t = trilinear_thread_of<1, flux_rows>(e);
  int64_t at = t.at + (t.k0 - 1) * e.box.sz;
  flux_plane low = flux_plane_at(t, AXIS(a.t) + at, sy, mean_at(a, t.k0 - 1));
  REAL below[flux_rows] = {};
  for (int k = t.k0 - 1; k < t.k1; k++, at += e.box.sz) {
    const flux_plane high = flux_plane_at(t, AXIS(a.t) + at + e.box.sz, sy, mean_at(a, k + 1));
    const REAL lift = flux_lift(a, k);
    flux_modes up[flux_cells];
#pragma unroll
    for (int c = 0; c < flux_cells; c++) {
      const REAL g = lift * flux_cell_of(e, t, at, k, c).g[2];
      up[c] = {9 * g * (low.s[c] + high.s[c]), 3 * g * (low.d[c] + high.d[c]), 3 * g * (low.e[c] + high.e[c]), g * (low.x[c] + high.x[c])};
    }
    REAL above[flux_rows];
    flux_up(above, up);
#pragma unroll
    for (int r = 0; r < flux_rows; r++) {
      const int64_t node = at + r * sy;
      if (k >= t.k0 && flux_owns(e, t, r))
        static_cast<REAL *>(a.f)[node] = (below[r] - above[r]) + wall_inflow(a, t.p.x, t.p.j + r, k, node);
      below[r] = above[r];
    }
    low = high;
  }
}

/* Q of kernels.DarcyFluxArgs. Reads P, T and K of cells once and writes Q: 5 words a node, and one for each array of
   cells. */
KERNEL_BOUNDS(trilinear_darcy_flux, cv_darcy_args, 128, 3) {
  const cv_elliptic &e = a.a;
  const int sy = (int)e.box.sy;
  const flux_thread t = trilinear_thread_of<1, flux_rows>(e);
  const bool x = has_upper_face(a, 0, t.p.x);
  const REAL over_x = strip_reciprocal(AXIS(e.w[0])[sweep_within(t.p.x, (int)e.box.n[0])]);
  REAL over_y[flux_rows];
#pragma unroll
  for (int r = 0; r < flux_rows; r++)
    over_y[r] = strip_reciprocal(AXIS(e.w[1])[sweep_within(t.p.j + r, (int)e.box.n[1])]);
  int64_t at = t.at + (t.k0 - 1) * e.box.sz;
  flux_state s = {flux_plane_at(t, AXIS(a.p) + at, sy, 0), flux_plane_at(t, AXIS(a.t) + at, sy, mean_at(a, t.k0 - 1)), {}, {}, {}, {}};
  for (int k = t.k0 - 1; k < t.k1; k++, at += e.box.sz) {
    const flux_plane high = flux_plane_at(t, AXIS(a.p) + at + e.box.sz, sy, 0), warm = flux_plane_at(t, AXIS(a.t) + at + e.box.sz, sy, mean_at(a, k + 1));
    const flux_nodes n = flux_step<true>(s, e, t, AXIS(a.p), high, warm, flux_lift(a, k), at, k);
    if (k < t.k0)
      continue;
    const REAL over_z = strip_reciprocal(AXIS(e.w[2])[k]);
#pragma unroll
    for (int r = 0; r < flux_rows; r++) {
      const int64_t node = at + r * sy;
      if (!flux_owns(e, t, r))
        continue;
      if (x)
        static_cast<REAL *>(a.q[0])[node] = n.x[r] * (over_y[r] * over_z);
      if (sy && has_upper_face(a, 1, t.p.j + r))
        static_cast<REAL *>(a.q[1])[node] = n.y[r] * (over_x * over_z);
      if (has_upper_face(a, 2, k))
        static_cast<REAL *>(a.q[2])[node] = n.z[r] * (over_x * over_y[r]);
    }
  }
}

/* What node (i,j,k), of the flux in the direction of kernels.HeatFluxArgs, adds to it: what is carried and what is conducted through its upper face. */
template <int axis> DEVICE double flux_heat(const cv_darcy_args &a, const int (&p)[3], int64_t at, REAL flux) {
  constexpr int b = (axis + 1) % 3, c = (axis + 2) % 3;
  const cv_elliptic &e = a.a;
  const int64_t stride = axis == 0 ? 1 : axis == 1 ? e.box.sy : e.box.sz;
  if (!has_upper_face(a, axis, p[axis]))
    return 0;
  const REAL *t = AXIS(a.t) + at, q = AXIS(a.q[axis])[at];
  const REAL heat = q * face_temperature((int)a.scheme, q, t, stride, p[axis], (int)e.box.n[axis], a.periodic[axis]);
  const double area = (double)AXIS(e.w[b])[p[b]] * AXIS(e.w[c])[p[c]];
  return AXIS(e.h[axis])[p[axis]] * (area * heat + flux);
}

/* And what it adds to kernels.DissipationArgs: differences of T times what is conducted. */
DEVICE double flux_lost(const cv_darcy_args &a, const int (&p)[3], int64_t at, REAL x, REAL y, REAL z) {
  const cv_box &box = a.a.box;
  const REAL *t = AXIS(a.t) + at;
  double sum = 0;
  if (has_upper_face(a, 0, p[0]))
    sum += ((double)t[0] - t[1]) * x;
  if (box.sy && has_upper_face(a, 1, p[1]))
    sum += ((double)t[0] - t[box.sy]) * y;
  if (has_upper_face(a, 2, p[2]))
    sum += ((double)t[0] - t[box.sz]) * z;
  return sum;
}

/* One partial a block of HeatFlux; of Dissipation, where no Q is given. Reads T, and Q, once: 2 words a node or 1, and one for each array of cells. */
KERNEL_BOUNDS(trilinear_heat_sum, cv_darcy_args, 128, 4) {
  const cv_elliptic &e = a.a;
  const int sy = (int)e.box.sy, axis = a.q[a.axis] ? (int)a.axis : -1;
  const flux_thread t = trilinear_thread_of<1, flux_rows>(e);
  int64_t at = t.at + (t.k0 - 1) * e.box.sz;
  flux_state s = {flux_plane_at(t, AXIS(a.t) + at, sy, 0), {}, {}, {}, {}, {}};
  double sum = 0;
  for (int k = t.k0 - 1; k < t.k1; k++, at += e.box.sz) {
    const flux_plane high = flux_plane_at(t, AXIS(a.t) + at + e.box.sz, sy, 0);
    const flux_nodes n = flux_step<false>(s, e, t, AXIS(a.t), high, {}, 0, at, k);
#pragma unroll
    for (int r = 0; r < flux_rows; r++) {
      const int p[3] = {t.p.x, t.p.j + r, k};
      const int64_t node = at + r * sy;
      if (k < t.k0 || !flux_owns(e, t, r) || !counts_row(e.box, p[1]))
        continue;
      sum += axis < 0 ? flux_lost(a, p, node, n.x[r], n.y[r], n.z[r])
             : axis == 0 ? flux_heat<0>(a, p, node, n.x[r]) : axis == 1 ? flux_heat<1>(a, p, node, n.y[r]) : flux_heat<2>(a, p, node, n.z[r]);
    }
  }
  put_sum(a.partial, sum);
}
