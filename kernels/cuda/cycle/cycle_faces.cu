/* Parts of Descend and Ascend with 7 points by what faces conduct, with a mass or without, with walls or periodic ends along x and y, in 2-D too: two sweeps in one pass, from zero, from a
   first guess, or where all axes are halved from one that is corrected; and there the residual with its restriction, in the same pass or in one of its own. See
   faces_pass.cuh. */
#include "../vector/reduce.cuh"
#include "faces_coarsen.cuh"

enum { pass_zero, pass_guess, pass_correct };

/* What a pair of sweeps does with its result besides: nothing; it adds up f times it; or it restricts its residual. */
enum { pass_ends, pass_measures, pass_restricts };

/* The coarse correction of a plane for the nodes of a thread, and what is read for the next one: a row, and another if the thread's row lies between both. */
template <int V> struct pass_coarse {
  unsigned low, high; /* bytes of a coarse plane before those rows */
  REAL v[V / 2 + 1], low_row[V / 2 + 1], high_row[V / 2 + 1];
};

template <int V, int KEPT> DEVICE void pass_ask_coarse(pass_coarse<V> &e, const cv_faces_pass_args &a, const pass_place<V, KEPT> &p, int K) {
  const int64_t plane = pass_plane(a.coarse.sz, (int)a.coarse.n[2] - 1, K);
  const REAL *low_row = pass_at(a.coarse_x, pass_offset(plane, e.low)), *high_row = pass_at(a.coarse_x, pass_offset(plane, e.high));
  REAL low[V / 2], high[V / 2];
  strip_get<V / 2>(low, low_row);
  strip_get<V / 2>(high, high_row);
#pragma unroll
  for (int m = 0; m < V / 2; m++)
    e.low_row[m] = low[m], e.high_row[m] = high[m];
  const int next = a.periodic[0] && p.x + V == (int)a.fine.n[0] ? V / 2 - (int)a.coarse.n[0] : V / 2;
  e.low_row[V / 2] = low_row[next], e.high_row[V / 2] = high_row[next];
}

/* Begins with coarse plane K, and asks for the next one. */
template <int V, int KEPT> DEVICE void pass_begin_coarse(pass_coarse<V> &e, const cv_faces_pass_args &a, const pass_place<V, KEPT> &p, int K) {
  const bool wraps = a.periodic[1] != 0;
  const int j = pass_index(p.j, (int)a.fine.n[1], wraps), behind = wraps && j == (int)a.fine.n[1] - 1 ? 0 : (j + 1) / 2;
  const int sy = (int)a.coarse.sy, bytes = (int)sizeof(REAL);
  e.low = (unsigned)bytes * (unsigned)(j / 2 * sy + p.x / 2), e.high = (unsigned)bytes * (unsigned)(behind * sy + p.x / 2);
  pass_ask_coarse<V>(e, a, p, K);
#pragma unroll
  for (int m = 0; m <= V / 2; m++)
    e.v[m] = (REAL)0.5 * (e.low_row[m] + e.high_row[m]);
  pass_ask_coarse<V>(e, a, p, K + 1);
}

/* Adds the correction of plane k, `own` at every other node, to what was read of it. free_at: where `free` is. */
template <int V, int KEPT>
DEVICE void pass_add_coarse(REAL (&v)[V], const REAL (&own)[V / 2 + 1], const REAL *free_at, const pass_place<V, KEPT> &p, int k) {
  REAL free[V];
  strip_get<V>(free, free_at);
  const REAL plane = pass_plane_free<V>(p, k);
#pragma unroll
  for (int m = 0; m < V; m++) {
    const REAL e = m % 2 ? (REAL)0.5 * (own[m / 2] + own[m / 2 + 1]) : own[m / 2];
    v[m] = free[m] != 0 ? fma(plane, e, v[m]) : v[m];
  }
}

