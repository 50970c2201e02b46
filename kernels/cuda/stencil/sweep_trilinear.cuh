/* The 27-point operator on strips on any grid, as in sweep_seven.cuh.

   With constant K it is a tensor product of masses M and stiffnesses S of linear elements: a plane gives P = (k_x S_x M_y + k_y M_x S_y) u and Q = M_x M_y u, and A u is
   M_z P + k_z S_z Q.

   With K of cells the matrix of a cell is diagonal in sums and differences over its eight nodes. With g_x = K_x h_y h_z / h_x and so on, and the mode s of {0,1}^3 that takes
   differences along the axes in s and sums along the others, its eigenvalue is

     lambda_s = sum_(d in s) g_d times 1/16, 1/48 or 1/144, where s has one axis, two or three.

   A plane gives the modes in x and y of the cells between four nodes: D (10), E (01) and X (11). Their sums over two planes are the modes without z, their
   differences those with it, and G (001) is the difference of the planes summed over the cell. Modes go back to nodes with their signs: to a node at the low end of an axis a difference
   is negative. */
#ifndef CONVECT_SWEEP_TRILINEAR_CUH
#define CONVECT_SWEEP_TRILINEAR_CUH

#include "sweep_seven.cuh"

/* The cells of a thread lie behind its nodes, in x from a node to the next and in y from the row before its first to that behind its last. What they give to the nodes before them comes
   from the lane before. So that there is one, every group of rows begins with a thread whose nodes lie before the first, and lane 0 repeats the last thread of the warp before: they
   have cells, and no nodes. */
template <int V, int R> DEVICE sweep_thread<V, R> trilinear_thread_of(const cv_elliptic &a) {
  const int lane = (int)threadIdx.x & 31, warp = (int)blockIdx.x * ((int)blockDim.x >> 5) + ((int)threadIdx.x >> 5), q = warp * 31 + lane - 1;
  sweep_thread<V, R> t = sweep_thread_at<V, R, 1>(a, q < 0 ? 0 : q);
  t.p.nodes = lane == 0 ? 0 : t.p.nodes;
  t.p.load_low = false;
  return t;
}

/* A plane: u of the thread's nodes and those around them, and D, E and X of the cells between. */
template <int V, int R> struct trilinear_plane {
  REAL u[R + 2][V + 1], d[R + 1][V], e[R + 1][V], x[R + 1][V];
};

template <int V, int R, typename From> DEVICE void trilinear_load(trilinear_plane<V, R> &p, const From &from, const sweep_thread<V, R> &t, int64_t at, int sy) {
  strip_row<V> rows[R + 2];
  sweep_load<V, R + 2>(rows, from, at - sy, sy, t.p);
#pragma unroll
  for (int r = 0; r < R + 2; r++)
#pragma unroll
    for (int m = 0; m <= V; m++)
      p.u[r][m] = rows[r].v[m + 1];
}

template <int V, int R> DEVICE void trilinear_modes(trilinear_plane<V, R> &p, const strip_place &place) {
#pragma unroll
  for (int r = 0; r < R + 2; r++) {
    const REAL right = __shfl_down_sync(0xffffffffu, p.u[r][0], 1);
    p.u[r][V] = place.load_high ? p.u[r][V] : right;
  }
#pragma unroll
  for (int c = 0; c <= R; c++) {
    REAL before = p.u[c + 1][0] - p.u[c][0];
#pragma unroll
    for (int m = 0; m < V; m++) {
      const REAL after = p.u[c + 1][m + 1] - p.u[c][m + 1];
      p.e[c][m] = before + after, p.x[c][m] = after - before;
      p.d[c][m] = (p.u[c][m + 1] - p.u[c][m]) + (p.u[c + 1][m + 1] - p.u[c + 1][m]);
      before = after;
    }
  }
}

/* K of a layer's cells in the directions in which it differs. */
template <int V, int R, int KIND> struct trilinear_cells {
  REAL k[KIND == k_three ? 3 : 1][R + 1][V];
};

