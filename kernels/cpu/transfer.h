/* Restriction and prolongation between nested grids, each axis coarsened or not. */

/* t[i] = the fine rows, weighted 1 and 1/2 in y and z where these are coarsened, i from -1 to n. */
INLINE void gather_rows(REAL *restrict t, const node_rows *r, int64_t n, int in_y, int in_z) {
  const REAL half = 0.5;
#define WEIGHT_Y(x) (in_y ? (x)[1][i] + half * ((x)[0][i] + (x)[2][i]) : (x)[1][i])
  for (int64_t i = -1; i <= n; i++)
    t[i] = in_z ? WEIGHT_Y(r->r[1]) + half * (WEIGHT_Y(r->r[0]) + WEIGHT_Y(r->r[2])) : WEIGHT_Y(r->r[1]);
#undef WEIGHT_Y
}

/* Fine rows weighted in y and z, t, of a coarse row of n nodes at their middle. */
static void gathered_row(REAL *restrict t, const node_rows *rows, int64_t n, const int64_t factor[3]) {
  const int64_t fine_n = (n - 1) * factor[0] + 1;
  if (factor[1] == 2 && factor[2] == 2)
    gather_rows(t, rows, fine_n, 1, 1);
  else if (factor[1] == 2)
    gather_rows(t, rows, fine_n, 1, 0);
  else if (factor[2] == 2)
    gather_rows(t, rows, fine_n, 0, 1);
  else
    gather_rows(t, rows, fine_n, 0, 0);
}

/* The coarse row of n nodes from t. */
static void restricted_row(REAL *restrict out, int64_t n, const int64_t factor[3], const REAL *restrict t, const cv_mask *mask,
                           int64_t entry) {
  const REAL half = 0.5;
  if (entry == all_fixed) {
    memset(out, 0, n * sizeof(REAL));
    return;
  }
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

/* Coarse rows that are made together: what is stored for one and read beside it would have to wait until it has left the store
   buffer, so the others come between. */
enum { restricted_together = 8 };

typedef struct {
  REAL *t[restricted_together];
} gathered_rows;

/* Room for those of coarse rows of n nodes. */
INLINE gathered_rows gathered_scratch(char **scratch, int64_t n, int64_t factor) {
  gathered_rows g;
  for (int r = 0; r < restricted_together; r++)
    g.t[r] = real_row(scratch, (n - 1) * factor + 1);
  return g;
}

static void restriction(const void *args, int64_t begin, int64_t end, char *scratch) {
  const cv_transfer_args *a = args;
  const int64_t n = a->coarse.n[0], ny = a->coarse.n[1];
  const gathered_rows g = gathered_scratch(&scratch, n, a->factor[0]);
  for (int64_t first = begin; first < end; first += restricted_together) {
    const int64_t last = smallest(first + restricted_together, end);
    for (int64_t r = first; r < last; r++) {
      const REAL *x = (const REAL *)a->fine_x + a->factor[1] * (r % ny) * a->fine.sy + a->factor[2] * (r / ny) * a->fine.sz;
      const node_rows rows = rows_around(x, a->fine.sy, a->fine.sz);
      gathered_row(g.t[r - first], &rows, n, a->factor);
    }
    for (int64_t r = first; r < last; r++)
      restricted_row((REAL *)a->coarse_x + r % ny * a->coarse.sy + r / ny * a->coarse.sz, n, a->factor, g.t[r - first],
                     &a->mask, mask_entry(&a->mask, r));
  }
}

/* t = the correction of a fine row of n nodes from the coarse row c, or the mean of it and the next ones in y and z. Where x is
   coarsened (fx 2) a node between two others gets their mean, computed anew: to store them and read both would have to wait for
   the store. */
INLINE void spread_rows(REAL *restrict t, const REAL *restrict c, int64_t n, int64_t fx, int64_t sy, int64_t sz, int wrap) {
  const REAL half = 0.5;
#define MEAN_Y(x, i) (sy ? half * ((x)[i] + (x)[(i) + sy]) : (x)[i])
#define MEAN(i) (sz ? half * (MEAN_Y(c, i) + MEAN_Y(c + sz, i)) : MEAN_Y(c, i))
  if (fx != 2) {
    for (int64_t i = 0; i < n; i++)
      t[i] = MEAN(i);
    return;
  }
  const int64_t last = (n - 1) / 2;
  for (int64_t i = 0; i < last; i++) {
    t[2 * i] = MEAN(i);
    t[2 * i + 1] = half * (MEAN(i) + MEAN(i + 1));
  }
  t[2 * last] = MEAN(last);
  if (n % 2 == 0)
    t[n - 1] = half * (MEAN(last) + (wrap ? MEAN(0) : 0));
#undef MEAN
#undef MEAN_Y
}

/* The correction of a fine row of n nodes, which the coarse row c and, where it lies between coarse rows, those at the
   distances sy and sz (else 0) give. With `wrap` coarse node n/2 is node 0. */
INLINE void prolonged_row(REAL *restrict t, int64_t n, int64_t fx, const REAL *c, int64_t sy, int64_t sz, int wrap) {
  if (sy && sz)
    spread_rows(t, c, n, fx, sy, sz, wrap);
  else if (sy)
    spread_rows(t, c, n, fx, sy, 0, wrap);
  else if (sz)
    spread_rows(t, c, n, fx, 0, sz, wrap);
  else
    spread_rows(t, c, n, fx, 0, 0, wrap);
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
  REAL *t = real_row(&scratch, n + 2);
  /* the halo of the coarse rows serves their periodic ends */
  for (int64_t r = begin; r < end; r++) {
    const int64_t j = r % ny, k = r / ny, entry = mask_entry(&a->mask, r);
    const REAL *c = (const REAL *)a->coarse_x + j / fy * a->coarse.sy + k / fz * a->coarse.sz;
    REAL *out = (REAL *)a->fine_x + j * a->fine.sy + k * a->fine.sz;
    if (entry == all_fixed)
      continue;
    const int64_t sy = fy == 2 && j % 2 ? a->coarse.sy : 0, sz = fz == 2 && k % 2 ? a->coarse.sz : 0;
    prolonged_row(t, n, a->factor[0], c, sy, sz, 1);
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
