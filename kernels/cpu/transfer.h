/* Restriction and prolongation between nested grids, each axis coarsened or not. Rows are compiled for each case. */

#define EACH_FORM(CASE)                                                                                               \
  CASE(0, 0, 0) CASE(0, 0, 1) CASE(0, 1, 0) CASE(0, 1, 1) CASE(1, 0, 0) CASE(1, 0, 1) CASE(1, 1, 0) CASE(1, 1, 1)

/* The mean of rows around a coarse row: weights 1 and 1/2 in y and z where these are coarsened. */
#define GATHERED(row) ((in_z) ? GATHERED_Y(1, row) + half * (GATHERED_Y(0, row) + GATHERED_Y(2, row)) : GATHERED_Y(1, row))
#define GATHERED_Y(z, row) ((in_y) ? row(z, 1) + half * (row(z, 0) + row(z, 2)) : row(z, 1))

INLINE REAL gathered_node(const node_rows *r, int64_t i, int in_y, int in_z) {
  const REAL half = 0.5;
#define NODE(z, y) r->r[z][y][i]
  return GATHERED(NODE);
#undef NODE
}

INLINE vector gathered_vector(const node_rows *r, int64_t i, int in_y, int in_z) {
  const vector half = splat((REAL)0.5);
#define NODES(z, y) load(r->r[z][y] + i)
  return GATHERED(NODES);
#undef NODES
}
#undef GATHERED
#undef GATHERED_Y

/* A coarse row of n nodes from the fine rows around it. Even and odd fine nodes are told apart in registers: to store a row and read
   it again with a stride would have to wait for the store. */
INLINE void restrict_rows(REAL *restrict out, int64_t n, const node_rows *r, int in_x, int in_y, int in_z) {
  const REAL half = 0.5;
  const vector halves = splat(half);
  int64_t i = 0;
  if (!in_x) {
    for (; i + vector_width <= n; i += vector_width)
      store(0, out + i, gathered_vector(r, i, in_y, in_z));
    for (; i < n; i++)
      out[i] = gathered_node(r, i, in_y, in_z);
    return;
  }
  vector before = splat(gathered_node(r, -1, in_y, in_z)); /* in its last lane */
  for (; i + vector_width <= n; i += vector_width) {
    const vector a = gathered_vector(r, 2 * i, in_y, in_z), b = gathered_vector(r, 2 * i + vector_width, in_y, in_z);
    const vector odd = every_second_lane(a, b, 1);
    store(0, out + i, every_second_lane(a, b, 0) + halves * (lanes_before(before, odd) + odd));
    before = odd;
  }
  for (; i < n; i++)
    out[i] = gathered_node(r, 2 * i, in_y, in_z) +
             half * (gathered_node(r, 2 * i - 1, in_y, in_z) + gathered_node(r, 2 * i + 1, in_y, in_z));
}

/* The same, zero on fixed nodes. */
static void restricted_row(REAL *restrict out, int64_t n, const int64_t factor[3], const node_rows *rows, const cv_mask *mask,
                           int64_t entry) {
  if (entry == all_fixed) {
    memset(out, 0, n * sizeof(REAL));
    return;
  }
#define CASE(x, y, z)                                                                                                 \
  if (factor[0] == 1 + x && factor[1] == 1 + y && factor[2] == 1 + z)                                                 \
    restrict_rows(out, n, rows, x, y, z);
  EACH_FORM(CASE)
#undef CASE
  mask_out(mask, entry, n, out);
}

static void restriction(const void *args, int64_t begin, int64_t end, char *scratch) {
  const cv_transfer_args *a = args;
  const int64_t n = a->coarse.n[0], ny = a->coarse.n[1];
  (void)scratch;
  for (int64_t r = begin; r < end; r++) {
    const REAL *x = (const REAL *)a->fine_x + a->factor[1] * (r % ny) * a->fine.sy + a->factor[2] * (r / ny) * a->fine.sz;
    const node_rows rows = rows_around(x, a->fine.sy, a->fine.sz);
    restricted_row((REAL *)a->coarse_x + r % ny * a->coarse.sy + r / ny * a->coarse.sz, n, a->factor, &rows, &a->mask,
                   mask_entry(&a->mask, r));
  }
}

/* The mean of the coarse row c and, where they are not 0 elements away, the next ones in y and z. */
#define MEAN_Y(node, i) (sy ? half * (node(c + (i)) + node(c + (i) + sy)) : node(c + (i)))
#define MEAN(node, i) (sz ? half * (MEAN_Y(node, i) + MEAN_Y(node, (i) + sz)) : MEAN_Y(node, i))

INLINE REAL mean_node(const REAL *c, int64_t sy, int64_t sz, int64_t i) {
  const REAL half = 0.5;
#define NODE(p) (*(p))
  return MEAN(NODE, i);
#undef NODE
}

