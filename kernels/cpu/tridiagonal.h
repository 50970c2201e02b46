/* Tridiagonal systems of many columns side by side: ColumnSolve, ColumnDescend, ColumnSmooth, MatrixSolve.

   A batch is a part of a row of columns. Its elimination keeps, for every level, the ratio e and the value y of

       z_k = y_k + e_k z_(k+1)

   for all its columns in scratch memory, where levels follow each other closely. With b the vertical coupling, divided by |T|,

       g_k = a_k + d_k s + b_k w_(k-1),  m_k = 1 / (g_k + b_(k+1)),  w_k = g_k m_k,  e_k = b_(k+1) m_k,
       t_k = r_k/|T| + b_k y_(k-1),      y_k = t_k m_k,              s = Σ α / |T|

   in which nothing is subtracted: w = 1 - e is what a pivot keeps of the coupling, exact also where b is far larger than the
   rest. As M = |T| L D Lᵀ, the sum of r z over a column is |T| Σ t_k y_k. */

typedef __typeof__((vector){} < (vector){}) vector_index;

enum { batch_solve, batch_descend, batch_smooth, batch_stored };

typedef struct {
  int64_t i, j, columns, width; /* columns (i..i+columns-1, j), and their number in whole vectors */
  REAL *ratio, *value;          /* e and y: level k at k*width */
  REAL *kept, *share, *inverse; /* w, s and 1/|T| of every column */
  REAL *side;                   /* right side of a level, or of the columns of a tile: `run` apart */
  REAL *stored[3];              /* of stored systems in column order: lower, diagonal, upper, as value */
  double *rr, *rz;              /* sums over a column */
} column_batch;

/* Scratch memory for batches of `width` columns; Go reserves it (batchBytes). */
static column_batch batch_scratch(char *scratch, const cv_column_args *a, int op, int64_t width) {
  const cv_panel *p = &a->a.panel;
  const int64_t levels = (p->n[2] + 15) / 16 * 16;
  column_batch b;
  b.value = real_row(&scratch, levels * width);
  b.ratio = real_row(&scratch, levels * width);
  b.kept = real_row(&scratch, width);
  b.share = real_row(&scratch, width);
  b.inverse = real_row(&scratch, width);
  b.rr = double_row(&scratch, width);
  b.rz = double_row(&scratch, width);
  b.side = real_row(&scratch, p->order == row_order ? width : vector_width * p->run);
  for (int n = 0; n < 3; n++)
    b.stored[n] = op == batch_stored && p->order == column_order ? real_row(&scratch, levels * width) : NULL;
  return b;
}

