/* Copies for Descend and Ascend, whose sweeps and transfers are the kernels of elliptic.cu and transfer.cu: from fine_x to coarse_x, both
   of the box `fine`. */
#include "launch.h"

/* Nodes and one layer around them: at periodic ends the values of the other end, beyond walls zero. 2 words a node. */
KERNEL(copy_wrapped, cv_transfer_args) {
  const cv_box &box = a.fine;
  const int rim = box.sy ? 1 : 0;
  const int at[3] = {(int)(blockIdx.x * blockDim.x + threadIdx.x) - 1, (int)(blockIdx.y * blockDim.y + threadIdx.y) - rim,
                     (int)(blockIdx.z * blockDim.z + threadIdx.z) - 1};
  if (at[0] > box.n[0] || at[1] >= box.n[1] + rim || at[2] > box.n[2])
    return;
  const int64_t stride[3] = {1, box.sy, box.sz};
  int64_t to = 0, from = 0;
  bool beyond = false;
#pragma unroll
  for (int d = 0; d < 3; d++) {
    const int n = (int)box.n[d], node = (at[d] + n) % n;
    beyond = beyond || (!a.periodic[d] && node != at[d]);
    to += at[d] * stride[d];
    from += node * stride[d];
  }
  static_cast<REAL *>(a.coarse_x)[to] = beyond ? 0 : AXIS(a.fine_x)[from];
}

/* Nodes alone. */
KERNEL(copy_nodes, cv_transfer_args) {
  NODE(i, j, k, a.fine);
  const int64_t at = i + j * a.fine.sy + k * a.fine.sz;
  static_cast<REAL *>(a.coarse_x)[at] = AXIS(a.fine_x)[at];
}
