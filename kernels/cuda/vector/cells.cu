/* Conductivity of cells: Mobility, CoarsenCells, Coupling; and what it makes of faces: Conductance. */
#include "../launch.h"
#include "reduce.cuh"
#include "../march/march.cuh"
#include "../march/slab.cuh"

/* One thread a cell, like NODE. */
#define CELL(i, j, k, cells)                                    \
  const int i = (int)(blockIdx.x * blockDim.x + threadIdx.x);   \
  const int j = (int)(blockIdx.y * blockDim.y + threadIdx.y);   \
  const int k = (int)(blockIdx.z * blockDim.z + threadIdx.z);   \
  if (i >= (int)(cells)[0] || j >= (int)(cells)[1] || k >= (int)(cells)[2]) return

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
  const int coarse = factor ? 1 : (int)a.count[d], fine = factor ? factor : (int)(a.fine.n[d] - !a.periodic[d]); /* cells: in parts of a fine cell */
  const int low = J * fine, high = low + fine;
  axis_children c = {low / coarse, 0, {0, 0, 0}};
#pragma unroll
  for (int m = 0; m < 3; m++) {
    const int i = c.first + m;
    if (i * coarse < high) {
      c.h[m] = h[i] * march_quotient((REAL)(min((i + 1) * coarse, high) - max(i * coarse, low)), (REAL)coarse);
      c.count = m + 1;
    }
  }
  return c;
}

