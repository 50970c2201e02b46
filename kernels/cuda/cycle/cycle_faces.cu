/* Parts of Descend and Ascend with 7 points by what faces conduct, with a mass or without, without periodic ends: two sweeps in one pass, from zero, from a first
   guess, or where all axes are halved from one that is corrected; and there the residual with its restriction. See faces_pass.cuh. */
#include "../march/faces_pass.cuh"

enum { pass_zero, pass_guess, pass_correct };

/* The coarse correction of a plane for the nodes of a thread, and what is read for the next one: a row, and another if the thread's row lies between both. */
template <int V> struct pass_coarse {
  const REAL *low, *high;
  REAL v[V / 2 + 1], low_row[V / 2 + 1], high_row[V / 2 + 1];
};

template <int V> DEVICE void pass_ask_coarse(pass_coarse<V> &e, const cv_faces_pass_args &a, int K) {
  const int64_t plane = pass_clamp(K, 0, (int)a.coarse.n[2] - 1) * a.coarse.sz;
  REAL low[V / 2], high[V / 2];
  strip_get<V / 2>(low, e.low + plane);
  strip_get<V / 2>(high, e.high + plane);
#pragma unroll
  for (int m = 0; m < V / 2; m++)
    e.low_row[m] = low[m], e.high_row[m] = high[m];
  e.low_row[V / 2] = e.low[plane + V / 2], e.high_row[V / 2] = e.high[plane + V / 2];
}

/* Begins with coarse plane K, and asks for the next one. */
template <int V> DEVICE void pass_begin_coarse(pass_coarse<V> &e, const cv_faces_pass_args &a, const pass_place<V> &p, int K) {
  const int j = pass_clamp(p.j, 0, (int)a.fine.n[1] - 1);
  const REAL *plane = static_cast<const REAL *>(a.coarse_x) + p.x / 2;
  e.low = plane + j / 2 * a.coarse.sy, e.high = plane + (j + 1) / 2 * a.coarse.sy;
  pass_ask_coarse<V>(e, a, K);
#pragma unroll
  for (int m = 0; m <= V / 2; m++)
    e.v[m] = (REAL)0.5 * (e.low_row[m] + e.high_row[m]);
  pass_ask_coarse<V>(e, a, K + 1);
}

/* Adds the correction of plane k, `own` at every other node, to what was read of it. */
template <int V>
DEVICE void pass_add_coarse(REAL (&v)[V], const REAL (&own)[V / 2 + 1], const cv_faces_pass_args &a, const pass_place<V> &p, int k) {
  const REAL plane = pass_plane_free<V>(a, p, k);
#pragma unroll
  for (int m = 0; m < V; m++) {
    const REAL e = m % 2 ? (REAL)0.5 * (own[m / 2] + own[m / 2 + 1]) : own[m / 2];
    v[m] = p.free[m] != 0 ? fma(plane, e, v[m]) : v[m];
  }
}

/* The same of the planes one after another: an odd one lies between the coarse plane that e has and the one that was asked for. */
template <int V> DEVICE void pass_correct_plane(REAL (&v)[V], pass_coarse<V> &e, const cv_faces_pass_args &a, const pass_place<V> &p, int k) {
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
  pass_add_coarse<V>(v, own, a, p, k);
}

/* What two sweeps keep of a plane: v, what flows up from it and what that face conducts. Of the plane before: z, f and what flows up to it, free/D, and
   what the faces in x conduct. */
template <int V> struct pass_kept {
  REAL v[V], up[V], below[V], z[V], source[V], factor[V], x[V + 1];
};

/* The first sweep at the nodes of plane k: right becomes z, and free_over free/D. next: v of the plane above; front: what the faces there conduct. */
template <int V, bool MASS, int FROM>
DEVICE void pass_first(REAL (&smooth)[V], REAL (&free_over)[V], pass_kept<V> &kept, const pass_read<V> &r, const REAL (&front)[V], const REAL *row,
                       const cv_faces_pass_args &a, const pass_place<V> &p, int k) {
  REAL s[V], mass[V];
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
  const REAL plane_free = pass_plane_free<V>(a, p, k), weight = a.first.TYPE * plane_free;
#pragma unroll
  for (int m = 0; m < V; m++) {
    REAL d = (r.x[m] + r.x[m + 1]) + ((front[m] + r.back[m]) + (kept.below[m] + r.above[m]));
    if (MASS)
      d += mass[m];
    free_over[m] = p.free[m] * strip_reciprocal(d);
    smooth[m] = FROM == pass_zero ? weight * free_over[m] * s[m] : fma(weight * free_over[m], s[m], kept.v[m]);
  }
}

/* v: the first guess, z = v + ω0/D (f - A v), out = z + ω1/D (f - A z). Reads f, the faces and, unless from zero, u, and e, and writes out: 5, 6 or
   6 1/8 words a node, one more with nodal masses. In a step v of plane `plane` is there, z of the one before is computed, and out of the one before that. */
