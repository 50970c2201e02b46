/* Transport of heat through the faces: Advect. */
#include "launch.h"
#include "slab.cuh"
#include "transport.cuh"

/* The face above a node along an axis, in every plane of a column: the node's element in plane 0, what the face lacks, and for a wall the
   element of its inflow in plane 0 and the step to the next plane's. */
typedef struct {
  int64_t at, inflow, inflow_step;
  int lack;
  bool high; /* of walls */
} face_column;

/* Along x and along y; i or j may be -1. */
DEVICE face_column face_column_x(const cv_flow_args &a, int i, int j) {
  const int lack = face_lack(i, (int)a.box.n[0], a.periodic[0]);
  return face_column{i + j * a.box.sy, j, a.box.n[1], lack, i >= 0};
}

DEVICE face_column face_column_y(const cv_flow_args &a, int i, int j) {
  const int lack = face_lack(j, (int)a.box.n[1], a.periodic[1]);
  return face_column{i + j * a.box.sy, i, a.box.n[0], lack, j >= 0};
}

/* Q T of a wall face; t is the node's. */
DEVICE REAL wall_heat(const cv_flow_args &a, int axis, bool high, REAL q, REAL t, int64_t element) {
  const REAL *inflow = AXIS(a.inflow[2 * axis + high]);
  return q * wall_temperature(high, q, t, inflow ? inflow + element : nullptr);
}

/* Q T_f on a face of plane k, whose first element is `plane`, along x or y; tb is T at its node. */
template <int scheme, int axis>
DEVICE REAL face_heat(const cv_flow_args &a, const face_column &f, int k, int64_t plane, REAL q, REAL tb) {
  const int64_t s = axis == 0 ? 1 : a.box.sy;
  const REAL *t = AXIS(a.t) + f.at + plane;
  if (f.lack & lack_wall)
    return wall_heat(a, axis, f.high, q, f.high ? tb : t[s], f.inflow + k * f.inflow_step);
  return q * scheme_temperature(scheme, f.lack, q, t[-2 * s], t[-s], tb, t[s], t[2 * s], t[3 * s]);
}

/* The same above node k of a column, t being the nodes k-2 to k+3. */
template <int scheme>
DEVICE REAL face_heat_z(const cv_flow_args &a, int64_t element, int k, REAL q, const REAL (&t)[6]) {
  const int lack = face_lack(k, (int)a.box.n[2], a.periodic[2]);
  if (lack & lack_wall)
    return wall_heat(a, 2, k >= 0, q, k >= 0 ? t[2] : t[3], element);
  return q * scheme_temperature(scheme, lack, q, t[0], t[1], t[2], t[3], t[4], t[5]);
}

/* What a thread computes in every plane: the faces above its node and, near the low ends of the block, one of those below. */
typedef struct {
  face_column x, y, more;
  int row; /* of the block, that of more_x */
  bool inside, more_x, more_y;
} advect_faces;

/* Threads of the first row have the faces in y below it; the last threads those in x before the first column, one a row. */
DEVICE advect_faces advect_faces_of(const cv_flow_args &a, const slab &s) {
  const int tx = (int)threadIdx.x, ty = (int)threadIdx.y, bx = (int)blockDim.x, by = (int)blockDim.y;
  advect_faces f;
  f.row = tx + bx * (ty - by) + by;
  const int j = s.j - ty + f.row;
  f.x = face_column_x(a, s.i, s.j);
  f.y = face_column_y(a, s.i, s.j);
  f.inside = s.i < a.box.n[0] && s.j < a.box.n[1];
  f.more_x = f.row >= 0 && j < a.box.n[1];
  f.more_y = ty == 0 && a.box.sy && s.i < a.box.n[0];
  f.more = f.more_y ? face_column_y(a, s.i, s.j - 1) : face_column_x(a, s.i - tx - 1, j);
  return f;
}

/* Velocities on the faces of a thread in a plane. */
typedef struct {
  REAL x, y, z, more;
} advect_q;

DEVICE advect_q advect_q_of(const cv_flow_args &a, const advect_faces &f, int64_t plane) {
  advect_q q = {0, 0, 0, 0};
  if (f.inside) {
    q.x = AXIS(a.q[0])[f.x.at + plane];
    q.y = a.box.sy ? AXIS(a.q[1])[f.x.at + plane] : 0;
    q.z = AXIS(a.q[2])[f.x.at + plane];
  }
  if (f.more_x || f.more_y)
    q.more = AXIS(a.q[f.more_x ? 0 : 1])[f.more.at + plane];
  return q;
}

