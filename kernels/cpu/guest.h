/* What kernels of another package are compiled with, once for each type and instruction set. Such a package has a header "kernels.h" that includes
   this one and its kernels and ends with GUEST_KERNELS(name, kernel, ...); six files that define REAL, and INSTRUCTIONS by their number in cv_table, and
   include "kernels.h"; and one that has GUEST(name), the function name_kernels that cpu.Guest is made of. */
#ifndef CONVECT_GUEST_H
#define CONVECT_GUEST_H

#ifdef REAL
#if INSTRUCTIONS == 0 || !defined(__x86_64__) || !defined(__GNUC__) || defined(__clang__)
#define VECTOR 16
#elif INSTRUCTIONS == 1
#pragma GCC target("avx2,fma")
#define VECTOR 32
#else
#pragma GCC target("avx2,fma,avx512f,avx512vl,avx512dq,avx512bw,prefer-vector-width=512")
#define VECTOR 64
#endif
#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC optimize("no-math-errno", "no-trapping-math")
#endif
#endif

#include "cpu.h"

#ifdef REAL

#include <math.h>
#include <string.h>

#include "point.h"
#include "rows.h"

#define GUEST_JOIN_(name, type, instructions) name##_kernels_##type##_##instructions
#define GUEST_JOIN(name, type, instructions) GUEST_JOIN_(name, type, instructions)
#if INSTRUCTIONS == 2 && defined(CV_WITHOUT_AVX512)
#define GUEST_KERNELS(name, ...) const cv_kernel GUEST_JOIN(name, REAL, INSTRUCTIONS)[1]
#else
#define GUEST_KERNELS(name, ...) const cv_kernel GUEST_JOIN(name, REAL, INSTRUCTIONS)[] = {__VA_ARGS__}
#endif

#else

#define GUEST(name)                                                                                          \
  extern const cv_kernel name##_kernels_float_0[], name##_kernels_float_1[], name##_kernels_float_2[];       \
  extern const cv_kernel name##_kernels_double_0[], name##_kernels_double_1[], name##_kernels_double_2[];    \
  const cv_kernel *name##_kernels(int instructions, int type) {                                              \
    const cv_kernel *const all[2][3] = {{name##_kernels_float_0, name##_kernels_float_1, name##_kernels_float_2},     \
                                        {name##_kernels_double_0, name##_kernels_double_1, name##_kernels_double_2}}; \
    return all[type][instructions];                                                                          \
  }

#endif

#endif
