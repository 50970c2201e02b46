/* Dispersion by the flow: Dispersivity and Disperse. */
#include "../launch.h"
#include "../vector/reduce.cuh"
#include "../march/march.cuh"
#include "../march/slab.cuh"

/* The velocity at the centre of the cell at an element. */
typedef struct {
  REAL x, y, z;
} cell_flow;

/* 1/|u| of a square, as point_slowness, to two units in the last place. */
#ifdef __CUDACC__
DEVICE float flow_slowness(float square) { return rsqrtf(square > (float)point_rest ? square : (float)point_rest); }

DEVICE double flow_slowness(double square) {
  const double s = square > point_rest ? square : (double)point_rest;
  double r;
  asm("rsqrt.approx.ftz.f64 %0, %1;" : "=d"(r) : "d"(s));
  const double e = fma(-s * r, r, 1.0); /* r is good to 20 bits, and then to 60 */
  return fma(r * e, fma(0.375, e, 0.5), r);
}
#else
DEVICE REAL flow_slowness(REAL square) { return point_slowness(square); }
#endif

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

/* What flows along an edge is of the cells around it. Where slopes across belong to edges it is a product of sums over those cells, and where they belong to cells a
   sum of their parts: each thread has the three edges that go up from its node, and threads exchange what is of cells. All fluxes are -F. */

/* Widths of a thread's cell along x and y, and their reciprocals. Beyond a wall there are no edges: the weight of an edge along x is hy within, else 0, and hx of one
   along y. */
typedef struct {
  REAL hx, hy, rx, ry, of_x, of_y;
} rim_widths;

DEVICE rim_widths rim_widths_of(const cv_disperse_args &a, int i, int j) {
  const REAL hx = AXIS(a.h[0])[i], hy = AXIS(a.h[1])[j], rx = AXIS(a.rh[0])[i], ry = AXIS(a.rh[1])[j];
  const rim_widths w = {hx, hy, rx, ry, rx > 0 ? hy : (REAL)0, ry > 0 ? hx : (REAL)0};
  return w;
}

/* A layer of cells: its width and the reciprocal. */
typedef struct {
  REAL h, r;
} rim_layer;

/* T at the corners of a cell in a plane: the own node, that after it, and those in the row behind. */
typedef struct {
  REAL own, next, back, last;
} rim_corners;

/* A word along each axis. */
typedef struct {
  REAL x, y, z;
} rim_words;

/* The place of a thread in its block, and the rows beside. Of the outer rows, the first computes what flows along y alone, and the last nothing. */
typedef struct {
  int lane, row, before, behind;
  bool cells, owns;
} rim_place;

/* What a thread tells the rows beside: reciprocal slopes along y and limited ones of its node along x and z, or in the form of trilinear elements a product; parts of
   what flows along x and z; and what flows along y. */
enum { tell_y, tell_limits_x, tell_products = tell_limits_x, tell_limits_z, tell_xx, tell_xy, tell_xz, tell_yz, tell_zz, tell_flow, tells };
typedef REAL rim_told[tells][rim_rows][32];

/* A word of the thread in the next lane, and of that in the last. */
DEVICE REAL next_lane(REAL v) { return __shfl_down_sync(0xffffffffu, v, 1); }
DEVICE REAL last_lane(REAL v) { return __shfl_up_sync(0xffffffffu, v, 1); }

/* The sum of a word over the own lane and the last, and over the own and the next. */
DEVICE REAL with_last(REAL v) { return v + last_lane(v); }
DEVICE REAL with_next(REAL v) { return v + next_lane(v); }

/* Whether signs differ. */
DEVICE bool opposite(REAL a, REAL b) {
#ifdef __CUDACC__
  return sizeof(REAL) == 8 ? (__double2hiint((double)a) ^ __double2hiint((double)b)) < 0 : (__float_as_int((float)a) ^ __float_as_int((float)b)) < 0;
#else
  return signbit(a) != signbit(b);
#endif
}

