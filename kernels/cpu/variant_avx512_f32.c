/* The kernels on float with the avx512 instructions. */
#include "cpu.h"

#if defined(__x86_64__) && defined(__GNUC__) && !defined(__clang__) && !defined(CV_WITHOUT_AVX512)
#pragma GCC target("avx2,fma,avx512f,avx512vl,avx512dq,avx512bw,prefer-vector-width=512")
#define REAL float
#define VECTOR 64
#define TABLE cv_table_avx512_f32
#include "table.h"
#endif
