/* Velocities on nodes and what is computed from them: NodeVelocity, NodeFlux, FlowStatistics, Streamfunction. */
#include "../launch.h"
#include "conductivity.cuh"
#include "../vector/reduce.cuh"
#include "../march/slab.cuh"

/* Parts of the lower and upper face in the velocity of node p of n: on a wall the wall face. */
typedef struct {
  REAL low, high;
} face_parts;

DEVICE face_parts face_parts_of(bool periodic, int p, int64_t n) {
  const REAL half = 0.5, none = 0, all = 1;
  if (periodic || n < 2 || (p > 0 && p < n - 1))
    return face_parts{half, half};
  return p == 0 ? face_parts{all, none} : face_parts{none, all};
}

/* Out = velocity of kernels.NodeVelocityArgs. Reads Q once and writes Out. */
KERNEL(node_velocity, cv_node_velocity_args) {
  NODE(i, j, k, a.box);
  const int axis = (int)a.axis;
  const int64_t at = i + j * a.box.sy + k * a.box.sz, stride = axis == 0 ? 1 : axis == 1 ? a.box.sy : a.box.sz;
  const REAL *q = AXIS(a.q) + at;
  const face_parts p = face_parts_of(a.periodic, axis == 0 ? i : axis == 1 ? j : k, a.box.n[axis]);
  static_cast<REAL *>(a.out)[at] = p.high == 0 ? q[-stride] : p.low == 0 ? q[0] : p.low * q[-stride] + p.high * q[0];
}

/* Velocity along an axis at a node. */
DEVICE REAL velocity_at(const cv_node_flux_args &a, int axis, int p, int64_t at) {
  const cv_box &b = a.a.box;
  const int64_t stride = axis == 0 ? 1 : axis == 1 ? b.sy : b.sz;
  const REAL *q = AXIS(a.q[axis]) + at;
  const face_parts f = face_parts_of(a.periodic[axis], p, b.n[axis]);
  return f.high == 0 ? q[-stride] : f.low == 0 ? q[0] : f.low * q[-stride] + f.high * q[0];
}

/* Slope of T along an axis at node (i,j,k), times K if `conducts`. */
template <int axis, bool conducts>
DEVICE REAL slope_at(const cv_node_flux_args &a, int i, int j, int k) {
  const cv_elliptic &e = a.a;
  const int64_t stride = axis == 0 ? 1 : axis == 1 ? e.box.sy : e.box.sz;
  const int p = axis == 0 ? i : axis == 1 ? j : k;
  const node_slope s = point_node_slope(AXIS(e.h[axis]), AXIS(e.rh[axis]), p, e.box.n[axis], a.periodic[axis]);
  const REAL *t = AXIS(a.t) + i + j * e.box.sy + k * e.box.sz - p * stride, *low = t + s.low * stride, *high = t + s.high * stride;
  REAL g = 1, h = 1;
  if (conducts && !e.cells[0])
    g = h = (REAL)e.k[axis];
  else if (conducts) {
    g = face_conductivity<axis>(e, axis == 0 ? (int)s.low : i, axis == 1 ? (int)s.low : j, axis == 2 ? (int)s.low : k);
    h = face_conductivity<axis>(e, axis == 0 ? (int)s.high : i, axis == 1 ? (int)s.high : j, axis == 2 ? (int)s.high : k);
  }
  return s.a * g * (low[stride] - low[0]) + s.b * h * (high[stride] - high[0]);
}

template <bool conducts>
DEVICE REAL slope_along(const cv_node_flux_args &a, int axis, int i, int j, int k) {
  return axis == 0 ? slope_at<0, conducts>(a, i, j, k) : axis == 1 ? slope_at<1, conducts>(a, i, j, k) : slope_at<2, conducts>(a, i, j, k);
}

