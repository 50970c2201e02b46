/* Conductivity of cells: Mobility, CoarsenCells, Coupling; and Tabulate. Row r of the cells is (j, k) with j = r mod count[1]. */

static void mobility(const void *args, int64_t begin, int64_t end, char *scratch) {
  const cv_mobility_args *a = args;
  const int64_t n = a->count[0], ny = a->count[1], sy = a->box.sy, sz = a->box.sz;
  const REAL low = a->low, per_unit = a->per_unit, constant = a->k;
  REAL *restrict sum = real_row(&scratch, n + 1);
  for (int64_t r = begin; r < end; r++) {
    const int64_t offset = r % ny * sy + r / ny * sz;
    const REAL *restrict t = (const REAL *)a->t + offset, *restrict k = a->cells ? (const REAL *)a->cells + offset : NULL;
    REAL *restrict out = (REAL *)a->out + offset;
    for (int64_t i = 0; i <= n; i++)
      sum[i] = (t[i] + t[i + sy]) + (t[i + sz] + t[i + sy + sz]);
    for (int64_t i = 0; i < n; i++)
      out[i] = point_table(a->table, a->entries, (REAL)0.125 * (sum[i] + sum[i + 1]), low, per_unit);
    for (int64_t i = 0; i < n; i++)
      out[i] *= k ? k[i] : constant;
  }
}

static void tabulate(const void *args, int64_t begin, int64_t end, char *scratch) {
  const cv_tabulate_args *a = args;
  const int64_t nx = a->box.n[0], ny = a->box.n[1];
  const REAL low_x = a->low_x, low_y = a->low_y, per_x = a->per_x, per_y = a->per_y;
  (void)scratch;
  for (int64_t r = begin; r < end; r++) {
    const int64_t offset = r % ny * a->box.sy + r / ny * a->box.sz;
    const REAL *x = (const REAL *)a->x + offset, *y = (const REAL *)a->y + offset;
    REAL *out = (REAL *)a->out + offset;
    for (int64_t i = 0; i < nx; i++)
      out[i] = point_table_of_two(a->table, a->columns, a->rows, x[i], y[i], low_x, low_y, per_x, per_y);
  }
}

/* The mean of the children of the coarse cell whose first child is at `first`: of columns along axis d, summed across
   by axes p and q. */
static REAL coarse_cell(const cv_coarsen_cells_args *a, const REAL *k, const int64_t *first, int d) {
  const int p = (d + 1) % 3, q = (d + 2) % 3;
  const int64_t stride[3] = {1, a->fine.sy, a->fine.sz};
  const REAL *hd = AXIS(a->h[d]) + first[d], *hp = AXIS(a->h[p]) + first[p], *hq = AXIS(a->h[q]) + first[q];
  REAL sum = 0, weights = 0;
  for (int64_t b = 0; b < a->factor[p]; b++)
    for (int64_t c = 0; c < a->factor[q]; c++) {
      const REAL *column = k + b * stride[p] + c * stride[q];
      REAL length = 0, part = 0;
      for (int64_t m = 0; m < a->factor[d]; m++) {
        const REAL v = column[m * stride[d]];
        length += hd[m];
        part += a->arithmetic ? hd[m] * v : hd[m] / v;
      }
      const REAL w = hp[b] * hq[c];
      sum += w * (a->arithmetic ? part / length : length / part);
      weights += w;
    }
  return sum / weights;
}

static void coarsen_cells(const void *args, int64_t begin, int64_t end, char *scratch) {
  const cv_coarsen_cells_args *a = args;
  const int64_t ny = a->count[1];
  (void)scratch;
  for (int64_t r = begin; r < end; r++) {
    const int64_t j = r % ny, k = r / ny;
    int64_t first[3] = {0, j * a->factor[1], k * a->factor[2]};
    const REAL *fine = (const REAL *)a->fine_k + first[1] * a->fine.sy + first[2] * a->fine.sz;
    REAL *restrict out = (REAL *)a->coarse_k + j * a->coarse.sy + k * a->coarse.sz;
    for (int64_t i = 0; i < a->count[0]; i++) {
      first[0] = i * a->factor[0];
      out[i] = coarse_cell(a, fine + first[0], first, a->axis);
    }
  }
}

/* Two partials a row: the largest k/h^2 and h^2/k. */
static void coupling(const void *args, int64_t begin, int64_t end, char *scratch) {
  const cv_coupling_args *a = args;
  const int64_t n = a->count[0], ny = a->count[1];
  double *s = double_row(&scratch, n);
  const REAL *rh = AXIS(a->rh);
  for (int64_t r = begin; r < end; r++) {
    const int64_t j = r % ny, k = r / ny;
    const REAL *x = (const REAL *)a->k + j * a->box.sy + k * a->box.sz;
    for (int64_t i = 0; i < n; i++) {
      const double g = rh[a->axis == 0 ? i : a->axis == 1 ? j : k];
      s[i] = g * g * x[i];
    }
    a->partial[r] = row_max(s, n);
    for (int64_t i = 0; i < n; i++)
      s[i] = 1 / s[i];
    a->partial[a->parts + r] = row_max(s, n);
  }
}
