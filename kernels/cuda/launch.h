/* What every kernel file includes: the macros that define kernels, for nvcc and for the emulation on the host, the
   arguments, and the arithmetic of single points that CPU and GPU share. The compiler is told REAL (float or double)
   and TYPE (f32 or f64). */
#ifndef CONVECT_LAUNCH_H
#define CONVECT_LAUNCH_H

#include <math.h>
#include <stdint.h>

#ifndef __CUDACC__
#include "emulation/language.h"
#endif

#include "../call/args.h"
#include "geometry.h"

#define LAUNCH_JOIN_(name, type) name##_##type
#define LAUNCH_JOIN(name, type) LAUNCH_JOIN_(name, type)
#define LAUNCH_TEXT_(text) #text
#define LAUNCH_TEXT(text) LAUNCH_TEXT_(text)

/* KERNEL(name, Args) { ... } defines the kernel name_f32 or name_f64 with the one parameter `a`, a struct Args.
   KERNEL_BOUNDS tells besides the largest block and the least number of blocks on a multiprocessor.
   DYNAMIC_SHARED(T, name) declares T *name, the shared memory that the launch asks for. IS_GLOBAL(p) tells that p
   points to memory of the GPU, which has loads of its own. DEVICE begins a function; for nvcc it is not static, since
   nvcc names shared memory of static functions after the folder in which it compiles.

   Where a GPU can, from compute capability 9.0 on, blocks of the next kernel come to multiprocessors as soon as they have room, while the last blocks of
   this one still run, and wait there for its end: launch_in_turn, with which every kernel begins. */
#ifdef __CUDACC__
#define KERNEL(name, Args) LAUNCH_KERNEL(name, Args, )
#define KERNEL_BOUNDS(name, Args, threads, blocks) LAUNCH_KERNEL(name, Args, __launch_bounds__(threads, blocks))
#define LAUNCH_KERNEL(name, Args, bounds)                                                            \
  DEVICE void LAUNCH_JOIN(name##_of, TYPE)(const Args &a);                                           \
  extern "C" __global__ void bounds LAUNCH_JOIN(name, TYPE)(const __grid_constant__ Args a) {        \
    launch_in_turn();                                                                                \
    LAUNCH_JOIN(name##_of, TYPE)(a);                                                                 \
  }                                                                                                  \
  DEVICE void LAUNCH_JOIN(name##_of, TYPE)([[maybe_unused]] const Args &a)
#define DYNAMIC_SHARED(T, name)                                       \
  extern __shared__ __align__(16) unsigned char launch_dynamic_shared[]; \
  T *const name = reinterpret_cast<T *>(launch_dynamic_shared)
#define IS_GLOBAL(p) __builtin_assume(__isGlobal(p))
#define DEVICE __device__ __forceinline__

DEVICE void launch_in_turn() {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900
  asm volatile("griddepcontrol.launch_dependents;\n\tgriddepcontrol.wait;" ::: "memory");
#endif
}
#else
#define KERNEL(name, Args) KERNEL_BOUNDS(name, Args, 1024, 1)
#define KERNEL_BOUNDS(name, Args, threads, blocks)                                                        \
  static void name(const Args &a);                                                                        \
  static void LAUNCH_JOIN(run, name)(const void *a) { name(*static_cast<const Args *>(a)); }                \
  static const emulation::Kernel LAUNCH_JOIN(kernel, name)(LAUNCH_TEXT(LAUNCH_JOIN(name, TYPE)),            \
                                                           LAUNCH_JOIN(run, name), sizeof(Args), (threads)); \
  static void name([[maybe_unused]] const Args &a)
#define DYNAMIC_SHARED(T, name) T *const name = static_cast<T *>(emulation::dynamic_shared())
#define IS_GLOBAL(p) (void)(p)
#define DEVICE static __device__ __forceinline__
#endif

#define POINT_FN DEVICE

#include "../cpu/point.h"

/* An axis array: AXIS(a.h[0])[i]. */
#define AXIS(p) (static_cast<const REAL *>(p))

/* The quotient of two slots. */
DEVICE double quotient_of(const cv_quotient &q) { return q.of ? *q.of / *q.over : 1; }

/* Whether sums and maxima count row j of a box. Of a slab of a grid that is shared out they count the rows that are its own, else all. */
DEVICE bool counts_row(const cv_box &box, int j) { return j >= (int)box.own[0] && j < (int)box.own[1]; }

/* One thread a node of a box, in blocks along x, y and z: declares int i, j, k; a thread beyond the box returns. */
#define NODE(i, j, k, box)                                      \
  const int i = (int)(blockIdx.x * blockDim.x + threadIdx.x);   \
  const int j = (int)(blockIdx.y * blockDim.y + threadIdx.y);   \
  const int k = (int)(blockIdx.z * blockDim.z + threadIdx.z);   \
  if (i >= (box).n[0] || j >= (box).n[1] || k >= (box).n[2]) return

/* One thread an element of n: declares int64_t e; a thread beyond the last returns. */
#define ELEMENT(e, n)                                                            \
  const int64_t e = (int64_t)blockIdx.x * (int64_t)blockDim.x + (int64_t)threadIdx.x; \
  if (e >= (n)) return

#endif
