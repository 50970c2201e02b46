/* Columns on two levels of a hierarchy, ColumnRestrict and ColumnProlong, and columns as a stored matrix, ColumnMatrix and
   MatrixApply. */

/* The residual of a run into t. */
INLINE void run_residual(int order, const mueller_args *a, int64_t i, int64_t j, int64_t k, REAL *t) {
  const column_run r = run_of(&a->a, order, a->u, i, j, k);
  const REAL *f = (const REAL *)a->f + (r.u - (const REAL *)a->u);
  for (int64_t l = 0; l < a->a.panel.run; l += vector_width)
    store(0, t + l, load(f + l) - column_balance(order, &r, l));
}

/* t += x over a run. */
INLINE void add_run(REAL *restrict t, const REAL *restrict x, int64_t n) {
  for (int64_t l = 0; l < n; l++)
    t[l] += x[l];
}

/* Sums residuals over the children of a coarse row (j,k). */
static void restrict_row(const mueller_args *a, int64_t j, int64_t k, REAL *t, REAL *x) {
  const mueller_panel *p = &a->a.panel, *c = &a->coarse;
  REAL *restrict out = (REAL *)a->out + j * c->stride[1] + k * c->stride[2];
  run_residual(row_order, a, 0, a->factor[1] * j, k, t);
  if (a->factor[1] == 2) {
    run_residual(row_order, a, 0, 2 * j + 1, k, x);
    add_run(t, x, p->run);
  }
  if (a->factor[0] == 1)
    memcpy(out, t, c->n[0] * sizeof(REAL));
  else
    for (int64_t i = 0; i < c->n[0]; i++)
      out[i] = t[2 * i] + t[2 * i + 1];
}

/* Sums residuals over the children of a coarse column (i,j): along x first, as restrict_row does not; the bits of the two
   orders differ. */
static void restrict_column(const mueller_args *a, int64_t i, int64_t j, REAL *t, REAL *x) {
  const mueller_panel *p = &a->a.panel, *c = &a->coarse;
  for (int64_t n = 0; n < a->factor[0] * a->factor[1]; n++) {
    run_residual(column_order, a, a->factor[0] * i + n % a->factor[0], a->factor[1] * j + n / a->factor[0], 0, n ? x : t);
    if (n)
      add_run(t, x, p->run);
  }
  memcpy((REAL *)a->out + i * c->stride[0] + j * c->stride[1], t, p->run * sizeof(REAL));
}

/* Coarse rows (j,k), or coarse columns. */
static void column_restrict(const void *args, int64_t begin, int64_t end, char *scratch) {
  const mueller_args *a = args;
  REAL *t = real_row(&scratch, a->a.panel.run), *x = real_row(&scratch, a->a.panel.run);
  for (int64_t r = begin; r < end; r++)
    if (a->coarse.order == row_order)
      restrict_row(a, r % a->coarse.n[1], r / a->coarse.n[1], t, x);
    else
      restrict_column(a, r % a->coarse.n[0], r / a->coarse.n[0], t, x);
}

/* The parents of child i along an axis of n parents: 3/4 of the first and 1/4 of the second. */
typedef struct {
  int64_t first, second;
} parents;

INLINE parents parents_of(int64_t i, int64_t factor, int64_t n) {
  if (factor == 1)
    return (parents){i, i};
  const int64_t first = i / 2, second = first + (i % 2 ? 1 : -1);
  return (parents){first, second < 0 || second >= n ? first : second};
}

/* t = 3/4 x + 1/4 y. */
INLINE void mix_run(REAL *restrict t, const REAL *restrict x, const REAL *restrict y, int64_t n) {
  for (int64_t l = 0; l < n; l++)
    t[l] = (REAL)0.75 * x[l] + (REAL)0.25 * y[l];
}

static void prolong_row(const mueller_args *a, int64_t j, int64_t k, REAL *v) {
  const mueller_panel *p = &a->a.panel, *c = &a->coarse;
  REAL *restrict out = (REAL *)a->out + j * p->stride[1] + k * p->stride[2];
  const REAL *coarse = (const REAL *)a->u + k * c->stride[2];
  const parents y = parents_of(j, a->factor[1], c->n[1]);
  const int64_t n = c->n[0];
  mix_run(v, coarse + y.first * c->stride[1], coarse + y.second * c->stride[1], n);
  if (a->factor[0] == 1) {
    add_run(out, v, n);
    return;
  }
  v[-1] = v[0];
  v[n] = v[n - 1];
  VECTORISE
  for (int64_t i = 0; i < n; i++) {
    out[2 * i] += (REAL)0.75 * v[i] + (REAL)0.25 * v[i - 1];
    out[2 * i + 1] += (REAL)0.75 * v[i] + (REAL)0.25 * v[i + 1];
  }
}