/* v, or 0 where it is not a number. */
DEVICE REAL number_or_zero(REAL v, bool valid) {
#ifdef __CUDACC__
  if (sizeof(REAL) == 8) { /* the high word of such a double is such a float */
    const float high = __int_as_float(__double2hiint((double)v));
    return valid && high == high ? v : (REAL)0;
  }
#endif
  return valid && v == v ? v : (REAL)0;
}

/* Van Leer's mean of slopes is their number over the sum of their reciprocals where all have one sign. The sum of two reciprocals, which is no number where
   the signs differ; of a slope of 0 the reciprocal is infinite, or no number. */
DEVICE REAL reciprocals(REAL a, REAL b) { return opposite(a, b) ? (REAL)NAN : a + b; }

/* A quarter of the mean of four slopes of two nodes, 0 where there is none. */
DEVICE REAL limited_slope(REAL a, REAL b) { return number_or_zero(march_quotient((REAL)1, a + b), !opposite(a, b)); }

/* h E of a cell, from four times its velocity. */
DEVICE point_tensor rim_tensor(const cv_disperse_args &a, REAL x, REAL y, REAL z, REAL h) {
  const REAL square = fma(x, x, fma(y, y, z * z)), slowness = flow_slowness(square) * h;
  const REAL across = (REAL)(0.25 * a.transverse) * (square * slowness), along = (REAL)(0.25 * (a.longitudinal - a.transverse)) * slowness;
  const REAL ax = along * x, ay = along * y, az = along * z;
  const point_tensor e = {fma(ax, x, across), fma(ay, y, across), fma(az, z, across), ax * y, ax * z, ay * z};
  return e;
}

/* What a thread keeps of limited slopes: sums of reciprocals at the node in the plane below, and the reciprocal slope in the layer below it; tensors of
   the layer below, of which xz is summed over rows and yz over lanes. */
typedef struct {
  REAL x, y, z;
  REAL xx, xy, yy, xz, yz;
} limited_state;

/* What it has told, and what it keeps to itself, of a layer and the plane below it. */
typedef struct {
  REAL node_x, node_z, up_y;
  REAL xx, xy, xz, yz, zz; /* told */
  REAL yy, yx, y_yz;
} limited_layer;

/* Tells reciprocals of slopes, and parts of what flows along edges in the plane below the layer and in it. */
DEVICE limited_layer rim_tell(limited_state &s, const rim_words &slope, const rim_corners &, const rim_corners &, const point_tensor &e, const rim_widths &w,
                              const rim_layer &, const rim_place &p, rim_told &told) {
  limited_layer l;
  const REAL x = march_quotient((REAL)1, slope.x), z = march_quotient((REAL)1, slope.z);
  l.up_y = march_quotient((REAL)1, slope.y);
  l.node_x = reciprocals(x, last_lane(x)), l.node_z = reciprocals(s.z, z);
  s.z = z;
  told[tell_y][p.row][p.lane] = l.up_y;
  told[tell_limits_x][p.row][p.lane] = s.x, told[tell_limits_z][p.row][p.lane] = l.node_z;
  if (!p.cells)
    return l;
  const REAL xy = s.xy + e.xy, lanes_yz = with_last(w.of_y * e.yz);
  l.xx = w.of_x * (s.xx + e.xx), l.xy = w.of_x * xy, l.xz = w.of_x * e.xz, l.yz = w.hy * lanes_yz, l.zz = w.hy * e.zz;
  l.yy = w.of_y * (s.yy + e.yy), l.yx = w.of_y * xy, l.y_yz = s.yz + lanes_yz;
  s.xx = e.xx, s.xy = e.xy, s.yy = e.yy, s.yz = lanes_yz;
  told[tell_xx][p.row][p.lane] = l.xx, told[tell_xy][p.row][p.lane] = l.xy, told[tell_xz][p.row][p.lane] = l.xz;
  told[tell_yz][p.row][p.lane] = l.yz, told[tell_zz][p.row][p.lane] = l.zz;
  return l;
}

