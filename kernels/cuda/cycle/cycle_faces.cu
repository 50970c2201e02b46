/* Parts of Descend and Ascend with 7 points by what faces conduct, with a mass or without, without periodic ends: two sweeps in one pass, from zero, from a first
   guess, or where all axes are halved from one that is corrected; and there the residual with its restriction. See faces_pass.cuh. */
#include "../march/faces_pass.cuh"

enum { pass_zero, pass_guess, pass_correct };

/* The coarse correction of one plane for the nodes of a thread: the mean of two rows where its row lies between them. */
template <int V> struct pass_coarse {
  REAL v[V / 2 + 1];
};

template <int V> DEVICE void pass_load_coarse(pass_coarse<V> &e, const cv_faces_pass_args &a, const pass_place<V> &p, int K) {
  const int j = pass_clamp(p.j, 0, (int)a.fine.n[1] - 1);
  const REAL *plane = static_cast<const REAL *>(a.coarse_x) + pass_clamp(K, 0, (int)a.coarse.n[2] - 1) * a.coarse.sz + p.x / 2;
  const REAL *low = plane + j / 2 * a.coarse.sy, *high = plane + (j + 1) / 2 * a.coarse.sy;
#pragma unroll
  for (int m = 0; m <= V / 2; m++)
    e.v[m] = (REAL)0.5 * (low[m] + high[m]);
}

/* Adds the correction of plane k to what was read of it. `low` is the coarse plane at k, or the one below if k is odd; it is then replaced by the one above. */
template <int V>
DEVICE void pass_correct_plane(REAL (&v)[V], pass_coarse<V> &low, const cv_faces_pass_args &a, const pass_place<V> &p, int k) {
  pass_coarse<V> e = low;
  if (k & 1) {
    pass_load_coarse<V>(low, a, p, (k + 1) / 2);
#pragma unroll
    for (int m = 0; m <= V / 2; m++)
      e.v[m] = (REAL)0.5 * (e.v[m] + low.v[m]);
  }
  const REAL plane = pass_plane_free<V>(a, p, k);
#pragma unroll
  for (int m = 0; m < V; m++) {
    const REAL own = m % 2 ? (REAL)0.5 * (e.v[m / 2] + e.v[m / 2 + 1]) : e.v[m / 2];
    v[m] = p.free[m] != 0 ? fma(plane, own, v[m]) : v[m];
  }
}

/* v: the first guess, z = v + ω0/D (f - A v), out = z + ω1/D (f - A z). Reads f, the faces and, unless from zero, u, and e, and writes out: 5, 6 or
   6 1/8 words a node, one more with nodal masses. In a step v of plane `plane` is there, z of the one before is computed, and out of the one before that. */
