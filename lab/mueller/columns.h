/* The operator on columns of kernels/args_gpu.go, for both orders of memory: what lies along a contiguous run is a
   vector, the rest constant. In row order runs are rows, in column order columns. Runs are whole vectors, padded with
   zeros. Arithmetic is the same in both orders. */

enum { column_order = 0, row_order = 1 };

/* A run of cells, those around it, and the coefficients along and across it. */
typedef struct {
  const REAL *u, *left, *right, *front, *back, *below, *above;
  const REAL *mass, *vertical, *horizontal; /* from the run's level on */
  const REAL *area, *edge_x, *edge_y;       /* from its column on */
  const REAL *edge_f;                       /* edge_y towards the front */
  REAL a, low, high, d;                     /* the first of each */
  REAL t, left_edge, right_edge, front_edge, back_edge;
} column_run;

/* The run of row or column r of a field, from its cell (0,0,0). */
INLINE column_run run_of(const mueller_columns *a, int order, const REAL *u, int64_t i, int64_t j, int64_t k) {
  const mueller_panel *p = &a->panel;
  const int64_t column = i + j * p->row, *s = p->stride;
  const REAL *at = u + i * s[0] + j * s[1] + k * s[2];
  const REAL *edge_x = (const REAL *)a->edge_x + column, *edge_y = (const REAL *)a->edge_y + column;
  const REAL *mass = (const REAL *)a->mass + k, *vertical = (const REAL *)a->vertical + k;
  const REAL *horizontal = (const REAL *)a->horizontal + k, *area = (const REAL *)a->area + column;
  return (column_run){
      .u = at,
      .left = order == row_order || i > 0 ? at - s[0] : at,
      .right = order == row_order || i < p->n[0] - 1 ? at + s[0] : at,
      .front = j > 0 ? at - s[1] : at,
      .back = j < p->n[1] - 1 ? at + s[1] : at,
      .below = order == column_order || k > 0 ? at - s[2] : at,
      .above = order == column_order || k < p->n[2] - 1 ? at + s[2] : at,
      .mass = mass,
      .vertical = vertical,
      .horizontal = horizontal,
      .area = area,
      .edge_x = edge_x,
      .edge_y = edge_y,
      .edge_f = edge_y - p->row,
      .a = mass[0],
      .low = vertical[0],
      .high = vertical[1],
      .d = horizontal[0],
      .t = area[0],
      .left_edge = edge_x[-1],
      .right_edge = edge_x[0],
      .front_edge = edge_y[-p->row],
      .back_edge = edge_y[0],
  };
}

/* A coefficient: a vector along the run, or one number for all of it. */
INLINE vector along(int is_vector, const REAL *p, REAL constant) {
  return is_vector ? load(p) : constant - (vector){};
}

/* A u of the cells l.. of a run. */
INLINE vector column_balance(int order, const column_run *r, int64_t l) {
  const int up = order == column_order, across = order == row_order;
  const vector v = load(r->u + l);
  const vector vertical = along(up, r->mass + l, r->a) * v +
                          (along(up, r->vertical + l, r->low) * (v - load(r->below + l)) +
                           along(up, r->vertical + l + 1, r->high) * (v - load(r->above + l)));
  const vector x = along(across, r->edge_x + l - 1, r->left_edge) * (v - load(r->left + l)) +
                   along(across, r->edge_x + l, r->right_edge) * (v - load(r->right + l));
  const vector y = along(across, r->edge_f + l, r->front_edge) * (v - load(r->front + l)) +
                   along(across, r->edge_y + l, r->back_edge) * (v - load(r->back + l));
  return along(across, r->area + l, r->t) * vertical + along(up, r->horizontal + l, r->d) * (x + y);
}

/* Sums in eight float64 lanes: cell l of a run goes to lane l mod 8, whatever the vector length. Up to `sum_terms` products of a
   place in a cache line are added up in REAL before: to round them is no worse than the rounding of their factors, and one
   widening does for all of them. */
