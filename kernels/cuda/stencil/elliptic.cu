/* The elliptic operator of kernels/doc.go on whole arrays of any grid: Apply, Residual, Smooth, RedBlack, Energy, Correct, Conjugate, MassUpdate, on strips.

   Each kernel of a sweep is compiled for 7 and 27 points and for each kind of conductivity: balance_7_constant of Apply and Residual, smooth_7_three of Smooth and RedBlack and so on. */
#include "sweep_trilinear.cuh"

/* What a kernel has in its registers: no diagonal, nor more than one sum; a diagonal; more sums, or what a second array adds to u. */
enum { sweep_light, sweep_relaxing, sweep_heavy };

/* How a kernel is cut: bytes of a row and rows of a thread, threads of a block, and blocks that a multiprocessor holds. As in elliptic.go. The numbers are the
   fastest of those tried on an H200, on 512^3 nodes; those of heavy kernels keep nearly all registers out of memory. */
template <int points, int kind, int weight> struct sweep_shape {
  static constexpr bool wide = sizeof(REAL) == 8, heavy = weight == sweep_heavy, modes = points == 27 && kind != k_constant;
  static constexpr int threads = points == 7 && kind == k_shared && wide && weight == sweep_light ? 192 : 128, bytes = modes && !wide ? 8 : 16;
  static constexpr int rows = modes && !wide ? 3 : points == 27 || kind == k_shared || wide ? 2 : 1;
  static constexpr int of_numbers = (points == 27 ? 3 : wide ? 4 : 6) - (points == 7 && heavy ? 1 : 0);
  static constexpr int of_one = wide && weight != sweep_relaxing ? 2 : 3, of_three = wide ? 2 : 4;
  static constexpr int blocks = modes ? (wide ? 2 : 3) : kind == k_constant ? of_numbers : kind == k_shared ? of_one : of_three;
};

template <int op, int points, int kind, typename From> DEVICE void sweep_from(const cv_sweep_args &s, const From &u, sweep_beside &beside) {
  using shape = sweep_shape<points, kind, sweep_heavy>; /* bytes and rows are those of any weight */
  constexpr int V = shape::bytes / sizeof(REAL), R = shape::rows;
  if constexpr (points == 27)
    sweep_trilinear<V, R, kind, op>(s, u, beside);
  else
    sweep_seven<V, R, kind, op>(s, u, beside);
}

template <int op, int points, int kind> DEVICE void sweep_of(const cv_sweep_args &s) {
  sweep_beside none = {};
  sweep_from<op, points, kind>(s, strip_array{AXIS(s.u)}, none);
}

