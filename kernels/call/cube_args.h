/* The arguments of HierarchicalCube: the twin of Cube in structs.go, as args.h has the others. */
#ifndef CONVECT_CUBE_ARGS_H
#define CONVECT_CUBE_ARGS_H

#include "args.h"

/* `room` is the largest block that there is; scratch is of device backends. For one sweep on a GPU `tile` is the vectors of a row and the groups of
   rows. */
typedef struct {
  cv_box box;
  void *out;
  const void *u, *f;
  void *scratch;
  int64_t tile[3], room[3], blocks[3], overlap, sweeps, stream;
} cv_cube_args;

#endif
