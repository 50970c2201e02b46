/* What the row kernels share: masks, streaming stores, scratch rows, sums in fixed lanes. */
#if defined(__SSE2__)
#include <immintrin.h>
#endif

#define INLINE static inline __attribute__((always_inline))
#define VECTORISE _Pragma("GCC ivdep")

/* The axis array of a struct as numbers at node 0. */
#define AXIS(p) ((const REAL *)(p))

/* Scratch memory is handed out in rows with room for a halo of 16 on both sides. */
INLINE REAL *real_row(char **scratch, int64_t n) {
  REAL *r = (REAL *)*scratch + 16;
  *scratch += (n + 47) / 16 * 16 * sizeof(REAL);
  return r;
}

INLINE double *double_row(char **scratch, int64_t n) {
  double *r = (double *)*scratch + 16;
  *scratch += (n + 47) / 16 * 16 * sizeof(double);
  return r;
}

enum { all_free = 0, all_fixed = 1 };

INLINE int64_t mask_entry(const cv_mask *m, int64_t row) { return m->index ? m->index[row] : all_free; }

INLINE const REAL *mask_row(const cv_mask *m, int64_t entry) {
  return (const REAL *)m->table + entry * m->stride;
}

/* Vectors of REAL, of which each cache line holds a whole number on every instruction set. */
typedef REAL vector __attribute__((vector_size(VECTOR)));

/* All bits of the lanes in which something holds, none of the others; or numbers of lanes. */
typedef __typeof__((vector){0} == (vector){0}) lanes;

enum { vector_width = VECTOR / sizeof(REAL), line_width = 64 / sizeof(REAL) };

/* Where the last line of a row of n nodes begins, which may be whole or not. */
INLINE int64_t last_line(int64_t n) { return (n - 1) / line_width * line_width; }

INLINE vector load(const REAL *p) {
  vector v;
  memcpy(&v, p, sizeof v);
  return v;
}

/* a where all bits of a lane of m are set, b where none is. */
INLINE vector where(lanes m, vector a, vector b) { return (vector)(((lanes)a & m) | ((lanes)b & ~m)); }

INLINE vector splat(REAL v) { return v - (vector){0}; }

/* a b + c and c - a b, with one rounding where the machine has an instruction for it. */
INLINE vector madd(vector a, vector b, vector c) {
#if VECTOR == 64
  return sizeof(REAL) == 4 ? (vector)_mm512_fmadd_ps((__m512)a, (__m512)b, (__m512)c)
                           : (vector)_mm512_fmadd_pd((__m512d)a, (__m512d)b, (__m512d)c);
#elif VECTOR == 32
  return sizeof(REAL) == 4 ? (vector)_mm256_fmadd_ps((__m256)a, (__m256)b, (__m256)c)
                           : (vector)_mm256_fmadd_pd((__m256d)a, (__m256d)b, (__m256d)c);
#else
  return a * b + c;
#endif
}

INLINE vector nmadd(vector a, vector b, vector c) { return madd(-a, b, c); }

/* Lanes of b one higher, the last of a before them; lanes of a one lower, the first of b after them. */
INLINE vector lanes_before(vector a, vector b) {
#if VECTOR == 64
  return sizeof(REAL) == 4 ? (vector)_mm512_alignr_epi32((__m512i)b, (__m512i)a, 15)
                           : (vector)_mm512_alignr_epi64((__m512i)b, (__m512i)a, 7);
#elif VECTOR == 32
  const __m256i middle = _mm256_permute2x128_si256((__m256i)a, (__m256i)b, 0x21);
  return (vector)_mm256_alignr_epi8((__m256i)b, middle, 16 - sizeof(REAL));
#else
  vector both[2] = {a, b};
  return load((REAL *)both + vector_width - 1);
#endif
}

INLINE vector lanes_after(vector a, vector b) {
#if VECTOR == 64
  return sizeof(REAL) == 4 ? (vector)_mm512_alignr_epi32((__m512i)b, (__m512i)a, 1)
                           : (vector)_mm512_alignr_epi64((__m512i)b, (__m512i)a, 1);
#elif VECTOR == 32
  const __m256i middle = _mm256_permute2x128_si256((__m256i)a, (__m256i)b, 0x21);
  return (vector)_mm256_alignr_epi8(middle, (__m256i)a, sizeof(REAL));
#else
  vector both[2] = {a, b};
  return load((REAL *)both + 1);
#endif
}

/* The lanes of a and b with the numbers `from`, those of b counted on. */
INLINE vector chosen_lanes(vector a, vector b, lanes from) {
#if defined(__clang__)
  vector both[2] = {a, b}, v;
  for (int l = 0; l < vector_width; l++)
    v[l] = ((REAL *)both)[from[l]];
  return v;
#else
  return __builtin_shuffle(a, b, from);
#endif
}

/* Every second lane of a and b, from lane 0 or 1 on. */
INLINE vector every_second_lane(vector a, vector b, int first) {
  lanes from;
  for (int l = 0; l < vector_width; l++)
    from[l] = 2 * l + first;
  return chosen_lanes(a, b, from);
}

