/* Transport of heat through the faces, and with it, where they are asked for, the sums of a flow and its heat: Advect and AdvectMeasured with WENO5, whose faces are
   worth sharing; see advect_measured.cu for the others. */
#include "../launch.h"
#include "../march/slab.cuh"
#include "measured.cuh"
#include "transport.cuh"

/* The face above a node along an axis, plane after plane: the node's element, that of a wall's inflow in plane 0
   and the step to the next plane's, and what the face lacks. */
typedef struct {
  int64_t at, inflow, inflow_step;
  int lack;
  bool high; /* of walls */
} face_column;

/* Along x and along y in plane k; i or j may be -1. */
DEVICE face_column face_column_x(const cv_advect_args &a, int i, int j, int k) {
  const int lack = face_lack(i, (int)a.box.n[0], a.periodic[0]);
  return face_column{i + j * a.box.sy + k * a.box.sz, j, a.box.n[1], lack, i >= 0};
}

DEVICE face_column face_column_y(const cv_advect_args &a, int i, int j, int k) {
  const int lack = face_lack(j, (int)a.box.n[1], a.periodic[1]);
  return face_column{i + j * a.box.sy + k * a.box.sz, i, a.box.n[0], lack, j >= 0};
}

/* Q T_f on a face of plane k along x or y; tb is T at its node. */
template <int scheme, int axis>
DEVICE REAL face_heat(const cv_advect_args &a, const face_column &f, int k, REAL q, REAL tb) {
  const int64_t s = axis == 0 ? 1 : a.box.sy;
  const REAL *t = AXIS(a.t) + f.at;
  if (f.lack & lack_wall)
    return wall_heat(a, axis, f.high, q, f.high ? tb : t[s], f.inflow + k * f.inflow_step);
  return q * scheme_temperature(scheme, f.lack, q, t[-2 * s], t[-s], tb, t[s], t[2 * s], t[3 * s]);
}

/* The same above node k of a column, t being the nodes k-2 to k+3. */
template <int scheme>
DEVICE REAL face_heat_z(const cv_advect_args &a, int64_t element, int k, REAL q, const REAL (&t)[6]) {
  const int n = (int)a.box.n[2], lack = k >= 2 && k + 3 < n ? 0 : face_lack(k, n, a.periodic[2]);
  if (lack & lack_wall)
    return wall_heat(a, 2, k >= 0, q, k >= 0 ? t[2] : t[3], element);
  return q * scheme_temperature(scheme, lack, q, t[0], t[1], t[2], t[3], t[4], t[5]);
}

/* Room for the upper faces in x and y of a plane of a block's nodes, with those below its first nodes: rows of
   blockDim.x + 1 along x, and blockDim.y + 1 rows along y. */
enum { advect_threads = 256, advect_room = advect_threads + 32 };

/* What a thread computes in every plane: the faces above its node and, near the low ends of the block, one of those
   below; and where it puts them. */
typedef struct {
  face_column x, y, more;
  int x_place, y_place, more_place;
  bool inside, flat, more_x, more_y;
} advect_faces;

/* Threads of the first row have the faces in y below it; the last threads those in x before the first column, one a
   row. */
DEVICE advect_faces advect_faces_of(const cv_advect_args &a, const slab &s) {
  const int tx = (int)threadIdx.x, ty = (int)threadIdx.y, bx = (int)blockDim.x, by = (int)blockDim.y;
  const int nx = (int)a.box.n[0], ny = (int)a.box.n[1], row = tx + bx * (ty - by) + by, j = s.j - ty + row;
  advect_faces f;
  f.x = face_column_x(a, s.i, s.j, s.low);
  f.y = face_column_y(a, s.i, s.j, s.low);
  f.flat = a.box.sy == 0;
  f.inside = s.i < nx && s.j < ny;
  f.more_x = row >= 0 && j < ny;
  f.more_y = ty == 0 && !f.flat && s.i < nx;
  f.more = f.more_y ? face_column_y(a, s.i, s.j - 1, s.low) : face_column_x(a, s.i - tx - 1, j, s.low);
  f.x_place = 1 + tx + ty * (bx + 1);
  f.y_place = advect_room + tx + (ty + 1) * bx;
  f.more_place = f.more_y ? f.y_place - bx : row * (bx + 1);
  return f;
}

/* Velocities on the faces of a thread in a plane. */
typedef struct {
  REAL x, y, z, more;
} advect_q;

/* Those `ahead` elements above the faces. */
DEVICE advect_q advect_q_of(const cv_advect_args &a, const advect_faces &f, int64_t ahead) {
  advect_q q = {0, 0, 0, 0};
  const int64_t at = f.x.at + ahead;
  if (f.inside) {
    q.x = AXIS(a.q[0])[at];
    q.y = f.flat ? 0 : AXIS(a.q[1])[at];
    q.z = AXIS(a.q[2])[at];
  }
  if (f.more_y)
    q.more = AXIS(a.q[1])[f.more.at + ahead];
  else if (f.more_x)
    q.more = AXIS(a.q[0])[f.more.at + ahead];
  return q;
}

