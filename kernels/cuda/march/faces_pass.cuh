/* Passes with 7 points by what faces conduct (kernels.ConductanceArgs), on grids of any widths, in blocks of rows that march through z.

   A block holds `rows` rows of nodes and some beside them, each cut into vectors of V nodes; its threads are counted along the rows, `lanes` a
   row, so that rows of any length fill its warps. Where a row has several tiles their outer vectors belong to the tiles beside. Every thread
   keeps its column of what changes from plane to plane in registers; rows beside it are in shared memory, in which planes take turns, with
   one barrier a plane.

   Nothing flows from beyond walls; what is read for nodes there is zero or a copy of the nodes at them. A u = -s, s the sum of what flows in. */
#ifndef CONVECT_FACES_PASS_CUH
#define CONVECT_FACES_PASS_CUH

#include "strip.cuh"

/* An index within bounds. */
DEVICE int pass_clamp(int i, int low, int high) { return i < low ? low : i > high ? high : i; }

/* A thread's place. */
template <int V> struct pass_place {
  int x, j;                       /* its first node, also beyond the grid */
  int at, at_front;               /* of its nodes in a plane, and of those whose faces are in front of them */
  int to_low;                     /* from its first node to that whose face is before it */
  int nz, k0, k1;                 /* planes of the grid, and those that the block owns */
  int front, back;                /* elements of shared memory to the rows beside */
  int vector;                     /* its elements there */
  bool works;                     /* it has nodes: the last threads of a block have none */
  bool owned;                     /* it writes them */
  bool ragged;                    /* the row ends within its vector, or before */
  bool begins, ends;              /* the tile begins or ends here */
  bool share_low, share_high;     /* its neighbour in x is in another warp */
  bool load_low;                  /* the face before its first node must be read */
  REAL free[V];                   /* 0 at fixed nodes and beyond the row or the grid */
};

/* before, beside: rows before the first that the block owns, and rows besides those that it owns. */
template <int V> DEVICE pass_place<V> pass_place_of(const cv_faces_pass_args &a, int before, int beside) {
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
  p.at_front = (p.j > 0 ? pass_clamp(p.j - 1, 0, ny - 1) : ny - 1) * sy + p.x;
  p.to_low = p.x > 0 ? -1 : nx - 1;
  p.vector = t * V;
  p.front = p.works && row > 0 ? -lanes * V : 0;
  p.back = p.works && row < all - 1 ? lanes * V : 0;
  p.begins = c == 0 || !p.works, p.ends = c == lanes - 1;
  p.share_low = lane == 0 && !p.begins, p.share_high = lane == 31 && !p.ends;
  p.load_low = lane == 0 || p.begins;
  p.ragged = p.x + V > nx;
  const bool within = p.works && row >= before && row < before + (int)a.rows && p.j < ny;
  p.owned = within && p.x < nx && (c > 0 || tile == 0) && (c < lanes - 1 || tile == (int)gridDim.x - 1);
  const bool row_free = p.j >= 0 && p.j < ny && !(a.fixed[2] && p.j == 0) && !(a.fixed[3] && p.j == ny - 1);
#pragma unroll
  for (int m = 0; m < V; m++) {
    const int x = p.x + m;
    p.free[m] = row_free && x < nx && !(a.fixed[0] && x == 0) && !(a.fixed[1] && x == nx - 1) ? (REAL)1 : (REAL)0;
  }
  return p;
}

/* 0 in fixed planes, else 1. */
template <int V> DEVICE REAL pass_plane_free(const cv_faces_pass_args &a, const pass_place<V> &p, int k) {
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

/* The nodal masses of plane k. */
template <int V> DEVICE void pass_masses(REAL (&mass)[V], const cv_faces_pass_args &a, const pass_place<V> &p, int k) {
  if (a.masses) {
    pass_load<V>(mass, static_cast<const REAL *>(a.masses) + p.at, a.fine.sz, p, k);
    pass_trim<V>(mass, p, (int)a.fine.n[0]);
#pragma unroll
    for (int m = 0; m < V; m++)
      mass[m] *= a.mass.TYPE;
    return;
  }
  const REAL row = a.mass.TYPE * AXIS(a.w[1])[pass_clamp(p.j, 0, (int)a.fine.n[1] - 1)] * AXIS(a.w[2])[pass_clamp(k, 0, p.nz - 1)];
#pragma unroll
  for (int m = 0; m < V; m++)
    mass[m] = row * AXIS(a.w[0])[pass_clamp(p.x + m, 0, (int)a.fine.n[0] - 1)];
}

/* What the faces around the nodes of a plane conduct: towards the nodes before and after (x), in front and behind, and above. */
template <int V> struct pass_faces {
  REAL x[V + 1], front[V], back[V], above[V];
};

/* Those of plane k. Beyond walls nothing is conducted: so it is stored at the last nodes of all axes, which faces before the first are taken from. */
template <int V> DEVICE void pass_load_faces(pass_faces<V> &w, const cv_faces_pass_args &a, const pass_place<V> &p, int k) {
  const int last = p.nz - 1;
  const int64_t plane = pass_clamp(k, 0, last) * a.fine.sz;
  const REAL *x = static_cast<const REAL *>(a.faces[0]) + plane + p.at, *y = static_cast<const REAL *>(a.faces[1]) + plane;
  REAL own[V];
  strip_get<V>(own, x);
  strip_get<V>(w.back, y + p.at);
  strip_get<V>(w.front, y + p.at_front);
  strip_get<V>(w.above, static_cast<const REAL *>(a.faces[2]) + (k < 0 || k > last ? last : k) * a.fine.sz + p.at);
  w.x[0] = p.load_low ? x[p.to_low] : (REAL)0;
#pragma unroll
  for (int m = 0; m < V; m++)
    w.x[m + 1] = own[m];
}

/* What was read of them is complete. */
template <int V> DEVICE void pass_join_faces(pass_faces<V> &w, const cv_faces_pass_args &a, const pass_place<V> &p) {
  if (p.ragged) {
    const int nx = (int)a.fine.n[0];
#pragma unroll
    for (int m = 0; m < V; m++) {
      const bool within = p.x + m < nx;
      w.x[m + 1] = within ? w.x[m + 1] : (REAL)0;
      w.front[m] = within ? w.front[m] : (REAL)0;
      w.back[m] = within ? w.back[m] : (REAL)0;
      w.above[m] = within ? w.above[m] : (REAL)0;
    }
  }
  const REAL low = __shfl_up_sync(0xffffffffu, w.x[V], 1);
  w.x[0] = p.load_low ? w.x[0] : low;
}

/* s of the nodes u of a plane, whose rows are in shared memory at `row`; `up` is the flux from the plane below, and becomes that to the one
   above, `next`. */
template <int V>
DEVICE void pass_balance(REAL (&s)[V], REAL (&up)[V], const pass_faces<V> &w, const REAL (&u)[V], const REAL (&next)[V], const REAL *row,
                         const pass_place<V> &p) {
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
    s[m] = (out_x - in_x) + ((out_y - in_y) + (out_z - up[m]));
    in_x = out_x, up[m] = out_z;
  }
}

/* A thread's vector into shared memory. */
template <int V> DEVICE void pass_share(REAL *row, const REAL (&v)[V]) { strip_put<V, strip_whole>(row, v, V); }

#endif
