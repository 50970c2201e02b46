/* Dispersion by the flow: Dispersivity and Disperse. */
#include "../launch.h"
#include "../vector/reduce.cuh"
#include "../march/march.cuh"
#include "../march/slab.cuh"
#include "slopes.cuh"

/* The velocity at the centre of the cell at an element. */
typedef struct {
  REAL x, y, z;
} cell_flow;

/* 1/|u| of a square, as point_slowness, to two units in the last place. */
#ifdef __CUDACC__
DEVICE float flow_root(float square) {
  float r;
  asm("rsqrt.approx.ftz.f32 %0, %1;" : "=f"(r) : "f"(square));
  return r;
}

DEVICE double flow_root(double square) {
  double r;
  asm("rsqrt.approx.ftz.f64 %0, %1;" : "=d"(r) : "d"(square));
  const double e = fma(-square * r, r, 1.0); /* r is good to 20 bits, and then to 60 */
  return fma(r * e, fma(0.375, e, 0.5), r);
}
#else
DEVICE REAL flow_root(REAL square) { return 1 / (sizeof(REAL) == 4 ? (REAL)sqrtf((float)square) : (REAL)sqrt((double)square)); }
#endif

DEVICE REAL flow_slowness(REAL square) { return flow_root(square > point_rest ? square : point_rest); }

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
   sum of their parts: each thread has the three edges that go up from each of its nodes, in rows one behind the other, and threads exchange what is of cells. All
   fluxes are -F. There are no branches, so that what is of one row waits for the other. */

/* Widths of a cell along x and y, and their reciprocals, which are 0 beyond a wall. */
typedef struct {
  REAL hx, hy, rx, ry;
} rim_widths;

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

/* What a row tells those beside: reciprocal slopes along y and limited ones of its node along x and z, or in the form of trilinear elements a product; parts of
   what flows along x and z; and what flows along y. */
enum { tell_y, tell_limits_x, tell_products = tell_limits_x, tell_limits_z, tell_xx, tell_xy, tell_xz, tell_yz, tell_zz, tell_flow, tells };
typedef REAL rim_told[tells][rim_warps][32];
typedef struct {
  REAL v[tells];
} rim_tale;

/* A word of the thread in the next lane, and of that in the last. */
DEVICE REAL next_lane(REAL v) { return __shfl_down_sync(0xffffffffu, v, 1); }
DEVICE REAL last_lane(REAL v) { return __shfl_up_sync(0xffffffffu, v, 1); }

/* The sum of a word over the own lane and the last, and over the own and the next. */
DEVICE REAL with_last(REAL v) { return v + last_lane(v); }
DEVICE REAL with_next(REAL v) { return v + next_lane(v); }

/* h E of a cell, from four times its velocity and a quarter of h, and four times its speed. */
DEVICE point_tensor rim_tensor(const cv_disperse_args &a, REAL x, REAL y, REAL z, REAL h, REAL &speed) {
  const REAL square = fma(x, x, fma(y, y, z * z)), root = flow_root(square + rim_least), slowness = root * h;
  speed = square * root;
  const REAL across = (REAL)a.transverse * (square * slowness), along = (REAL)(a.longitudinal - a.transverse) * slowness;
  const REAL ax = along * x, ay = along * y, az = along * z;
  const point_tensor e = {fma(ax, x, across), fma(ay, y, across), fma(az, z, across), ax * y, ax * z, ay * z};
  return e;
}

/* What a row keeps of limited slopes: sums of reciprocals at the node in the plane below, and the reciprocal slope in the layer below it; tensors of
   the layer below, of which xz is summed over rows and yz over lanes. The words in `behind` are told to the row behind, those in `before` to that before. */
struct limited_state {
  struct layer { /* what it keeps to itself until the row knows what others tell */
    REAL node_x, yy, yx, y_yz;
  };
  REAL x, y, z;
  REAL xx, xy, yy, xz, yz;
  static constexpr int behind = 1 << tell_y | 1 << tell_xx | 1 << tell_xy | 1 << tell_xz | 1 << tell_yz | 1 << tell_zz;
  static constexpr int before = 1 << tell_limits_x | 1 << tell_limits_z;
};