/* Out = flux of kernels.NodeFluxArgs. Reads T and one Q, or all with dispersion, and writes Out. */
KERNEL(node_flux, cv_node_flux_args) {
  NODE(i, j, k, a.a.box);
  const int axis = (int)a.axis, place[3] = {i, j, k};
  const int64_t at = i + j * a.a.box.sy + k * a.a.box.sz;
  const REAL own = velocity_at(a, axis, place[axis], at);
  REAL flux = own * AXIS(a.t)[at] - slope_along<true>(a, axis, i, j, k);
  if (a.longitudinal != 0 || a.transverse != 0) {
    REAL square = 0, along = 0;
    for (int d = 0; d < 3; d++) {
      if (d == 1 && !a.a.box.sy)
        continue;
      const REAL u = velocity_at(a, d, place[d], at);
      square += u * u;
      along += u * slope_along<false>(a, d, i, j, k);
    }
    const REAL speed = sqrt(square);
    if (speed > 0)
      flux -= (REAL)a.transverse * speed * slope_along<false>(a, axis, i, j, k) + (REAL)(a.longitudinal - a.transverse) * own * along / speed;
  }
  static_cast<REAL *>(a.out)[at] = flux;
}

/* What the faces of a node give: |u|^2, the Courant rate and the balance. */
typedef struct {
  REAL u2, rate, balance;
} node_flow;

/* Adds those of one axis, with velocities low and high, of dual width 1/r. */
DEVICE void add_faces(node_flow &f, REAL low, REAL high, face_parts p, REAL r, REAL area) {
  const REAL u = p.low * low + p.high * high, fl = fabs(low), fh = fabs(high);
  f.u2 += u * u;
  f.rate += (fl > fh ? fl : fh) * r;
  f.balance += area * (high - low);
}

/* Six arrays of partial results as in kernels.FlowStatisticsArgs, the second of |u|^2. Nodes in REAL, sums in
   double. Reads Q once: 3 words a node. Where a velocity is NaN so is |u|^2, and the sum of it then makes all
   maxima NaN. */
KERNEL(flow_statistics, cv_flow_statistics_args) {
  __shared__ REAL r[slab_planes];
  const slab s = counted_slab_of(a.box, a.box.n);
  const int64_t column = s.i + s.j * a.box.sy, sy = a.box.sy, sz = a.box.sz;
  const int plane = s.low + thread_number();
  if (thread_number() < slab_planes && plane < a.box.n[2])
    r[thread_number()] = 1 / AXIS(a.w[2])[plane];
  __syncthreads();
  double energy = 0, total = 0, absolute = 0;
  REAL u2 = 0, rate = 0, divergence = 0;
  if (s.low < s.high) {
    const REAL *qx = AXIS(a.q[0]) + column, *qy = AXIS(a.q[1]) + column, *qz = AXIS(a.q[2]) + column;
    const REAL wx = AXIS(a.w[0])[s.i], wy = AXIS(a.w[1])[s.j], rx = 1 / wx, ry = 1 / wy;
    const face_parts px = face_parts_of(a.periodic[0], s.i, a.box.n[0]);
    const face_parts py = face_parts_of(a.periodic[1], s.j, a.box.n[1]);
    REAL below = qz[(s.low - 1) * sz];
#pragma unroll 2
    for (int k = s.low; k < s.high; k++) {
      const int64_t at = k * sz;
      const REAL wz = AXIS(a.w[2])[k], rz = r[k - s.low], above = qz[at];
      node_flow f = {0, 0, 0};
      add_faces(f, qx[at - 1], qx[at], px, rx, wy * wz);
      if (sy)
        add_faces(f, qy[at - sy], qy[at], py, ry, wx * wz);
      add_faces(f, below, above, face_parts_of(a.periodic[2], k, a.box.n[2]), rz, wx * wy);
      below = above;
      const double balance = f.balance;
      energy += wz * f.u2;
      total += balance;
      absolute += fabs(balance);
      u2 = max(u2, f.u2);
      rate = max(rate, f.rate);
      divergence = max(divergence, fabs(f.balance) * rz);
    }
    energy *= (double)wx * wy;
    divergence *= rx * ry;
    if (energy != energy)
      u2 = rate = divergence = (REAL)energy;
  }
  put_sum(a.partial, energy);
  put_max(a.partial + a.parts, u2);
  put_max(a.partial + 2 * a.parts, rate);
  put_max(a.partial + 3 * a.parts, divergence);
  put_sum(a.partial + 4 * a.parts, total);
  put_sum(a.partial + 5 * a.parts, absolute);
}