template <int V, int R, int KIND> DEVICE void trilinear_load(trilinear_cells<V, R, KIND> &c, const cv_elliptic &a, int64_t at) {
#pragma unroll
  for (int d = 0; d < (KIND == k_three ? 3 : 1); d++)
#pragma unroll
    for (int r = 0; r <= R; r++)
      strip_get<V>(c.k[d][r], AXIS(a.cells[d]) + at + (r - 1) * (int)a.box.sy);
}

/* Asks for what the plane after the next will read of a thread's rows, and for the layer before it, so that they are in the second-level cache then. */
template <int V, int R, int KIND, int OP, typename From> DEVICE void trilinear_ahead(const cv_sweep_args &s, const From &from, int64_t at) {
  const int sy = (int)s.a.box.sy;
  const int64_t sz = s.a.box.sz;
#pragma unroll
  for (int r = 0; r < R; r++) {
    if (sweep_reads(OP))
      strip_ahead<V>(from, at + 2 * sz + r * sy);
#pragma unroll
    for (int d = 0; d < (KIND == k_three ? 3 : 1); d++)
      strip_prefetch<V>(AXIS(s.a.cells[d]) + at + sz + r * sy);
    if (sweep_sourced(OP))
      strip_prefetch<V>(AXIS(s.f) + at + sz + r * sy);
  }
}

/* What layers of cells give to the modes of a plane, sums over the two cells beside each other in y at each of the thread's rows: of those that a node takes as they are, and of those
   that it takes with its sign in x. Their part of the diagonal likewise. */
template <int V, int R> struct trilinear_sums {
  REAL even[R][V], odd[R][V], around[R][V];
};

/* Adds the modes of cell (c,m): to the nodes behind it as they are, to those before it with the sign of y turned. */
template <int V, int R> DEVICE void trilinear_add(trilinear_sums<V, R> &s, int c, int m, REAL z, REAL x, REAL y, REAL xy) {
  if (c < R)
    s.even[c < R ? c : 0][m] += z + y, s.odd[c < R ? c : 0][m] += x + xy;
  if (c > 0)
    s.even[c > 0 ? c - 1 : 0][m] += z - y, s.odd[c > 0 ? c - 1 : 0][m] += x - xy;
}

/* The layer above plane k, between two planes: adds what it gives to the lower one, and makes what it gives to the upper one. */
template <int V, int R, int KIND, bool DIAGONAL>
DEVICE void trilinear_layer(trilinear_sums<V, R> &below, trilinear_sums<V, R> &above, const trilinear_plane<V, R> &low, const trilinear_plane<V, R> &high,
                            const trilinear_cells<V, R, KIND> &cells, const cv_elliptic &a, const sweep_thread<V, R> &t, int k) {
  constexpr int y = KIND == k_three ? 1 : 0, z = KIND == k_three ? 2 : 0;
  const REAL h = AXIS(a.h[2])[k] * ((REAL)1 / 48), over = AXIS(a.rh[2])[k] * ((REAL)1 / 48), third = (REAL)1 / 3;
#pragma unroll
  for (int r = 0; r < R; r++)
#pragma unroll
    for (int m = 0; m < V; m++)
      above.even[r][m] = above.odd[r][m] = above.around[r][m] = 0;
#pragma unroll
  for (int c = 0; c <= R; c++) {
    const REAL along_x = t.hy[c] * h, along_y = t.ry[c] * h, along_z = t.hy[c] * over;
    REAL rise = (high.u[c][0] - low.u[c][0]) + (high.u[c + 1][0] - low.u[c + 1][0]);
#pragma unroll
    for (int m = 0; m < V; m++) {
      const REAL next = (high.u[c][m + 1] - low.u[c][m + 1]) + (high.u[c + 1][m + 1] - low.u[c + 1][m + 1]);
      const REAL gx = along_x * t.rx[m + 1] * cells.k[0][c][m], gy = along_y * t.hx[m + 1] * cells.k[y][c][m], gz = along_z * t.hx[m + 1] * cells.k[z][c][m];
      const REAL both = gx + gy;
      const REAL up = (3 * gz) * (rise + next);
      /* Of a mode and that with z the nearer plane takes the eigenvalues' sum, the other their difference. */
      const REAL x_near = fma((REAL)4, gx, gz), x_far = fma((REAL)2, gx, -gz), y_near = fma((REAL)4, gy, gz), y_far = fma((REAL)2, gy, -gz);
      const REAL xy_near = third * fma((REAL)4, both, gz), xy_far = third * fma((REAL)2, both, -gz);
      trilinear_add<V, R>(below, c, m, -up, fma(x_near, low.d[c][m], x_far * high.d[c][m]), fma(y_near, low.e[c][m], y_far * high.e[c][m]),
                          fma(xy_near, low.x[c][m], xy_far * high.x[c][m]));
      trilinear_add<V, R>(above, c, m, up, fma(x_near, high.d[c][m], x_far * low.d[c][m]), fma(y_near, high.e[c][m], y_far * low.e[c][m]),
                          fma(xy_near, high.x[c][m], xy_far * low.x[c][m]));
      if (DIAGONAL) {
        const REAL all = both + gz;
        if (c < R)
          below.around[c < R ? c : 0][m] += all, above.around[c < R ? c : 0][m] += all;
        if (c > 0)
          below.around[c > 0 ? c - 1 : 0][m] += all, above.around[c > 0 ? c - 1 : 0][m] += all;
      }
      rise = next;
    }
  }
}