/* Tells reciprocals of slopes, and parts of what flows along edges in the plane below the layer and in it; u are T in the plane above, and v below. */
DEVICE limited_state::layer rim_tell(limited_state &s, const rim_corners &v, const rim_corners &u, const point_tensor &e, const rim_widths &w, const rim_layer &layer,
                                     rim_tale &told) {
  limited_state::layer l;
  const REAL x = reciprocal(w.rx, u.next - u.own), z = reciprocal(layer.r, u.own - v.own);
  told.v[tell_y] = reciprocal(w.ry, u.back - u.own);
  l.node_x = reciprocals(x, last_lane(x));
  told.v[tell_limits_x] = s.x, told.v[tell_limits_z] = reciprocals(s.z, z);
  s.z = z;
  const REAL xy = s.xy + e.xy, lanes_yz = with_last(w.hx * e.yz);
  told.v[tell_xx] = w.hy * (s.xx + e.xx), told.v[tell_xy] = w.hy * xy, told.v[tell_xz] = w.hy * e.xz;
  told.v[tell_yz] = w.hy * lanes_yz, told.v[tell_zz] = w.hy * e.zz;
  l.yy = w.hx * (s.yy + e.yy), l.yx = w.hx * xy, l.y_yz = s.yz + lanes_yz;
  s.xx = e.xx, s.xy = e.xy, s.yy = e.yy, s.yz = lanes_yz;
  return l;
}

/* What flows along the edges that go up from the node in the plane below the layer, and in z in the layer; of what rows tell, `own` is of this one, and `before` and
   `behind` are of those beside. */
DEVICE rim_words rim_flows(limited_state &s, const limited_state::layer &l, const rim_corners &v, const rim_corners &u, const rim_widths &w, const rim_layer &layer,
                           const rim_tale &own, const rim_tale &before, const rim_tale &behind) {
  rim_words f;
  const REAL quarter = (REAL)0.25, node_z = own.v[tell_limits_z];
  f.y = fma(with_last(l.yy), quarter * (w.ry * (v.back - v.own)),
            limited_slopes(with_last(l.yx), s.x, behind.v[tell_limits_x], l.y_yz, node_z, behind.v[tell_limits_z]));
  const REAL xz = own.v[tell_xz] + before.v[tell_xz];
  f.x = fma(own.v[tell_xx] + before.v[tell_xx], quarter * (w.rx * (v.next - v.own)),
            limited_slopes(own.v[tell_xy] + before.v[tell_xy], s.y, next_lane(s.y), s.xz + xz, node_z, next_lane(node_z)));
  s.xz = xz;
  const REAL y = reciprocals(own.v[tell_y], before.v[tell_y]);
  const REAL zz = with_last(w.hx * (own.v[tell_zz] + before.v[tell_zz])), yz = own.v[tell_yz] + before.v[tell_yz];
  f.z = layer.r * fma(zz, quarter * (layer.r * (u.own - v.own)), limited_slopes(with_last(w.hx * xz), s.x, l.node_x, yz, s.y, y));
  s.y = y, s.x = l.node_x;
  return f;
}

/* What a row keeps where slopes across are means of a cell: of the layer below, summed over rows or lanes, the tensor, what slopes across bring, and in the form of
   trilinear elements products with the differences in both planes; and of that form the tensor of the cell. */
template <int form> struct mean_state {
  struct layer {
    REAL yy, across_y, beside_y;
  };
  REAL xx, yy, across_x, across_y, both_x, both_y;
  REAL cell_xx, cell_yy;
  static constexpr int behind = 1 << tell_xx | 1 << tell_xz | 1 << tell_yz | 1 << tell_zz | (form == cv_spread_trilinear ? 1 << tell_xy | 1 << tell_products : 0);
  static constexpr int before = 0;
};

