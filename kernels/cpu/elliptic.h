/* The elliptic operator of kernels/doc.go: Apply, Residual, Smooth, RedBlack, MassUpdate. */
#include "conductivity.h"

enum { op_apply, op_residual, op_smooth, op_red_black };

/* What one thread keeps between rows. */
typedef struct {
  REAL *balance, *diagonal, *edge; /* A u and D of a row of variable K, conductances in x */
  REAL *weight[2];                 /* omega/D of a row, for each parity of red-black */
  row_coefficients key[2];         /* the coefficients that gave it */
  int kept[2];
  REAL *masked; /* weight times mask */
  REAL *out;    /* a row on its way to memory */
  int uniform;  /* all cells of the row have one width */
} sweep_rows;

static sweep_rows sweep_scratch(char *scratch, const cv_elliptic *a) {
  const int64_t n = a->box.n[0];
  sweep_rows s = {.uniform = n > 2};
  for (int64_t i = 1; i < n - 1; i++)
    s.uniform &= AXIS(a->rh[0])[i] == AXIS(a->rh[0])[0];
  s.balance = real_row(&scratch, n);
  s.diagonal = real_row(&scratch, n);
  s.edge = real_row(&scratch, n);
  s.weight[0] = real_row(&scratch, n);
  s.weight[1] = real_row(&scratch, n);
  s.masked = real_row(&scratch, n);
  s.out = real_row(&scratch, n);
  return s;
}

/* The nodal mass of a row is factor * m[i]. */
typedef struct {
  REAL factor;
  const REAL *m;
} mass_row;

static mass_row row_mass(const cv_elliptic *a, int64_t j, int64_t k) {
  if (a->mass && a->mass_scale != 0)
    return (mass_row){a->mass_scale, (const REAL *)a->mass + j * a->box.sy + k * a->box.sz};
  return (mass_row){a->mass_scale * AXIS(a->w[1])[j] * AXIS(a->w[2])[k], a->w[0]};
}

static row_coefficients constant_coefficients(const cv_elliptic *a, int64_t j, int64_t k, REAL mass) {
  const REAL *ry = AXIS(a->rh[1]), *rz = AXIS(a->rh[2]);
  const double wy = AXIS(a->w[1])[j], wz = AXIS(a->w[2])[k];
  return (row_coefficients){
      .x = a->k[0] * wy * wz,
      .y_low = a->k[1] * wz * ry[j - 1],
      .y_high = a->k[1] * wz * ry[j],
      .z_low = a->k[2] * wy * rz[k - 1],
      .z_high = a->k[2] * wy * rz[k],
      .mass = mass,
  };
}

/* A u (unless u is NULL) and D of a row of variable K into s. `shared`: one K for all directions. */
static void variable_row(const cv_elliptic *a, const sweep_rows *s, int shared, int64_t j, int64_t k,
                         const REAL *restrict u, mass_row mass) {
  const int64_t n = a->box.n[0], sy = a->box.sy, sz = a->box.sz;
  const REAL *h = AXIS(a->h[0]), *rh = AXIS(a->rh[0]), *hy = AXIS(a->h[1]), *hz = AXIS(a->h[2]);
  const REAL *ry = AXIS(a->rh[1]), *rz = AXIS(a->rh[2]), *restrict m = mass.m;
  const cell_rows x = cells_around(a, 0, j, k);
  const cell_rows y = shared ? x : cells_around(a, 1, j, k), z = shared ? x : cells_around(a, 2, j, k);
  const REAL *y00 = y.r[0][0], *y10 = y.r[1][0], *y01 = y.r[0][1], *y11 = y.r[1][1];
  const REAL *z00 = shared ? y00 : z.r[0][0], *z10 = shared ? y10 : z.r[1][0];
  const REAL *z01 = shared ? y01 : z.r[0][1], *z11 = shared ? y11 : z.r[1][1];
  REAL *restrict g = s->edge, *restrict balance = s->balance, *restrict diagonal = s->diagonal;
  const REAL f = mass.factor;

  edge_row(a, 0, 1, j, k, NULL, g);
  for (int64_t i = -1; i < n; i++)
    g[i] *= rh[i];

  const double quarter_yl = 0.25 * ry[j - 1], quarter_yh = 0.25 * ry[j];
  const double quarter_zl = 0.25 * rz[k - 1], quarter_zh = 0.25 * rz[k];
  const REAL yl0 = quarter_yl * hz[k - 1], yl1 = quarter_yl * hz[k], yh0 = quarter_yh * hz[k - 1];
  const REAL yh1 = quarter_yh * hz[k], zl0 = quarter_zl * hy[j - 1], zl1 = quarter_zl * hy[j];
  const REAL zh0 = quarter_zh * hy[j - 1], zh1 = quarter_zh * hy[j];
#define CONDUCTANCES                                                                                                  \
  REAL yl = yl0 * beside(y00, h, i) + yl1 * beside(y01, h, i), yh = yh0 * beside(y10, h, i) + yh1 * beside(y11, h, i); \
  REAL zl = zl0 * beside(z00, h, i) + zl1 * beside(z10, h, i), zh = zh0 * beside(z01, h, i) + zh1 * beside(z11, h, i); \
  diagonal[i] = ((g[i - 1] + g[i]) + ((yl + yh) + (zl + zh))) + f * m[i]
  if (!u) {
    VECTORISE
    for (int64_t i = 0; i < n; i++) {
      CONDUCTANCES;
    }
    return;
  }
  VECTORISE
  for (int64_t i = 0; i < n; i++) {
    CONDUCTANCES;
    REAL bx = g[i - 1] * (u[i] - u[i - 1]) + g[i] * (u[i] - u[i + 1]);
    REAL by = yl * (u[i] - u[i - sy]) + yh * (u[i] - u[i + sy]);
    REAL bz = zl * (u[i] - u[i - sz]) + zh * (u[i] - u[i + sz]);
    balance[i] = (bx + (by + bz)) + f * m[i] * u[i];
  }
#undef CONDUCTANCES
}