/* What the modes around a plane give to the nodes of row r, -A u, and their diagonal. In 2-D the two nodes of a cell along y are one, so that the diagonal takes their couplings too. */
template <int V, int R, bool DIAGONAL>
DEVICE void trilinear_nodes(REAL (&flow)[V], REAL (&diagonal)[V], const trilinear_sums<V, R> &s, const cv_elliptic &a, int r) {
  const REAL part = (a.box.sy ? (REAL)16 : (REAL)24) / 3;
  REAL before = __shfl_up_sync(0xffffffffu, s.odd[r][V - 1] + s.even[r][V - 1], 1), around = 0;
  if (DIAGONAL)
    around = __shfl_up_sync(0xffffffffu, s.around[r][V - 1], 1);
#pragma unroll
  for (int m = 0; m < V; m++) {
    flow[m] = (s.odd[r][m] - s.even[r][m]) - before;
    diagonal[m] = part * (around + s.around[r][m]);
    before = s.odd[r][m] + s.even[r][m], around = s.around[r][m];
  }
}

/* As sweep_seven. */
template <int V, int R, int KIND, int OP, typename From> DEVICE void trilinear_of_cells(const cv_sweep_args &s, const From &from, sweep_beside &beside) {
  constexpr bool diagonals = sweep_smooths(OP);
  const cv_elliptic &a = s.a;
  const int sy = (int)a.box.sy;
  const int64_t sz = a.box.sz;
  const sweep_thread<V, R> t = trilinear_thread_of<V, R>(a);
  trilinear_plane<V, R> low = {}, high = {};
  trilinear_sums<V, R> here, next = {};
  trilinear_cells<V, R, KIND> cells;
  if (sweep_reads(OP)) {
    trilinear_load<V, R>(low, from, t, t.at + (t.k0 - 1) * sz, sy);
    trilinear_load<V, R>(high, from, t, t.at + t.k0 * sz, sy);
  }
  trilinear_load(cells, a, t.at + (t.k0 - 1) * sz);
  trilinear_modes<V, R>(low, t.p);
  trilinear_modes<V, R>(high, t.p);
  trilinear_layer<V, R, KIND, diagonals>(next, here, low, high, cells, a, t, t.k0 - 1);
  low = high;
  for (int k = t.k0; k < t.k1; k++) {
    const int64_t at = t.at + k * sz;
    REAL f[R][V] = {};
    if (sweep_reads(OP))
      trilinear_load<V, R>(high, from, t, at + sz, sy);
    trilinear_load(cells, a, at);
    if (sweep_sourced(OP))
#pragma unroll
      for (int r = 0; r < R; r++)
        strip_get<V>(f[r], AXIS(s.f) + at + r * sy);
    if (k + 1 < t.k1)
      trilinear_ahead<V, R, KIND, OP>(s, from, at);
    trilinear_modes<V, R>(high, t.p);
    trilinear_layer<V, R, KIND, diagonals>(here, next, low, high, cells, a, t, k);
#pragma unroll
    for (int r = 0; r < R; r++) {
      REAL u[V], flow[V], diagonal[V];
      trilinear_nodes<V, R, diagonals>(flow, diagonal, here, a, r);
#pragma unroll
      for (int m = 0; m < V; m++)
        u[m] = low.u[r + 1][m];
      sweep_store<V, R, OP>(s, t, r, k, u, flow, diagonal, f[r], beside);
    }
    low = high;
    here = next;
  }
}