template <int form>
DEVICE typename mean_state<form>::layer rim_tell(mean_state<form> &s, const rim_corners &v, const rim_corners &u, const point_tensor &e, const rim_widths &w,
                                                 const rim_layer &layer, rim_tale &told) {
  typename mean_state<form>::layer l = {};
  const REAL x = (v.next - v.own) + (v.last - v.back), y = (v.back - v.own) + (v.last - v.next), z = u.own - v.own, z_back = u.back - v.back;
  const REAL all_x = x + ((u.next - u.own) + (u.last - u.back)), all_y = y + ((u.back - u.own) + (u.last - u.next));
  const REAL all_z = (z + z_back) + ((u.next - v.next) + (u.last - v.last)), part = (REAL)0.0625;
  const REAL gx = part * w.rx * all_x, gy = part * w.ry * all_y, gz = part * layer.r * all_z;
  REAL x_across = fma(e.xy, gy, e.xz * gz), y_across = fma(e.xy, gx, e.yz * gz), z_across = fma(e.xz, gx, e.yz * gy);
  if (form == cv_spread_trilinear) {
    const REAL ninth = (REAL)(4.0 / 9);
    x_across = fma(ninth * e.xx, gx, x_across), y_across = fma(ninth * e.yy, gy, y_across), z_across = fma(ninth * e.zz, gz, z_across);
    l.beside_y = with_last(w.hx * (s.cell_yy + e.yy) * y);
    told.v[tell_xy] = w.hy * (s.cell_xx + e.xx) * x, told.v[tell_products] = w.hy * with_last(w.hx * e.zz) * (z + z_back);
    s.cell_xx = e.xx, s.cell_yy = e.yy;
  }
  l.yy = with_last(w.hx * e.yy), l.across_y = with_last(w.hx * y_across);
  told.v[tell_xx] = w.hy * e.xx, told.v[tell_zz] = w.hy * e.zz;
  told.v[tell_xz] = w.hy * x_across, told.v[tell_yz] = w.hy * with_last(w.hx * z_across);
  return l;
}

template <int form>
DEVICE rim_words rim_flows(mean_state<form> &s, const typename mean_state<form>::layer &l, const rim_corners &v, const rim_corners &u, const rim_widths &w,
                           const rim_layer &layer, const rim_tale &own, const rim_tale &before, const rim_tale &) {
  constexpr bool trilinear = form == cv_spread_trilinear;
  const REAL part = (REAL)(trilinear ? 1.0 / 36 : 0.25);
  rim_words f;
  const REAL x = v.next - v.own, y = v.back - v.own, z = u.own - v.own;
  const REAL both_y = trilinear ? l.yy * (y + (u.back - u.own)) : (REAL)0;
  f.y = fma(part * w.ry, fma(s.yy + l.yy, y, trilinear ? l.beside_y + (s.both_y + both_y) : (REAL)0), s.across_y + l.across_y);
  s.yy = l.yy, s.across_y = l.across_y, s.both_y = both_y;
  const REAL xx = own.v[tell_xx] + before.v[tell_xx], across = own.v[tell_xz] + before.v[tell_xz];
  const REAL both = trilinear ? xx * (x + (u.next - u.own)) : (REAL)0;
  const REAL beside = trilinear ? (own.v[tell_xy] + before.v[tell_xy]) + (s.both_x + both) : (REAL)0;
  f.x = fma(part * w.rx, fma(s.xx + xx, x, beside), s.across_x + across);
  s.xx = xx, s.across_x = across, s.both_x = both;
  const REAL zz = w.hx * (own.v[tell_zz] + before.v[tell_zz]);
  const REAL aside = trilinear ? with_last(zz * (z + (u.next - v.next))) + (own.v[tell_products] + before.v[tell_products]) : (REAL)0;
  f.z = layer.r * fma(part * layer.r, fma(with_last(zz), z, aside), own.v[tell_yz] + before.v[tell_yz]);
  return f;
}

/* What a thread reads ahead of a plane and the layer below it: T and the faces at its nodes. What it reads in the row behind them another warp has then read. */
template <int each> struct rim_reads {
  REAL t[each], x[each], y[each], z[each];
};

