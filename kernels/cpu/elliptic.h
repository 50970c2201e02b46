/* The elliptic operator of kernels/doc.go: Apply, Residual, Smooth, RedBlack, MassUpdate. */
#include "conductivity.h"

enum { op_apply, op_residual, op_smooth, op_smooth_zero, op_red_black };

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
INLINE void variable_row(const cv_elliptic *a, const sweep_rows *s, int shared, int64_t j, int64_t k,
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
INLINE const REAL *row_weights(const cv_elliptic *a, sweep_rows *s, REAL omega, row_coefficients c, mass_row mass,
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

/* What becomes of a node, given A u (b), u, f and the weight of the row. */
INLINE REAL finish(int op, REAL b, REAL u, REAL f, REAL weight) {
  switch (op) {
  case op_apply: return b;
  case op_residual: return f - b;
  case op_smooth: return u + weight * (f - b);
  case op_smooth_zero: return weight * f;
  }
  return weight != 0 ? u + weight * (f - b) : u;
}

/* One node of a row of constant K. */
INLINE REAL constant_node(int op, const cv_elliptic *a, row_coefficients c, const REAL *m, const REAL *u, const REAL *f,
                          const REAL *weight, int64_t i) {
  const int64_t sy = a->box.sy, sz = a->box.sz;
  const REAL *rh = AXIS(a->rh[0]), *w = AXIS(a->w[0]);
  if (op == op_smooth_zero)
    return weight[i] * f[i];
  REAL b = point_balance(c, u[i], u[i - 1], u[i + 1], u[i - sy], u[i + sy], u[i - sz], u[i + sz], rh[i - 1], rh[i], w[i],
                         m[i]);
  return finish(op, b, u[i], op == op_apply ? 0 : f[i], op < op_smooth ? 0 : weight[i]);
}

/* One row into t. Without u (op_smooth_zero) or f (op_apply) those pointers are not read. t may be u (op_red_black)
   or f. */
INLINE void constant_row(int op, const cv_elliptic *a, row_coefficients c, const REAL *m, REAL *t, const REAL *u,
                         const REAL *f, const REAL *restrict weight) {
  const int64_t n = a->box.n[0];
  VECTORISE
  for (int64_t i = 0; i < n; i++)
    t[i] = constant_node(op, a, c, m, u, f, weight, i);
}

/* The same where the spacing in x is uniform: all nodes but the ends share their coefficients. */
INLINE void uniform_row(int op, const cv_elliptic *a, row_coefficients c, int massive, const REAL *m, REAL *t,
                        const REAL *u, const REAL *f, const REAL *restrict weight) {
  const int64_t n = a->box.n[0], sy = a->box.sy, sz = a->box.sz;
  const REAL w = AXIS(a->w[0])[1], x = c.x * AXIS(a->rh[0])[1];
  const REAL yl = w * c.y_low, yh = w * c.y_high, zl = w * c.z_low, zh = w * c.z_high, mass = massive ? w * c.mass : 0;
  const REAL first = constant_node(op, a, c, m, u, f, weight, 0);
  const REAL last = constant_node(op, a, c, m, u, f, weight, n - 1);
  VECTORISE
  for (int64_t i = 0; i < n; i++) {
    REAL bx = x * ((u[i] - u[i - 1]) + (u[i] - u[i + 1]));
    REAL by = yl * (u[i] - u[i - sy]) + yh * (u[i] - u[i + sy]);
    REAL bz = zl * (u[i] - u[i - sz]) + zh * (u[i] - u[i + sz]);
    REAL b = bx + (by + bz);
    if (massive)
      b += mass * u[i];
    t[i] = finish(op, b, u[i], op == op_apply ? 0 : f[i], op < op_smooth ? 0 : weight[i]);
  }
  t[0] = first;
  t[n - 1] = last;
}

INLINE void finish_row(int op, int64_t n, REAL *t, const REAL *b, const REAL *u, const REAL *f, const REAL *weight) {
  VECTORISE
  for (int64_t i = 0; i < n; i++)
    t[i] = finish(op, op == op_smooth_zero ? 0 : b[i], op >= op_smooth && op != op_smooth_zero ? u[i] : 0,
                  op == op_apply ? 0 : f[i], op < op_smooth ? 0 : weight[i]);
}

/* A row of fixed nodes. */
INLINE void fixed_row(int op, int64_t n, REAL *t, const REAL *u) {
  if (op == op_smooth)
    memcpy(t, u, n * sizeof(REAL));
  else if (op != op_red_black)
    memset(t, 0, n * sizeof(REAL));
}

INLINE void sweep_row(int op, const cv_sweep_args *args, sweep_rows *s, int64_t j, int64_t k) {
  const cv_elliptic *a = &args->a;
  const int64_t n = a->box.n[0], offset = j * a->box.sy + k * a->box.sz;
  const REAL *u = args->u ? (const REAL *)args->u + offset : NULL, *f = (const REAL *)args->f + offset;
  REAL *out = (REAL *)args->out + offset, *t = args->stream ? s->out : out;
  const int64_t entry = mask_entry(&a->mask, j + k * a->box.n[1]);
  if (entry == all_fixed) {
    fixed_row(op, n, out, u);
    return;
  }
  const mass_row mass = row_mass(a, j, k);
  const row_coefficients c = constant_coefficients(a, j, k, mass.factor);
  const int variable = a->cells[0] != NULL;
  if (variable) {
    if (a->cells[0] == a->cells[1] && a->cells[0] == a->cells[2])
      variable_row(a, s, 1, j, k, u, mass);
    else
      variable_row(a, s, 0, j, k, u, mass);
  }
  const REAL *weight = NULL;
  if (op >= op_smooth)
    weight = row_weights(a, s, args->omega, c, mass, op == op_red_black ? (j + k + args->colour) & 1 : -1, entry);
  if (variable)
    finish_row(op, n, t, s->balance, u, f, weight);
  else if (op != op_smooth_zero && s->uniform && mass.m == a->w[0]) {
    if (mass.factor == 0)
      uniform_row(op, a, c, 0, mass.m, t, u, f, weight);
    else
      uniform_row(op, a, c, 1, mass.m, t, u, f, weight);
  }
  else
    constant_row(op, a, c, mass.m, t, u, f, weight);
  if (op < op_smooth && entry != all_free) {
    const REAL *m = mask_row(&a->mask, entry);
    for (int64_t i = 0; i < n; i++)
      t[i] *= m[i];
  }
  if (args->stream)
    stream_row(out, t, n);
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
  if (((const cv_sweep_args *)args)->u)
    sweep(op_smooth, args, begin, end, scratch);
  else
    sweep(op_smooth_zero, args, begin, end, scratch);
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
