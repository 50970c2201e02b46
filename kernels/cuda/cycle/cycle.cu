/* What Descend and Ascend need besides sweeps and residuals where they are made of single kernels: transfers that find their neighbours
   round periodic ends themselves, and the layer of nodes around scratch arrays. */
#include "../launch.h"
#include "../stencil/mask.cuh"
#include "../march/slab.cuh"

/* Writes a node of the box or of the layer around it: what fine_x has there, at periodic ends at the other end, or zero beyond walls. */
DEVICE void wrapped_copy(const cv_transfer_args &a, REAL *out, const int (&at)[3]) {
  const int64_t stride[3] = {1, a.fine.sy, a.fine.sz};
  int64_t to = 0, from = 0;
  bool beyond = false;
#pragma unroll
  for (int d = 0; d < 3; d++) {
    const int n = (int)a.fine.n[d], node = at[d] < 0 ? at[d] + n : at[d] >= n ? at[d] - n : at[d];
    beyond = beyond || (!a.periodic[d] && node != at[d]);
    to += at[d] * stride[d];
    from += node * stride[d];
  }
  out[to] = beyond ? 0 : AXIS(a.fine_x)[from];
}

/* Nodes and so many layers around them as `factor` says of each axis, none or one, from fine_x to coarse_x, both of the box `fine`: at periodic ends the
   values of the other end, beyond walls zero. 2 words a node. */
KERNEL(copy_wrapped, cv_transfer_args) {
  if (a.factor[0] + a.factor[1] + a.factor[2] == 0) { /* whether there are layers is the same for all threads */
    NODE(i, j, k, a.fine);
    const int64_t node = i + j * a.fine.sy + k * a.fine.sz;
    static_cast<REAL *>(a.coarse_x)[node] = AXIS(a.fine_x)[node];
    return;
  }
  const int at[3] = {(int)(blockIdx.x * blockDim.x + threadIdx.x) - (int)a.factor[0],
                     (int)(blockIdx.y * blockDim.y + threadIdx.y) - (int)a.factor[1],
                     (int)(blockIdx.z * blockDim.z + threadIdx.z) - (int)a.factor[2]};
#pragma unroll
  for (int d = 0; d < 3; d++)
    if (at[d] >= a.fine.n[d] + a.factor[d])
      return;
  wrapped_copy(a, static_cast<REAL *>(a.coarse_x), at);
}

/* The layer alone, in place: node e of it, first those below and above, then for each plane those before, behind, left and right of its
   nodes. */
KERNEL(wrap_rim, cv_transfer_args) {
  const cv_box &box = a.fine;
  const int n[3] = {(int)box.n[0], (int)box.n[1], (int)box.n[2]}, rim = box.sy ? 1 : 0, wide = n[0] + 2;
  const int face = wide * (n[1] + 2 * rim), round = 2 * rim * wide + 2 * n[1];
  const int e = (int)(blockIdx.x * blockDim.x + threadIdx.x);
  int at[3];
  if (e < 2 * face) {
    const int in_face = e % face;
    at[0] = in_face % wide - 1;
    at[1] = in_face / wide - rim;
    at[2] = e < face ? -1 : n[2];
  } else {
    int in_round = (e - 2 * face) % round;
    at[2] = (e - 2 * face) / round;
    if (at[2] >= n[2])
      return;
    if (in_round < 2 * rim * wide) {
      at[0] = in_round % wide - 1;
      at[1] = in_round < wide ? -1 : n[1];
    } else {
      in_round -= 2 * rim * wide;
      at[0] = in_round < n[1] ? -1 : n[0];
      at[1] = in_round % n[1];
    }
  }
  wrapped_copy(a, static_cast<REAL *>(a.fine_x), at);
}

/* Offsets of the fine nodes before, at and after coarse node i of an axis, and their weights. */
struct wrapped_taps {
  int64_t at[3];
  REAL weight[3];
};