/* Prepares the columns of a batch. Columns beyond the panel have no area: 1/|T| = 0 makes their solution zero. */
static void batch_begin(column_batch *b, const cv_column_args *a, int64_t i, int64_t j, int64_t columns) {
  const cv_panel *p = &a->a.panel;
  const int64_t at = i + j * p->row;
  b->i = i;
  b->j = j;
  b->columns = columns;
  b->width = (columns + vector_width - 1) / vector_width * vector_width;
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

/* Adds the products of two vectors to sums in float64. */
INLINE void add_each(double *sums, vector x, vector y) {
  double_vector a[wide_vectors], b[wide_vectors];
  widen(x, a);
  widen(y, b);
  for (int w = 0; w < wide_vectors; w++) {
    double_vector s;
    double *at = sums + w * (VECTOR / sizeof(double));
    memcpy(&s, at, sizeof s);
    s += a[w] * b[w];
    memcpy(at, &s, sizeof s);
  }
}

/* What level k of an elimination needs, and of the columns c.. of the batch. */
typedef struct {
  REAL mass, low, high, horizontal;
} level_coefficients;

/* Eliminates the columns c.. of level k, whose right side is r. */
INLINE void eliminate_level(int op, const column_batch *b, level_coefficients l, int64_t k, int64_t c, vector r) {
  const int64_t at = k * b->width + c;
  const vector before = k > 0 ? load(b->value + at - b->width) : (vector){};
  const vector g = (l.mass + l.horizontal * load(b->share + c)) + l.low * load(b->kept + c);
  const vector m = 1 / (g + l.high);
  const vector t = r * load(b->inverse + c) + l.low * before, y = t * m;
  store(0, b->kept + c, g * m);
  store(0, b->ratio + at, l.high * m);
  store(0, b->value + at, y);
  if (op == batch_descend) {
    add_each(b->rr + c, r, r);
    add_each(b->rz + c, t, y);
  }
}

/* The same for stored coefficients. */
INLINE void eliminate_stored(const column_batch *b, int64_t k, int64_t c, vector low, vector diagonal, vector high, vector r) {
  const int64_t at = k * b->width + c;
  const vector e = k > 0 ? load(b->ratio + at - b->width) : (vector){};
  const vector before = k > 0 ? load(b->value + at - b->width) : (vector){};
  const vector pivot = diagonal + low * e, one = 1 - (vector){};
  const vector m = 1 / (pivot + (vector)((vector_index)one & (pivot == 0))); /* columns that are padding have no pivot */
  store(0, b->ratio + at, -(high * m));
  store(0, b->value + at, (r - low * before) * m);
}

INLINE level_coefficients level_of(const cv_columns *a, int64_t k) {
  const REAL *v = (const REAL *)a->vertical + k;
  return (level_coefficients){((const REAL *)a->mass)[k], v[0], v[1], ((const REAL *)a->horizontal)[k]};
}

/* The right side of the cells l.. of a run at element `at` of the fields. */
INLINE vector right_side(int op, int order, const cv_column_args *a, const column_run *r, int64_t at, int64_t l) {
  switch (op) {
  case batch_descend: {
    REAL *f = (REAL *)a->r + at + l;
    const vector next = load(f) - (REAL)a->alpha * load((const REAL *)a->q + at + l);
    store(0, f, next);
    return next;
  }
  case batch_smooth: {
    const vector f = load((const REAL *)a->f + at + l);
    return a->u ? f - column_balance(order, r, l) : f;
  }
  }
  return load((const REAL *)a->f + at + l);
}

/* What is stored for the solution z. */
INLINE void put_solution(int op, int stream, const cv_column_args *a, int64_t at, vector z) {
  if (op == batch_smooth) {
    z = (REAL)a->omega * z;
    if (a->u)
      z = load((const REAL *)a->u + at) + z;
  }
  store(stream, (REAL *)a->out + at, z);
}

/* Levels by which reading runs ahead in row order, where the lines of a column are far apart. */
enum { levels_ahead = 3 };

INLINE void batch_rows(int op, int stream, const cv_column_args *a, column_batch *b) {
  const cv_panel *p = &a->a.panel;
  const int64_t sz = p->stride[2], first = b->i + b->j * p->stride[1];
  for (int64_t k = 0; k < p->n[2]; k++) {
    const int64_t at = first + k * sz;
    const level_coefficients l = op == batch_stored ? (level_coefficients){} : level_of(&a->a, k);
    const column_run r = op == batch_smooth && a->u ? run_of(&a->a, row_order, a->u, b->i, b->j, k) : (column_run){};
    const REAL *f = (const REAL *)(op == batch_descend ? a->r : a->f) + at + levels_ahead * sz;
    const REAL *q = (const REAL *)(op == batch_descend ? a->q : a->u ? a->u : a->f) + at + levels_ahead * sz;
    for (int64_t c = 0; c < b->width; c += vector_width) {
      if (c % line_width == 0) {
        __builtin_prefetch(f + c);
        if (op == batch_descend || op == batch_smooth)
          __builtin_prefetch(q + c);
      }
      const vector side = right_side(op, row_order, a, &r, at, c);
      if (op == batch_stored)
        eliminate_stored(b, k, c, load((const REAL *)a->stored[0] + at + c), load((const REAL *)a->stored[1] + at + c),
                         load((const REAL *)a->stored[2] + at + c), side);
      else
        eliminate_level(op, b, l, k, c, side);
    }
  }
  for (int64_t k = p->n[2] - 1; k >= 0; k--)
    for (int64_t c = 0; c < b->width; c += vector_width) {
      REAL *value = b->value + k * b->width + c;
      vector z = load(value);
      if (k < p->n[2] - 1)
        z += load(b->ratio + k * b->width + c) * load(value + b->width);
      store(0, value, z);
      put_solution(op, stream, a, first + k * sz + c, z);
    }
}

/* Transposes vector_width vectors: log2 rounds of interleaving the first half with the second. */
INLINE void transpose_tile(vector t[vector_width]) {
  vector_index low, high;
#pragma GCC unroll 16
  for (int l = 0; l < vector_width; l++) {
    low[l] = l / 2 + (l % 2) * vector_width;
    high[l] = low[l] + vector_width / 2;
  }
#pragma GCC unroll 4
  for (int round = 1; round < vector_width; round *= 2) {
    vector s[vector_width];
#pragma GCC unroll 8
    for (int l = 0; l < vector_width / 2; l++) {
      s[2 * l] = __builtin_shuffle(t[l], t[l + vector_width / 2], low);
      s[2 * l + 1] = __builtin_shuffle(t[l], t[l + vector_width / 2], high);
    }
#pragma GCC unroll 16
    for (int l = 0; l < vector_width; l++)
      t[l] = s[l];
  }
}

/* Brings the runs of the columns c.. of a batch, `run` apart, to levels, or back. */
INLINE void to_levels(const column_batch *b, int64_t run, int64_t c, const REAL *side, REAL *levels) {
  for (int64_t k = 0; k < run; k += vector_width) {
    vector t[vector_width];
#pragma GCC unroll 16
    for (int l = 0; l < vector_width; l++)
      t[l] = load(side + l * run + k);
    transpose_tile(t);
#pragma GCC unroll 16
    for (int l = 0; l < vector_width; l++)
      store(0, levels + (k + l) * b->width + c, t[l]);
  }
}

INLINE void from_levels(const column_batch *b, int64_t run, int64_t c, REAL *side, const REAL *levels) {
  for (int64_t k = 0; k < run; k += vector_width) {
    vector t[vector_width];
#pragma GCC unroll 16
    for (int l = 0; l < vector_width; l++)
      t[l] = load(levels + (k + l) * b->width + c);
    transpose_tile(t);
#pragma GCC unroll 16
    for (int l = 0; l < vector_width; l++)
      store(0, side + l * run + k, t[l]);
  }
}

/* In column order right sides are made column by column and turned into levels, and solutions back. */
INLINE void batch_columns(int op, int stream, const cv_column_args *a, column_batch *b) {
  const cv_panel *p = &a->a.panel;
  const int64_t run = p->run, first = b->i * p->stride[0] + b->j * p->stride[1];
  for (int64_t c = 0; c < b->width; c += vector_width) {
    for (int64_t l = 0; l < vector_width; l++) {
      REAL *side = b->side + l * run;
      if (c + l >= b->columns) {
        memset(side, 0, run * sizeof(REAL));
        continue;
      }
      const int64_t at = first + (c + l) * p->stride[0];
      const column_run r =
          op == batch_smooth && a->u ? run_of(&a->a, column_order, a->u, b->i + c + l, b->j, 0) : (column_run){};
      for (int64_t k = 0; k < run; k += vector_width)
        store(0, side + k, right_side(op, column_order, a, &r, at, k));
    }
    to_levels(b, run, c, b->side, b->value);
    for (int n = 0; op == batch_stored && n < 3; n++) {
      for (int64_t l = 0; l < vector_width; l++) {
        const REAL *from = (const REAL *)a->stored[n] + first + (c + l) * p->stride[0];
        if (c + l < b->columns)
          memcpy(b->side + l * run, from, run * sizeof(REAL));
      }
      to_levels(b, run, c, b->side, b->stored[n]);
    }
  }
  for (int64_t k = 0; k < p->n[2]; k++) {
    const level_coefficients l = op == batch_stored ? (level_coefficients){} : level_of(&a->a, k);
    for (int64_t c = 0; c < b->width; c += vector_width) {
      const int64_t at = k * b->width + c;
      if (op == batch_stored)
        eliminate_stored(b, k, c, load(b->stored[0] + at), load(b->stored[1] + at), load(b->stored[2] + at),
                         load(b->value + at));
      else
        eliminate_level(op, b, l, k, c, load(b->value + at));
    }
  }
  for (int64_t k = p->n[2] - 2; k >= 0; k--)
    for (int64_t c = 0; c < b->width; c += vector_width) {
      REAL *value = b->value + k * b->width + c;
      store(0, value, load(value) + load(b->ratio + k * b->width + c) * load(value + b->width));
    }
  for (int64_t c = 0; c < b->width; c += vector_width) {
    from_levels(b, run, c, b->side, b->value);
    for (int64_t l = 0; l < smallest(vector_width, b->columns - c); l++)
      for (int64_t k = 0; k < run; k += vector_width)
        put_solution(op, stream, a, first + (c + l) * p->stride[0] + k, load(b->side + l * run + k));
  }
}

/* Sums over groups of columns: first all of r r, then all of r z. */
static void batch_sums(const cv_column_args *a, const column_batch *b) {
  const cv_panel *p = &a->a.panel;
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
INLINE void batches(int op, const cv_column_args *a, int64_t begin, int64_t end, char *scratch) {
  const cv_panel *p = &a->a.panel;
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
