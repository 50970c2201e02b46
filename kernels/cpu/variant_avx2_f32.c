/* The kernels on float with the avx2 instructions. */
#include "cpu.h"

#if defined(__x86_64__) && defined(__GNUC__) && !defined(__clang__)
#pragma GCC target("avx2,fma")
#define REAL float
#define VECTOR 32
#define TABLE cv_table_avx2_f32
#include "table.h"
#endif
