/* Conductivity of cells: Mobility, CoarsenCells, Coupling; and what it makes of faces: Conductance. */
#include "../launch.h"
#include "reduce.cuh"
#include "../march/slab.cuh"

/* One thread a cell, like NODE. */
#define CELL(i, j, k, cells)                                    \
  const int i = (int)(blockIdx.x * blockDim.x + threadIdx.x);   \
  const int j = (int)(blockIdx.y * blockDim.y + threadIdx.y);   \
  const int k = (int)(blockIdx.z * blockDim.z + threadIdx.z);   \
  if (i >= (cells)[0] || j >= (cells)[1] || k >= (cells)[2]) return

/* Out = K f(mean of T at the cell's nodes). Reads T and K once, writes Out. */
KERNEL(mobility, cv_mobility_args) {
  CELL(i, j, k, a.count);
  const int64_t sy = a.box.sy, sz = a.box.sz, at = i + j * sy + k * sz;
  const REAL *t = AXIS(a.t) + at;
  const REAL low = (t[0] + t[sy]) + (t[sz] + t[sy + sz]), high = (t[1] + t[1 + sy]) + (t[1 + sz] + t[1 + sy + sz]);
  const REAL f = point_table(AXIS(a.table), a.entries, (REAL)0.125 * (low + high), (REAL)a.low, (REAL)a.per_unit);
  static_cast<REAL *>(a.out)[at] = f * (a.cells ? AXIS(a.cells)[at] : (REAL)a.k);
}

/* Out = f(X, Y). Reads X and Y once, writes Out. */
KERNEL(tabulate, cv_tabulate_args) {
  NODE(i, j, k, a.box);
  const int64_t at = i + j * a.box.sy + k * a.box.sz;
  static_cast<REAL *>(a.out)[at] = point_table_of_two(AXIS(a.table), a.columns, a.rows, AXIS(a.x)[at], AXIS(a.y)[at], (REAL)a.low_x, (REAL)a.low_y,
                                                      (REAL)a.per_x, (REAL)a.per_y);
}

/* Up to three children of a coarse cell along an axis, and their widths in it. */
struct axis_children {
  int first, count;
  REAL h[3];
};

/* Those of coarse cell J along axis d. */
DEVICE axis_children axis_children_of(const cv_coarsen_cells_args &a, int d, int J) {
  const REAL *h = AXIS(a.h[d]);
  const int factor = (int)a.factor[d];
  const int64_t coarse = factor ? 1 : a.count[d], fine = factor ? factor : a.fine.n[d] - !a.periodic[d]; /* cells: in parts of a fine cell */
  const int64_t low = J * fine, high = low + fine;
  axis_children c = {(int)(low / coarse), 0, {0, 0, 0}};
#pragma unroll
  for (int m = 0; m < 3; m++) {
    const int64_t i = c.first + m;
    if (i * coarse < high) {
      c.h[m] = h[i] * ((REAL)(min((i + 1) * coarse, high) - max(i * coarse, low)) / (REAL)coarse);
      c.count = m + 1;
    }
  }
  return c;
}

/* A coarse cell some of whose children belong to two. */
DEVICE REAL coarse_cell_between(const cv_coarsen_cells_args &a, const axis_children &cd, const axis_children &cp, const axis_children &cq, int64_t d,
                                int64_t p, int64_t q) {
  const REAL *child = AXIS(a.fine_k) + cd.first * d + cp.first * p + cq.first * q;
  REAL sum = 0, weights = 0;
  for (int b = 0; b < cp.count; b++)
    for (int c = 0; c < cq.count; c++) {
      REAL length = 0, part = 0;
      for (int m = 0; m < cd.count; m++) {
        const REAL v = child[b * p + c * q + m * d];
        length += cd.h[m];
        part += a.arithmetic ? cd.h[m] * v : cd.h[m] / v;
      }
      const REAL w = cp.h[b] * cq.h[c];
      sum += w * (a.arithmetic ? part / length : length / part);
      weights += w;
    }
  return sum / weights;
}

