/* Parts of Descend and Ascend with 7 points by what faces conduct, with a mass or without, without periodic ends: two sweeps in one pass, from zero, from a first
   guess, or where all axes are halved from one that is corrected; and there the residual with its restriction. See faces_pass.cuh. */
#include "../march/faces_pass.cuh"

enum { pass_zero, pass_guess, pass_correct };

/* The coarse correction of a plane for the nodes of a thread, and what is read for the next one: a row, and another if the thread's row lies between both. */
template <int V> struct pass_coarse {
  unsigned low, high; /* bytes of a coarse plane before those rows */
  REAL v[V / 2 + 1], low_row[V / 2 + 1], high_row[V / 2 + 1];
};

template <int V> DEVICE void pass_ask_coarse(pass_coarse<V> &e, const cv_faces_pass_args &a, int K) {
  const REAL *plane = pass_plane(a.coarse_x, a.coarse.sz, (int)a.coarse.n[2], K), *low_row = pass_at(plane, e.low), *high_row = pass_at(plane, e.high);
  REAL low[V / 2], high[V / 2];
  strip_get<V / 2>(low, low_row);
  strip_get<V / 2>(high, high_row);
#pragma unroll
  for (int m = 0; m < V / 2; m++)
    e.low_row[m] = low[m], e.high_row[m] = high[m];
  e.low_row[V / 2] = low_row[V / 2], e.high_row[V / 2] = high_row[V / 2];
}

/* Begins with coarse plane K, and asks for the next one. */
template <int V> DEVICE void pass_begin_coarse(pass_coarse<V> &e, const cv_faces_pass_args &a, const pass_place<V> &p, int K) {
  const int j = pass_clamp(p.j, 0, (int)a.fine.n[1] - 1);
  const int sy = (int)a.coarse.sy, bytes = (int)sizeof(REAL);
  e.low = (unsigned)bytes * (unsigned)(j / 2 * sy + p.x / 2), e.high = (unsigned)bytes * (unsigned)((j + 1) / 2 * sy + p.x / 2);
  pass_ask_coarse<V>(e, a, K);
#pragma unroll
  for (int m = 0; m <= V / 2; m++)
    e.v[m] = (REAL)0.5 * (e.low_row[m] + e.high_row[m]);
  pass_ask_coarse<V>(e, a, K + 1);
}

/* Adds the correction of plane k, `own` at every other node, to what was read of it. free_at: where `free` is. */
template <int V>
DEVICE void pass_add_coarse(REAL (&v)[V], const REAL (&own)[V / 2 + 1], const REAL *free_at, const cv_faces_pass_args &a,
                            const pass_place<V> &p, int k) {
  REAL free[V];
  strip_get<V>(free, free_at);
  const REAL plane = pass_plane_free<V>(a, p, k);
#pragma unroll
  for (int m = 0; m < V; m++) {
    const REAL e = m % 2 ? (REAL)0.5 * (own[m / 2] + own[m / 2 + 1]) : own[m / 2];
    v[m] = free[m] != 0 ? fma(plane, e, v[m]) : v[m];
  }
}

/* The same of the planes one after another: an odd one lies between the coarse plane that e has and the one that was asked for. */
template <int V> DEVICE void pass_correct_plane(REAL (&v)[V], pass_coarse<V> &e, const REAL *free_at, const cv_faces_pass_args &a,
                               const pass_place<V> &p, int k) {
  REAL own[V / 2 + 1];
#pragma unroll
  for (int m = 0; m <= V / 2; m++)
    own[m] = e.v[m];
  if (k & 1) {
#pragma unroll
    for (int m = 0; m <= V / 2; m++) {
      e.v[m] = (REAL)0.5 * (e.low_row[m] + e.high_row[m]);
      own[m] = (REAL)0.5 * (own[m] + e.v[m]);
    }
    pass_ask_coarse<V>(e, a, (k + 3) / 2);
  }
  pass_add_coarse<V>(v, own, free_at, a, p, k);
}

/* What two sweeps keep of a plane: v, and what flows up to it. Of the plane before: z, f less what flows up to it, free/D, and what the face above and that
   before the first node conduct. */
template <int V> struct pass_kept {
  REAL v[V], up[V], below[V], z[V], source[V], factor[V], x;
};

