/* Descend and Ascend with 7 points on grids of even widths and constant K, coarsened along all axes: one pass over memory each. A warp owns
   a row, a block several rows beside each other, and all march through z. Each stage works one plane behind the one before it; planes
   are kept in registers, rows beside the own come through shared memory, with one barrier a plane. The rows at the rim of a block serve the stages
   only, and are computed by the neighbouring blocks too. */
#include "even.cuh"

/* Elements of a row in shared memory, a multiple of 16 bytes. */
template <int V> constexpr int even_pitch = even_lanes * V + 4;

/* What a warp knows of its row and block. */
struct even_place {
  int j, row;            /* row of nodes, before and after mirroring */
  int nz;                /* planes of the grid */
  int k0, k1;            /* those that the block owns */
  int x0, begin, end;    /* first node of its tile along x, and those that it owns */
  int low, high;         /* fixed planes, -1: none */
  bool owned, fixed_row; /* the row is the block's; it lies in a fixed wall */
  bool periodic;         /* in z */
  REAL per_volume;       /* of the row's nodes within x and z */
  int before, after;     /* rows of shared memory beside the own */
};

/* The factor by which the volume of a node is smaller at walls, inverted. */
DEVICE REAL even_wall(int i, int n, bool periodic) { return !periodic && (i == 0 || i == n - 1) ? (REAL)2 : (REAL)1; }

template <int V, bool ALIGNED> DEVICE even_place even_place_of(const cv_even_args &a, int rim) {
  even_place p;
  const int n = (int)a.fine.n[1], nx = (int)a.fine.n[0], j0 = (int)(blockIdx.y * a.rows), w = threadIdx.y;
  p.nz = (int)a.fine.n[2];
  p.j = j0 - rim + w;
  p.row = even_index(p.j, n, a.periodic[1]);
  p.owned = p.j >= j0 && p.j < j0 + (int)a.rows && p.j < n;
  p.fixed_row = (a.fixed[2] && p.row == 0) || (a.fixed[3] && p.row == n - 1);
  p.periodic = a.periodic[2];
  p.low = a.fixed[4] ? 0 : -1;
  p.high = a.fixed[5] ? p.nz - 1 : -1;
  p.per_volume = even_wall(p.row, n, a.periodic[1]) / (REAL)a.volume;
  p.k0 = (int)(blockIdx.z * a.planes);
  p.k1 = p.k0 + (int)a.planes < p.nz ? p.k0 + (int)a.planes : p.nz;
  const int tile = blockIdx.x, stride = (int)a.columns, margin = even_margin<V>;
  p.begin = tile * stride + (ALIGNED && tile > 0 ? margin : 0);
  p.end = tile == (int)gridDim.x - 1 ? nx : (tile + 1) * stride + (ALIGNED ? margin : 0);
  p.x0 = tile * stride - (ALIGNED ? 0 : margin);
  if (ALIGNED && p.x0 > nx - 1 - even_lanes * V)
    p.x0 = nx - 1 - even_lanes * V;
  p.before = w > 0 ? w - 1 : 0;
  p.after = w + 1 < (int)blockDim.y ? w + 1 : w;
  return p;
}

/* Whether all nodes of the warp's row in plane k are fixed. */
DEVICE bool even_fixed(const even_place &p, int k) { return p.fixed_row || k == p.low || k == p.high; }

/* The warp's row of plane k, of f over the volume, zero where it is fixed; `f` is the row of plane 0. */
template <int V, bool ALIGNED>
DEVICE void even_source(even_row<V> &r, const REAL *f, int64_t plane, const even_place &p, const even_span &s, int k) {
  even_load<V, ALIGNED>(r, f + k * plane, s);
  const REAL scale = p.per_volume * even_wall(k, p.nz, p.periodic);
  even_scale<V, ALIGNED>(r, s, scale, 2 * scale);
  even_clear<V, ALIGNED>(r, s, even_fixed(p, k));
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

/* Adds up the coarse right side along z, and writes it when a coarse plane is complete; c is the span of coarse nodes. */
template <int V, bool ALIGNED>
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
  if (!(q & 1)) {
#pragma unroll
    for (int m = 0; m < V / 2; m++)
      sum.v[m] += part.v[m];
    sum.last += part.last;
    return;
  }
#pragma unroll
  for (int m = 0; m < V / 2; m++)
    part.v[m] *= (REAL)0.5;
  part.last *= (REAL)0.5;
  const int K = (q - 1) / 2, J = p.j / 2, nj = (int)a.coarse.n[1], nk = (int)a.coarse.n[2];
  if (q > p.k0 && p.owned && !(p.j & 1)) {
    even_row<V / 2> out;
#pragma unroll
    for (int m = 0; m < V / 2; m++)
      out.v[m] = sum.v[m] + part.v[m];
    out.last = sum.last + part.last;
    const bool none = (a.coarse_fixed[2] && J == 0) || (a.coarse_fixed[3] && J == nj - 1) || (a.coarse_fixed[4] && K == 0) ||
                      (a.coarse_fixed[5] && K == nk - 1);
    const REAL scale = (REAL)a.volume / (even_wall(J, nj, a.periodic[1]) * even_wall(K, nk, p.periodic));
    even_scale<V / 2, ALIGNED>(out, c, scale, (REAL)0.5 * scale);
    even_clear<V / 2, ALIGNED>(out, c, none);
    REAL *to = static_cast<REAL *>(a.coarse_x) + J * a.coarse.sy + K * a.coarse.sz;
    even_store<V / 2, ALIGNED>(to, out, c);
  }
  sum = part;
}