/* CoarseK of kernels.CoarsenCellsArgs. */
KERNEL(coarsen_cells, cv_coarsen_cells_args) {
  CELL(i, j, k, a.count);
  if (!a.factor[0] || !a.factor[1] || !a.factor[2]) {
    const int cell[3] = {i, j, k};
    const int64_t stride[3] = {1, a.fine.sy, a.fine.sz};
    const int d = (int)a.axis, p = (d + 1) % 3, q = (d + 2) % 3;
    static_cast<REAL *>(a.coarse_k)[i + j * a.coarse.sy + k * a.coarse.sz] =
        coarse_cell_between(a, axis_children_of(a, d, cell[d]), axis_children_of(a, p, cell[p]), axis_children_of(a, q, cell[q]), stride[d], stride[p],
                            stride[q]);
    return;
  }
  const int d = (int)a.axis, p = (d + 1) % 3, q = (d + 2) % 3;
  const int64_t stride[3] = {1, a.fine.sy, a.fine.sz}, first[3] = {i * a.factor[0], j * a.factor[1], k * a.factor[2]};
  const REAL *child = AXIS(a.fine_k) + first[0] + first[1] * stride[1] + first[2] * stride[2];
  const REAL *hd = AXIS(a.h[d]) + first[d], *hp = AXIS(a.h[p]) + first[p], *hq = AXIS(a.h[q]) + first[q];
  const int nd = (int)a.factor[d], np = (int)a.factor[p], nq = (int)a.factor[q]; /* 1 or 2 */
  REAL v[2][2][2]; /* all are asked for before the first is needed */
#pragma unroll
  for (int n = 0; n < 8; n++) {
    const int b = n >> 2, c = n >> 1 & 1, m = n & 1;
    v[b][c][m] = child[(b < np ? b * stride[p] : 0) + (c < nq ? c * stride[q] : 0) + (m < nd ? m * stride[d] : 0)];
  }
  REAL sum = 0, weights = 0;
#pragma unroll
  for (int b = 0; b < 2; b++)
#pragma unroll
    for (int c = 0; c < 2; c++) {
      if (b >= np || c >= nq)
        continue;
      REAL length = hd[0], part = a.arithmetic ? hd[0] * v[b][c][0] : hd[0] / v[b][c][0];
      if (nd == 2) {
        length += hd[1];
        part += a.arithmetic ? hd[1] * v[b][c][1] : hd[1] / v[b][c][1];
      }
      const REAL w = hp[b] * hq[c];
      sum += w * (a.arithmetic ? part / length : length / part);
      weights += w;
    }
  static_cast<REAL *>(a.coarse_k)[i + j * a.coarse.sy + k * a.coarse.sz] = sum / weights;
}

/* Two arrays of partial results: the largest K/h^2 and h^2/K. */
KERNEL(coupling, cv_coupling_args) {
  const slab s = counted_slab_of(a.box, a.count);
  const REAL *x = AXIS(a.k) + s.i + s.j * a.box.sy;
  double most = 0, least = 0;
  for (int n = s.low; n < s.high; n++) {
    const double g = AXIS(a.rh)[a.axis == 0 ? s.i : a.axis == 1 ? s.j : n], v = g * g * x[n * a.box.sz];
    most = larger(most, v);
    least = larger(least, 1 / v);
  }
  put_max(a.partial, most);
  put_max(a.partial + a.parts, least);
}

/* The part of the cells of one row beside an edge along an axis, low and high in the direction q: the sum of K h. */
DEVICE REAL conductance_row(const REAL *k, int64_t stride, const REAL *h, int at) { return h[at - 1] * k[-stride] + h[at] * k[0]; }

/* Reads K, of one array or three, and writes three words a node. */
KERNEL(conductance, cv_conductance_args) {
  NODE(i, j, k, a.a.box);
  const int at[3] = {i, j, k};
  const int64_t stride[3] = {1, a.a.box.sy, a.a.box.sz}, node = i + j * stride[1] + k * stride[2];
#pragma unroll
  for (int d = 0; d < 3; d++) {
    const int p = d == 0 ? 1 : 0, q = d == 2 ? 1 : 2;
    if (!a.out[d])
      continue;
    REAL g = (REAL)a.a.k[d] * (AXIS(a.a.h[p])[at[p] - 1] + AXIS(a.a.h[p])[at[p]]) * (AXIS(a.a.h[q])[at[q] - 1] + AXIS(a.a.h[q])[at[q]]);
    if (a.a.cells[d]) {
      const REAL *cell = AXIS(a.a.cells[d]) + node;
      g = AXIS(a.a.h[q])[at[q] - 1] * conductance_row(cell - stride[q], stride[p], AXIS(a.a.h[p]), at[p]) +
          AXIS(a.a.h[q])[at[q]] * conductance_row(cell, stride[p], AXIS(a.a.h[p]), at[p]);
    }
    static_cast<REAL *>(a.out[d])[node] = AXIS(a.a.rh[d])[at[d]] * (g * (REAL)0.25);
  }
}