static void prolong_column(const mueller_args *a, int64_t i, int64_t j, REAL *v, REAL *w) {
  const mueller_panel *p = &a->a.panel, *c = &a->coarse;
  const REAL *coarse = a->u;
  const parents x = parents_of(i, a->factor[0], c->n[0]), y = parents_of(j, a->factor[1], c->n[1]);
  const REAL *first = coarse + x.first * c->stride[0], *second = coarse + x.second * c->stride[0];
  mix_run(v, first + y.first * c->stride[1], first + y.second * c->stride[1], p->run);
  mix_run(w, second + y.first * c->stride[1], second + y.second * c->stride[1], p->run);
  REAL *restrict out = (REAL *)a->out + i * p->stride[0] + j * p->stride[1];
  for (int64_t k = 0; k < p->run; k++)
    out[k] += (REAL)0.75 * v[k] + (REAL)0.25 * w[k];
}

/* Fine rows (j,k), or fine columns. */
static void column_prolong(const void *args, int64_t begin, int64_t end, char *scratch) {
  const mueller_args *a = args;
  const mueller_panel *p = &a->a.panel;
  REAL *v = real_row(&scratch, p->run), *w = real_row(&scratch, p->run);
  for (int64_t r = begin; r < end; r++)
    if (p->order == row_order)
      prolong_row(a, r % p->n[1], r / p->n[1], v);
    else
      prolong_column(a, r % p->n[0], r / p->n[0], v, w);
}

/* The seven entries of cell (i,j,k), in the order of their columns: the neighbour along the slowest axis first. */
static void matrix_row(const mueller_args *a, int64_t i, int64_t j, int64_t k) {
  const mueller_panel *p = &a->a.panel;
  const int64_t n[3] = {i, j, k}, column = i + j * p->row;
  const int64_t self = i * p->stride[0] + j * p->stride[1] + k * p->stride[2];
  const REAL *x = (const REAL *)a->a.edge_x + column, *y = (const REAL *)a->a.edge_y + column;
  const REAL area = ((const REAL *)a->a.area)[column];
  const REAL *vertical = (const REAL *)a->a.vertical + k, horizontal = ((const REAL *)a->a.horizontal)[k];
  const REAL low[3] = {horizontal * x[-1], horizontal * y[-p->row], area * vertical[0]};
  const REAL high[3] = {horizontal * x[0], horizontal * y[0], area * vertical[1]};
  const int slow_to_fast[2][3] = {{1, 0, 2}, {2, 1, 0}};
  REAL *value = (REAL *)a->out + self * 7, sum = area * ((const REAL *)a->a.mass)[k];
  int32_t *where = a->column + self * 7;
  const REAL own = ((low[0] + high[0]) + (low[1] + high[1]));
  for (int e = 0; e < 3; e++) {
    const int d = slow_to_fast[p->order][e];
    const int no_low = n[d] == 0, no_high = n[d] == p->n[d] - 1;
    value[e] = no_low ? 0 : -low[d];
    where[e] = self - (no_low ? 0 : p->stride[d]);
    value[6 - e] = no_high ? 0 : -high[d];
    where[6 - e] = self + (no_high ? 0 : p->stride[d]);
  }
  sum += low[2] + high[2];
  value[3] = sum + own;
  where[3] = self;
  ((REAL *)a->stored[0])[self] = -low[2];
  ((REAL *)a->stored[1])[self] = sum + own;
  ((REAL *)a->stored[2])[self] = -high[2];
}

/* Elements begin..end-1 of a panel become rows. */
static void column_matrix(const void *args, int64_t begin, int64_t end, char *scratch) {
  const mueller_args *a = args;
  const mueller_panel *p = &a->a.panel;
  (void)scratch;
  for (int64_t r = begin; r < end; r++) {
    const int slow = p->order == row_order ? 2 : 1, middle = p->order == row_order ? 1 : 0, fast = p->order == row_order ? 0 : 2;
    int64_t n[3];
    n[slow] = r / p->stride[slow];
    n[middle] = r % p->stride[slow] / p->stride[middle];
    n[fast] = r % p->stride[slow] % p->stride[middle];
    a->start[r] = 7 * r;
    if (n[0] < p->n[0] && n[1] < p->n[1] && n[2] < p->n[2]) {
      matrix_row(a, n[0], n[1], n[2]);
      continue;
    }
    for (int e = 0; e < 7; e++) {
      a->column[7 * r + e] = r;
      ((REAL *)a->out)[7 * r + e] = 0;
    }
  }
  if (end == a->length)
    a->start[end] = 7 * end;
}

/* Y = Matrix X, any matrix in compressed rows. */
static void matrix_apply(const void *args, int64_t begin, int64_t end, char *scratch) {
  const mueller_args *a = args;
  const int32_t *start = a->start, *restrict column = a->column;
  const REAL *restrict value = a->f, *restrict x = a->u;
  REAL *restrict y = a->out;
  (void)scratch;
  for (int64_t r = begin; r < end; r++) {
    REAL sum = 0;
    for (int32_t e = start[r]; e < start[r + 1]; e++)
      sum += value[e] * x[column[e]];
    y[r] = sum;
  }
}
