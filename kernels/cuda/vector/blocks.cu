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

/* Copies elements from `first` on before `end`, shared out among threads, whose numbers go up by `threads`. */
DEVICE void blocks_copy(const cv_copies_args &a, int64_t first, int64_t end, int64_t thread, int64_t threads) {
  for (int64_t e = first + thread; e < end; e += blocks_ahead * threads) {
    blocks_words value[blocks_ahead] = {};
    blocks_way way[blocks_ahead];
#pragma unroll
    for (int m = 0; m < blocks_ahead; m++) {
      const bool there = e + m * threads < end;
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

/* GPUs that meet write what they give into the memory of those that take it, which is faster than to read it there, once these have come to the same meeting; and each waits
   until all has come that it takes. Flags of a GPU are numbers of meetings: the last one that each of the others has come to; how many this one has left behind, and its
   blocks of threads that are done with the next one; then the last one for which each part of what each of the others gives has come. */
enum { meet_came = 0, meet_left = meet_most, meet_done, meet_given = 2 * meet_most, meet_looks = 1 << 14 };
static_assert((int)meet_given + (int)meet_most * (int)meet_parts <= (int)meet_flags);

/* Raises a flag of GPU n. */
DEVICE void meet_raise(const cv_copies_args &a, int n, int flag, unsigned number) { *static_cast<volatile unsigned *>(a.others[n] + flag) = number; }

/* Waits until a flag has been raised to a number. One that the host has run beside for a minute in vain ends in an error: a host that sleeps counts no seconds. The clock
   is in memory of the host, which takes long to read: that is not done at once. Emulated GPUs, which run one after the other, cannot wait. */
DEVICE void meet_await(const cv_copies_args &a, int flag, unsigned number) {
  const volatile unsigned *const own = a.flags + flag;
#ifdef __CUDACC__
  const volatile unsigned *const clock = a.clock;
  unsigned begin = 0;
  for (unsigned looks = 1; (int)(*own - number) < 0; looks++) {
    if (looks == meet_looks)
      begin = *clock;
    else if (looks % meet_looks == 0 && *clock - begin > meet_seconds)
      __trap();
  }
#else
  if ((int)(*own - number) < 0)
    __trap();
#endif
}

/* Gives a part to another GPU, or copies one that is the GPU's own. Parts are those of messages to the other GPUs, by number, and then of what stays. */
DEVICE void meet_give(const cv_copies_args &a, int64_t n, unsigned number) {
  int m = 0;
  while (n >= a.parts[m])
    m++;
  const int64_t parts_before = m > 0 ? a.parts[m - 1] : 0, before = m > 0 ? a.elements[m - 1] : 0, parts = a.parts[m] - parts_before, part = n - parts_before,
                elements = a.elements[m] - before;
  const bool gives = m < a.size - 1;
  const int taker = m + (m >= a.own);
#ifdef __CUDACC__
  if (gives && threadIdx.x == 0)
    meet_await(a, meet_came + taker, number);
#endif
  __syncthreads();
  blocks_copy(a, before + part * elements / parts, before + (part + 1) * elements / parts, threadIdx.x, blockDim.x);
  if (!gives)
    return;
  __syncthreads();
  if (threadIdx.x == 0) {
#ifdef __CUDACC__
    __threadfence_system();
#endif
    meet_raise(a, taker, meet_given + (int)a.own * meet_parts + (int)part, number);
  }
}

KERNEL(copy_blocks, cv_copies_args) {
  const int t = (int)threadIdx.x;
  if (a.size == 0) {
    blocks_copy(a, 0, a.count > 0 ? a.ends[a.count - 1] : 0, blockIdx.x * (int64_t)blockDim.x + t, gridDim.x * (int64_t)blockDim.x);
    return;
  }
  __shared__ unsigned number;
  if (t == 0)
    number = a.flags[meet_left] + 1;
  __syncthreads();
  if (blockIdx.x == 0 && t < a.size && t != a.own)
    meet_raise(a, t, meet_came + (int)a.own, number);
  for (int64_t n = blockIdx.x; n < a.parts[a.size - 1]; n += gridDim.x)
    meet_give(a, n, number);
  if (blockIdx.x == 0)
    for (int owner = 0; owner < a.size; owner++)
      for (int part = t; part < a.takes[owner]; part += (int)blockDim.x)
        meet_await(a, meet_given + owner * meet_parts + part, number);
  if (t == 0 && atomicInc(a.flags + meet_done, gridDim.x - 1) == gridDim.x - 1) /* and begins again from 0 */
    a.flags[meet_left] = number;
}

#endif