/* Both sweeps from zero are one apply on f: u = (w0 + w1)/D f - w0 w1/D^2 A f, over volumes. Reads f and writes u and the coarse
   right side: 2 1/8 words a node. */
template <int V, bool ALIGNED> DEVICE void even_descend(const cv_even_args &a) {
  DYNAMIC_SHARED(REAL, shared);
  constexpr int pitch = even_pitch<V>, coarse_pitch = even_pitch<V / 2>;
  const int rows = blockDim.y, w = threadIdx.y;
  const even_place p = even_place_of<V, ALIGNED>(a, 3);
  const even_span s = even_span_of<V, ALIGNED>(p.x0, (int)a.fine.n[0], p.begin, p.end, a.periodic[0], a.fixed[0], a.fixed[1]);
  const even_span sc = even_span_of<V / 2, ALIGNED>(p.x0 / 2, (int)a.coarse.n[0], p.begin / 2, (p.end + 1) / 2, a.periodic[0],
                                                  a.coarse_fixed[0], a.coarse_fixed[1]);
  const even_operator c = {(REAL)a.c[0], (REAL)a.c[1], (REAL)a.c[2], (REAL)a.mass};
  const double d = 2 * (a.c[0] + a.c[1] + a.c[2]) + a.mass;
  const REAL of_f = (REAL)((a.omega[0] + a.omega[1]) / d), of_af = (REAL)(a.omega[0] * a.omega[1] / (d * d));
  const REAL *const f = static_cast<const REAL *>(a.f) + p.row * a.fine.sy;
  REAL *const out = static_cast<REAL *>(a.out) + p.j * a.fine.sy;
  even_row<V> f0, f1, f2, u0, u1, u2, t;
  even_row<V / 2> rx, sum;
#pragma unroll
  for (int m = 0; m < V; m++)
    f0.v[m] = f1.v[m] = u0.v[m] = u1.v[m] = 0;
#pragma unroll
  for (int m = 0; m < V / 2; m++)
    rx.v[m] = sum.v[m] = 0;
  f0.last = f1.last = u0.last = u1.last = rx.last = sum.last = 0;
  const int last = p.k1 == p.nz ? p.k1 : p.k1 - 1; /* plane of r that the last coarse plane needs */
  int now = 0, before = 0, earlier = 0;            /* the plane, and those before it, mirrored */
  for (int plane = p.k0 - 3; plane <= last + 3; plane++) {
    /* f0, f1, f2: planes -2, -1, 0; u0, u1: planes -3, -2; rx: plane -3. */
    earlier = before, before = now, now = even_index(plane, p.nz, p.periodic);
    even_source<V, ALIGNED>(f2, f, a.fine.sz, p, s, now);
    REAL *const of_step = shared + (plane & 1) * rows * (2 * pitch + coarse_pitch);
    REAL *const rows_f = of_step, *const rows_u = of_step + rows * pitch, *const rows_r = of_step + 2 * rows * pitch;
    even_share<V, ALIGNED>(rows_f + w * pitch, f1, s.lane);
    even_share<V, ALIGNED>(rows_u + w * pitch, u1, s.lane);
    even_share<V / 2, ALIGNED>(rows_r + w * coarse_pitch, rx, s.lane);
    __syncthreads();
    even_restrict<V, ALIGNED>(sum, a, p, sc, plane - 3, rx, rows_r + p.before * coarse_pitch, rows_r + p.after * coarse_pitch);
    /* u of plane -1. */
    even_apply<V, ALIGNED>(t, c, f1, f0, f2, rows_f + p.before * pitch, rows_f + p.after * pitch, s.lane);
#pragma unroll
    for (int m = 0; m < V; m++)
      u2.v[m] = fma(-of_af, t.v[m], of_f * f1.v[m]);
    u2.last = fma(-of_af, t.last, of_f * f1.last);
    even_clear<V, ALIGNED>(u2, s, even_fixed(p, before));
    if (p.owned && plane - 1 >= p.k0 && plane - 1 < p.k1)
      even_store<V, ALIGNED>(out + (plane - 1) * a.fine.sz, u2, s);
    /* r of plane -2. */
    even_apply<V, ALIGNED>(t, c, u1, u0, u2, rows_u + p.before * pitch, rows_u + p.after * pitch, s.lane);
#pragma unroll
    for (int m = 0; m < V; m++)
      t.v[m] = f0.v[m] - t.v[m];
    t.last = f0.last - t.last;
    even_clear<V, ALIGNED>(t, s, even_fixed(p, earlier));
    even_gather<V, ALIGNED>(rx, t, s.lane);
    f0 = f1, f1 = f2, u0 = u1, u1 = u2;
  }
}

