/* Kernels that try the emulation: what the tests of this folder launch. */
#include "../launch.h"

typedef struct {
  int64_t n;
  REAL *out;
  const REAL *x;
} sample_args;

/* out = 2 x, one thread an element. */
KERNEL(sample_twice, sample_args) {
  ELEMENT(e, a.n);
  a.out[e] = 2 * __ldg(a.x + e);
}

/* out[block] = the sum of a block's elements, halved again and again in shared memory. */
KERNEL_BOUNDS(sample_sum, sample_args, 256, 1) {
  __shared__ REAL part[256];
  const int t = (int)threadIdx.x;
  const int64_t e = blockIdx.x * (int64_t)blockDim.x + t;
  part[t] = e < a.n ? a.x[e] : 0;
  for (int half = (int)blockDim.x / 2; half > 0; half /= 2) {
    __syncthreads();
    if (t < half) part[t] += part[t + half];
  }
  if (t == 0) a.out[blockIdx.x] = part[0];
}

/* Turns each block's elements round through dynamic shared memory. */
KERNEL(sample_turn, sample_args) {
  DYNAMIC_SHARED(REAL, tile);
  const int t = (int)threadIdx.x, n = (int)blockDim.x;
  const int64_t first = blockIdx.x * (int64_t)n;
  tile[t] = a.x[first + t];
  __syncthreads();
  a.out[first + t] = tile[n - 1 - t];
}

/* What nobody wrote to shared memory. */
KERNEL(sample_garbage, sample_args) {
  DYNAMIC_SHARED(REAL, tile);
  __shared__ REAL fixed[32];
  a.out[threadIdx.x] = tile[threadIdx.x] + fixed[threadIdx.x];
  tile[threadIdx.x] = fixed[threadIdx.x] = 1;
}

/* Sums of a warp by each kind of shuffle; the lanes of a group of 8 by themselves. */
KERNEL(sample_shuffles, sample_args) {
  const unsigned all = 0xffffffff;
  const int lane = (int)threadIdx.x & 31;
  REAL down = a.x[threadIdx.x], up = down, cross = down;
  for (int by = 16; by > 0; by /= 2) {
    down += __shfl_down_sync(all, down, by);
    up += __shfl_up_sync(all, up, by);
    cross += __shfl_xor_sync(all, cross, by);
  }
  REAL *out = a.out + 6 * threadIdx.x;
  out[0] = down;
  out[1] = up;
  out[2] = cross;
  out[3] = __shfl_sync(all, a.x[threadIdx.x], 3);
  out[4] = (REAL)__shfl_down_sync(all, (long long)lane, 1, 8);
  out[5] = (REAL)__shfl_sync(all, lane, 9, 8);
}

/* Half of each warp meets apart from the other half. */
KERNEL(sample_halves, sample_args) {
  const int lane = (int)threadIdx.x & 31;
  int mine;
  if (lane < 16) {
    mine = __popc(__ballot_sync(0xffff, lane % 3 == 0));
  } else {
    __syncwarp(0xffff0000);
    mine = __any_sync(0xffff0000, lane == 20) + 2 * __all_sync(0xffff0000, lane == 20);
  }
  __syncwarp();
  a.out[threadIdx.x] = (REAL)mine;
}

/* The last block to end adds up what all blocks left. */
KERNEL(sample_last, sample_args) {
  unsigned *count = (unsigned *)(a.out + gridDim.x + 1);
  a.out[1 + blockIdx.x] = a.x[blockIdx.x];
  __threadfence();
  if (atomicInc(count, gridDim.x - 1) + 1 != gridDim.x) return;
  REAL sum = 0;
  for (unsigned b = 0; b < gridDim.x; b++) sum += a.out[1 + b];
  a.out[0] = sum;
}

/* Threads that end early do not hold up the others. */
KERNEL(sample_early, sample_args) {
  if ((int64_t)threadIdx.x >= a.n) return;
  __syncthreads();
  a.out[threadIdx.x] = 1;
}

/* Mistakes. */
KERNEL(sample_deadlock, sample_args) {
  if (threadIdx.x == 0) __syncwarp(3);
  else __syncthreads();
}

KERNEL(sample_apart, sample_args) {
  if (threadIdx.x == 0) __syncthreads();
  else __syncthreads();
}

KERNEL(sample_ended, sample_args) {
  if (threadIdx.x == 5) return;
  a.out[threadIdx.x] = __shfl_down_sync(0xffffffff, a.x[threadIdx.x], 1);
}

KERNEL(sample_unnamed, sample_args) {
  a.out[threadIdx.x] = __shfl_sync(threadIdx.x < 16 ? 0xffff : 0xffff0000, a.x[threadIdx.x], 3);
}

/* Reads one element too far in shared memory. */
KERNEL(sample_overrun, sample_args) {
  DYNAMIC_SHARED(REAL, tile);
  tile[threadIdx.x] = 0;
  a.out[threadIdx.x] = tile[threadIdx.x + 1];
}
