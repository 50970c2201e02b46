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
  int k0, k1;            /* planes that the block owns */
  int begin, end;        /* nodes along x that it owns */
  bool owned, fixed_row; /* the row is the block's; it lies in a fixed wall */
  int before, after;     /* rows of shared memory beside the own */
};

template <int V, bool WHOLE> DEVICE even_place even_place_of(const cv_even_args &a, int rim) {
  even_place p;
  const int n = (int)a.fine.n[1], nz = (int)a.fine.n[2], j0 = (int)(blockIdx.y * a.rows), w = threadIdx.y;
  p.j = j0 - rim + w;
  p.row = even_index(p.j, n, a.periodic[1]);
  p.owned = p.j >= j0 && p.j < j0 + a.rows && p.j < n;
  p.fixed_row = (a.fixed[2] && p.row == 0) || (a.fixed[3] && p.row == n - 1);
  p.k0 = (int)(blockIdx.z * a.planes);
  p.k1 = p.k0 + (int)a.planes < nz ? p.k0 + (int)a.planes : nz;
  p.begin = (int)(blockIdx.x * a.columns);
  p.end = p.begin + (int)a.columns < (int)a.fine.n[0] ? p.begin + (int)a.columns : (int)a.fine.n[0];
  p.before = w > 0 ? w - 1 : 0;
  p.after = w + 1 < (int)blockDim.y ? w + 1 : w;
  return p;
}

DEVICE bool even_fixed_plane(const cv_even_args &a, int k) {
  return (a.fixed[4] && k == 0) || (a.fixed[5] && k == (int)a.fine.n[2] - 1);
}

/* The factors by which the volume of a node is smaller at walls, inverted. */
DEVICE REAL even_wall(int i, int64_t n, int64_t periodic) { return !periodic && (i == 0 || i == n - 1) ? (REAL)2 : (REAL)1; }

/* Row (row, k) of f over the volume, zero where it is fixed. */
template <int V, bool WHOLE>
DEVICE void even_source(even_row<V> &r, const cv_even_args &a, const even_place &p, const even_span &s, int plane) {
  const int k = even_index(plane, (int)a.fine.n[2], a.periodic[2]);
  const REAL *f = static_cast<const REAL *>(a.f) + p.row * a.fine.sy + k * a.fine.sz;
  even_load<V, WHOLE>(r, f, s);
  const REAL scale = even_wall(p.row, a.fine.n[1], a.periodic[1]) * even_wall(k, a.fine.n[2], a.periodic[2]) / (REAL)a.volume;
#pragma unroll
  for (int m = 0; m < V; m++)
    r.v[m] *= scale * (s.x + m == 0 || s.x + m == s.n - 1 ? even_wall(s.x + m, s.n, s.periodic) : (REAL)1);
  if (WHOLE)
    r.last *= 2 * scale;
  even_clear<V, WHOLE>(r, s, p.fixed_row || even_fixed_plane(a, k), a.fixed[0], a.fixed[1]);
}

/* Sums along x for the coarse nodes of a lane: 1 of the coincident node, 1/2 of its neighbours. */
template <int V, bool WHOLE>
DEVICE void even_gather(even_row<V / 2> &out, const even_row<V> &r, int lane) {
  REAL low, high;
  even_sides<V, WHOLE>(r, lane, low, high);
#pragma unroll
  for (int m = 0; m < V; m += 2)
    out.v[m / 2] = fma((REAL)0.5, (m > 0 ? r.v[m - 1] : low) + r.v[m + 1], r.v[m]);
  out.last = WHOLE ? r.last + r.v[V - 1] : (REAL)0;
}

