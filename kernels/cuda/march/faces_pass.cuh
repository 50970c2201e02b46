/* Passes with 7 points by what faces conduct (kernels.ConductanceArgs), on grids of any widths, in blocks of rows that march through z.

   A block holds `rows` rows of nodes and some beside them, each cut into vectors of V nodes; its threads are counted along the rows, `lanes` a
   row, so that rows of any length fill its warps. Where a row has several tiles their outer vectors belong to the tiles beside. Every thread
   keeps its column of what changes from plane to plane in registers; rows beside it are in shared memory, in which planes take turns, with
   one barrier a plane.

   What a step reads was asked for one step before, and is brought to the second-level cache one more step before.

   Nothing flows from beyond walls; what is read for nodes there is zero or a copy of the nodes at them. A u = -s, s the sum of what flows in. Beyond a periodic end follows what is at
   the other one: rows of nodes along y, and along x whole vectors, of which a tile has some of the tiles beside at the ends of the row too. In 2-D a block has one row. */
#ifndef CONVECT_FACES_PASS_CUH
#define CONVECT_FACES_PASS_CUH

#include "strip.cuh"

/* An index within bounds. */
DEVICE int pass_clamp(int i, int low, int high) { return i < low ? low : i > high ? high : i; }

/* A thread's place. Of KEPT vectors of each thread in shared memory those that others read too are other places of the same kind: an odd number, so that
   threads side by side find theirs in different banks. */
template <int V, int KEPT> struct pass_place {
  static_assert(KEPT % 2 == 1);
  enum { to_low = V - 1 - KEPT * V, to_high = KEPT * V }; /* elements of shared memory to the nodes before and after */
  int x, j;                   /* its first node, also beyond the grid; along a periodic x that which is there */
  unsigned at;                /* bytes of a plane before its nodes */
  int nz, k0, k1;             /* planes of the grid, and those that the block owns */
  int low_fixed, high_fixed;  /* fixed planes, none_fixed if there are none */
  int front, back;            /* elements of shared memory to the rows beside */
  int vector;                 /* those before its own */
  bool works;                 /* it has nodes: the last threads of a block have none */
  bool owned;                 /* it writes them */
  bool rests;                 /* in its warp some are in rows that the block owns or in that before, where it needs residuals */
  bool ragged;                /* the row ends within its vector, or before */
  bool begins, ends;          /* the tile begins or ends here */
  bool share_low, share_high; /* its neighbour in x is in another warp */
  bool load_low, read_low;    /* the face before its first node must be read, and is there */
  bool behind;                /* its row is one of the grid or beyond a periodic end, and there is y */
  bool trims, masks;          /* in its warp some of what was read does not count; some nodes of rows of the grid or rows beyond are fixed */
  REAL free[V];               /* 0 at fixed nodes and beyond the row or the grid */
};

enum { none_fixed = -(1 << 20) };

/* An index along an axis of n nodes: beyond a periodic end it begins again, beyond walls it is the nearest. */
DEVICE int pass_index(int i, int n, bool periodic) { return periodic ? (i % n + n) % n : pass_clamp(i, 0, n - 1); }

/* Rows before the first that a block owns, and besides those that it owns, where there is y. */
DEVICE int pass_rows(const cv_faces_pass_args &a, int rows) { return a.fine.sy ? rows : 0; }

