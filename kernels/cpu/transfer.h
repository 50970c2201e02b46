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

/* The coarse nodes of an axis that a fine node is interpolated from, and their weights. */
typedef struct {
  int64_t count, at[4];
  double weight[4];
} cubic_taps;

/* Those of fine node i of an axis of n coarse nodes. */
static cubic_taps cubic_taps_of(int64_t i, int64_t factor, int64_t n, int64_t periodic) {
  static const double line[2] = {0.5, 0.5}, parabola[3] = {0.375, 0.75, -0.125};
  static const double middle[4] = {-0.0625, 0.5625, 0.5625, -0.0625}, end[4] = {0.3125, 0.9375, -0.3125, 0.0625};
  const int64_t low = i / factor;
  if (low * factor == i)
    return (cubic_taps){1, {low}, {1}};
  const int centred = periodic || (low > 0 && low < n - 2), high = !centred && low > 0;
  const double *weight = centred ? middle : n > 3 ? end : n == 3 ? parabola : line;
  cubic_taps t = {.count = centred ? 4 : smallest(n, 4)};
  for (int64_t m = 0; m < t.count; m++) {
    t.at[m] = centred ? (low - 1 + m + n) % n : high ? n - 1 - m : m;
    t.weight[m] = weight[m];
  }
  return t;
}

/* t = the coarse nodes of a fine row (j,k), n of them, with those that the interpolation along x needs beyond periodic ends. */
static void cubic_row(const cv_transfer_args *a, const cubic_taps *y, const cubic_taps *z, REAL *restrict t) {
  const int64_t n = a->coarse.n[0];
  memset(t, 0, n * sizeof(REAL));
  for (int64_t q = 0; q < z->count; q++)
    for (int64_t p = 0; p < y->count; p++) {
      const REAL *restrict c = (const REAL *)a->coarse_x + y->at[p] * a->coarse.sy + z->at[q] * a->coarse.sz;
      const REAL w = y->weight[p] * z->weight[q];
      VECTORISE
      for (int64_t i = 0; i < n; i++)
        t[i] += w * c[i];
    }
  t[-1] = t[n - 1];
  t[n] = t[0];
  t[n + 1] = t[1 % n];
}

/* Fine node i of a row t, next to a wall, from the n coarse nodes s. */
static void cubic_at_wall(const REAL *s, int64_t n, int64_t i, REAL *t) {
  const cubic_taps x = cubic_taps_of(i, 2, n, 0);
  t[i] = 0;
  for (int64_t m = 0; m < x.count; m++)
    t[i] += (REAL)x.weight[m] * s[x.at[m]];
}

static void cubic_prolongation(const void *args, int64_t begin, int64_t end, char *scratch) {
  const cv_transfer_args *a = args;
  const int64_t n = a->fine.n[0], ny = a->fine.n[1], coarse_n = a->coarse.n[0];
  const REAL inner = 0.5625, outer = 0.0625;
  REAL *restrict s = real_row(&scratch, n + 2), *restrict t = real_row(&scratch, n + 2);
  for (int64_t r = begin; r < end; r++) {
    const int64_t j = r % ny, k = r / ny, entry = mask_entry(&a->mask, r);
    if (entry == all_fixed)
      continue;
    const cubic_taps y = cubic_taps_of(j, a->factor[1], a->coarse.n[1], a->periodic[1]);
    const cubic_taps z = cubic_taps_of(k, a->factor[2], a->coarse.n[2], a->periodic[2]);
    REAL *out = (REAL *)a->fine_x + j * a->fine.sy + k * a->fine.sz;
    cubic_row(a, &y, &z, s);
    if (a->factor[0] == 1) {
      correct_row(out, out, s, n, &a->mask, entry);
      continue;
    }
    for (int64_t i = 0; i < coarse_n; i++) {
      t[2 * i] = s[i];
      t[2 * i + 1] = inner * (s[i] + s[i + 1]) - outer * (s[i - 1] + s[i + 2]);
    }
    if (!a->periodic[0]) {
      cubic_at_wall(s, coarse_n, 1, t);
      cubic_at_wall(s, coarse_n, n - 2, t);
    }
    correct_row(out, out, t, n, &a->mask, entry);
  }
}

static void injection(const void *args, int64_t begin, int64_t end, char *scratch) {
  (void)scratch;
  const cv_transfer_args *a = args;
  const int64_t n = a->coarse.n[0], ny = a->coarse.n[1], factor = a->factor[0];
  for (int64_t r = begin; r < end; r++) {
    const int64_t j = r % ny, k = r / ny;
    const REAL *x = (const REAL *)a->fine_x + a->factor[1] * j * a->fine.sy + a->factor[2] * k * a->fine.sz;
    REAL *out = (REAL *)a->coarse_x + j * a->coarse.sy + k * a->coarse.sz;
    for (int64_t i = 0; i < n; i++)
      out[i] = x[factor * i];
  }
}
