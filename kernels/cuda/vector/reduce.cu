/* Reductions over nodes: Reduce, RemoveMean, HorizontalMean. Blocks of threads write partial results, which one
   block of `gather` takes together. No sum passes through the host. */
#include "../launch.h"
#include "../march/march.cuh"
#include "reduce.cuh"

/* The sum of n numbers by all threads of a block. */
DEVICE double array_sum(const double *x, int64_t n) {
  const int threads = (int)(blockDim.x * blockDim.y * blockDim.z);
  double sum = 0;
  for (int64_t i = thread_number(); i < n; i += threads)
    sum += x[i];
  return block_sum(sum);
}

#define REDUCE_GATHERS_f32 1
#if LAUNCH_JOIN(REDUCE_GATHERS, TYPE)
/* The maximum of numbers that are not negative. */
DEVICE double array_max(const double *x, int64_t n) {
  const int threads = (int)(blockDim.x * blockDim.y * blockDim.z);
  double most = 0;
  for (int64_t i = thread_number(); i < n; i += threads)
    most = larger(most, x[i]);
  return block_max(most);
}

/* Slot b = sum or maximum of the partial results n b .. n b + n-1, or the root of it, or that and what the slot holds; b is the block. They are double for both types. */
KERNEL_BOUNDS(gather, cv_gather_args, 1024, 1) {
  const int b = (int)blockIdx.x;
  const double *partial = a.partial + b * a.n;
  double v = a.maximum >> b & 1 ? array_max(partial, a.n) : array_sum(partial, a.n);
  if (thread_number() == 0)
    a.slot[b] = a.root >> b & 1 ? sqrt(v) : a.add >> b & 1 ? a.slot[b] + v : v;
}

/* One block. */
KERNEL(report, cv_report_args) {
  for (int i = (int)threadIdx.x; i < a.n; i += (int)blockDim.x)
    a.to[i] = a.slot[i];
  __syncthreads();
  if (threadIdx.x == 0) {
#ifdef __CUDACC__
    __threadfence_system();
#endif
    *static_cast<volatile unsigned *>(a.counter) = (unsigned)a.number;
  }
}
#endif

/* The term of a node; v is its dual volume. Of the largest |x| y is what x is counted from. */
template <int kind>
DEVICE double reduce_term(REAL x, REAL y, double v) {
  switch (kind) {
  case cv_dot: return (double)x * y;
  case cv_volume_sum: return v * x;
  case cv_volume_dot: return v * x * y;
  case cv_max_abs:
  case cv_max_diff: return fabs((double)x - y);
  case cv_finite: return x - x == 0 ? 0 : 1;
  default: return x;
  }
}

/* Planes whose vectors are loaded before the first of them is needed. */
enum { reduce_planes = 4 };

/* What a lane finds in its vectors, of all nodes or of those that the mask leaves. */
template <int kind, bool masked>
DEVICE double reduce_march(const cv_reduce_args &a, const march &m) {
  constexpr bool two = kind == cv_dot || kind == cv_volume_dot || kind == cv_max_diff;
  constexpr bool volume = kind == cv_volume_sum || kind == cv_volume_dot;
  constexpr bool maximum = kind == cv_max_abs || kind == cv_max_diff;
  const int nx = (int)a.box.n[0];
  const bool other = two && a.y != a.x;
  const REAL *x = AXIS(a.x) + m.i + m.j * a.box.sy, *y = two ? AXIS(a.y) + m.i + m.j * a.box.sy : x;
  const REAL from = kind == cv_max_abs ? (REAL)a.value : 0;
  const double wy = volume ? (double)AXIS(a.w[1])[m.j] : 0;
  double area[march_nodes], result = 0;
#pragma unroll
  for (int v = 0; v < march_nodes; v++)
    area[v] = volume && m.i + v < nx ? AXIS(a.w[0])[m.i + v] * wy : 0;
  for (int first = m.low; first < m.high; first += reduce_planes) {
    march_vector xs[reduce_planes], ys[reduce_planes];
#pragma unroll
    for (int p = 0; p < reduce_planes; p++) {
      const int64_t at = min(first + p, m.high - 1) * a.box.sz;
      xs[p] = march_load(x + at);
      ys[p] = other ? march_load(y + at) : xs[p];
    }
#pragma unroll
    for (int p = 0; p < reduce_planes; p++) {
      const int k = first + p;
      if (k >= m.high)
        continue;
      const double wz = volume ? (double)AXIS(a.w[2])[k] : 0;
      const int entry = masked ? a.mask.index[m.j + k * a.box.n[1]] : 0;
#pragma unroll
      for (int v = 0; v < march_nodes; v++) {
        double term = reduce_term<kind>(xs[p].v[v], kind == cv_max_abs ? from : ys[p].v[v], volume ? area[v] * wz : 0);
        bool counts = m.i + v < nx && entry != 1;
        if (masked && entry > 1)
          counts = counts && AXIS(a.mask.table)[entry * a.mask.stride + m.i + v] != 0;
        term = counts ? term : 0;
        result = maximum ? larger(result, term) : result + term;
      }
    }
  }
  return result;
}

