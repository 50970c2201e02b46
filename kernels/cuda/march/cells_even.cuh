/* Passes over grids of even widths with one K a cell, or one along each axis, and 7 points, in blocks of rows that march through z.

   A block holds `rows` rows of nodes and some beside them, each cut into vectors of V nodes; its threads are counted along the rows, `lanes` a
   row, so that rows of any length fill its warps. Where a row has several tiles their outer vectors belong to the tiles beside. Every thread
   keeps its column of what changes from plane to plane in registers; rows beside it are in shared memory, in which planes take turns, with
   one barrier a plane.

   Cells beyond walls have K = 0, so that nothing flows from there and nothing is mirrored; what is read for nodes beyond a wall is zero or a copy
   of the nodes at it. All fluxes are in units of those along z: A u = -z s, s the sum of what flows in. */
#ifndef CONVECT_CELLS_EVEN_CUH
#define CONVECT_CELLS_EVEN_CUH

#include "strip.cuh"

/* An index within bounds. */
DEVICE int pass_clamp(int i, int low, int high) { return i < low ? low : i > high ? high : i; }

/* A thread's place. */
template <int V> struct pass_place {
  int x, j;                       /* its first node, also beyond the grid */
  int at, cells_back, cells_front; /* of its nodes in a plane, and of the cells after and before them in y */
  int nz, k0, k1;                 /* planes of the grid, and those that the block owns */
  int front, back;                /* elements of shared memory to the rows beside */
  int vector;                     /* its elements there */
  bool works;                     /* it has nodes: the last threads of a block have none */
  bool owned;                     /* it writes them */
  bool ragged;                    /* the row ends within its vector, or before */
  bool begins, ends;              /* the tile begins or ends here */
  bool share_low, share_high;     /* its neighbour in x is in another warp */
  bool load_low;                  /* the cell before its first must be read */
  REAL free[V];                   /* 0 at fixed nodes and beyond the row or the grid */
  REAL share;                     /* of a dual volume along y that lies in the grid: 1, or less at walls */
};

/* before, beside: rows before the first that the block owns, and rows besides those that it owns. */
template <int V> DEVICE pass_place<V> pass_place_of(const cv_cells_pass_args &a, int before, int beside) {
  const int t = (int)threadIdx.x, lanes = (int)a.lanes, all = (int)a.rows + beside, lane = t & 31;
  const int nx = (int)a.fine.n[0], ny = (int)a.fine.n[1], tile = (int)blockIdx.x;
  pass_place<V> p;
  p.works = t < lanes * all;
  const int row = p.works ? t / lanes : all - 1, c = p.works ? t - row * lanes : lanes - 1;
  p.x = V * (tile * (lanes - 2) + c);
  p.j = (int)blockIdx.y * (int)a.rows - before + row;
  p.nz = (int)a.fine.n[2];
  p.k0 = (int)blockIdx.z * (int)a.planes;
  p.k1 = pass_clamp(p.k0 + (int)a.planes, 0, p.nz);
  const int sy = (int)a.fine.sy;
  p.at = pass_clamp(p.j, 0, ny - 1) * sy + p.x;
  p.cells_back = pass_clamp(p.j, -1, ny - 1) * sy + p.x;
  p.cells_front = pass_clamp(p.j - 1, -1, ny - 1) * sy + p.x;
  p.vector = t * V;
  p.front = p.works && row > 0 ? -lanes * V : 0;
  p.back = p.works && row < all - 1 ? lanes * V : 0;
  p.begins = c == 0 || !p.works, p.ends = c == lanes - 1;
  p.share_low = lane == 0 && !p.begins, p.share_high = lane == 31 && !p.ends;
  p.load_low = lane == 0 || p.begins;
  p.ragged = p.x + V > nx;
  const bool within = p.works && row >= before && row < before + (int)a.rows && p.j < ny;
  p.owned = within && p.x < nx && (c > 0 || tile == 0) && (c < lanes - 1 || tile == (int)gridDim.x - 1);
  p.share = p.j == 0 || p.j == ny - 1 ? (REAL)0.5 : (REAL)1;
  const bool row_free = p.j >= 0 && p.j < ny && !(a.fixed[2] && p.j == 0) && !(a.fixed[3] && p.j == ny - 1);
#pragma unroll
  for (int m = 0; m < V; m++) {
    const int x = p.x + m;
    p.free[m] = row_free && x < nx && !(a.fixed[0] && x == 0) && !(a.fixed[1] && x == nx - 1) ? (REAL)1 : (REAL)0;
  }
  return p;
}

