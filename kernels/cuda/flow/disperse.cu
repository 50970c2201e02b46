/* Dispersion by the flow: Dispersivity and Disperse. */
#include "../launch.h"
#include "../vector/reduce.cuh"
#include "../march/march.cuh"
#include "../march/slab.cuh"

/* The velocity at the centre of the cell at an element. */
typedef struct {
  REAL x, y, z;
} cell_flow;

/* 1/|u| of a square, as point_slowness. */
DEVICE REAL flow_slowness(REAL square) {
#ifdef __CUDACC__
  return (REAL)rsqrt(square > point_rest ? square : (REAL)point_rest);
#else
  return point_slowness(square);
#endif
}

template <class Args> DEVICE cell_flow cell_flow_at(const Args &a, int64_t at) {
  const int64_t sy = a.box.sy, sz = a.box.sz;
  const REAL *x = AXIS(a.q[0]) + at, *z = AXIS(a.q[2]) + at;
  cell_flow u = {(REAL)0.25 * ((x[0] + x[sy]) + (x[sz] + x[sy + sz])), 0, (REAL)0.25 * ((z[0] + z[1]) + (z[sy] + z[sy + 1]))};
  if (sy) {
    const REAL *y = AXIS(a.q[1]) + at;
    u.y = (REAL)0.25 * ((y[0] + y[1]) + (y[sz] + y[sz + 1]));
  }
  return u;
}

/* Out and the largest of what is added. Reads Q and K once, writes Out: 5 words a cell, and 4 where K is a number. */
KERNEL(dispersivity, cv_dispersivity_args) {
  const slab s = slab_of(a.count);
  double most = 0;
  for (int k = s.low; k < s.high; k++) {
    const int64_t at = s.i + s.j * a.box.sy + k * a.box.sz;
    const cell_flow u = cell_flow_at(a, at);
    const REAL square = u.x * u.x + (u.y * u.y + u.z * u.z), more = (REAL)a.length * (square * flow_slowness(square));
    static_cast<REAL *>(a.out)[at] = (a.cells ? AXIS(a.cells)[at] : (REAL)a.k) + more;
    most = larger(more, most);
  }
  put_max(a.partial, counts_row(a.box, s.j) ? most : 0);
}

/* Van Leer's mean of two slopes, as point_slope. */
DEVICE REAL limited_mean(REAL p, REAL q) {
  const REAL product = p * q, quotient = march_quotient(product, p + q);
  return product > 0 ? 2 * quotient : (REAL)0;
}

/* Differences along the edges of a cell, fluxes and slopes are counted by the place of the edge across its direction: of those in x by z and y, of those in y
   by z and x, of those in z by y and x. All fluxes are -F. */
typedef REAL by_edge[2][2];

/* Limited slopes along the other axes of the edges of a cell. */
typedef struct {
  by_edge xy, xz, yx, yz, zx, zy;
} edge_slopes;

/* Widths of a cell and their reciprocals, and its part of a volume. */
typedef struct {
  REAL h[3], r[3], volume;
} cell_widths;

/* What flows along the edges of a cell. */
typedef struct {
  by_edge x, y, z;
} edge_fluxes;

/* The difference along edge (p,q) of a direction, or in the form of trilinear elements from the own edge, those beside it and the last. */
template <int form> DEVICE REAL edge_difference(const by_edge &e, int p, int q) {
  if (form != cv_spread_trilinear)
    return e[p][q];
  return (4 * e[p][q] + (2 * (e[p][1 - q] + e[1 - p][q]) + e[1 - p][1 - q])) * (REAL)(1.0 / 9);
}

/* v: T at the nodes of the cell, by z, y and x. */
template <int form>
DEVICE edge_fluxes edge_fluxes_of(const cv_disperse_args &a, const REAL (&v)[2][2][2], const cell_flow &u, const cell_widths &w, const edge_slopes &s) {
  const point_tensor e =
      point_dispersion(u.x, u.y, u.z, flow_slowness(u.x * u.x + (u.y * u.y + u.z * u.z)), (REAL)a.transverse, (REAL)(a.longitudinal - a.transverse));
  by_edge dx, dy, dz;
#pragma unroll
  for (int c = 0; c < 4; c++) {
    const int p = c >> 1, q = c & 1;
    dx[p][q] = v[p][q][1] - v[p][q][0];
    dy[p][q] = v[p][1][q] - v[p][0][q];
    dz[p][q] = v[1][p][q] - v[0][p][q];
  }
  const auto mean = [](REAL r, const by_edge &d) { return (REAL)0.25 * r * ((d[0][0] + d[0][1]) + (d[1][0] + d[1][1])); };
  const REAL gx = mean(w.r[0], dx), gy = mean(w.r[1], dy), gz = mean(w.r[2], dz);
  const REAL vx = w.volume * w.r[0], vy = w.volume * w.r[1], vz = w.volume * w.r[2];
  constexpr bool lim = form == cv_spread_limited;
  edge_fluxes f;
#pragma unroll
  for (int c = 0; c < 4; c++) {
    const int p = c >> 1, q = c & 1;
    f.x[p][q] = vx * (e.xx * (w.r[0] * edge_difference<form>(dx, p, q)) + (e.xy * (lim ? s.xy[p][q] : gy) + e.xz * (lim ? s.xz[p][q] : gz)));
    f.y[p][q] = vy * (e.yy * (w.r[1] * edge_difference<form>(dy, p, q)) + (e.xy * (lim ? s.yx[p][q] : gx) + e.yz * (lim ? s.yz[p][q] : gz)));
    f.z[p][q] = vz * (e.zz * (w.r[2] * edge_difference<form>(dz, p, q)) + (e.xz * (lim ? s.zx[p][q] : gx) + e.yz * (lim ? s.zy[p][q] : gy)));
  }
  return f;
}

