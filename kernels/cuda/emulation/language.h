/* What CUDA C++ adds to C++, for g++: one thread of the emulation runs at a time, and waits in a barrier while others
   run. */
#ifndef CONVECT_EMULATION_LANGUAGE_H
#define CONVECT_EMULATION_LANGUAGE_H

#include <cmath>
#include <cstdint>
#include <cstring>
#include <type_traits>

#include "block.h"
#include "vectors.h"

/* The instructions that every x86-64 has fuse nothing. */
#if defined(__FMA__) || !defined(__x86_64__)
#pragma GCC optimize("fp-contract=off")
#endif

#define __global__
#define __device__
#define __host__
#define __constant__ static const
#define __grid_constant__
#define __launch_bounds__(...)
#define __forceinline__ inline
#define __noinline__ __attribute__((noinline))
#define __align__(n) __attribute__((aligned(n)))
#define __restrict__ __restrict

/* The sanitizer puts red zones around variables, but not in a section. */
#ifdef __SANITIZE_ADDRESS__
#define __shared__ static
#else
#define __shared__ static __attribute__((section("convect_shared")))
#endif

using emulation::blockDim;
using emulation::blockIdx;
using emulation::gridDim;
using emulation::threadIdx;

constexpr int warpSize = 32;

/* Where a barrier stands. Threads that meet must stand at the same. */
#define HERE const char *file = __builtin_FILE(), int line = __builtin_LINE()

static inline void __syncthreads(HERE) { emulation::wait_block({file, line}); }

static inline void __syncwarp(unsigned mask = 0xffffffff, HERE) {
  emulation::wait_warp(emulation::Meeting::barrier, mask, 0, 0, {file, line});
}

static inline void __trap(HERE) { emulation::trap({file, line}); }

static inline void __threadfence() { __asm__ __volatile__("" ::: "memory"); }
static inline void __threadfence_block() { __threadfence(); }

namespace emulation {

/* The value of lane `source`, which must take part. */
template <typename T>
T shuffle(unsigned mask, T value, int source, Place place) {
  static_assert(std::is_arithmetic<T>::value && (sizeof(T) == 4 || sizeof(T) == 8), "no shuffle of such a type");
  uint64_t bits = 0;
  std::memcpy(&bits, &value, sizeof(T));
  bits = wait_warp(Meeting::shuffle, mask, bits, source, place);
  std::memcpy(&value, &bits, sizeof(T));
  return value;
}

/* The first lane of the own group of `width` lanes. */
inline int group(int width) { return lane() & ~(width - 1); }

}  // namespace emulation

template <typename T>
static inline T __shfl_sync(unsigned mask, T value, int source, int width = warpSize, HERE) {
  return emulation::shuffle(mask, value, emulation::group(width) + (source & (width - 1)), {file, line});
}

template <typename T>
static inline T __shfl_up_sync(unsigned mask, T value, unsigned by, int width = warpSize, HERE) {
  const int own = emulation::lane(), source = own - (int)by;
  return emulation::shuffle(mask, value, source < emulation::group(width) ? own : source, {file, line});
}

template <typename T>
static inline T __shfl_down_sync(unsigned mask, T value, unsigned by, int width = warpSize, HERE) {
  const int own = emulation::lane(), source = own + (int)by;
  return emulation::shuffle(mask, value, source >= emulation::group(width) + width ? own : source, {file, line});
}

template <typename T>
static inline T __shfl_xor_sync(unsigned mask, T value, int lanes, int width = warpSize, HERE) {
  const int own = emulation::lane(), source = own ^ lanes;
  return emulation::shuffle(mask, value, source >= emulation::group(width) + width ? own : source, {file, line});
}

static inline unsigned __ballot_sync(unsigned mask, int predicate, HERE) {
  return (unsigned)emulation::wait_warp(emulation::Meeting::ballot, mask, predicate != 0, 0, {file, line});
}

static inline int __any_sync(unsigned mask, int predicate, HERE) {
  return __ballot_sync(mask, predicate, file, line) != 0;
}

static inline int __all_sync(unsigned mask, int predicate, HERE) {
  return __ballot_sync(mask, predicate, file, line) == mask;
}

#undef HERE

static inline unsigned atomicAdd(unsigned *p, unsigned value) {
  const unsigned old = *p;
  *p = old + value;
  return old;
}

/* Counts up to `last`, then from 0 again. */
static inline unsigned atomicInc(unsigned *p, unsigned last) {
  const unsigned old = *p;
  *p = old >= last ? 0 : old + 1;
  return old;
}

template <typename T>
static inline T __ldg(const T *p) {
  return *p;
}

static inline int __popc(unsigned bits) { return __builtin_popcount(bits); }
static inline int __ffs(int bits) { return __builtin_ffs(bits); }
static inline int __clz(int bits) { return bits == 0 ? 32 : __builtin_clz((unsigned)bits); }

/* The smaller and the larger of two numbers; of a number and NaN the number, as in CUDA. */
template <typename A, typename B>
static inline typename std::common_type<A, B>::type min(A a, B b) {
  using T = typename std::common_type<A, B>::type;
  if constexpr (std::is_floating_point<T>::value) return std::fmin((T)a, (T)b);
  else return (T)a < (T)b ? (T)a : (T)b;
}

template <typename A, typename B>
static inline typename std::common_type<A, B>::type max(A a, B b) {
  using T = typename std::common_type<A, B>::type;
  if constexpr (std::is_floating_point<T>::value) return std::fmax((T)a, (T)b);
  else return (T)a > (T)b ? (T)a : (T)b;
}

using std::fma;

#endif
