/* Restriction and prolongation between nested grids, each axis coarsened or not. */

/* Full weighting in y (stride sy, 0: none) of the fine row x at node i. */
#define WEIGHT_Y(x) (sy ? (x)[i] + half * ((x)[i - sy] + (x)[i + sy]) : (x)[i])

/* t[i] = weighted sum over the fine rows around x, i from -1 to n. */
INLINE void gather_rows(REAL *restrict t, const REAL *restrict x, int64_t n, int64_t sy, int64_t sz) {
  const REAL half = 0.5;
  for (int64_t i = -1; i <= n; i++)
    t[i] = sz ? WEIGHT_Y(x) + half * (WEIGHT_Y(x - sz) + WEIGHT_Y(x + sz)) : WEIGHT_Y(x);
}

static void restriction(const void *args, int64_t begin, int64_t end, char *scratch) {
  const cv_transfer_args *a = args;
  const int64_t n = a->coarse.n[0], ny = a->coarse.n[1], fx = a->factor[0], fy = a->factor[1], fz = a->factor[2];
  const int64_t sy = a->fine.sy, sz = a->fine.sz, fine_n = (n - 1) * fx + 1;
  const REAL half = 0.5;
  REAL *restrict t = real_row(&scratch, fine_n);
  for (int64_t r = begin; r < end; r++) {
    const int64_t j = r % ny, k = r / ny, entry = mask_entry(&a->mask, r);
    const REAL *x = (const REAL *)a->fine_x + fy * j * sy + fz * k * sz;
    REAL *restrict out = (REAL *)a->coarse_x + j * a->coarse.sy + k * a->coarse.sz;
    if (entry == all_fixed) {
      memset(out, 0, n * sizeof(REAL));
      continue;
    }
    if (fy == 2 && fz == 2)
      gather_rows(t, x, fine_n, sy, sz);
    else if (fy == 2)
      gather_rows(t, x, fine_n, sy, 0);
    else if (fz == 2)
      gather_rows(t, x, fine_n, 0, sz);
    else
      gather_rows(t, x, fine_n, 0, 0);
    if (fx == 2)
      for (int64_t i = 0; i < n; i++)
        out[i] = t[2 * i] + half * (t[2 * i - 1] + t[2 * i + 1]);
    else
      memcpy(out, t, n * sizeof(REAL));
    if (entry != all_free) {
      const REAL *m = mask_row(&a->mask, entry);
      for (int64_t i = 0; i < n; i++)
        out[i] *= m[i];
    }
  }
}
#undef WEIGHT_Y

/* t = the coarse row, or the mean of two, at y distance sy and z distance sz (0: none). */
INLINE void spread_rows(REAL *restrict t, const REAL *restrict c, int64_t n, int64_t sy, int64_t sz) {
  const REAL half = 0.5;
#define MEAN_Y(x) (sy ? half * ((x)[i] + (x)[i + sy]) : (x)[i])
  for (int64_t i = 0; i < n; i++)
    t[i] = sz ? half * (MEAN_Y(c) + MEAN_Y(c + sz)) : MEAN_Y(c);
#undef MEAN_Y
}

static void prolongation(const void *args, int64_t begin, int64_t end, char *scratch) {
  const cv_transfer_args *a = args;
  const int64_t n = a->fine.n[0], ny = a->fine.n[1], fx = a->factor[0], fy = a->factor[1], fz = a->factor[2];
  const int64_t sy = a->coarse.sy, sz = a->coarse.sz, coarse_n = fx == 2 ? n / 2 + 1 : n;
  const REAL half = 0.5;
  REAL *restrict c = real_row(&scratch, coarse_n), *restrict t = real_row(&scratch, 2 * coarse_n);
  for (int64_t r = begin; r < end; r++) {
    const int64_t j = r % ny, k = r / ny, entry = mask_entry(&a->mask, r);
    const int64_t between_y = fy == 2 && j % 2, between_z = fz == 2 && k % 2;
    const REAL *x = (const REAL *)a->coarse_x + j / fy * sy + k / fz * sz;
    REAL *restrict out = (REAL *)a->fine_x + j * a->fine.sy + k * a->fine.sz;
    if (entry == all_fixed)
      continue;
    if (between_y && between_z)
      spread_rows(c, x, coarse_n, sy, sz);
    else if (between_y)
      spread_rows(c, x, coarse_n, sy, 0);
    else if (between_z)
      spread_rows(c, x, coarse_n, 0, sz);
    else
      spread_rows(c, x, coarse_n, 0, 0);
    const REAL *restrict correction = c;
    if (fx == 2) {
      for (int64_t i = 0; i < coarse_n - 1; i++) {
        t[2 * i] = c[i];
        t[2 * i + 1] = half * (c[i] + c[i + 1]);
      }
      t[2 * coarse_n - 2] = c[coarse_n - 1];
      correction = t;
    }
    if (entry == all_free) {
      for (int64_t i = 0; i < n; i++)
        out[i] += correction[i];
      continue;
    }
    const REAL *restrict m = mask_row(&a->mask, entry);
    for (int64_t i = 0; i < n; i++)
      out[i] += m[i] * correction[i];
  }
}
