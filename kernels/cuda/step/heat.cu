/* Sums over faces with 7 points: HeatFlux and Dissipation. A node counts its upper faces. */
#include "../launch.h"
#include "../flow/conductivity.cuh"
#include "../flow/faces.cuh"
#include "../vector/reduce.cuh"
#include "../march/slab.cuh"
#include "transport.cuh"

/* Blocks that a multiprocessor holds. */
enum { heat_blocks = sizeof(REAL) == 4 ? 5 : 4 };

/* What a thread finds in its column of kernels.HeatFluxArgs. Nodes in REAL, sums in double. */
template <int axis>
DEVICE double heat_flux_slab(const cv_darcy_args &a, const slab &s) {
  const cv_elliptic &e = a.a;
  const bool cells = e.cells[0];
  constexpr int b = (axis + 1) % 3, c = (axis + 2) % 3;
  const int64_t stride = axis == 0 ? 1 : axis == 1 ? e.box.sy : e.box.sz, column = s.i + s.j * e.box.sy;
  const REAL constant = (REAL)e.k[axis];
  double sum = 0;
  for (int k = s.low; k < s.high; k++) {
    const int p[3] = {s.i, s.j, k};
    if (!has_upper_face(a, axis, p[axis]))
      continue;
    const REAL *t = AXIS(a.t) + column + k * e.box.sz, q = AXIS(a.q[axis])[column + k * e.box.sz];
    const REAL heat = q * face_temperature((int)a.scheme, q, t, stride, p[axis], (int)e.box.n[axis], a.periodic[axis]);
    const REAL volume = AXIS(e.w[b])[p[b]] * AXIS(e.w[c])[p[c]] * AXIS(e.h[axis])[p[axis]];
    sum += volume * heat - face_section<axis>(e, cells, constant, s.i, s.j, k) * (t[stride] - t[0]);
  }
  return sum;
}

/* g_f (T_+ - T)^2 of the upper face of a node; t points at it. */
template <int axis>
DEVICE REAL face_dissipation(const cv_elliptic &e, bool cells, REAL constant, const REAL *t, int64_t stride, int i, int j, int k) {
  const int p = axis == 0 ? i : axis == 1 ? j : k;
  const REAL d = t[stride] - t[0];
  return face_section<axis>(e, cells, constant, i, j, k) * AXIS(e.rh[axis])[p] * (d * d);
}

/* What a thread finds in its column of kernels.DissipationArgs. */
DEVICE double dissipation_slab(const cv_darcy_args &a, const slab &s) {
  const cv_elliptic &e = a.a;
  const bool cells = e.cells[0];
  const REAL kx = (REAL)e.k[0], ky = (REAL)e.k[1], kz = (REAL)e.k[2];
  double sum = 0;
  for (int k = s.low; k < s.high; k++) {
    const REAL *t = AXIS(a.t) + s.i + s.j * e.box.sy + k * e.box.sz;
    REAL node = 0;
    if (has_upper_face(a, 0, s.i))
      node += face_dissipation<0>(e, cells, kx, t, 1, s.i, s.j, k);
    if (e.box.sy && has_upper_face(a, 1, s.j))
      node += face_dissipation<1>(e, cells, ky, t, e.box.sy, s.i, s.j, k);
    if (has_upper_face(a, 2, k))
      node += face_dissipation<2>(e, cells, kz, t, e.box.sz, s.i, s.j, k);
    sum += node;
  }
  return sum;
}

/* One partial a block of HeatFlux; of Dissipation, where no Q is given. Reads T, and Q, once: 2 words a node or 1, and one for each array of cells. */
KERNEL_BOUNDS(heat_sum, cv_darcy_args, 256, heat_blocks) {
  const slab s = counted_slab_of(a.a.box, a.a.box.n);
  if (!a.q[a.axis])
    put_sum(a.partial, dissipation_slab(a, s));
  else
    put_sum(a.partial, a.axis == 0 ? heat_flux_slab<0>(a, s) : a.axis == 1 ? heat_flux_slab<1>(a, s) : heat_flux_slab<2>(a, s));
}