enum {
  sum_lanes = 8,
  sum_terms = 4,
  sum_vectors = sum_lanes * sizeof(double) / VECTOR,
  line_vectors = line_width / vector_width,
  wide_vectors = sizeof(double) / sizeof(REAL) /* the numbers of a vector in float64 */
};

typedef struct {
  vector terms[line_vectors];
  double_vector lanes[sum_vectors];
} product_sum;

typedef float half_floats __attribute__((vector_size(VECTOR / 2)));

INLINE void widen(vector v, double_vector w[wide_vectors]) {
  if (sizeof(REAL) == sizeof(double)) {
    memcpy(w, &v, sizeof v);
    return;
  }
  half_floats h[2];
  memcpy(h, &v, sizeof v);
  w[0] = __builtin_convertvector(h[0], double_vector);
  w[wide_vectors - 1] = __builtin_convertvector(h[1], double_vector);
}

/* Starts a sum. */
INLINE void clear_sum(product_sum *s) {
#pragma GCC unroll 4
  for (int v = 0; v < line_vectors; v++)
    s->terms[v] = (vector){};
#pragma GCC unroll 4
  for (int v = 0; v < sum_vectors; v++)
    s->lanes[v] = (double_vector){};
}

/* Adds the terms to the lanes, and starts them again. */
INLINE void add_terms(product_sum *s) {
  double_vector wide[wide_vectors];
#pragma GCC unroll 4
  for (int v = 0; v < line_vectors; v++) {
    widen(s->terms[v], wide);
    s->terms[v] = (vector){};
#pragma GCC unroll 2
    for (int w = 0; w < wide_vectors; w++)
      s->lanes[(v * wide_vectors + w) % sum_vectors] += wide[w];
  }
}

/* Adds the products of two vectors, number v of a cache line, rounded in float64 only. */
INLINE void add_products(product_sum *s, int v, vector x, vector y) {
  double_vector a[wide_vectors], b[wide_vectors];
  widen(x, a);
  widen(y, b);
#pragma GCC unroll 2
  for (int w = 0; w < wide_vectors; w++)
    s->lanes[(v * wide_vectors + w) % sum_vectors] += a[w] * b[w];
}

INLINE double lane_sum(product_sum *sum) {
  double s[sum_lanes];
  add_terms(sum);
  memcpy(s, sum->lanes, sizeof s);
  return ((s[0] + s[4]) + (s[2] + s[6])) + ((s[1] + s[5]) + (s[3] + s[7]));
}

/* What the loops over runs do. */
enum { run_apply, run_search, run_correct };

/* Vector v of the cells l.. of a run, l the first of a cache line: Y = A X, the first loop of interleaved conjugate gradients, or
   ColumnCorrect. */
INLINE void run_vector(int op, int order, int stream, const mueller_args *a, const column_run *run, int64_t at, int64_t l,
                       int64_t v, product_sum *sum) {
  l += v * vector_width;
  const vector balance = column_balance(order, run, l);
  if (op == run_apply) {
    store(stream, (REAL *)a->out + at + l, balance);
    return;
  }
  REAL *u = (REAL *)a->out + at + l;
  if (op == run_correct) {
    REAL *r = (REAL *)a->r + at + l;
    const vector left = load(r) - balance;
    store(0, u, load(u) + load(run->u + l));
    store(0, r, left);
    sum->terms[v] += left * left;
    return;
  }
  REAL *p = (REAL *)a->p + at + l, *q = (REAL *)a->q + at + l;
  const REAL alpha = a->alpha, beta = a->beta;
  const vector old = load(p), next = load(run->u + l) + beta * old, image = balance + beta * load(q);
  store(0, u, load(u) + alpha * old);
  store(0, p, next);
  store(0, q, image);
  sum->terms[v] += next * image;
}

/* Asks for what a run two further on reads at this place, of the field with neighbours what lies a level or a row of columns on,
   where nothing was read before. */