/* Room for the upper faces in x and y of a plane of a block's nodes, with those below its first nodes: rows of blockDim.x + 1
   along x, and blockDim.y + 1 rows along y. */
enum { advect_threads = 256, advect_room = advect_threads + 32 };

/* Puts the faces of a plane there; t is T at the thread's node. */
template <int scheme>
DEVICE void advect_plane(const cv_flow_args &a, const advect_faces &f, const advect_q &q, int k, int64_t plane, REAL t, REAL *x, REAL *y) {
  const int bx = (int)blockDim.x, tx = (int)threadIdx.x, ty = (int)threadIdx.y;
  if (f.inside) {
    x[1 + tx + ty * (bx + 1)] = face_heat<scheme, 0>(a, f.x, k, plane, q.x, t);
    if (a.box.sy)
      y[tx + (ty + 1) * bx] = face_heat<scheme, 1>(a, f.y, k, plane, q.y, t);
  }
  if (f.more_y)
    y[tx] = face_heat<scheme, 1>(a, f.more, k, plane, q.more, AXIS(a.t)[f.more.at + plane]);
  if (f.more_x)
    x[f.row * (bx + 1)] = face_heat<scheme, 0>(a, f.more, k, plane, q.more, AXIS(a.t)[f.more.at + plane]);
}

/* Out = -sum of +- A_f Q_f T_f. Every face is computed once but for those between blocks and slabs. Reads T and Q once, and
   writes Out: 5 words a node. `room` is for two planes. */
template <int scheme>
DEVICE void advect_slab(const cv_flow_args &a, REAL *room) {
  const slab s = slab_of(a.box.n);
  const advect_faces f = advect_faces_of(a, s);
  const int bx = (int)blockDim.x, tx = (int)threadIdx.x, ty = (int)threadIdx.y;
  const int high = min(s.low + planes_of_slab(a.box.n[2]), (int)a.box.n[2]);
  const int64_t sz = a.box.sz, element = s.i + s.j * a.box.n[0];
  const REAL w = f.inside ? AXIS(a.w[0])[s.i] : 0, wy = f.inside ? AXIS(a.w[1])[s.j] : 0;
  REAL t[6] = {0, 0, 0, 0, 0, 0}, z_low = 0;
  if (f.inside) {
#pragma unroll
    for (int m = 0; m < 6; m++)
      t[m] = AXIS(a.t)[f.x.at + (s.low - 3 + m) * sz];
    z_low = face_heat_z<scheme>(a, element, s.low - 1, AXIS(a.q[2])[f.x.at + (s.low - 1) * sz], t);
  }
  advect_q ahead = advect_q_of(a, f, s.low * sz);
  for (int k = s.low; k < high; k++) {
    const int64_t plane = k * sz;
    const advect_q q = ahead;
    ahead = advect_q_of(a, f, plane + sz); /* not used beyond the slab */
#pragma unroll
    for (int m = 0; m < 5; m++)
      t[m] = t[m + 1];
    t[5] = f.inside ? AXIS(a.t)[f.x.at + plane + 3 * sz] : 0;
    REAL *x = room + (k % 2) * 2 * advect_room, *y = x + advect_room;
    advect_plane<scheme>(a, f, q, k, plane, t[2], x, y);
    const REAL z_high = f.inside ? face_heat_z<scheme>(a, element, k, q.z, t) : 0;
    __syncthreads();
    if (f.inside) {
      const REAL wz = AXIS(a.w[2])[k], *x0 = x + tx + ty * (bx + 1), *y0 = y + tx + ty * bx;
      const REAL across = a.box.sy ? wz * (y0[bx] - y0[0]) + wy * (z_high - z_low) : wy * (z_high - z_low);
      static_cast<REAL *>(a.out)[f.x.at + plane] = -(wy * wz * (x0[1] - x0[0]) + w * across);
    }
    z_low = z_high;
  }
}

KERNEL_BOUNDS(advect_central, cv_flow_args, advect_threads, 3) {
  __shared__ REAL room[4 * advect_room];
  advect_slab<cv_central>(a, room);
}

KERNEL_BOUNDS(advect_tvd, cv_flow_args, advect_threads, 3) {
  __shared__ REAL room[4 * advect_room];
  advect_slab<cv_tvd>(a, room);
}

KERNEL_BOUNDS(advect_weno5, cv_flow_args, advect_threads, 2) {
  __shared__ REAL room[4 * advect_room];
  advect_slab<cv_weno5>(a, room);
}