/* The first sweep at the nodes of plane k: smooth becomes z, and free_over free/D. front: what the faces in front conduct; free_at: where `free` is. */
template <int V, bool MASS, int FROM>
DEVICE void pass_first(REAL (&smooth)[V], REAL (&free_over)[V], pass_kept<V> &kept, const pass_read<V> &r, const REAL (&front)[V], const REAL *row,
                       const REAL *free_at, const cv_faces_pass_args &a, const pass_place<V> &p, int k) {
  REAL s[V], mass[V], free[V];
#pragma unroll
  for (int m = 0; m < V; m++)
    s[m] = r.f[m];
  if (MASS)
    pass_masses<V>(mass, a, p, k);
  if (FROM != pass_zero) {
#pragma unroll
    for (int m = 0; m < V; m++) {
      const REAL up = r.above[m] * (r.u[m] - kept.v[m]);
      s[m] = (s[m] - kept.up[m]) + up;
      kept.up[m] = up;
      if (MASS)
        s[m] = fma(-mass[m], kept.v[m], s[m]);
    }
    pass_gather<V>(s, r.x, front, r.back, kept.v, row, p);
  }
  strip_get<V>(free, free_at);
  const REAL weight = a.first.TYPE * pass_plane_free<V>(a, p, k);
#pragma unroll
  for (int m = 0; m < V; m++) {
    REAL d = (r.x[m] + r.x[m + 1]) + ((front[m] + r.back[m]) + (kept.below[m] + r.above[m]));
    if (MASS)
      d += mass[m];
    free_over[m] = free[m] * strip_reciprocal(d);
    smooth[m] = FROM == pass_zero ? weight * free_over[m] * s[m] : fma(weight * free_over[m], s[m], kept.v[m]);
  }
}

/* f - A z of plane k, of the second sweep. smooth: z of the plane above. row_y and x_at: what the faces conduct in y and, of the thread alone, in x, which
   those of the plane above replace. */
template <int V, bool MASS>
DEVICE void pass_second(REAL (&s)[V], pass_kept<V> &kept, const pass_read<V> &r, const REAL (&smooth)[V], const REAL *row_y, const REAL *row_z, REAL *x_at,
                        const cv_faces_pass_args &a, const pass_place<V> &p, int k) {
  REAL mass[V], front[V], back[V], x[V + 1] = {kept.x}, after[V], next_after[V];
  if (MASS)
    pass_masses<V>(mass, a, p, k);
  strip_get<V>(front, row_y + p.front);
  strip_get<V>(back, row_y);
  strip_get<V>(after, x_at);
#pragma unroll
  for (int m = 0; m < V; m++) {
    const REAL up = kept.below[m] * (smooth[m] - kept.z[m]);
    s[m] = MASS ? fma(-mass[m], kept.z[m], kept.source[m] + up) : kept.source[m] + up;
    kept.source[m] = r.f[m] - up;
    x[m + 1] = after[m], next_after[m] = r.x[m + 1];
  }
  pass_share<V>(x_at, next_after);
  kept.x = r.x[0];
  pass_gather<V>(s, x, front, back, kept.z, row_z, p);
}

/* v: the first guess, z = v + ω0/D (f - A v), out = z + ω1/D (f - A z). Reads f, the faces and, unless from zero, u, and e, and writes out: 5, 6 or
   6 1/8 words a node, one more with nodal masses. In a step v of plane `plane` is there, z of the one before is computed, and out of the one before that.

   In shared memory are v and z of two planes, what faces in y conduct of three, and of each thread alone what would take registers: `free`, and what faces
   in x conduct. Two steps are unrolled, so that nothing is moved from one to the next. */