template <int V, bool MASS, int FROM> DEVICE void pass_pair(const cv_faces_pass_args &a) {
  DYNAMIC_SHARED(REAL, shared);
  constexpr bool U = FROM != pass_zero;
  const pass_place<V> p = pass_place_of<V>(a, 2, 4);
  const pass_arrays from = pass_arrays_of<V>(a, p);
  const int64_t sz = a.fine.sz;
  const int array = (int)blockDim.x * V, nx = (int)a.fine.n[0];
  REAL *out = static_cast<REAL *>(a.out) + p.at, *const ring = shared + 4 * array + p.vector;
  pass_kept<V> kept = {};
  pass_read<V> next;
  pass_coarse<V> e = {};
  if (U) {
    pass_load<V>(kept.v, from.u, sz, p, p.k0 - 2);
    pass_trim<V>(kept.v, p, nx);
  }
  if (FROM == pass_correct) {
    pass_begin_coarse<V>(e, a, p, p.k0 / 2 - 1);
    pass_correct_plane<V>(kept.v, e, a, p, p.k0 - 2);
  }
  pass_ask<V, U>(next, from, sz, p, p.k0 - 1);
  pass_prefetch<V, U>(from, sz, p, p.k0);
  int turn = 0, turn_z = 0; /* where the faces of the planes are in the ring: three take turns */
  for (int plane = p.k0 - 1; plane <= p.k1 + 1; plane++) {
    REAL s[V], smooth[V], free_over[V], front[V], front_z[V], back_z[V], mass[V];
    pass_read<V> r = next;
    pass_complete<V, U>(r, p, nx);
    pass_ask<V, U>(next, from, sz, p, plane + 1);
    pass_prefetch<V, U>(from, sz, p, plane + 2);
    if (FROM == pass_correct)
      pass_correct_plane<V>(r.u, e, a, p, plane);
    REAL *row_v = shared + (plane & 1) * 2 * array + p.vector, *row_z = row_v + array, *row_y = ring + turn;
    if (U)
      pass_share<V>(row_v, kept.v);
    pass_share<V>(row_z, kept.z);
    pass_share<V>(row_y, r.back);
    __syncthreads();
    strip_get<V>(front, row_y + p.front);
    pass_first<V, MASS, FROM>(smooth, free_over, kept, r, front, row_v, a, p, plane - 1);
    if (MASS)
      pass_masses<V>(mass, a, p, plane - 2);
#pragma unroll
    for (int m = 0; m < V; m++) {
      const REAL up = kept.below[m] * (smooth[m] - kept.z[m]);
      s[m] = MASS ? fma(-mass[m], kept.z[m], kept.source[m] + up) : kept.source[m] + up;
      kept.source[m] = r.f[m] - up;
    }
    strip_get<V>(front_z, ring + turn_z + p.front);
    strip_get<V>(back_z, ring + turn_z);
    pass_gather<V>(s, kept.x, front_z, back_z, kept.z, row_z, p);
    if (p.owned && plane - 2 >= p.k0) {
      const REAL weight = a.second.TYPE * pass_plane_free<V>(a, p, plane - 2);
      REAL result[V];
#pragma unroll
      for (int m = 0; m < V; m++)
        result[m] = fma(weight * kept.factor[m], s[m], kept.z[m]);
      strip_put<V, strip_any>(out + (plane - 2) * sz, result, p.ragged ? nx - p.x : V);
    }
#pragma unroll
    for (int m = 0; m < V; m++)
      kept.v[m] = r.u[m], kept.z[m] = smooth[m], kept.factor[m] = free_over[m], kept.below[m] = r.above[m], kept.x[m] = r.x[m];
    kept.x[V] = r.x[V];
    turn_z = turn, turn = turn == 2 * array ? 0 : turn + array;
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
  const pass_arrays from = pass_arrays_of<V>(a, p);
  REAL v[V], up[V] = {}, r[V] = {}, sum[V / 2] = {};
  pass_read<V> next;
  pass_load<V>(v, from.u, sz, p, p.k0 - 2);
  pass_trim<V>(v, p, nx);
  pass_ask<V, true>(next, from, sz, p, p.k0 - 1);
  pass_prefetch<V, true>(from, sz, p, p.k0);
  const int last = p.k1 - 1 + (p.k1 & 1); /* plane of the residual that the last coarse plane needs */
  for (int plane = p.k0 - 1; plane <= last + 2; plane++) {
    REAL s[V], front[V];
    pass_read<V> now = next;
    pass_complete<V, true>(now, p, nx);
    pass_ask<V, true>(next, from, sz, p, plane + 1);
    pass_prefetch<V, true>(from, sz, p, plane + 2);
    REAL *row_v = shared + (plane & 1) * 2 * array + p.vector, *row_r = row_v + array, *row_y = row_v + 4 * array;
    pass_share<V>(row_v, v);
    pass_share<V>(row_r, r);
    pass_share<V>(row_y, now.back);
    __syncthreads();
    const int q = plane - 2;
    if (gathers && q >= p.k0 - 1) {
      REAL part[V / 2] = {};
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
