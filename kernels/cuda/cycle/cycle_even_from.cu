/* Descend from a first guess with 7 points on grids of even widths and constant K, coarsened along all axes: one pass over memory. A warp owns
   a row, a block several rows beside each other, and all march through z. Each stage works one plane behind the one before it. Of each stage two planes are
   kept in registers; the one before them and the rows beside are in shared memory, which holds two planes in turn, with one barrier a plane. The
   rows at the rim of a block serve the stages only, and are computed by the neighbouring blocks too. (Bands of two rows, as the other passes have them,
   want more registers than there are: their spills cost more than they save.)

   All is in units of the right side at inner nodes: f is doubled at walls as it comes, the operator is that over the volume of a node times
   that of an inner one. */
#include "../march/even.cuh"

/* Elements of a row in shared memory, a multiple of 16 bytes. */
template <int V> constexpr int even_pitch = (even_lanes * V + 4) / 4 * 4;

/* What a warp knows of its row and block. */
struct even_place {
  int j, row;            /* row of nodes, before and after mirroring */
  int nz;                /* planes of the grid */
  int k0, k1;            /* those that the block owns */
  int x0, begin, end;    /* first node of its tile along x, and those that it writes */
  int low, high;         /* fixed planes, -1: none */
  int depth;             /* rows between it and the rim of the block or of the grid */
  bool owned, fixed_row; /* the row is the block's; it lies in a fixed wall */
  bool periodic;         /* in z */
  REAL walls;            /* 2 where the row lies in a wall, else 1 */
};

/* The factor by which the volume of a node is smaller at walls, inverted. */
DEVICE REAL even_wall(int i, int n, bool periodic) { return !periodic && (i == 0 || i == n - 1) ? (REAL)2 : (REAL)1; }

/* rim: rows before the first that the block owns. */
template <int V, bool ALIGNED> DEVICE even_place even_place_of(const cv_even_args &a, int rim) {
  even_place p;
  /* The compiler does not know that all lanes have the same threadIdx.y, and this tells it. */
  const int w = __shfl_sync(0xffffffffu, (int)threadIdx.y, 0);
  const int n = (int)a.fine.n[1], nx = (int)a.fine.n[0], j0 = (int)(blockIdx.y * a.rows);
  const int rows = blockDim.y, beyond = n + rim - (j0 - rim); /* rows that are needed: those of the grid and `rim` after */
  p.nz = (int)a.fine.n[2];
  p.j = j0 - rim + w;
  p.row = even_index(p.j, n, a.periodic[1]);
  p.depth = min(w, (rows < beyond ? rows : beyond) - 1 - w);
  p.owned = p.j >= j0 && p.j < j0 + (int)a.rows && p.j < n;
  p.fixed_row = (a.fixed[2] && p.row == 0) || (a.fixed[3] && p.row == n - 1);
  p.periodic = a.periodic[2];
  p.low = a.fixed[4] ? 0 : -1;
  p.high = a.fixed[5] ? p.nz - 1 : -1;
  p.walls = even_wall(p.row, n, a.periodic[1]);
  p.k0 = (int)(blockIdx.z * a.planes);
  p.k1 = p.k0 + (int)a.planes < p.nz ? p.k0 + (int)a.planes : p.nz;
  const int tile = blockIdx.x, stride = (int)a.columns, margin = even_margin<V>;
  p.begin = tile * stride + (ALIGNED && tile > 0 ? margin : 0);
  p.end = tile == (int)gridDim.x - 1 ? nx : (tile + 1) * stride + (ALIGNED ? margin : 0);
  p.x0 = tile * stride - (ALIGNED ? 0 : margin);
  if (ALIGNED && p.x0 > nx - 1 - even_lanes * V)
    p.x0 = nx - 1 - even_lanes * V;
  return p;
}

/* Planes of a step that are near none of the ends of a block or of the grid have no walls and all stages: what is asked of other planes
   is left out where INNER is true. */

/* Where plane k lies, mirrored. */
template <bool INNER> DEVICE int even_plane(const even_place &p, int k) { return INNER ? k : even_index(k, p.nz, p.periodic); }