/* The same of the planes one after another: an odd one lies between the coarse plane that e has and the one that was asked for. */
template <int V, int KEPT>
DEVICE void pass_correct_plane(REAL (&v)[V], pass_coarse<V> &e, const REAL *free_at, const cv_faces_pass_args &a, const pass_place<V, KEPT> &p,
                               int k) {
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
    pass_ask_coarse<V>(e, a, p, (k + 3) / 2);
  }
  pass_add_coarse<V>(v, own, free_at, p, k);
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
template <int V, bool MASS, int FROM, int KEPT>
DEVICE void pass_first(REAL (&smooth)[V], REAL (&free_over)[V], pass_kept<V> &kept, const pass_read<V> &r, const REAL (&front)[V],
                       const REAL (&mass)[V], const REAL *row, const REAL *free_at, const cv_faces_pass_args &a, const pass_place<V, KEPT> &p, int k) {
  REAL s[V];
#pragma unroll
  for (int m = 0; m < V; m++)
    s[m] = r.f[m];
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
  const REAL weight = a.first.TYPE * pass_plane_free<V>(p, k);
#pragma unroll
  for (int m = 0; m < V; m++) {
    REAL d = (r.x[m] + r.x[m + 1]) + ((front[m] + r.back[m]) + (kept.z.above[m] + r.above[m]));
    if (MASS)
      d += mass[m];
    free_over[m] = strip_reciprocal(d);
  }
  if (p.masks) {
    REAL free[V];
    strip_get<V>(free, free_at);
#pragma unroll
    for (int m = 0; m < V; m++)
      free_over[m] *= free[m];
  }
#pragma unroll
  for (int m = 0; m < V; m++)
    smooth[m] = FROM == pass_zero ? weight * free_over[m] * s[m] : fma(weight * free_over[m], s[m], kept.v[m]);
}

/* f - A v of plane k, which `kept` has. v, f: of the plane above; that of plane k is kept for it. row_y, row: what the faces of plane k conduct in y, and v
   there; x: what they conduct in x; mass_at: where masses are, of the thread alone. */
template <int V, bool MASS, int KEPT>
DEVICE void pass_residual(REAL (&s)[V], pass_stage<V> &kept, const REAL (&v)[V], const REAL (&f)[V], const REAL (&x)[V + 1], const REAL *row_y,
                          const REAL *row, const REAL *mass_at, const pass_place<V, KEPT> &p) {
  REAL mass[V], front[V], back[V];
  if (MASS)
    strip_get<V>(mass, mass_at);
  strip_get<V>(front, row_y + p.front);
  strip_get<V>(back, row_y);
#pragma unroll
  for (int m = 0; m < V; m++) {
    const REAL up = kept.above[m] * (v[m] - kept.v[m]);
    s[m] = MASS ? fma(-mass[m], kept.v[m], kept.source[m] + up) : kept.source[m] + up;
    kept.source[m] = f[m] - up;
  }
  pass_gather<V>(s, x, front, back, kept.v, row, p);
}

/* What faces in x conduct, of the thread alone: all but the first are in shared memory. */
template <int V> DEVICE void pass_recall_x(REAL (&x)[V + 1], REAL first, const REAL *x_at) {
  REAL after[V];
  strip_get<V>(after, x_at);
  x[0] = first;
#pragma unroll
  for (int m = 0; m < V; m++)
    x[m + 1] = after[m];
}

template <int V> DEVICE void pass_share_x(REAL *x_at, const REAL (&x)[V + 1]) {
  REAL after[V];
#pragma unroll
  for (int m = 0; m < V; m++)
    after[m] = x[m + 1];
  pass_share<V>(x_at, after);
}

/* Which of what a thread of a pair of sweeps keeps in shared memory comes when: v, z and, where the result's residual is restricted, that result u and its
   residual, of two planes; what faces in y conduct, of as many planes as are at work; and for itself alone what would take registers: `free`, what faces in x
   conduct, masses, and f, of the plane of which the residual of u comes next, or which is written next. */
template <bool U, bool DOWN> struct pass_room {
  enum { z = U ? 1 : 0, u = z + 1, r = z + 2, plane = DOWN ? z + 3 : z + 1, ring = 2 * plane, planes = DOWN ? 4 : 3 };
  enum { free = ring + planes, x = free + 1, mass = DOWN ? x + 2 : x + 1, f = DOWN ? mass + 2 : mass + 1, kept = (f + 1) | 1 };
};

/* What a pair of sweeps has on its way: what it keeps of v and z, and of u for its residual; what is read for the next step, and of e; where it is, and
   bytes of an array before the plane that it writes; where what faces in y conduct is: of four planes, which take turns by pairs, those of the pair that is on
   and of the other; of three, that which is on and the one before. */
template <int V> struct pass_way {
  pass_kept<V> kept;
  pass_stage<V> of_u;
  pass_sums<V> sums;
  pass_read<V> next;
  pass_coarse<V> e;
  pass_march march;
  int64_t done;
  REAL *ring, *beside;
  double product; /* of f and the result, where it is asked for */
};

/* The first plane of a pair of sweeps: what comes before serves z and u of planes before k0 alone. */
template <bool DOWN, typename Place> DEVICE int pass_first_plane(const Place &p) { return p.k0 - (DOWN ? 3 : 1); }