template <int V, bool MASS, int FROM> DEVICE void pass_pair(const cv_faces_pass_args &a) {
  DYNAMIC_SHARED(REAL, shared);
  constexpr bool U = FROM != pass_zero;
  const pass_place<V> p = pass_place_of<V>(a, 2, 4);
  const int64_t sz = a.fine.sz;
  const int array = (int)blockDim.x * V, nx = (int)a.fine.n[0];
  REAL *const free_at = shared + 7 * array + p.vector, *const ring = shared + 4 * array + p.vector;
  pass_kept<V> kept = {};
  pass_read<V> next;
  pass_coarse<V> e = {};
  pass_share<V>(free_at, p.free);
  if (U) {
    pass_load<V>(kept.v, a.u, sz, p, p.k0 - 2);
    pass_trim<V>(kept.v, p, nx);
  }
  if (FROM == pass_correct) {
    pass_begin_coarse<V>(e, a, p, p.k0 / 2 - 1);
    pass_correct_plane<V>(kept.v, e, free_at, a, p, p.k0 - 2);
  }
  pass_ask<V, U>(next, a, p, p.k0 - 1);
  pass_prefetch<V, U>(a, p, p.k0);
  int turn = 0, turn_z = 0; /* where a plane's faces in y are in the ring: three planes take turns */
#pragma unroll 2
  for (int plane = p.k0 - 1; plane <= p.k1 + 1; plane++) {
    REAL s[V], smooth[V], free_over[V], front[V];
    pass_read<V> r = next;
    pass_complete<V, U>(r, p, nx);
    pass_ask<V, U>(next, a, p, plane + 1);
    pass_prefetch<V, U>(a, p, plane + 2);
    if (FROM == pass_correct)
      pass_correct_plane<V>(r.u, e, free_at, a, p, plane);
    REAL *row_v = shared + (plane & 1) * 2 * array + p.vector, *row_z = row_v + array, *row_y = ring + turn;
    if (U)
      pass_share<V>(row_v, kept.v);
    pass_share<V>(row_z, kept.z);
    pass_share<V>(row_y, r.back);
    __syncthreads();
    strip_get<V>(front, row_y + p.front);
    pass_first<V, MASS, FROM>(smooth, free_over, kept, r, front, row_v, free_at, a, p, plane - 1);
    pass_second<V, MASS>(s, kept, r, smooth, ring + turn_z, row_z, free_at + array, a, p, plane - 2);
    if (p.owned && plane - 2 >= p.k0) {
      const REAL weight = a.second.TYPE * pass_plane_free<V>(a, p, plane - 2);
      REAL result[V];
#pragma unroll
      for (int m = 0; m < V; m++)
        result[m] = fma(weight * kept.factor[m], s[m], kept.z[m]);
      strip_put<V, strip_any>(const_cast<REAL *>(pass_at(static_cast<REAL *>(a.out) + (plane - 2) * sz, p.at)), result, p.ragged ? nx - p.x : V);
    }
#pragma unroll
    for (int m = 0; m < V; m++)
      kept.v[m] = r.u[m], kept.z[m] = smooth[m], kept.factor[m] = free_over[m], kept.below[m] = r.above[m];
    turn_z = turn, turn = turn == 2 * array ? 0 : turn + array;
  }
}

/* Adds the residuals of a plane, in shared memory at `row_r`, by their weights at the coarse nodes of a row. */
template <int V> DEVICE void pass_weigh(REAL (&part)[V / 2], const REAL *row_r, const pass_place<V> &p) {
#pragma unroll
  for (int n = -1; n <= 1; n++) {
    const REAL *row = row_r + (n < 0 ? p.front : n > 0 ? p.back : 0);
    REAL at[V], before = p.begins ? (REAL)0 : row[-1];
    strip_get<V>(at, row);
#pragma unroll
    for (int m = 0; m < V; m += 2) {
      const REAL along = fma((REAL)0.5, before + at[m + 1], at[m]);
      part[m / 2] = n == 0 ? part[m / 2] + along : fma((REAL)0.5, along, part[m / 2]);
      before = at[m + 1];
    }
  }
}

/* CoarseX = mask Pt (f - A u). Reads u, f and the faces and writes an eighth: 5 1/8 words a node. In a step u of plane `plane` is there, the residual of the
   one before is computed, and the one before that is restricted. */