/* omega/D on a row, zero on the other colour (colour 0 or 1: nodes of that parity; -1: all) and on fixed nodes. */
static const REAL *row_weights(const cv_elliptic *a, sweep_rows *s, REAL omega, row_coefficients c, mass_row mass,
                               int colour, int64_t entry) {
  const int64_t n = a->box.n[0];
  const REAL *rh = AXIS(a->rh[0]), *w = AXIS(a->w[0]), *d = s->diagonal;
  const int p = colour > 0, variable = a->cells[0] != NULL;
  REAL *restrict weight = s->weight[p];
  if (variable) {
    for (int64_t i = 0; i < n; i++)
      weight[i] = point_weight(omega, d[i]);
  } else if (!s->kept[p] || mass.m != w || memcmp(&s->key[p], &c, sizeof c)) {
    for (int64_t i = 0; i < n; i++)
      weight[i] = point_weight(omega, point_diagonal(c, rh[i - 1], rh[i], w[i], mass.m[i]));
    s->kept[p] = 1;
    s->key[p] = c;
  } else
    colour = -1;
  for (int64_t i = 1 - colour; colour >= 0 && i < n; i += 2)
    weight[i] = 0;
  if (entry == all_free)
    return weight;
  const REAL *m = mask_row(&a->mask, entry);
  for (int64_t i = 0; i < n; i++)
    s->masked[i] = m[i] != 0 ? weight[i] : 0;
  return s->masked;
}

/* What becomes of nodes, given A u (b), u, f and the weights of the row; of vectors or of single nodes. */
#define FINISH(op, b, u, f, weight)                                                                                   \
  ((op) == op_apply ? (b) : (op) == op_residual ? (f) - (b) : (u) + (weight) * ((f) - (b)))

/* What the nodes of a row of constant K are computed from. */
typedef struct {
  row_coefficients c, inner;               /* in general; where x is uniform: with wx and 1/hx */
  const REAL *u, *f, *weight, *m, *rh, *w; /* not all are read for every op */
  int64_t sy, sz;
} constant_operands;

/* The nodes l.. of a row as one vector. `uniform`: their cells have one width and their mass is the dual volume. */
INLINE vector constant_vector(int op, int uniform, const constant_operands *r, int64_t l) {
  const REAL *u = r->u + l;
  const row_coefficients c = uniform ? r->inner : r->c;
  const vector v = load(u), left = v - load(u - 1), right = v - load(u + 1);
  const vector y = c.y_low * (v - load(u - r->sy)) + c.y_high * (v - load(u + r->sy));
  const vector z = c.z_low * (v - load(u - r->sz)) + c.z_high * (v - load(u + r->sz));
  vector b;
  if (uniform)
    b = (c.x * (left + right) + (y + z)) + c.mass * v;
  else
    b = (c.x * (load(r->rh + l - 1) * left + load(r->rh + l) * right) + load(r->w + l) * (y + z)) +
        c.mass * load(r->m + l) * v;
  return FINISH(op, b, v, load(r->f + l), load(r->weight + l));
}

