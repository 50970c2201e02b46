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

/* Columns (i,j), (i,j+1) ... of a thread, in a block whose outer threads serve the others: they own no nodes, and neither do those beyond the box, which all have a
   place no further than one beyond it. A warp has 30 of a row; of flat boxes, where a thread has one column, each warp has others of the one row there is. */
typedef struct {
  int i, j, row, low, high; /* row is that of the first column in its block */
  bool inner_x;             /* the node is in the box, and there are threads on both sides */
} rim_column;

template <int each> DEVICE rim_column rim_column_of(const int64_t *n) {
  constexpr bool flat = each == 1;
  const int lane = (int)threadIdx.x, y = (int)threadIdx.y, planes = planes_of_slab((int)n[2]);
  const int tile = flat ? (int)blockIdx.x * rim_warps + y : (int)blockIdx.x, i = tile * 30 + lane - 1;
  rim_column s;
  s.i = min(i, (int)n[0]), s.row = flat ? 0 : y * each, s.j = flat ? 0 : (int)blockIdx.y * (rim_warps * each - 2) + s.row - 1;
  s.low = min((int)blockIdx.z * planes, (int)n[2]);
  s.high = min(s.low + planes, (int)n[2]);
  s.inner_x = lane > 0 && lane < 31 && i < n[0];
  return s;
}

/* The same along y of column r. */
template <int each> DEVICE bool rim_inner_y(const rim_column &s, const int64_t *n, int r) {
  return each == 1 || (s.row + r > 0 && s.row + r < rim_warps * each - 1 && s.j + r < n[1]);
}

#endif
