/* Transport of heat through the faces: Advect. */
#include "launch.h"
#include "slab.cuh"
#include "transport.cuh"

/* Q T_f on the face above node `at` of a column along an axis, p of n there, which may be -1; on walls with the inflow's element. */
template <int scheme, int axis>
DEVICE REAL face_heat(const cv_flow_args &a, int64_t at, int p, int64_t wall_element) {
  const int64_t stride = axis == 0 ? 1 : axis == 1 ? a.box.sy : a.box.sz;
  const int n = (int)a.box.n[axis];
  const REAL q = AXIS(a.q[axis])[at], *t = AXIS(a.t) + at;
  if (a.periodic[axis] || (p >= 0 && p < n - 1))
    return q * face_temperature(scheme, q, t, stride, p, n, a.periodic[axis]);
  const int high = p >= 0;
  const REAL *inflow = AXIS(a.inflow[2 * axis + high]);
  return q * wall_temperature(high, q, high ? t[0] : t[stride], inflow ? inflow + wall_element : nullptr);
}

/* The upper faces in x and y of a plane of a block's nodes, with those below its first nodes: rows of blockDim.x + 1 along x,
   and blockDim.y + 1 rows along y. */
enum { advect_threads = 256, advect_faces = advect_threads + 32 };

/* Faces of a plane. Each thread computes those above its node; threads of the first row also the faces in y below it, and the
   last threads the faces in x before the block's first column. */
template <int scheme>
DEVICE void advect_plane(const cv_flow_args &a, int k, REAL *x, REAL *y) {
  const int nx = (int)a.box.n[0], ny = (int)a.box.n[1], bx = (int)blockDim.x, by = (int)blockDim.y;
  const int tx = (int)threadIdx.x, ty = (int)threadIdx.y, i0 = (int)blockIdx.x * bx, j0 = (int)blockIdx.y * by;
  const int i = i0 + tx, j = j0 + ty, before = tx + bx * ty - (bx * by - by);
  const int64_t sy = a.box.sy, plane = k * a.box.sz;
  if (i < nx && j < ny) {
    x[1 + tx + ty * (bx + 1)] = face_heat<scheme, 0>(a, i + j * sy + plane, i, j + (int64_t)k * ny);
    if (sy)
      y[tx + (ty + 1) * bx] = face_heat<scheme, 1>(a, i + j * sy + plane, j, i + (int64_t)k * nx);
  }
  if (sy && ty == 0 && i < nx)
    y[tx] = face_heat<scheme, 1>(a, i + (j0 - 1) * sy + plane, j0 - 1, i + (int64_t)k * nx);
  if (before >= 0 && j0 + before < ny)
    x[before * (bx + 1)] = face_heat<scheme, 0>(a, i0 - 1 + (j0 + before) * sy + plane, i0 - 1, j0 + before + (int64_t)k * ny);
}

/* Out = -sum of +- A_f Q_f T_f. Every face is computed once but for those between blocks and slabs. Reads T and Q once, and
   writes Out: 5 words a node. `faces` is room for two planes. */
template <int scheme>
DEVICE void advect_slab(const cv_flow_args &a, REAL *faces) {
  const slab s = slab_of(a.box.n);
  const int bx = (int)blockDim.x, tx = (int)threadIdx.x, ty = (int)threadIdx.y;
  const int low = s.low, planes = (int)((a.box.n[2] + gridDim.z - 1) / gridDim.z), high = min(low + planes, (int)a.box.n[2]);
  const bool inside = s.low < s.high;
  const int64_t column = s.i + s.j * a.box.sy, sz = a.box.sz, element = s.i + s.j * a.box.n[0];
  const REAL w = inside ? AXIS(a.w[0])[s.i] : 0, wy = inside ? AXIS(a.w[1])[s.j] : 0;
  REAL z_low = inside ? face_heat<scheme, 2>(a, column + (low - 1) * sz, low - 1, element) : 0;
  for (int k = low; k < high; k++) {
    REAL *x = faces + (k % 2) * 2 * advect_faces, *y = x + advect_faces;
    advect_plane<scheme>(a, k, x, y);
    const REAL z_high = inside ? face_heat<scheme, 2>(a, column + k * sz, k, element) : 0;
    __syncthreads();
    if (inside) {
      const REAL wz = AXIS(a.w[2])[k], *x0 = x + tx + ty * (bx + 1), *y0 = y + tx + ty * bx;
      const REAL across = a.box.sy ? wz * (y0[bx] - y0[0]) + wy * (z_high - z_low) : wy * (z_high - z_low);
      static_cast<REAL *>(a.out)[column + k * sz] = -(wy * wz * (x0[1] - x0[0]) + w * across);
    }
    z_low = z_high;
  }
}

KERNEL_BOUNDS(advect_central, cv_flow_args, advect_threads, 3) {
  __shared__ REAL faces[4 * advect_faces];
  advect_slab<cv_central>(a, faces);
}

KERNEL_BOUNDS(advect_tvd, cv_flow_args, advect_threads, 3) {
  __shared__ REAL faces[4 * advect_faces];
  advect_slab<cv_tvd>(a, faces);
}

KERNEL_BOUNDS(advect_weno5, cv_flow_args, advect_threads, 2) {
  __shared__ REAL faces[4 * advect_faces];
  advect_slab<cv_weno5>(a, faces);
}