/* Masses of linear elements: a sixth of the widths times (1 2 | 2 1). Of an axis that is absent it is u itself. */
DEVICE REAL linear_mass(REAL low, REAL high, REAL before, REAL own, REAL after) { return fma(low, fma((REAL)2, own, before), high * fma((REAL)2, own, after)); }

/* P and Q of a plane, and u of the thread's rows. */
template <int V, int R> struct tensor_plane {
  REAL p[R][V], q[R][V], u[R][V];
};

template <int V, int R, typename From>
DEVICE void tensor_plane_of(tensor_plane<V, R> &plane, const cv_elliptic &a, const sweep_thread<V, R> &t, const From &from, int64_t at) {
  const int sy = (int)a.box.sy;
  const REAL kx = (REAL)a.k[0], ky = (REAL)a.k[1], sixth = (REAL)1 / 6;
  strip_row<V> rows[R + 2];
  sweep_load<V, R + 2>(rows, from, at - sy, sy, t.p);
  REAL stiff[R + 2][V], mass[R + 2][V]; /* S_x u and M_x u */
#pragma unroll
  for (int r = 0; r < R + 2; r++) {
    const REAL left = __shfl_up_sync(0xffffffffu, rows[r].v[V], 1), right = __shfl_down_sync(0xffffffffu, rows[r].v[1], 1);
    rows[r].v[0] = t.p.load_low ? rows[r].v[0] : left;
    rows[r].v[V + 1] = t.p.load_high ? rows[r].v[V + 1] : right;
    REAL in = t.rx[0] * (rows[r].v[1] - rows[r].v[0]);
#pragma unroll
    for (int m = 0; m < V; m++) {
      const REAL out = t.rx[m + 1] * (rows[r].v[m + 2] - rows[r].v[m + 1]);
      stiff[r][m] = in - out;
      mass[r][m] = linear_mass(t.hx[m], t.hx[m + 1], rows[r].v[m], rows[r].v[m + 1], rows[r].v[m + 2]);
      in = out;
    }
  }
#pragma unroll
  for (int r = 0; r < R; r++)
#pragma unroll
    for (int m = 0; m < V; m++) {
      const REAL of_y = t.ry[r] * (mass[r + 1][m] - mass[r][m]) - t.ry[r + 1] * (mass[r + 2][m] - mass[r + 1][m]);
      const REAL in_y = linear_mass(t.hy[r], t.hy[r + 1], stiff[r][m], stiff[r + 1][m], stiff[r + 2][m]);
      const REAL both = linear_mass(t.hy[r], t.hy[r + 1], mass[r][m], mass[r + 1][m], mass[r + 2][m]);
      plane.p[r][m] = sixth * (a.box.sy ? fma(kx, in_y, ky * of_y) : 6 * kx * stiff[r + 1][m]);
      plane.q[r][m] = (sixth * sixth) * (a.box.sy ? both : 6 * mass[r + 1][m]);
      plane.u[r][m] = rows[r + 1].v[m + 1];
    }
}