/* Puts the faces of a plane in x and y into their room; t is T at the thread's node. */
template <int scheme>
DEVICE void advect_plane(const cv_advect_args &a, const advect_faces &f, const advect_q &q, int k, REAL t, REAL *room) {
  if (f.inside) {
    room[f.x_place] = face_heat<scheme, 0>(a, f.x, k, q.x, t);
    if (!f.flat)
      room[f.y_place] = face_heat<scheme, 1>(a, f.y, k, q.y, t);
  }
  if (f.more_y)
    room[f.more_place] = face_heat<scheme, 1>(a, f.more, k, q.more, AXIS(a.t)[f.more.at]);
  else if (f.more_x)
    room[f.more_place] = face_heat<scheme, 0>(a, f.more, k, q.more, AXIS(a.t)[f.more.at]);
}

/* What is the same in all planes of a thread's nodes: dual widths, 1/w and 1/h, and at which walls they are. */
typedef struct {
  REAL w, wy, r, ry, rh, rhy;
  bool left, right, front, back, edge;
} advect_column;

/* A node of plane k: T and its differences to the next nodes along the axes; velocities and heat on the faces below (0) and above (1). */
typedef struct {
  REAL t, d[3], q[3][2], heat[3][2];
} advect_node;

/* Adds what a node gives; `gain` is what its Out is. */
DEVICE void advect_measure(measured_sums &sums, const cv_advect_measured_args &s, const advect_column &c, const advect_node &n, int i, int j, int k, bool flat, REAL gain) {
  const cv_advect_args &a = s.flow;
  const bool bottom = !a.periodic[2] && k == 0, top = !a.periodic[2] && k == a.box.n[2] - 1;
  const REAL wz = AXIS(a.w[2])[k], rz = march_quotient((REAL)1, wz), area = c.wy * wz;
  const REAL ux = n.q[0][0] + n.q[0][1], uy = n.q[1][0] + n.q[1][1], uz = n.q[2][0] + n.q[2][1];
  const REAL dx = n.q[0][1] - n.q[0][0], dy = n.q[1][1] - n.q[1][0], dz = n.q[2][1] - n.q[2][0];
  REAL u2 = fma(uz, uz, ux * ux), rate = fma(fabs(uz) + fabs(dz), rz, (fabs(ux) + fabs(dx)) * c.r);
  REAL across = c.wy * dz, loss = (REAL)s.k[2] * (c.wy * AXIS(s.rh[2])[k]) * (n.d[2] * n.d[2]);
  if (!flat) {
    u2 = fma(uy, uy, u2);
    rate = fma(fabs(uy) + fabs(dy), c.ry, rate);
    across = fma(wz, dy, across);
    loss = fma((REAL)s.k[1] * (wz * c.rhy), n.d[1] * n.d[1], loss);
  }
  if (c.edge || bottom || top) {
    measured_seldom();
    const REAL vx = measured_velocity(n.q[0][0], n.q[0][1], c.left, c.right), vz = measured_velocity(n.q[2][0], n.q[2][1], bottom, top);
    const REAL vy = flat ? (REAL)0 : measured_velocity(n.q[1][0], n.q[1][1], c.front, c.back);
    u2 = 4 * fma(vy, vy, fma(vz, vz, vx * vx));
  }
  const REAL balance = fma(c.w, across, area * dx);
  sums.energy += wz * (c.w * u2);
  sums.total += balance;
  sums.absolute += fabs(balance);
  sums.gain += gain;
  sums.content += (double)wz * (c.w * n.t);
  sums.dissipation += fma((REAL)s.k[0] * area * c.rh, n.d[0] * n.d[0], c.w * loss);
  sums.u2 = measured_larger(sums.u2, u2);
  sums.rate = measured_larger(sums.rate, rate);
  sums.divergence = measured_larger(sums.divergence, fabs(balance) * rz * c.r);
  const int axis = (int)s.axis, at = axis == 0 ? i : axis == 1 ? j : k;
  const REAL h = AXIS(s.h[axis])[at], carried = axis == 0 ? n.heat[0][1] : axis == 1 ? n.heat[1][1] : n.heat[2][1];
  const REAL difference = axis == 0 ? n.d[0] : axis == 1 ? n.d[1] : n.d[2];
  const REAL beside = axis == 0 ? area : axis == 1 ? wz * c.w : c.wy * c.w;
  sums.heat += h != 0 ? beside * fma(h, carried, -((REAL)s.k[axis] * difference)) : 0;
}

