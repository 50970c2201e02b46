/* Dispersion by the flow: Dispersivity and Disperse. */
#include "../launch.h"
#include "../vector/reduce.cuh"
#include "../march/slab.cuh"

/* The velocity at the centre of the cell at an element. */
typedef struct {
  REAL x, y, z;
} cell_flow;

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
    const REAL square = u.x * u.x + (u.y * u.y + u.z * u.z), more = (REAL)a.length * (square * point_slowness(square));
    static_cast<REAL *>(a.out)[at] = (a.cells ? AXIS(a.cells)[at] : (REAL)a.k) + more;
    most = larger(more, most);
  }
  put_max(a.partial, most);
}

/* Limited slopes across the edges at a node in its plane: of those in x along y and z, and of those in y along x and z; 0 the edges
   below the node, 1 those above. */
typedef struct {
  REAL xy[2], xz[2], yx[2], yz[2];
} plane_slopes;

/* The slope along an axis of stride s at two nodes, with 1/h below and above. */
DEVICE REAL edge_slope(const REAL *t, const REAL *other, int64_t s, REAL below, REAL above) {
  return point_slope_of(above * (t[s] - t[0]), below * (t[0] - t[-s]), above * (other[s] - other[0]), below * (other[0] - other[-s]));
}

DEVICE plane_slopes plane_slopes_at(const cv_disperse_args &a, const slab &s, int k) {
  const int64_t sy = a.box.sy, sz = a.box.sz;
  const REAL *t = AXIS(a.t) + s.i + s.j * sy + k * sz, *rx = AXIS(a.rh[0]) + s.i, *ry = AXIS(a.rh[1]) + s.j, *rz = AXIS(a.rh[2]) + k;
  plane_slopes p;
#pragma unroll
  for (int c = 0; c < 2; c++) {
    const REAL *x = t + (2 * c - 1), *y = t + (2 * c - 1) * sy;
    p.xy[c] = edge_slope(t, x, sy, ry[-1], ry[0]);
    p.xz[c] = edge_slope(t, x, sz, rz[-1], rz[0]);
    p.yx[c] = edge_slope(t, y, 1, rx[-1], rx[0]);
    p.yz[c] = edge_slope(t, y, sz, rz[-1], rz[0]);
  }
  return p;
}

/* What a thread's nodes in the planes below and above a layer of cells gain from it, and half of F h along an axis of their edges. */
typedef struct {
  REAL gain[2], carried[2];
} layer_part;

/* The difference along an edge of four, the own with those beside it and the last, in the form of trilinear elements. */
DEVICE REAL trilinear_edge(REAL own, REAL p, REAL q, REAL last) { return (4 * own + (2 * (p + q) + last)) * (REAL)(1.0 / 9); }

/* Adds the part of the cell on one side of the node in x and y: cx, cy 0 below and 1 above. sides are the slopes of both planes, zx and zy those of the edge
   between them. All fluxes are -F. */
