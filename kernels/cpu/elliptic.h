/* The elliptic operator of kernels/doc.go on whole arrays: Apply, Residual, Smooth, RedBlack, MassUpdate. */
#include "constantrows.h"

/* The class of row (j,k), worked out unless the last row of its kind had the same widths. */
static row_class *class_of_row(const cv_elliptic *a, sweep_rows *s, int64_t j, int64_t k) {
  const int64_t ny = a->box.n[1], nz = a->box.n[2];
  const REAL *ry = AXIS(a->rh[1]), *rz = AXIS(a->rh[2]), *w = AXIS(a->w[0]);
  const REAL widths[6] = {ry[j - 1], ry[j], rz[k - 1], rz[k], AXIS(a->w[1])[j], AXIS(a->w[2])[k]};
  row_class *r = &s->classes[(ny > 1 && (j == 0 || j == ny - 1)) || k == 0 || k == nz - 1];
  int same = r->x == w;
  for (int i = 0; i < 6; i++)
    same &= r->widths[i] == widths[i];
  if (same)
    return r;
  r->x = w;
  memcpy(r->widths, widths, sizeof widths);
  for (int p = 0; p < weights_kept; p++)
    r->kept[p] = not_kept;
  r->mass = a->mass_scale * AXIS(a->w[1])[j] * AXIS(a->w[2])[k];
  if (a->points == 27)
    trilinear_class(a, j, k, r);
  else
    seven_class(a, j, k, r);
  return r;
}

/* omega/D on a row, zero on the other colour (colour 0 or 1: nodes of that parity; -1: all) and on fixed nodes; r is the
   class of a row of constant K, else NULL. What is kept under a number belongs to one omega and colour. */
static const REAL *row_weights(const cv_elliptic *a, sweep_rows *s, int p, REAL omega, row_class *r, mass_row mass,
                               int colour, int64_t entry) {
  const int64_t n = a->box.n[0];
  const REAL *rh = AXIS(a->rh[0]), *w = AXIS(a->w[0]), *d = s->diagonal;
  REAL *restrict weight = r ? r->weight[p] : s->classes[0].weight[p];
  if (r && r->kept[p] == entry && mass.m == w)
    return weight;
  if (!r) {
    for (int64_t i = 0; i < n; i++)
      weight[i] = point_weight(omega, d[i]);
  } else {
    for (int64_t i = 0; i < n; i++)
      weight[i] = point_weight(omega, (r->diagonal_x * (rh[i - 1] + rh[i]) + r->diagonal_w * w[i]) + mass.factor * mass.m[i]);
    r->kept[p] = mass.m == w ? entry : not_kept;
  }
  for (int64_t i = 1 - colour; colour >= 0 && i < n; i += 2)
    weight[i] = 0;
  if (entry == all_free)
    return weight;
  const REAL *m = mask_row(&a->mask, entry);
  for (int64_t i = 0; i < n; i++)
    weight[i] = m[i] != 0 ? weight[i] : 0;
  return weight;
}

/* Rows that are to be computed, one or more that are alike: where they lie and what they are made from. */
typedef struct {
  int64_t j, k, count;
  int64_t entry;         /* of the mask */
  const node_rows *rows; /* NULL: u is zero */
  const REAL *f;
  REAL *t;                               /* what becomes of them */
  int64_t rows_apart, f_apart, t_apart;  /* elements from one row to the next */
  REAL omega;
  int kept;               /* number under which weights for this omega and colour are kept */
  int colour;             /* -1: all nodes; 0, 1: those of this parity in x */
  int64_t ahead, f_ahead; /* elements by which reading runs ahead in the row above and in f; 0: not */
  const REAL *ask;        /* the first of as many rows, ask_apart elements apart, to ask memory for beside, or NULL */
  int64_t ask_apart;
  REAL *copy; /* of a residual: the first of as many rows, f_apart elements apart, to write u to besides, or NULL */
  int copy_stream;
} row_task;

/* What the rows of constant K have in common along x. */
INLINE int row_kind(const cv_elliptic *a, const sweep_rows *s, const row_class *r, mass_row mass, int weighted) {
  if (!s->uniform || a->box.n[0] <= line_width || mass.m != AXIS(a->w[0]))
    return graded;
  return r->even && !weighted ? uniform : uniform_x;
}

/* Asks for the rows of q->ask, and copies u to those of q->copy. */
static void ask_rows(const row_task *q, int64_t n) {
  for (int64_t row = 0; q->ask && row < q->count; row++)
    prefetch_row(q->ask + row * q->ask_apart, n);
}