/* The diagonal of A at the nodes of row r, between layers of cells of widths low and high along z with the reciprocals under and over. */
template <int V, int R> DEVICE void tensor_diagonal(REAL (&d)[V], const cv_elliptic &a, const sweep_thread<V, R> &t, int r, int k) {
  const REAL third = (REAL)1 / 3, low = AXIS(a.h[2])[k - 1], high = AXIS(a.h[2])[k], mz = third * (low + high);
  const REAL sz = AXIS(a.rh[2])[k - 1] + AXIS(a.rh[2])[k], my = a.box.sy ? third * (t.hy[r] + t.hy[r + 1]) : (REAL)1;
  const REAL of_x = (REAL)a.k[0] * my * mz, across = (REAL)a.k[1] * (a.box.sy ? t.ry[r] + t.ry[r + 1] : (REAL)0) * mz + (REAL)a.k[2] * my * sz;
#pragma unroll
  for (int m = 0; m < V; m++)
    d[m] = fma(of_x, t.rx[m] + t.rx[m + 1], across * third * (t.hx[m] + t.hx[m + 1]));
}

/* As sweep_seven, with constant K. */
template <int V, int R, int OP, typename From> DEVICE void trilinear_of_numbers(const cv_sweep_args &s, const From &from, sweep_beside &beside) {
  const cv_elliptic &a = s.a;
  const int sy = (int)a.box.sy;
  const int64_t sz = a.box.sz;
  const sweep_thread<V, R> t = sweep_thread_of<V, R>(a);
  tensor_plane<V, R> own = {}, next = {};
  REAL below[R][V] = {}; /* what the planes below give to A u */
  /* Adds what layer k between the planes gives to the lower one, and makes what it gives to the upper one. */
  const auto layer = [&](int k, REAL (&to_low)[R][V], REAL (&to_high)[R][V]) {
    const REAL h = ((REAL)1 / 6) * AXIS(a.h[2])[k], over = (REAL)a.k[2] * AXIS(a.rh[2])[k];
#pragma unroll
    for (int r = 0; r < R; r++)
#pragma unroll
      for (int m = 0; m < V; m++) {
        const REAL flux = over * (next.q[r][m] - own.q[r][m]);
        to_low[r][m] += fma(h, fma((REAL)2, own.p[r][m], next.p[r][m]), -flux);
        to_high[r][m] = fma(h, fma((REAL)2, next.p[r][m], own.p[r][m]), flux);
      }
  };
  if (sweep_reads(OP)) {
    REAL nothing[R][V] = {};
    tensor_plane_of<V, R>(own, a, t, from, t.at + (t.k0 - 1) * sz);
    tensor_plane_of<V, R>(next, a, t, from, t.at + t.k0 * sz);
    layer(t.k0 - 1, nothing, below);
    own = next;
  }
  for (int k = t.k0; k < t.k1; k++) {
    const int64_t at = t.at + k * sz;
    REAL f[R][V] = {}, above[R][V] = {};
    if (sweep_sourced(OP))
#pragma unroll
      for (int r = 0; r < R; r++)
        strip_get<V>(f[r], AXIS(s.f) + at + r * sy);
    if (sweep_reads(OP)) {
      tensor_plane_of<V, R>(next, a, t, from, at + sz);
      layer(k, below, above);
    }
#pragma unroll
    for (int r = 0; r < R; r++) {
      REAL flow[V], diagonal[V] = {};
#pragma unroll
      for (int m = 0; m < V; m++)
        flow[m] = -below[r][m];
      if (sweep_smooths(OP))
        tensor_diagonal<V, R>(diagonal, a, t, r, k);
      sweep_store<V, R, OP>(s, t, r, k, own.u[r], flow, diagonal, f[r], beside);
#pragma unroll
      for (int m = 0; m < V; m++)
        below[r][m] = above[r][m];
    }
    own = next;
  }
}

template <int V, int R, int KIND, int OP, typename From> DEVICE void sweep_trilinear(const cv_sweep_args &s, const From &from, sweep_beside &beside) {
  if constexpr (KIND == k_constant)
    trilinear_of_numbers<V, R, OP>(s, from, beside);
  else
    trilinear_of_cells<V, R, KIND, OP>(s, from, beside);
}

#endif