/* Writes the sum or the maximum over a block, and in the block that is the last to do so, if there is a slot, the sum or
   maximum of all, in a tree of its own: it does not matter which block is the last. */
template <bool maximum>
DEVICE void reduce_put(const cv_reduce_args &a, double v) {
  __shared__ bool last;
  const int64_t blocks = (int64_t)gridDim.x * gridDim.y * gridDim.z;
  v = maximum ? block_max(v) : block_sum(v);
  if (thread_number() == 0) {
    a.partial[block_number()] = v;
    if (a.slot) {
      __threadfence();
      last = atomicInc(a.counter, (unsigned)(blocks - 1)) == blocks - 1; /* and begins again from 0 */
      __threadfence();
    }
  }
  if (!a.slot)
    return;
  __syncthreads();
  if (!last)
    return;
  const volatile double *partial = a.partial;
  const int threads = (int)(blockDim.x * blockDim.y * blockDim.z);
  double all = 0;
  for (int64_t i = thread_number(); i < blocks; i += threads)
    all = maximum ? larger(all, partial[i]) : all + partial[i];
  all = maximum ? block_max(all) : block_sum(all);
  if (thread_number() == 0)
    *a.slot = all;
}

template <bool masked>
DEVICE void reduce_by_kind(const cv_reduce_args &a) {
  march m = march_of<march_alone>(a.box.n, 0);
  if (!m.owns || !counts_row(a.box, m.j))
    m.high = m.low;
  switch (a.kind) {
  case cv_dot: return reduce_put<false>(a, reduce_march<cv_dot, masked>(a, m));
  case cv_volume_sum: return reduce_put<false>(a, reduce_march<cv_volume_sum, masked>(a, m));
  case cv_volume_dot: return reduce_put<false>(a, reduce_march<cv_volume_dot, masked>(a, m));
  case cv_max_abs: return reduce_put<true>(a, reduce_march<cv_max_abs, masked>(a, m));
  case cv_max_diff: return reduce_put<true>(a, reduce_march<cv_max_diff, masked>(a, m));
  case cv_finite: return reduce_put<false>(a, reduce_march<cv_finite, masked>(a, m));
  default: return reduce_put<false>(a, reduce_march<cv_sum, masked>(a, m));
  }
}

/* One partial result a block, and of them, if it is asked for, the whole. Reads X, and Y if it is another, once. Those with a mask are a kernel of their own: to
   ask for it at every node takes a third more time, and both codes in one kernel a fifth more on small grids. */
KERNEL_BOUNDS(reduce, cv_reduce_args, 256, 4) { reduce_by_kind<false>(a); }
KERNEL_BOUNDS(reduce_masked, cv_reduce_args, 256, 4) { reduce_by_kind<true>(a); }

