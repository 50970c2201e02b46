/* Rows of the 7-point operator of kernels/doc.go: A u, residual and damped Jacobi on one row of nodes. The rows around it are
   named one by one, because they may lie in an array or in the ring buffers of a fused cycle. */
#include "conductivity.h"

enum { op_apply, op_residual, op_smooth, op_red_black };

/* The rows j-1, j, j+1 (second index) of the planes k-1, k, k+1 (first) around row (j,k). */
typedef struct {
  const REAL *r[3][3];
} node_rows;

INLINE node_rows rows_around(const REAL *u, int64_t sy, int64_t sz) {
  return (node_rows){{{u - sz - sy, u - sz, u - sz + sy}, {u - sy, u, u + sy}, {u + sz - sy, u + sz, u + sz + sy}}};
}

enum { weights_kept = 4 };

/* What one thread keeps between rows. */
typedef struct {
  REAL *balance, *diagonal, *edge; /* A u and D of a row of variable K, conductances in x */
  REAL *weight[weights_kept];         /* omega/D of a row: one for each parity of red-black, or each sweep of a cycle */
  row_coefficients key[weights_kept]; /* the coefficients that gave it */
  int kept[weights_kept];
  REAL *masked; /* weight times mask */
  REAL *out;    /* a row on its way to memory */
  int uniform;  /* all cells of the row have one width */
  char *end;    /* of the scratch memory used */
} sweep_rows;

