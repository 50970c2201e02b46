/* CopyBlocks: blocks of arrays of this GPU and of others, which may meet. Elements are words of 4 bytes, or four of them: of any type. */
#include "../launch.h"

#define FLOAT_ALONE_f32 1
#if LAUNCH_JOIN(FLOAT_ALONE, TYPE)

struct alignas(16) blocks_words {
  float v[4];
};

/* Where element e of all blocks goes, and where it comes from: four words or one. */
struct blocks_way {
  float *to;
  const float *from;
  bool wide;
};

DEVICE blocks_way blocks_way_of(const cv_copies_args &a, int64_t e) {
  int n = 0;
  while (e >= a.ends[n])
    n++;
  const cv_block_args &b = a.blocks[n];
  const bool wide = a.wide >> n & 1;
  const unsigned in = (unsigned)(e - (n > 0 ? a.ends[n > 0 ? n - 1 : 0] : 0)), row = in / (unsigned)b.n[0], k = row / (unsigned)b.n[1], j = row - k * (unsigned)b.n[1];
  const unsigned i = (in - row * (unsigned)b.n[0]) * (wide ? 4 : 1);
  return {static_cast<float *>(b.to) + (i + j * b.to_sy + k * b.to_sz), static_cast<const float *>(b.from) + (i + j * b.from_sy + k * b.from_sz), wide};
}

DEVICE void blocks_copy(const cv_copies_args &a) {
  const int64_t all = a.count > 0 ? a.ends[a.count - 1] : 0, threads = (int64_t)gridDim.x * blockDim.x;
  for (int64_t e = blockIdx.x * (int64_t)blockDim.x + threadIdx.x; e < all; e += blocks_ahead * threads) {
    blocks_words value[blocks_ahead] = {};
    blocks_way way[blocks_ahead];
#pragma unroll
    for (int m = 0; m < blocks_ahead; m++) {
      const bool there = e + m * threads < all;
      way[m] = blocks_way_of(a, there ? e + m * threads : e);
      if (way[m].wide)
        value[m] = *reinterpret_cast<const blocks_words *>(way[m].from);
      else
        value[m].v[0] = *way[m].from;
      way[m].to = there ? way[m].to : nullptr;
    }
#pragma unroll
    for (int m = 0; m < blocks_ahead; m++)
      if (way[m].to && way[m].wide)
        *reinterpret_cast<blocks_words *>(way[m].to) = value[m];
      else if (way[m].to)
        *way[m].to = value[m].v[0];
  }
}

/* Flags of a GPU, numbers of meetings: which one each of the others has come to, and which one it has copied for; then how many this one has left behind, and blocks
   of threads that have copied. */
enum { meet_came = 0, meet_copied = meet_most, meet_left = 2 * meet_most, meet_done, meet_looks = 1 << 14 };
static_assert((int)meet_done < (int)meet_flags);

/* Raises a flag of GPU n, for what was done before. */
DEVICE void meet_raise(const cv_copies_args &a, int n, int kind, unsigned number) {
#ifdef __CUDACC__
  __threadfence_system();
  *static_cast<volatile unsigned *>(a.others[n] + kind + a.own) = number;
#else
  a.others[n][kind + a.own] = number;
#endif
}

/* Waits until GPU n has raised a flag to a number. One that the host has run beside for a minute in vain ends in an error: a host that sleeps counts no seconds. The clock
   is in memory of the host, which takes long to read: that is not done at once. */
DEVICE void meet_await([[maybe_unused]] const cv_copies_args &a, [[maybe_unused]] int n, [[maybe_unused]] int kind, [[maybe_unused]] unsigned number) {
#ifdef __CUDACC__
  const volatile unsigned *const flag = a.flags + kind + n, *const clock = a.clock;
  unsigned begin = 0;
  for (unsigned looks = 1; (int)(*flag - number) < 0; looks++) {
    if (looks == meet_looks)
      begin = *clock;
    else if (looks % meet_looks == 0 && *clock - begin > meet_seconds)
      __trap();
  }
  __threadfence_system();
#endif
}

KERNEL(copy_blocks, cv_copies_args) {
  const int t = (int)threadIdx.x;
  const unsigned number = a.begin || a.end ? a.flags[meet_left] + 1 : 0;
  if (a.begin) {
    if (blockIdx.x == 0 && t < meet_most && a.gives >> t & 1)
      meet_raise(a, t, meet_came, number);
    if (t < meet_most && a.takes >> t & 1)
      meet_await(a, t, meet_came, number);
    __syncthreads();
  }
  blocks_copy(a);
  if (a.end) {
    __shared__ bool last;
    __syncthreads();
    if (t == 0) {
      __threadfence();
      last = atomicInc(a.flags + meet_done, gridDim.x - 1) == gridDim.x - 1; /* and begins again from 0 */
    }
    __syncthreads();
    if (!last)
      return;
    if (t < meet_most && a.takes >> t & 1)
      meet_raise(a, t, meet_copied, number);
    if (t < meet_most && a.gives >> t & 1)
      meet_await(a, t, meet_copied, number);
    if (t == 0)
      a.flags[meet_left] = number;
  }
}

#endif
