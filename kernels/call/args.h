/* The arguments of kernels as C and CUDA C see them: the numbers and types that args.gen.h, made from the structs of structs*.go, builds on. Every
   member takes 8 bytes or is an array of such, so that all compilers lay them out alike. Pointers to fields point at node (0,0,0), pointers to axis
   arrays at node 0, halo before and after. */
#ifndef CONVECT_ARGS_H
#define CONVECT_ARGS_H

#include <stdint.h>

/* Most sweeps of Descend and Ascend. */
enum { cv_sweeps = 4 };

/* Elements of a block of Fill, Copy and Combine. */
enum { cv_block = 1024 };

/* The values of kernels.Reduction, and the sum of w_x w_y (X - X_0) for HorizontalMean. */
enum { cv_dot, cv_volume_sum, cv_volume_dot, cv_max_abs, cv_max_diff, cv_sum, cv_finite, cv_area_sum };

/* The values of kernels.Scheme. */
enum { cv_central, cv_tvd, cv_weno5 };

/* The values of kernels.Spreading. */
enum { cv_spread_edges, cv_spread_trilinear, cv_spread_limited };

/* The values of kernels.Folding. */
enum { cv_whole, cv_fold_forth, cv_fold_back };

/* The values of kernels.Waves. */
enum { cv_no_waves, cv_cosines, cv_sines, cv_fixed_high, cv_fixed_low, cv_periodic_waves };

/* Numbers of a node of z in the table of kernels.ModesArgs. */
enum { modes_first, modes_second, modes_volume, modes_tie, modes_up, modes_up_first, modes_up_second, modes_heights };

/* Numbers of cycle_trilinear.cu. */
enum { cv_trilinear_numbers = 18 };

/* A number of the type that a kernel computes in. */
typedef union {
  double f64;
  float f32;
} cv_real;

#include "args.gen.h"

#endif
