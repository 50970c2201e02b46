/* Batches of columns in both orders of memory: ColumnSolve, ColumnDescend, ColumnSmooth, MatrixSolve. */

/* Scratch memory for batches of `width` columns; Go reserves it. */
static column_batch batch_scratch(char *scratch, const mueller_args *a, int op, int64_t width) {
  const int64_t levels = (a->a.panel.n[2] + 15) / 16 * 16;
  column_batch b;
  b.value = real_row(&scratch, levels * width);
  b.ratio = real_row(&scratch, levels * width);
  b.kept = real_row(&scratch, width);
  b.share = real_row(&scratch, width);
  b.inverse = real_row(&scratch, width);
  b.rr = double_row(&scratch, width);
  b.rz = double_row(&scratch, width);
  b.side = real_row(&scratch, levels * width);
  for (int n = 0; n < 3; n++)
    b.levels[n] = op == batch_stored && a->a.panel.order == column_order ? real_row(&scratch, levels * width) : NULL;
  return b;
}

/* The number of columns in whole cache lines. */
INLINE int64_t whole_lines(int64_t columns) { return (columns + line_width - 1) / line_width * line_width; }

/* Prepares the columns of a batch. Columns beyond the panel have no area: 1/|T| = 0 makes their solution zero. */
static void batch_begin(column_batch *b, const mueller_args *a, int64_t i, int64_t j, int64_t columns) {
  const mueller_panel *p = &a->a.panel;
  const int64_t at = i + j * p->row;
  b->i = i;
  b->j = j;
  b->columns = columns;
  b->width = whole_lines(columns);
  memset(b->kept, 0, b->width * sizeof(REAL));
  memset(b->rr, 0, b->width * sizeof(double));
  memset(b->rz, 0, b->width * sizeof(double));
  if (!a->a.area)
    return;
  const REAL *area = (const REAL *)a->a.area + at, *x = (const REAL *)a->a.edge_x + at;
  const REAL *y = (const REAL *)a->a.edge_y + at, *f = y - p->row;
  for (int64_t c = 0; c < b->width; c++) {
    const int inside = c < columns;
    b->inverse[c] = inside ? 1 / area[c] : 0;
    b->share[c] = inside ? ((x[c - 1] + x[c]) + (f[c] + y[c])) / area[c] : 0;
  }
}

/* The right sides of a run of n elements from element `at` of the fields on, where they are more than read: r - α q in place, or
   f - A u to `side`. */
INLINE void run_sides(int op, int order, const mueller_args *a, int64_t i, int64_t j, int64_t k, int64_t at, int64_t n,
                      REAL *side) {
  const column_run run = op == batch_smooth && a->u ? run_of(&a->a, order, a->u, i, j, k) : (column_run){};
  REAL *r = (REAL *)a->r + at;
  const REAL *q = (const REAL *)a->q + at, *f = (const REAL *)a->f + at;
  for (int64_t l = 0; l < n; l += line_width)
#pragma GCC unroll 4
    for (int64_t c = l; c < l + line_width; c += vector_width)
      if (op == batch_descend)
        store(0, r + c, load(r + c) - (REAL)a->alpha * load(q + c));
      else
        store(0, side + c, a->u ? load(f + c) - column_balance(order, &run, c) : load(f + c));
}

INLINE void batch_rows(int op, int stream, const mueller_args *a, column_batch *b) {
  const mueller_panel *p = &a->a.panel;
  const int64_t sz = p->stride[2], first = b->i + b->j * p->stride[1];
  b->right = op == batch_smooth ? (level_rows){b->value, b->width} : (level_rows){(const REAL *)a->f + first, sz};
  for (int n = 0; n < 3; n++)
    b->stored[n] = (level_rows){(const REAL *)a->stored[n] + first, sz};
  for (int64_t k = 0; k < p->n[2]; k += pack_levels) {
    const int64_t end = smallest(k + pack_levels, p->n[2]);
    for (int64_t l = k; (op == batch_descend || op == batch_smooth) && l < end; l++)
      run_sides(op, row_order, a, b->i, b->j, l, first + l * sz, b->width, b->value + l * b->width);
    eliminate_pack(op, a, b, k, end, first + (k + pack_levels) * sz, sz);
  }
  substitute(op, row_order, stream, a, b, first, sz);
}

/* Brings the columns of a batch, `run` elements each, to levels, or back. */
INLINE void to_levels(const column_batch *b, int64_t run, const REAL *columns, REAL *levels) {
  for (int64_t c = 0; c < b->width; c += vector_width)
    for (int64_t k = 0; k < run; k += part_width) {
      vector t[part_width];
      if (c + vector_width <= b->columns)
        load_transposed(t, columns + c * run + k, run);
      else
        load_transposed_part(t, columns + smallest(c, b->columns - 1) * run + k, run, b->columns - c);
#pragma GCC unroll 4
      for (int m = 0; m < part_width; m++)
        store(0, levels + (k + m) * b->width + c, t[m]);
    }
}

