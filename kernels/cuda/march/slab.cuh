/* Blocks of columns of nodes that walk up through a slab of planes: what a plane has read is still in the first
   cache for the next, and what lies between two planes is computed once. */
#ifndef CONVECT_SLAB_CUH
#define CONVECT_SLAB_CUH

#include "../launch.h"

/* The column (i,j) of a thread and its planes low..high-1; none where the column lies beyond the box. */
typedef struct {
  int i, j, low, high;
} slab;

/* The planes of a slab of n: all have as many, the last as many as are left. */
DEVICE int planes_of_slab(int n) { return (n + (int)gridDim.z - 1) / (int)gridDim.z; }

/* The slab of a thread in a box of n nodes. */
DEVICE slab slab_of(const int64_t *n) {
  const int nz = (int)n[2], planes = planes_of_slab(nz);
  slab s;
  s.i = (int)(blockIdx.x * blockDim.x + threadIdx.x);
  s.j = (int)(blockIdx.y * blockDim.y + threadIdx.y);
  s.low = min((int)blockIdx.z * planes, nz);
  s.high = s.i < (int)n[0] && s.j < (int)n[1] ? min(s.low + planes, nz) : s.low;
  return s;
}

#endif