/* `rows` are the places of a thread's rows, and of that behind, from the first. */
template <int each> DEVICE rim_reads<each> rim_read(const cv_disperse_args &a, const int (&rows)[each + 1], int64_t plane, int64_t layer) {
  const REAL *t = AXIS(a.t) + plane, *x = AXIS(a.q[0]) + plane, *y = AXIS(a.q[1]) + plane, *z = AXIS(a.q[2]) + layer;
  rim_reads<each> v;
#pragma unroll
  for (int r = 0; r < each; r++)
    v.t[r] = t[rows[r]], v.x[r] = x[rows[r]], v.y[r] = each == 1 ? 0 : y[rows[r]], v.z[r] = z[rows[r]];
  return v;
}

/* The words in a mask that a warp has told. */
DEVICE rim_tale rim_heard(const rim_told &told, int words, int warp) {
  rim_tale v = {};
#pragma unroll
  for (int word = 0; word < tells; word++)
    if (words >> word & 1)
      v.v[word] = told[word][warp][threadIdx.x];
  return v;
}

DEVICE void rim_say(rim_told &told, int words, const rim_tale &v) {
#pragma unroll
  for (int word = 0; word < tells; word++)
    if (words >> word & 1)
      told[word][threadIdx.y][threadIdx.x] = v.v[word];
}

/* T of a plane in the rows of a thread and that behind, and after them. */
template <int each> struct rim_plane {
  REAL own[each + 1], next[each + 1];
};

template <int each> DEVICE rim_corners corners_of(const rim_plane<each> &p, int r) {
  const rim_corners c = {p.own[r], p.next[r], p.own[r + 1], p.next[r + 1]};
  return c;
}

/* What a thread has of a row: widths, whether its cells and its node are in the box, what is kept; sums of faces of the plane below, what flows up to that, along y
   from its node, and what its node gains but for what flows along y to it; and both sums. */
template <class State> struct rim_line {
  rim_widths w;
  bool cells, owns;
  State kept;
  REAL faces_x, faces_y, up, along_y, gains;
  double carried, dissipated;
};

template <class State, int each> DEVICE rim_line<State> rim_line_of(const cv_disperse_args &a, const rim_column &s, int r) {
  const int j = min(s.j + r, (int)a.box.n[1]);
  rim_line<State> l = {};
  l.w.hx = AXIS(a.h[0])[s.i], l.w.hy = AXIS(a.h[1])[j], l.w.rx = AXIS(a.rh[0])[s.i], l.w.ry = AXIS(a.rh[1])[j];
  l.cells = l.w.rx > 0 && (each == 1 || l.w.ry > 0);
  l.owns = s.inner_x && rim_inner_y<each>(s, a.box.n, r);
  return l;
}

/* What Out is at the nodes of a thread. */
template <class State, int each>
DEVICE void rim_out(const cv_disperse_args &a, const rim_line<State> (&lines)[each], const int (&rows)[each + 1], int64_t node, bool settles, REAL (&out)[each]) {
#pragma unroll
  for (int r = 0; r < each; r++)
    out[r] = settles && lines[r].owns ? AXIS(a.out)[node + rows[r]] : (REAL)0;
}

/* Adds to it what they gain; t is T there, and `last` what was told when what flows along y was. */
template <class State, int each>
DEVICE void rim_settle(const cv_disperse_args &a, rim_line<State> (&lines)[each], const int (&rows)[each + 1], int64_t node, const REAL (&out)[each],
                       const REAL (&t)[each + 1], const rim_told &last) {
  const REAL along_y = each == 1 ? lines[0].along_y : last[tell_flow][max((int)threadIdx.y - 1, 0)][threadIdx.x];
#pragma unroll
  for (int r = 0; r < each; r++) {
    const REAL gained = lines[r].gains - (r > 0 ? lines[(r + each - 1) % each].along_y : along_y);
    if (lines[r].owns)
      static_cast<REAL *>(a.out)[node + rows[r]] = out[r] + gained;
    lines[r].dissipated = fma(-(double)t[r], (double)gained, lines[r].dissipated);
  }
}