/* Whether all nodes of the warp's row in plane k are fixed. */
template <bool INNER> DEVICE bool even_fixed(const even_place &p, int k) {
  if (INNER)
    return p.fixed_row;
  k = even_index(k, p.nz, p.periodic);
  return p.fixed_row || k == p.low || k == p.high;
}

template <int V> DEVICE void even_zero(even_row<V> &r) {
#pragma unroll
  for (int m = 0; m < V; m++)
    r.v[m] = 0;
  r.last = 0;
}

/* A row of plane k as it comes; `row` is that of plane 0. */
template <int V, bool ALIGNED, bool INNER>
DEVICE void even_fetch(even_row<V> &r, const REAL *row, int64_t plane, const even_place &p, const even_span &s, int k) {
  even_load<V, ALIGNED>(r, row + even_plane<INNER>(p, k) * plane, s);
}

/* Asks for it in the second-level cache, of rows of eight nodes a lane: the planes of a grid so wide come from memory. (With six and four nodes a lane it
   costs more than it saves.) */
template <int V, bool ALIGNED, bool INNER>
DEVICE void even_ask([[maybe_unused]] const REAL *row, [[maybe_unused]] int64_t plane, [[maybe_unused]] const even_place &p,
                     [[maybe_unused]] const even_span &s, [[maybe_unused]] int k) {
#ifdef __CUDACC__
  if (ALIGNED && V == 8)
    asm volatile("prefetch.global.L2 [%0];" ::"l"(row + even_plane<INNER>(p, k) * plane + s.x));
#endif
}

/* A row of plane k of f: doubled at walls, zero where it is fixed. */
template <int V, bool ALIGNED, bool INNER> DEVICE void even_source(even_row<V> &r, const even_place &p, const even_span &s, int k) {
  if (even_fixed<INNER>(p, k)) {
    even_zero<V>(r);
    return;
  }
#pragma unroll
  for (int m = 0; m <= V; m++) {
    if (ALIGNED && m > 0 && m < V)
      continue;
    REAL &v = m < V ? r.v[m] : r.last;
    v *= even_is_fixed<V, ALIGNED>(s, m) ? (REAL)0 : even_at_wall<V, ALIGNED>(s, m) ? (REAL)2 : (REAL)1;
  }
  const REAL scale = INNER ? p.walls : p.walls * even_wall(even_plane<INNER>(p, k), p.nz, p.periodic);
  if (scale != 1) {
#pragma unroll
    for (int m = 0; m < V; m++)
      r.v[m] *= scale;
    r.last *= scale;
  }
}

/* r = f - t, zero at fixed nodes. */
template <int V, bool ALIGNED>
DEVICE void even_defect(even_row<V> &r, const even_row<V> &f, const even_row<V> &t, const even_span &s) {
#pragma unroll
  for (int m = 0; m < V; m++)
    r.v[m] = even_is_fixed<V, ALIGNED>(s, m) ? (REAL)0 : f.v[m] - t.v[m];
  r.last = s.fixed_last ? (REAL)0 : f.last - t.last;
}

/* Sums along x for the coarse nodes of a lane: 1 of the coincident node, 1/2 of its neighbours. */
template <int V, bool ALIGNED>
DEVICE void even_gather(even_row<V / 2> &out, const even_row<V> &r, int lane) {
  REAL low, high;
  even_sides<V, ALIGNED>(r, lane, low, high);
#pragma unroll
  for (int m = 0; m < V; m += 2)
    out.v[m / 2] = fma((REAL)0.5, (m > 0 ? r.v[m - 1] : low) + r.v[m + 1], r.v[m]);
  out.last = ALIGNED ? r.last + r.v[V - 1] : (REAL)0;
}

/* Adds up the coarse right side along z, from sums along x of plane q, and writes it when a coarse plane is complete; c is the span of
   coarse nodes. */
