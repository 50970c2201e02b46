/* Products of small matrices by a warp: on tensor cores where there are any. */
#ifndef CONVECT_TENSOR_CUH
#define CONVECT_TENSOR_CUH

#include "../launch.h"

/* c += a b of 16 x 8 results and 8 terms. A lane l has of a the rows l / 4 and 8 more of columns l % 4, and then of l % 4 + 4; of b the column l / 4 of rows l % 4 and
   l % 4 + 4; and of c the row l / 4 of columns 2 (l % 4) and the next, and then the row 8 below. Operands are made ready with tensor_operand. */
enum { tensor_rows = 16, tensor_columns = 8, tensor_terms = 8 };

/* It is done in so many parts, of which each waits for the one before: between them there is time for others. */
#if defined(__CUDACC__) && (!defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 800)
enum { tensor_parts = sizeof(REAL) == 4 ? 3 : 2 };
#else
enum { tensor_parts = 1 };
#endif

#if defined(__CUDACC__) && (!defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 800)

/* A float is the sum of two of 11 bits, of whose products the least is left out: it is below the rounding of floats. A double is as it is. */
template <typename T> struct tensor_number;
template <> struct tensor_number<float> {
  uint32_t high, low;
};
template <> struct tensor_number<double> {
  double v;
};

DEVICE tensor_number<float> tensor_operand(float x) {
  /* Hardware takes no notice of the lowest 13 bits. */
  const uint32_t high = (__float_as_uint(x) + 0x1000) & 0xffffe000u;
  return {high, __float_as_uint(x - __uint_as_float(high))};
}

DEVICE tensor_number<double> tensor_operand(double x) { return {x}; }

DEVICE void tensor_tf32(float (&c)[4], uint32_t a0, uint32_t a1, uint32_t a2, uint32_t a3, uint32_t b0, uint32_t b1) {
  asm("mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, {%0,%1,%2,%3};"
      : "+f"(c[0]), "+f"(c[1]), "+f"(c[2]), "+f"(c[3])
      : "r"(a0), "r"(a1), "r"(a2), "r"(a3), "r"(b0), "r"(b1));
}

DEVICE void tensor_add(int part, float (&c)[4], const tensor_number<float> (&a)[4], const tensor_number<float> (&b)[2]) {
  if (part == 0)
    tensor_tf32(c, a[0].low, a[1].low, a[2].low, a[3].low, b[0].high, b[1].high);
  else if (part == 1)
    tensor_tf32(c, a[0].high, a[1].high, a[2].high, a[3].high, b[0].low, b[1].low);
  else
    tensor_tf32(c, a[0].high, a[1].high, a[2].high, a[3].high, b[0].high, b[1].high);
}

DEVICE void tensor_f64(double &c0, double &c1, double a, double b) {
  asm("mma.sync.aligned.m8n8k4.row.col.f64.f64.f64.f64 {%0,%1}, {%2}, {%3}, {%0,%1};" : "+d"(c0), "+d"(c1) : "d"(a), "d"(b));
}

DEVICE void tensor_add(int part, double (&c)[4], const tensor_number<double> (&a)[4], const tensor_number<double> (&b)[2]) {
  tensor_f64(c[0], c[1], a[2 * part].v, b[part].v);
  tensor_f64(c[2], c[3], a[2 * part + 1].v, b[part].v);
}

#else

template <typename T> struct tensor_number {
  T v;
};

template <typename T> DEVICE tensor_number<T> tensor_operand(T x) { return {x}; }

template <typename T> DEVICE void tensor_add(int, T (&c)[4], const tensor_number<T> (&a)[4], const tensor_number<T> (&b)[2]) {
  const int lane = (int)threadIdx.x & 31;
#pragma unroll
  for (int k = 0; k < tensor_terms; k++) {
    T row[2], column[2];
#pragma unroll
    for (int n = 0; n < 2; n++) {
      row[n] = __shfl_sync(0xffffffffu, a[k / 4 * 2 + n].v, (lane & ~3) + k % 4);
      column[n] = __shfl_sync(0xffffffffu, b[k / 4].v, (lane % 4 * 2 + n) * 4 + k % 4);
    }
#pragma unroll
    for (int n = 0; n < 4; n++)
      c[n] = fma(row[n / 2], column[n % 2], c[n]);
  }
}

#endif

/* Sixteen bytes from global to shared memory on their way past the registers, of zeros where there are none; tensor_wait waits for those that the thread asked
   for. */
DEVICE void tensor_copy(void *to, const void *from, bool there) {
#if defined(__CUDACC__) && (!defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 800)
  asm volatile("cp.async.cg.shared.global [%0], [%1], 16, %2;" ::"r"((unsigned)__cvta_generic_to_shared(to)), "l"(from), "r"(there ? 16 : 0) : "memory");
#else
  REAL *const words = static_cast<REAL *>(to);
#pragma unroll
  for (int n = 0; n < 16 / (int)sizeof(REAL); n++)
    words[n] = there ? static_cast<const REAL *>(from)[n] : (REAL)0;
#endif
}

DEVICE void tensor_wait() {
#if defined(__CUDACC__) && (!defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 800)
  asm volatile("cp.async.wait_all;" ::: "memory");
#endif
}

#endif