/* 0 in fixed planes, else 1. */
template <int V> DEVICE REAL pass_plane_free(const cv_cells_pass_args &a, const pass_place<V> &p, int k) {
  return (a.fixed[4] && k == 0) || (a.fixed[5] && k == p.nz - 1) ? (REAL)0 : (REAL)1;
}

/* The nodes of plane k of an array that begins at the thread's node of plane 0. */
template <int V> DEVICE void pass_load(REAL (&v)[V], const REAL *array, int64_t sz, const pass_place<V> &p, int k) {
  strip_get<V>(v, array + pass_clamp(k, 0, p.nz - 1) * sz);
}

/* What was read beyond the end of a row is zero; nx: nodes, or cells, of a row. */
template <int V> DEVICE void pass_trim(REAL (&v)[V], const pass_place<V> &p, int nx) {
  if (p.ragged) {
#pragma unroll
    for (int m = 0; m < V; m++)
      v[m] = p.x + m < nx ? v[m] : (REAL)0;
  }
}

/* The nodal masses of plane k, in units of fluxes along z. */
template <int V> DEVICE void pass_masses(REAL (&mass)[V], const cv_cells_pass_args &a, const pass_place<V> &p, int k) {
  if (a.masses) {
    pass_load<V>(mass, static_cast<const REAL *>(a.masses) + p.at, a.fine.sz, p, k);
    pass_trim<V>(mass, p, (int)a.fine.n[0]);
#pragma unroll
    for (int m = 0; m < V; m++)
      mass[m] *= a.mass.TYPE;
    return;
  }
  const REAL row = a.mass.TYPE * p.share * (k > 0 && k < p.nz - 1 ? (REAL)1 : (REAL)0.5);
  const int last = (int)a.fine.n[0] - 1 - p.x;
#pragma unroll
  for (int m = 0; m < V; m++)
    mass[m] = (m == 0 && p.x == 0) || m == last ? (REAL)0.5 * row : row;
}

/* The cells of a layer as they come, of one K, or with THREE of one along each axis: of the rows after and before the nodes, and the cells before the
   first of both. */
template <int V, bool THREE> struct pass_cells {
  enum { kinds = THREE ? 3 : 1, of_x = 0, of_y = THREE ? 1 : 0, of_z = THREE ? 2 : 0 };
  REAL back[kinds][V], front[kinds][V], back_low[kinds], front_low[kinds];
};

/* Layer k lies between planes k and k + 1. */
template <int V, bool THREE>
DEVICE void pass_load_cells(pass_cells<V, THREE> &c, const cv_cells_pass_args &a, const pass_place<V> &p, int k) {
  const int64_t layer = pass_clamp(k, -1, p.nz - 1) * a.fine.sz;
#pragma unroll
  for (int d = 0; d < c.kinds; d++) {
    const REAL *back = static_cast<const REAL *>(a.cells[d]) + layer + p.cells_back;
    const REAL *front = static_cast<const REAL *>(a.cells[d]) + layer + p.cells_front;
    strip_get<V>(c.back[d], back);
    strip_get<V>(c.front[d], front);
    c.back_low[d] = p.load_low ? back[-1] : (REAL)0;
    c.front_low[d] = p.load_low ? front[-1] : (REAL)0;
  }
}

/* Sums of K over two cells of a layer: that the faces towards the nodes before, after (x), front and back share. */
template <int V> struct pass_sums {
  REAL x[V + 1], front[V], back[V];
};