template <int V, bool ALIGNED, bool INNER, bool ODD>
DEVICE void even_restrict(even_row<V / 2> &sum, const cv_even_args &a, const even_place &p, const even_span &c, int q,
                          const even_row<V / 2> &own, const REAL *front, const REAL *back) {
  even_row<V / 2> part;
  REAL fr[V / 2], ba[V / 2];
  even_get_shared<V / 2>(fr, front, c.lane);
  even_get_shared<V / 2>(ba, back, c.lane);
#pragma unroll
  for (int m = 0; m < V / 2; m++)
    part.v[m] = fma((REAL)0.5, fr[m] + ba[m], own.v[m]);
  part.last = ALIGNED ? fma((REAL)0.5, front[even_lanes * V / 2] + back[even_lanes * V / 2], own.last) : (REAL)0;
  if constexpr (!ODD) {
#pragma unroll
    for (int m = 0; m < V / 2; m++)
      sum.v[m] += part.v[m];
    sum.last += part.last;
  } else {
#pragma unroll
    for (int m = 0; m < V / 2; m++)
      part.v[m] *= (REAL)0.5;
    part.last *= (REAL)0.5;
    if (INNER || q > p.k0) {
      const int K = (q - 1) / 2, J = p.j / 2, nj = (int)a.coarse.n[1], nk = (int)a.coarse.n[2];
      even_row<V / 2> out;
#pragma unroll
      for (int m = 0; m < V / 2; m++)
        out.v[m] = sum.v[m] + part.v[m];
      out.last = sum.last + part.last;
      const bool none = (a.coarse_fixed[2] && J == 0) || (a.coarse_fixed[3] && J == nj - 1) ||
                        (!INNER && ((a.coarse_fixed[4] && K == 0) || (a.coarse_fixed[5] && K == nk - 1)));
      const REAL scale = (p.walls != 1 ? (REAL)0.5 : (REAL)1) * (!INNER && !p.periodic && (K == 0 || K == nk - 1) ? (REAL)0.5 : (REAL)1);
      even_scale<V / 2, ALIGNED>(out, c, scale, (REAL)0.5 * scale);
      even_clear<V / 2, ALIGNED>(out, c, none);
      REAL *to = static_cast<REAL *>(a.coarse_x) + J * a.coarse.sy + K * a.coarse.sz;
      even_store<V / 2, ALIGNED>(to, out, c);
    }
    sum = part;
  }
}

/* A warp's share of the arrays of shared memory: `now` is its record of rows of this plane, `before` that of the plane before. Records of the
   rows beside lie one record away. */
struct even_rows {
  REAL *now, *before;
};

/* The row of an array in a warp's record of the plane before. */
template <int V, bool ALIGNED> DEVICE void even_recall(even_row<V> &r, const REAL *row, int lane) {
  even_get_shared<V>(r.v, row, lane);
  r.last = ALIGNED ? row[even_lanes * V] : (REAL)0;
}

/* c = alpha r - beta A r, zero at fixed nodes: two sweeps from zero on A c = r. */
template <int V, bool ALIGNED>
DEVICE void even_sweeps(even_row<V> &c, const even_row<V> &r, const even_row<V> &t, REAL alpha, REAL beta, const even_span &s) {
#pragma unroll
  for (int m = 0; m <= V; m++) {
    const REAL b = even_is_fixed<V, ALIGNED>(s, m) ? (REAL)0 : beta;
    if (m < V)
      c.v[m] = fma(-b, t.v[m], alpha * r.v[m]);
    else
      c.last = fma(-b, t.last, alpha * r.last);
  }
}

/* What the steps of a pass share. */
template <int V> struct even_way {
  even_place p;
  even_span s, sc;
  even_operator c;
  REAL alpha, beta;  /* of even_sweeps, or the weights of two sweeps */
  const REAL *f, *u; /* the warp's rows of plane 0 */
  REAL *out;
  REAL *one, *other; /* its records in shared memory */
};

