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

enum { weights_kept = 4, row_classes = 2 };

/* What rows of constant K are computed from but for what is read. Rows of one class share it: widths, and so everything, are
   mostly the same from row to row, and to work it out again takes as long as 60 nodes. */
typedef struct {
  const REAL *x;             /* dual widths in x, NULL: nothing is known, */
  REAL widths[6];            /* and 1/h and dual widths in y and z that gave it */
  row_coefficients c, inner; /* in general; where x is uniform: with wx and 1/hx */
  int even;                  /* both neighbours in y, and in z, have one conductance */
  REAL *weight[weights_kept]; /* omega/D: one for each parity of red-black, or each sweep of a cycle, */
  int64_t kept[weights_kept]; /* with the mask of this entry */
} row_class;

enum { not_kept = -1 };

/* What one thread keeps between rows. */
typedef struct {
  REAL *balance, *diagonal, *edge; /* A u and D of a row of variable K, conductances in x */
  row_class classes[row_classes];  /* of inner rows and of rows at walls */
  REAL *out;                       /* a row on its way to memory */
  int uniform;                     /* all cells of the row have one width */
  const REAL *fixed;               /* a row of the mask, and whether it fixes nothing but nodes near walls in x */
  int near_walls;
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
  for (int c = 0; c < row_classes; c++)
    for (int w = 0; w < weights_kept; w++)
      s.classes[c].weight[w] = real_row(&scratch, n);
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

/* The class of row (j,k), worked out unless the last row of its kind had the same widths. */
static row_class *class_of_row(const cv_elliptic *a, sweep_rows *s, int64_t j, int64_t k) {
  const int64_t ny = a->box.n[1], nz = a->box.n[2];
  const REAL *ry = AXIS(a->rh[1]), *rz = AXIS(a->rh[2]), *rh = AXIS(a->rh[0]), *w = AXIS(a->w[0]);
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
  const row_coefficients c = constant_coefficients(a, j, k, a->mass_scale * AXIS(a->w[1])[j] * AXIS(a->w[2])[k]);
  r->c = c;
  r->inner = (row_coefficients){c.x * rh[1],    w[1] * c.y_low,  w[1] * c.y_high,
                                w[1] * c.z_low, w[1] * c.z_high, w[1] * c.mass};
  r->even = c.y_low == c.y_high && c.z_low == c.z_high;
  return r;
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

/* How many rows from (j,k) on, at most `most`, differ in nothing but what they read. */
static int64_t rows_alike(const cv_elliptic *a, int64_t j, int64_t k, int64_t most) {
  const REAL *ry = AXIS(a->rh[1]), *wy = AXIS(a->w[1]);
  const int64_t row = j + k * a->box.n[1], entry = mask_entry(&a->mask, row);
  int64_t n = 1;
  if (a->cells[0] || (a->mass && a->mass_scale != 0))
    return n;
  while (n < most && ry[j + n - 1] == ry[j - 1] && ry[j + n] == ry[j] && wy[j + n] == wy[j] &&
         mask_entry(&a->mask, row + n) == entry)
    n++;
  return n;
}

/* Tells whether the mask fixes no node but in the first and the last line of a row, which constant_rows does by themselves. */
static int fixes_near_walls(const cv_elliptic *a, sweep_rows *s, int64_t entry) {
  if (entry == all_free)
    return 1;
  const REAL *m = mask_row(&a->mask, entry);
  if (m == s->fixed)
    return s->near_walls;
  s->fixed = m;
  s->near_walls = 1;
  for (int64_t i = line_width; i < last_line(a->box.n[0]); i++)
    s->near_walls &= m[i] != 0;
  return s->near_walls;
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
    row_coefficients c = r->c;
    c.mass = mass.factor;
    for (int64_t i = 0; i < n; i++)
      weight[i] = point_weight(omega, point_diagonal(c, rh[i - 1], rh[i], w[i], mass.m[i]));
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

/* What becomes of nodes, given A u (b), u, f and the weights of the row; of vectors or of single nodes. */
#define FINISH(op, b, u, f, weight)                                                                                   \
  ((op) == op_apply ? (b) : (op) == op_residual ? (f) - (b) : (u) + (weight) * ((f) - (b)))

/* Rows of constant K that are alike: what they are computed from, the first of them, and how far apart they are. */
typedef struct {
  const row_class *constants;
  mass_row mass;
  const REAL *rh, *w;
  node_rows rows;
  const REAL *f, *weight, *keep; /* not all are read for every op; keep: the mask, NULL: all nodes are free */
  REAL *t;
  int64_t count, rows_apart, f_apart, t_apart; /* rows, and elements from one to the next */
  int64_t ahead, f_ahead; /* elements by which reading runs ahead in the row above and in f */
} constant_operands;

/* How much of a row of constant K is the same at all nodes but the first and the last few. */
enum { graded, uniform_x, uniform };

/* The nodes i.. of a row as one vector. Differences first: constants give exactly zero, and so do opposite differences
   of equal conductance. inner_weight: what weight is on all nodes of a uniform row but those beside walls. */
INLINE vector constant_vector(int op, int kind, const constant_operands *r, const row_coefficients *c, REAL inner_weight,
                              const node_rows *rows, const REAL *f, int64_t i) {
  const REAL *u = rows->r[1][1] + i;
  const vector v = load(u), left = v - load(u - 1), right = v - load(u + 1);
  const vector front = v - load(rows->r[1][0] + i), back = v - load(rows->r[1][2] + i);
  const vector below = v - load(rows->r[0][1] + i), above = v - load(rows->r[2][1] + i);
  const vector source = op == op_apply ? splat(0) : load(f + i);
  const REAL sign = op == op_apply ? 1 : -1;
  vector t;
  if (kind == uniform) {
    t = madd(splat(sign * c->x), left + right, source);
    t = madd(splat(sign * c->y_low), front + back, t);
    t = madd(splat(sign * c->z_low), below + above, t);
    t = madd(splat(sign * c->mass), v, t);
  } else {
    const vector yz = (c->y_low * front + c->y_high * back) + (c->z_low * below + c->z_high * above);
    if (kind == uniform_x) {
      t = madd(splat(sign * c->x), left + right, source + sign * yz);
      t = madd(splat(sign * c->mass), v, t);
    } else {
      t = madd(splat(sign * c->x), load(r->rh + i - 1) * left + load(r->rh + i) * right, source);
      t = madd(sign * load(r->w + i), yz, t);
      t = madd(sign * r->mass.factor * load(r->mass.m + i), v, t);
    }
  }
  if (op == op_smooth)
    return madd(kind == uniform ? splat(inner_weight) : load(r->weight + i), t, v);
  return t;
}

/* All lines but the first and the last share what `kind` says; uniform ones also their weight. The last line is computed on
   whatever lies beyond the nodes, and its nodes are stored. What rows share stays in registers. */
INLINE void constant_rows(int op, int kind, int stream, const constant_operands *operands, int64_t n) {
  const constant_operands own = *operands, *r = &own; /* what t may overlap would be read again */
  const row_coefficients c = r->constants->c, inner = kind == graded ? c : r->constants->inner;
  const int64_t last = last_line(n);
  const REAL weight = kind == uniform && op == op_smooth && last ? r->weight[line_width] : 0;
  const REAL *f = r->f;
  REAL *t = r->t, rest[line_width] __attribute__((aligned(64)));
  node_rows rows = r->rows;
  for (int64_t row = 0; row < r->count; row++) {
    if (last) {
      const REAL *next = rows.r[2][1] + r->ahead, *next_f = f + r->f_ahead;
#pragma GCC unroll 4
      for (int64_t l = 0; l < line_width; l += vector_width) {
        const vector first = constant_vector(op, graded, r, &c, 0, &rows, f, l);
        store(stream, t + l, op != op_smooth && r->keep ? first * load(r->keep + l) : first);
      }
      for (int64_t i = line_width; i < last; i += line_width) {
        __builtin_prefetch(next + i);
        if (op != op_apply)
          __builtin_prefetch(next_f + i);
#pragma GCC unroll 4
        for (int64_t l = 0; l < line_width; l += vector_width)
          store(stream, t + i + l, constant_vector(op, kind, r, &inner, weight, &rows, f, i + l));
      }
    }
    for (int64_t i = last; i < n; i += vector_width)
      store(0, rest + i - last, constant_vector(op, graded, r, &c, 0, &rows, f, i));
    for (int64_t i = last; i < n; i++)
      t[i] = op != op_smooth && r->keep ? rest[i - last] * r->keep[i] : rest[i - last];
    for (int z = 0; z < 3; z++)
      for (int y = 0; y < 3; y++)
        rows.r[z][y] += r->rows_apart;
    f += r->f_apart;
    t += r->t_apart;
  }
}

/* The same, compiled for each case. */
static void constant_rows_of(int op, int kind, int stream, const constant_operands *r, int64_t n) {
#define CASE(o, k)                                                                                                    \
  if (op == o && kind == k) {                                                                                         \
    if (stream)                                                                                                       \
      constant_rows(o, k, 1, r, n);                                                                                   \
    else                                                                                                              \
      constant_rows(o, k, 0, r, n);                                                                                   \
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
