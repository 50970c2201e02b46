/* Correct on grids of even widths and constant K, with 7 and with 27 points, on strips (strip_sweep.cuh): u + scale e, the residual that it leaves, and the sums of
   both, in one pass. Of u = 0 nothing is read. */
#include "../march/strip_sweep.cuh"

DEVICE void correct_put(const cv_correct_args &a, const strip_sums &s) {
  const double sums[5] = {s.residual, s.u, s.square, s.f, s.source};
  correct_put(a, sums);
}

/* The residual of zero, source f, and its sums. */
template <int V, int LEFT> DEVICE strip_sums strip_begin(const cv_even_sweep_args &a) {
  const strip_column<V> c = strip_column_of<V>(a);
  strip_sums sums = {};
#pragma unroll 4
  for (int k = c.k0; k < c.k1; k++) {
    const REAL plane_of = strip_plane_source(a, k);
    REAL f[V];
    float value[V];
    strip_get<V>(f, static_cast<const REAL *>(a.f) + k * a.box.sz + c.at);
#pragma unroll
    for (int m = 0; m < V; m++) {
      const REAL of_source = plane_of * c.sources[m];
      value[m] = (float)(of_source * f[m]);
      if (m < c.p.nodes && counts_row(a.box, c.p.j)) {
        const double v = value[m], y = of_source != 0 ? (double)f[m] : 0;
        sums.residual = fma(v, v, sums.residual);
        sums.f += y;
        sums.source = fma(y, y, sums.source);
      }
    }
    if (sizeof(REAL) == 8)
      strip_put<V, LEFT>(static_cast<float *>(a.out) + k * a.box.sz + c.at, value, c.p.nodes);
  }
  return sums;
}

/* Reads f, and writes residuals of float if REAL is double: 1 (1 1/2) words a node. */
KERNEL_BOUNDS(strip_begin, cv_correct_args, 256, 4) { correct_put(a, strip_begin<16 / sizeof(REAL), strip_any>(a.sweep)); }

/* The sums of a sweep on u, or on u and its correction; where u is zero before, on the correction alone, in a code of its own. */
template <int V, int R, int POINTS, int OP, int LEFT, int AHEAD> DEVICE strip_sums correct_sweep(const cv_correct_args &a) {
  const REAL *u = static_cast<const REAL *>(a.sweep.u);
  REAL *corrected = static_cast<REAL *>(a.corrected);
  const strip_scaled by = {a.e, (REAL)(a.scale * quotient_of(a.by)), (REAL)a.shift};
  if constexpr (OP == strip_measure)
    return strip_sweep<V, R, POINTS, OP, LEFT, AHEAD, 0>(a.sweep, strip_array{u}, nullptr);
  else if (u)
    return strip_sweep<V, R, POINTS, OP, LEFT, AHEAD, 0>(a.sweep, strip_corrected{u, by}, corrected);
  else
    return strip_sweep<V, R, POINTS, OP, LEFT, AHEAD, 0>(a.sweep, by, corrected);
}

/* CORRECT(op, points, end, left, ...) and CORRECTS: as STRIP in stencil_even.cu, and as in stencil_even.go. */
#define CORRECT(op, points, end, left, W, R, AHEAD, threads, blocks)                              \
  KERNEL_BOUNDS(strip_##op##_##points##end, cv_correct_args, threads, blocks) {                   \
    correct_put(a, correct_sweep<W * 16 / sizeof(REAL), R, points, strip_##op, left, AHEAD>(a));  \
  }

#define CORRECTS(op, points, ...)                    \
  CORRECT(op, points, _one, strip_one, __VA_ARGS__)  \
  CORRECT(op, points, , strip_any, __VA_ARGS__)

/* Reads u and f, and writes residuals of float if REAL is double: 2 (2 1/2) words a node. */
CORRECTS(measure, 7, 2, 2, 0, 128, 3)

#define CORRECT_WIDE_f64 1
#if !LAUNCH_JOIN(CORRECT_WIDE, TYPE)
CORRECTS(measure, 27, 1, 2, 1, 128, 4)
#else
CORRECT(measure, 27, , strip_any, 1, 2, 1, 128, 4)

/* Only of double: corrections are float. Reads u, e and f, and writes u and residuals: 4 words a node, 3 where u is zero before. */
CORRECTS(correct, 7, 2, 2, 0, 128, 3)
CORRECT(correct, 27, , strip_any, 1, 2, 1, 128, 4)
#endif