/* Adds up the coarse right side along z, and writes it when a coarse plane is complete. */
template <int V, bool WHOLE>
DEVICE void even_restrict(even_row<V / 2> &sum, const cv_even_args &a, const even_place &p, const even_span &s, int q,
                          const even_row<V / 2> &own, const REAL *front, const REAL *back) {
  even_row<V / 2> part;
  REAL fr[V / 2], ba[V / 2];
  even_get_shared<V / 2>(fr, front, s.lane);
  even_get_shared<V / 2>(ba, back, s.lane);
#pragma unroll
  for (int m = 0; m < V / 2; m++)
    part.v[m] = fma((REAL)0.5, fr[m] + ba[m], own.v[m]);
  part.last = WHOLE ? fma((REAL)0.5, front[even_lanes * V / 2] + back[even_lanes * V / 2], own.last) : (REAL)0;
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
  const int K = (q - 1) / 2, J = p.j / 2, nj = (int)a.coarse.n[1], nk = (int)a.coarse.n[2], ni = (int)a.coarse.n[0];
  if (q > p.k0 && p.owned && !(p.j & 1)) {
    even_row<V / 2> out;
    const bool none = (a.coarse_fixed[2] && J == 0) || (a.coarse_fixed[3] && J == nj - 1) || (a.coarse_fixed[4] && K == 0) ||
                      (a.coarse_fixed[5] && K == nk - 1);
    const REAL scale = (REAL)a.volume / (even_wall(J, nj, a.periodic[1]) * even_wall(K, nk, a.periodic[2]));
    even_span c = s;
    c.x = s.x / 2, c.n = ni;
#pragma unroll
    for (int m = 0; m < V / 2; m++) {
      const bool wall = !s.periodic && (c.x + m == 0 || c.x + m == ni - 1);
      out.v[m] = (sum.v[m] + part.v[m]) * (wall ? (REAL)0.5 * scale : scale);
    }
    out.last = (sum.last + part.last) * ((REAL)0.5 * scale);
    even_clear<V / 2, WHOLE>(out, c, none, a.coarse_fixed[0], a.coarse_fixed[1]);
    REAL *to = static_cast<REAL *>(a.coarse_x) + J * a.coarse.sy + K * a.coarse.sz;
    even_store<V / 2, WHOLE>(to, out, c, p.begin / 2, (p.end + 1) / 2);
  }
  sum = part;
}

/* Both sweeps from zero are one apply on f: u = (w0 + w1)/D f - w0 w1/D^2 A f, over volumes. Reads f and writes u and the coarse
   right side: 2 1/8 words a node. */
template <int V, bool WHOLE> DEVICE void even_descend(const cv_even_args &a) {
  DYNAMIC_SHARED(REAL, shared);
  constexpr int pitch = even_pitch<V>, coarse_pitch = even_pitch<V / 2>;
  const int rows = blockDim.y, w = threadIdx.y;
  const even_place p = even_place_of<V, WHOLE>(a, 3);
  const even_span s = even_span_of<V, WHOLE>(WHOLE ? 0 : p.begin - even_margin<V>, (int)a.fine.n[0], a.periodic[0]);
  const even_operator c = {(REAL)a.c[0], (REAL)a.c[1], (REAL)a.c[2], (REAL)a.mass};
  const double d = 2 * (a.c[0] + a.c[1] + a.c[2]) + a.mass;
  const REAL of_f = (REAL)((a.omega[0] + a.omega[1]) / d), of_af = (REAL)(a.omega[0] * a.omega[1] / (d * d));
  even_row<V> f0, f1, f2, u0, u1, u2, t;
  even_row<V / 2> rx, sum;
#pragma unroll
  for (int m = 0; m < V; m++)
    f0.v[m] = f1.v[m] = u0.v[m] = u1.v[m] = 0;
#pragma unroll
  for (int m = 0; m < V / 2; m++)
    rx.v[m] = sum.v[m] = 0;
  f0.last = f1.last = u0.last = u1.last = rx.last = sum.last = 0;
  const int last = p.k1 == (int)a.fine.n[2] ? p.k1 : p.k1 - 1; /* plane of r that the last coarse plane needs */
  for (int plane = p.k0 - 3; plane <= last + 3; plane++) {
    /* f0, f1, f2: planes -2, -1, 0; u0, u1: planes -3, -2; rx: plane -3. */
    even_source<V, WHOLE>(f2, a, p, s, plane);
    REAL *const of_step = shared + (plane & 1) * rows * (2 * pitch + coarse_pitch);
    REAL *const rows_f = of_step, *const rows_u = of_step + rows * pitch, *const rows_r = of_step + 2 * rows * pitch;
    even_share<V, WHOLE>(rows_f + w * pitch, f1, s.lane);
    even_share<V, WHOLE>(rows_u + w * pitch, u1, s.lane);
    even_share<V / 2, WHOLE>(rows_r + w * coarse_pitch, rx, s.lane);
    __syncthreads();
    even_restrict<V, WHOLE>(sum, a, p, s, plane - 3, rx, rows_r + p.before * coarse_pitch, rows_r + p.after * coarse_pitch);
    /* u of plane -1. */
    even_apply<V, WHOLE>(t, c, f1, f0, f2, rows_f + p.before * pitch, rows_f + p.after * pitch, s.lane);
#pragma unroll
    for (int m = 0; m < V; m++)
      u2.v[m] = fma(-of_af, t.v[m], of_f * f1.v[m]);
    u2.last = fma(-of_af, t.last, of_f * f1.last);
    const int k = even_index(plane - 1, (int)a.fine.n[2], a.periodic[2]);
    even_clear<V, WHOLE>(u2, s, p.fixed_row || even_fixed_plane(a, k), a.fixed[0], a.fixed[1]);
    if (p.owned && plane - 1 >= p.k0 && plane - 1 < p.k1)
      even_store<V, WHOLE>(static_cast<REAL *>(a.out) + p.j * a.fine.sy + (plane - 1) * a.fine.sz, u2, s, p.begin, p.end);
    /* r of plane -2. */
    even_apply<V, WHOLE>(t, c, u1, u0, u2, rows_u + p.before * pitch, rows_u + p.after * pitch, s.lane);
#pragma unroll
    for (int m = 0; m < V; m++)
      t.v[m] = f0.v[m] - t.v[m];
    t.last = f0.last - t.last;
    const int q = even_index(plane - 2, (int)a.fine.n[2], a.periodic[2]);
    even_clear<V, WHOLE>(t, s, p.fixed_row || even_fixed_plane(a, q), a.fixed[0], a.fixed[1]);
    even_gather<V, WHOLE>(rx, t, s.lane);
    f0 = f1, f1 = f2, u0 = u1, u1 = u2;
  }
}

