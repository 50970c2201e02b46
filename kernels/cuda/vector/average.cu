/* Means over axes and over time: AddHeights, AxisMean, Accumulate. */
#include "reduce.cuh"

/* X += Column of the level. Reads and writes X. */
KERNEL(add_heights, cv_add_heights_args) {
  NODE(i, j, k, a.box);
  static_cast<REAL *>(a.x)[i + j * a.box.sy + k * a.box.sz] += AXIS(a.column)[k];
}

/* The sum over the threads that share a line. */
DEVICE double line_sum(double v, bool shared) { return shared ? warp_sum(v) : v; }

/* One thread a line of kernels.AxisMeanArgs; where Box has one node along x, as for lines along x, the 32 threads of a block along x share a line, and
   read nodes next to each other. Reads X once, or twice with squares. */
KERNEL(axis_mean, cv_axis_mean_args) {
  const bool shared = a.box.n[0] == 1;
  const int lane = (int)threadIdx.x, i = shared ? 0 : (int)(blockIdx.x * blockDim.x) + lane;
  const int j = (int)(blockIdx.y * blockDim.y + threadIdx.y), k = (int)(blockIdx.z * blockDim.z + threadIdx.z);
  if (i >= a.box.n[0] || j >= a.box.n[1] || k >= a.box.n[2])
    return;
  const int64_t stride = a.axis == 0 ? 1 : a.axis == 1 ? a.from.sy : a.from.sz, at = i + j * a.box.sy + k * a.box.sz;
  const int64_t line = i + j * a.from.sy + k * a.from.sz;
  const int n = (int)a.from.n[a.axis], first = shared ? lane : 0, step = shared ? (int)blockDim.x : 1;
  const REAL *x = AXIS(a.x) + line, *part = AXIS(a.part);
  double mean = 0;
#pragma unroll 8
  for (int l = first; l < n; l += step)
    mean += (double)part[l] * x[l * stride];
  mean = line_sum(mean, shared);
  if (!shared || lane == 0)
    static_cast<REAL *>(a.out)[at] = (REAL)mean;
  if (!a.square)
    return;
  const REAL *spread = AXIS(a.spread);
  double square = 0;
#pragma unroll 8
  for (int l = first; l < n; l += step) {
    const double d = x[l * stride] - mean;
    square += part[l] * (d * d + (spread ? (double)spread[line + l * stride] : 0));
  }
  square = line_sum(square, shared);
  if (!shared || lane == 0)
    static_cast<REAL *>(a.square)[at] = (REAL)square;
}

/* A step of kernels.AccumulateArgs: 5 words a node, 7 with squares. */
KERNEL(accumulate, cv_accumulate_args) {
  NODE(i, j, k, a.box);
  const int64_t at = i + j * a.box.sy + k * a.box.sz;
  const REAL x = AXIS(a.x)[at], before = AXIS(a.before)[at], mean = AXIS(a.mean)[at];
  const REAL d = (REAL)0.5 * (before + x) - mean, half = (REAL)0.5 * (before - x);
  if (a.square) {
    REAL own = half * half;
    if (a.spread) {
      const REAL spread = AXIS(a.spread)[at];
      own += (REAL)0.5 * (AXIS(a.spread_before)[at] + spread);
      static_cast<REAL *>(a.spread_before)[at] = spread;
    }
    static_cast<REAL *>(a.square)[at] += (REAL)a.dt * own + (REAL)(a.dt * a.rest) * (d * d);
  }
  static_cast<REAL *>(a.mean)[at] = mean + (REAL)a.part * d;
  static_cast<REAL *>(a.before)[at] = x;
}
