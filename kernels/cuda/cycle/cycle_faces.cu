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

/* What a pass keeps of a plane for its residual: the nodes v, f less what flows up to them, and what the faces above and the face before the first node
   conduct. */
template <int V> struct pass_stage {
  REAL v[V], source[V], above[V], x;
};

/* What two sweeps keep: v, and what flows up to it; of the plane before, for which the second sweep needs a residual, free/D. */
template <int V> struct pass_kept {
  REAL v[V], up[V], factor[V];
  pass_stage<V> z;
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
    REAL d = (r.x[m] + r.x[m + 1]) + ((front[m] + r.back[m]) + (kept.z.above[m] + r.above[m]));
    if (MASS)
      d += mass[m];
    free_over[m] = free[m] * strip_reciprocal(d);
    smooth[m] = FROM == pass_zero ? weight * free_over[m] * s[m] : fma(weight * free_over[m], s[m], kept.v[m]);
  }
}

/* f - A v of plane k, which `kept` has. v, f, x: of the plane above; for those of plane k, which x becomes, they are kept. row_y, row: what the faces of
   plane k conduct in y, and v there; x_at: what they conduct in x, of the thread alone, which those of the plane above replace. */
template <int V, bool MASS>
DEVICE void pass_residual(REAL (&s)[V], pass_stage<V> &kept, const REAL (&v)[V], const REAL (&f)[V], REAL (&x)[V + 1], const REAL *row_y, const REAL *row,
                          REAL *x_at, const cv_faces_pass_args &a, const pass_place<V> &p, int k) {
  REAL mass[V], front[V], back[V], own[V + 1] = {kept.x}, after[V], next_after[V];
  if (MASS)
    pass_masses<V>(mass, a, p, k);
  strip_get<V>(front, row_y + p.front);
  strip_get<V>(back, row_y);
  strip_get<V>(after, x_at);
#pragma unroll
  for (int m = 0; m < V; m++) {
    const REAL up = kept.above[m] * (v[m] - kept.v[m]);
    s[m] = MASS ? fma(-mass[m], kept.v[m], kept.source[m] + up) : kept.source[m] + up;
    kept.source[m] = f[m] - up;
    own[m + 1] = after[m], next_after[m] = x[m + 1];
  }
  pass_share<V>(x_at, next_after);
  kept.x = x[0];
  pass_gather<V>(s, own, front, back, kept.v, row, p);
#pragma unroll
  for (int m = 0; m <= V; m++)
    x[m] = own[m];
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

/* Goes on to plane q, odd or even, of the residual that is restricted, from plane k0 - 1 on: the thread's rows of it are at `row_r`. sum: what the planes before
   give to the coarse nodes, which are written when they have all. */
template <int V> DEVICE void pass_coarsen(REAL (&sum)[V / 2], const REAL *row_r, const cv_faces_pass_args &a, const pass_place<V> &p, int q, bool odd) {
  const int J = p.j / 2, nj = (int)a.coarse.n[1], nk = (int)a.coarse.n[2], ni = (int)a.coarse.n[0], K = (q - 1) / 2;
  if (!p.owned || (p.j & 1) || q < p.k0 - 1)
    return;
  REAL part[V / 2] = {};
  pass_weigh<V>(part, row_r, p);
  if (!odd) {
#pragma unroll
    for (int m = 0; m < V / 2; m++)
      sum[m] += part[m];
    return;
  }
  const bool row_fixed = (a.coarse_fixed[2] && J == 0) || (a.coarse_fixed[3] && J == nj - 1);
  const bool fixed = row_fixed || (a.coarse_fixed[4] && K == 0) || (a.coarse_fixed[5] && K == nk - 1);
  REAL *to = static_cast<REAL *>(a.coarse_x) + K * a.coarse.sz + (J * (int)a.coarse.sy + p.x / 2);
#pragma unroll
  for (int m = 0; m < V / 2; m++) {
    const int i = p.x / 2 + m;
    const bool none = fixed || (a.coarse_fixed[0] && i == 0) || (a.coarse_fixed[1] && i == ni - 1);
    if (q > p.k0 && i < ni)
      to[m] = none ? (REAL)0 : fma((REAL)0.5, part[m], sum[m]);
    sum[m] = (REAL)0.5 * part[m];
  }
}

/* 1 in planes of the grid that are not fixed, else 0. */
template <int V> DEVICE REAL pass_plane_counts(const cv_faces_pass_args &a, const pass_place<V> &p, int k) {
  return k >= 0 && k < p.nz ? pass_plane_free<V>(a, p, k) : (REAL)0;
}

/* Where what a pair of sweeps keeps in shared memory begins, in arrays of what a block has of a plane: v, z and, where the result's residual is restricted,
   that result u and its residual, of two planes; what faces in y conduct, of as many planes as are at work; and of each thread alone what would take registers:
   `free`, what faces in x conduct, with z and with u, and f. */
template <bool U, bool DOWN> struct pass_room {
  static constexpr int z = U ? 1 : 0, u = z + 1, r = z + 2, plane = DOWN ? z + 3 : z + 1;
  static constexpr int ring = 2 * plane, planes = DOWN ? 4 : 3, free = ring + planes, x = free + 1, x_of_u = free + 2, f = free + 3;
};

/* v: the first guess, z = v + ω0/D (f - A v), u = z + ω1/D (f - A z), out = u. Reads f, the faces and, unless from zero, u, and e, and writes out: 5, 6 or
   6 1/8 words a node, one more with nodal masses. Down, coarse_x = mask Pt (f - A u) besides, 1/8 word more. In a step v of plane `plane` is there, z of the
   one before is computed, u of the one before that, then its residual, and then the sums of that.

   Two steps are unrolled, so that nothing is moved from one to the next. */
template <int V, bool MASS, int FROM, bool DOWN> DEVICE void pass_pair(const cv_faces_pass_args &a) {
  DYNAMIC_SHARED(REAL, shared);
  constexpr bool U = FROM != pass_zero;
  using room = pass_room<U, DOWN>;
  const pass_place<V> p = DOWN ? pass_place_of<V>(a, 4, U ? 7 : 6, 4 / V) : pass_place_of<V>(a, 2, 4, 1);
  const int64_t sz = a.fine.sz;
  const int array = (int)blockDim.x * V, nx = (int)a.fine.n[0];
  const int first = DOWN ? p.k0 - 3 : p.k0 - 1, asked = DOWN ? p.k1 + 2 : p.k1 + 1, last = DOWN ? p.k1 + 3 + (p.k1 & 1) : p.k1 + 1;
  REAL *const own = shared + p.vector, *const free_at = own + room::free * array;
  pass_kept<V> kept = {};
  pass_stage<V> of_u = {};
  REAL sum[V / 2] = {};
  pass_read<V> next;
  pass_coarse<V> e = {};
  pass_share<V>(free_at, p.free);
  if (U) {
    pass_load<V>(kept.v, a.u, sz, p, first - 1);
    pass_trim<V>(kept.v, p, nx);
  }
  if (FROM == pass_correct) {
    pass_begin_coarse<V>(e, a, p, p.k0 / 2 - 1);
    pass_correct_plane<V>(kept.v, e, free_at, a, p, p.k0 - 2);
  }
  pass_ask<V, U>(next, a, p, first);
  pass_prefetch<V, U>(a, p, first + 1);
  int turn = 0, turn_z = 0, turn_u = 0; /* where a plane's faces in y are in the ring: planes take turns */
  for (int two = first; two <= last; two += 2) {
#pragma unroll
    for (int n = 0; n < 2; n++) {
      const int plane = two + n;
      if (n == 1 && plane > last)
        break;
      REAL s[V], smooth[V], free_over[V], front[V];
      pass_read<V> r = next;
      pass_complete<V, U>(r, p, nx);
      if (!DOWN || plane < asked)
        pass_ask<V, U>(next, a, p, plane + 1);
      if (!DOWN || plane + 1 < asked)
        pass_prefetch<V, U>(a, p, plane + 2);
      if (FROM == pass_correct)
        pass_correct_plane<V>(r.u, e, free_at, a, p, plane);
      REAL *const rows = own + n * room::plane * array, *const row_y = own + room::ring * array;
      if (U)
        pass_share<V>(rows, kept.v);
      pass_share<V>(rows + room::z * array, kept.z.v);
      pass_share<V>(row_y + turn, r.back);
      if (DOWN)
        pass_share<V>(rows + room::u * array, of_u.v);
      __syncthreads();
      strip_get<V>(front, row_y + turn + p.front);
      pass_first<V, MASS, FROM>(smooth, free_over, kept, r, front, rows, free_at, a, p, plane - 1);
      pass_residual<V, MASS>(s, kept.z, smooth, r.f, r.x, row_y + turn_z, rows + room::z * array, own + room::x * array, a, p, plane - 2);
      const REAL weight = a.second.TYPE * pass_plane_free<V>(a, p, plane - 2);
      REAL result[V];
#pragma unroll
      for (int m = 0; m < V; m++)
        result[m] = fma(weight * kept.factor[m], s[m], kept.z.v[m]);
      if (p.owned && plane - 2 >= p.k0 && (!DOWN || plane - 2 < p.k1))
        strip_put<V, strip_any>(const_cast<REAL *>(pass_at(static_cast<REAL *>(a.out) + (plane - 2) * sz, p.at)), result, p.ragged ? nx - p.x : V);
      if (DOWN) {
        REAL f[V], rest[V], free[V], *const f_at = own + room::f * array;
        strip_get<V>(f, f_at);
        pass_share<V>(f_at, r.f);
        pass_residual<V, MASS>(rest, of_u, result, f, r.x, row_y + turn_u, rows + room::u * array, own + room::x_of_u * array, a, p, plane - 3);
        const REAL within = pass_plane_counts<V>(a, p, plane - 3);
        strip_get<V>(free, free_at);
#pragma unroll
        for (int m = 0; m < V; m++)
          rest[m] = within * free[m] * rest[m], of_u.v[m] = result[m], of_u.above[m] = kept.z.above[m];
        pass_share<V>(own + ((1 - n) * room::plane + room::r) * array, rest);
        pass_coarsen<V>(sum, rows + room::r * array, a, p, plane - 4, n == 0);
      }
#pragma unroll
      for (int m = 0; m < V; m++)
        kept.v[m] = r.u[m], kept.z.v[m] = smooth[m], kept.factor[m] = free_over[m], kept.z.above[m] = r.above[m];
      turn_u = turn_z, turn_z = turn, turn = turn == (room::planes - 1) * array ? 0 : turn + array;
    }
  }
}

/* CoarseX = mask Pt (f - A u). Reads u, f and the faces and writes an eighth: 5 1/8 words a node. In a step u of plane `plane` is there, the residual of the
   one before is computed, and the one before that is restricted. */
template <int V, bool MASS> DEVICE void pass_restrict(const cv_faces_pass_args &a) {
  DYNAMIC_SHARED(REAL, shared);
  const pass_place<V> p = pass_place_of<V>(a, 2, 3, 1);
  const int64_t sz = a.fine.sz;
  const int array = (int)blockDim.x * V, nx = (int)a.fine.n[0];
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
    pass_coarsen<V>(sum, row_r, a, p, plane - 2, plane & 1);
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
    const REAL within = pass_plane_counts<V>(a, p, plane - 1);
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
#define PAIR(name, from, down) \
  PASS(name, (pass_pair<pass_vector, true, pass_##from, down>), (pass_pair<pass_vector, false, pass_##from, down>))

PAIR(pair_zero, zero, false)
PAIR(pair_guess, guess, false)
PAIR(pair_correct, correct, false)
PAIR(descend_zero, zero, true)
PAIR(descend_guess, guess, true)
PASS(restrict, (pass_restrict<pass_vector, true>), (pass_restrict<pass_vector, false>))
