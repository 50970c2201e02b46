/* Sums over faces with 7 points: HeatFlux and Dissipation. A node counts its upper faces. */
#include "launch.h"
#include "conductivity.cuh"
#include "faces.cuh"
#include "reduce.cuh"
#include "slab.cuh"
#include "transport.cuh"

/* What a thread finds in its column of kernels.HeatFluxArgs. */
template <int axis>
DEVICE double heat_flux_slab(const cv_darcy_args &a, const slab &s) {
  const cv_elliptic &e = a.a;
  constexpr int b = (axis + 1) % 3, c = (axis + 2) % 3;
  const int64_t stride = axis == 0 ? 1 : axis == 1 ? e.box.sy : e.box.sz, column = s.i + s.j * e.box.sy;
  double sum = 0;
  for (int k = s.low; k < s.high; k++) {
    const int p[3] = {s.i, s.j, k};
    if (!has_upper_face(a, axis, p[axis]))
      continue;
    const REAL *t = AXIS(a.t) + column + k * e.box.sz, q = AXIS(a.q[axis])[column + k * e.box.sz];
    const REAL heat = q * face_temperature((int)a.scheme, q, t, stride, p[axis], (int)e.box.n[axis], a.periodic[axis]);
    const double volume = (double)AXIS(e.w[b])[p[b]] * AXIS(e.w[c])[p[c]] * AXIS(e.h[axis])[p[axis]];
    sum += volume * heat - (double)face_section<axis>(e, s.i, s.j, k) * ((double)t[stride] - t[0]);
  }
  return sum;
}

/* One partial a block. Reads T, Q and K of cells once: 2 words a node, and one with cells. */
KERNEL(heat_flux, cv_darcy_args) {
  const slab s = slab_of(a.a.box.n);
  put_sum(a.partial, a.axis == 0   ? heat_flux_slab<0>(a, s)
                     : a.axis == 1 ? heat_flux_slab<1>(a, s)
                                   : heat_flux_slab<2>(a, s));
}

/* g_f (T_+ - T)^2 of the upper face of a node; t points at it. */
template <int axis>
DEVICE double face_dissipation(const cv_elliptic &e, const REAL *t, int64_t stride, int i, int j, int k) {
  const int p = axis == 0 ? i : axis == 1 ? j : k;
  const double d = (double)t[stride] - t[0];
  return (double)face_section<axis>(e, i, j, k) * AXIS(e.rh[axis])[p] * (d * d);
}

/* One partial a block. Reads T and K of cells once: 1 word a node, and one for each array of cells. */
KERNEL(dissipation, cv_darcy_args) {
  const cv_elliptic &e = a.a;
  const slab s = slab_of(e.box.n);
  double sum = 0;
  for (int k = s.low; k < s.high; k++) {
    const REAL *t = AXIS(a.t) + s.i + s.j * e.box.sy + k * e.box.sz;
    if (has_upper_face(a, 0, s.i))
      sum += face_dissipation<0>(e, t, 1, s.i, s.j, k);
    if (e.box.sy && has_upper_face(a, 1, s.j))
      sum += face_dissipation<1>(e, t, e.box.sy, s.i, s.j, k);
    if (has_upper_face(a, 2, k))
      sum += face_dissipation<2>(e, t, e.box.sz, s.i, s.j, k);
  }
  put_sum(a.partial, sum);
}