/* Row J of plane K of the coarse correction, or the mean of two for an odd fine row, for the lane's coarse nodes; `next` is the first
   of the next lane. */
template <int V, bool ALIGNED>
DEVICE void even_correction(even_row<V / 2> &e, REAL &next, const cv_even_args &a, const even_place &p, const even_span &c, int K) {
  const int nj = (int)a.coarse.n[1], J = (p.j - (p.j & 1)) / 2;
  const REAL *plane = static_cast<const REAL *>(a.coarse_x) + even_index(K, (int)a.coarse.n[2], p.periodic) * a.coarse.sz;
  even_load<V / 2, ALIGNED>(e, plane + even_index(J, nj, a.periodic[1]) * a.coarse.sy, c);
  if (p.j & 1) {
    even_row<V / 2> other;
    even_load<V / 2, ALIGNED>(other, plane + even_index(J + 1, nj, a.periodic[1]) * a.coarse.sy, c);
#pragma unroll
    for (int m = 0; m < V / 2; m++)
      e.v[m] = (REAL)0.5 * (e.v[m] + other.v[m]);
    e.last = (REAL)0.5 * (e.last + other.last);
  }
  next = __shfl_down_sync(0xffffffffu, e.v[0], 1);
  if (ALIGNED && c.lane == even_lanes - 1)
    next = e.last;
}

/* u + weight (f - t) at free nodes, u at fixed ones. */
template <int V, bool ALIGNED>
DEVICE void even_relax(even_row<V> &out, const even_row<V> &u, const even_row<V> &f, even_row<V> &t, REAL weight, const even_span &s,
                       bool fixed) {
#pragma unroll
  for (int m = 0; m < V; m++)
    t.v[m] = f.v[m] - t.v[m];
  t.last = f.last - t.last;
  even_clear<V, ALIGNED>(t, s, fixed);
#pragma unroll
  for (int m = 0; m < V; m++)
    out.v[m] = fma(weight, t.v[m], u.v[m]);
  out.last = fma(weight, t.last, u.last);
}