/* Where a thread's first cell of a layer is, its row, whether Held is wanted there, and the most by which it is raised. */
struct rim_holding {
  int64_t at;
  int j;
  bool here;
  REAL most;
};

/* Held of a cell in row r of a thread's, from four times the speed there. */
DEVICE void rim_hold(const cv_disperse_args &a, rim_holding &held, int r, int64_t at, REAL speed) {
  const REAL more = (REAL)(0.25 * a.held_length) * speed;
  static_cast<REAL *>(a.held)[at] = (a.held_cells ? AXIS(a.held_cells)[at] : (REAL)a.held_k) + more;
  if (counts_row(a.box, held.j + r))
    held.most = fmax(held.most, more);
}

/* The tensors of a thread's cells in a layer, and what they tell. */
template <class State, int each>
DEVICE void rim_layer_tells(const cv_disperse_args &a, rim_line<State> (&lines)[each], const rim_reads<each> &v, REAL behind_x, REAL behind_z, const rim_plane<each> &low,
                            const rim_plane<each> &high, const rim_layer &layer, const int (&rows)[each + 1], rim_holding &held, typename State::layer (&parts)[each],
                            rim_tale (&tales)[each]) {
#pragma unroll
  for (int r = 0; r < each; r++) {
    rim_line<State> &l = lines[r];
    const REAL x = v.x[r] + (r + 1 < each ? v.x[(r + 1) % each] : behind_x), y = with_next(v.y[r]);
    const REAL z = with_next(v.z[r] + (r + 1 < each ? v.z[(r + 1) % each] : behind_z));
    REAL speed;
    const point_tensor e = rim_tensor(a, l.faces_x + x, l.faces_y + y, z, l.cells ? (REAL)0.25 * layer.h : (REAL)0, speed);
    if (held.here && layer.r > 0 && l.cells && l.owns)
      rim_hold(a, held, r, held.at + rows[r], speed);
    parts[r] = rim_tell(l.kept, corners_of(low, r), corners_of(high, r), e, l.w, layer, tales[r]);
    l.faces_x = x, l.faces_y = y;
  }
}

/* Adds to Out and gives both sums. A thread has columns of nodes, and of the cells at their high sides. In step k it computes the layer of cells below plane k, what
   flows along its edges in plane k-1 and in the layer, and what the nodes of plane k-2 gain: what flows along y to those was told in the step before. So there is one
   barrier a step, and what is told alternates between two places. Reads T, Q and Out once, writes Out: 6 words a node, and Held if it is wanted. */
