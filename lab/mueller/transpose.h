/* Vectors whose numbers come from places apart: what is contiguous in memory lies across vectors. Both go through pieces of 16
   bytes, which every instruction set loads, stores and shuffles cheaply. */

enum { part_width = 16 / sizeof(REAL) };

typedef __typeof__((vector){} < (vector){}) vector_index;

/* Part q of a vector: the numbers at p + q*apart.. */
INLINE vector load_parts(const REAL *p, int64_t apart) {
#if VECTOR == 64
  __m512 v = _mm512_castps128_ps512(_mm_loadu_ps((const float *)p));
  v = _mm512_insertf32x4(v, _mm_loadu_ps((const float *)(p + apart)), 1);
  v = _mm512_insertf32x4(v, _mm_loadu_ps((const float *)(p + 2 * apart)), 2);
  return (vector)_mm512_insertf32x4(v, _mm_loadu_ps((const float *)(p + 3 * apart)), 3);
#elif VECTOR == 32
  const __m256 v = _mm256_castps128_ps256(_mm_loadu_ps((const float *)p));
  return (vector)_mm256_insertf128_ps(v, _mm_loadu_ps((const float *)(p + apart)), 1);
#else
  (void)apart;
  return load(p);
#endif
}

INLINE void store_parts(REAL *p, int64_t apart, vector v) {
#if VECTOR == 64
  _mm_storeu_ps((float *)p, _mm512_castps512_ps128((__m512)v));
  _mm_storeu_ps((float *)(p + apart), _mm512_extractf32x4_ps((__m512)v, 1));
  _mm_storeu_ps((float *)(p + 2 * apart), _mm512_extractf32x4_ps((__m512)v, 2));
  _mm_storeu_ps((float *)(p + 3 * apart), _mm512_extractf32x4_ps((__m512)v, 3));
#elif VECTOR == 32
  _mm_storeu_ps((float *)p, _mm256_castps256_ps128((__m256)v));
  _mm_storeu_ps((float *)(p + apart), _mm256_extractf128_ps((__m256)v, 1));
#else
  (void)apart;
  store(0, p, v);
#endif
}

/* Transposes the parts of as many vectors as a part holds numbers, each for itself: log2 rounds of interleaving the first half
   of the vectors with the second. */
INLINE void transpose_parts(vector t[part_width]) {
  vector_index low, high;
#pragma GCC unroll 16
  for (int l = 0; l < vector_width; l++) {
    const int in_part = l % part_width, first = l - in_part + in_part / 2 + in_part % 2 * vector_width;
    low[l] = first;
    high[l] = first + part_width / 2;
  }
#pragma GCC unroll 2
  for (int round = 1; round < part_width; round *= 2) {
    vector s[part_width];
#pragma GCC unroll 2
    for (int l = 0; l < part_width / 2; l++) {
      s[2 * l] = __builtin_shuffle(t[l], t[l + part_width / 2], low);
      s[2 * l + 1] = __builtin_shuffle(t[l], t[l + part_width / 2], high);
    }
#pragma GCC unroll 4
    for (int l = 0; l < part_width; l++)
      t[l] = s[l];
  }
}

/* Number m of the runs r = 0.. of a vector, `stride` apart, to number r of t[m]. */
INLINE void load_transposed(vector t[part_width], const REAL *from, int64_t stride) {
#pragma GCC unroll 4
  for (int m = 0; m < part_width; m++)
    t[m] = load_parts(from + m * stride, part_width * stride);
  transpose_parts(t);
}

/* The same from `runs` runs only; more are as the last, or as the first. */
INLINE void load_transposed_part(vector t[part_width], const REAL *from, int64_t stride, int64_t runs) {
#pragma GCC unroll 4
  for (int m = 0; m < part_width; m++) {
    REAL numbers[vector_width];
    for (int r = 0; r < vector_width; r++)
      numbers[r] = from[(r < runs ? r : runs > 0 ? runs - 1 : 0) * stride + m];
    t[m] = load(numbers);
  }
}

/* The way back. Overwrites t. */
INLINE void store_transposed(REAL *to, int64_t stride, vector t[part_width]) {
  transpose_parts(t);
#pragma GCC unroll 4
  for (int m = 0; m < part_width; m++)
    store_parts(to + m * stride, part_width * stride, t[m]);
}
