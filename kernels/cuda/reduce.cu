/* Reductions over nodes: Reduce, RemoveMean, HorizontalMean. Blocks of threads write partial results, which one block of `gather`
   takes together. No sum passes through the host. */
#include "launch.h"
#include "mask.cuh"
#include "reduce.cuh"
#include "slab.cuh"

/* The sum of n numbers by all threads of a block, or the maximum of numbers that are not negative. */
DEVICE double array_sum(const double *x, int64_t n) {
  const int threads = (int)(blockDim.x * blockDim.y * blockDim.z);
  double sum = 0;
  for (int64_t i = thread_number(); i < n; i += threads)
    sum += x[i];
  return block_sum(sum);
}

DEVICE double array_max(const double *x, int64_t n) {
  const int threads = (int)(blockDim.x * blockDim.y * blockDim.z);
  double most = 0;
  for (int64_t i = thread_number(); i < n; i += threads)
    most = larger(most, x[i]);
  return block_max(most);
}

/* Slot b = sum or maximum of the partial results n b .. n b + n-1, or the root of it; b is the block. */
KERNEL_BOUNDS(gather, cv_gather_args, 1024, 1) {
  const int b = (int)blockIdx.x;
  const double *partial = a.partial + b * a.n;
  double v = a.maximum >> b & 1 ? array_max(partial, a.n) : array_sum(partial, a.n);
  if (thread_number() == 0)
    a.slot[b] = a.root >> b & 1 ? sqrt(v) : v;
}

/* The term of a node; v is its dual volume. */
template <int kind>
DEVICE double reduce_term(REAL x, REAL y, double v) {
  switch (kind) {
  case cv_dot: return (double)x * y;
  case cv_volume_sum: return v * x;
  case cv_volume_dot: return v * x * y;
  case cv_max_abs: return fabs((double)x);
  case cv_max_diff: return fabs((double)x - y);
  case cv_finite: return x - x == 0 ? 0 : 1;
  default: return x;
  }
}

/* What a thread finds in its column. */
template <int kind>
DEVICE double reduce_slab(const cv_reduce_args &a, const slab &s) {
  constexpr bool two = kind == cv_dot || kind == cv_volume_dot || kind == cv_max_diff;
  constexpr bool volume = kind == cv_volume_sum || kind == cv_volume_dot, maximum = kind == cv_max_abs || kind == cv_max_diff;
  const int64_t column = s.i + s.j * a.box.sy;
  const REAL *x = AXIS(a.x) + column, *y = two ? AXIS(a.y) + column : x;
  const double area = volume && s.low < s.high ? (double)AXIS(a.w[0])[s.i] * AXIS(a.w[1])[s.j] : 0;
  double result = 0;
#pragma unroll 4
  for (int k = s.low; k < s.high; k++) {
    const int64_t at = k * a.box.sz;
    double term = reduce_term<kind>(x[at], y[at], volume ? area * AXIS(a.w[2])[k] : 0);
    term = mask_at(a.mask, s.i, s.j + k * a.box.n[1]) != 0 ? term : 0;
    result = maximum ? larger(result, term) : result + term;
  }
  return result;
}

/* One partial a block. Reads X, and Y, once. */
KERNEL(reduce, cv_reduce_args) {
  const slab s = slab_of(a.box.n);
  switch (a.kind) {
  case cv_dot: return put_sum(a.partial, reduce_slab<cv_dot>(a, s));
  case cv_volume_sum: return put_sum(a.partial, reduce_slab<cv_volume_sum>(a, s));
  case cv_volume_dot: return put_sum(a.partial, reduce_slab<cv_volume_dot>(a, s));
  case cv_max_abs: return put_max(a.partial, reduce_slab<cv_max_abs>(a, s));
  case cv_max_diff: return put_max(a.partial, reduce_slab<cv_max_diff>(a, s));
  case cv_finite: return put_sum(a.partial, reduce_slab<cv_finite>(a, s));
  default: return put_sum(a.partial, reduce_slab<cv_sum>(a, s));
  }
}

/* The sum of the dual widths of an axis, by all threads of a block. */
DEVICE double axis_length(const cv_mean_args &a, int axis) {
  double sum = 0;
  for (int64_t i = thread_number(); i < a.box.n[axis]; i += blockDim.x)
    sum += AXIS(a.w[axis])[i];
  return block_sum(sum);
}

/* mean = sum of the partial results over the volume of the box. One block. */
KERNEL_BOUNDS(volume_mean, cv_mean_args, 1024, 1) {
  const double sum = array_sum(a.partial, a.parts);
  const double volume = axis_length(a, 0) * axis_length(a, 1) * axis_length(a, 2);
  if (thread_number() == 0)
    *a.mean = sum / volume;
}

/* X -= mean, or mean V if integrated. Reads and writes X. */
KERNEL(shift, cv_mean_args) {
  const slab s = slab_of(a.box.n);
  if (s.low >= s.high)
    return;
  REAL *x = static_cast<REAL *>(a.x) + s.i + s.j * a.box.sy;
  const double mean = *a.mean, part = a.integrated ? mean * ((double)AXIS(a.w[0])[s.i] * AXIS(a.w[1])[s.j]) : mean;
#pragma unroll 4
  for (int k = s.low; k < s.high; k++)
    x[k * a.box.sz] = (REAL)(x[k * a.box.sz] - (a.integrated ? part * AXIS(a.w[2])[k] : part));
}

/* Sums of w_x w_y (X - X_0) over parts of the rows of plane blockIdx.y, X_0 its first value, so that equal values have exactly
   that mean. Reads X once. */
KERNEL(area_sum, cv_mean_args) {
  const int64_t k = blockIdx.y;
  const REAL *x = AXIS(a.x) + k * a.box.sz, first = x[0];
  const int64_t rows = (int64_t)gridDim.x * blockDim.y;
  double sum = 0;
  for (int64_t j = (int64_t)blockIdx.x * blockDim.y + threadIdx.y; j < a.box.n[1]; j += rows) {
    double row = 0;
#pragma unroll 4
    for (int64_t i = threadIdx.x; i < a.box.n[0]; i += blockDim.x)
      row += AXIS(a.w[0])[i] * ((double)x[i + j * a.box.sy] - first);
    sum += row * AXIS(a.w[1])[j];
  }
  put_sum(a.partial, sum);
}

/* Out[k] = X_0 + sum of the partial results of plane k over its area. One block a plane. */
KERNEL(plane_mean, cv_mean_args) {
  const int64_t k = blockIdx.x;
  const double sum = array_sum(a.partial + k * a.parts, a.parts);
  const double area = axis_length(a, 0) * axis_length(a, 1);
  if (thread_number() == 0)
    static_cast<REAL *>(a.out)[k] = (REAL)((double)AXIS(a.x)[k * a.box.sz] + sum / area);
}
