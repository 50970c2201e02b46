/* The arguments of Poisson2D as C and CUDA C see them: arguments of args.go. */
#ifndef JAUGEY_ARGS_H
#define JAUGEY_ARGS_H

#include "../../kernels/call/args.h"

/* layout as Layout; `blocks` along x. */
typedef struct {
  cv_box box;
  void *out;
  const void *u, *f;
  int64_t layout, tile, blocks;
} jaugey_poisson_args;

#endif
