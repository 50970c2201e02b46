/* Restriction and prolongation, each axis coarsened or not. Rows between nested grids are compiled for each case; where an axis has coarse nodes between
   fine ones, all axes go by the ratio of their cells. */

/* Whether an axis has coarse nodes between fine ones. */
static int lies_between(const cv_transfer_args *a) { return !a->factor[0] || !a->factor[1] || !a->factor[2]; }

/* Cells of an axis of a box: of fine and coarse grid, at least 1. */
typedef struct {
  int64_t fine, coarse;
} cell_ratio;

static cell_ratio cell_ratio_of(const cv_transfer_args *a, int d) {
  const int64_t walls = !a->periodic[d];
  return (cell_ratio){largest(a->fine.n[d] - walls, 1), largest(a->coarse.n[d] - walls, 1)};
}

/* Up to four nodes of an axis side by side, and their weights. */
typedef struct {
  int64_t first, count;
  double weight[4];
} axis_taps;

/* The fine nodes, of n, that coarse node J gathers. */
static axis_taps gathered_taps(int64_t J, cell_ratio c, int64_t n, int64_t periodic) {
  const int64_t low = J > 0 ? (J - 1) * c.fine / c.coarse + 1 : periodic ? -1 : 0;
  axis_taps t = {.first = low};
  for (int64_t i = low; t.count < 4 && i * c.coarse < (J + 1) * c.fine && (periodic || i < n); i++) {
    const int64_t away = i * c.coarse - J * c.fine;
    t.weight[t.count++] = (double)(c.fine - (away < 0 ? -away : away)) / (double)c.fine;
  }
  return t;
}

/* The coarse nodes that fine node i lies between. */
static axis_taps between_taps(int64_t i, cell_ratio c) {
  const int64_t low = i * c.coarse / c.fine, past = i * c.coarse - low * c.fine;
  if (past == 0)
    return (axis_taps){low, 1, {1}};
  return (axis_taps){low, 2, {(double)(c.fine - past) / (double)c.fine, (double)past / (double)c.fine}};
}

/* The coarse nodes, of n, around fine node i whose cubic polynomial it lies on, or that of all where there are fewer than four; their first one may be -1 at
   periodic ends, and the last beyond the end. */
static axis_taps cubic_between_taps(int64_t i, cell_ratio c, int64_t n, int64_t periodic) {
  const int64_t low = i * c.coarse / c.fine, past = i * c.coarse - low * c.fine;
  if (past == 0)
    return (axis_taps){low, 1, {1}};
  axis_taps t = {low - 1, 4, {0}};
  if (!periodic) {
    t.count = smallest(n, 4);
    t.first = largest(smallest(low - 1, n - t.count), 0);
  }
  const double x = (double)(low - t.first) + (double)past / (double)c.fine;
  for (int64_t m = 0; m < t.count; m++) {
    t.weight[m] = 1;
    for (int64_t o = 0; o < t.count; o++)
      if (o != m)
        t.weight[m] *= (x - (double)o) / (double)(m - o);
  }
  return t;
}

/* Taps of all n nodes of a row, weights of a tap side by side. */
typedef struct {
  int32_t *first;
  REAL *weight[4];
} row_taps;

static row_taps row_taps_in(char **scratch, int64_t n) {
  row_taps r = {(int32_t *)(void *)real_row(scratch, n), {real_row(scratch, n), real_row(scratch, n), real_row(scratch, n), real_row(scratch, n)}};
  return r;
}

static void set_taps(row_taps *r, int64_t i, const axis_taps *t) {
  r->first[i] = (int32_t)t->first;
  for (int m = 0; m < 4; m++)
    r->weight[m][i] = m < t->count ? (REAL)t->weight[m] : 0;
}

/* out = the rows of x in the planes and rows of the taps, added up by their weights: nodes from .. to-1. With n, nodes wrap round it. */
static void add_rows(const REAL *x, int64_t sy, int64_t sz, const axis_taps *y, const axis_taps *z, const int64_t *wrap, int64_t from, int64_t to,
                     REAL *restrict out) {
  memset(out + from, 0, (size_t)(to - from) * sizeof(REAL));
  for (int64_t q = 0; q < z->count; q++)
    for (int64_t p = 0; p < y->count; p++) {
      const int64_t j = wrap ? (y->first + p + wrap[1]) % wrap[1] : y->first + p, k = wrap ? (z->first + q + wrap[2]) % wrap[2] : z->first + q;
      const REAL *row = x + j * sy + k * sz;
      const REAL w = (REAL)(y->weight[p] * z->weight[q]);
      VECTORISE
      for (int64_t i = from; i < to; i++)
        out[i] += w * row[i];
    }
}

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

