/* The arguments of LaplaceJacobi as C and CUDA C see them: arguments of args.go. */
#ifndef GILES_ARGS_H
#define GILES_ARGS_H

#include "../../kernels/call/args.h"

/* On a GPU `tile` is the block of threads and the planes of a slab, in registers the vectors of a row and the groups of rows. */
typedef struct {
  cv_box box;
  void *out;
  const void *u;
  void *work;
  int64_t tile[3];
  int64_t stream;
} giles_laplace_args;

#endif