/* The sum of the dual widths of an axis, by all threads of a block. */
DEVICE double axis_length(const cv_mean_args &a, int axis) {
  double sum = 0;
  for (int64_t i = thread_number(); i < a.box.n[axis]; i += blockDim.x)
    sum += AXIS(a.w[axis])[i];
  return block_sum(sum);
}

/* Out[k] = X_0 + sum of the partial results of plane k over its area, one block a plane; or, without Out, mean = sum of the partial results over the volume of
   the box, one block; or, where sums are asked for, mean[k] = sum of those of plane k. X_0 is given or the first value of the plane. */
KERNEL_BOUNDS(mean, cv_mean_args, 1024, 1) {
  const int64_t k = blockIdx.x;
  const double sum = array_sum(a.partial + k * a.parts, a.parts);
  const double area = axis_length(a, 0) * axis_length(a, 1), volume = a.out ? area : area * axis_length(a, 2);
  if (thread_number() != 0)
    return;
  if (a.out)
    static_cast<REAL *>(a.out)[k] = (REAL)((double)(a.base ? AXIS(a.base)[k] : AXIS(a.x)[k * a.box.sz]) + sum / area);
  else
    a.mean[k] = a.sums ? sum : sum / volume;
}

/* X -= mean, or mean V if integrated. Reads and writes X. */
KERNEL_BOUNDS(shift, cv_mean_args, 256, 4) {
  const march m = march_of<march_alone>(a.box.n, 0);
  if (!m.owns)
    return;
  const int nx = (int)a.box.n[0];
  REAL *x = static_cast<REAL *>(a.x) + m.i + m.j * a.box.sy;
  const double mean = *a.mean, part = a.integrated ? mean * AXIS(a.w[1])[m.j] : mean;
  double parts[march_nodes];
#pragma unroll
  for (int v = 0; v < march_nodes; v++)
    parts[v] = a.integrated && m.i + v < nx ? part * AXIS(a.w[0])[m.i + v] : part;
#pragma unroll 4
  for (int k = m.low; k < m.high; k++) {
    const double wz = a.integrated ? (double)AXIS(a.w[2])[k] : 1;
    march_vector y = march_load(x + k * a.box.sz);
#pragma unroll
    for (int v = 0; v < march_nodes; v++)
      y.v[v] = (REAL)(y.v[v] - parts[v] * wz);
    march_store(x + k * a.box.sz, y, m.i, nx);
  }
}

/* Sums of w_x w_y (X - X_0) over parts of plane blockIdx.y, of the rows that count; X_0 is given or the plane's first value, so that equal values have exactly that mean. A thread
   has a vector of nodes along x in each row that it visits. Reads X once. */
KERNEL_BOUNDS(area_sum, cv_mean_args, 256, 4) {
  const int nx = (int)a.box.n[0], begin = (int)a.box.own[0], end = (int)a.box.own[1], sy = (int)a.box.sy;
  const int vectors = (nx + march_nodes - 1) / march_nodes, all = (int)(gridDim.x * blockDim.x);
  const int place = (int)(blockIdx.x * blockDim.x + threadIdx.x), columns = min(vectors, all), rows = all / columns;
  const REAL *plane = AXIS(a.x) + blockIdx.y * a.box.sz;
  const double first = a.base ? AXIS(a.base)[blockIdx.y] : plane[0];
  double sum = 0;
  for (int vector = place % columns; vector < vectors && place / columns < rows; vector += columns) {
    const int i = vector * march_nodes;
    double column[march_nodes] = {};
#pragma unroll 4
    for (int j = begin + place / columns; j < end; j += rows) {
      const march_vector x = march_load(plane + i + (int64_t)j * sy);
      const double wy = AXIS(a.w[1])[j];
#pragma unroll
      for (int v = 0; v < march_nodes; v++)
        column[v] = fma(wy, x.v[v] - first, column[v]);
    }
    const march_vector w = march_axis(AXIS(a.w[0]), i, nx);
#pragma unroll
    for (int v = 0; v < march_nodes; v++)
      sum = fma((double)w.v[v], w.v[v] != 0 ? column[v] : 0, sum);
  }
  put_sum(a.partial, sum);
}
