/* Operations on the nodes of a side: SetWall, WallSum, WallThrough, WallFlux. Thread e is element e of the side's wall arrays. */
#include "../launch.h"
#include "../vector/reduce.cuh"

/* The node (i,j,k) of a box at element e of a wall array. */
typedef struct {
  int p[3];
} wall_node;

DEVICE wall_node wall_node_of(const cv_box &box, int side, int64_t e) {
  const int axis = side / 2, fast = axis == 0 ? 1 : 0;
  const int on = side % 2 ? (int)box.n[axis] - 1 : 0, n = (int)box.n[fast], first = (int)e % n, second = (int)e / n;
  return axis == 0   ? wall_node{{on, first, second}}
         : axis == 1 ? wall_node{{first, on, second}}
                     : wall_node{{first, second, on}};
}

DEVICE int64_t wall_nodes(const cv_box &box, int side) {
  return side / 2 == 0 ? box.n[1] * box.n[2] : side / 2 == 1 ? box.n[0] * box.n[2] : box.n[0] * box.n[1];
}

DEVICE int64_t wall_offset(const cv_box &box, const wall_node &n) { return n.p[0] + n.p[1] * box.sy + n.p[2] * box.sz; }

/* X = Value where Where is not zero. */
KERNEL(set_wall, cv_set_wall_args) {
  ELEMENT(e, wall_nodes(a.box, (int)a.side));
  if (AXIS(a.where)[e] != 0)
    static_cast<REAL *>(a.x)[wall_offset(a.box, wall_node_of(a.box, (int)a.side, e))] = AXIS(a.value)[e];
}

/* Partial sums of Weight X. */
KERNEL(wall_sum, cv_wall_sum_args) {
  const int64_t e = (int64_t)blockIdx.x * blockDim.x + threadIdx.x;
  double term = 0;
  if (e < wall_nodes(a.box, (int)a.side)) {
    const wall_node n = wall_node_of(a.box, (int)a.side, e);
    if (counts_row(a.box, n.p[1]))
      term = (double)AXIS(a.weight)[e] * AXIS(a.x)[wall_offset(a.box, n)];
  }
  put_sum(a.partial, term);
}

/* Partial sums of Weight q and of Weight q T_f, q into the domain. */
KERNEL(wall_through, cv_wall_through_args) {
  __shared__ double room[2][32];
  const int64_t e = (int64_t)blockIdx.x * blockDim.x + threadIdx.x;
  double sums[2] = {0, 0};
  if (e < wall_nodes(a.box, (int)a.side)) {
    const int axis = (int)a.side / 2, high = (int)a.side % 2;
    const wall_node n = wall_node_of(a.box, (int)a.side, e);
    const int64_t at = wall_offset(a.box, n);
    const int64_t stride = axis == 0 ? 1 : axis == 1 ? a.box.sy : a.box.sz;
    const double in = high ? -AXIS(a.q)[at] : AXIS(a.q)[at - stride];
    sums[0] = counts_row(a.box, n.p[1]) ? AXIS(a.weight)[e] * in : 0;
    sums[1] = !counts_row(a.box, n.p[1]) ? 0 : sums[0] * (in > 0 && a.inflow ? AXIS(a.inflow)[e] : AXIS(a.t)[at]);
  }
  put_all<2, 0>(a.partial, sums, room);
}

/* The share of a node on a side; 0 where it does not lie on it. */
DEVICE double wall_share(const cv_wall_flux_args &a, int side, const wall_node &n) {
  const int axis = side / 2, fast = axis == 0 ? 1 : 0, slow = axis == 2 ? 1 : 2;
  if (!a.share[side] || n.p[axis] != (side % 2 ? a.box.n[axis] - 1 : 0))
    return 0;
  return AXIS(a.share[side])[n.p[fast] + n.p[slow] * a.box.n[fast]];
}

/* Area of the dual faces of a node along an axis. */
DEVICE double wall_area(const cv_wall_flux_args &a, int axis, const wall_node &n) {
  const int b = (axis + 1) % 3, c = (axis + 2) % 3;
  return (double)AXIS(a.w[b])[n.p[b]] * AXIS(a.w[c])[n.p[c]];
}

/* What flows into a node through its faces without a share. */
DEVICE double wall_outflow(const cv_wall_flux_args &a, const wall_node &n) {
  const int64_t stride[3] = {1, a.box.sy, a.box.sz};
  double sum = 0;
#pragma unroll
  for (int axis = 0; axis < 3; axis++) {
    if (!a.q[axis])
      continue;
    const REAL *q = AXIS(a.q[axis]) + wall_offset(a.box, n);
    const double low = wall_share(a, 2 * axis, n) != 0 ? 0 : q[-stride[axis]];
    const double high = wall_share(a, 2 * axis + 1, n) != 0 ? 0 : q[0];
    sum += wall_area(a, axis, n) * (high - low);
  }
  return -sum;
}

/* Q = +- share outflow / A_f of kernels.WallFluxArgs on the sides with shares, side blockIdx.y. Faces that are
   written are not read: they have a share. */
KERNEL(wall_flux, cv_wall_flux_args) {
  const int side = (int)blockIdx.y, axis = side / 2;
  if (!a.share[side])
    return;
  ELEMENT(e, wall_nodes(a.box, side));
  const double share = AXIS(a.share[side])[e];
  if (share == 0)
    return;
  const wall_node n = wall_node_of(a.box, side, e);
  const int64_t stride = axis == 0 ? 1 : axis == 1 ? a.box.sy : a.box.sz;
  REAL *q = static_cast<REAL *>(a.q[axis]) + wall_offset(a.box, n);
  q[side % 2 ? 0 : -stride] = (REAL)((side % 2 ? 1 : -1) * share * wall_outflow(a, n) / wall_area(a, axis, n));
}