/* What flows along the edges that go up from the node in the plane below the layer, and in z in the layer; `slope` are those of T along them. */
DEVICE rim_words rim_flows(limited_state &s, const limited_layer &l, const rim_words &slope, const rim_corners &, const rim_corners &, const rim_widths &w,
                           const rim_layer &layer, const rim_place &p, const rim_told &told) {
  rim_words f = {0, 0, 0};
  const REAL quarter = (REAL)0.25;
  if (p.cells) {
    const REAL y_x = limited_slope(s.x, told[tell_limits_x][p.behind][p.lane]), y_z = limited_slope(l.node_z, told[tell_limits_z][p.behind][p.lane]);
    f.y = fma(with_last(l.yy), quarter * slope.y, fma(with_last(l.yx), y_x, l.y_yz * y_z));
  }
  if (p.owns) {
    const REAL xz = l.xz + told[tell_xz][p.before][p.lane];
    const REAL x_y = limited_slope(s.y, next_lane(s.y)), x_z = limited_slope(l.node_z, next_lane(l.node_z));
    f.x = fma(l.xx + told[tell_xx][p.before][p.lane], quarter * slope.x, fma(l.xy + told[tell_xy][p.before][p.lane], x_y, (s.xz + xz) * x_z));
    s.xz = xz;
    const REAL y = reciprocals(l.up_y, told[tell_y][p.before][p.lane]);
    const REAL z_x = limited_slope(s.x, l.node_x), z_y = limited_slope(s.y, y);
    s.y = y;
    const REAL zz = with_last(w.hx * (l.zz + told[tell_zz][p.before][p.lane])), yz = l.yz + told[tell_yz][p.before][p.lane];
    f.z = layer.r * fma(zz, quarter * slope.z, fma(with_last(w.hx * xz), z_x, yz * z_y));
  }
  s.x = l.node_x;
  return f;
}

/* What a thread keeps where slopes across are means of a cell: of the layer below, summed over rows or lanes, the tensor, what slopes across bring, and in the form of
   trilinear elements products with the differences in both planes; and of that form the tensor of the cell. */
template <int form> struct mean_state {
  REAL xx, yy, across_x, across_y, both_x, both_y;
  REAL cell_xx, cell_yy;
};

typedef struct {
  REAL xx, zz, across_x, across_z, beside_x, beside_z; /* told */
  REAL yy, across_y, beside_y;
} mean_layer;

template <int form>
DEVICE mean_layer rim_tell(mean_state<form> &s, const rim_words &, const rim_corners &v, const rim_corners &u, const point_tensor &e, const rim_widths &w,
                           const rim_layer &layer, const rim_place &p, rim_told &told) {
  mean_layer l = {};
  if (!p.cells)
    return l;
  const REAL x = (v.next - v.own) + (v.last - v.back), y = (v.back - v.own) + (v.last - v.next), z = u.own - v.own, z_back = u.back - v.back;
  const REAL all_x = x + ((u.next - u.own) + (u.last - u.back)), all_y = y + ((u.back - u.own) + (u.last - u.next));
  const REAL all_z = (z + z_back) + ((u.next - v.next) + (u.last - v.last)), part = (REAL)0.0625;
  const REAL gx = part * w.rx * all_x, gy = part * w.ry * all_y, gz = part * layer.r * all_z;
  REAL x_across = fma(e.xy, gy, e.xz * gz), y_across = fma(e.xy, gx, e.yz * gz), z_across = fma(e.xz, gx, e.yz * gy);
  if (form == cv_spread_trilinear) {
    const REAL ninth = (REAL)(4.0 / 9);
    x_across = fma(ninth * e.xx, gx, x_across), y_across = fma(ninth * e.yy, gy, y_across), z_across = fma(ninth * e.zz, gz, z_across);
    l.beside_x = w.of_x * (s.cell_xx + e.xx) * x, l.beside_y = with_last(w.of_y * (s.cell_yy + e.yy) * y);
    l.beside_z = w.hy * with_last(w.hx * e.zz) * (z + z_back);
    s.cell_xx = e.xx, s.cell_yy = e.yy;
    told[tell_xy][p.row][p.lane] = l.beside_x, told[tell_products][p.row][p.lane] = l.beside_z;
  }
  l.xx = w.of_x * e.xx, l.zz = w.hy * e.zz, l.across_x = w.of_x * x_across, l.across_z = w.hy * with_last(w.hx * z_across);
  l.yy = with_last(w.of_y * e.yy), l.across_y = with_last(w.of_y * y_across);
  told[tell_xx][p.row][p.lane] = l.xx, told[tell_zz][p.row][p.lane] = l.zz;
  told[tell_xz][p.row][p.lane] = l.across_x, told[tell_yz][p.row][p.lane] = l.across_z;
  return l;
}

