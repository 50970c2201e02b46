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

/* The same for a kernel that only sums up: there are no planes where the box does not count the column. n are those of its nodes, or of its cells. */
DEVICE slab counted_slab_of(const cv_box &box, const int64_t *n) {
  slab s = slab_of(n);
  s.high = counts_row(box, s.j) ? s.high : s.low;
  return s;
}

/* A column (i,j) of a block whose outer threads serve the others: they own no nodes, and neither do those beyond the box, which all have a place no further
   than one beyond it. A warp has 30 of a row; of flat boxes each warp has others of the one row there is. */
typedef struct {
  int i, j, low, high;
  bool inner_x, inner_y; /* along the axis the node is in the box, and there are threads on both sides */
} rim_column;

/* The row of a thread, which may lie beyond the box. */
DEVICE int rim_row() { return (int)blockIdx.y * (rim_rows - 2) + (int)threadIdx.y - 1; }

DEVICE rim_column rim_column_of(const int64_t *n, bool flat) {
  const int lane = (int)threadIdx.x, y = (int)threadIdx.y, planes = planes_of_slab((int)n[2]);
  const int tile = flat ? (int)blockIdx.x * rim_rows + y : (int)blockIdx.x;
  const int i = tile * 30 + lane - 1, j = flat ? 0 : rim_row();
  rim_column s;
  s.i = min(i, (int)n[0]), s.j = min(j, (int)n[1]);
  s.low = min((int)blockIdx.z * planes, (int)n[2]);
  s.high = min(s.low + planes, (int)n[2]);
  s.inner_x = lane > 0 && lane < 31 && i < n[0];
  s.inner_y = (flat || (y > 0 && y < rim_rows - 1)) && j < n[1];
  return s;
}

#endif
