/* Columns as a stored matrix: ColumnMatrix, MatrixApply. */
#include "columns.cuh"

/* The seven entries of cell n, in the order of their columns: the neighbour along the slowest axis first; and its system. */
DEVICE void matrix_row(const mueller_args &c, const int (&n)[3], const int (&slow_to_fast)[3]) {
  const mueller_panel &p = c.a.panel;
  const int64_t column = n[0] + n[1] * p.row, self = n[0] * p.stride[0] + n[1] * p.stride[1] + n[2] * p.stride[2];
  const REAL *x = AXIS(c.a.edge_x) + column, *y = AXIS(c.a.edge_y) + column, *b = AXIS(c.a.vertical) + n[2];
  const REAL area = AXIS(c.a.area)[column], d = AXIS(c.a.horizontal)[n[2]];
  const REAL low[3] = {d * x[-1], d * y[-p.row], area * b[0]}, high[3] = {d * x[0], d * y[0], area * b[1]};
  const REAL own = ((area * AXIS(c.a.mass)[n[2]]) + (low[2] + high[2])) + ((low[0] + high[0]) + (low[1] + high[1]));
  REAL *value = static_cast<REAL *>(c.out) + 7 * self;
  int32_t *where = c.column + 7 * self;
#pragma unroll
  for (int e = 0; e < 3; e++) {
    const int axis = slow_to_fast[e];
    const bool first = n[axis] == 0, last = n[axis] == p.n[axis] - 1;
    value[e] = first ? 0 : -low[axis];
    where[e] = (int32_t)(self - (first ? 0 : p.stride[axis]));
    value[6 - e] = last ? 0 : -high[axis];
    where[6 - e] = (int32_t)(self + (last ? 0 : p.stride[axis]));
  }
  value[3] = own;
  where[3] = (int32_t)self;
  static_cast<REAL *>(c.stored[0])[self] = n[2] == 0 ? 0 : -low[2];
  static_cast<REAL *>(c.stored[1])[self] = own;
  static_cast<REAL *>(c.stored[2])[self] = n[2] == p.n[2] - 1 ? 0 : -high[2];
}

/* One thread an element of the panel, which is a row; elements that are no cell are rows of zeros. */
template <int slow, int middle, int fast> DEVICE void matrix_rows(const mueller_args &c) {
  ELEMENT(r, c.length + 1);
  c.start[r] = (int32_t)(7 * r);
  if (r == c.length)
    return;
  const mueller_panel &p = c.a.panel;
  int n[3];
  n[slow] = (int)(r / p.stride[slow]);
  n[middle] = (int)(r % p.stride[slow] / p.stride[middle]);
  n[fast] = (int)(r % p.stride[slow] % p.stride[middle]);
  if (n[0] < p.n[0] && n[1] < p.n[1] && n[2] < p.n[2])
    return matrix_row(c, n, {slow, middle, fast});
  for (int e = 0; e < 7; e++) {
    c.column[7 * r + e] = (int32_t)r;
    static_cast<REAL *>(c.out)[7 * r + e] = 0;
  }
}

KERNEL(column_matrix, mueller_launch) {
  if (a.c.a.panel.order == row_order)
    matrix_rows<2, 1, 0>(a.c);
  else
    matrix_rows<1, 0, 2>(a.c);
}

/* Y = Matrix X, any matrix in compressed rows; with 7 entries a row 9 words and 8 indices. A block takes the entries of its rows in
   their order, all of its threads side by side, and leaves the products in shared memory, where the thread of a row adds up its own. */
enum { matrix_threads = 256, matrix_chunk = 8 * matrix_threads };

KERNEL_BOUNDS(matrix_apply, mueller_launch, matrix_threads, 4) {
  __shared__ REAL products[matrix_chunk];
  const int thread = (int)threadIdx.x;
  const int64_t first = (int64_t)blockIdx.x * matrix_threads, row = min(first + thread, a.c.length - 1);
  const int begin = a.c.start[first], end = a.c.start[min(first + matrix_threads, a.c.length)];
  const int own = a.c.start[row], beyond = a.c.start[row + 1];
  const REAL *value = AXIS(a.c.f), *x = AXIS(a.c.u);
  REAL sum = 0;
  for (int chunk = begin; chunk < end; chunk += matrix_chunk) {
#pragma unroll 8
    for (int e = chunk + thread; e < min(chunk + matrix_chunk, end); e += matrix_threads)
      products[e - chunk] = value[e] * x[a.c.column[e]];
    __syncthreads();
    for (int e = max(own, chunk); e < min(beyond, chunk + matrix_chunk); e++)
      sum += products[e - chunk];
    __syncthreads();
  }
  if (first + thread < a.c.length)
    static_cast<REAL *>(a.c.out)[row] = sum;
}