/* Lanes of a and b in turns: the first half of them, or the second. */
INLINE vector lanes_in_turns(vector a, vector b, int second) {
  lanes from;
  for (int l = 0; l < vector_width; l++)
    from[l] = (second * vector_width + l) / 2 + l % 2 * vector_width;
  return chosen_lanes(a, b, from);
}

/* Stores a vector, past the caches if `stream`; p is aligned then. */
INLINE void store(int stream, REAL *p, vector v) {
#if defined(__AVX512F__)
  if (stream)
    _mm512_stream_si512((__m512i *)p, (__m512i)v);
  else
#elif defined(__AVX__)
  if (stream)
    _mm256_stream_si256((__m256i *)p, (__m256i)v);
  else
#elif defined(__SSE2__)
  if (stream)
    _mm_stream_si128((__m128i *)p, (__m128i)v);
  else
#endif
    memcpy(p, &v, sizeof v);
}

/* Copies a row past the caches: whole vectors with streaming stores, the rest plainly. dst is aligned. */
INLINE void stream_row(REAL *restrict dst, const REAL *restrict src, int64_t n) {
  int64_t i = 0;
  for (; i + vector_width <= n; i += vector_width)
    store(1, dst + i, load(src + i));
  for (; i < n; i++)
    dst[i] = src[i];
}

INLINE void copy_row(REAL *restrict dst, const REAL *restrict src, int64_t n, int stream) {
  if (stream)
    stream_row(dst, src, n);
  else
    memcpy(dst, src, n * sizeof(REAL));
}

/* Stores the first lanes of a vector, one or more. */
INLINE void store_lanes(REAL *p, vector v, int64_t lanes) {
#if VECTOR == 64
  if (sizeof(REAL) == 4)
    _mm512_mask_storeu_ps(p, 0xffff >> (16 - lanes), (__m512)v);
  else
    _mm512_mask_storeu_pd(p, 0xff >> (8 - lanes), (__m512d)v);
#else
  REAL all[vector_width];
  memcpy(all, &v, sizeof v);
  for (int64_t i = 0; i < lanes; i++)
    p[i] = all[i];
#endif
}

/* Rows by which reading is to run ahead, so that lines come from memory in time, or in a cycle from the second-level cache. */
enum { rows_ahead = 2, cycle_rows_ahead = 16 / sizeof(REAL) };

INLINE void prefetch_row(const REAL *x, int64_t n) {
  for (int64_t i = 0; i < n; i += line_width)
    __builtin_prefetch(x + i);
}

INLINE void prefetch_for_writing(REAL *x, int64_t n) {
  for (int64_t i = 0; i < n; i += line_width)
    __builtin_prefetch(x + i, 1);
}

/* Makes streamed rows visible to other threads. */
INLINE void stream_end(void) {
#if defined(__SSE2__)
  _mm_sfence();
#endif
}

/* Visits the rows begin..end-1 (row j + k ny) in strips of y; rows j..j_end-1 of a plane come next. */
#define FOR_ROWS(ny, begin, end, strip)                                                                               \
  for (int64_t js_ = 0; js_ < (ny); js_ += (strip))                                                                   \
    for (int64_t k = (begin) / (ny); k * (ny) < (end); k++)                                                           \
      for (int64_t j = js_ + k * (ny) < (begin) ? (begin)-k * (ny) : js_,                                             \
                   j_end = smallest(js_ + (strip), smallest((ny), (end)-k * (ny)));                                     \
           j < j_end; j++)

INLINE int64_t smallest(int64_t a, int64_t b) { return a < b ? a : b; }
INLINE int64_t largest(int64_t a, int64_t b) { return a > b ? a : b; }

typedef double double_vector __attribute__((vector_size(VECTOR)));

/* Sum of n terms in eight lanes, whatever the vector length. Overwrites t[n..n+7]. */
static double row_sum(double *t, int64_t n) {
  enum { lanes = 8, vectors = lanes * sizeof(double) / VECTOR, width = VECTOR / sizeof(double) };
  double_vector a[vectors];
  double s[lanes];
  memset(a, 0, sizeof a);
  memset(t + n, 0, lanes * sizeof(double));
  for (int64_t i = 0; i < n; i += lanes)
#pragma GCC unroll 4
    for (int v = 0; v < vectors; v++) {
      double_vector x;
      memcpy(&x, t + i + v * width, sizeof x);
      a[v] += x;
    }
  memcpy(s, a, sizeof s);
  return ((s[0] + s[4]) + (s[2] + s[6])) + ((s[1] + s[5]) + (s[3] + s[7]));
}

/* Largest of n numbers that are not negative; NaN if there is one. */
static double row_max(const double *t, int64_t n) {
  double m = 0;
  int64_t bad = 0;
#pragma omp simd reduction(max : m) reduction(+ : bad)
  for (int64_t i = 0; i < n; i++) {
    m = t[i] > m ? t[i] : m;
    bad += t[i] != t[i];
  }
  return bad ? NAN : m;
}
