/* Tridiagonal systems of many columns side by side: ColumnSolve, ColumnDescend, ColumnSmooth, MatrixSolve.

   A batch is a part of a row of columns. Its elimination keeps, for every level, the ratio e and the value y of

       z_k = y_k + e_k z_(k+1)

   for all its columns in scratch memory, where levels follow each other closely. With b the vertical coupling, divided by |T|,

       g_k = a_k + d_k s + b_k w_(k-1),  m_k = 1 / (g_k + b_(k+1)),  w_k = g_k m_k,  e_k = b_(k+1) m_k,
       t_k = r_k/|T| + b_k y_(k-1),      y_k = t_k m_k,              s = Σ α / |T|

   in which nothing is subtracted: w = 1 - e is what a pivot keeps of the coupling, exact also where b is far larger than the
   rest. As M = |T| L D Lᵀ, the sum of r z over a column is |T| Σ t_k y_k.

   Levels come in packs, and within a pack a strand of columns at a time: what they hand from level to level stays in registers,
   and there are enough of them not to wait for each other's divisions. */

enum { batch_solve, batch_descend, batch_smooth, batch_stored };

/* Levels of a pack: sums over a column are widened once a pack. And the cache lines of a strand of columns. */
enum { pack_levels = 8, strand_lines = 2, strand_vectors = strand_lines * line_vectors };

/* Numbers for the levels of a batch: those of level k from at + k*stride on. */
typedef struct {
  const REAL *at;
  int64_t stride;
} level_rows;

typedef struct {
  int64_t i, j, columns, width; /* columns (i..i+columns-1, j), and their number in whole cache lines */
  REAL *ratio, *value;          /* e and y, in column order before that the right side: level k at k*width */
  REAL *kept;                   /* of every column w (of stored systems e), later the z of the level above */
  REAL *share, *inverse;        /* of every column s and 1/|T| */
  REAL *side;                   /* a field's part in column order: right sides of ColumnSmooth, solutions */
  REAL *levels[3];              /* of stored systems in column order: lower, diagonal, upper, as value */
  level_rows right, stored[3];  /* right side, and of stored systems lower, diagonal, upper */
  double *rr, *rz;              /* sums over a column */
} column_batch;

/* Adds a vector to sums in float64. */
INLINE void add_each(double *sums, vector x) {
  double_vector a[wide_vectors], s;
  widen(x, a);
  for (int w = 0; w < wide_vectors; w++) {
    double *at = sums + w * (VECTOR / sizeof(double));
    memcpy(&s, at, sizeof s);
    s += a[w];
    memcpy(at, &s, sizeof s);
  }
}

/* Eliminates the levels begin..end-1 of the columns c.. of a strand of `lines` cache lines. */
INLINE void eliminate_strand(int op, int lines, const mueller_args *a, const column_batch *b, int64_t begin, int64_t end,
                             int64_t c) {
  const REAL *mass = a->a.mass, *vertical = a->a.vertical, *horizontal = a->a.horizontal;
  vector kept[strand_vectors], before[strand_vectors], rr[strand_vectors], rz[strand_vectors];
#pragma GCC unroll 8
  for (int v = 0; v < lines * line_vectors; v++) {
    kept[v] = load(b->kept + c + v * vector_width);
    before[v] = begin > 0 ? load(b->value + (begin - 1) * b->width + c + v * vector_width) : (vector){};
    rr[v] = rz[v] = (vector){};
  }
  for (int64_t k = begin; k < end; k++)
#pragma GCC unroll 8
    for (int v = 0; v < lines * line_vectors; v++) {
      const int64_t column = c + v * vector_width, at = k * b->width + column;
      const vector r = load(b->right.at + k * b->right.stride + column);
      const vector g = (mass[k] + horizontal[k] * load(b->share + column)) + vertical[k] * kept[v];
      const vector m = 1 / (g + vertical[k + 1]);
      const vector t = r * load(b->inverse + column) + vertical[k] * before[v], y = t * m;
      kept[v] = g * m;
      before[v] = y;
      store(0, b->ratio + at, vertical[k + 1] * m);
      store(0, b->value + at, y);
      if (op == batch_descend) {
        rr[v] += r * r;
        rz[v] += t * y;
      }
    }
#pragma GCC unroll 8
  for (int v = 0; v < lines * line_vectors; v++) {
    store(0, b->kept + c + v * vector_width, kept[v]);
    if (op == batch_descend) {
      add_each(b->rr + c + v * vector_width, rr[v]);
      add_each(b->rz + c + v * vector_width, rz[v]);
    }
  }
}