static void copy_rows(const row_task *q, int64_t n) {
  for (int64_t row = 0; q->copy && row < q->count; row++)
    copy_row(q->copy + row * q->f_apart, q->rows->r[1][1] + row * q->rows_apart, n, q->copy_stream);
}

/* compute_rows of one row, from what faces conduct. */
static void compute_by_faces(int op, const cv_elliptic *a, sweep_rows *s, const row_task *q, mass_row mass, int stream) {
  const int64_t n = a->box.n[0];
  if (q->f_ahead) {
    const int64_t next = q->j * a->box.sy + q->k * a->box.sz + q->f_ahead;
    prefetch_row(q->f + q->f_ahead, n);
    for (int axis = 0; axis < 3; axis++)
      if (a->faces[axis])
        prefetch_row((const REAL *)a->faces[axis] + next, n);
  }
  faces_row(op, a, s, q->j, q->k, q->rows, q->f, mass, q->omega, q->entry == all_free ? NULL : mask_row(&a->mask, q->entry),
            stream ? s->out : q->t);
  if (stream)
    stream_row(q->t, s->out, n);
  ask_rows(q, n);
  copy_rows(q, n);
}

/* A u, F - A u or the relaxed u of rows that are not all fixed into t, which is streamed to if it is memory. Fixed nodes are as if
   free but for op_smooth and where all lie at walls (fixes_ends_only). Returns the weights of a sweep. */
static const REAL *compute_rows(int op, const cv_elliptic *a, sweep_rows *s, const row_task *q, int stream) {
  const int64_t n = a->box.n[0];
  const mass_row mass = row_mass(a, q->j, q->k);
  const int variable = a->cells[0] != NULL, shared = a->cells[0] == a->cells[1] && a->cells[0] == a->cells[2];
  if (goes_by_faces(a, q->colour >= 0)) {
    compute_by_faces(op, a, s, q, mass, stream);
    return NULL;
  }
  row_class *class = variable ? NULL : class_of_row(a, s, q->j, q->k);
  if (variable && a->points == 27)
    elements_row(a, s, q->rows, q->j, q->k, mass, op == op_smooth);
  else if (variable)
    variable_row(a, s, shared, q->j, q->k, q->rows, mass);
  const REAL *weight = NULL;
  int asked = 0, copied = 0; /* for the rows of q->ask, and to those of q->copy */
  if (op == op_smooth)
    weight = row_weights(a, s, q->kept, q->omega, class, mass, q->colour, q->entry);
  if (!q->rows) {
    for (int64_t row = 0; row < q->count; row++) {
      const REAL *restrict f = q->f + row * q->f_apart, *restrict factor = weight;
      REAL *restrict t = q->t + row * q->t_apart;
      prefetch_row(f + q->f_ahead, n);
      VECTORISE
      for (int64_t i = 0; i < n; i++)
        t[i] = factor[i] * f[i];
    }
  } else if (variable)
    finish_row(op, n, q->t, s->balance, q->rows->r[1][1], q->f, weight);
  else {
    const int ends_only = fixes_ends_only(a, s, q->entry);
    const constant_operands r = {.constants = class, .mass = mass, .rh = AXIS(a->rh[0]), .w = AXIS(a->w[0]),
                                 .rows = *q->rows, .f = q->f, .weight = weight,
                                 .keep = ends_only && q->entry != all_free ? mask_row(&a->mask, q->entry) : NULL,
                                 .t = q->t, .count = q->count, .rows_apart = q->rows_apart, .f_apart = q->f_apart,
                                 .t_apart = q->t_apart, .ahead = q->ahead, .f_ahead = q->f_ahead, .ask = q->ask, .ask_apart = q->ask_apart,
                                 .copy = q->copy, .copy_stream = q->copy_stream};
    const int kind = row_kind(a, s, class, mass, q->colour >= 0 || !ends_only);
    constant_rows_of(a->points, op, kind, stream, &r, s, n);
    asked = kind == uniform || (kind == uniform_x && a->points == 27);
    copied = kind == uniform && a->points == 7;
  }
  if (!asked)
    ask_rows(q, n);
  if (!copied)
    copy_rows(q, n);
  return weight;
}