template <int form>
DEVICE void cell_part(layer_part &part, const cv_disperse_args &a, const slab &s, int m, int cx, int cy, const plane_slopes (&sides)[2], REAL zx, REAL zy) {
  const int64_t sy = a.box.sy, sz = a.box.sz, at = s.i - 1 + cx + (s.j - 1 + cy) * sy + m * sz;
  const int ox = 1 - cx, oy = 1 - cy; /* the node in the cell */
  const REAL *t = AXIS(a.t) + at;
  const cell_flow u = cell_flow_at(a, at);
  const point_tensor e = point_dispersion(u.x, u.y, u.z, point_slowness(u.x * u.x + (u.y * u.y + u.z * u.z)), (REAL)a.transverse, (REAL)(a.longitudinal - a.transverse));
  const REAL hx = AXIS(a.h[0])[s.i - 1 + cx], hy = AXIS(a.h[1])[s.j - 1 + cy], hz = AXIS(a.h[2])[m];
  const REAL rx = AXIS(a.rh[0])[s.i - 1 + cx], ry = AXIS(a.rh[1])[s.j - 1 + cy], rz = AXIS(a.rh[2])[m];
  const REAL volume = (REAL)(sy ? 0.25 : 0.5) * hy * hz * hx;
  REAL v[2][2][2]; /* z, y, x */
#pragma unroll
  for (int c = 0; c < 8; c++)
    v[c >> 2][c >> 1 & 1][c & 1] = t[(c & 1) + (c >> 1 & 1) * sy + (c >> 2) * sz];
  REAL ex[2][2], ey[2][2], ez[2][2]; /* differences of the edges in x at (z, y), in y at (z, x), in z at (y, x) */
#pragma unroll
  for (int c = 0; c < 4; c++) {
    const int p = c >> 1, q = c & 1;
    ex[p][q] = v[p][q][1] - v[p][q][0];
    ey[p][q] = v[p][1][q] - v[p][0][q];
    ez[p][q] = v[1][p][q] - v[0][p][q];
  }
  const REAL quarter = 0.25, gx = quarter * rx * ((ex[0][0] + ex[0][1]) + (ex[1][0] + ex[1][1]));
  const REAL gy = quarter * ry * ((ey[0][0] + ey[0][1]) + (ey[1][0] + ey[1][1])), gz = quarter * rz * ((ez[0][0] + ez[0][1]) + (ez[1][0] + ez[1][1]));
  constexpr bool tri = form == cv_spread_trilinear, lim = form == cv_spread_limited;
  const REAL dz = rz * (tri ? trilinear_edge(ez[oy][ox], ez[cy][ox], ez[oy][cx], ez[cy][cx]) : ez[oy][ox]);
  const REAL fz = volume * rz * (e.zz * dz + (e.xz * (lim ? zx : gx) + e.yz * (lim ? zy : gy)));
#pragma unroll
  for (int p = 0; p < 2; p++) {
    const REAL dx = rx * (tri ? trilinear_edge(ex[p][oy], ex[p][cy], ex[1 - p][oy], ex[1 - p][cy]) : ex[p][oy]);
    const REAL dy = ry * (tri ? trilinear_edge(ey[p][ox], ey[p][cx], ey[1 - p][ox], ey[1 - p][cx]) : ey[p][ox]);
    const REAL fx = volume * rx * (e.xx * dx + (e.xy * (lim ? sides[p].xy[cx] : gy) + e.xz * (lim ? sides[p].xz[cx] : gz)));
    const REAL fy = volume * ry * (e.yy * dy + (e.xy * (lim ? sides[p].yx[cy] : gx) + e.yz * (lim ? sides[p].yz[cy] : gz)));
    part.gain[p] += ((cx ? fx : -fx) + (cy ? fy : -fy)) + (p ? -fz : fz);
    part.carried[p] -= (REAL)0.5 * (a.axis == 0 ? hx * fx : a.axis == 1 ? hy * fy : hz * fz);
  }
}

/* The part of the layer of cells between the planes m and m+1 on the thread's nodes there. */
template <int form>
DEVICE layer_part layer_part_of(const cv_disperse_args &a, const slab &s, int m, const plane_slopes (&sides)[2]) {
  layer_part part = {{0, 0}, {0, 0}};
  REAL zx = 0, zy = 0;
  if (form == cv_spread_limited) {
    const REAL *t = AXIS(a.t) + s.i + s.j * a.box.sy + m * a.box.sz, *rx = AXIS(a.rh[0]) + s.i, *ry = AXIS(a.rh[1]) + s.j;
    zx = edge_slope(t, t + a.box.sz, 1, rx[-1], rx[0]);
    zy = edge_slope(t, t + a.box.sz, a.box.sy, ry[-1], ry[0]);
  }
#pragma unroll
  for (int c = 0; c < 4; c++)
    if (c >> 1 || a.box.sy)
      cell_part<form>(part, a, s, m, c & 1, c >> 1, sides, zx, zy);
  return part;
}

/* Adds to Out and gives both sums. Every layer of cells is computed once by each column beside it. Reads T, Q and Out once, writes Out: 6 words a node. */
template <int form> DEVICE void disperse_slab(const cv_disperse_args &a, double &carried, double &dissipated) {
  const slab s = slab_of(a.box.n);
  plane_slopes sides[2] = {};
  REAL gain = 0, flux = 0;
  for (int m = s.low - 1; m < s.high && s.low < s.high; m++) {
    sides[0] = sides[1];
    if (form == cv_spread_limited && m + 1 < s.high)
      sides[1] = plane_slopes_at(a, s, m + 1);
    const layer_part part = layer_part_of<form>(a, s, m, sides);
    if (m >= s.low) {
      const int64_t at = s.i + s.j * a.box.sy + m * a.box.sz;
      const REAL all = gain + part.gain[0];
      static_cast<REAL *>(a.out)[at] += all;
      carried += (double)flux + part.carried[0];
      dissipated -= (double)AXIS(a.t)[at] * all;
    }
    gain = part.gain[1];
    flux = part.carried[1];
  }
}

KERNEL(disperse, cv_disperse_args) {
  double carried = 0, dissipated = 0;
  if (a.form == cv_spread_edges)
    disperse_slab<cv_spread_edges>(a, carried, dissipated);
  else if (a.form == cv_spread_trilinear)
    disperse_slab<cv_spread_trilinear>(a, carried, dissipated);
  else
    disperse_slab<cv_spread_limited>(a, carried, dissipated);
  put_sum(a.partial, carried);
  put_sum(a.partial + a.parts, dissipated);
}