/* The same for stored coefficients. */
INLINE void eliminate_stored(int lines, const column_batch *b, int64_t begin, int64_t end, int64_t c) {
  const vector one = splat(1);
  vector e[strand_vectors], before[strand_vectors];
#pragma GCC unroll 8
  for (int v = 0; v < lines * line_vectors; v++) {
    e[v] = load(b->kept + c + v * vector_width);
    before[v] = begin > 0 ? load(b->value + (begin - 1) * b->width + c + v * vector_width) : (vector){};
  }
  for (int64_t k = begin; k < end; k++)
#pragma GCC unroll 8
    for (int v = 0; v < lines * line_vectors; v++) {
      const int64_t column = c + v * vector_width, at = k * b->width + column;
      vector s[3];
      for (int n = 0; n < 3; n++)
        s[n] = load(b->stored[n].at + k * b->stored[n].stride + column);
      const vector pivot = s[1] + s[0] * e[v];
      const vector m = 1 / (pivot + (vector)((vector_index)one & (pivot == 0))); /* columns that are padding have no pivot */
      before[v] = (load(b->right.at + k * b->right.stride + column) - s[0] * before[v]) * m;
      e[v] = -(s[2] * m);
      store(0, b->ratio + at, e[v]);
      store(0, b->value + at, before[v]);
    }
#pragma GCC unroll 8
  for (int v = 0; v < lines * line_vectors; v++)
    store(0, b->kept + c + v * vector_width, e[v]);
}

/* Asks for a cache line of every field that is read, at element `at`. */
INLINE void prefetch_fields(int op, const mueller_args *a, int64_t at) {
  const void *read[4] = {a->f, op == batch_descend ? a->q : a->u};
  int fields = op == batch_solve || read[1] == NULL ? 1 : 2;
  for (int n = 0; op == batch_stored && n < 3; n++)
    read[n + 1] = a->stored[n];
  if (op == batch_stored)
    fields = 4;
  for (int n = 0; n < fields; n++)
    __builtin_prefetch((const REAL *)read[n] + at);
}

/* Eliminates the levels begin..end-1, a pack. Cell (0,0) of what is to be read while it lasts is element `ahead` of the fields, its
   lines `apart`. */
INLINE void eliminate_pack(int op, const mueller_args *a, const column_batch *b, int64_t begin, int64_t end, int64_t ahead,
                           int64_t apart) {
  for (int64_t c = 0; c < b->width; c += strand_lines * line_width) {
    const int whole = c + strand_lines * line_width <= b->width;
    for (int64_t l = c; l < b->width && l < c + strand_lines * line_width; l += line_width)
      for (int64_t k = 0; k < end - begin; k++)
        prefetch_fields(op, a, ahead + k * apart + l);
    if (op == batch_stored && whole)
      eliminate_stored(strand_lines, b, begin, end, c);
    else if (op == batch_stored)
      eliminate_stored(1, b, begin, end, c);
    else if (whole)
      eliminate_strand(op, strand_lines, a, b, begin, end, c);
    else
      eliminate_strand(op, 1, a, b, begin, end, c);
  }
}

/* What is stored for the solution z. */
INLINE void put_solution(int op, int stream, const mueller_args *a, int64_t at, vector z) {
  if (op == batch_smooth) {
    z = (REAL)a->omega * z;
    if (a->u)
      z = load((const REAL *)a->u + at) + z;
  }
  store(stream, (REAL *)a->out + at, z);
}

/* The solution of the levels begin..end-1 of the columns c.. of a cache line: in row order to where it belongs, element `first`,
   levels `apart`, in column order in place of y. */
INLINE void substitute_line(int op, int order, int stream, const mueller_args *a, const column_batch *b, int64_t begin,
                            int64_t end, int64_t c, int64_t first, int64_t apart) {
  vector z[line_vectors];
#pragma GCC unroll 4
  for (int v = 0; v < line_vectors; v++)
    z[v] = load(b->kept + c + v * vector_width);
  for (int64_t k = end - 1; k >= begin; k--)
#pragma GCC unroll 4
    for (int v = 0; v < line_vectors; v++) {
      const int64_t column = c + v * vector_width, at = k * b->width + column;
      z[v] = load(b->value + at) + load(b->ratio + at) * z[v];
      if (order == row_order)
        put_solution(op, stream, a, first + k * apart + column, z[v]);
      else
        store(0, b->value + at, z[v]);
    }
#pragma GCC unroll 4
  for (int v = 0; v < line_vectors; v++)
    store(0, b->kept + c + v * vector_width, z[v]);
}

/* Substitutes back from the last level to the first. */
INLINE void substitute(int op, int order, int stream, const mueller_args *a, column_batch *b, int64_t first, int64_t apart) {
  const int64_t levels = a->a.panel.n[2];
  memset(b->kept, 0, b->width * sizeof(REAL));
  for (int64_t k = (levels - 1) / pack_levels * pack_levels; k >= 0; k -= pack_levels)
    for (int64_t c = 0; c < b->width; c += line_width)
      substitute_line(op, order, stream, a, b, k, smallest(k + pack_levels, levels), c, first, apart);
}