/* Row J of plane K of the coarse correction, or the mean of two for an odd fine row, for the lane's coarse nodes; `next` is the first
   of the next lane. */
template <int V, bool WHOLE>
DEVICE void even_correction(even_row<V / 2> &e, REAL &next, const cv_even_args &a, const even_place &p, const even_span &s, int K) {
  const int nj = (int)a.coarse.n[1], J = (p.j - (p.j & 1)) / 2;
  even_span c = s;
  c.x = s.x / 2;
  c.n = (int)a.coarse.n[0];
  c.inside = WHOLE || (c.x >= 0 && c.x + V / 2 <= c.n);
  const REAL *plane = static_cast<const REAL *>(a.coarse_x) + even_index(K, (int)a.coarse.n[2], a.periodic[2]) * a.coarse.sz;
  even_load<V / 2, WHOLE>(e, plane + even_index(J, nj, a.periodic[1]) * a.coarse.sy, c);
  if (p.j & 1) {
    even_row<V / 2> other;
    even_load<V / 2, WHOLE>(other, plane + even_index(J + 1, nj, a.periodic[1]) * a.coarse.sy, c);
#pragma unroll
    for (int m = 0; m < V / 2; m++)
      e.v[m] = (REAL)0.5 * (e.v[m] + other.v[m]);
    e.last = (REAL)0.5 * (e.last + other.last);
  }
  next = __shfl_down_sync(0xffffffffu, e.v[0], 1);
  if (WHOLE && s.lane == even_lanes - 1)
    next = e.last;
}

