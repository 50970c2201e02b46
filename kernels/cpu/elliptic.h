/* The elliptic operator of kernels/doc.go on whole arrays: Apply, Residual, Smooth, RedBlack, MassUpdate. */
#include "sevenpoint.h"

/* A row that is to be computed: where it lies and what it is made from. */
typedef struct {
  int64_t j, k, entry;   /* entry of the mask */
  const node_rows *rows; /* NULL: u is zero */
  const REAL *f;
  REAL omega;
  int kept;      /* number under which weights for this omega and colour are kept */
  int colour;    /* -1: all nodes; 0, 1: those of this parity in x */
  int64_t ahead, f_ahead; /* elements by which reading runs ahead in the row above and in f; 0: not */
} row_task;

/* The operands of a row of constant K but for what is read: rows, f and weight. */
INLINE void set_constant_operands(constant_operands *r, const cv_elliptic *a, int64_t j, int64_t k, mass_row mass) {
  const row_coefficients c = constant_coefficients(a, j, k, mass.factor);
  const REAL *rh = AXIS(a->rh[0]), *w = AXIS(a->w[0]);
  r->c = c;
  r->inner = (row_coefficients){c.x * rh[1],    w[1] * c.y_low,  w[1] * c.y_high,
                                w[1] * c.z_low, w[1] * c.z_high, w[1] * c.mass};
  r->m = mass.m;
  r->rh = rh;
  r->w = w;
}

/* What the rows of constant K have in common along x. */
INLINE int row_kind(const sweep_rows *s, const constant_operands *r, int masked) {
  if (!s->uniform || r->m != r->w)
    return graded;
  return r->c.y_low == r->c.y_high && r->c.z_low == r->c.z_high && !masked ? uniform : uniform_x;
}

/* A u, F - A u or the relaxed u of a row that is not all fixed into t, which is streamed to if it is memory. Fixed nodes are
   as if free but for op_smooth. Returns the weights of a sweep. */
static const REAL *compute_row(int op, const cv_elliptic *a, sweep_rows *s, const row_task *q, int stream, REAL *t) {
  const int64_t n = a->box.n[0];
  const mass_row mass = row_mass(a, q->j, q->k);
  constant_operands r; /* not cleared: that costs as much as 50 nodes */
  set_constant_operands(&r, a, q->j, q->k, mass);
  r.weight = NULL;
  const int variable = a->cells[0] != NULL, shared = a->cells[0] == a->cells[1] && a->cells[0] == a->cells[2];
  if (variable)
    variable_row(a, s, shared, q->j, q->k, q->rows, mass);
  if (op == op_smooth)
    r.weight = row_weights(a, s, q->kept, q->omega, r.c, mass, q->colour, q->entry);
  if (!q->rows) {
    const REAL *restrict f = q->f, *restrict weight = r.weight;
    prefetch_row(f + q->f_ahead, n);
    VECTORISE
    for (int64_t i = 0; i < n; i++)
      t[i] = weight[i] * f[i];
  } else if (variable)
    finish_row(op, n, t, s->balance, q->rows->r[1][1], q->f, r.weight);
  else {
    r.rows = *q->rows;
    r.f = q->f;
    r.ahead = q->ahead;
    r.f_ahead = op == op_apply ? 0 : q->f_ahead;
    constant_row_of(op, row_kind(s, &r, q->colour >= 0 || q->entry != all_free), stream, t, &r, n);
  }
  return r.weight;
}

/* Zero on the fixed nodes of a row. */
static void mask_out(const cv_elliptic *a, int64_t entry, REAL *restrict t) {
  if (entry == all_free)
    return;
  const REAL *m = mask_row(&a->mask, entry);
  for (int64_t i = 0; i < a->box.n[0]; i++)
    t[i] *= m[i];
}

/* A row of a sweep. What the vectors of constant_row do not stream, and what has to be masked or chosen from, goes by way
   of s->out. */