/* record: elements of a warp's record. */
template <int V, bool ALIGNED> DEVICE even_way<V> even_way_of(const cv_even_args &a, int rim, int record, REAL *shared) {
  even_way<V> y;
  y.p = even_place_of<V, ALIGNED>(a, rim);
  y.s = even_span_of<V, ALIGNED>(y.p.x0, (int)a.fine.n[0], y.p.begin, y.p.end, a.periodic[0], a.fixed[0], a.fixed[1]);
  y.sc = even_span_of<V / 2, ALIGNED>(y.p.x0 / 2, (int)a.coarse.n[0], y.p.begin / 2, (y.p.end + 1) / 2, a.periodic[0], a.coarse_fixed[0],
                                     a.coarse_fixed[1]);
  y.c = {(REAL)(a.c[0] * a.volume), (REAL)(a.c[1] * a.volume), (REAL)(a.c[2] * a.volume), (REAL)(a.mass * a.volume)};
  y.f = static_cast<const REAL *>(a.f) + y.p.row * a.fine.sy;
  y.u = a.u ? static_cast<const REAL *>(a.u) + y.p.row * a.fine.sy : nullptr;
  y.out = static_cast<REAL *>(a.out) + y.p.j * a.fine.sy;
  y.one = shared + threadIdx.y * record;
  y.other = y.one + blockDim.y * record;
  return y;
}

/* The diagonal of the operator. */
DEVICE double even_diagonal(const cv_even_args &a) { return a.volume * (2 * (a.c[0] + a.c[1] + a.c[2]) + a.mass); }

/* On the way down from a first guess. Before: u1 = first guess of plane -1, r1 its defect of plane -2, c1 the sweeps on that of plane -3, rx of
   plane -4. After: u2 of this plane, r2 of plane -1, c2 of plane -2, rx of plane -3. */
template <int V> struct even_down_from {
  even_row<V> u1, u2, r1, r2, c1, c2;
  even_row<V / 2> rx, sum;
};

/* Elements of a record: u, r, c and rx. */
template <int V> constexpr int even_from_record = 3 * even_pitch<V> + even_pitch<V / 2>;

template <int V, bool ALIGNED, bool INNER, bool ODD>
DEVICE void even_step_from(const cv_even_args &a, const even_way<V> &y, int plane, const even_rows &at, const even_row<V> &u1,
                           even_row<V> &u2, const even_row<V> &r1, even_row<V> &r2, const even_row<V> &c1, even_row<V> &c2,
                           even_row<V / 2> &rx, even_row<V / 2> &sum) {
  constexpr int of_r = even_pitch<V>, of_c = 2 * even_pitch<V>, of_x = 3 * even_pitch<V>, record = even_from_record<V>;
  const even_place &p = y.p;
  const int lane = y.s.lane;
  if (p.depth >= 0) {
    even_fetch<V, ALIGNED, INNER>(u2, y.u, a.fine.sz, p, y.s, plane);
    even_fetch<V, ALIGNED, INNER>(r2, y.f, a.fine.sz, p, y.s, plane - 1);
    even_ask<V, ALIGNED, INNER>(y.u, a.fine.sz, p, y.s, plane + 1);
    even_ask<V, ALIGNED, INNER>(y.f, a.fine.sz, p, y.s, plane);
  }
  even_share<V, ALIGNED>(at.now, u1, lane);
  even_share<V, ALIGNED>(at.now + of_r, r1, lane);
  even_share<V, ALIGNED>(at.now + of_c, c1, lane);
  even_share<V / 2, ALIGNED>(at.now + of_x, rx, lane);
  __syncthreads();
  if (p.owned && !(p.j & 1))
    even_restrict<V, ALIGNED, INNER, ODD>(sum, a, p, y.sc, plane - 4, rx, at.now + of_x - record, at.now + of_x + record);
  if (p.depth < 1)
    return;
  even_row<V> t, u0, r0;
  even_recall<V, ALIGNED>(u0, at.before, lane);
  even_source<V, ALIGNED, INNER>(r2, p, y.s, plane - 1);
  if (!even_fixed<INNER>(p, plane - 1)) {
    even_apply<V, ALIGNED>(t, y.c, u1, u0, u2, at.now - record, at.now + record, lane);
    even_defect<V, ALIGNED>(r2, r2, t, y.s);
  }
  if (p.depth < 2)
    return;
  even_recall<V, ALIGNED>(r0, at.before + of_r, lane);
  if (even_fixed<INNER>(p, plane - 2)) {
    even_zero<V>(c2);
  } else {
    even_apply<V, ALIGNED>(t, y.c, r1, r0, r2, at.now + of_r - record, at.now + of_r + record, lane);
    even_sweeps<V, ALIGNED>(c2, r1, t, y.alpha, y.beta, y.s);
  }
  if (p.owned && (INNER || (plane - 2 >= p.k0 && plane - 2 < p.k1))) {
#pragma unroll
    for (int m = 0; m < V; m++)
      u0.v[m] += c2.v[m];
    u0.last += c2.last;
    even_store<V, ALIGNED>(y.out + (plane - 2) * a.fine.sz, u0, y.s);
  }
  if (p.depth < 3)
    return;
  if (even_fixed<INNER>(p, plane - 3)) {
    even_zero<V / 2>(rx);
  } else {
    even_row<V> c0;
    even_recall<V, ALIGNED>(c0, at.before + of_c, lane);
    even_apply<V, ALIGNED>(t, y.c, c1, c0, c2, at.now + of_c - record, at.now + of_c + record, lane);
    even_defect<V, ALIGNED>(t, r0, t, y.s);
    even_gather<V, ALIGNED>(rx, t, lane);
  }
}