/* Begins on the way; own: the thread's shared memory. */
template <int V, int FROM, int TO, int KEPT> DEVICE void pass_begin(pass_way<V> &y, REAL *own, const cv_faces_pass_args &a, const pass_place<V, KEPT> &p) {
  constexpr bool U = FROM != pass_zero, DOWN = TO == pass_restricts;
  using room = pass_room<U, DOWN>;
  const int first = pass_first_plane<DOWN>(p), needed = p.k1 + (U ? 1 : 0) + (DOWN ? 1 : 0);
  if (DOWN)
    y.sums = pass_sums_of<V>(a, p);
  pass_share<V>(own + room::free * V, p.free);
  if constexpr (TO == pass_measures) {
    const REAL none[V] = {};
    pass_share<V>(own + room::f * V, none);
  }
  if (U) {
    pass_load<V>(y.kept.v, a.u, a.fine.sz, p, first - 1);
    pass_trim<V>(y.kept.v, p, (int)a.fine.n[0]);
  }
  if (FROM == pass_correct) {
    pass_begin_coarse<V>(y.e, a, p, p.k0 / 2 - 1);
    pass_correct_plane<V>(y.kept.v, y.e, own + room::free * V, a, p, p.k0 - 2);
  }
  y.march = pass_march_of(a.fine.sz, pass_clamp(needed, 0, p.nz - 1), first);
  y.done = (int64_t)(first - 2) * y.march.size;
  y.ring = own + room::ring * V, y.beside = y.ring + 2 * V;
  pass_ask<V, U>(y.next, a, p, y.march);
  pass_prefetch<V, U>(a, p, y.march);
}

/* The residual of u of plane k, u of the plane above and f there, and the restriction of that of the plane before. */
template <int V, bool MASS, bool U, int N, int KEPT>
DEVICE void pass_down(pass_way<V> &y, const REAL (&u)[V], const REAL (&next_f)[V], REAL *own, const cv_faces_pass_args &a, const pass_place<V, KEPT> &p, int k) {
  using room = pass_room<U, true>;
  REAL s[V], f[V], x[V + 1], *const f_at = own + room::f * V, *const rows = own + N * room::plane * V;
  strip_get<V>(f, f_at);
  pass_share<V>(f_at, next_f);
  pass_recall_x<V>(x, y.of_u.x, own + (room::x + N) * V);
  pass_residual<V, MASS>(s, y.of_u, u, f, x, y.beside + N * V, rows + room::u * V, own + (room::mass + N) * V, p);
  pass_mask<V>(s, own + room::free * V, p, k);
  pass_share<V>(own + ((1 - N) * room::plane + room::r) * V, s);
  pass_coarsen<V>(y.sums, rows + room::r * V, a, p, k - 1, N == 0);
}

/* Adds f times the result of a plane to the sum, if it counts, and keeps f of the next one. Products of a vector are added up in REAL: conversions take time. */
template <int V> DEVICE void pass_multiply(pass_way<V> &y, const REAL (&result)[V], const REAL (&next_f)[V], REAL *f_at, bool counts) {
  REAL f[V], sum = 0;
  strip_get<V>(f, f_at);
  pass_share<V>(f_at, next_f);
#pragma unroll
  for (int m = 0; m < V; m++)
    sum = fma(f[m], result[m], sum);
  y.product += counts ? (double)sum : 0;
}

/* A step: v of plane `plane` is there, z of the one before is computed, u of the one before that, and down then its residual, and the sums of that of the plane
   before. N: 0 and 1 in turns. */
