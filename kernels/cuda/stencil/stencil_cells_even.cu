/* Apply, Residual, Smooth, RedBlack, Correct, Energy, Conjugate and ConserveMeasured on grids of even widths with one K a cell, with 7 and with 27 points, on strips (strip.cuh). Cells beyond walls have
   K = 0, so that nothing is mirrored. Every node gets

     out = own + factor (f + z s),

   s the sum of fluxes, weighted so that those in z have the weight 1, and z s is -A u; apply has no f, and sweeps divide by the diagonal. own is u in
   sweeps and nothing else. The factor is 0 at fixed nodes. With a mass its part of -A u / z comes to s, and its part of A to the diagonal. */
#include "strip_cells_modes.cuh"
#include "strip_cells_seven.cuh"

/* A sweep for a stencil; one with a mass has a code of its own. */
template <int V, int R, int POINTS, int OP, int AHEAD, typename From>
DEVICE void cells_sweep(const cv_even_sweep_args &a, const From &u, cells_beside &beside) {
  if constexpr (POINTS == 27) {
    if (a.own_mass.TYPE != 0)
      modes_sweep<V, R, OP, AHEAD, true>(a, u, beside);
    else
      modes_sweep<V, R, OP, AHEAD, false>(a, u, beside);
  } else {
    if (a.own_mass.TYPE != 0)
      seven_cells_sweep<V, R, OP, AHEAD, true>(a, u, beside);
    else
      seven_cells_sweep<V, R, OP, AHEAD, false>(a, u, beside);
  }
}

/* As in stencil_even.cu, with W times 8 bytes of a row a thread. What is left of a row in its last thread is of no weight here. A residual that is
   rounded has a code of its own. */
#define CELLS(op, points, W, R, AHEAD, threads, blocks)                                       \
  KERNEL_BOUNDS(strip_cells_##op##_##points, cv_even_sweep_args, threads, blocks) {           \
    constexpr bool rounds = cells_##op == cells_residual && sizeof(REAL) == 8;                \
    constexpr int single = rounds ? cells_single : cells_##op, V = W * 8 / sizeof(REAL);      \
    const strip_array u = {static_cast<const REAL *>(a.u)};                                   \
    cells_beside beside = {};                                                                 \
    if (rounds && a.single)                                                                   \
      cells_sweep<V, R, points, single, AHEAD>(a, u, beside);                                 \
    else                                                                                      \
      cells_sweep<V, R, points, cells_##op, AHEAD>(a, u, beside);                             \
  }

enum { cells_blocks = sizeof(REAL) == 4 ? 4 : 3, cells_rows = sizeof(REAL) == 4 ? 4 : 3 };

CELLS(apply, 7, 2, 2, 0, 128, 4)
CELLS(residual, 7, 2, 2, 0, 128, cells_blocks)
CELLS(smooth, 7, 2, 2, 0, 128, cells_blocks)
CELLS(apply, 27, 1, 4, 1, 128, 3)
CELLS(residual, 27, 1, cells_rows, 1, 128, 3)
CELLS(smooth, 27, 1, 3, 1, 128, 3)

/* Measure, and of double correct: as in correct_even.cu, and one word of K more. */
#define CELLS_CORRECT(op, points, W, R, AHEAD, threads, blocks)                               \
  KERNEL_BOUNDS(strip_cells_##op##_##points, cv_correct_args, threads, blocks) {              \
    constexpr int V = W * 8 / sizeof(REAL);                                                   \
    const REAL *u = static_cast<const REAL *>(a.sweep.u);                                     \
    [[maybe_unused]] const strip_scaled by = {a.e, (REAL)(a.scale * quotient_of(a.by)), (REAL)a.shift};             \
    cells_beside beside = {static_cast<REAL *>(a.corrected), {}, nullptr};                    \
    if constexpr (cells_##op == cells_measure)                                                \
      cells_sweep<V, R, points, cells_##op, AHEAD>(a.sweep, strip_array{u}, beside);          \
    else if (u)                                                                               \
      cells_sweep<V, R, points, cells_##op, AHEAD>(a.sweep, strip_corrected{u, by}, beside);  \
    else                                                                                      \
      cells_sweep<V, R, points, cells_##op, AHEAD>(a.sweep, by, beside);                      \
    correct_put(a, beside.sums);                                                              \
  }

CELLS_CORRECT(measure, 7, 2, 2, 0, 128, cells_blocks)
CELLS_CORRECT(measure, 27, 1, cells_rows, 1, 128, 3)
#define CELLS_WIDE_f64 1
#if LAUNCH_JOIN(CELLS_WIDE, TYPE)
CELLS_CORRECT(correct, 7, 2, 2, 0, 128, 3)
CELLS_CORRECT(correct, 27, 1, 3, 1, 128, 3)
#endif

/* Energy: reads x and K, 2 words a node. Conjugate: reads x, p and K and writes out, 4. */
#define CELLS_ENERGY(points, W, R, AHEAD, threads, blocks)                                    \
  KERNEL_BOUNDS(strip_cells_energy_##points, cv_correct_args, threads, blocks) {              \
    const strip_array x = {static_cast<const REAL *>(a.sweep.u)};                             \
    cells_beside beside = {};                                                                 \
    cells_sweep<W * 8 / sizeof(REAL), R, points, cells_energy, AHEAD>(a.sweep, x, beside);    \
    put_sum(a.partial, beside.sums[0]);                                                       \
  }

#define CELLS_CONJUGATE(points, W, R, AHEAD, threads, blocks)                                 \
  KERNEL_BOUNDS(strip_cells_conjugate_##points, cv_conjugate_args, threads, blocks) {         \
    const strip_conjugate x = {static_cast<const REAL *>(a.sweep.u), AXIS(a.p), (REAL)(a.scale * quotient_of(a.by))};  \
    cells_beside beside = {static_cast<REAL *>(a.out), {}, nullptr};                          \
    cells_sweep<W * 8 / sizeof(REAL), R, points, cells_conjugate, AHEAD>(a.sweep, x, beside); \
    put_sum(a.partial, beside.sums[0]);                                                       \
  }

CELLS_ENERGY(7, 2, 2, 0, 128, 4)
CELLS_ENERGY(27, 1, 4, 1, 128, 3)
CELLS_CONJUGATE(7, 2, 2, 0, 128, 4)
CELLS_CONJUGATE(27, 1, 4, 1, 128, 3)

/* ConserveMeasured: reads x, e, f and K, and writes out: 5 words a node, e of float. Without fixed sides the residual is that of all
   nodes. */
#define CELLS_CONSERVE(points, W, R, AHEAD, threads, blocks)                                  \
  KERNEL_BOUNDS(strip_cells_conserve_##points, cv_conserve_strips_args, threads, blocks) {    \
    const strip_scaled u = {a.e, (REAL)a.scale, 0};                                           \
    cells_beside beside = {nullptr, {}, &a};                                                  \
    cells_sweep<W * 8 / sizeof(REAL), R, points, cells_conserve, AHEAD>(a.sweep, u, beside);  \
    put_sum(a.partial, beside.sums[0]);                                                       \
  }

CELLS_CONSERVE(7, 2, 2, 0, 128, 3)
CELLS_CONSERVE(27, 1, 3, 1, 128, 3)