template <int V, bool ALIGNED, bool INNER>
DEVICE void even_two_from(const cv_even_args &a, const even_way<V> &y, even_down_from<V> &d, int plane) {
  even_step_from<V, ALIGNED, INNER, false>(a, y, plane, {y.one, y.other}, d.u1, d.u2, d.r1, d.r2, d.c1, d.c2, d.rx, d.sum);
  even_step_from<V, ALIGNED, INNER, true>(a, y, plane + 1, {y.other, y.one}, d.u2, d.u1, d.r2, d.r1, d.c2, d.c1, d.rx, d.sum);
}

/* r = f - A u, c = (w0 + w1)/D r - w0 w1/D^2 A r, out = u + c, and r - A c is restricted. Reads u and f and writes out and the coarse
   right side: 3 1/8 words a node. */
template <int V, bool ALIGNED> DEVICE void even_descend_from(const cv_even_args &a) {
  DYNAMIC_SHARED(REAL, shared);
  even_way<V> y = even_way_of<V, ALIGNED>(a, 4, even_from_record<V>, shared);
  const even_place &p = y.p;
  const double d = even_diagonal(a);
  y.alpha = (REAL)((a.omega[0] + a.omega[1]) / d);
  y.beta = (REAL)(a.omega[0] * a.omega[1] / (d * d));
  even_down_from<V> rows = {};
  const int last = p.k1 - 1 + (p.k1 & 1);
  for (int plane = p.k0 - 4; plane <= last + 4; plane += 2) {
    if (ALIGNED && plane >= p.k0 + 6 && plane <= p.k1 && plane < p.nz - 3)
      even_two_from<V, ALIGNED, ALIGNED>(a, y, rows, plane);
    else
      even_two_from<V, ALIGNED, false>(a, y, rows, plane);
  }
}

/* Rows of a block: as many as the registers allow; warps of six nodes a lane want fewer of those. */
template <int V> constexpr int even_threads = (V == 6 ? 20 : 16) * even_lanes;

#define EVEN_KERNELS(kind, V, ALIGNED) \
  KERNEL_BOUNDS(even_descend_from_##kind##_##V, cv_even_args, even_threads<V>, 1) { even_descend_from<V, ALIGNED>(a); }

EVEN_KERNELS(aligned, 2, true)
EVEN_KERNELS(aligned, 4, true)
EVEN_KERNELS(tile, 4, false)
/* Registers hold no more than four nodes of double. */
#define EVEN_WIDE_f32 1
#if LAUNCH_JOIN(EVEN_WIDE, TYPE)
EVEN_KERNELS(aligned, 6, true)
EVEN_KERNELS(aligned, 8, true)
EVEN_KERNELS(tile, 8, false)
#endif