/* What a thread tells the one in the row before it, and the one behind it: slopes along x and z at its node; limited slopes of its edges along x, and of that along z;
   and what the nodes behind it gain and carry in two planes. */
enum { tell_x, tell_z, tell_xy, tell_xz, tell_zx, tell_zy, tell_gain, tell_carried = tell_gain + 2, tells = tell_carried + 2 };

/* A word from the thread of the next lane. */
DEVICE REAL next_lane(REAL v) { return __shfl_down_sync(0xffffffffu, v, 1); }
DEVICE REAL last_lane(REAL v) { return __shfl_up_sync(0xffffffffu, v, 1); }

/* Adds to Out and gives both sums. A thread has a column of nodes, and of the cells at their high sides: it computes what flows along the edges of its cells, each once,
   and gathers what its nodes gain from the cells beside. Reads T, Q and Out once, writes Out: 6 words a node. */
template <int form>
DEVICE void disperse_rims(const cv_disperse_args &a, REAL (&told)[tells][rim_rows][32], double &carried, double &dissipated) {
  constexpr bool lim = form == cv_spread_limited;
  const bool flat = a.box.sy == 0;
  const rim_column s = rim_column_of(a.box.n, flat);
  const int lane = (int)threadIdx.x, y = (int)threadIdx.y;
  const int before = flat || y == 0 ? y : y - 1, behind = flat || y == rim_rows - 1 ? y : y + 1;
  const int64_t sz = a.box.sz, to_back = s.j < a.box.n[1] ? a.box.sy : 0, to_front = s.inner_y ? a.box.sy : 0, at = s.i + s.j * a.box.sy;
  const REAL *t = AXIS(a.t) + at, *qx = AXIS(a.q[0]) + at, *qy = flat ? nullptr : AXIS(a.q[1]) + at, *qz = AXIS(a.q[2]) + at;
  const REAL *rz = AXIS(a.rh[2]), *hz = AXIS(a.h[2]);
  cell_widths w = {{AXIS(a.h[0])[s.i], AXIS(a.h[1])[s.j], 0}, {AXIS(a.rh[0])[s.i], AXIS(a.rh[1])[s.j], 0}, 0};
  const REAL area = (REAL)(flat ? 0.5 : 0.25) * w.h[1] * w.h[0];
  const REAL rx_low = s.inner_x ? AXIS(a.rh[0])[s.i - 1] : (REAL)0, ry_low = s.inner_y ? AXIS(a.rh[1])[s.j - 1] : (REAL)0;
  REAL v[2][2][2] = {}, along_x[2] = {}, along_y[2] = {}; /* T; sums of faces, of both planes */
  REAL slope_x = 0, slope_y = 0, gain = 0, passes = 0; /* of the plane below */
  edge_slopes e = {};
  REAL own = t[(s.low - 1) * sz], back = t[(s.low - 1) * sz + to_back];
  for (int k = s.low - 1; k <= s.high && s.low < s.high; k++) {
    const int64_t plane = k * sz;
    const REAL above = t[plane + (k < s.high ? sz : 0)], back_above = t[plane + (k < s.high ? sz : 0) + to_back];
    v[0][0][0] = v[1][0][0], v[0][0][1] = v[1][0][1], v[0][1][0] = v[1][1][0], v[0][1][1] = v[1][1][1];
    v[1][0][0] = own, v[1][0][1] = next_lane(own), v[1][1][0] = back, v[1][1][1] = next_lane(back);
    along_x[0] = along_x[1], along_y[0] = along_y[1];
    along_x[1] = qx[plane] + qx[plane + to_back];
    along_y[1] = flat ? (REAL)0 : qy[plane] + next_lane(qy[plane]);
    if (lim) {
      const REAL front = t[plane - to_front], left = last_lane(own);
      const REAL x = s.inner_x ? limited_mean(w.r[0] * (v[1][0][1] - own), rx_low * (own - left)) : (REAL)0;
      const REAL in_y = s.inner_y ? limited_mean(w.r[1] * (back - own), ry_low * (own - front)) : (REAL)0;
      const REAL z = k >= s.low && k < s.high ? limited_mean(rz[k] * (above - own), rz[k - 1] * (own - v[0][0][0])) : (REAL)0;
      told[tell_x][y][lane] = x, told[tell_z][y][lane] = z;
      __syncthreads();
#pragma unroll
      for (int q = 0; q < 2; q++) {
        e.xy[0][q] = e.xy[1][q], e.xz[0][q] = e.xz[1][q], e.yx[0][q] = e.yx[1][q], e.yz[0][q] = e.yz[1][q];
      }
      e.xy[1][0] = limited_mean(in_y, next_lane(in_y)), e.xz[1][0] = limited_mean(z, next_lane(z));
      e.yx[1][0] = limited_mean(x, told[tell_x][behind][lane]), e.yz[1][0] = limited_mean(z, told[tell_z][behind][lane]);
      e.yx[1][1] = next_lane(e.yx[1][0]), e.yz[1][1] = next_lane(e.yz[1][0]);
      e.zx[0][0] = limited_mean(slope_x, x), e.zy[0][0] = limited_mean(slope_y, in_y);
      told[tell_xy][y][lane] = e.xy[1][0], told[tell_xz][y][lane] = e.xz[1][0];
      told[tell_zx][y][lane] = e.zx[0][0], told[tell_zy][y][lane] = e.zy[0][0];
      slope_x = x, slope_y = in_y;
    }
    __syncthreads();
    if (k >= s.low) { /* the layer below the plane */
      if (lim) {
        e.xy[1][1] = told[tell_xy][behind][lane], e.xz[1][1] = told[tell_xz][behind][lane];
        e.zx[1][0] = told[tell_zx][behind][lane], e.zy[1][0] = told[tell_zy][behind][lane];
        e.zx[0][1] = next_lane(e.zx[0][0]), e.zy[0][1] = next_lane(e.zy[0][0]);
        e.zx[1][1] = next_lane(e.zx[1][0]), e.zy[1][1] = next_lane(e.zy[1][0]);
      }
      const REAL up = qz[plane - sz], up_back = qz[plane - sz + to_back];
      const cell_flow u = {(REAL)0.25 * (along_x[0] + along_x[1]), (REAL)0.25 * (along_y[0] + along_y[1]),
                           (REAL)0.25 * ((up + next_lane(up)) + (up_back + next_lane(up_back)))};
      w.h[2] = hz[k - 1], w.r[2] = rz[k - 1], w.volume = area * w.h[2];
      const edge_fluxes f = edge_fluxes_of<form>(a, v, u, w, e);
      REAL part[2][2], flux[2][2]; /* of nodes, by z and y: what they gain, and half of F h along the axis of their edges */
#pragma unroll
      for (int c = 0; c < 4; c++) {
        const int p = c >> 1, q = c & 1;
        const REAL low_side = (q ? -f.y[p][0] : f.y[p][0]) + (p ? -f.z[q][0] : f.z[q][0]);
        const REAL high_side = (q ? -f.y[p][1] : f.y[p][1]) + (p ? -f.z[q][1] : f.z[q][1]);
        part[p][q] = (f.x[p][q] + low_side) + last_lane(high_side - f.x[p][q]);
        const REAL half = (REAL)0.5 * (a.axis == 0 ? w.h[0] : a.axis == 1 ? w.h[1] : w.h[2]);
        const REAL along = a.axis == 0 ? f.x[p][q] : a.axis == 1 ? f.y[p][1] : f.z[q][1];
        flux[p][q] = half * (a.axis == 0 ? along : a.axis == 1 ? f.y[p][0] : f.z[q][0]) + last_lane(half * along);
      }
#pragma unroll
      for (int p = 0; p < 2; p++)
        told[tell_gain + p][y][lane] = part[p][1], told[tell_carried + p][y][lane] = flux[p][1];
      __syncthreads();
      if (!flat)
#pragma unroll
        for (int p = 0; p < 2; p++)
          part[p][0] += told[tell_gain + p][before][lane], flux[p][0] += told[tell_carried + p][before][lane];
      if (s.inner_x && s.inner_y && k > s.low) {
        const REAL gained = gain + part[0][0];
        static_cast<REAL *>(a.out)[at + plane - sz] += gained;
        dissipated -= (double)v[0][0][0] * gained;
        carried -= (double)passes + flux[0][0];
      }
      gain = part[1][0], passes = flux[1][0];
    }
    own = above, back = back_above;
  }
  if (!counts_row(a.box, flat ? 0 : rim_row())) /* of s.j it need not be kept so long */
    carried = dissipated = 0;
}

KERNEL_BOUNDS(disperse, cv_disperse_args, 32 * rim_rows, 1) {
  __shared__ REAL told[tells][rim_rows][32];
  double carried = 0, dissipated = 0;
  if (a.form == cv_spread_edges)
    disperse_rims<cv_spread_edges>(a, told, carried, dissipated);
  else if (a.form == cv_spread_trilinear)
    disperse_rims<cv_spread_trilinear>(a, told, carried, dissipated);
  else
    disperse_rims<cv_spread_limited>(a, told, carried, dissipated);
  put_sum(a.partial, carried);
  put_sum(a.partial + a.parts, dissipated);
}