static void sweep_row(int op, const cv_sweep_args *args, sweep_rows *s, int64_t j, int64_t k) {
  const cv_elliptic *a = &args->a;
  const int64_t n = a->box.n[0], offset = j * a->box.sy + k * a->box.sz;
  const REAL *u = args->u ? (const REAL *)args->u + offset : NULL;
  REAL *out = (REAL *)args->out + offset;
  const node_rows rows = u ? rows_around(u, a->box.sy, a->box.sz) : (node_rows){0};
  const row_task q = {.j = j, .k = k, .entry = mask_entry(&a->mask, j + k * a->box.n[1]), .rows = u ? &rows : NULL,
                      .f = (const REAL *)args->f + offset, .omega = args->omega, .ahead = rows_ahead * a->box.sy,
                      .f_ahead = rows_ahead * a->box.sy,
                      .kept = op == op_red_black && ((j + k + args->colour) & 1),
                      .colour = op == op_red_black ? (j + k + args->colour) & 1 : -1};
  const int single = op == op_residual && args->single;
  if (q.entry == all_fixed) {
    if (single)
      finish_single(args, q.entry, offset, NULL, NULL);
    else
      fixed_row(op, n, out, u);
    return;
  }
  if (op == op_red_black) {
    const REAL *weight = compute_row(op_smooth, a, s, &q, 0, s->out);
    for (int64_t i = 0; i < n; i++)
      out[i] = weight[i] != 0 ? s->out[i] : out[i];
    return;
  }
  if (!single && !a->cells[0] && u && (op == op_smooth || q.entry == all_free)) {
    compute_row(op, a, s, &q, args->stream, out);
    return;
  }
  compute_row(op, a, s, &q, 0, s->out);
  if (single) {
    finish_single(args, q.entry, offset, s->out, s->balance);
    return;
  }
  if (op != op_smooth)
    mask_out(a, q.entry, s->out);
  if (args->stream)
    stream_row(out, s->out, n);
  else
    memcpy(out, s->out, n * sizeof(REAL));
}

INLINE void sweep(int op, const cv_sweep_args *args, int64_t begin, int64_t end, char *scratch) {
  sweep_rows s = sweep_scratch(scratch, &args->a);
  FOR_ROWS(args->a.box.n[1], begin, end, args->strip)
    sweep_row(op, args, &s, j, k);
  stream_end();
}

static void apply(const void *args, int64_t begin, int64_t end, char *scratch) {
  sweep(op_apply, args, begin, end, scratch);
}

static void residual(const void *args, int64_t begin, int64_t end, char *scratch) {
  sweep(op_residual, args, begin, end, scratch);
}

static void smooth(const void *args, int64_t begin, int64_t end, char *scratch) {
  sweep(op_smooth, args, begin, end, scratch);
}

static void red_black(const void *args, int64_t begin, int64_t end, char *scratch) {
  sweep(op_red_black, args, begin, end, scratch);
}

/* U += mask R / (s m), R is f. */
static void mass_update(const void *args, int64_t begin, int64_t end, char *scratch) {
  const cv_sweep_args *s = args;
  const int64_t n = s->a.box.n[0], ny = s->a.box.n[1];
  (void)scratch;
  for (int64_t r = begin; r < end; r++) {
    const int64_t j = r % ny, k = r / ny, offset = j * s->a.box.sy + k * s->a.box.sz;
    const int64_t entry = mask_entry(&s->a.mask, r);
    REAL *restrict u = (REAL *)s->out + offset;
    const REAL *restrict f = (const REAL *)s->f + offset;
    const mass_row mass = row_mass(&s->a, j, k);
    if (entry == all_fixed)
      continue;
    if (entry == all_free) {
      for (int64_t i = 0; i < n; i++)
        u[i] += f[i] * point_weight(1, mass.factor * mass.m[i]);
      continue;
    }
    const REAL *m = mask_row(&s->a.mask, entry);
    for (int64_t i = 0; i < n; i++)
      u[i] += m[i] * f[i] * point_weight(1, mass.factor * mass.m[i]);
  }
}
