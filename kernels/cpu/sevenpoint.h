/* Rows of the 7-point operator: A u, residual and damped Jacobi. */
#include "sweep.h"

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

/* The coefficients of a class of rows, from one of them. */
static void seven_class(const cv_elliptic *a, int64_t j, int64_t k, row_class *r) {
  const REAL *rh = AXIS(a->rh[0]), *w = AXIS(a->w[0]);
  const row_coefficients c = constant_coefficients(a, j, k, r->mass);
  r->c = c;
  r->inner = (row_coefficients){c.x * rh[1],    w[1] * c.y_low,  w[1] * c.y_high,
                                w[1] * c.z_low, w[1] * c.z_high, w[1] * c.mass};
  r->diagonal_x = c.x;
  r->diagonal_w = (c.y_low + c.y_high) + (c.z_low + c.z_high);
  r->even = c.y_low == c.y_high && c.z_low == c.z_high;
}

/* A u (unless rows is NULL) and D of a row of variable K into s. `shared`: one K for all directions. */
static void variable_row(const cv_elliptic *a, const sweep_rows *s, int shared, int64_t j, int64_t k,
                         const node_rows *rows, mass_row mass) {
  const int64_t n = a->box.n[0];
  const REAL *h = AXIS(a->h[0]), *hy = AXIS(a->h[1]), *hz = AXIS(a->h[2]);
  const REAL *ry = AXIS(a->rh[1]), *rz = AXIS(a->rh[2]), *restrict m = mass.m;
  const cell_rows x = cells_around(a, 0, j, k);
  const cell_rows y = shared ? x : cells_around(a, 1, j, k), z = shared ? x : cells_around(a, 2, j, k);
  const REAL *y00 = y.r[0][0], *y10 = y.r[1][0], *y01 = y.r[0][1], *y11 = y.r[1][1];
  const REAL *z00 = shared ? y00 : z.r[0][0], *z10 = shared ? y10 : z.r[1][0];
  const REAL *z01 = shared ? y01 : z.r[0][1], *z11 = shared ? y11 : z.r[1][1];
  REAL *restrict g = s->edge, *restrict balance = s->balance, *restrict diagonal = s->diagonal;
  const REAL f = mass.factor;

  conductances_along_x(a, j, k, g);
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

/* The row of what the faces below row (j,k) along y or z conduct: at a wall nothing. */
INLINE const REAL *faces_below(const cv_elliptic *a, const sweep_rows *s, int axis, int64_t j, int64_t k) {
  const int64_t n = a->box.n[axis], at = axis == 1 ? j : k, stride = axis == 1 ? a->box.sy : a->box.sz;
  const REAL *own = (const REAL *)a->faces[axis] + j * a->box.sy + k * a->box.sz;
  if (at > 0)
    return own - stride;
  return AXIS(a->rh[axis])[-1] != 0 ? own + (n - 1) * stride : s->nothing;
}

/* Tells whether rows go by what faces conduct: all nodes at a time, and a vector of them or more. */
INLINE int goes_by_faces(const cv_elliptic *a, int one_colour) { return a->faces[0] && !one_colour && a->box.n[0] >= vector_width; }

/* What a row is computed from where it is kept what faces conduct: rows of those along x, below and above in y and in z. */
typedef struct {
  const REAL *g, *yl, *yh, *zl, *zh, *m, *u, *front, *back, *below, *above, *f, *keep;
  REAL mass, omega;
} faces_operands;

/* The nodes i.., with what the faces below them along x conduct: bit by bit what variable_row and finish_row make of them. */
INLINE vector faces_vector(int op, int from_zero, int masked, const faces_operands *r, vector low, int64_t i) {
  const vector high = load(r->g + i), yl = load(r->yl + i), yh = load(r->yh + i), zl = load(r->zl + i), zh = load(r->zh + i);
  const vector mass = r->mass * load(r->m + i), f = op == op_apply ? splat(0) : load(r->f + i);
  vector weight = splat(0);
  if (op == op_smooth) {
    const vector d = ((low + high) + ((yl + yh) + (zl + zh))) + mass;
    weight = where(d != 0, r->omega / d, weight);
    if (masked)
      weight = where(load(r->keep + i) != 0, weight, splat(0));
  }
  if (from_zero)
    return weight * f;
  const vector u = load(r->u + i);
  const vector x = low * (u - load(r->u + i - 1)) + high * (u - load(r->u + i + 1));
  const vector y = yl * (u - load(r->front + i)) + yh * (u - load(r->back + i));
  const vector z = zl * (u - load(r->below + i)) + zh * (u - load(r->above + i));
  return FINISH(op, (x + (y + z)) + mass * u, u, f, weight);
}

/* A row from what faces conduct, `low` below its first node. Its last vector may have nodes of the one before it. */
INLINE void faces_nodes(int op, int from_zero, int masked, const faces_operands *r, REAL low, int64_t n, REAL *t) {
  lanes lane;
  for (int l = 0; l < vector_width; l++)
    lane[l] = l;
  store(0, t, faces_vector(op, from_zero, masked, r, where(lane == 0, splat(low), load(r->g - 1)), 0));
  for (int64_t i = vector_width; i < n; i += vector_width) {
    i = smallest(i, n - vector_width);
    store(0, t + i, faces_vector(op, from_zero, masked, r, load(r->g + i - 1), i));
  }
}

/* A u, F - A u or the relaxed u of row (j,k) into t, from what faces conduct. */
static void faces_row(int op, const cv_elliptic *a, const sweep_rows *s, int64_t j, int64_t k, const node_rows *rows, const REAL *f,
                      mass_row mass, REAL omega, const REAL *keep, REAL *t) {
  const int64_t n = a->box.n[0], offset = j * a->box.sy + k * a->box.sz;
  const int flat = !a->faces[1];
  faces_operands r = {.g = (const REAL *)a->faces[0] + offset, .yl = flat ? s->nothing : faces_below(a, s, 1, j, k),
                      .yh = flat ? s->nothing : (const REAL *)a->faces[1] + offset, .zl = faces_below(a, s, 2, j, k),
                      .zh = (const REAL *)a->faces[2] + offset, .m = mass.m, .f = f, .keep = keep, .mass = mass.factor, .omega = omega};
  const REAL low = AXIS(a->rh[0])[-1] != 0 ? r.g[n - 1] : 0;
  if (rows) {
    r.u = rows->r[1][1];
    r.front = rows->r[1][0];
    r.back = rows->r[1][2];
    r.below = rows->r[0][1];
    r.above = rows->r[2][1];
  }
#define CASE(when, op, from_zero, masked)                                                                              \
  if (when) {                                                                                                         \
    faces_nodes(op, from_zero, masked, &r, low, n, t);                                                                \
    return;                                                                                                           \
  }
  CASE(!rows && !keep, op_smooth, 1, 0)
  CASE(!rows, op_smooth, 1, 1)
  CASE(op == op_apply, op_apply, 0, 0)
  CASE(op == op_residual, op_residual, 0, 0)
  CASE(!keep, op_smooth, 0, 0)
  CASE(1, op_smooth, 0, 1)
#undef CASE
}

/* The nodes i.. of a row as one vector. Differences first: constants give exactly zero, and so do opposite differences
   of equal conductance. */
INLINE vector seven_vector(int op, int kind, const constant_operands *r, const row_coefficients *c, const node_rows *rows,
                           const REAL *f, int64_t i) {
  const REAL *u = rows->r[1][1] + i;
  const vector v = load(u), left = v - load(u - 1), right = v - load(u + 1);
  const vector front = v - load(rows->r[1][0] + i), back = v - load(rows->r[1][2] + i);
  const vector below = v - load(rows->r[0][1] + i), above = v - load(rows->r[2][1] + i);
  const vector source = op == op_apply ? splat(0) : load(f + i);
  const vector yz = (c->y_low * front + c->y_high * back) + (c->z_low * below + c->z_high * above);
  const REAL sign = op == op_apply ? 1 : -1;
  vector t;
  if (kind == uniform_x) {
    t = madd(splat(sign * c->x), left + right, source + sign * yz);
    t = madd(splat(sign * c->mass), v, t);
  } else {
    t = madd(splat(sign * c->x), load(r->rh + i - 1) * left + load(r->rh + i) * right, source);
    t = madd(sign * load(r->w + i), yz, t);
    t = madd(sign * r->mass.factor * load(r->mass.m + i), v, t);
  }
  return op == op_smooth ? madd(load(r->weight + i), t, v) : t;
}

/* Node i alone. */
INLINE REAL seven_node(int op, const constant_operands *r, const node_rows *rows, const REAL *f, int64_t i) {
  const REAL *u = rows->r[1][1] + i;
  row_coefficients c = r->constants->c;
  c.mass = r->mass.factor;
  const REAL b = point_balance(c, u[0], u[-1], u[1], rows->r[1][0][i], rows->r[1][2][i], rows->r[0][1][i], rows->r[2][1][i],
                               r->rh[i - 1], r->rh[i], r->w[i], r->mass.m[i]);
  return FINISH(op, b, u[0], f[i], r->weight[i]);
}
