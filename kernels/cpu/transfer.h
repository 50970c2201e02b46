/* Restriction and prolongation between nested grids, each axis coarsened or not. */

/* t[i] = the fine rows, weighted 1 and 1/2 in y and z where these are coarsened, i from -1 to n. */
INLINE void gather_rows(REAL *restrict t, const node_rows *r, int64_t n, int in_y, int in_z) {
  const REAL half = 0.5;
#define WEIGHT_Y(x) (in_y ? (x)[1][i] + half * ((x)[0][i] + (x)[2][i]) : (x)[1][i])
  for (int64_t i = -1; i <= n; i++)
    t[i] = in_z ? WEIGHT_Y(r->r[1]) + half * (WEIGHT_Y(r->r[0]) + WEIGHT_Y(r->r[2])) : WEIGHT_Y(r->r[1]);
#undef WEIGHT_Y
}

/* The coarse row of n nodes at the middle of nine fine rows, by way of t. */
static void restricted_row(REAL *restrict out, int64_t n, const int64_t factor[3], const node_rows *rows, const cv_mask *mask,
                         int64_t entry, REAL *restrict t) {
  const int64_t fine_n = (n - 1) * factor[0] + 1;
  const REAL half = 0.5;
  if (entry == all_fixed) {
    memset(out, 0, n * sizeof(REAL));
    return;
  }
  if (factor[1] == 2 && factor[2] == 2)
    gather_rows(t, rows, fine_n, 1, 1);
  else if (factor[1] == 2)
    gather_rows(t, rows, fine_n, 1, 0);
  else if (factor[2] == 2)
    gather_rows(t, rows, fine_n, 0, 1);
  else
    gather_rows(t, rows, fine_n, 0, 0);
  if (factor[0] == 2)
    for (int64_t i = 0; i < n; i++)
      out[i] = t[2 * i] + half * (t[2 * i - 1] + t[2 * i + 1]);
  else
    memcpy(out, t, n * sizeof(REAL));
  if (entry != all_free) {
    const REAL *m = mask_row(mask, entry);
    for (int64_t i = 0; i < n; i++)
      out[i] *= m[i];
  }
}

static void restriction(const void *args, int64_t begin, int64_t end, char *scratch) {
  const cv_transfer_args *a = args;
  const int64_t n = a->coarse.n[0], ny = a->coarse.n[1];
  REAL *t = real_row(&scratch, (n - 1) * a->factor[0] + 1);
  for (int64_t r = begin; r < end; r++) {
    const int64_t j = r % ny, k = r / ny;
    const REAL *x = (const REAL *)a->fine_x + a->factor[1] * j * a->fine.sy + a->factor[2] * k * a->fine.sz;
    const node_rows rows = rows_around(x, a->fine.sy, a->fine.sz);
    restricted_row((REAL *)a->coarse_x + j * a->coarse.sy + k * a->coarse.sz, n, a->factor, &rows, &a->mask,
                 mask_entry(&a->mask, r), t);
  }
}

/* t = the coarse row, or the mean of it and the next ones in y and z, i from 0 to n-1. */
INLINE void spread_rows(REAL *restrict t, const REAL *restrict c, int64_t n, int64_t sy, int64_t sz) {
  const REAL half = 0.5;
#define MEAN_Y(x) (sy ? half * ((x)[i] + (x)[i + sy]) : (x)[i])
  for (int64_t i = 0; i < n; i++)
    t[i] = sz ? half * (MEAN_Y(c) + MEAN_Y(c + sz)) : MEAN_Y(c);
#undef MEAN_Y
}

/* The correction of a fine row of n nodes, which the coarse row c and, where it lies between coarse rows, those at the
   distances sy and sz (else 0) give. t holds the result, s is work space. With `wrap` coarse node n/2 is node 0. */
INLINE void prolonged_row(REAL *restrict t, REAL *restrict s, int64_t n, int64_t fx, const REAL *c, int64_t sy, int64_t sz,
                        int wrap) {
  const int64_t coarse_n = fx == 2 ? (n + 1) / 2 : n;
  const REAL half = 0.5;
  REAL *restrict x = fx == 2 ? s : t;
  if (sy && sz)
    spread_rows(x, c, coarse_n, sy, sz);
  else if (sy)
    spread_rows(x, c, coarse_n, sy, 0);
  else if (sz)
    spread_rows(x, c, coarse_n, 0, sz);
  else
    spread_rows(x, c, coarse_n, 0, 0);
  if (fx != 2)
    return;
  x[coarse_n] = wrap ? x[0] : 0;
  for (int64_t i = 0; i < coarse_n; i++) {
    t[2 * i] = x[i];
    t[2 * i + 1] = half * (x[i] + x[i + 1]);
  }
}

/* out = u + correction on free nodes; out may be u. */
INLINE void correct_row(REAL *out, const REAL *u, const REAL *restrict correction, int64_t n, const cv_mask *mask,
                        int64_t entry) {
  if (entry == all_free) {
    VECTORISE
    for (int64_t i = 0; i < n; i++)
      out[i] = u[i] + correction[i];
    return;
  }
  const REAL *restrict m = mask_row(mask, entry);
  VECTORISE
  for (int64_t i = 0; i < n; i++)
    out[i] = u[i] + m[i] * correction[i];
}

static void prolongation(const void *args, int64_t begin, int64_t end, char *scratch) {
  const cv_transfer_args *a = args;
  const int64_t n = a->fine.n[0], ny = a->fine.n[1], fy = a->factor[1], fz = a->factor[2];
  REAL *s = real_row(&scratch, n + 2), *t = real_row(&scratch, n + 2);
  /* the halo of the coarse rows serves their periodic ends */
  for (int64_t r = begin; r < end; r++) {
    const int64_t j = r % ny, k = r / ny, entry = mask_entry(&a->mask, r);
    const REAL *c = (const REAL *)a->coarse_x + j / fy * a->coarse.sy + k / fz * a->coarse.sz;
    REAL *out = (REAL *)a->fine_x + j * a->fine.sy + k * a->fine.sz;
    if (entry == all_fixed)
      continue;
    const int64_t sy = fy == 2 && j % 2 ? a->coarse.sy : 0, sz = fz == 2 && k % 2 ? a->coarse.sz : 0;
    prolonged_row(t, s, n, a->factor[0], c, sy, sz, a->factor[0] == 2 && n % 2 == 0);
    correct_row(out, out, t, n, &a->mask, entry);
  }
}