/* First guess u + mask P e and two sweeps. Reads u, f and e and writes u: 3 1/8 words a node. */
template <int V, bool ALIGNED> DEVICE void even_ascend(const cv_even_args &a) {
  DYNAMIC_SHARED(REAL, shared);
  constexpr int pitch = even_pitch<V>;
  const int rows = blockDim.y, w = threadIdx.y;
  const even_place p = even_place_of<V, ALIGNED>(a, 2);
  const even_span s = even_span_of<V, ALIGNED>(p.x0, (int)a.fine.n[0], p.begin, p.end, a.periodic[0], a.fixed[0], a.fixed[1]);
  const even_span sc = even_span_of<V / 2, ALIGNED>(p.x0 / 2, (int)a.coarse.n[0], 0, 0, a.periodic[0], false, false);
  const even_operator c = {(REAL)a.c[0], (REAL)a.c[1], (REAL)a.c[2], (REAL)a.mass};
  const double d = 2 * (a.c[0] + a.c[1] + a.c[2]) + a.mass;
  const REAL w0 = (REAL)(a.omega[0] / d), w1 = (REAL)(a.omega[1] / d);
  const REAL *const f = static_cast<const REAL *>(a.f) + p.row * a.fine.sy, *const u = static_cast<const REAL *>(a.u) + p.row * a.fine.sy;
  REAL *const out = static_cast<REAL *>(a.out) + p.j * a.fine.sy;
  even_row<V> f0, f1, v0, v1, v2, z0, z1, z2, t;
  even_row<V / 2> e0, e1;
  REAL next0, next1;
#pragma unroll
  for (int m = 0; m < V; m++)
    f0.v[m] = v0.v[m] = v1.v[m] = z0.v[m] = z1.v[m] = 0;
  f0.last = v0.last = v1.last = z0.last = z1.last = 0;
  even_correction<V, ALIGNED>(e0, next0, a, p, sc, p.k0 / 2 - 1);
  int now = 0, before = even_index(p.k0 - 3, p.nz, p.periodic), earlier = 0; /* the plane, and those before it, mirrored */
  for (int plane = p.k0 - 2; plane <= p.k1 + 1; plane++) {
    /* v0, v1, v2: first guess of planes -2, -1, 0; z0, z1, z2: after one sweep, planes -3, -2, -1; f0, f1: planes -2, -1. */
    now = even_index(plane, p.nz, p.periodic);
    even_load<V, ALIGNED>(v2, u + now * a.fine.sz, s);
    even_source<V, ALIGNED>(f1, f, a.fine.sz, p, s, before);
    even_row<V / 2> e = e0;
    REAL next = next0;
    if (plane & 1) {
      even_correction<V, ALIGNED>(e1, next1, a, p, sc, (plane + 1) / 2);
#pragma unroll
      for (int m = 0; m < V / 2; m++)
        e.v[m] = (REAL)0.5 * (e0.v[m] + e1.v[m]);
      e.last = (REAL)0.5 * (e0.last + e1.last);
      next = (REAL)0.5 * (next0 + next1);
      e0 = e1, next0 = next1;
    }
#pragma unroll
    for (int m = 0; m < V; m += 2) {
      t.v[m] = e.v[m / 2];
      t.v[m + 1] = (REAL)0.5 * (e.v[m / 2] + (m / 2 + 1 < V / 2 ? e.v[m / 2 + 1] : next));
    }
    t.last = e.last;
    even_clear<V, ALIGNED>(t, s, even_fixed(p, now));
#pragma unroll
    for (int m = 0; m < V; m++)
      v2.v[m] += t.v[m];
    v2.last += t.last;
    REAL *const of_step = shared + (plane & 1) * rows * 2 * pitch;
    REAL *const rows_v = of_step, *const rows_z = of_step + rows * pitch;
    even_share<V, ALIGNED>(rows_v + w * pitch, v1, s.lane);
    even_share<V, ALIGNED>(rows_z + w * pitch, z1, s.lane);
    __syncthreads();
    /* First sweep, plane -1. */
    even_apply<V, ALIGNED>(t, c, v1, v0, v2, rows_v + p.before * pitch, rows_v + p.after * pitch, s.lane);
    even_relax<V, ALIGNED>(z2, v1, f1, t, w0, s, even_fixed(p, before));
    /* Second sweep, plane -2. */
    even_apply<V, ALIGNED>(t, c, z1, z0, z2, rows_z + p.before * pitch, rows_z + p.after * pitch, s.lane);
    even_relax<V, ALIGNED>(t, z1, f0, t, w1, s, even_fixed(p, earlier));
    if (p.owned && plane - 2 >= p.k0 && plane - 2 < p.k1)
      even_store<V, ALIGNED>(out + (plane - 2) * a.fine.sz, t, s);
    f0 = f1, v0 = v1, v1 = v2, z0 = z1, z1 = z2;
    earlier = before, before = now;
  }
}

enum { even_threads = 544 };

#define EVEN_KERNELS(pass, V)                                                                          \
  KERNEL_BOUNDS(even_##pass##_aligned_##V, cv_even_args, even_threads, 1) { even_##pass<V, true>(a); }  \
  KERNEL_BOUNDS(even_##pass##_tile_##V, cv_even_args, even_threads, 1) { even_##pass<V, false>(a); }

EVEN_KERNELS(descend, 2)
EVEN_KERNELS(descend, 4)
EVEN_KERNELS(descend, 8)
EVEN_KERNELS(ascend, 2)
EVEN_KERNELS(ascend, 4)
EVEN_KERNELS(ascend, 8)