/* Out = -sum of +- A_f Q_f T_f and, with s, partial results of its sums. Every face is computed once but for those between blocks and slabs. Reads T and Q
   once, and writes Out: 5 words a node. `room` is for two planes. */
template <int scheme, bool measures>
DEVICE void advect_slab(const cv_advect_args &a, const cv_advect_measured_args *measured, REAL *room, double (*sums_room)[32]) {
  const slab s = slab_of(a.box.n);
  advect_faces f = advect_faces_of(a, s);
  const int nx = (int)a.box.n[0], ny = (int)a.box.n[1], nz = (int)a.box.n[2], high = min(s.low + planes_of_slab(nz), nz), bx = (int)blockDim.x;
  const int64_t sy = a.box.sy, sz = a.box.sz, element = s.i + s.j * a.box.n[0];
  advect_column c = {};
  c.w = f.inside ? AXIS(a.w[0])[s.i] : 0, c.wy = f.inside ? AXIS(a.w[1])[s.j] : 0;
  if (measures && f.inside) {
    c.r = 1 / c.w, c.ry = 1 / c.wy, c.rh = AXIS(measured->rh[0])[s.i], c.rhy = AXIS(measured->rh[1])[s.j];
    c.left = !a.periodic[0] && s.i == 0, c.right = !a.periodic[0] && s.i == nx - 1;
    c.front = !a.periodic[1] && s.j == 0, c.back = !a.periodic[1] && s.j == ny - 1;
    c.edge = c.left || c.right || c.front || c.back;
  }
  measured_sums sums = {};
  REAL t[6] = {0, 0, 0, 0, 0, 0}, z_low = 0, q_low = 0;
  if (f.inside) {
#pragma unroll
    for (int m = 0; m < 6; m++)
      t[m] = AXIS(a.t)[f.x.at + (m - 3) * sz];
    q_low = AXIS(a.q[2])[f.x.at - sz];
    z_low = face_heat_z<scheme>(a, element, s.low - 1, q_low, t);
  }
  advect_q ahead = advect_q_of(a, f, 0);
  for (int k = s.low; k < high; k++) {
    const advect_q q = ahead;
    ahead = advect_q_of(a, f, sz); /* not used beyond the slab */
#pragma unroll
    for (int m = 0; m < 5; m++)
      t[m] = t[m + 1];
    if (f.inside)
      t[5] = AXIS(a.t)[f.x.at + 3 * sz];
    REAL *plane = room + (k & 1) * 2 * advect_room;
    advect_plane<scheme>(a, f, q, k, t[2], plane);
    const REAL z_high = f.inside ? face_heat_z<scheme>(a, element, k, q.z, t) : 0;
    __syncthreads();
    if (f.inside) {
      const REAL wz = AXIS(a.w[2])[k], *x = plane + f.x_place, *y = plane + f.y_place;
      const REAL across = f.flat ? c.wy * (z_high - z_low) : wz * (y[0] - y[-bx]) + c.wy * (z_high - z_low);
      const REAL gain = -(c.wy * wz * (x[0] - x[-1]) + c.w * across);
      static_cast<REAL *>(a.out)[f.x.at] = gain;
      if (measures) {
        const REAL *const own = AXIS(a.t) + f.x.at;
        advect_node n = {t[2],
                         {c.rh != 0 ? own[1] - t[2] : (REAL)0, c.rhy != 0 && !f.flat ? own[sy] - t[2] : (REAL)0,
                          a.periodic[2] || k < nz - 1 ? t[3] - t[2] : (REAL)0},
                         {{AXIS(a.q[0])[f.x.at - 1], q.x}, {0, q.y}, {q_low, q.z}},
                         {{x[-1], x[0]}, {0, 0}, {z_low, z_high}}};
        if (!f.flat)
          n.q[1][0] = AXIS(a.q[1])[f.x.at - sy], n.heat[1][0] = y[-bx], n.heat[1][1] = y[0];
        advect_measure(sums, *measured, c, n, s.i, s.j, k, f.flat, gain);
      }
    }
    z_low = z_high;
    q_low = q.z;
    f.x.at += sz;
    f.y.at += sz;
    f.more.at += sz;
  }
  sums.energy *= 0.25, sums.u2 *= (REAL)0.25, sums.rate *= (REAL)0.5; /* see measured_plane in advect_measured.cu */
  if (measures)
    measured_put(measured->partial, counts_row(a.box, s.j) ? sums : measured_sums{}, c.wy, c.ry, sums_room);
}

/* Measured where there is room for the sums. */
KERNEL_BOUNDS(advect_weno5, cv_advect_measured_args, advect_threads, 2) {
  __shared__ REAL room[4 * advect_room];
  __shared__ double sums[measured_count][32];
  if (a.partial)
    advect_slab<cv_weno5, true>(a.flow, &a, room, sums);
  else
    advect_slab<cv_weno5, false>(a.flow, nullptr, room, nullptr);
}
