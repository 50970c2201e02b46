/* LineSmooth: vertical lines solved exactly, Out = U + omega T^-1 (F - A U), T the vertical tridiagonal part of A.

   Every node is eliminated from below, as a node of a network of conductors is: with conductance g to the node above
   and s to ground (everything beside its column, and what the nodes below left), its elimination leaves g s / (g + s)
   between the node above and ground. Where all g are positive there is no difference in it, so that T may be as near to singular as it
   likes. Those of flat trilinear elements may be negative, but are at most a third of what ties the node beside its column.
   A tile of columns is eliminated row by row; what the way back needs stays in the thread's scratch memory. */
#include "line_rows.h"

/* What one thread keeps of one tile of columns. */
typedef struct {
  sweep_rows sweep;
  REAL *residual;                         /* F - A U of one row */
  line_rows rows;                         /* T of one row */
  REAL *passed;                           /* conductance to ground that the row below left */
  REAL *wrap, *tie, *load;                /* periodic: conductance to the last node; what the last node gets in all */
  REAL *carried;                          /* right side of a row with what those below left */
  REAL *x, *inverse, *above, *last;       /* all rows, `stride` apart: 1/pivot, x += above x_above + last x_last */
  int64_t stride;
  int64_t factored; /* the row j whose factors these are, -1: none */
} line_tile;

static line_tile line_scratch(char *scratch, const cv_elliptic *a, int periodic) {
  const int64_t n = a->box.n[0], nz = a->box.n[2];
  line_tile t = {.stride = (n + 15) / 16 * 16, .factored = -1};
  REAL **rows[] = {&t.residual,    &t.rows.excess, &t.rows.upper, &t.rows.work, &t.rows.along, &t.rows.layer,
                   &t.rows.below, &t.passed, &t.wrap, &t.tie, &t.load, &t.carried};
  for (size_t r = 0; r < sizeof rows / sizeof *rows; r++)
    *rows[r] = real_row(&scratch, n);
  t.x = (REAL *)scratch;
  t.inverse = t.x + nz * t.stride;
  t.above = t.inverse + nz * t.stride;
  t.last = t.above + nz * t.stride;
  t.sweep = sweep_scratch((char *)(t.last + (periodic ? nz * t.stride : 0)), a);
  return t;
}

/* The columns x0..x0+n-1 as an operator of their own. */
static cv_sweep_args line_view(const cv_line_args *l, int64_t x0, int64_t n) {
  cv_sweep_args v = l->sweep;
  const int64_t bytes = x0 * sizeof(REAL);
  v.a.box.n[0] = n;
  const void **arrays[] = {&v.a.h[0], &v.a.rh[0], &v.a.w[0], &v.a.cells[0], &v.a.cells[1], &v.a.cells[2],
                           &v.a.mass, &v.a.mask.table, &v.u, &v.f, (const void **)&v.out};
  for (size_t p = 0; p < sizeof arrays / sizeof *arrays; p++)
    if (*arrays[p])
      *arrays[p] = (const char *)*arrays[p] + bytes;
  v.stream = 0;
  return v;
}

/* F - A U on row (j,k); what it is at fixed nodes does not matter. */
static void line_residual(const cv_sweep_args *v, line_tile *t, int64_t j, int64_t k) {
  const int64_t n = v->a.box.n[0], offset = j * v->a.box.sy + k * v->a.box.sz;
  if (v->u) {
    cv_sweep_args row = *v;
    row.out = (void *)((uintptr_t)t->residual - offset * sizeof(REAL));
    sweep_rows_from(op_residual, &row, &t->sweep, j, k, 1);
    return;
  }
  memcpy(t->residual, (const REAL *)v->f + offset, n * sizeof(REAL));
}

/* The factors of row k, mask m (NULL: all free). A fixed node grounds its neighbours and stays zero. */
INLINE void factor_row(line_tile *t, int64_t n, int64_t k, const REAL *restrict m, int periodic, int last) {
  const REAL *restrict excess = t->rows.excess, *restrict upper = t->rows.upper;
  REAL *restrict inverse = t->inverse + k * t->stride, *restrict above = t->above + k * t->stride;
  REAL *restrict to_last = periodic ? t->last + k * t->stride : NULL;
  REAL *restrict passed = t->passed, *restrict wrap = t->wrap, *restrict tie = t->tie;
  VECTORISE
  for (int64_t i = 0; i < n; i++) {
    const REAL g = last ? 0 : upper[i], c = periodic && !last ? wrap[i] : 0;
    const REAL ground = excess[i] + passed[i] + (periodic && last ? tie[i] : 0);
    const REAL inv = m && m[i] == 0 ? 0 : point_weight(1, (g + c) + ground);
    const REAL share = m && m[i] == 0 ? 1 : ground * inv;
    inverse[i] = inv;
    above[i] = g * inv;
    passed[i] = g * share;
    if (periodic) {
      to_last[i] = c * inv;
      tie[i] += c * share;
      wrap[i] = c * above[i];
    }
  }
}

/* The factors of the columns of row j. */
static void line_factor(const cv_elliptic *a, line_tile *t, int64_t j, int64_t k, int periodic) {
  const int64_t n = a->box.n[0], nz = a->box.n[2];
  if (k == 0) {
    memset(t->passed, 0, n * sizeof(REAL));
    memset(t->tie, 0, n * sizeof(REAL));
    line_begin(a, &t->rows, j);
    memcpy(t->wrap, t->rows.upper, n * sizeof(REAL));
  }
  const int64_t entry = mask_entry(&a->mask, j + k * a->box.n[1]);
  const REAL *m = entry == all_free ? NULL : mask_row(&a->mask, entry);
  line_row(a, &t->rows, j, k);
  if (periodic)
    factor_row(t, n, k, m, 1, k == nz - 1);
  else if (k == nz - 1)
    factor_row(t, n, k, m, 0, 1);
  else if (m)
    factor_row(t, n, k, m, 0, 0);
  else
    factor_row(t, n, k, NULL, 0, 0);
}

