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

/* The children of a coarse cell along an axis, and their widths in it. */
typedef struct {
  int64_t first, count;
  REAL h[3];
} axis_children;

/* Those of coarse cell J along axis d. */
static axis_children axis_children_of(const cv_coarsen_cells_args *a, int d, int64_t J) {
  const REAL *h = AXIS(a->h[d]);
  const int64_t factor = a->factor[d], coarse = factor ? 1 : a->count[d], fine = factor ? factor : a->fine.n[d] - !a->periodic[d];
  const int64_t low = J * fine, high = low + fine; /* in parts of a fine cell, of which it has `coarse` */
  axis_children c = {low / coarse, 0, {0, 0, 0}};
  for (int m = 0; m < 3; m++) {
    const int64_t i = c.first + m;
    if (i * coarse < high) {
      c.h[m] = h[i] * ((REAL)(smallest((i + 1) * coarse, high) - largest(i * coarse, low)) / (REAL)coarse);
      c.count = m + 1;
    }
  }
  return c;
}

/* The mean of the children of a coarse cell: of columns along axis d, summed across by axes p and q. */
static REAL coarse_cell(const cv_coarsen_cells_args *a, const axis_children *children, int d) {
  const int p = (d + 1) % 3, q = (d + 2) % 3;
  const int64_t stride[3] = {1, a->fine.sy, a->fine.sz};
  const axis_children *cd = &children[d], *cp = &children[p], *cq = &children[q];
  const REAL *k = (const REAL *)a->fine_k + cd->first * stride[d] + cp->first * stride[p] + cq->first * stride[q];
  REAL sum = 0, weights = 0;
  for (int64_t b = 0; b < cp->count; b++)
    for (int64_t c = 0; c < cq->count; c++) {
      const REAL *column = k + b * stride[p] + c * stride[q];
      REAL length = 0, part = 0;
      for (int64_t m = 0; m < cd->count; m++) {
        const REAL v = column[m * stride[d]];
        length += cd->h[m];
        part += a->arithmetic ? cd->h[m] * v : cd->h[m] / v;
      }
      const REAL w = cp->h[b] * cq->h[c];
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
    axis_children children[3] = {axis_children_of(a, 0, 0), axis_children_of(a, 1, j), axis_children_of(a, 2, k)};
    REAL *restrict out = (REAL *)a->coarse_k + j * a->coarse.sy + k * a->coarse.sz;
    for (int64_t i = 0; i < a->count[0]; i++) {
      children[0] = axis_children_of(a, 0, i);
      out[i] = coarse_cell(a, children, a->axis);
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