/* before, beside: such rows; outer: vectors at both ends of a tile that belong to the tiles beside. */
template <int V, int KEPT> DEVICE pass_place<V, KEPT> pass_place_of(const cv_faces_pass_args &a, int before, int beside, int outer) {
  const int t = (int)threadIdx.x, lanes = (int)a.lanes, all = (int)a.rows + beside, lane = t & 31;
  const int nx = (int)a.fine.n[0], ny = (int)a.fine.n[1], tile = (int)blockIdx.x;
  const bool around = a.periodic[0] != 0, wraps = a.periodic[1] != 0;
  pass_place<V, KEPT> p;
  p.works = t < lanes * all;
  const int row = p.works ? t / lanes : all - 1, c = p.works ? t - row * lanes : lanes - 1;
  const int x = V * (tile * (lanes - 2 * outer) + c - (around ? outer : 0));
  p.x = around ? (x + nx) % nx : x;
  p.j = (int)blockIdx.y * (int)a.rows - before + row;
  p.nz = (int)a.fine.n[2];
  p.k0 = (int)blockIdx.z * (int)a.planes;
  p.k1 = pass_clamp(p.k0 + (int)a.planes, 0, p.nz);
  p.low_fixed = a.fixed[4] ? 0 : (int)none_fixed, p.high_fixed = a.fixed[5] ? p.nz - 1 : (int)none_fixed;
  const int j = pass_index(p.j, ny, wraps);
  p.at = (unsigned)sizeof(REAL) * (unsigned)(j * (int)a.fine.sy + p.x);
  p.vector = t * V * KEPT;
  p.front = p.works && row > 0 ? -lanes * V * KEPT : 0;
  p.back = p.works && row < all - 1 ? lanes * V * KEPT : 0;
  p.begins = c == 0 || !p.works, p.ends = c == lanes - 1;
  p.share_low = lane == 0 && !p.begins, p.share_high = lane == 31 && !p.ends;
  p.load_low = lane == 0 || p.begins, p.read_low = p.load_low && (p.x > 0 || around);
  p.ragged = p.x + V > nx;
  const bool within = p.works && row >= before && row < before + (int)a.rows && p.j < ny;
  p.owned = within && x < nx && (c >= outer || (tile == 0 && !around)) && (c < lanes - outer || (tile == (int)gridDim.x - 1 && !around));
  p.behind = a.fine.sy != 0 && (p.j >= 0 || wraps);
  const bool row_free = (j == p.j || wraps) && !(a.fixed[2] && j == 0) && !(a.fixed[3] && j == ny - 1);
  bool masks = !row_free;
#pragma unroll
  for (int m = 0; m < V; m++) {
    const int i = p.x + m;
    const bool fixed = (a.fixed[0] && i == 0) || (a.fixed[1] && i == nx - 1);
    p.free[m] = row_free && i < nx && !fixed ? (REAL)1 : (REAL)0;
    masks = masks || fixed;
  }
  p.rests = __any_sync(0xffffffffu, p.works && row >= before - 1 && row < before + (int)a.rows);
  p.trims = __any_sync(0xffffffffu, p.ragged || !p.behind);
  p.masks = __any_sync(0xffffffffu, masks);
  return p;
}

/* 0 in fixed planes, else 1. */
template <int V, int KEPT> DEVICE REAL pass_plane_free(const pass_place<V, KEPT> &p, int k) {
  return k == p.low_fixed || k == p.high_fixed ? (REAL)0 : (REAL)1;
}

/* Bytes of a plane, and of those before plane k, or before the nearest of the planes 0 ... high. */
DEVICE unsigned pass_plane_size(int64_t sz) { return (unsigned)((int)sz * (int)sizeof(REAL)); }
DEVICE int64_t pass_plane(int64_t sz, int high, int k) { return (int64_t)pass_clamp(k, 0, high) * pass_plane_size(sz); }

/* The sum of both, which the compiler does not take apart, so that an address takes one addition. */
DEVICE uint64_t pass_offset(int64_t plane, unsigned bytes) {
  uint64_t offset = (uint64_t)plane + bytes;
#ifdef __CUDACC__
  asm("" : "+l"(offset));
#endif
  return offset;
}

DEVICE const REAL *pass_at(const void *array, uint64_t offset) { return reinterpret_cast<const REAL *>(static_cast<const char *>(array) + offset); }

/* The thread's nodes of plane k. */
template <int V, int KEPT> DEVICE void pass_load(REAL (&v)[V], const void *array, int64_t sz, const pass_place<V, KEPT> &p, int k) {
  strip_get<V>(v, pass_at(array, pass_offset(pass_plane(sz, p.nz - 1, k), p.at)));
}

/* A march through the planes 0 ... high, at plane k: bytes before planes k - 1, k and k + 1. */
struct pass_march {
  int k, high;
  unsigned size;
  int64_t before, at, after;
};

DEVICE pass_march pass_march_of(int64_t sz, int high, int k) {
  return {k, high, pass_plane_size(sz), pass_plane(sz, high, k - 1), pass_plane(sz, high, k), pass_plane(sz, high, k + 1)};
}

DEVICE void pass_step(pass_march &m) {
  m.k++;
  m.before = m.at, m.at = m.after;
  m.after += m.k >= 0 && m.k < m.high ? m.size : 0u;
}

/* What was read beyond the end of a row is zero; nx: nodes, or cells, of a row. */
template <int V, int KEPT> DEVICE void pass_trim(REAL (&v)[V], const pass_place<V, KEPT> &p, int nx) {
  if (p.ragged) {
#pragma unroll
    for (int m = 0; m < V; m++)
      v[m] = p.x + m < nx ? v[m] : (REAL)0;
  }
}

