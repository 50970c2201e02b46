/* Which tables were compiled and which of them this machine can run. */
#include "cpu.h"

#include <stddef.h>

extern const cv_kernel cv_table_baseline_f32[], cv_table_baseline_f64[];

#if defined(__x86_64__) && defined(__GNUC__) && !defined(__clang__)
extern const cv_kernel cv_table_avx2_f32[], cv_table_avx2_f64[];
#ifndef CV_WITHOUT_AVX512 /* scripts/sanitize.sh */
extern const cv_kernel cv_table_avx512_f32[], cv_table_avx512_f64[];
#endif

int cv_supported(int instructions) {
  switch (instructions) {
  case 1:
    return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma");
#ifndef CV_WITHOUT_AVX512
  case 2:
    return __builtin_cpu_supports("fma") && __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512vl") &&
           __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512bw");
#endif
  }
  return instructions == 0;
}

const cv_kernel *cv_table(int instructions, int type) {
  switch (instructions) {
  case 1:
    return type ? cv_table_avx2_f64 : cv_table_avx2_f32;
#ifndef CV_WITHOUT_AVX512
  case 2:
    return type ? cv_table_avx512_f64 : cv_table_avx512_f32;
#endif
  }
  return type ? cv_table_baseline_f64 : cv_table_baseline_f32;
}
#else
int cv_supported(int instructions) { return instructions == 0; }

const cv_kernel *cv_table(int instructions, int type) {
  if (instructions != 0)
    return NULL;
  return type ? cv_table_baseline_f64 : cv_table_baseline_f32;
}
#endif