template <int form>
DEVICE rim_words rim_flows(mean_state<form> &s, const mean_layer &l, const rim_words &, const rim_corners &v, const rim_corners &u, const rim_widths &w,
                           const rim_layer &layer, const rim_place &p, const rim_told &told) {
  constexpr bool trilinear = form == cv_spread_trilinear;
  const REAL part = (REAL)(trilinear ? 1.0 / 36 : 0.25);
  rim_words f = {0, 0, 0};
  if (p.cells) {
    const REAL y = v.back - v.own, both = trilinear ? l.yy * (y + (u.back - u.own)) : (REAL)0;
    f.y = fma(part * w.ry, fma(s.yy + l.yy, y, trilinear ? l.beside_y + (s.both_y + both) : (REAL)0), s.across_y + l.across_y);
    s.yy = l.yy, s.across_y = l.across_y, s.both_y = both;
  }
  if (p.owns) {
    const REAL x = v.next - v.own, xx = l.xx + told[tell_xx][p.before][p.lane], across = l.across_x + told[tell_xz][p.before][p.lane];
    const REAL both = trilinear ? xx * (x + (u.next - u.own)) : (REAL)0;
    const REAL beside = trilinear ? (l.beside_x + told[tell_xy][p.before][p.lane]) + (s.both_x + both) : (REAL)0;
    f.x = fma(part * w.rx, fma(s.xx + xx, x, beside), s.across_x + across);
    s.xx = xx, s.across_x = across, s.both_x = both;
    const REAL z = u.own - v.own, zz = w.hx * (l.zz + told[tell_zz][p.before][p.lane]);
    const REAL aside = trilinear ? with_last(zz * (z + (u.next - v.next))) + (l.beside_z + told[tell_products][p.before][p.lane]) : (REAL)0;
    f.z = layer.r * fma(part * layer.r, fma(with_last(zz), z, aside), l.across_z + told[tell_yz][p.before][p.lane]);
  }
  return f;
}

DEVICE rim_place rim_place_of(bool flat) {
  const int y = __shfl_sync(0xffffffffu, (int)threadIdx.y, 0), last = rim_rows - 1; /* so that nvcc knows it to be the same in a warp */
  const rim_place p = {(int)threadIdx.x, y, flat || y == 0 ? y : y - 1, flat || y == last ? y : y + 1, flat || y < last, flat || (y > 0 && y < last)};
  return p;
}

/* What a thread reads ahead of a plane and the layer below it: T and the faces at its node. What it reads behind the node another row has then read. */
typedef struct {
  REAL t, x, y, z;
} rim_reads;

DEVICE rim_reads rim_read(const cv_disperse_args &a, int64_t plane, int64_t layer) {
  const rim_reads v = {AXIS(a.t)[plane], AXIS(a.q[0])[plane], a.box.sy ? AXIS(a.q[1])[plane] : 0, AXIS(a.q[2])[layer]};
  return v;
}

/* Adds to Out and gives both sums. A thread has a column of nodes, and of the cells at their high sides. In step k it computes the layer of cells below plane k, what
   flows along its edges in plane k-1 and in the layer, and what the node of plane k-2 gains: what flows along y to that was told in the step before. So there is one
   barrier a step, and what is told alternates between two places. Reads T, Q and Out once, writes Out: 6 words a node. */