/* `above` are the sums over the four cells of faces towards the plane above the layer's lower one. */
template <int V, bool THREE>
DEVICE void pass_add_cells(pass_sums<V> &s, REAL (&above)[V], pass_cells<V, THREE> &c, const cv_cells_pass_args &a,
                           const pass_place<V> &p) {
#pragma unroll
  for (int d = 0; d < c.kinds; d++) {
    pass_trim<V>(c.back[d], p, (int)a.fine.n[0] - 1);
    pass_trim<V>(c.front[d], p, (int)a.fine.n[0] - 1);
    const REAL back = __shfl_up_sync(0xffffffffu, c.back[d][V - 1], 1), front = __shfl_up_sync(0xffffffffu, c.front[d][V - 1], 1);
    c.back_low[d] = p.load_low ? c.back_low[d] : back;
    c.front_low[d] = p.load_low ? c.front_low[d] : front;
  }
  s.x[0] = c.back_low[c.of_x] + c.front_low[c.of_x];
#pragma unroll
  for (int m = 0; m < V; m++) {
    s.x[m + 1] = c.back[c.of_x][m] + c.front[c.of_x][m];
    s.back[m] = (m > 0 ? c.back[c.of_y][m > 0 ? m - 1 : 0] : c.back_low[c.of_y]) + c.back[c.of_y][m];
    s.front[m] = (m > 0 ? c.front[c.of_y][m > 0 ? m - 1 : 0] : c.front_low[c.of_y]) + c.front[c.of_y][m];
    above[m] = s.back[m] + s.front[m];
    if (THREE)
      above[m] = ((m > 0 ? c.back[c.of_z][m > 0 ? m - 1 : 0] : c.back_low[c.of_z]) + c.back[c.of_z][m]) +
                 ((m > 0 ? c.front[c.of_z][m > 0 ? m - 1 : 0] : c.front_low[c.of_z]) + c.front[c.of_z][m]);
  }
}

/* The sums of K over the four cells of each face around the nodes of a plane. */
template <int V> struct pass_faces {
  REAL x[V + 1], front[V], back[V], above[V];
};

/* All but `above`, of the sums of the layers below and above. */
template <int V> DEVICE void pass_faces_of(pass_faces<V> &w, const pass_sums<V> &low, const pass_sums<V> &high) {
  w.x[0] = low.x[0] + high.x[0];
#pragma unroll
  for (int m = 0; m < V; m++) {
    w.x[m + 1] = low.x[m + 1] + high.x[m + 1];
    w.front[m] = low.front[m] + high.front[m];
    w.back[m] = low.back[m] + high.back[m];
  }
}

/* s of the nodes u of a plane, whose rows are in shared memory at `row`; `up` is the flux from the plane below, and becomes that to the one
   above, `next`. */
template <int V>
DEVICE void pass_balance(REAL (&s)[V], REAL (&up)[V], const pass_faces<V> &w, const REAL (&u)[V], const REAL (&next)[V], const REAL *row,
                         const cv_cells_pass_args &a, const pass_place<V> &p) {
  REAL low = __shfl_up_sync(0xffffffffu, u[V - 1], 1), high = __shfl_down_sync(0xffffffffu, u[0], 1);
  if (p.share_low)
    low = row[-1];
  if (p.share_high)
    high = row[V];
  low = p.begins ? u[0] : low;
  high = p.ends ? u[V - 1] : high;
  REAL front[V], back[V], in_x = w.x[0] * (u[0] - low);
  strip_get<V>(front, row + p.front);
  strip_get<V>(back, row + p.back);
#pragma unroll
  for (int m = 0; m < V; m++) {
    const REAL out_x = w.x[m + 1] * ((m < V - 1 ? u[m < V - 1 ? m + 1 : m] : high) - u[m]), out_z = w.above[m] * (next[m] - u[m]);
    const REAL in_y = w.front[m] * (u[m] - front[m]), out_y = w.back[m] * (back[m] - u[m]);
    s[m] = fma(a.x.TYPE, out_x - in_x, fma(a.y.TYPE, out_y - in_y, out_z - up[m]));
    in_x = out_x, up[m] = out_z;
  }
}

/* A thread's vector into shared memory. */
template <int V> DEVICE void pass_share(REAL *row, const REAL (&v)[V]) { strip_put<V, strip_whole>(row, v, V); }

#endif