DEVICE wrapped_taps wrapped_taps_of(int i, int factor, int n, bool periodic, int64_t stride) {
  const int own = factor * i;
  wrapped_taps t = {{own * stride, own * stride, own * stride}, {0, 1, 0}};
  if (factor == 2 && (own > 0 || periodic)) {
    t.at[0] = (own > 0 ? own - 1 : n - 1) * stride;
    t.weight[0] = (REAL)0.5;
  }
  if (factor == 2 && (own < n - 1 || periodic)) {
    t.at[2] = (own < n - 1 ? own + 1 : 0) * stride;
    t.weight[2] = (REAL)0.5;
  }
  return t;
}

/* CoarseX = mask Pt FineX, FineX without a halo. Reads FineX once, 8 words of it for each that is written. */
KERNEL(restrict_wrapped, cv_transfer_args) {
  NODE(i, j, k, a.coarse);
  const wrapped_taps x = wrapped_taps_of(i, (int)a.factor[0], (int)a.fine.n[0], a.periodic[0], 1);
  const wrapped_taps y = wrapped_taps_of(j, (int)a.factor[1], (int)a.fine.n[1], a.periodic[1], a.fine.sy);
  const wrapped_taps z = wrapped_taps_of(k, (int)a.factor[2], (int)a.fine.n[2], a.periodic[2], a.fine.sz);
  REAL sum = 0;
#pragma unroll
  for (int c = 0; c < 3; c++) {
    REAL plane = 0;
#pragma unroll
    for (int b = 0; b < 3; b++) {
      const REAL *row = AXIS(a.fine_x) + z.at[c] + y.at[b];
      plane += y.weight[b] * (row[x.at[1]] + (x.weight[0] * row[x.at[0]] + x.weight[2] * row[x.at[2]]));
    }
    sum += z.weight[c] * plane;
  }
  const REAL free = mask_at(a.mask, i, j + k * a.coarse.n[1]);
  static_cast<REAL *>(a.coarse_x)[i + j * a.coarse.sy + k * a.coarse.sz] = free * sum;
}

/* The two coarse nodes of an axis around fine node i, the same where it lies on one. */
DEVICE void wrapped_pair(int64_t (&at)[2], int i, int factor, int n, int64_t stride) {
  const int low = i / factor, high = i == low * factor ? low : low + 1 < n ? low + 1 : 0;
  at[0] = low * stride;
  at[1] = high * stride;
}

/* Out = U + mask P CoarseX, all without a halo. Reads U, CoarseX once and writes Out: 2 1/8 words a node. A thread visits the nodes of its column,
   which have two planes of CoarseX around them. */
KERNEL(correct_wrapped, cv_cycle_args) {
  const cv_box &box = a.a.box;
  const slab l = slab_of(box.n);
  int64_t x[2], y[2];
  wrapped_pair(x, l.i, (int)a.factor[0], (int)a.coarse.n[0], 1);
  wrapped_pair(y, l.j, (int)a.factor[1], (int)a.coarse.n[1], a.coarse.sy);
  const auto in_plane = [&](int K) {
    const REAL *c = static_cast<const REAL *>(a.coarse_x) + (K < a.coarse.n[2] ? K : 0) * a.coarse.sz;
    return (REAL)0.25 * ((c[y[0] + x[0]] + c[y[0] + x[1]]) + (c[y[1] + x[0]] + c[y[1] + x[1]]));
  };
  const int factor = (int)a.factor[2];
  REAL low = 0, high = 0;
  for (int k = l.low; k < l.high; k++) {
    const int K = k / factor;
    REAL correction;
    if (k == K * factor) {
      low = k == l.low || factor == 1 ? in_plane(K) : high;
      correction = low;
    } else {
      if (k == l.low)
        low = in_plane(K);
      high = in_plane(K + 1);
      correction = (REAL)0.5 * (low + high);
    }
    const int64_t at = l.i + l.j * box.sy + k * box.sz;
    static_cast<REAL *>(a.out)[at] = AXIS(a.u)[at] + mask_at(a.a.mask, l.i, l.j + k * box.n[1]) * correction;
  }
}