template <int V, bool MASS> DEVICE void pass_restrict(const cv_faces_pass_args &a) {
  DYNAMIC_SHARED(REAL, shared);
  const pass_place<V> p = pass_place_of<V>(a, 2, 3);
  const int64_t sz = a.fine.sz;
  const int array = (int)blockDim.x * V, nx = (int)a.fine.n[0];
  const int J = p.j / 2, nj = (int)a.coarse.n[1], nk = (int)a.coarse.n[2], ni = (int)a.coarse.n[0];
  const bool gathers = p.owned && (p.j & 1) == 0, row_fixed = (a.coarse_fixed[2] && J == 0) || (a.coarse_fixed[3] && J == nj - 1);
  REAL v[V], up[V] = {}, r[V] = {}, sum[V / 2] = {};
  pass_read<V> next;
  pass_load<V>(v, a.u, sz, p, p.k0 - 2);
  pass_trim<V>(v, p, nx);
  pass_ask<V, true>(next, a, p, p.k0 - 1);
  pass_prefetch<V, true>(a, p, p.k0);
  const int last = p.k1 - 1 + (p.k1 & 1); /* plane of the residual that the last coarse plane needs */
  for (int plane = p.k0 - 1; plane <= last + 2; plane++) {
    REAL s[V], front[V];
    pass_read<V> now = next;
    pass_complete<V, true>(now, p, nx);
    pass_ask<V, true>(next, a, p, plane + 1);
    pass_prefetch<V, true>(a, p, plane + 2);
    REAL *row_v = shared + (plane & 1) * 2 * array + p.vector, *row_r = row_v + array, *row_y = row_v + 4 * array;
    pass_share<V>(row_v, v);
    pass_share<V>(row_r, r);
    pass_share<V>(row_y, now.back);
    __syncthreads();
    const int q = plane - 2;
    if (gathers && q >= p.k0 - 1) {
      REAL part[V / 2] = {};
      pass_weigh<V>(part, row_r, p);
      if (q & 1) {
        const int K = (q - 1) / 2;
        const bool fixed = row_fixed || (a.coarse_fixed[4] && K == 0) || (a.coarse_fixed[5] && K == nk - 1);
        REAL *to = static_cast<REAL *>(a.coarse_x) + J * a.coarse.sy + K * a.coarse.sz + p.x / 2;
#pragma unroll
        for (int m = 0; m < V / 2; m++) {
          const int i = p.x / 2 + m;
          const bool none = fixed || (a.coarse_fixed[0] && i == 0) || (a.coarse_fixed[1] && i == ni - 1);
          if (q > p.k0 && i < ni)
            to[m] = none ? (REAL)0 : fma((REAL)0.5, part[m], sum[m]);
          sum[m] = (REAL)0.5 * part[m];
        }
      } else {
#pragma unroll
        for (int m = 0; m < V / 2; m++)
          sum[m] += part[m];
      }
    }
    strip_get<V>(front, row_y + p.front);
#pragma unroll
    for (int m = 0; m < V; m++) {
      const REAL flux = now.above[m] * (now.u[m] - v[m]);
      s[m] = (now.f[m] - up[m]) + flux;
      up[m] = flux;
    }
    if (MASS) {
      REAL mass[V];
      pass_masses<V>(mass, a, p, plane - 1);
#pragma unroll
      for (int m = 0; m < V; m++)
        s[m] = fma(-mass[m], v[m], s[m]);
    }
    pass_gather<V>(s, now.x, front, now.back, v, row_v, p);
    const REAL within = plane > 0 && plane <= p.nz ? pass_plane_free<V>(a, p, plane - 1) : (REAL)0;
#pragma unroll
    for (int m = 0; m < V; m++) {
      r[m] = within * p.free[m] * s[m];
      v[m] = now.u[m];
    }
  }
}

/* Nodes of a thread: 16 bytes. */
enum { pass_vector = 16 / (int)sizeof(REAL) };

/* A pass, with a code for operators that have a mass, and one for those that have none. */
#define PASS(name, with_mass, without)                                \
  KERNEL_BOUNDS(faces_##name, cv_faces_pass_args, pass_threads, 1) {  \
    if (a.mass.TYPE != 0)                                             \
      with_mass(a);                                                   \
    else                                                              \
      without(a);                                                     \
  }
#define PAIR(from) PASS(pair_##from, (pass_pair<pass_vector, true, pass_##from>), (pass_pair<pass_vector, false, pass_##from>))

PAIR(zero)
PAIR(guess)
PAIR(correct)
PASS(restrict, (pass_restrict<pass_vector, true>), (pass_restrict<pass_vector, false>))
