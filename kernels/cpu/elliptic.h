/* The elliptic operator of kernels/doc.go on whole arrays: Apply, Residual, Smooth, RedBlack, MassUpdate. */
#include "sevenpoint.h"

/* One row by way of s->out, which becomes t: masks, other colours and variable K need it, and streaming what the vectors
   of constant_row do not. */
INLINE void finish_out(int op, const cv_elliptic *a, int64_t entry, int stream, REAL *out, const REAL *restrict t,
                       const REAL *weight) {
  const int64_t n = a->box.n[0];
  if (op == op_red_black) {
    for (int64_t i = 0; i < n; i++)
      out[i] = weight[i] != 0 ? t[i] : out[i];
    return;
  }
  if (op != op_smooth && entry != all_free) {
    const REAL *m = mask_row(&a->mask, entry);
    for (int64_t i = 0; i < n; i++)
      ((REAL *)t)[i] *= m[i];
  }
  if (stream)
    stream_row(out, t, n);
  else
    memcpy(out, t, n * sizeof(REAL));
}

/* The operands of a row of constant K but for what is read: rows, f and weight. */
static constant_operands constant_row_operands(const cv_elliptic *a, int64_t j, int64_t k, mass_row mass) {
  const row_coefficients c = constant_coefficients(a, j, k, mass.factor);
  const REAL *rh = AXIS(a->rh[0]), *w = AXIS(a->w[0]);
  return (constant_operands){.c = c,
                             .inner = {c.x * rh[1], w[1] * c.y_low, w[1] * c.y_high, w[1] * c.z_low, w[1] * c.z_high,
                                       w[1] * c.mass},
                             .m = mass.m, .rh = rh, .w = w};
}

/* What the rows of constant K have in common along x. */
INLINE int row_kind(const sweep_rows *s, const constant_operands *r, int masked) {
  if (!s->uniform || r->m != r->w)
    return graded;
  return r->c.y_low == r->c.y_high && r->c.z_low == r->c.z_high && !masked ? uniform : uniform_x;
}

static void sweep_row(int op, const cv_sweep_args *args, sweep_rows *s, int64_t j, int64_t k) {
  const cv_elliptic *a = &args->a;
  const int64_t n = a->box.n[0], offset = j * a->box.sy + k * a->box.sz;
  const REAL *u = args->u ? (const REAL *)args->u + offset : NULL, *f = (const REAL *)args->f + offset;
  REAL *out = (REAL *)args->out + offset;
  const int64_t entry = mask_entry(&a->mask, j + k * a->box.n[1]);
  if (entry == all_fixed) {
    if (op == op_residual && args->single)
      finish_single(args, entry, offset, NULL, NULL);
    else
      fixed_row(op, n, out, u);
    return;
  }
  const mass_row mass = row_mass(a, j, k);
  constant_operands r = constant_row_operands(a, j, k, mass);
  const int variable = a->cells[0] != NULL, kind = op == op_red_black ? op_smooth : op;
  if (u)
    r.rows = rows_around(u, a->box.sy, a->box.sz);
  if (variable)
    variable_row(a, s, a->cells[0] == a->cells[1] && a->cells[0] == a->cells[2], j, k, u ? &r.rows : NULL, mass);
  if (op >= op_smooth) {
    const int colour = op == op_red_black ? (j + k + args->colour) & 1 : -1;
    r.weight = row_weights(a, s, colour > 0, args->omega, r.c, mass, colour, entry);
  }
  const int direct = !args->single && !variable && u && op != op_red_black && (op == op_smooth || entry == all_free);
  REAL *t = direct ? out : s->out;
  if (!u)
    for (int64_t i = 0; i < n; i++)
      t[i] = r.weight[i] * f[i];
  else if (variable)
    finish_row(kind, n, t, s->balance, u, f, r.weight);
  else {
    r.f = f;
    r.ahead = rows_ahead * a->box.sy;
    r.f_ahead = op == op_apply ? 0 : r.ahead;
    constant_row_of(kind, row_kind(s, &r, op == op_red_black || entry != all_free), direct && args->stream, t, &r, n);
  }
  if (op == op_residual && args->single)
    finish_single(args, entry, offset, s->out, s->balance);
  else if (!direct)
    finish_out(op, a, entry, args->stream, out, t, r.weight);
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