template <int V, bool MASS, int FROM> DEVICE void pass_pair(const cv_faces_pass_args &a) {
  DYNAMIC_SHARED(REAL, shared);
  const pass_place<V> p = pass_place_of<V>(a, 2, 4);
  const int64_t sz = a.fine.sz;
  const int array = (int)blockDim.x * V, nx = (int)a.fine.n[0];
  const REAL *u = static_cast<const REAL *>(a.u) + p.at, *f = static_cast<const REAL *>(a.f) + p.at;
  REAL *out = static_cast<REAL *>(a.out) + p.at;
  /* Of stage z: v of the plane before, what flows up to it and what that face conducts. Of stage out: z, f, what flows up, faces and
     free/D of the plane before that. Asked for ahead: next. */
  REAL v[V] = {}, up[V] = {}, below[V] = {}, z[V] = {}, source[V] = {}, up_z[V] = {}, factor[V] = {};
  REAL next_u[V] = {}, next_f[V];
  pass_faces<V> faces_z = {}, next_faces;
  pass_coarse<V> e = {};
  if (FROM != pass_zero) {
    pass_load<V>(v, u, sz, p, p.k0 - 2);
    pass_trim<V>(v, p, nx);
    pass_load<V>(next_u, u, sz, p, p.k0 - 1);
  }
  if (FROM == pass_correct) {
    pass_load_coarse<V>(e, a, p, p.k0 / 2 - 1);
    pass_correct_plane<V>(v, e, a, p, p.k0 - 2);
  }
  pass_load<V>(next_f, f, sz, p, p.k0 - 2);
  pass_load_faces<V>(next_faces, a, p, p.k0 - 2);
  for (int plane = p.k0 - 1; plane <= p.k1 + 1; plane++) {
    REAL guess[V], right[V], s[V], smooth[V], free_over[V], mass[V];
    pass_faces<V> faces = next_faces;
#pragma unroll
    for (int m = 0; m < V; m++)
      guess[m] = next_u[m], right[m] = next_f[m];
    if (FROM != pass_zero)
      pass_trim<V>(guess, p, nx);
    pass_trim<V>(right, p, nx);
    pass_join_faces<V>(faces, a, p);
    if (FROM != pass_zero)
      pass_load<V>(next_u, u, sz, p, plane + 1);
    pass_load<V>(next_f, f, sz, p, plane);
    pass_load_faces<V>(next_faces, a, p, plane);
    if (FROM == pass_correct)
      pass_correct_plane<V>(guess, e, a, p, plane);
    REAL *row_v = shared + (plane & 1) * 2 * array + p.vector, *row_z = row_v + array;
    if (FROM != pass_zero)
      pass_share<V>(row_v, v);
    pass_share<V>(row_z, z);
    __syncthreads();
    if (FROM != pass_zero)
      pass_balance<V>(s, up, faces, v, guess, row_v, p);
    if (MASS)
      pass_masses<V>(mass, a, p, plane - 1);
    const REAL plane_free = pass_plane_free<V>(a, p, plane - 1);
#pragma unroll
    for (int m = 0; m < V; m++) {
      REAL d = (faces.x[m] + faces.x[m + 1]) + ((faces.front[m] + faces.back[m]) + (below[m] + faces.above[m]));
      if (MASS)
        d += mass[m];
      if (MASS && FROM != pass_zero)
        s[m] = fma(-mass[m], v[m], s[m]);
      free_over[m] = plane_free * p.free[m] * strip_reciprocal(d);
      const REAL weight = a.first.TYPE * free_over[m];
      smooth[m] = FROM == pass_zero ? weight * right[m] : fma(weight, right[m] + s[m], v[m]);
      below[m] = faces.above[m];
    }
    pass_balance<V>(s, up_z, faces_z, z, smooth, row_z, p);
    if (MASS) {
      pass_masses<V>(mass, a, p, plane - 2);
#pragma unroll
      for (int m = 0; m < V; m++)
        s[m] = fma(-mass[m], z[m], s[m]);
    }
    if (p.owned && plane - 2 >= p.k0) {
      REAL result[V];
#pragma unroll
      for (int m = 0; m < V; m++)
        result[m] = fma(a.second.TYPE * factor[m], source[m] + s[m], z[m]);
      strip_put<V, strip_any>(out + (plane - 2) * sz, result, p.ragged ? nx - p.x : V);
    }
#pragma unroll
    for (int m = 0; m < V; m++)
      v[m] = guess[m], z[m] = smooth[m], source[m] = right[m], factor[m] = free_over[m];
    faces_z = faces;
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
  const REAL *u = static_cast<const REAL *>(a.u) + p.at, *f = static_cast<const REAL *>(a.f) + p.at;
  REAL v[V], up[V] = {}, r[V] = {}, sum[V / 2] = {}, next_u[V], next_f[V];
  pass_faces<V> next_faces;
  pass_load<V>(v, u, sz, p, p.k0 - 2);
  pass_trim<V>(v, p, nx);
  pass_load<V>(next_u, u, sz, p, p.k0 - 1);
  pass_load<V>(next_f, f, sz, p, p.k0 - 2);
  pass_load_faces<V>(next_faces, a, p, p.k0 - 2);
  const int last = p.k1 - 1 + (p.k1 & 1); /* plane of the residual that the last coarse plane needs */
  for (int plane = p.k0 - 1; plane <= last + 2; plane++) {
    REAL guess[V], right[V], s[V];
    pass_faces<V> faces = next_faces;
#pragma unroll
    for (int m = 0; m < V; m++)
      guess[m] = next_u[m], right[m] = next_f[m];
    pass_trim<V>(guess, p, nx);
    pass_trim<V>(right, p, nx);
    pass_join_faces<V>(faces, a, p);
    pass_load<V>(next_u, u, sz, p, plane + 1);
    pass_load<V>(next_f, f, sz, p, plane);
    pass_load_faces<V>(next_faces, a, p, plane);
    REAL *row_v = shared + (plane & 1) * 2 * array + p.vector, *row_r = row_v + array;
    pass_share<V>(row_v, v);
    pass_share<V>(row_r, r);
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
    pass_balance<V>(s, up, faces, v, guess, row_v, p);
    if (MASS) {
      REAL mass[V];
      pass_masses<V>(mass, a, p, plane - 1);
#pragma unroll
      for (int m = 0; m < V; m++)
        s[m] = fma(-mass[m], v[m], s[m]);
    }
    const REAL within = plane > 0 && plane <= p.nz ? pass_plane_free<V>(a, p, plane - 1) : (REAL)0;
#pragma unroll
    for (int m = 0; m < V; m++) {
      r[m] = within * p.free[m] * (right[m] + s[m]);
      v[m] = guess[m];
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
