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

/* What a thread finds in its column of kernels.DissipationArgs, K a number along each axis. */
DEVICE double dissipation_slab(const cv_darcy_args &a, const slab &s) {
  const cv_elliptic &e = a.a;
  const int64_t column = s.i + s.j * e.box.sy;
  const bool x = has_upper_face(a, 0, s.i), y = e.box.sy && has_upper_face(a, 1, s.j);
  double sum = 0;
  for (int k = s.low; k < s.high; k++) {
    const REAL *t = AXIS(a.t) + column + k * e.box.sz;
    REAL node = 0, d;
    if (x)
      d = t[1] - t[0], node += face_section<0>(e, false, (REAL)e.k[0], s.i, s.j, k) * AXIS(e.rh[0])[s.i] * (d * d);
    if (y)
      d = t[e.box.sy] - t[0], node += face_section<1>(e, false, (REAL)e.k[1], s.i, s.j, k) * AXIS(e.rh[1])[s.j] * (d * d);
    if (has_upper_face(a, 2, k))
      d = t[e.box.sz] - t[0], node += face_section<2>(e, false, (REAL)e.k[2], s.i, s.j, k) * AXIS(e.rh[2])[k] * (d * d);
    sum += node;
  }
  return sum;
}

/* What a layer of cells gives to A_f k_f of the upper faces along x and y of the nodes in the planes below and above it, and along z between them. */
typedef struct {
  REAL x, y, z;
} layer_sections;

/* Of the layer above plane k. b, c: half the widths of the cells before and after the node, along x and y. */
DEVICE layer_sections layer_sections_of(const cv_elliptic &e, int64_t column, int k, const REAL (&b)[2], const REAL (&c)[2]) {
  const int64_t at = column + k * e.box.sz, sy = e.box.sy;
  const REAL *x = AXIS(e.cells[0]) + at, *y = AXIS(e.cells[1]) + at, *z = AXIS(e.cells[2]) + at, half = (REAL)0.5 * AXIS(e.h[2])[k];
  layer_sections s;
  s.x = half * fma(c[1], x[0], c[0] * x[-sy]);
  s.y = sy ? half * fma(b[1], y[0], b[0] * y[-1]) : (REAL)0;
  s.z = fma(c[1], fma(b[1], z[0], b[0] * z[-1]), c[0] * fma(b[1], z[-sy], b[0] * z[-sy - 1]));
  return s;
}

/* What a thread finds in its column, K on cells: the sum of kernels.DissipationArgs, and of what is conducted down T along an axis, times distance. */
typedef struct {
  double dissipated, conducted;
} conduction_sums;

DEVICE conduction_sums conduction_slab(const cv_darcy_args &a, const slab &s) {
  const cv_elliptic &e = a.a;
  conduction_sums sums = {};
  if (s.low >= s.high)
    return sums;
  const int64_t column = s.i + s.j * e.box.sy;
  const REAL half = (REAL)0.5, *hx = AXIS(e.h[0]) + s.i, *hy = AXIS(e.h[1]) + s.j;
  const REAL b[2] = {half * hx[-1], half * hx[0]}, c[2] = {half * hy[-1], half * hy[0]};
  const bool x = has_upper_face(a, 0, s.i), y = e.box.sy && has_upper_face(a, 1, s.j);
  const REAL rx = AXIS(e.rh[0])[s.i], ry = AXIS(e.rh[1])[s.j];
  const REAL *t = AXIS(a.t) + column + s.low * e.box.sz;
  layer_sections below = layer_sections_of(e, column, s.low - 1, b, c);
  REAL own = t[0];
  for (int k = s.low; k < s.high; k++, t += e.box.sz) {
    const layer_sections above = layer_sections_of(e, column, k, b, c);
    const bool z = has_upper_face(a, 2, k);
    const REAL next = z ? t[e.box.sz] : own;
    const REAL dx = x ? t[1] - own : 0, dy = y ? t[e.box.sy] - own : 0, dz = next - own;
    const REAL fx = (below.x + above.x) * dx, fy = (below.y + above.y) * dy, fz = above.z * dz;
    sums.dissipated += fma(fx * rx, dx, fma(fy * ry, dy, fz * AXIS(e.rh[2])[k] * dz));
    sums.conducted -= a.axis == 0 ? fx : a.axis == 1 ? fy : fz;
    below = above, own = next;
  }
  return sums;
}

/* Two partial results a block, one kind after the other. Reads T, and K once: a word a node, and one for each array of cells. */
KERNEL_BOUNDS(conduction_sums_on_cells, cv_darcy_args, 256, heat_blocks) {
  __shared__ double room[2][32];
  const conduction_sums of = conduction_slab(a, counted_slab_of(a.a.box, a.a.box.n));
  const double sums[2] = {of.dissipated, of.conducted};
  put_all<2, 0>(a.partial, sums, room);
}

/* One partial a block of HeatFlux; of Dissipation, K a number along each axis, where no Q is given. Reads T, and Q, once: 2 words a node or 1, and of HeatFlux
   one for an array of cells. */
KERNEL_BOUNDS(heat_sum, cv_darcy_args, 256, heat_blocks) {
  const slab s = counted_slab_of(a.a.box, a.a.box.n);
  if (!a.q[a.axis])
    put_sum(a.partial, dissipation_slab(a, s));
  else
    put_sum(a.partial, a.axis == 0 ? heat_flux_slab<0>(a, s) : a.axis == 1 ? heat_flux_slab<1>(a, s) : heat_flux_slab<2>(a, s));
}
