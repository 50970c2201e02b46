/* Conductivity of cells: Mobility, CoarsenCells, Coupling; and Tabulate. Row r of the cells is (j, k) with j = r mod count[1].
   What they make of faces: Conductance. */

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

enum { most_children = 3 };

/* The children along x of all cells of a coarse row: their numbers, and their widths, 0 where a cell has fewer than others. */
typedef struct {
  int32_t *at[most_children];
  REAL *h[most_children];
  int64_t n, count; /* cells, and the most children of one */
  int pairs;        /* cell I has the children 2 I and 2 I + 1 */
} row_children;

static row_children row_children_of(const cv_coarsen_cells_args *a, char **scratch) {
  row_children r = {.n = a->count[0], .pairs = 1};
  for (int m = 0; m < most_children; m++) {
    r.at[m] = (int32_t *)double_row(scratch, r.n);
    r.h[m] = real_row(scratch, r.n);
  }
  for (int64_t i = 0; i < r.n; i++) {
    const axis_children c = axis_children_of(a, 0, i);
    r.count = largest(r.count, c.count);
    r.pairs &= c.count == 2 && c.first == 2 * i;
    for (int64_t m = 0; m < most_children; m++) {
      r.at[m][i] = (int32_t)(c.first + smallest(m, c.count - 1));
      r.h[m][i] = m < c.count ? c.h[m] : 0;
    }
  }
  return r;
}

/* The children m of a row of coarse cells, from a row of fine ones. */
static void take_children(const row_children *r, int64_t m, const REAL *restrict fine, REAL *restrict v) {
  const int32_t *at = r->at[m];
  for (int64_t i = 0; r->pairs && i < r->n; i++)
    v[i] = fine[2 * i + m];
  for (int64_t i = 0; !r->pairs && i < r->n; i++)
    v[i] = fine[at[i]];
}

/* Rows that a column of children adds up in. */
typedef struct {
  REAL *v, *length, *part, *sum, *weights;
} column_rows;

/* Adds a child of each cell to its column, of width h, or h[i] along x. */
INLINE void add_child(int arithmetic, int along_x, const column_rows *c, int64_t n, const REAL *restrict widths, REAL width) {
  const REAL *restrict v = c->v;
  REAL *restrict length = c->length, *restrict part = c->part;
  VECTORISE
  for (int64_t i = 0; i < n; i++) {
    const REAL h = along_x ? widths[i] : width;
    length[i] += h;
    part[i] += arithmetic ? h * v[i] : along_x && h == 0 ? 0 : h / v[i];
  }
}

/* Adds a column to the mean of each cell, with the width across it: width, times widths[i] of x unless that is the axis. */
INLINE void add_column(int arithmetic, int across_x, const column_rows *c, int64_t n, const REAL *restrict widths, REAL width) {
  const REAL *restrict length = c->length, *restrict part = c->part;
  REAL *restrict sum = c->sum, *restrict weights = c->weights;
  VECTORISE
  for (int64_t i = 0; i < n; i++) {
    const REAL w = across_x ? widths[i] * width : width;
    sum[i] += w * (arithmetic ? part[i] / length[i] : length[i] / part[i]);
    weights[i] += w;
  }
}

/* A row of coarse cells, each the mean of its columns along axis d, which are added up across by axes p and q. */
INLINE void coarse_row(const cv_coarsen_cells_args *a, int d, int arithmetic, const row_children *x, const axis_children *y,
                       const axis_children *z, const column_rows *rows, REAL *out) {
  const axis_children *of[3] = {NULL, y, z};
  const int p = (d + 1) % 3, q = (d + 2) % 3;
  const int64_t n = x->n, counts[3] = {x->count, y->count, z->count};
  memset(rows->sum, 0, n * sizeof(REAL));
  memset(rows->weights, 0, n * sizeof(REAL));
  for (int64_t b = 0; b < counts[p]; b++)
    for (int64_t c = 0; c < counts[q]; c++) {
      int64_t m[3] = {0, 0, 0};
      m[p] = b;
      m[q] = c;
      memset(rows->length, 0, n * sizeof(REAL));
      memset(rows->part, 0, n * sizeof(REAL));
      for (m[d] = 0; m[d] < counts[d]; m[d]++) {
        const REAL *fine = (const REAL *)a->fine_k + (y->first + m[1]) * a->fine.sy + (z->first + m[2]) * a->fine.sz;
        take_children(x, m[0], fine, rows->v);
        add_child(arithmetic, d == 0, rows, n, x->h[m[0]], d == 0 ? 0 : of[d]->h[m[d]]);
      }
      const REAL width = d == 0 ? y->h[b] * z->h[c] : p == 0 ? of[q]->h[c] : of[p]->h[b];
      add_column(arithmetic, d != 0, rows, n, x->h[m[0] < x->count ? m[0] : 0], width);
    }
  for (int64_t i = 0; i < n; i++)
    out[i] = rows->sum[i] / rows->weights[i];
}

static void coarsen_cells(const void *args, int64_t begin, int64_t end, char *scratch) {
  const cv_coarsen_cells_args *a = args;
  const int64_t ny = a->count[1], n = a->count[0];
  const row_children x = row_children_of(a, &scratch);
  column_rows rows;
  REAL **all[] = {&rows.v, &rows.length, &rows.part, &rows.sum, &rows.weights};
  for (size_t r = 0; r < sizeof all / sizeof *all; r++)
    *all[r] = real_row(&scratch, n);
  for (int64_t r = begin; r < end; r++) {
    const int64_t j = r % ny, k = r / ny;
    const axis_children y = axis_children_of(a, 1, j), z = axis_children_of(a, 2, k);
    REAL *out = (REAL *)a->coarse_k + j * a->coarse.sy + k * a->coarse.sz;
#define CASE(along, mean)                                                                                             \
  if (a->axis == along && !a->arithmetic == !mean)                                                                    \
    coarse_row(a, along, mean, &x, &y, &z, &rows, out);
    CASE(0, 0) CASE(1, 0) CASE(2, 0) CASE(0, 1) CASE(1, 1) CASE(2, 1)
#undef CASE
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

static void conductance(const void *args, int64_t begin, int64_t end, char *scratch) {
  const cv_conductance_args *a = args;
  const cv_elliptic *e = &a->a;
  const int64_t n = e->box.n[0], ny = e->box.n[1];
  REAL *restrict x = real_row(&scratch, n);
  for (int64_t r = begin; r < end; r++) {
    const int64_t j = r % ny, k = r / ny, offset = j * e->box.sy + k * e->box.sz;
    conductances_along_x(e, j, k, x);
    memcpy((REAL *)a->out[0] + offset, x, n * sizeof(REAL));
    for (int axis = 1; axis < 3; axis++)
      if (a->out[axis])
        conductances_across(e, axis, j, k, (REAL *)a->out[axis] + offset);
  }
}