/* Tells whether the columns of rows j and l have the same factors. */
static int same_factors(const cv_elliptic *a, int64_t j, int64_t l) {
  if (l < 0 || a->cells[0] || (a->mass && a->mass_scale != 0) || AXIS(a->w[1])[j] != AXIS(a->w[1])[l] ||
      AXIS(a->rh[1])[j] != AXIS(a->rh[1])[l] || AXIS(a->rh[1])[j - 1] != AXIS(a->rh[1])[l - 1])
    return 0;
  for (int64_t k = 0; k < a->box.n[2]; k++)
    if (mask_entry(&a->mask, j + k * a->box.n[1]) != mask_entry(&a->mask, l + k * a->box.n[1]))
      return 0;
  return 1;
}

/* The right side of row k, eliminated. */
INLINE void eliminate_row(line_tile *t, int64_t n, int64_t k, int periodic, int last) {
  const REAL *restrict r = t->residual, *restrict inverse = t->inverse + k * t->stride;
  const REAL *restrict below = t->above + (k - 1) * t->stride, *restrict to_last = t->last + k * t->stride;
  REAL *restrict x = t->x + k * t->stride, *restrict carried = t->carried, *restrict all = t->load;
  VECTORISE
  for (int64_t i = 0; i < n; i++) {
    const REAL s = r[i] + (k > 0 ? below[i] * carried[i] : 0) + (periodic && last ? all[i] : 0);
    carried[i] = s;
    x[i] = inverse[i] * s;
    if (periodic && !last)
      all[i] = (k > 0 ? all[i] : 0) + to_last[i] * s;
  }
}

/* Asks for a row, which no other read announces: the next row of a column is a plane away. */
INLINE void fetch_row(const REAL *p, int64_t n) {
  for (int64_t i = 0; i < n; i += line_width)
    __builtin_prefetch(p + i);
}

/* Eliminates the columns of row j from the lowest node up. */
static void line_down(const cv_sweep_args *v, line_tile *t, int64_t j, int periodic) {
  const int64_t n = v->a.box.n[0], nz = v->a.box.n[2];
  const int known = same_factors(&v->a, j, t->factored);
  for (int64_t k = 0; k < nz; k++) {
    if (!known)
      line_factor(&v->a, t, j, k, periodic);
    if (k + rows_ahead < nz) {
      const int64_t next = j * v->a.box.sy + (k + rows_ahead) * v->a.box.sz;
      fetch_row((const REAL *)v->f + next, n);
      if (v->u)
        fetch_row((const REAL *)v->u + next + v->a.box.sy, n);
    }
    line_residual(v, t, j, k);
    if (periodic)
      eliminate_row(t, n, k, 1, k == nz - 1);
    else if (k == 0)
      eliminate_row(t, n, 0, 0, 0);
    else
      eliminate_row(t, n, k, 0, 0);
  }
  t->factored = j;
}

/* Substitutes back from the top and stores U + omega x. */
static void line_up(const cv_sweep_args *v, const line_tile *t, int64_t j, int periodic, int stream) {
  const cv_box *b = &v->a.box;
  const int64_t n = b->n[0], nz = b->n[2];
  const REAL omega = v->omega, *restrict x_last = t->x + (nz - 1) * t->stride;
  for (int64_t k = nz - 1; k >= 0; k--) {
    const int64_t offset = j * b->sy + k * b->sz;
    REAL *restrict x = t->x + k * t->stride, *out = (REAL *)v->out + offset, *row = stream ? t->sweep.out : out;
    const REAL *restrict x_above = x + t->stride, *restrict above = t->above + k * t->stride;
    const REAL *u = (const REAL *)v->u + offset, *restrict to_last = t->last + k * t->stride;
    if (v->u && k >= rows_ahead)
      fetch_row(u - rows_ahead * b->sz, n);
    if (k < nz - 1)
      for (int64_t i = 0; i < n; i++)
        x[i] += above[i] * x_above[i];
    if (periodic && k < nz - 1)
      for (int64_t i = 0; i < n; i++)
        x[i] += to_last[i] * x_last[i];
    VECTORISE
    for (int64_t i = 0; i < n; i++)
      row[i] = v->u ? u[i] + omega * x[i] : omega * x[i];
    if (stream)
      stream_row(out, row, n);
  }
}

/* Tiles begin..end-1; tile (j,t), t the slower, has the columns t*tile.. of row j. */
static void line_smooth(const void *args, int64_t begin, int64_t end, char *scratch) {
  const cv_line_args *l = args;
  const int64_t nx = l->sweep.a.box.n[0], ny = l->sweep.a.box.n[1];
  for (int64_t p = begin; p < end;) {
    const int64_t first = p / ny * ny, x0 = p / ny * l->tile;
    const cv_sweep_args v = line_view(l, x0, smallest(l->tile, nx - x0));
    line_tile t = line_scratch(scratch, &v.a, l->periodic);
    for (; p < smallest(first + ny, end); p++) {
      line_down(&v, &t, p - first, l->periodic);
      line_up(&v, &t, p - first, l->periodic, l->sweep.stream);
    }
  }
  stream_end();
}