/* Two sweeps from zero at once, with these omega, on q->count uniform rows whose neighbours in y and z are like them, from F, q->rows. */
static void compute_twice(const cv_elliptic *a, sweep_rows *s, const row_task *q, const double omega[2]) {
  const mass_row mass = row_mass(a, q->j, q->k);
  row_class *class = class_of_row(a, s, q->j, q->k);
  twice_operands r = {.constants = class, .rh = AXIS(a->rh[0]), .keep = q->entry != all_free ? mask_row(&a->mask, q->entry) : NULL,
                      .rows = *q->rows, .t = q->t, .count = q->count, .rows_apart = q->rows_apart, .t_apart = q->t_apart,
                      .ahead = q->ahead};
  for (int sweep = 0; sweep < 2; sweep++)
    r.weight[sweep] = row_weights(a, s, sweep, omega[sweep], class, mass, -1, q->entry)[1];
  seven_twice_rows(&r, a->box.n[0]);
}

/* Zero on the fixed nodes of a row of n. */
static void mask_out(const cv_mask *mask, int64_t entry, int64_t n, REAL *restrict t) {
  if (entry == all_free)
    return;
  const REAL *m = mask_row(mask, entry);
  for (int64_t i = 0; i < n; i++)
    t[i] *= m[i];
}

/* Rows of a sweep from (j,k) on, at most `most`; returns how many. What the vectors of constant_rows do not stream, and what has to
   be masked or chosen from, goes row by row by way of s->out. */
static int64_t sweep_rows_from(int op, const cv_sweep_args *args, sweep_rows *s, int64_t j, int64_t k, int64_t most) {
  const cv_elliptic *a = &args->a;
  const int64_t n = a->box.n[0], sy = a->box.sy, offset = j * sy + k * a->box.sz;
  const REAL *u = args->u ? (const REAL *)args->u + offset : NULL;
  REAL *out = (REAL *)args->out + offset;
  const node_rows rows = u ? rows_around(u, sy, a->box.sz) : (node_rows){0};
  row_task q = {.j = j, .k = k, .count = 1, .entry = mask_entry(&a->mask, j + k * a->box.n[1]),
                .rows = u ? &rows : NULL, .f = (const REAL *)args->f + offset, .t = s->out, .rows_apart = sy,
                .f_apart = sy, .t_apart = sy, .omega = args->omega, .ahead = (a->points == 27 ? trilinear_rows_ahead : rows_ahead) * sy,
                .f_ahead = op == op_apply ? 0 : rows_ahead * sy,
                .kept = op == op_red_black && ((j + k + args->colour) & 1),
                .colour = op == op_red_black ? (j + k + args->colour) & 1 : -1};
  const int single = op == op_residual && args->single;
  if (q.entry == all_fixed) {
    if (single)
      finish_single(args, q.entry, offset, NULL, NULL);
    else
      fixed_row(op, n, out, u);
    return 1;
  }
  if (op == op_red_black) {
    const REAL *weight = compute_rows(op_smooth, a, s, &q, 0);
    for (int64_t i = 0; i < n; i++)
      out[i] = weight[i] != 0 ? s->out[i] : out[i];
    return 1;
  }
  if (!single && !a->cells[0] && u && (op == op_smooth || fixes_ends_only(a, s, q.entry))) {
    q.count = rows_alike(a, j, k, most);
    q.t = out;
    compute_rows(op, a, s, &q, args->stream);
    return q.count;
  }
  compute_rows(op, a, s, &q, 0);
  if (single) {
    finish_single(args, q.entry, offset, s->out, s->balance);
    return 1;
  }
  if (op != op_smooth)
    mask_out(&a->mask, q.entry, n, s->out);
  copy_row(out, s->out, n, args->stream);
  return 1;
}