template <int V, bool MASS, int FROM, int TO, int N, int KEPT>
DEVICE void pass_pair_step(pass_way<V> &y, REAL *own, const cv_faces_pass_args &a, const pass_place<V, KEPT> &p, int plane) {
  constexpr bool U = FROM != pass_zero, DOWN = TO == pass_restricts;
  using room = pass_room<U, DOWN>;
  const int nx = (int)a.fine.n[0];
  pass_kept<V> &kept = y.kept;
  REAL s[V], smooth[V], free_over[V], front[V], mass[V] = {}, result[V], x[V + 1];
  pass_read<V> r = y.next;
  pass_complete<V, U>(r, p, nx, plane);
  pass_step(y.march);
  pass_ask<V, U>(y.next, a, p, y.march);
  pass_prefetch<V, U>(a, p, y.march);
  if (FROM == pass_correct)
    pass_correct_plane<V>(r.u, y.e, own + room::free * V, a, p, plane);
  REAL *const rows = own + N * room::plane * V, *const row_y = DOWN ? y.ring + N * V : y.ring;
  REAL *const row_y_of_z = !DOWN ? y.beside : N == 0 ? y.beside + V : y.ring;
  const int turn = DOWN ? N : 0, turn_of_z = DOWN ? 1 - N : 0; /* of what the thread has for itself */
  if (U)
    pass_share<V>(rows, kept.v);
  pass_share<V>(rows + room::z * V, kept.z.v);
  pass_share<V>(row_y, r.back);
  if (DOWN)
    pass_share<V>(rows + room::u * V, y.of_u.v);
  __syncthreads();
  strip_get<V>(front, row_y + p.front);
  if (MASS)
    pass_masses<V>(mass, a, p, plane - 1);
  pass_first<V, MASS, FROM>(smooth, free_over, kept, r, front, mass, rows, own + room::free * V, a, p, plane - 1);
  pass_recall_x<V>(x, kept.z.x, own + (room::x + turn_of_z) * V);
  pass_residual<V, MASS>(s, kept.z, smooth, r.f, x, row_y_of_z, rows + room::z * V, own + (room::mass + turn_of_z) * V, p);
  const REAL weight = a.second.TYPE * pass_plane_free<V>(p, plane - 2);
#pragma unroll
  for (int m = 0; m < V; m++)
    result[m] = fma(weight * kept.factor[m], s[m], kept.z.v[m]);
  const bool writes = p.owned && plane - 2 >= p.k0 && (!DOWN || plane - 2 < p.k1);
  if (writes)
    strip_put<V, strip_any>(const_cast<REAL *>(pass_at(a.out, pass_offset(y.done, p.at))), result, p.ragged ? nx - p.x : V);
  if constexpr (TO == pass_measures)
    pass_multiply<V>(y, result, r.f, own + room::f * V, writes);
  if constexpr (DOWN)
    if (p.rests && plane >= p.k0)
      pass_down<V, MASS, U, N>(y, result, r.f, own, a, p, plane - 3);
  pass_share_x<V>(own + (room::x + turn) * V, r.x);
  if (MASS)
    pass_share<V>(own + (room::mass + turn) * V, mass);
  y.of_u.x = kept.z.x, kept.z.x = r.x[0];
#pragma unroll
  for (int m = 0; m < V; m++) {
    y.of_u.v[m] = result[m], y.of_u.above[m] = kept.z.above[m];
    kept.v[m] = r.u[m], kept.z.v[m] = smooth[m], kept.factor[m] = free_over[m], kept.z.above[m] = r.above[m];
  }
  REAL *const ring = y.ring;
  if (!DOWN)
    y.ring = ring == own + (room::ring + 2) * V ? ring - 2 * V : ring + V;
  else if (N == 1)
    y.ring = y.beside;
  if (!DOWN || N == 1)
    y.beside = ring;
  y.done += y.march.size;
}

/* v: the first guess, z = v + ω0/D (f - A v), u = z + ω1/D (f - A z), out = u. Reads f, the faces and, unless from zero, v, and e, and writes out: 5, 6 or
   6 1/8 words a node, one more with nodal masses. Measuring, it leaves partial results of the sum of f out. Down, coarse_x = mask Pt (f - A u) besides, which takes 1/8 word more.

   Two steps are unrolled, so that nothing is moved from one to the next. */
template <int V, bool MASS, int FROM, int TO> DEVICE void pass_pair(const cv_faces_pass_args &a) {
  DYNAMIC_SHARED(REAL, shared);
  constexpr bool U = FROM != pass_zero, DOWN = TO == pass_restricts;
  constexpr int kept = pass_room<U, DOWN>::kept;
  const auto p = pass_place_of<V, kept>(a, pass_rows(a, DOWN ? 4 : 2), pass_rows(a, DOWN ? (U ? 7 : 6) : 4), DOWN ? 4 / V : 1);
  REAL *const own = shared + p.vector;
  pass_way<V> y = {};
  pass_begin<V, FROM, TO>(y, own, a, p);
  const int last = DOWN ? p.k1 + 3 + (p.k1 & 1) : p.k1 + 1;
  for (int plane = pass_first_plane<DOWN>(p); plane <= last; plane += 2) {
    pass_pair_step<V, MASS, FROM, TO, 0>(y, own, a, p, plane);
    if (plane < last)
      pass_pair_step<V, MASS, FROM, TO, 1>(y, own, a, p, plane + 1);
  }
  if constexpr (TO == pass_measures)
    put_sum(a.partial, counts_row(a.fine, p.j) ? y.product : 0);
}

