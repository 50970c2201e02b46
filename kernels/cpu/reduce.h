/* Reductions over nodes: every row writes one partial. */

/* The terms of one row in float64; the volume without wy wz, the area without wy and of X less its level's first value or another,
   y[0], so that equal values have exactly that mean; `value` is that of the maximum. */
INLINE void reduce_terms(int64_t kind, double *restrict t, const REAL *restrict x, const REAL *restrict y,
                         const REAL *restrict w, REAL value, int64_t n) {
#define TERMS(term)                                                                                                   \
  for (int64_t i = 0; i < n; i++)                                                                                     \
    t[i] = (term);                                                                                                    \
  break
  switch (kind) {
  case cv_dot: TERMS((double)x[i] * y[i]);
  case cv_volume_sum: TERMS((double)w[i] * x[i]);
  case cv_area_sum: TERMS(w[i] * ((double)x[i] - y[0]));
  case cv_volume_dot: TERMS((double)w[i] * x[i] * y[i]);
  case cv_max_abs: TERMS(fabs((double)x[i] - value));
  case cv_max_diff: TERMS(fabs((double)x[i] - y[i]));
  case cv_sum: TERMS((double)x[i]);
  case cv_finite: TERMS(x[i] - x[i] == 0 ? 0 : 1);
  }
#undef TERMS
}

static void reduce(const void *args, int64_t begin, int64_t end, char *scratch) {
  const cv_reduce_args *a = args;
  const int64_t nx = a->box.n[0], ny = a->box.n[1];
  double *t = double_row(&scratch, nx);
  for (int64_t r = begin; r < end; r++) {
    int64_t j = r % ny, k = r / ny, offset = j * a->box.sy + k * a->box.sz;
    int64_t entry = mask_entry(&a->mask, r);
    a->partial[r] = 0;
    if (entry == all_fixed)
      continue;
    const REAL *x = (const REAL *)a->x + offset, *y = a->y && a->kind != cv_area_sum ? (const REAL *)a->y + offset : NULL;
    if (a->kind == cv_area_sum)
      y = a->y ? (const REAL *)a->y + k : (const REAL *)a->x + k * a->box.sz;
    reduce_terms(a->kind, t, x, y, a->w[0], (REAL)a->value, nx);
    if (entry != all_free) {
      const REAL *m = mask_row(&a->mask, entry);
      for (int64_t i = 0; i < nx; i++)
        t[i] = m[i] != 0 ? t[i] : 0;
    }
    if (a->kind == cv_max_abs || a->kind == cv_max_diff)
      a->partial[r] = row_max(t, nx);
    else if (a->kind == cv_volume_sum || a->kind == cv_volume_dot)
      a->partial[r] = row_sum(t, nx) * ((double)AXIS(a->w[1])[j] * AXIS(a->w[2])[k]);
    else if (a->kind == cv_area_sum)
      a->partial[r] = row_sum(t, nx) * AXIS(a->w[1])[j];
    else
      a->partial[r] = row_sum(t, nx);
  }
}

/* X -= shift, or X -= shift V. */
static void shift(const void *args, int64_t begin, int64_t end, char *scratch) {
  const cv_shift_args *a = args;
  const int64_t nx = a->box.n[0], ny = a->box.n[1];
  const REAL *restrict w = a->w[0];
  (void)scratch;
  for (int64_t r = begin; r < end; r++) {
    int64_t j = r % ny, k = r / ny;
    REAL *restrict x = (REAL *)a->x + j * a->box.sy + k * a->box.sz;
    double s = a->shift;
    if (!a->integrated) {
      for (int64_t i = 0; i < nx; i++)
        x[i] = x[i] - s;
      continue;
    }
    s *= (double)AXIS(a->w[1])[j] * AXIS(a->w[2])[k];
    for (int64_t i = 0; i < nx; i++)
      x[i] = x[i] - s * w[i];
  }
}