template <class State> DEVICE void disperse_rims(const cv_disperse_args &a, rim_told (&told)[2], double &carried, double &dissipated) {
  const bool flat = a.box.sy == 0;
  const rim_column s = rim_column_of(a.box.n, flat);
  const int64_t sz = a.box.sz, back = s.j < a.box.n[1] ? a.box.sy : 0;
  int64_t at = s.i + s.j * a.box.sy + (s.low - 1) * sz; /* of plane k */
  const rim_widths w = rim_widths_of(a, s.i, s.j);
  const rim_place p = rim_place_of(flat);
  const bool owns = s.inner_x && s.inner_y;
  State kept = {};
  rim_corners low = {}, high = {};
  rim_words along = {};                                      /* slopes along the edges */
  REAL faces_x = 0, faces_y = 0, up = 0, gains = 0; /* of the plane below: sums of faces, what flows up to it, and what its node gains but for the flow along y to it */
  const auto settle = [&](int64_t node, REAL out, REAL t, const rim_told &last) {
    const REAL gained = gains - last[tell_flow][p.before][p.lane];
    static_cast<REAL *>(a.out)[node] = out + gained;
    dissipated = fma(-(double)t, (double)gained, dissipated);
  };
  if (s.low == s.high)
    return;
  rim_reads v = rim_read(a, at, at);
#pragma unroll 2
  for (int k = s.low - 1; k <= s.high; k++, at += sz) {
    const bool settles = owns && k - 2 >= s.low;
    rim_told &now = told[(k - s.low) & 1];
    const REAL settled = low.own;
    low = high;
    high.own = v.t, high.back = AXIS(a.t)[at + back], high.next = next_lane(high.own), high.last = next_lane(high.back);
    const rim_layer layer = {AXIS(a.h[2])[max(k, s.low) - 1], AXIS(a.rh[2])[max(k, s.low) - 1]};
    const rim_words slope = {w.rx * (high.next - high.own), w.ry * (high.back - high.own), layer.r * (high.own - low.own)};
    const REAL x = v.x + AXIS(a.q[0])[at + back], y = with_next(v.y), z = with_next(v.z + AXIS(a.q[2])[at + back - (k < s.low ? 0 : sz)]);
    const point_tensor e = rim_tensor(a, faces_x + x, faces_y + y, z, layer.h);
    if (k < s.high)
      v = rim_read(a, at + sz, at);
    const REAL out = settles ? AXIS(a.out)[at - 2 * sz] : (REAL)0;
    const auto l = rim_tell(kept, slope, low, high, e, w, layer, p, now);
    __syncthreads();
    along.z = slope.z;
    const rim_words f = rim_flows(kept, l, along, low, high, w, layer, p, now);
    now[tell_flow][p.row][p.lane] = f.y;
    if (settles)
      settle(at - 2 * sz, out, settled, told[(k - s.low - 1) & 1]);
    gains = (f.x - last_lane(f.x)) + f.y + (f.z - up);
    if (owns && k > s.low)
      carried -= (double)(a.axis == 0 ? w.hx * f.x : a.axis == 1 ? w.hy * f.y : layer.h * f.z);
    along = slope, faces_x = x, faces_y = y, up = f.z;
  }
  __syncthreads();
  if (owns)
    settle(at - 2 * sz, AXIS(a.out)[at - 2 * sz], low.own, told[(s.high - s.low) & 1]);
  if (!counts_row(a.box, flat ? 0 : rim_row())) /* of s.j it need not be kept so long */
    carried = dissipated = 0;
}

KERNEL_BOUNDS(disperse, cv_disperse_args, 32 * rim_rows, 2) {
  __shared__ rim_told told[2];
  double carried = 0, dissipated = 0;
  if (a.form == cv_spread_edges)
    disperse_rims<mean_state<cv_spread_edges>>(a, told, carried, dissipated);
  else if (a.form == cv_spread_trilinear)
    disperse_rims<mean_state<cv_spread_trilinear>>(a, told, carried, dissipated);
  else
    disperse_rims<limited_state>(a, told, carried, dissipated);
  put_sum(a.partial, carried);
  put_sum(a.partial + a.parts, dissipated);
}
