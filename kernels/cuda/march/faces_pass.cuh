/* Passes with 7 points by what faces conduct (kernels.ConductanceArgs), on grids of any widths, in blocks of rows that march through z.

   A block holds `rows` rows of nodes and some beside them, each cut into vectors of V nodes; its threads are counted along the rows, `lanes` a
   row, so that rows of any length fill its warps. Where a row has several tiles their outer vectors belong to the tiles beside. Every thread
   keeps its column of what changes from plane to plane in registers; rows beside it are in shared memory, in which planes take turns, with
   one barrier a plane.

   What a step reads was asked for one step before, and is brought to the second-level cache one more step before.

   Nothing flows from beyond walls; what is read for nodes there is zero or a copy of the nodes at them. A u = -s, s the sum of what flows in. */
#ifndef CONVECT_FACES_PASS_CUH
#define CONVECT_FACES_PASS_CUH

#include "strip.cuh"

/* An index within bounds. */
DEVICE int pass_clamp(int i, int low, int high) { return i < low ? low : i > high ? high : i; }

/* A thread's place. */
template <int V> struct pass_place {
  int x, j;                       /* its first node, also beyond the grid */
  unsigned at, at_back, at_low;   /* bytes of a plane before its nodes, those whose faces are behind them, and that whose face is before the first */
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

/* before, beside: rows before the first that the block owns, and rows besides those that it owns; outer: vectors at both ends of a tile that belong to
   the tiles beside. */
template <int V> DEVICE pass_place<V> pass_place_of(const cv_faces_pass_args &a, int before, int beside, int outer) {
  const int t = (int)threadIdx.x, lanes = (int)a.lanes, all = (int)a.rows + beside, lane = t & 31;
  const int nx = (int)a.fine.n[0], ny = (int)a.fine.n[1], tile = (int)blockIdx.x;
  pass_place<V> p;
  p.works = t < lanes * all;
  const int row = p.works ? t / lanes : all - 1, c = p.works ? t - row * lanes : lanes - 1;
  p.x = V * (tile * (lanes - 2 * outer) + c);
  p.j = (int)blockIdx.y * (int)a.rows - before + row;
  p.nz = (int)a.fine.n[2];
  p.k0 = (int)blockIdx.z * (int)a.planes;
  p.k1 = pass_clamp(p.k0 + (int)a.planes, 0, p.nz);
  const int sy = (int)a.fine.sy, j = pass_clamp(p.j, 0, ny - 1), bytes = (int)sizeof(REAL);
  p.at = (unsigned)bytes * (unsigned)(j * sy + p.x);
  p.at_back = p.j < 0 ? (unsigned)bytes * (unsigned)((ny - 1) * sy + p.x) : p.at;
  p.at_low = (unsigned)bytes * (unsigned)(j * sy + (p.x > 0 ? p.x - 1 : nx - 1));
  p.vector = t * V;
  p.front = p.works && row > 0 ? -lanes * V : 0;
  p.back = p.works && row < all - 1 ? lanes * V : 0;
  p.begins = c == 0 || !p.works, p.ends = c == lanes - 1;
  p.share_low = lane == 0 && !p.begins, p.share_high = lane == 31 && !p.ends;
  p.load_low = lane == 0 || p.begins;
  p.ragged = p.x + V > nx;
  const bool within = p.works && row >= before && row < before + (int)a.rows && p.j < ny;
  p.owned = within && p.x < nx && (c >= outer || tile == 0) && (c < lanes - outer || tile == (int)gridDim.x - 1);
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

/* What lies so many bytes after p, which is the same for all threads: an address of a thread then takes one register. */
DEVICE const REAL *pass_at(const void *p, unsigned bytes) { return reinterpret_cast<const REAL *>(static_cast<const char *>(p) + bytes); }

/* Where plane k of an array begins, and that of the last plane if k lies beyond. */
DEVICE const REAL *pass_plane(const void *array, int64_t sz, int nz, int k) {
  return static_cast<const REAL *>(array) + pass_clamp(k, 0, nz - 1) * sz;
}

/* The thread's nodes of plane k. */
template <int V> DEVICE void pass_load(REAL (&v)[V], const void *array, int64_t sz, const pass_place<V> &p, int k) {
  strip_get<V>(v, pass_at(pass_plane(array, sz, p.nz, k), p.at));
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
    pass_load<V>(mass, a.masses, a.fine.sz, p, k);
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

/* What a step reads: u of a plane, and of the plane before f and what the faces conduct: between the nodes and to those before and after (x), behind
   and above. Those in front belong to another row, which has them in shared memory. */
template <int V> struct pass_read {
  REAL u[V], f[V], x[V + 1], back[V], above[V];
};

/* Reads for a step with u of plane k; without U there is no u. Beyond walls nothing is conducted: so it is stored at the last nodes of all axes, which
   faces before the first are taken from. */
template <int V, bool U> DEVICE void pass_ask(pass_read<V> &r, const cv_faces_pass_args &a, const pass_place<V> &p, int k) {
  const int64_t sz = a.fine.sz;
  const REAL *x = pass_plane(a.faces[0], sz, p.nz, k - 1);
  REAL own[V];
  if (U)
    strip_get<V>(r.u, pass_at(pass_plane(a.u, sz, p.nz, k), p.at));
  strip_get<V>(r.f, pass_at(pass_plane(a.f, sz, p.nz, k - 1), p.at));
  strip_get<V>(own, pass_at(x, p.at));
  strip_get<V>(r.back, pass_at(pass_plane(a.faces[1], sz, p.nz, k - 1), p.at_back));
  strip_get<V>(r.above, pass_at(pass_plane(a.faces[2], sz, p.nz, k < 1 ? p.nz - 1 : k - 1), p.at));
  r.x[0] = p.load_low ? *pass_at(x, p.at_low) : (REAL)0;
#pragma unroll
  for (int m = 0; m < V; m++)
    r.x[m + 1] = own[m];
}

/* Has what a later step reads with u of plane k brought to the second-level cache, once among the blocks. */
template <int V, bool U> DEVICE void pass_prefetch(const cv_faces_pass_args &a, const pass_place<V> &p, int k) {
  const int64_t sz = a.fine.sz;
  if (!p.owned)
    return;
  if (U)
    strip_prefetch<V>(pass_at(pass_plane(a.u, sz, p.nz, k), p.at));
  strip_prefetch<V>(pass_at(pass_plane(a.f, sz, p.nz, k - 1), p.at));
#pragma unroll
  for (int axis = 0; axis < 3; axis++)
    strip_prefetch<V>(pass_at(pass_plane(a.faces[axis], sz, p.nz, k - 1), p.at));
}

/* What was read is complete. */
template <int V, bool U> DEVICE void pass_complete(pass_read<V> &r, const pass_place<V> &p, int nx) {
  if (__any_sync(0xffffffffu, p.ragged)) {
#pragma unroll
    for (int m = 0; m < V; m++) {
      const bool within = p.x + m < nx;
      if (U)
        r.u[m] = within ? r.u[m] : (REAL)0;
      r.f[m] = within ? r.f[m] : (REAL)0;
      r.x[m + 1] = within ? r.x[m + 1] : (REAL)0;
      r.back[m] = within ? r.back[m] : (REAL)0;
      r.above[m] = within ? r.above[m] : (REAL)0;
    }
  }
  const REAL low = __shfl_up_sync(0xffffffffu, r.x[V], 1);
  r.x[0] = p.load_low ? r.x[0] : low;
}

/* Adds to s what flows within a plane into the nodes u, whose rows are in shared memory at `row`; x, front, back: what the faces conduct. */
template <int V>
DEVICE void pass_gather(REAL (&s)[V], const REAL (&x)[V + 1], const REAL (&front)[V], const REAL (&back)[V], const REAL (&u)[V], const REAL *row,
                        const pass_place<V> &p) {
  REAL low = __shfl_up_sync(0xffffffffu, u[V - 1], 1), high = __shfl_down_sync(0xffffffffu, u[0], 1);
  if (p.share_low)
    low = row[-1];
  if (p.share_high)
    high = row[V];
  low = p.begins ? u[0] : low;
  high = p.ends ? u[V - 1] : high;
  REAL before[V], behind[V], step = low - u[0];
  strip_get<V>(before, row + p.front);
  strip_get<V>(behind, row + p.back);
#pragma unroll
  for (int m = 0; m < V; m++) {
    s[m] = fma(x[m], step, s[m]);
    s[m] = fma(front[m], before[m] - u[m], s[m]);
    s[m] = fma(back[m], behind[m] - u[m], s[m]);
    step = u[m] - (m < V - 1 ? u[m < V - 1 ? m + 1 : m] : high);
    s[m] = fma(-x[m + 1], step, s[m]);
  }
}

/* A thread's vector into shared memory. */
template <int V> DEVICE void pass_share(REAL *row, const REAL (&v)[V]) { strip_put<V, strip_whole>(row, v, V); }

#endif