/* A coarse cell some of whose children belong to two. */
template <int axis> DEVICE REAL coarse_cell_between(const cv_coarsen_cells_args &a, int i, int j, int k) {
  const int cell[3] = {i, j, k};
  const int64_t stride[3] = {1, a.fine.sy, a.fine.sz}, d = stride[axis], p = stride[(axis + 1) % 3], q = stride[(axis + 2) % 3];
  const axis_children cd = axis_children_of(a, axis, cell[axis]), cp = axis_children_of(a, (axis + 1) % 3, cell[(axis + 1) % 3]);
  const axis_children cq = axis_children_of(a, (axis + 2) % 3, cell[(axis + 2) % 3]);
  const REAL *child = AXIS(a.fine_k) + cd.first * d + cp.first * p + cq.first * q;
  REAL sum = 0, weights = 0;
#pragma unroll 1
  for (int b = 0; b < cp.count; b++)
#pragma unroll 1
    for (int c = 0; c < cq.count; c++) {
      REAL length = 0, part = 0;
#pragma unroll 1
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

/* Two cells side by side in x, of which the first lies at an even place. */
typedef struct __align__(2 * sizeof(REAL)) {
  REAL v[2];
} children_of_row;

/* A coarse cell of one or two whole children along each axis: v[z][y][x], their widths h. Where there is one along an axis, the second is the same with width 0.
   A column conducts (h0 + h1) K0 K1 / (h0 K1 + h1 K0): one division where the formula has three, and nothing where both children conduct nothing. */
template <int d, bool arithmetic> DEVICE REAL coarse_cell_of(const REAL (&v)[2][2][2], const REAL (&h)[3][2]) {
  constexpr int p = (d + 1) % 3, q = (d + 2) % 3;
  const REAL length = h[d][0] + h[d][1], across = (h[p][0] + h[p][1]) * (h[q][0] + h[q][1]);
  REAL sum = 0;
#pragma unroll
  for (int n = 0; n < 4; n++) {
    int low[3] = {0, 0, 0}, high[3];
    low[p] = n >> 1, low[q] = n & 1;
    high[0] = low[0] | (d == 0), high[1] = low[1] | (d == 1), high[2] = low[2] | (d == 2);
    const REAL v0 = v[low[2]][low[1]][low[0]], v1 = v[high[2]][high[1]][high[0]];
    const REAL resists = fma(h[d][0], v1, h[d][1] * v0); /* times v0 v1 */
    const REAL column = arithmetic ? fma(h[d][0], v0, h[d][1] * v1) : resists > 0 ? v0 * march_quotient(v1, resists) : 0;
    sum = fma(h[p][low[p]] * h[q][low[q]], column, sum);
  }
  return arithmetic ? march_quotient(sum, across * length) : march_quotient(sum * length, across);
}

/* CoarseK of kernels.CoarsenCellsArgs. */
KERNEL_BOUNDS(coarsen_cells, cv_coarsen_cells_args, 256, sizeof(REAL) == 4 ? 6 : 4) {
  CELL(i, j, k, a.count);
  REAL *const out = static_cast<REAL *>(a.coarse_k) + (i + (int64_t)j * (int)a.coarse.sy + (int64_t)k * (int)a.coarse.sz);
  if (!(int)a.factor[0] || !(int)a.factor[1] || !(int)a.factor[2]) {
    *out = a.axis == 0   ? coarse_cell_between<0>(a, i, j, k)
           : a.axis == 1 ? coarse_cell_between<1>(a, i, j, k)
                         : coarse_cell_between<2>(a, i, j, k);
    return;
  }
  const bool two[3] = {(int)a.factor[0] == 2, (int)a.factor[1] == 2, (int)a.factor[2] == 2};
  const int first[3] = {two[0] ? 2 * i : i, two[1] ? 2 * j : j, two[2] ? 2 * k : k};
  const int sy = (int)a.fine.sy, sz = (int)a.fine.sz, beside = two[1] ? sy : 0, above = two[2] ? sz : 0;
  const REAL *const child = AXIS(a.fine_k) + (first[0] + (int64_t)first[1] * sy + (int64_t)first[2] * sz);
  REAL v[2][2][2], h[3][2]; /* all are asked for before the first is needed */
#pragma unroll
  for (int n = 0; n < 4; n++) {
    const REAL *row = child + ((n & 1 ? beside : 0) + (n & 2 ? above : 0));
    if (two[0]) {
      const children_of_row c = *reinterpret_cast<const children_of_row *>(row);
      v[n >> 1][n & 1][0] = c.v[0], v[n >> 1][n & 1][1] = c.v[1];
    } else {
      v[n >> 1][n & 1][0] = v[n >> 1][n & 1][1] = row[0];
    }
  }
#pragma unroll
  for (int axis = 0; axis < 3; axis++) {
    const REAL *widths = AXIS(a.h[axis]) + first[axis];
    h[axis][0] = widths[0], h[axis][1] = two[axis] ? widths[1] : 0;
  }
  switch ((int)a.axis + (a.arithmetic ? 3 : 0)) {
  case 0: *out = coarse_cell_of<0, false>(v, h); break;
  case 1: *out = coarse_cell_of<1, false>(v, h); break;
  case 2: *out = coarse_cell_of<2, false>(v, h); break;
  case 3: *out = coarse_cell_of<0, true>(v, h); break;
  case 4: *out = coarse_cell_of<1, true>(v, h); break;
  default: *out = coarse_cell_of<2, true>(v, h);
  }
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

/* K of a vector of cells along an axis, from cell `at` on. */
DEVICE march_vector conductance_cells(const cv_elliptic &e, int axis, int64_t at) {
  if (e.cells[axis])
    return march_load(AXIS(e.cells[axis]) + at);
  march_vector k;
#pragma unroll
  for (int v = 0; v < march_nodes; v++)
    k.v[v] = (REAL)e.k[axis];
  return k;
}

/* K h of the two cells beside each node of a vector along x, whose widths are low and high. */
DEVICE march_vector conductance_beside(const cv_elliptic &e, int axis, int64_t at, const march_vector &low, const march_vector &high) {
  const march_vector k = conductance_cells(e, axis, at);
  const REAL before = e.cells[axis] ? AXIS(e.cells[axis])[at - 1] : (REAL)e.k[axis];
  march_vector r;
#pragma unroll
  for (int v = 0; v < march_nodes; v++)
    r.v[v] = fma(low.v[v], v == 0 ? before : k.v[(v + march_nodes - 1) % march_nodes], high.v[v] * k.v[v]);
  return r;
}

/* a x + b y. */
DEVICE march_vector conductance_sum(REAL a, const march_vector &x, REAL b, const march_vector &y) {
  march_vector r;
#pragma unroll
  for (int v = 0; v < march_nodes; v++)
    r.v[v] = fma(a, x.v[v], b * y.v[v]);
  return r;
}

/* Reads K, of one array or three, and writes three words a node. What faces along x and y have of the cells of a plane serves two planes of nodes. */
KERNEL_BOUNDS(conductance, cv_conductance_args, 256, sizeof(REAL) == 4 ? 4 : 3) {
  const cv_elliptic &e = a.a;
  const march m = march_of<march_alone>(e.box.n, 0);
  if (!m.owns)
    return;
  const int nx = (int)e.box.n[0], sy = (int)e.box.sy, sz = (int)e.box.sz;
  const REAL quarter = (REAL)0.25, *hy = AXIS(e.h[1]) + m.j, *hz = AXIS(e.h[2]), gy = quarter * AXIS(e.rh[1])[m.j];
  march_vector low, high, gx = march_axis(AXIS(e.rh[0]), m.i, nx);
#pragma unroll
  for (int v = 0; v < march_nodes; v++) {
    const bool within = m.i + v < nx;
    low.v[v] = within ? AXIS(e.h[0])[m.i + v - 1] : 0;
    high.v[v] = within ? AXIS(e.h[0])[m.i + v] : 0;
    gx.v[v] *= quarter;
  }
  const REAL front = hy[-1], back = hy[0];
  int64_t at = m.i + (int64_t)m.j * sy + (int64_t)(m.low - 1) * sz;
  march_vector x_below, y_below;
  for (int k = m.low - 1; k < m.high; k++, at += sz) {
    const march_vector x_above = conductance_sum(front, conductance_cells(e, 0, at - sy), back, conductance_cells(e, 0, at));
    const march_vector y_above = conductance_beside(e, 1, at, low, high);
    if (k >= m.low) {
      march_vector x = conductance_sum(hz[k - 1], x_below, hz[k], x_above), y = conductance_sum(hz[k - 1], y_below, hz[k], y_above);
      march_vector z = conductance_sum(front, conductance_beside(e, 2, at - sy, low, high), back, conductance_beside(e, 2, at, low, high));
      const REAL gz = quarter * AXIS(e.rh[2])[k];
#pragma unroll
      for (int v = 0; v < march_nodes; v++)
        x.v[v] *= gx.v[v], y.v[v] *= gy, z.v[v] *= gz;
      march_store(static_cast<REAL *>(a.out[0]) + at, x, m.i, nx);
      if (a.out[1])
        march_store(static_cast<REAL *>(a.out[1]) + at, y, m.i, nx);
      march_store(static_cast<REAL *>(a.out[2]) + at, z, m.i, nx);
    }
    x_below = x_above;
    y_below = y_above;
  }
}
