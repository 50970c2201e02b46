/* Sums and maxima over the threads of a block, in trees that depend on nothing but their number. */
#ifndef CONVECT_REDUCE_CUH
#define CONVECT_REDUCE_CUH

#include "../launch.h"

/* The larger of two numbers; NaN wins. */
DEVICE double larger(double a, double b) { return a > b || a != a ? a : b; }

/* The thread's number in its block, and the block's in its launch. */
DEVICE int thread_number() { return (int)(threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z)); }
DEVICE int64_t block_number() {
  return blockIdx.x + (int64_t)gridDim.x * (blockIdx.y + (int64_t)gridDim.y * blockIdx.z);
}

/* The sum or maximum over a warp; all its lanes call it and get it. */
DEVICE double warp_sum(double v) {
  for (int lanes = 16; lanes > 0; lanes /= 2)
    v += __shfl_xor_sync(0xffffffff, v, lanes);
  return v;
}

DEVICE double warp_max(double v) {
  for (int lanes = 16; lanes > 0; lanes /= 2)
    v = larger(v, __shfl_xor_sync(0xffffffff, v, lanes));
  return v;
}

/* One value of every warp to the lanes of the first warp, 0 to those beyond. */
DEVICE double block_exchange(double v) {
  __shared__ double parts[32];
  const int thread = thread_number(), warps = (int)(blockDim.x * blockDim.y * blockDim.z / 32);
  __syncthreads(); /* what was exchanged before has been read */
  if (thread % 32 == 0)
    parts[thread / 32] = v;
  __syncthreads();
  return thread < warps ? parts[thread] : 0;
}

/* The sum over a block, or the maximum of numbers that are not negative. All threads call it, a multiple of 32;
   those of the first warp get it. */
DEVICE double block_sum(double v) { return warp_sum(block_exchange(warp_sum(v))); }
DEVICE double block_max(double v) { return warp_max(block_exchange(warp_max(v))); }

/* Writes the sum or the maximum over a block as its partial result. All threads call it. */
DEVICE void put_sum(double *partial, double v) {
  v = block_sum(v);
  if (thread_number() == 0)
    partial[block_number()] = v;
}

DEVICE void put_max(double *partial, double v) {
  v = block_max(v);
  if (thread_number() == 0)
    partial[block_number()] = v;
}

/* The same of several values at once: partial result n of the block is the sum over it of v[n], or the maximum where bit n of
   `maxima` is set, and lies as many results on as there are blocks. `room` is shared. All threads call it. */
template <int count, unsigned maxima>
DEVICE void put_all(double *partial, const double (&v)[count], double (*room)[32]) {
  const int thread = thread_number(), warps = (int)(blockDim.x * blockDim.y * blockDim.z / 32);
#pragma unroll
  for (int n = 0; n < count; n++) {
    const double part = maxima >> n & 1 ? warp_max(v[n]) : warp_sum(v[n]);
    if (thread % 32 == 0)
      room[n][thread / 32] = part;
  }
  __syncthreads();
  for (int n = thread; n < count; n += 32 * warps) {
    double all = room[n][0];
    for (int part = 1; part < warps; part++)
      all = maxima >> n & 1 ? larger(all, room[n][part]) : all + room[n][part];
    partial[(int64_t)n * gridDim.x * gridDim.y * gridDim.z + block_number()] = all;
  }
}

#endif
