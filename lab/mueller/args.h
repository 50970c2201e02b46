/* The arguments of kernels as C and CUDA C see them: structs of check.go. Pointers to fields point at cell (0,0,0), pointers to arrays over columns at
   column (0,0). */
#ifndef MUELLER_ARGS_H
#define MUELLER_ARGS_H

#include "../../kernels/call/args.h"

/* A Panel. order: 0 columns, 1 rows are contiguous. */
typedef struct {
  int64_t n[3], stride[3];
  int64_t run, row, order;
} mueller_panel;

/* A ColumnOperator. */
typedef struct {
  mueller_panel panel;
  const void *mass, *vertical, *horizontal;
  const void *area, *edge_x, *edge_y;
} mueller_columns;

/* All kernels: out is Y, Z, Out, CoarseF, U of ColumnProlong or the values of a matrix, f the right side or the values of a matrix, stored the
   tridiagonal systems. */
typedef struct {
  mueller_columns a;
  mueller_panel coarse;
  int64_t factor[2];
  void *out, *p, *q, *r;
  const void *u, *z, *f;
  void *stored[3];
  int32_t *start, *column;
  double alpha, beta, omega;
  double *partial;
  int64_t length, width, strip, stream;
} mueller_args;

#endif