/* The nodes i.. of a row as one cache line. */
INLINE void constant_line(int op, int uniform, int stream, REAL *t, const constant_operands *r, int64_t i) {
#pragma GCC unroll 4
  for (int64_t l = 0; l < line_width; l += vector_width)
    store(stream, t + l, constant_vector(op, uniform, r, i + l));
}

/* A row of constant K. With `uniform` all lines but the first and the last share their coefficients. The last line is
   computed whole, on whatever lies beyond the nodes, and its nodes are stored. */
INLINE void constant_row(int op, int uniform, int stream, REAL *t, const constant_operands *r, int64_t n) {
  const int64_t ahead = rows_ahead * r->sy;
  REAL rest[line_width] __attribute__((aligned(64)));
  int64_t i = 0;
  if (n > line_width)
    constant_line(op, 0, stream, t, r, i);
  for (i = line_width; i + line_width < n; i += line_width) {
    __builtin_prefetch(r->u + i + r->sz + ahead);
    if (op != op_apply)
      __builtin_prefetch(r->f + i + ahead);
    constant_line(op, uniform, stream, t + i, r, i);
  }
  if (n <= line_width)
    i = 0;
  constant_line(op, 0, 0, rest, r, i);
  memcpy(t + i, rest, (n - i) * sizeof(REAL));
}

/* A row of variable K, from its A u. */
INLINE void finish_row(int op, int64_t n, REAL *t, const REAL *b, const REAL *u, const REAL *f, const REAL *weight) {
  VECTORISE
  for (int64_t i = 0; i < n; i++)
    t[i] = FINISH(op, b[i], u[i], f[i], weight[i]);
}

/* A row of fixed nodes. */
INLINE void fixed_row(int op, int64_t n, REAL *out, const REAL *u) {
  if (op == op_smooth && u)
    memcpy(out, u, n * sizeof(REAL));
  else if (op != op_red_black)
    memset(out, 0, n * sizeof(REAL));
}

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

INLINE void sweep_row(int op, const cv_sweep_args *args, sweep_rows *s, int64_t j, int64_t k) {
  const cv_elliptic *a = &args->a;
  const int64_t n = a->box.n[0], offset = j * a->box.sy + k * a->box.sz;
  const REAL *u = args->u ? (const REAL *)args->u + offset : NULL, *f = (const REAL *)args->f + offset;
  REAL *out = (REAL *)args->out + offset;
  const int64_t entry = mask_entry(&a->mask, j + k * a->box.n[1]);
  if (entry == all_fixed) {
    fixed_row(op, n, out, u);
    return;
  }
  const mass_row mass = row_mass(a, j, k);
  const row_coefficients c = constant_coefficients(a, j, k, mass.factor);
  const int variable = a->cells[0] != NULL, kind = op == op_red_black ? op_smooth : op;
  if (variable)
    variable_row(a, s, a->cells[0] == a->cells[1] && a->cells[0] == a->cells[2], j, k, u, mass);
  const REAL *weight = NULL;
  if (op >= op_smooth)
    weight = row_weights(a, s, args->omega, c, mass, op == op_red_black ? (j + k + args->colour) & 1 : -1, entry);
  const int direct = !variable && u && op != op_red_black && (op == op_smooth || entry == all_free);
  REAL *t = direct ? out : s->out;
  if (!u)
    for (int64_t i = 0; i < n; i++)
      t[i] = weight[i] * f[i];
  else if (variable)
    finish_row(kind, n, t, s->balance, u, f, weight);
  else {
    const REAL *rh = AXIS(a->rh[0]), *w = AXIS(a->w[0]);
    const row_coefficients inner = {c.x * rh[1],    w[1] * c.y_low,  w[1] * c.y_high,
                                    w[1] * c.z_low, w[1] * c.z_high, w[1] * c.mass};
    const constant_operands r = {c, inner, u, f, weight, mass.m, rh, w, a->box.sy, a->box.sz};
    const int uniform = s->uniform && mass.m == a->w[0];
    if (uniform && direct && args->stream)
      constant_row(kind, 1, 1, t, &r, n);
    else if (uniform)
      constant_row(kind, 1, 0, t, &r, n);
    else
      constant_row(kind, 0, direct && args->stream, t, &r, n);
  }
  if (!direct)
    finish_out(op, a, entry, args->stream, out, t, weight);
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