/* First guess u + mask P e and two sweeps. Reads u, f and e and writes u: 3 1/8 words a node. */
template <int V, bool WHOLE> DEVICE void even_ascend(const cv_even_args &a) {
  DYNAMIC_SHARED(REAL, shared);
  constexpr int pitch = even_pitch<V>;
  const int rows = blockDim.y, w = threadIdx.y;
  const even_place p = even_place_of<V, WHOLE>(a, 2);
  const even_span s = even_span_of<V, WHOLE>(WHOLE ? 0 : p.begin - even_margin<V>, (int)a.fine.n[0], a.periodic[0]);
  const even_operator c = {(REAL)a.c[0], (REAL)a.c[1], (REAL)a.c[2], (REAL)a.mass};
  const double d = 2 * (a.c[0] + a.c[1] + a.c[2]) + a.mass;
  const REAL w0 = (REAL)(a.omega[0] / d), w1 = (REAL)(a.omega[1] / d);
  even_row<V> f0, f1, v0, v1, v2, z0, z1, z2, t;
  even_row<V / 2> e0, e1;
  REAL next0, next1;
#pragma unroll
  for (int m = 0; m < V; m++)
    f0.v[m] = v0.v[m] = v1.v[m] = z0.v[m] = z1.v[m] = 0;
  f0.last = v0.last = v1.last = z0.last = z1.last = 0;
  even_correction<V, WHOLE>(e0, next0, a, p, s, p.k0 / 2 - 1);
  for (int plane = p.k0 - 2; plane <= p.k1 + 1; plane++) {
    /* v0, v1, v2: first guess of planes -2, -1, 0; z0, z1, z2: after one sweep, planes -3, -2, -1; f0, f1: planes -2, -1. */
    const int k = even_index(plane, (int)a.fine.n[2], a.periodic[2]);
    even_load<V, WHOLE>(v2, static_cast<const REAL *>(a.u) + p.row * a.fine.sy + k * a.fine.sz, s);
    even_source<V, WHOLE>(f1, a, p, s, plane - 1);
    even_row<V / 2> e = e0;
    REAL next = next0;
    if (plane & 1) {
      even_correction<V, WHOLE>(e1, next1, a, p, s, (plane + 1) / 2);
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
    even_clear<V, WHOLE>(t, s, p.fixed_row || even_fixed_plane(a, k), a.fixed[0], a.fixed[1]);
#pragma unroll
    for (int m = 0; m < V; m++)
      v2.v[m] += t.v[m];
    v2.last += t.last;
    REAL *const of_step = shared + (plane & 1) * rows * 2 * pitch;
    REAL *const rows_v = of_step, *const rows_z = of_step + rows * pitch;
    even_share<V, WHOLE>(rows_v + w * pitch, v1, s.lane);
    even_share<V, WHOLE>(rows_z + w * pitch, z1, s.lane);
    __syncthreads();
    /* First sweep, plane -1. */
    even_apply<V, WHOLE>(t, c, v1, v0, v2, rows_v + p.before * pitch, rows_v + p.after * pitch, s.lane);
#pragma unroll
    for (int m = 0; m < V; m++)
      t.v[m] = w0 * (f1.v[m] - t.v[m]);
    t.last = w0 * (f1.last - t.last);
    even_clear<V, WHOLE>(t, s, p.fixed_row || even_fixed_plane(a, even_index(plane - 1, (int)a.fine.n[2], a.periodic[2])), a.fixed[0],
                         a.fixed[1]);
#pragma unroll
    for (int m = 0; m < V; m++)
      z2.v[m] = v1.v[m] + t.v[m];
    z2.last = v1.last + t.last;
    /* Second sweep, plane -2. */
    even_apply<V, WHOLE>(t, c, z1, z0, z2, rows_z + p.before * pitch, rows_z + p.after * pitch, s.lane);
#pragma unroll
    for (int m = 0; m < V; m++)
      t.v[m] = w1 * (f0.v[m] - t.v[m]);
    t.last = w1 * (f0.last - t.last);
    even_clear<V, WHOLE>(t, s, p.fixed_row || even_fixed_plane(a, even_index(plane - 2, (int)a.fine.n[2], a.periodic[2])), a.fixed[0],
                         a.fixed[1]);
#pragma unroll
    for (int m = 0; m < V; m++)
      t.v[m] = z1.v[m] + t.v[m];
    t.last = z1.last + t.last;
    if (p.owned && plane - 2 >= p.k0 && plane - 2 < p.k1)
      even_store<V, WHOLE>(static_cast<REAL *>(a.out) + p.j * a.fine.sy + (plane - 2) * a.fine.sz, t, s, p.begin, p.end);
    f0 = f1, v0 = v1, v1 = v2, z0 = z1, z1 = z2;
  }
}

enum { even_threads = 544 };

#define EVEN_KERNELS(pass, V)                                                                          \
  KERNEL_BOUNDS(even_##pass##_whole_##V, cv_even_args, even_threads, 1) { even_##pass<V, true>(a); }  \
  KERNEL_BOUNDS(even_##pass##_tile_##V, cv_even_args, even_threads, 1) { even_##pass<V, false>(a); }

EVEN_KERNELS(descend, 2)
EVEN_KERNELS(descend, 4)
EVEN_KERNELS(descend, 8)
EVEN_KERNELS(ascend, 2)
EVEN_KERNELS(ascend, 4)
EVEN_KERNELS(ascend, 8)