static void restriction_between(const cv_transfer_args *a, int64_t begin, int64_t end, char *scratch) {
  const int64_t n = a->coarse.n[0], ny = a->coarse.n[1], fine_n = a->fine.n[0];
  const cell_ratio cx = cell_ratio_of(a, 0), cy = cell_ratio_of(a, 1), cz = cell_ratio_of(a, 2);
  REAL *restrict t = real_row(&scratch, fine_n + 4);
  row_taps x = row_taps_in(&scratch, n);
  for (int64_t i = 0; i < n; i++) {
    const axis_taps taps = gathered_taps(i, cx, fine_n, a->periodic[0]);
    set_taps(&x, i, &taps);
  }
  for (int i = 1; i < 4; i++)
    t[fine_n + i] = 0;
  for (int64_t r = begin; r < end; r++) {
    const int64_t j = a->first + r % a->count, k = r / a->count, entry = mask_entry(&a->mask, j + k * ny);
    REAL *out = (REAL *)a->coarse_x + j * a->coarse.sy + k * a->coarse.sz;
    if (entry == all_fixed) {
      memset(out, 0, (size_t)n * sizeof(REAL));
      continue;
    }
    const axis_taps y = gathered_taps(j, cy, a->fine.n[1], a->periodic[1]), z = gathered_taps(k, cz, a->fine.n[2], a->periodic[2]);
    add_rows((const REAL *)a->fine_x, a->fine.sy, a->fine.sz, &y, &z, NULL, -1, fine_n + 1, t);
    for (int64_t i = 0; i < n; i++) {
      const REAL *from = t + x.first[i];
      out[i] = (x.weight[0][i] * from[0] + x.weight[1][i] * from[1]) + (x.weight[2][i] * from[2] + x.weight[3][i] * from[3]);
    }
    mask_out(&a->mask, entry, n, out);
  }
}