/* Streamfunction at the lower corners: partial[i] = sum of w Q_z[k=-1] over the nodes before i, i = 0..n. One block, whose threads have nodes side by side. */
KERNEL(streamfunction_bottom, cv_streamfunction_args) {
  __shared__ double warps[32];
  const int t = (int)threadIdx.x, lane = t % 32, n = (int)a.box.n[0], each = (n + (int)blockDim.x - 1) / (int)blockDim.x;
  const int first = min(t * each, n), last = min(first + each, n);
  const auto flow = [&](int i) { return (double)AXIS(a.w[0])[i] * AXIS(a.q[2])[i - a.box.sz]; };
  double own = 0;
  for (int i = first; i < last; i++)
    own += flow(i);
  double sum = own;
  for (int by = 1; by < 32; by *= 2) {
    const double other = __shfl_up_sync(0xffffffff, sum, by);
    sum += lane >= by ? other : 0;
  }
  if (lane == 31)
    warps[t / 32] = sum;
  __syncthreads();
  double before = sum - own;
  for (int w = 0; w < t / 32; w++)
    before += warps[w];
  if (t == 0)
    a.partial[0] = 0;
  for (int i = first; i < last; i++)
    a.partial[i + 1] = before += flow(i);
}

/* Part of a node in what lies at the centre. */
DEVICE double centre_part(const cv_streamfunction_args &a, int axis, int node) {
  const int64_t after = node - a.centre[axis];
  return after == 0 ? 1 - a.part[axis] : after == 1 ? a.part[axis] : 0;
}

/* The mean of two corners, or the one on a wall. */
DEVICE double corner_mean(double low, double high, bool at_low, bool at_high) {
  return at_low ? low : at_high ? high : 0.5 * (low + high);
}

/* Out on the nodes, from what streamfunction_bottom left before two arrays of partial results: the largest |psi|, and parts of psi at the centre. A thread has a
   part of a column of nodes: it begins above what those below it carry. */
KERNEL(streamfunction, cv_streamfunction_args) {
  __shared__ double carried[2][flat_slabs][flat_columns];
  const int lane = (int)threadIdx.x, i = (int)blockIdx.x * flat_columns + lane, nx = (int)a.box.n[0], nz = (int)a.box.n[2], slab = (int)threadIdx.y;
  const int planes = (nz + (int)blockDim.y - 1) / (int)blockDim.y, first = min(slab * planes, nz), last = i < nx ? min(first + planes, nz) : first;
  const REAL *const q = AXIS(a.q[0]) + i;
  double s0 = 0, s1 = 0;
#pragma unroll 4
  for (int k = first; k < last; k++) {
    const double wz = AXIS(a.w[2])[k];
    s0 += wz * q[k * a.box.sz - 1];
    s1 += wz * q[k * a.box.sz];
  }
  carried[0][slab][lane] = s0;
  carried[1][slab][lane] = s1;
  __syncthreads();
  double largest = 0, centre = 0;
  if (first < last) {
    const bool left = !a.periodic[0] && i == 0, right = !a.periodic[0] && i == nx - 1;
    double l0 = a.partial[i], l1 = a.partial[i + 1];
    for (int below = 0; below < slab; below++) {
      l0 -= carried[0][below][lane];
      l1 -= carried[1][below][lane];
    }
#pragma unroll 4
    for (int k = first; k < last; k++) {
      const double wz = AXIS(a.w[2])[k], h0 = l0 - wz * q[k * a.box.sz - 1], h1 = l1 - wz * q[k * a.box.sz];
      const bool bottom = !a.periodic[2] && k == 0, top = !a.periodic[2] && k == nz - 1;
      const double psi = corner_mean(corner_mean(l0, l1, left, right), corner_mean(h0, h1, left, right), bottom, top);
      static_cast<REAL *>(a.out)[i + k * a.box.sz] = (REAL)psi;
      largest = larger(fabs(psi), largest);
      const double part = centre_part(a, 0, i) * centre_part(a, 2, k);
      centre += part > 0 ? part * psi : 0;
      l0 = h0;
      l1 = h1;
    }
  }
  double *partial = a.partial + nx + 1;
  put_max(partial, largest);
  put_sum(partial + gridDim.x, centre);
}
