/* The arguments of kernels as C and CUDA C see them: structs of args.go. */
#ifndef ISLAM_ARGS_H
#define ISLAM_ARGS_H

#include "../../kernels/call/args.h"

/* HierarchicalJacobi; `room` is the largest block that there is; scratch is of GPUs. */
typedef struct {
  cv_box box;
  void *out;
  const void *u, *f;
  void *scratch;
  int64_t lines, tile[2], room[2], blocks[2], overlap, sweeps, stream;
} islam_jacobi_args;

/* HierarchicalCube; the same in three dimensions. For one sweep on a GPU `tile` is the vectors of a row and the groups of rows. */
typedef struct {
  cv_box box;
  void *out;
  const void *u, *f;
  void *scratch;
  int64_t tile[3], room[3], blocks[3], overlap, sweeps, stream;
} islam_cube_args;

/* Most sweeps of HierarchicalSmooth. */
enum { islam_block_sweeps = 32 };

/* HierarchicalSmooth: tiles of rows, along y and z, with a margin of rows around each. Scratch, of GPUs, is two copies of a block for every
   thread block. */
typedef struct {
  cv_elliptic a;
  void *out;
  const void *u, *f; /* u NULL: zero */
  void *scratch;
  double omega[islam_block_sweeps];
  int64_t sweeps, tile[2], margin, periodic[3], stream;
} islam_smooth_args;

#endif