INLINE void from_levels(const column_batch *b, int64_t run, REAL *columns, const REAL *levels) {
  for (int64_t c = 0; c < b->width; c += vector_width)
    for (int64_t k = 0; k < run; k += part_width) {
      vector t[part_width];
#pragma GCC unroll 4
      for (int m = 0; m < part_width; m++)
        t[m] = load(levels + (k + m) * b->width + c);
      store_transposed(columns + c * run + k, run, t);
    }
}

/* In column order right sides become levels, and solutions columns again. While a batch is eliminated, the next one, which
   follows it in memory, is read. */
INLINE void batch_columns(int op, int stream, const mueller_args *a, column_batch *b) {
  const mueller_panel *p = &a->a.panel;
  const int64_t run = p->run, first = b->i * p->stride[0] + b->j * p->stride[1];
  for (int64_t c = 0; (op == batch_descend || op == batch_smooth) && c < b->columns; c++)
    run_sides(op, column_order, a, b->i + c, b->j, 0, first + c * run, run, b->side + c * run);
  to_levels(b, run, op == batch_smooth ? b->side : (const REAL *)a->f + first, b->value);
  b->right = (level_rows){b->value, b->width};
  for (int n = 0; op == batch_stored && n < 3; n++) {
    to_levels(b, run, (const REAL *)a->stored[n] + first, b->levels[n]);
    b->stored[n] = (level_rows){b->levels[n], b->width};
  }
  for (int64_t k = 0; k < p->n[2]; k += pack_levels)
    eliminate_pack(op, a, b, k, smallest(k + pack_levels, p->n[2]), first + b->width * (run + k), b->width);
  substitute(op, column_order, stream, a, b, 0, 0);
  from_levels(b, run, b->side, b->value);
  for (int64_t c = 0; c < b->columns; c++)
    for (int64_t k = 0; k < run; k += line_width)
#pragma GCC unroll 4
      for (int64_t l = k; l < k + line_width; l += vector_width)
        put_solution(op, stream, a, first + c * run + l, load(b->side + c * run + l));
}

/* Sums over groups of columns: first all of r r, then all of r z. */
static void batch_sums(const mueller_args *a, const column_batch *b) {
  const mueller_panel *p = &a->a.panel;
  const int64_t groups = p->row / column_group;
  const REAL *area = (const REAL *)a->a.area + b->i + b->j * p->row;
  for (int64_t c = 0; c < b->columns; c += column_group) {
    double rr[column_group + sum_lanes], rz[column_group + sum_lanes];
    const int64_t n = smallest(column_group, b->columns - c), g = (b->i + c) / column_group + b->j * groups;
    for (int64_t l = 0; l < n; l++) {
      rr[l] = b->rr[c + l];
      rz[l] = area[c + l] * b->rz[c + l];
    }
    a->partial[g] = row_sum(rr, n);
    a->partial[g + groups * p->n[1]] = row_sum(rz, n);
  }
}

/* Batches begin..end-1, a->width columns each. */
INLINE void batches(int op, const mueller_args *a, int64_t begin, int64_t end, char *scratch) {
  const mueller_panel *p = &a->a.panel;
  const int64_t row = (p->n[0] + a->width - 1) / a->width;
  column_batch b = batch_scratch(scratch, a, op, a->width);
  for (int64_t n = begin; n < end; n++) {
    const int64_t i = n % row * a->width;
    batch_begin(&b, a, i, n / row, smallest(a->width, p->n[0] - i));
    if (p->order == row_order && a->stream)
      batch_rows(op, 1, a, &b);
    else if (p->order == row_order)
      batch_rows(op, 0, a, &b);
    else if (a->stream)
      batch_columns(op, 1, a, &b);
    else
      batch_columns(op, 0, a, &b);
    if (op == batch_descend)
      batch_sums(a, &b);
  }
  stream_end();
}

static void column_solve(const void *args, int64_t begin, int64_t end, char *scratch) {
  batches(batch_solve, args, begin, end, scratch);
}

static void column_descend(const void *args, int64_t begin, int64_t end, char *scratch) {
  batches(batch_descend, args, begin, end, scratch);
}

static void column_smooth(const void *args, int64_t begin, int64_t end, char *scratch) {
  batches(batch_smooth, args, begin, end, scratch);
}

static void matrix_solve(const void *args, int64_t begin, int64_t end, char *scratch) {
  batches(batch_stored, args, begin, end, scratch);
}
