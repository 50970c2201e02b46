/* Rows of float written by kernels on double: Combine of both types, and the end of a residual in single precision. */

/* Copies a row of float past the caches. dst is aligned. */
INLINE void stream_single(float *restrict dst, const float *restrict src, int64_t n) {
  int64_t i = 0;
#if defined(__AVX__)
  for (; i + 8 <= n; i += 8)
    _mm256_stream_ps(dst + i, _mm256_load_ps(src + i));
#elif defined(__SSE2__)
  for (; i + 4 <= n; i += 4)
    _mm_stream_ps(dst + i, _mm_load_ps(src + i));
#endif
  for (; i < n; i++)
    dst[i] = src[i];
}

INLINE void narrow_row(float *restrict dst, const REAL *restrict src, REAL scale, int64_t n) {
  for (int64_t i = 0; i < n; i++)
    dst[i] = scale * src[i];
}

INLINE void widen_row(REAL *restrict dst, const float *restrict src, int64_t n) {
  for (int64_t i = 0; i < n; i++)
    dst[i] = src[i];
}

/* Combine of arrays of both types, in blocks that are widened and narrowed in cache. */
static void combine_mixed(const void *args, int64_t begin, int64_t end, char *scratch) {
  const cv_vector_args *v = args;
  REAL *wide[4], *sum = real_row(&scratch, cv_block);
  for (int t = 0; t < 4; t++)
    wide[t] = real_row(&scratch, cv_block);
  for (int64_t b = begin; b < end; b++) {
    const int64_t first = b * cv_block, n = smallest(cv_block, v->len - first);
    const REAL *x[4];
    for (int t = 0; t < 4; t++) {
      x[t] = wide[t];
      if (t < v->terms && v->single[t])
        widen_row(wide[t], (const float *)v->x[t] + first, n);
      else if (t < v->terms)
        x[t] = (const REAL *)v->x[t] + first;
    }
    const int direct = !v->single_out && !v->stream;
    REAL *out = direct ? (REAL *)v->out + first : sum;
    combine_rows(out, x, v->c, n, v->terms);
    if (v->single_out) {
      float *narrow = (float *)wide[0]; /* its term has been added */
      narrow_row(narrow, sum, 1, n);
      if (v->stream)
        stream_single((float *)v->out + first, narrow, n);
      else
        memcpy((float *)v->out + first, narrow, n * sizeof(float));
    } else if (!direct)
      stream_row((REAL *)v->out + first, sum, n);
  }
  stream_end();
}

/* A row of residuals t to the row of float at element offset of the output; t NULL: fixed nodes. t and spare are lost. */
static void finish_single(const cv_sweep_args *args, int64_t entry, int64_t offset, REAL *restrict t, REAL *spare) {
  const int64_t n = args->a.box.n[0];
  float *out = (float *)args->out + offset, *narrow = args->stream ? (float *)spare : out;
  if (!t) {
    memset(out, 0, n * sizeof(float));
    return;
  }
  if (entry != all_free) {
    const REAL *m = mask_row(&args->a.mask, entry);
    for (int64_t i = 0; i < n; i++)
      t[i] *= m[i];
  }
  narrow_row(narrow, t, args->scale, n);
  if (args->stream)
    stream_single(out, narrow, n);
}