template <class State, int each> DEVICE void disperse_rims(const cv_disperse_args &a, rim_told (&told)[2], double &carried, double &dissipated, REAL &most) {
  constexpr bool flat = each == 1;
  const rim_column s = rim_column_of<each>(a.box.n);
  rim_holding held = {0, s.j, false, 0};
  const int64_t sz = a.box.sz, first = min(s.j, (int)a.box.n[1]);
  const int warp = (int)threadIdx.y, last = rim_warps - 1;
  int64_t at = s.i + first * a.box.sy + (s.low - 1) * sz; /* of plane k */
  int rows[each + 1];                                     /* behind the last warp nobody reads, and there nothing counts */
  rim_line<State> lines[each];
#pragma unroll
  for (int r = 0; r <= each; r++)
    rows[r] = flat ? 0 : (int)((min(s.j + (warp < last ? r : min(r, each - 1)), (int)a.box.n[1]) - first) * a.box.sy);
#pragma unroll
  for (int r = 0; r < each; r++)
    lines[r] = rim_line_of<State, each>(a, s, r);
  if (s.low == s.high)
    return;
  rim_plane<each> low = {}, high = {};
  REAL out[each];
  rim_reads<each> v = rim_read<each>(a, rows, at, at);
#pragma unroll 1
  for (int k = s.low - 1; k <= s.high; k++, at += sz) {
    const bool settles = k - 2 >= s.low;
    rim_told &now = told[(k - s.low) & 1];
    const rim_layer layer = {AXIS(a.h[2])[max(k, s.low) - 1], AXIS(a.rh[2])[max(k, s.low) - 1]};
    const REAL behind_x = AXIS(a.q[0])[at + rows[each]], behind_z = AXIS(a.q[2])[at + rows[each] - (k < s.low ? 0 : sz)];
    const rim_plane<each> settled = low;
    low = high;
#pragma unroll
    for (int r = 0; r <= each; r++)
      high.own[r] = r < each ? v.t[r % each] : AXIS(a.t)[at + rows[r]], high.next[r] = next_lane(high.own[r]);
    typename State::layer parts[each];
    rim_tale tales[each];
    held.at = at - sz, held.here = a.held && k > s.low;
    rim_layer_tells<State, each>(a, lines, v, behind_x, behind_z, low, high, layer, rows, held, parts, tales);
    v = rim_read<each>(a, rows, at + (k < s.high ? sz : 0), at); /* the last is not used */
    rim_say(now, flat ? 0 : State::behind, tales[each - 1]);
    rim_say(now, flat ? 0 : State::before, tales[0]);
    __syncthreads();
    const rim_tale before = flat ? tales[0] : rim_heard(now, State::behind, max(warp - 1, 0));
    const rim_tale behind = flat ? tales[0] : rim_heard(now, State::before, min(warp + 1, last));
    rim_out<State, each>(a, lines, rows, at - 2 * sz, settles, out);
    rim_words f[each];
#pragma unroll
    for (int r = 0; r < each; r++)
      f[r] = rim_flows(lines[r].kept, parts[r], corners_of(low, r), corners_of(high, r), lines[r].w, layer, tales[r], r > 0 ? tales[(r + each - 1) % each] : before,
                       r + 1 < each ? tales[(r + 1) % each] : behind);
    now[tell_flow][warp][threadIdx.x] = f[each - 1].y;
    if (settles)
      rim_settle<State, each>(a, lines, rows, at - 2 * sz, out, settled.own, told[(k - s.low - 1) & 1]);
    const REAL weight = a.axis == 2 ? layer.h : (REAL)1;
#pragma unroll
    for (int r = 0; r < each; r++) {
      rim_line<State> &l = lines[r];
      l.gains = (f[r].x - last_lane(f[r].x)) + f[r].y + (f[r].z - l.up), l.along_y = f[r].y, l.up = f[r].z;
      if (k > s.low)
        l.carried = fma((double)weight, -(double)(a.axis == 0 ? f[r].x : a.axis == 1 ? f[r].y : f[r].z), l.carried);
    }
  }
  __syncthreads();
  rim_out<State, each>(a, lines, rows, at - 2 * sz, true, out);
  rim_settle<State, each>(a, lines, rows, at - 2 * sz, out, low.own, told[(s.high - s.low) & 1]);
#pragma unroll
  for (int r = 0; r < each; r++)
    if (lines[r].owns && counts_row(a.box, s.j + r)) {
      carried += (double)(a.axis == 0 ? lines[r].w.hx : a.axis == 1 ? lines[r].w.hy : (REAL)1) * lines[r].carried;
      dissipated += lines[r].dissipated;
    }
  most = held.most;
}

template <class State> DEVICE void disperse_form(const cv_disperse_args &a) {
  __shared__ rim_told told[2];
  double carried = 0, dissipated = 0;
  REAL most = 0;
  if (a.box.sy == 0)
    disperse_rims<State, 1>(a, told, carried, dissipated, most);
  else
    disperse_rims<State, rim_each>(a, told, carried, dissipated, most);
  put_sum(a.partial, carried);
  put_sum(a.partial + a.parts, dissipated);
  put_max(a.partial + 2 * a.parts, most);
}

/* A kernel for each form: in one of all three a thread keeps what any of them needs, and more of it in memory. */
#define DISPERSE(form, ...) \
  KERNEL_BOUNDS(disperse_##form, cv_disperse_args, 32 * rim_warps, sizeof(REAL) == 8 ? 2 : 3) { disperse_form<__VA_ARGS__>(a); }

DISPERSE(edges, mean_state<cv_spread_edges>)
DISPERSE(trilinear, mean_state<cv_spread_trilinear>)
DISPERSE(limited, limited_state)