enum { restrict_kept = 7 }; /* of pass_restrict */

/* CoarseX = mask Pt (f - A u). Reads u, f and the faces and writes an eighth: 5 1/8 words a node. In a step u of plane `plane` is there, the residual of the
   one before is computed, and the one before that is restricted. */
template <int V, bool MASS> DEVICE void pass_restrict(const cv_faces_pass_args &a) {
  DYNAMIC_SHARED(REAL, shared);
  const auto p = pass_place_of<V, restrict_kept>(a, pass_rows(a, 2), pass_rows(a, 3), 1);
  const int nx = (int)a.fine.n[0];
  REAL *const own = shared + p.vector, *const free_at = own + 6 * V;
  REAL v[V], up[V] = {}, r[V] = {};
  pass_sums<V> sums = pass_sums_of<V>(a, p);
  pass_read<V> next;
  pass_share<V>(free_at, p.free);
  pass_load<V>(v, a.u, a.fine.sz, p, p.k0 - 2);
  pass_trim<V>(v, p, nx);
  pass_march march = pass_march_of(a.fine.sz, pass_clamp(p.k1 + 1, 0, p.nz - 1), p.k0 - 1);
  pass_ask<V, true>(next, a, p, march);
  pass_prefetch<V, true>(a, p, march);
  const int last = p.k1 - 1 + (p.k1 & 1); /* plane of the residual that the last coarse plane needs */
  for (int plane = p.k0 - 1; plane <= last + 2; plane++) {
    REAL front[V];
    pass_read<V> now = next;
    pass_complete<V, true>(now, p, nx, plane);
    pass_step(march);
    pass_ask<V, true>(next, a, p, march);
    pass_prefetch<V, true>(a, p, march);
    REAL *row_v = own + (plane & 1) * 3 * V, *row_r = row_v + V, *row_y = row_v + 2 * V;
    pass_share<V>(row_v, v);
    pass_share<V>(row_r, r);
    pass_share<V>(row_y, now.back);
    __syncthreads();
    pass_coarsen<V>(sums, row_r, a, p, plane - 2, plane & 1);
    strip_get<V>(front, row_y + p.front);
#pragma unroll
    for (int m = 0; m < V; m++) {
      const REAL flux = now.above[m] * (now.u[m] - v[m]);
      r[m] = (now.f[m] - up[m]) + flux;
      up[m] = flux;
    }
    if (MASS) {
      REAL mass[V];
      pass_masses<V>(mass, a, p, plane - 1);
#pragma unroll
      for (int m = 0; m < V; m++)
        r[m] = fma(-mass[m], v[m], r[m]);
    }
    pass_gather<V>(r, now.x, front, now.back, v, row_v, p);
    pass_mask<V>(r, free_at, p, plane - 1);
#pragma unroll
    for (int m = 0; m < V; m++)
      v[m] = now.u[m];
  }
}

/* Nodes of a thread: 16 bytes; of narrow passes half as many, for periodic rows that are no multiple of that. In double all rows that are halved are. Codes for both widths in one
   kernel would cost registers. */
enum { pass_vector = 16 / (int)sizeof(REAL), pass_narrow = 2 };

/* A pass, with a code for operators that have a mass, and one for those that have none. */
#define PASS(name, with_mass, without)                               \
  KERNEL_BOUNDS(faces_##name, cv_faces_pass_args, pass_threads, 1) { \
    if (a.mass.TYPE != 0)                                            \
      with_mass(a);                                                  \
    else                                                             \
      without(a);                                                    \
  }
#define PAIR(name, V, from, to) PASS(name, (pass_pair<V, true, pass_##from, pass_##to>), (pass_pair<V, false, pass_##from, pass_##to>))
#define PASSES(suffix, V)                                           \
  PAIR(pair_zero##suffix, V, zero, ends)                            \
  PAIR(pair_guess##suffix, V, guess, ends)                          \
  PAIR(pair_correct##suffix, V, correct, ends)                      \
  PAIR(pair_guess_measured##suffix, V, guess, measures)             \
  PAIR(pair_correct_measured##suffix, V, correct, measures)         \
  PAIR(descend_zero##suffix, V, zero, restricts)                    \
  PAIR(descend_guess##suffix, V, guess, restricts)                  \
  PASS(restrict##suffix, (pass_restrict<V, true>), (pass_restrict<V, false>))

PASSES(, pass_vector)
#define PASSES_NARROW_f32 1
#if LAUNCH_JOIN(PASSES_NARROW, TYPE)
PASSES(_narrow, pass_narrow)
#endif
