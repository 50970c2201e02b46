/* LineSmooth: vertical lines solved exactly, Out = U + omega T^-1 (F - A U), T the vertical tridiagonal part of A.

   Every node is eliminated from below, as a node of a network of conductors is: with conductance g to the node above
   and s to everything below and beside (to ground), its elimination leaves g s / (g + s) between the node above and
   ground. There is no difference in it, so that T may be as near to singular as it likes. A tile of columns is
   eliminated row by row; what the way back needs stays in the thread's scratch memory. */

/* What one thread keeps of one tile of columns. */
typedef struct {
  sweep_rows sweep;
  REAL *residual, *excess, *edge; /* of the row that is eliminated: F - A U, what ties it beside its column */
  REAL *lower, *upper;            /* conductances of the faces below and above */
  REAL *passed;                   /* conductance to ground that the row below left */
  REAL *wrap, *tie, *load;        /* periodic: conductance to the last node; what the last node gets in all */
  REAL *x, *above, *last;         /* per row: x = x + above x_above + last x_last, `stride` apart */
  int64_t stride;
} line_tile;

static line_tile line_scratch(char *scratch, const cv_elliptic *a, int periodic) {
  const int64_t n = a->box.n[0], nz = a->box.n[2];
  line_tile t = {.stride = (n + 15) / 16 * 16};
  REAL **rows[] = {&t.residual, &t.excess, &t.edge, &t.lower, &t.upper, &t.passed, &t.wrap, &t.tie, &t.load};
  for (size_t r = 0; r < sizeof rows / sizeof *rows; r++)
    *rows[r] = real_row(&scratch, n);
  t.x = (REAL *)scratch;
  t.above = t.x + nz * t.stride;
  t.last = periodic ? t.above + nz * t.stride : NULL;
  t.sweep = sweep_scratch((char *)(t.x + (periodic ? 3 : 2) * nz * t.stride), a);
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

/* Conductances of the faces above row (j,k). */
static void line_upper(const cv_elliptic *a, int64_t j, int64_t k, REAL *restrict g) {
  const REAL rz = AXIS(a->rh[2])[k];
  edge_row(a, 2, 1, j, k, NULL, g);
  for (int64_t i = 0; i < a->box.n[0]; i++)
    g[i] *= rz;
}

/* The diagonal of A without the vertical conductances, on row (j,k). */
static void line_excess(const cv_elliptic *a, int64_t j, int64_t k, REAL *restrict edge, REAL *restrict excess) {
  const int64_t n = a->box.n[0];
  const REAL *rh = AXIS(a->rh[0]), *ry = AXIS(a->rh[1]);
  const mass_row mass = row_mass(a, j, k);
  edge_row(a, 0, 1, j, k, NULL, edge);
  for (int64_t i = 0; i < n; i++)
    excess[i] = (rh[i - 1] * edge[i - 1] + rh[i] * edge[i]) + mass.factor * mass.m[i];
  for (int side = 0; a->box.sy && side < 2; side++) {
    const REAL r = ry[j - 1 + side];
    edge_row(a, 1, 1, j - 1 + side, k, NULL, edge);
    for (int64_t i = 0; i < n; i++)
      excess[i] += r * edge[i];
  }
}

/* Mask (F - A U) on row (j,k). */
static void line_residual(const cv_sweep_args *v, line_tile *t, int64_t j, int64_t k) {
  const int64_t n = v->a.box.n[0], offset = j * v->a.box.sy + k * v->a.box.sz;
  if (v->u) {
    cv_sweep_args row = *v;
    row.out = (void *)((uintptr_t)t->residual - offset * sizeof(REAL));
    sweep_row(op_residual, &row, &t->sweep, j, k);
    return;
  }
  memcpy(t->residual, (const REAL *)v->f + offset, n * sizeof(REAL));
}

/* Eliminates row (j,k), mask m (NULL: all free). A fixed node grounds its neighbours and stays zero. */
INLINE void eliminate(line_tile *t, int64_t n, int64_t k, const REAL *restrict m, int periodic, int last) {
  const REAL *restrict r = t->residual, *restrict excess = t->excess, *restrict lower = t->lower;
  const REAL *restrict upper = t->upper, *restrict below = t->x + (k > 0 ? k - 1 : 0) * t->stride;
  REAL *restrict x = t->x + k * t->stride, *restrict above = t->above + k * t->stride;
  REAL *restrict to_last = periodic ? t->last + k * t->stride : NULL;
  REAL *restrict passed = t->passed, *restrict wrap = t->wrap, *restrict tie = t->tie, *restrict load_ = t->load;
  VECTORISE
  for (int64_t i = 0; i < n; i++) {
    const REAL g = periodic && last ? 0 : upper[i], ground = excess[i] + passed[i] + (periodic && last ? tie[i] : 0);
    const REAL c = periodic && !last ? wrap[i] : 0, pivot = (g + c) + ground;
    const REAL inverse = m && m[i] == 0 ? 0 : point_weight(1, pivot);
    const REAL share = m && m[i] == 0 ? 1 : ground * inverse;
    const REAL value = inverse * (r[i] + (k > 0 ? lower[i] * below[i] : 0) + (periodic && last ? load_[i] : 0));
    x[i] = value;
    above[i] = g * inverse;
    passed[i] = g * share;
    if (periodic && !last) {
      to_last[i] = c * inverse;
      tie[i] += c * share;
      load_[i] += c * value;
      wrap[i] = c * above[i];
    }
  }
}

/* Eliminates the rows of column tile (., j). */
static void line_down(const cv_sweep_args *v, line_tile *t, int64_t j, int periodic) {
  const cv_elliptic *a = &v->a;
  const int64_t n = a->box.n[0], nz = a->box.n[2];
  memset(t->passed, 0, n * sizeof(REAL));
  if (periodic) {
    line_upper(a, j, -1, t->wrap);
    memset(t->tie, 0, n * sizeof(REAL));
    memset(t->load, 0, n * sizeof(REAL));
  }
  for (int64_t k = 0; k < nz; k++) {
    const int64_t entry = mask_entry(&a->mask, j + k * a->box.n[1]);
    const REAL *m = entry == all_free ? NULL : mask_row(&a->mask, entry);
    line_upper(a, j, k, t->upper);
    line_excess(a, j, k, t->edge, t->excess);
    line_residual(v, t, j, k);
    if (!periodic && !m)
      eliminate(t, n, k, NULL, 0, 0);
    else if (!periodic)
      eliminate(t, n, k, m, 0, 0);
    else
      eliminate(t, n, k, m, 1, k == nz - 1);
    REAL *swap = t->lower;
    t->lower = t->upper;
    t->upper = swap;
  }
}

/* Substitutes back from the top and stores U + omega x. */
static void line_up(const cv_sweep_args *v, const line_tile *t, int64_t j, int periodic, int stream) {
  const cv_box *b = &v->a.box;
  const int64_t n = b->n[0], nz = b->n[2];
  const REAL omega = v->omega, *restrict x_last = t->x + (nz - 1) * t->stride;
  for (int64_t k = nz - 1; k >= 0; k--) {
    const int64_t offset = j * b->sy + k * b->sz;
    REAL *restrict x = t->x + k * t->stride, *out = (REAL *)v->out + offset, *row = stream ? t->sweep.out : out;
    const REAL *x_above = x + t->stride, *above = t->above + k * t->stride, *u = (const REAL *)v->u + offset;
    if (k < nz - 1)
      for (int64_t i = 0; i < n; i++)
        x[i] += above[i] * x_above[i];
    if (periodic && k < nz - 1) {
      const REAL *restrict to_last = t->last + k * t->stride;
      for (int64_t i = 0; i < n; i++)
        x[i] += to_last[i] * x_last[i];
    }
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
  for (int64_t p = begin; p < end; p++) {
    const int64_t x0 = p / ny * l->tile;
    const cv_sweep_args v = line_view(l, x0, smallest(l->tile, nx - x0));
    line_tile t = line_scratch(scratch, &v.a, l->periodic);
    line_down(&v, &t, p % ny, l->periodic);
    line_up(&v, &t, p % ny, l->periodic, l->sweep.stream);
  }
  stream_end();
}