#define SWEEP_BOUNDS(name, Args, points, kind, weight)                                                    \
  KERNEL_BOUNDS(name##_##points##_##kind, Args, (sweep_shape<points, k_##kind, sweep_##weight>::threads), \
                (sweep_shape<points, k_##kind, sweep_##weight>::blocks))

/* A residual that is rounded has a code of its own. */
#define SWEEPS(points, kind)                                                       \
  SWEEP_BOUNDS(balance, cv_sweep_args, points, kind, light) {                      \
    constexpr int single = sizeof(REAL) == 8 ? sweep_single : sweep_residual;      \
    if (!a.f)                                                                      \
      sweep_of<sweep_apply, points, k_##kind>(a);                                  \
    else if (a.single)                                                             \
      sweep_of<single, points, k_##kind>(a);                                       \
    else                                                                           \
      sweep_of<sweep_residual, points, k_##kind>(a);                               \
  }                                                                                \
  SWEEP_BOUNDS(energy, cv_energy_args, points, kind, light) {                      \
    cv_sweep_args s = {};                                                          \
    sweep_beside beside = {};                                                      \
    s.a = a.a;                                                                     \
    sweep_from<sweep_energy, points, k_##kind>(s, strip_array{AXIS(a.x)}, beside); \
    put_sum(a.partial, beside.sums[0]);                                            \
  }                                                                                \
  SWEEP_BOUNDS(smooth, cv_sweep_args, points, kind, relaxing) {                    \
    if (!a.u)                                                                      \
      sweep_of<sweep_zero, points, k_##kind>(a);                                   \
    else if (a.colour < 0)                                                         \
      sweep_of<sweep_smooth, points, k_##kind>(a);                                 \
    else                                                                           \
      sweep_of<sweep_colour, points, k_##kind>(a);                                 \
  }

/* Words of REAL a node that move through memory: Apply reads X and writes Y, 2 words; Residual reads U and F and
   writes R, 3 words (in single precision half of the last); Smooth as Residual 3, from zero 2. One array of K adds 1
   word, three arrays 3, a mass 1. RedBlack reads U and F and writes U, 3 words: a node of its colour reads
   nodes of the other, which nobody changes. A mask adds next to nothing but in rows of its own. */
SWEEPS(7, constant)
SWEEPS(7, shared)
SWEEPS(7, three)
SWEEPS(27, constant)
SWEEPS(27, shared)
SWEEPS(27, three)

/* Partial results of Correct. */
DEVICE void sweep_put(const cv_correct_args &a, const sweep_beside &beside) {
  __shared__ double room[5][32];
  put_all<5, 0>(a.partial, beside.sums, room);
}

/* Measure: reads u and f and what a sweep reads of K and a mass, and writes residuals of float if REAL is double. Correct, of double alone, since corrections are float: reads e and writes u
   besides. Where u is zero before, the correction alone is u, in a code of its own. */
#define SWEEP_MEASURES(points, kind)                                                      \
  SWEEP_BOUNDS(measure, cv_correct_args, points, kind, heavy) {                           \
    sweep_beside beside = {};                                                             \
    sweep_from<sweep_measure, points, k_##kind>(a.of, strip_array{AXIS(a.of.u)}, beside); \
    sweep_put(a, beside);                                                                 \
  }

#define SWEEP_CORRECTS(points, kind)                                                                \
  SWEEP_BOUNDS(correct, cv_correct_args, points, kind, heavy) {                                     \
    const strip_scaled by = {a.e, (REAL)(a.scale * quotient_of(a.by)), (REAL)a.shift};              \
    sweep_beside beside = {static_cast<REAL *>(a.corrected), {}};                                   \
    if (a.of.u)                                                                                     \
      sweep_from<sweep_correct, points, k_##kind>(a.of, strip_corrected{AXIS(a.of.u), by}, beside); \
    else                                                                                            \
      sweep_from<sweep_correct, points, k_##kind>(a.of, by, beside);                                \
    sweep_put(a, beside);                                                                           \
  }

/* Conjugate: reads x and p, and what a sweep reads of K and a mass, and writes out. */
#define SWEEP_CONJUGATES(points, kind)                                                        \
  SWEEP_BOUNDS(conjugate, cv_conjugate_args, points, kind, heavy) {                           \
    const strip_conjugate x = {AXIS(a.of.u), AXIS(a.p), (REAL)(a.scale * quotient_of(a.by))}; \
    sweep_beside beside = {static_cast<REAL *>(a.out), {}};                                   \
    sweep_from<sweep_conjugate, points, k_##kind>(a.of, x, beside);                           \
    put_sum(a.partial, beside.sums[0]);                                                       \
  }

SWEEP_MEASURES(7, constant)
SWEEP_MEASURES(7, shared)
SWEEP_MEASURES(7, three)
SWEEP_MEASURES(27, constant)
SWEEP_MEASURES(27, shared)
SWEEP_MEASURES(27, three)
SWEEP_CONJUGATES(7, shared)
SWEEP_CONJUGATES(7, three)
SWEEP_CONJUGATES(27, shared)
SWEEP_CONJUGATES(27, three)

#define SWEEP_WIDE_f64 1
#if LAUNCH_JOIN(SWEEP_WIDE, TYPE)
SWEEP_CORRECTS(7, constant)
SWEEP_CORRECTS(7, shared)
SWEEP_CORRECTS(7, three)
SWEEP_CORRECTS(27, constant)
SWEEP_CORRECTS(27, shared)
SWEEP_CORRECTS(27, three)
#endif

/* What Correct measures of u = 0: the residual is F. Reads f and writes residuals of float if REAL is double. */
KERNEL_BOUNDS(measure_zero, cv_correct_args, 256, 4) {
  constexpr int V = 16 / sizeof(REAL);
  const cv_elliptic &of = a.of.a;
  const sweep_thread<V, 1> t = sweep_thread_of<V, 1>(of);
  const REAL zero[V] = {};
  sweep_beside beside = {};
#pragma unroll 2
  for (int k = t.k0; k < t.k1; k++) {
    const int64_t at = t.at + k * of.box.sz;
    REAL f[V], free[V];
    float left[V];
    strip_get<V>(f, AXIS(a.of.f) + at);
    sweep_free<V, 1>(free, of, t, 0, k);
#pragma unroll
    for (int m = 0; m < V; m++)
      left[m] = (float)(free[m] * (REAL)a.of.scale * f[m]);
    sweep_add_row<V, 1>(beside.sums, of, t, 0, k, free, left, zero, f);
    if (sizeof(REAL) == 8)
      strip_put<V, strip_any>(static_cast<float *>(a.of.out) + at, left, t.p.nodes);
  }
  sweep_put(a, beside);
}

/* U += mask R / (s m), R is f. Reads U and R, and a mass that is not the volume, and writes U: 3 or 4 words a node. */
KERNEL_BOUNDS(mass_update, cv_sweep_args, 256, 4) {
  constexpr int V = 16 / sizeof(REAL);
  const sweep_thread<V, 1> t = sweep_thread_of<V, 1>(a.a);
#pragma unroll 2
  for (int k = t.k0; k < t.k1; k++) {
    const int64_t at = t.at + k * a.a.box.sz;
    REAL u[V], f[V], mass[V], free[V];
    strip_get<V>(u, static_cast<const REAL *>(a.out) + at);
    strip_get<V>(f, AXIS(a.f) + at);
    sweep_mass<V, 1>(mass, a.a, t, 0, k);
    sweep_free<V, 1>(free, a.a, t, 0, k);
#pragma unroll
    for (int m = 0; m < V; m++)
      u[m] = fma(free[m] * f[m], strip_reciprocal(mass[m]), u[m]);
    strip_put<V, strip_any>(static_cast<REAL *>(a.out) + at, u, t.p.nodes);
  }
}
