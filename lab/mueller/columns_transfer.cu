/* Columns on two levels of a hierarchy, ColumnRestrict and ColumnProlong; ColumnDot, and the sums of all kernels on columns. */
#include "columns.cuh"

/* One thread a cell of a panel: in either order the index that runs fastest along x. The blocks along z go over the third. */
typedef struct {
  int n[3];
  bool owns;
} panel_cell;

DEVICE panel_cell panel_cell_of(const mueller_panel &p) {
  const int fast = p.order == row_order ? 0 : 2, middle = p.order == row_order ? 1 : 0, slow = p.order == row_order ? 2 : 1;
  panel_cell c;
  c.n[fast] = (int)(blockIdx.x * blockDim.x + threadIdx.x);
  c.n[middle] = (int)(blockIdx.y * blockDim.y + threadIdx.y);
  c.n[slow] = (int)blockIdx.z;
  c.owns = c.n[fast] < p.n[fast] && c.n[middle] < p.n[middle];
  return c;
}

DEVICE int64_t element_of(const mueller_panel &p, int i, int j, int k) { return i * p.stride[0] + j * p.stride[1] + k * p.stride[2]; }

/* CoarseF = sum of F - A U over the children: 2 words a fine cell and one a coarse one. */
KERNEL_BOUNDS(column_restrict, mueller_launch, 256, 4) {
  const mueller_args &c = a.c;
  const panel_cell cell = panel_cell_of(c.coarse);
  if (!cell.owns)
    return;
  const int k = cell.n[2];
  REAL sum = 0;
  for (int y = 0; y < c.factor[1]; y++)
    for (int x = 0; x < c.factor[0]; x++) {
      const int i = (int)c.factor[0] * cell.n[0] + x, j = (int)c.factor[1] * cell.n[1] + y;
      sum += AXIS(c.f)[element_of(c.a.panel, i, j, k)] - balance_at(c.a, AXIS(c.u), i, j, k);
    }
  static_cast<REAL *>(c.out)[element_of(c.coarse, cell.n[0], cell.n[1], k)] = sum;
}

/* U += P CoarseU: 2 words a fine cell and one a coarse one. Of its parent and the parent's neighbour on its side a child takes 3/4 and
   1/4 along each halved axis. */
KERNEL_BOUNDS(column_prolong, mueller_launch, 256, 4) {
  const mueller_args &c = a.c;
  const panel_cell cell = panel_cell_of(c.a.panel);
  if (!cell.owns)
    return;
  int own[2], beside[2];
  for (int d = 0; d < 2; d++) {
    own[d] = cell.n[d] / (int)c.factor[d];
    beside[d] = c.factor[d] == 1 ? own[d] : own[d] + (cell.n[d] % 2 ? 1 : -1);
    if (beside[d] < 0 || beside[d] >= c.coarse.n[d])
      beside[d] = own[d];
  }
  const REAL *u = AXIS(c.u), most = (REAL)0.75, rest = (REAL)0.25;
  const int k = cell.n[2];
  const REAL near = fma(most, u[element_of(c.coarse, own[0], own[1], k)], rest * u[element_of(c.coarse, beside[0], own[1], k)]);
  const REAL far = fma(most, u[element_of(c.coarse, own[0], beside[1], k)], rest * u[element_of(c.coarse, beside[0], beside[1], k)]);
  static_cast<REAL *>(c.out)[element_of(c.a.panel, cell.n[0], cell.n[1], k)] += fma(most, near, rest * far);
}

/* Sum of X Y over whole buffers: 2 words an element, 1 where they are one. Products and sums are in float64. */
KERNEL_BOUNDS(column_dot, mueller_launch, 256, 4) {
  const REAL *x = AXIS(a.c.u), *y = AXIS(a.c.z);
  const int64_t vectors = a.c.length / march_nodes, threads = (int64_t)gridDim.x * blockDim.x;
  const int64_t own = (int64_t)blockIdx.x * blockDim.x + threadIdx.x;
  double sum[1] = {};
#pragma unroll 4
  for (int64_t n = own; n < vectors; n += threads) {
    const march_vector xs = march_load(x + n * march_nodes), ys = x == y ? xs : march_load(y + n * march_nodes);
#pragma unroll
    for (int v = 0; v < march_nodes; v++)
      sum[0] = fma((double)xs.v[v], (double)ys.v[v], sum[0]);
  }
  for (int64_t e = vectors * march_nodes + own; e < a.c.length; e += threads)
    sum[0] = fma((double)x[e], (double)y[e], sum[0]);
  put_partials(a, sum);
}

/* Adds up `length` partial results to slots slot, slot+1, ..., `width` of them, 1 or 2, in a fixed tree; and makes the scalars of conjugate gradients
   of them, of one sum alpha = rho / sum of P Q, of two beta = sum of R Z / rho and rho = sum of R Z. One block. */
KERNEL_BOUNDS(column_sums, mueller_launch, 1024, 1) {
  const bool two = a.c.width == 2;
  double sums[2] = {};
#pragma unroll 4
  for (int64_t b = threadIdx.x; b < a.c.length; b += blockDim.x) {
    sums[0] += a.c.partial[b];
    sums[1] += two ? a.c.partial[a.c.length + b] : 0;
  }
  __shared__ double room[2][32];
  const int lane = (int)threadIdx.x % 32, warp = (int)threadIdx.x / 32;
  for (int n = 0; n < 2; n++) {
    sums[n] = warp_sum(sums[n]);
    if (lane == 0)
      room[n][warp] = sums[n];
  }
  __syncthreads();
  if (warp > 0)
    return;
  for (int n = 0; n < 2; n++)
    sums[n] = warp_sum(lane < (int)blockDim.x / 32 ? room[n][lane] : 0);
  if (lane > 0)
    return;
  for (int n = 0; n < a.c.width; n++)
    a.slot[n] = sums[n];
  if (!a.scalars)
    return;
  if (!two) {
    a.scalars[0] = a.scalars[2] / sums[0];
  } else {
    a.scalars[1] = sums[1] / a.scalars[2];
    a.scalars[2] = sums[1];
  }
}