INLINE vector mean_vector(const REAL *c, int64_t sy, int64_t sz, int64_t i) {
  const vector half = splat((REAL)0.5);
  return MEAN(load, i);
}
#undef MEAN
#undef MEAN_Y

/* out = u + m times the correction of a fine row of n nodes, m NULL: 1. Where x is coarsened a node between two others gets their mean;
   the coarse row is read one vector beyond its nodes. */
INLINE void correct_rows(REAL *out, const REAL *u, int64_t n, int in_x, const REAL *c, int64_t sy, int64_t sz, int wrap,
                         const REAL *m) {
  const REAL half = 0.5;
#define CORRECT(i, t) out[i] = u[i] + (m ? m[i] : 1) * (t)
#define CORRECT_ALL(i, t) store(0, out + (i), load(u + (i)) + (m ? load(m + (i)) : splat(1)) * (t))
  int64_t i = 0;
  if (!in_x) {
    for (; i + vector_width <= n; i += vector_width)
      CORRECT_ALL(i, mean_vector(c, sy, sz, i));
    for (; i < n; i++)
      CORRECT(i, mean_node(c, sy, sz, i));
    return;
  }
  const int64_t last = (n - 1) / 2;
  vector even = mean_vector(c, sy, sz, 0), next;
  for (; i + vector_width <= last; i += vector_width, even = next) {
    next = mean_vector(c, sy, sz, i + vector_width);
    const vector odd = splat(half) * (even + lanes_after(even, next));
    CORRECT_ALL(2 * i, lanes_in_turns(even, odd, 0));
    CORRECT_ALL(2 * i + vector_width, lanes_in_turns(even, odd, 1));
  }
  for (; i < last; i++) {
    CORRECT(2 * i, mean_node(c, sy, sz, i));
    CORRECT(2 * i + 1, half * (mean_node(c, sy, sz, i) + mean_node(c, sy, sz, i + 1)));
  }
  CORRECT(2 * last, mean_node(c, sy, sz, last));
  if (n % 2 == 0)
    CORRECT(n - 1, half * (mean_node(c, sy, sz, last) + (wrap ? mean_node(c, sy, sz, 0) : 0)));
#undef CORRECT
#undef CORRECT_ALL
}

/* out = u + P c on the free nodes of a fine row of n nodes, which the coarse row c and, where it lies between coarse rows, those at the
   distances sy and sz (else 0) give. With `wrap` coarse node n/2 is node 0. out may be u. */
static void corrected_row(REAL *out, const REAL *u, int64_t n, int64_t fx, const REAL *c, int64_t sy, int64_t sz, int wrap,
                          const cv_mask *mask, int64_t entry) {
#define CASE(x, y, z)                                                                                                 \
  if (fx == 1 + x && !sy == !y && !sz == !z) {                                                                        \
    if (entry == all_free)                                                                                            \
      correct_rows(out, u, n, x, c, y ? sy : 0, z ? sz : 0, wrap, NULL);                                              \
    else                                                                                                              \
      correct_rows(out, u, n, x, c, y ? sy : 0, z ? sz : 0, wrap, mask_row(mask, entry));                             \
  }
  EACH_FORM(CASE)
#undef CASE
}

/* out += correction on free nodes. */
INLINE void correct_row(REAL *restrict out, const REAL *restrict correction, int64_t n, const cv_mask *mask, int64_t entry) {
  if (entry == all_free) {
    for (int64_t i = 0; i < n; i++)
      out[i] += correction[i];
    return;
  }
  const REAL *restrict m = mask_row(mask, entry);
  for (int64_t i = 0; i < n; i++)
    out[i] += m[i] * correction[i];
}

static void prolongation(const void *args, int64_t begin, int64_t end, char *scratch) {
  const cv_transfer_args *a = args;
  const int64_t n = a->fine.n[0], ny = a->fine.n[1], fy = a->factor[1], fz = a->factor[2];
  (void)scratch;
  /* the halo of the coarse rows serves their periodic ends */
  for (int64_t r = begin; r < end; r++) {
    const int64_t j = r % ny, k = r / ny, entry = mask_entry(&a->mask, r);
    const REAL *c = (const REAL *)a->coarse_x + j / fy * a->coarse.sy + k / fz * a->coarse.sz;
    REAL *out = (REAL *)a->fine_x + j * a->fine.sy + k * a->fine.sz;
    if (entry == all_fixed)
      continue;
    const int64_t sy = fy == 2 && j % 2 ? a->coarse.sy : 0, sz = fz == 2 && k % 2 ? a->coarse.sz : 0;
    corrected_row(out, out, n, a->factor[0], c, sy, sz, 1, &a->mask, entry);
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
      correct_row(out, s, n, &a->mask, entry);
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
    correct_row(out, t, n, &a->mask, entry);
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
