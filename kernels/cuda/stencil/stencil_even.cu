/* Apply, Residual, Smooth and RedBlack on grids of even widths and constant K, with 7 and with 27 points (strip_sweep.cuh). */
#include "../march/strip_sweep.cuh"

/* out = source f, or that added to u: a sweep from zero, or U += mask R / (s m), where out is u. Reads f (and u) and writes out: 2 (3) words a node. */
KERNEL_BOUNDS(strip_scale, cv_even_sweep_args, 256, 4) {
  constexpr int V = 16 / sizeof(REAL);
  const strip_column<V> c = strip_column_of<V>(a);
#pragma unroll 4
  for (int k = c.k0; k < c.k1; k++) {
    const REAL plane_of = strip_plane_source(a, k);
    const int64_t at = k * a.box.sz + c.at;
    REAL f[V], value[V] = {};
    strip_get<V>(f, static_cast<const REAL *>(a.f) + at);
    if (a.u)
      strip_get<V>(value, static_cast<const REAL *>(a.u) + at);
#pragma unroll
    for (int m = 0; m < V; m++)
      value[m] = fma(plane_of * c.sources[m], f[m], value[m]);
    strip_put<V, strip_any>(static_cast<REAL *>(a.out) + at, value, c.p.nodes);
  }
}

/* A sweep on an array, its residual rounded to float where the launch says so: that has a code of its own. */
template <int V, int R, int POINTS, int OP, int LEFT, int AHEAD, int WAYS> DEVICE void strip_of(const cv_even_sweep_args &a) {
  const strip_array u = {static_cast<const REAL *>(a.u)};
  if constexpr (OP == strip_residual && sizeof(REAL) == 8) {
    if (a.single) {
      strip_sweep<V, R, POINTS, strip_single, LEFT, AHEAD, WAYS>(a, u, nullptr);
      return;
    }
  }
  strip_sweep<V, R, POINTS, OP, LEFT, AHEAD, WAYS>(a, u, nullptr);
}

/* STRIP(op, points, , strip_any, ...) and STRIP(op, points, _one, strip_one, ...): with W times 16 bytes of R rows a thread, asking AHEAD planes
   ahead, in blocks of `threads` of which a multiprocessor holds `blocks`, in some ways (strip_sweep.cuh). As in stencil_even.go. STRIPS is both, for threads
   of more than two nodes. */
#define STRIP(op, points, end, left, W, R, AHEAD, threads, blocks, ways)                \
  KERNEL_BOUNDS(strip_##op##_##points##end, cv_even_sweep_args, threads, blocks) {      \
    strip_of<W * 16 / sizeof(REAL), R, points, strip_##op, left, AHEAD, ways>(a);       \
  }

#define STRIPS(op, points, ...)                    \
  STRIP(op, points, _one, strip_one, __VA_ARGS__)  \
  STRIP(op, points, , strip_any, __VA_ARGS__)

STRIPS(residual, 7, 2, 2, 0, 128, 3, 0)
STRIPS(smooth, 7, 2, 2, 0, 128, 3, 0)
STRIPS(apply, 7, 2, 2, 0, 128, 4, 0)
STRIPS(apply, 27, 2, 2, 1, 384, 1, strip_pairs)

#define STRIP_SINGLE_f32 1
#if LAUNCH_JOIN(STRIP_SINGLE, TYPE)
STRIPS(residual, 27, 1, 2, 1, 128, 4, 0)
STRIPS(smooth, 27, 1, 2, 1, 128, 4, 0)

/* On grids whose fields nearly fit the second-level cache: less of a launch is spent on its beginning and end. */
#define strip_apply_small strip_apply
STRIPS(apply_small, 27, 1, 2, 1, 128, 4, strip_tails)
#else
STRIP(residual, 27, , strip_any, 1, 2, 1, 128, 4, 0)
STRIP(smooth, 27, , strip_any, 1, 2, 1, 128, 4, 0)
#endif