static sweep_rows sweep_scratch(char *scratch, const cv_elliptic *a) {
  const int64_t n = a->box.n[0];
  sweep_rows s = {.uniform = n > 2};
  for (int64_t i = 1; i < n - 1; i++)
    s.uniform &= AXIS(a->rh[0])[i] == AXIS(a->rh[0])[0];
  s.balance = real_row(&scratch, n);
  s.diagonal = real_row(&scratch, n);
  s.edge = real_row(&scratch, n);
  for (int w = 0; w < weights_kept; w++)
    s.weight[w] = real_row(&scratch, n);
  s.masked = real_row(&scratch, n);
  s.out = real_row(&scratch, n);
  s.end = scratch;
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

/* A u (unless rows is NULL) and D of a row of variable K into s. `shared`: one K for all directions. */
static void variable_row(const cv_elliptic *a, const sweep_rows *s, int shared, int64_t j, int64_t k,
                         const node_rows *rows, mass_row mass) {
  const int64_t n = a->box.n[0];
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
  if (!rows) {
    VECTORISE
    for (int64_t i = 0; i < n; i++) {
      CONDUCTANCES;
    }
    return;
  }
  const REAL *u = rows->r[1][1], *front = rows->r[1][0], *back = rows->r[1][2];
  const REAL *below = rows->r[0][1], *above = rows->r[2][1];
  VECTORISE
  for (int64_t i = 0; i < n; i++) {
    CONDUCTANCES;
    REAL bx = g[i - 1] * (u[i] - u[i - 1]) + g[i] * (u[i] - u[i + 1]);
    REAL by = yl * (u[i] - front[i]) + yh * (u[i] - back[i]);
    REAL bz = zl * (u[i] - below[i]) + zh * (u[i] - above[i]);
    balance[i] = (bx + (by + bz)) + f * m[i] * u[i];
  }
#undef CONDUCTANCES
}

/* omega/D on a row, zero on the other colour (colour 0 or 1: nodes of that parity; -1: all) and on fixed nodes. What
   is kept under a number belongs to one omega and colour. */
static const REAL *row_weights(const cv_elliptic *a, sweep_rows *s, int p, REAL omega, row_coefficients c, mass_row mass,
                               int colour, int64_t entry) {
  const int64_t n = a->box.n[0];
  const REAL *rh = AXIS(a->rh[0]), *w = AXIS(a->w[0]), *d = s->diagonal;
  const int variable = a->cells[0] != NULL;
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
  row_coefficients c, inner; /* in general; where x is uniform: with wx and 1/hx */
  node_rows rows;
  const REAL *f, *weight, *m, *rh, *w; /* not all are read for every op */
  REAL inner_weight;                   /* what weight is where the row is uniform */
  int64_t ahead, f_ahead;              /* elements by which reading runs ahead in the row above and in f; 0: not */
} constant_operands;

/* How much of a row of constant K is the same at all nodes but the first and the last few. */
enum { graded, uniform_x, uniform };

/* The nodes l.. of a row as one vector. Differences first: constants give exactly zero, and so do opposite differences
   of equal conductance. */
INLINE vector constant_vector(int op, int kind, const constant_operands *r, int64_t l) {
  const row_coefficients c = kind == graded ? r->c : r->inner;
  const REAL *u = r->rows.r[1][1] + l;
  const vector v = load(u), left = v - load(u - 1), right = v - load(u + 1);
  const vector front = v - load(r->rows.r[1][0] + l), back = v - load(r->rows.r[1][2] + l);
  const vector below = v - load(r->rows.r[0][1] + l), above = v - load(r->rows.r[2][1] + l);
  const vector f = op == op_apply ? splat(0) : load(r->f + l);
  const REAL sign = op == op_apply ? 1 : -1;
  vector t;
  if (kind == uniform) {
    t = madd(splat(sign * c.x), left + right, f);
    t = madd(splat(sign * c.y_low), front + back, t);
    t = madd(splat(sign * c.z_low), below + above, t);
    t = madd(splat(sign * c.mass), v, t);
  } else {
    const vector yz = (c.y_low * front + c.y_high * back) + (c.z_low * below + c.z_high * above);
    if (kind == uniform_x) {
      t = madd(splat(sign * c.x), left + right, f + sign * yz);
      t = madd(splat(sign * c.mass), v, t);
    } else {
      t = madd(splat(sign * c.x), load(r->rh + l - 1) * left + load(r->rh + l) * right, f);
      t = madd(sign * load(r->w + l), yz, t);
      t = madd(sign * c.mass * load(r->m + l), v, t);
    }
  }
  if (op == op_smooth)
    return madd(kind == uniform ? splat(r->inner_weight) : load(r->weight + l), t, v);
  return t;
}

/* The nodes i.. of a row as one cache line. */
INLINE void constant_line(int op, int kind, int stream, REAL *t, const constant_operands *r, int64_t i) {
#pragma GCC unroll 4
  for (int64_t l = 0; l < line_width; l += vector_width)
    store(stream, t + l, constant_vector(op, kind, r, i + l));
}

/* A row of constant K. All lines but the first and the last share what `kind` says; uniform ones also their weight.
   The last line is computed whole, on whatever lies beyond the nodes, and its nodes are stored. */
INLINE void constant_row(int op, int kind, int stream, REAL *t, const constant_operands *operands, int64_t n) {
  constant_operands own = *operands; /* in registers: what t may overlap would be read again */
  const constant_operands *r = &own;
  if (kind == uniform && op == op_smooth && n > line_width)
    own.inner_weight = own.weight[line_width];
  REAL rest[line_width] __attribute__((aligned(64)));
  int64_t i = 0;
  if (n > line_width)
    constant_line(op, graded, stream, t, r, i);
  for (i = line_width; i + line_width < n; i += line_width) {
    if (r->ahead)
      __builtin_prefetch(r->rows.r[2][1] + i + r->ahead);
    if (r->f_ahead)
      __builtin_prefetch(r->f + i + r->f_ahead);
    constant_line(op, kind, stream, t + i, r, i);
  }
  if (n <= line_width)
    i = 0;
  constant_line(op, graded, 0, rest, r, i);
  for (int64_t l = 0; l < n - i; l++)
    t[i + l] = rest[l];
}

/* The same, compiled for each case. */
static void constant_row_of(int op, int kind, int stream, REAL *t, const constant_operands *r, int64_t n) {
#define CASE(o, k)                                                                                                    \
  if (op == o && kind == k) {                                                                                         \
    if (stream)                                                                                                       \
      constant_row(o, k, 1, t, r, n);                                                                                 \
    else                                                                                                              \
      constant_row(o, k, 0, t, r, n);                                                                                 \
    return;                                                                                                           \
  }
#define CASES(o) CASE(o, graded) CASE(o, uniform_x) CASE(o, uniform)
  CASES(op_apply)
  CASES(op_residual)
  CASES(op_smooth)
#undef CASES
#undef CASE
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
