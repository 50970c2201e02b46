/* Apply, Residual and Smooth on grids of even widths and constant K, with 7 and with 27 points (strip_sweep.cuh). */
#include "strip_sweep.cuh"

/* out = source f, or that added to out: a sweep from zero, or U += mask R / (s m). Reads f (and out) and writes out: 2 (3) words a node. */
template <int V, int LEFT, bool ADD> DEVICE void strip_scale(const cv_even_sweep_args &a) {
  const strip_place p = strip_place_of<V, 1>(a);
  const int nz = (int)a.box.n[2], at = p.j * (int)a.box.sy + p.x;
  const int k0 = (int)((int64_t)blockIdx.y * nz / gridDim.y), k1 = (int)(((int64_t)blockIdx.y + 1) * nz / gridDim.y);
  const REAL row = strip_factors_at(a, 1, p.j).source;
  REAL ends_of[V];
#pragma unroll
  for (int m = 0; m < V; m++)
    ends_of[m] = row * strip_factors_at(a, 0, p.x + m).source;
#pragma unroll 4
  for (int k = k0; k < k1; k++) {
    const REAL plane_of = strip_factors_at(a, 2, k).source * a.source_scale.TYPE;
    REAL *out = static_cast<REAL *>(a.out) + k * a.box.sz + at;
    REAL f[V], value[V] = {};
    strip_get<V>(f, static_cast<const REAL *>(a.f) + k * a.box.sz + at);
    if (ADD)
      strip_get<V>(value, out);
#pragma unroll
    for (int m = 0; m < V; m++)
      value[m] = ADD ? fma(plane_of * ends_of[m], f[m], value[m]) : plane_of * ends_of[m] * f[m];
    strip_put<V, LEFT>(out, value, p.nodes);
  }
}

#define SCALE(left)                                                  \
  KERNEL_BOUNDS(strip_zero_##left, cv_even_sweep_args, 256, 4) {     \
    strip_scale<16 / sizeof(REAL), strip_##left, false>(a);          \
  }                                                                  \
  KERNEL_BOUNDS(strip_mass_##left, cv_even_sweep_args, 256, 4) {     \
    strip_scale<16 / sizeof(REAL), strip_##left, true>(a);           \
  }

SCALE(whole)
SCALE(one)
SCALE(any)

/* STRIP(op, points, whole, ...) and so on: with W times 16 bytes of R rows a thread, asking AHEAD planes ahead, in blocks of `threads` of which a
   multiprocessor holds `blocks`. As in stencil_even.go. */
#define STRIP(op, points, left, W, R, AHEAD, threads, blocks)                                       \
  KERNEL_BOUNDS(strip_##op##_##points##_##left, cv_even_sweep_args, threads, blocks) {              \
    const strip_array u = {static_cast<const REAL *>(a.u)};                                         \
    strip_sweep<W * 16 / sizeof(REAL), R, points, strip_##op, strip_##left, AHEAD>(a, u, nullptr);  \
  }

#define STRIPS(op, points, ...)          \
  STRIP(op, points, whole, __VA_ARGS__)  \
  STRIP(op, points, one, __VA_ARGS__)    \
  STRIP(op, points, any, __VA_ARGS__)

STRIPS(apply, 7, 2, 2, 0, 128, 4)
STRIPS(residual, 7, 2, 2, 0, 128, 3)
STRIPS(single, 7, 2, 2, 0, 128, 3)
STRIPS(smooth, 7, 2, 2, 0, 128, 3)
STRIPS(apply, 27, 1, 4, 1, 128, 3)
STRIPS(residual, 27, 1, 2, 1, 128, 4)
STRIPS(single, 27, 1, 2, 1, 128, 4)
STRIPS(smooth, 27, 1, 2, 1, 128, 4)

/* Of float on grids whose fields nearly fit the second-level cache: less of a launch is spent on its beginning and end. */
#define STRIP_SMALL_f32 1
#if LAUNCH_JOIN(STRIP_SMALL, TYPE)
#define strip_apply_small strip_apply
STRIPS(apply_small, 7, 2, 1, 1, 128, 6)
STRIPS(apply_small, 27, 2, 2, 2, 128, 3)
#endif