static void restriction(const void *args, int64_t begin, int64_t end, char *scratch) {
  const cv_transfer_args *a = args;
  const int64_t n = a->coarse.n[0], ny = a->coarse.n[1];
  if (lies_between(a)) {
    restriction_between(a, begin, end, scratch);
    return;
  }
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

/* A row of FineX as a transfer finds it: zeros where it replaces what is there. */
static REAL *row_found(const cv_transfer_args *a, int64_t j, int64_t k) {
  REAL *row = (REAL *)a->fine_x + j * a->fine.sy + k * a->fine.sz;
  if (a->replaces)
    memset(row, 0, a->fine.n[0] * sizeof(REAL));
  return row;
}

/* FineX += mask P CoarseX by taps: of cubic interpolation or of linear. */
static void prolongation_between(const cv_transfer_args *a, int cubic, int64_t begin, int64_t end, char *scratch) {
  const int64_t n = a->fine.n[0], ny = a->fine.n[1], coarse_n = a->coarse.n[0];
  const cell_ratio cx = cell_ratio_of(a, 0), cy = cell_ratio_of(a, 1), cz = cell_ratio_of(a, 2);
  REAL *restrict t = real_row(&scratch, coarse_n + 4), *restrict correction = real_row(&scratch, n);
  row_taps x = row_taps_in(&scratch, n);
  for (int64_t i = 0; i < n; i++) {
    const axis_taps taps = cubic ? cubic_between_taps(i, cx, coarse_n, a->periodic[0]) : between_taps(i, cx);
    set_taps(&x, i, &taps);
  }
  for (int64_t r = begin; r < end; r++) {
    const int64_t j = a->first + r % a->count, k = r / a->count, entry = mask_entry(&a->mask, j + k * ny);
    REAL *const out = row_found(a, j, k);
    if (entry == all_fixed)
      continue;
    const axis_taps y = cubic ? cubic_between_taps(j, cy, a->coarse.n[1], a->periodic[1]) : between_taps(j, cy);
    const axis_taps z = cubic ? cubic_between_taps(k, cz, a->coarse.n[2], a->periodic[2]) : between_taps(k, cz);
    add_rows((const REAL *)a->coarse_x, a->coarse.sy, a->coarse.sz, &y, &z, a->coarse.n, 0, coarse_n, t);
    t[-1] = t[coarse_n - 1];
    for (int i = 0; i < 3; i++)
      t[coarse_n + i] = a->periodic[0] ? t[i % coarse_n] : 0;
    for (int64_t i = 0; i < n; i++) {
      const REAL *from = t + x.first[i];
      correction[i] = x.weight[0][i] * from[0] + x.weight[1][i] * from[1];
    }
    for (int64_t i = 0; cubic && i < n; i++) {
      const REAL *from = t + x.first[i];
      correction[i] += x.weight[2][i] * from[2] + x.weight[3][i] * from[3];
    }
    correct_row(out, correction, n, &a->mask, entry);
  }
}

static void prolongation(const void *args, int64_t begin, int64_t end, char *scratch) {
  const cv_transfer_args *a = args;
  const int64_t n = a->fine.n[0], ny = a->fine.n[1], fy = a->factor[1], fz = a->factor[2];
  if (lies_between(a)) {
    prolongation_between(a, 0, begin, end, scratch);
    return;
  }
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
  if (lies_between(a)) {
    prolongation_between(a, 1, begin, end, scratch);
    return;
  }
  REAL *restrict s = real_row(&scratch, n + 2), *restrict t = real_row(&scratch, n + 2);
  for (int64_t r = begin; r < end; r++) {
    const int64_t j = r % ny, k = r / ny, entry = mask_entry(&a->mask, r);
    REAL *const out = row_found(a, j, k);
    if (entry == all_fixed)
      continue;
    const cubic_taps y = cubic_taps_of(j, a->factor[1], a->coarse.n[1], a->periodic[1]);
    const cubic_taps z = cubic_taps_of(k, a->factor[2], a->coarse.n[2], a->periodic[2]);
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

/* Coarse nodes from the fine ones around, with fine and coarse in turned roles. */
static void injection_between(const cv_transfer_args *a, int64_t begin, int64_t end, char *scratch) {
  const int64_t n = a->coarse.n[0], ny = a->coarse.n[1], fine_n = a->fine.n[0];
  cell_ratio c[3];
  for (int d = 0; d < 3; d++) {
    const cell_ratio cells = cell_ratio_of(a, d);
    c[d] = (cell_ratio){cells.coarse, cells.fine};
  }
  REAL *restrict t = real_row(&scratch, fine_n + 1);
  for (int64_t r = begin; r < end; r++) {
    const int64_t j = r % ny, k = r / ny;
    const axis_taps y = between_taps(j, c[1]), z = between_taps(k, c[2]);
    REAL *out = (REAL *)a->coarse_x + j * a->coarse.sy + k * a->coarse.sz;
    add_rows((const REAL *)a->fine_x, a->fine.sy, a->fine.sz, &y, &z, a->fine.n, 0, fine_n, t);
    t[fine_n] = t[0];
    for (int64_t i = 0; i < n; i++) {
      const axis_taps x = between_taps(i, c[0]);
      out[i] = 0;
      for (int64_t m = 0; m < x.count; m++)
        out[i] += (REAL)x.weight[m] * t[x.first + m];
    }
  }
}

static void injection(const void *args, int64_t begin, int64_t end, char *scratch) {
  const cv_transfer_args *a = args;
  const int64_t n = a->coarse.n[0], ny = a->coarse.n[1], factor = a->factor[0];
  if (lies_between(a)) {
    injection_between(a, begin, end, scratch);
    return;
  }
  for (int64_t r = begin; r < end; r++) {
    const int64_t j = r % ny, k = r / ny;
    const REAL *x = (const REAL *)a->fine_x + a->factor[1] * j * a->fine.sy + a->factor[2] * k * a->fine.sz;
    REAL *out = (REAL *)a->coarse_x + j * a->coarse.sy + k * a->coarse.sz;
    for (int64_t i = 0; i < n; i++)
      out[i] = x[factor * i];
  }
}