/* The nodal masses of plane k. */
template <int V, int KEPT> DEVICE void pass_masses(REAL (&mass)[V], const cv_faces_pass_args &a, const pass_place<V, KEPT> &p, int k) {
  if (a.masses) {
    pass_load<V>(mass, a.masses, a.fine.sz, p, k);
    pass_trim<V>(mass, p, (int)a.fine.n[0]);
#pragma unroll
    for (int m = 0; m < V; m++)
      mass[m] *= a.mass.TYPE;
    return;
  }
  const REAL row = a.mass.TYPE * AXIS(a.w[1])[pass_index(p.j, (int)a.fine.n[1], a.periodic[1] != 0)] * AXIS(a.w[2])[pass_clamp(k, 0, p.nz - 1)];
#pragma unroll
  for (int m = 0; m < V; m++)
    mass[m] = row * AXIS(a.w[0])[pass_clamp(p.x + m, 0, (int)a.fine.n[0] - 1)];
}

/* What a step reads: u of a plane, and of the plane before f and what the faces conduct: between the nodes and to those before and after (x), behind
   and above. Those in front belong to another row, which has them in shared memory. */
template <int V> struct pass_read {
  REAL u[V], f[V], x[V + 1], back[V], above[V];
};

/* Reads for a step with u of the plane of a march; without U there is no u. */
template <int V, bool U, int KEPT>
DEVICE void pass_ask(pass_read<V> &r, const cv_faces_pass_args &a, const pass_place<V, KEPT> &p, const pass_march &m) {
  const uint64_t at = pass_offset(m.before, p.at);
  REAL own[V];
  if (U)
    strip_get<V>(r.u, pass_at(a.u, pass_offset(m.at, p.at)));
  strip_get<V>(r.back, pass_at(a.faces[1], at));
  strip_get<V>(own, pass_at(a.faces[0], at));
  r.x[0] = p.read_low ? pass_at(a.faces[0], at)[p.x > 0 ? -1 : (int)a.fine.n[0] - 1] : (REAL)0;
  strip_get<V>(r.above, pass_at(a.faces[2], at));
  strip_get<V>(r.f, pass_at(a.f, at));
#pragma unroll
  for (int n = 0; n < V; n++)
    r.x[n + 1] = own[n];
}

/* Has what the step after that reads brought to the second-level cache, once among the blocks. */
template <int V, bool U, int KEPT> DEVICE void pass_prefetch(const cv_faces_pass_args &a, const pass_place<V, KEPT> &p, const pass_march &m) {
  if (!p.owned)
    return;
  const uint64_t at = pass_offset(m.at, p.at);
  if (U)
    strip_prefetch<V>(pass_at(a.u, pass_offset(m.after, p.at)));
  strip_prefetch<V>(pass_at(a.f, at));
#pragma unroll
  for (int axis = 0; axis < 3; axis++)
    strip_prefetch<V>(pass_at(a.faces[axis], at));
}

/* What was read for u of plane k is complete. Beyond walls nothing is conducted: so it is stored at the last nodes of all axes; before the first it is
   said here. */
template <int V, bool U, int KEPT> DEVICE void pass_complete(pass_read<V> &r, const pass_place<V, KEPT> &p, int nx, int k) {
  if (p.trims) {
#pragma unroll
    for (int m = 0; m < V; m++) {
      const bool within = p.x + m < nx;
      if (U)
        r.u[m] = within ? r.u[m] : (REAL)0;
      r.f[m] = within ? r.f[m] : (REAL)0;
      r.x[m + 1] = within ? r.x[m + 1] : (REAL)0;
      r.back[m] = within && p.behind ? r.back[m] : (REAL)0;
      r.above[m] = within ? r.above[m] : (REAL)0;
    }
  }
  if (k < 1) {
#pragma unroll
    for (int m = 0; m < V; m++)
      r.above[m] = 0;
  }
  const REAL low = __shfl_up_sync(0xffffffffu, r.x[V], 1);
  r.x[0] = p.load_low ? r.x[0] : low;
}

/* Adds to s what flows within a plane into the nodes u, whose rows are in shared memory at `row`; x, front, back: what the faces conduct. */
template <int V, int KEPT>
DEVICE void pass_gather(REAL (&s)[V], const REAL (&x)[V + 1], const REAL (&front)[V], const REAL (&back)[V], const REAL (&u)[V], const REAL *row,
                        const pass_place<V, KEPT> &p) {
  REAL low = __shfl_up_sync(0xffffffffu, u[V - 1], 1), high = __shfl_down_sync(0xffffffffu, u[0], 1);
  if (p.share_low)
    low = row[p.to_low];
  if (p.share_high)
    high = row[p.to_high];
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