INLINE void sweep(int op, const cv_sweep_args *args, int64_t begin, int64_t end, char *scratch) {
  sweep_rows s = sweep_scratch(scratch, &args->a);
  FOR_ROWS(args->a.box.n[1], begin, end, args->strip)
    j += sweep_rows_from(op, args, &s, j, k, j_end - j) - 1;
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

/* Σ x A x, and A x if it has a place: x is zero at fixed nodes, which are computed as if free. */
static void energy(const void *args, int64_t begin, int64_t end, char *scratch) {
  const cv_energy_args *e = args;
  const cv_elliptic *a = &e->a;
  const int64_t n = a->box.n[0], sy = a->box.sy, ny = a->box.n[1];
  sweep_rows s = sweep_scratch(scratch, a);
  double *restrict t = double_row(&s.end, n);
  FOR_ROWS(ny, begin, end, e->strip) {
    const int64_t row = j + k * ny, entry = mask_entry(&a->mask, row);
    const int64_t offset = j * sy + k * a->box.sz;
    REAL *const out = e->image ? (REAL *)e->image + offset : NULL;
    e->partial[row] = 0;
    if (entry == all_fixed) {
      if (out)
        fixed_row(op_apply, n, out, NULL);
      continue;
    }
    const REAL *restrict x = (const REAL *)e->x + offset, *image = s.out;
    const node_rows rows = rows_around(x, sy, a->box.sz);
    const row_task q = {.j = j, .k = k, .count = 1, .entry = entry, .rows = &rows, .t = s.out, .rows_apart = sy, .f_apart = sy, .t_apart = sy,
                        .ahead = rows_ahead * sy, .colour = -1};
    compute_rows(op_apply, a, &s, &q, 0);
    VECTORISE
    for (int64_t i = 0; i < n; i++)
      t[i] = (double)x[i] * image[i];
    e->partial[row] = row_sum(t, n);
    if (out) {
      mask_out(&a->mask, entry, n, s.out);
      copy_row(out, s.out, n, e->stream);
    }
  }
  stream_end();
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

/* F of Predict but for what G conducts, of T, TPrev, N, NPrev, Source and G; partial: of each row the sum of (G - T)^2 over free nodes. */
static void predict(const void *args, int64_t begin, int64_t end, char *scratch) {
  const cv_step_args *s = args;
  const int64_t n = s->a.box.n[0], ny = s->a.box.n[1];
  const REAL a0 = s->a0, a2 = s->a2, e1 = s->e1, e2 = s->e2;
  double *restrict terms = double_row(&scratch, n);
  for (int64_t r = begin; r < end; r++) {
    const int64_t j = r % ny, k = r / ny, offset = j * s->a.box.sy + k * s->a.box.sz;
    const REAL *restrict t = (const REAL *)s->t + offset, *restrict before = (const REAL *)s->t_prev + offset, *restrict g = (const REAL *)s->g + offset;
    const REAL *restrict carried = (const REAL *)s->n + offset, *restrict carried_before = (const REAL *)s->n_prev + offset;
    REAL *restrict f = (REAL *)s->f + offset;
    const mass_row mass = row_mass(&s->a, j, k);
    for (int64_t i = 0; i < n; i++)
      f[i] = (e1 * carried[i] + e2 * carried_before[i]) - mass.factor * mass.m[i] * (a0 * (g[i] - t[i]) - a2 * (t[i] - before[i]));
    if (s->source) {
      const REAL *restrict source = (const REAL *)s->source + offset;
      for (int64_t i = 0; i < n; i++)
        f[i] += source[i];
    }
    if (!s->partial)
      continue;
    const int64_t entry = mask_entry(&s->a.mask, r);
    s->partial[r] = 0;
    if (entry == all_fixed)
      continue;
    for (int64_t i = 0; i < n; i++)
      terms[i] = (double)(g[i] - t[i]) * (g[i] - t[i]);
    if (entry != all_free) {
      const REAL *m = mask_row(&s->a.mask, entry);
      for (int64_t i = 0; i < n; i++)
        terms[i] = m[i] != 0 ? terms[i] : 0;
    }
    s->partial[r] = row_sum(terms, n);
  }
}

/* X += U + mask R / (s m), X is g. */
static void conserve(const void *args, int64_t begin, int64_t end, char *scratch) {
  const cv_step_args *s = args;
  const int64_t n = s->a.box.n[0], ny = s->a.box.n[1];
  (void)scratch;
  for (int64_t row = begin; row < end; row++) {
    const int64_t j = row % ny, k = row / ny, offset = j * s->a.box.sy + k * s->a.box.sz;
    const int64_t entry = mask_entry(&s->a.mask, row);
    REAL *restrict x = (REAL *)s->g + offset;
    const REAL *restrict u = (const REAL *)s->u + offset, *restrict r = (const REAL *)s->r + offset;
    const mass_row mass = row_mass(&s->a, j, k);
    if (entry == all_fixed) {
      for (int64_t i = 0; i < n; i++)
        x[i] += u[i];
    } else if (entry == all_free) {
      for (int64_t i = 0; i < n; i++)
        x[i] += u[i] + r[i] * point_weight(1, mass.factor * mass.m[i]);
    } else {
      const REAL *m = mask_row(&s->a.mask, entry);
      for (int64_t i = 0; i < n; i++)
        x[i] += u[i] + m[i] * r[i] * point_weight(1, mass.factor * mass.m[i]);
    }
  }
}