INLINE void prefetch_runs(int op, int order, const mueller_args *a, int64_t at) {
  const mueller_panel *p = &a->a.panel;
  at += rows_ahead * p->run;
  __builtin_prefetch((const REAL *)a->z + at + p->stride[order == row_order ? 2 : 1]);
  if (op == run_apply)
    return;
  __builtin_prefetch((const REAL *)a->out + at);
  __builtin_prefetch((const REAL *)(op == run_search ? a->p : a->r) + at);
  if (op == run_search)
    __builtin_prefetch((const REAL *)a->q + at);
}

/* A whole run, line by line. */
INLINE void run_cells(int op, int order, int stream, const mueller_args *a, int64_t i, int64_t j, int64_t k,
                      product_sum *sum) {
  const mueller_panel *p = &a->a.panel;
  const column_run r = run_of(&a->a, order, a->z, i, j, k);
  const int64_t at = r.u - (const REAL *)a->z;
  for (int64_t l = 0; l < p->run; l += line_width) {
    prefetch_runs(op, order, a, at + l);
#pragma GCC unroll 4
    for (int v = 0; v < line_vectors; v++)
      run_vector(op, order, stream, a, &r, at, l, v, sum);
    if (op != run_apply && l % (sum_terms * line_width) == 0)
      add_terms(sum);
  }
}

/* In row order the rows (j,k), with one partial each; in column order groups of columns, likewise. */
enum { column_group = 16 };

INLINE void column_runs(int op, int stream, const mueller_args *a, int64_t begin, int64_t end) {
  const mueller_panel *p = &a->a.panel;
  product_sum sum;
  if (p->order == row_order) {
    FOR_ROWS(p->n[1], begin, end, a->strip) {
      clear_sum(&sum);
      run_cells(op, row_order, stream, a, 0, j, k, &sum);
      if (op != run_apply)
        a->partial[j + k * p->n[1]] = lane_sum(&sum);
    }
  } else {
    const int64_t groups = (p->n[0] + column_group - 1) / column_group;
    for (int64_t g = begin; g < end; g++) {
      const int64_t j = g / groups, first = g % groups * column_group;
      clear_sum(&sum);
      for (int64_t i = first; i < smallest(first + column_group, p->n[0]); i++)
        run_cells(op, column_order, stream, a, i, j, 0, &sum);
      if (op != run_apply)
        a->partial[g] = lane_sum(&sum);
    }
  }
  stream_end();
}

static void column_apply(const void *args, int64_t begin, int64_t end, char *scratch) {
  const mueller_args *a = args;
  (void)scratch;
  if (a->stream)
    column_runs(run_apply, 1, a, begin, end);
  else
    column_runs(run_apply, 0, a, begin, end);
}

static void column_search(const void *args, int64_t begin, int64_t end, char *scratch) {
  (void)scratch;
  column_runs(run_search, 0, args, begin, end);
}

static void column_correct(const void *args, int64_t begin, int64_t end, char *scratch) {
  (void)scratch;
  column_runs(run_correct, 0, args, begin, end);
}

/* Sum of X Y over blocks of cv_block elements of whole buffers, one partial each. */
static void column_dot(const void *args, int64_t begin, int64_t end, char *scratch) {
  const mueller_args *a = args;
  const REAL *x = a->u, *y = a->z;
  (void)scratch;
  for (int64_t b = begin; b < end; b++) {
    const int64_t first = b * cv_block, last = smallest(first + cv_block, a->length);
    product_sum sum;
    clear_sum(&sum);
    int64_t l = first;
    for (; l + line_width <= last; l += line_width)
#pragma GCC unroll 4
      for (int v = 0; v < line_vectors; v++)
        add_products(&sum, v, load(x + l + v * vector_width), load(y + l + v * vector_width));
    double rest = 0;
    for (; l < last; l++)
      rest += (double)x[l] * y[l];
    a->partial[b] = lane_sum(&sum) + rest;
  }
}
