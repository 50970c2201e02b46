/* Rows of the operator of trilinear elements (kernels/doc.go): A u, residual and damped Jacobi with 27 points. A row is read
   from node -16 to the end of the vector after node n; what lies beyond walls is multiplied by zero.

   Everything is made of differences of u: a constant gives zero to the bit, and rounding is that of differences.

   Constant K is a tensor product, S along x and T across it:

     A u = Kx (wy wz kx u + S) + Mx T,  S = kx (My Mz - wy wz) u,  T = (ky Ky Mz + kz My Kz) u,

   S and T each a weighted sum of the eight differences to the middle row. Where x is uniform, with h = hx,

     (A u)_i = Kx/h (2 u_i - u_(i-1) - u_(i+1)) wy wz + O_i + B_(i-1) + B_(i+1),  O = 2 S/h + 2/3 h T,  B = h/6 T - S/h,

   and O and B are weighted sums of the same differences. Variable K goes cell by cell. */

/* Row of the mass and of the stiffness of linear elements at node i of an axis; of an absent axis those of u itself. */
static void linear_elements(const cv_elliptic *a, int axis, int64_t i, double *restrict mass,
                            double *restrict stiffness) {
  const REAL *h = AXIS(a->h[axis]), *rh = AXIS(a->rh[axis]);
  const int absent = axis == 1 && !a->box.sy;
  mass[0] = absent ? 0 : h[i - 1] / 6.0;
  mass[2] = absent ? 0 : h[i] / 6.0;
  mass[1] = absent ? 1 : ((double)h[i - 1] + h[i]) / 3;
  stiffness[0] = -(double)rh[i - 1];
  stiffness[2] = -(double)rh[i];
  stiffness[1] = (double)rh[i - 1] + rh[i];
}

/* Tells whether the cells on both sides of a row have the same weights. */
static int symmetric_row(const trilinear_weights *w) {
  return w->along[1][0] == w->along[1][2] && w->along[0][1] == w->along[2][1] && w->along[0][0] == w->along[2][2] &&
         w->along[0][2] == w->along[2][0] && w->along[0][0] == w->along[0][2] && w->across[1][0] == w->across[1][2] &&
         w->across[0][1] == w->across[2][1] && w->across[0][0] == w->across[2][2] &&
         w->across[0][2] == w->across[2][0] && w->across[0][0] == w->across[0][2];
}

/* The coefficients of a class of rows, from one of them. */
static void trilinear_class(const cv_elliptic *a, int64_t j, int64_t k, row_class *r) {
  const double rx = AXIS(a->rh[0])[1], wx = AXIS(a->w[0])[1], hx6 = AXIS(a->h[0])[1] / 6.0;
  double my[3], ky[3], mz[3], kz[3];
  linear_elements(a, 1, j, my, ky);
  linear_elements(a, 2, k, mz, kz);
  trilinear_weights *t = &r->t;
  t->whole = a->k[0] * (my[0] + my[1] + my[2]) * (mz[0] + mz[1] + mz[2]);
  for (int c = 0; c < 3; c++)
    for (int b = 0; b < 3; b++) {
      const double along = a->k[0] * my[b] * mz[c], across = a->k[1] * ky[b] * mz[c] + a->k[2] * my[b] * kz[c];
      t->along[c][b] = along;
      t->across[c][b] = across;
      t->own[c][b] = 2 * rx * along + (wx - 2 * hx6) * across;
      t->beside[c][b] = hx6 * across - rx * along;
    }
  r->inner = (row_coefficients){.x = rx * t->whole, .mass = wx * r->mass};
  r->diagonal_x = t->along[1][1];
  r->diagonal_w = 2 * (a->k[1] * ky[1] * mz[1] + a->k[2] * my[1] * kz[1]) / 3;
  r->even = symmetric_row(t);
}

/* S and T of the nodes begin..end-1 (whole vectors). */
INLINE void across_row(const trilinear_weights *w, const node_rows *u, int64_t begin, int64_t end, REAL *s, REAL *t) {
  const REAL(*p)[3] = w->along, (*q)[3] = w->across;
  for (int64_t i = begin; i < end; i += vector_width) {
    const vector v = load(u->r[1][1] + i);
#define D(c, b) (load(u->r[c][b] + i) - v)
    const vector d00 = D(0, 0), d01 = D(0, 1), d02 = D(0, 2), d10 = D(1, 0), d12 = D(1, 2);
    const vector d20 = D(2, 0), d21 = D(2, 1), d22 = D(2, 2);
#undef D
#define SUM(w)                                                                                                        \
  (((w[0][0] * d00 + w[0][1] * d01) + (w[0][2] * d02 + w[1][0] * d10)) +                                              \
   ((w[1][2] * d12 + w[2][0] * d20) + (w[2][1] * d21 + w[2][2] * d22)))
    store(0, s + i, SUM(p));
    store(0, t + i, SUM(q));
#undef SUM
  }
}

/* O and B of the nodes begin..end-1 (whole vectors), O added to zero or, unless op_apply, taken from f. */
INLINE void uniform_sums(int op, int even, const trilinear_weights *w, const node_rows *u, const REAL *f, int64_t begin,
                         int64_t end, REAL *own, REAL *beside) {
  const REAL sign = op == op_apply ? 1 : -1;
  vector to_own[3][3], to_beside[3][3]; /* in registers: what is stored may overlap w */
  for (int c = 0; c < 3; c++)
    for (int y = 0; y < 3; y++) {
      to_own[c][y] = splat(-sign * w->own[c][y]);
      to_beside[c][y] = splat(-sign * w->beside[c][y]);
    }
  const node_rows rows = *u;
  for (int64_t i = begin; i < end; i += vector_width) {
    const vector v = load(rows.r[1][1] + i);
    vector o = op == op_apply ? splat(0) : load(f + i), b = splat(0);
#define D(z, y) (v - load(rows.r[z][y] + i)) /* one instruction, which the opposite is not */
#define ADD(z, y, difference)                                                                                         \
  do {                                                                                                                \
    const vector d = difference;                                                                                      \
    o = madd(to_own[z][y], d, o);                                                                                     \
    b = madd(to_beside[z][y], d, b);                                                                                  \
  } while (0)
    if (even) {
      ADD(1, 0, D(1, 0) + D(1, 2));
      ADD(0, 1, D(0, 1) + D(2, 1));
      ADD(0, 0, (D(0, 0) + D(0, 2)) + (D(2, 0) + D(2, 2)));
    } else {
      ADD(0, 0, D(0, 0));
      ADD(0, 1, D(0, 1));
      ADD(0, 2, D(0, 2));
      ADD(1, 0, D(1, 0));
      ADD(1, 2, D(1, 2));
      ADD(2, 0, D(2, 0));
      ADD(2, 1, D(2, 1));
      ADD(2, 2, D(2, 2));
    }
#undef ADD
#undef D
    store(0, own + i, o);
    store(0, beside + i, b);
  }
}

/* The nodes i.. of a row as one vector, from S and T. */
INLINE vector graded_trilinear_vector(int op, const constant_operands *r, const sweep_rows *scratch, const REAL *u,
                                      const REAL *f, int64_t i) {
  const REAL *rs = scratch->s + i, *rt = scratch->t + i, *rh = r->rh + i, *h6 = scratch->h6 + i;
  const vector v = load(u + i), s = load(rs), t = load(rt);
  const vector ul = v - load(u + i - 1), ur = v - load(u + i + 1), sl = s - load(rs - 1), sr = s - load(rs + 1);
  const vector tl = load(rt - 1) - t, tr = load(rt + 1) - t;
  const REAL whole = r->constants->t.whole;
  const vector b = ((load(rh - 1) * (whole * ul + sl) + load(rh) * (whole * ur + sr)) +
                    (load(r->w + i) * t + (load(h6 - 1) * tl + load(h6) * tr))) +
                   r->mass.factor * load(r->mass.m + i) * v;
  return FINISH(op, b, v, load(f + i), load(r->weight + i));
}

/* The nodes i.. of a row whose x is uniform as one vector, from O and B. */
INLINE vector uniform_trilinear_vector(int op, int kind, const constant_operands *r, const sweep_rows *scratch,
                                       const row_coefficients *c, REAL inner_weight, const REAL *u, int64_t i) {
  const REAL *own = scratch->own + i, *beside = scratch->beside + i, sign = op == op_apply ? 1 : -1;
  const vector v = load(u + i), ul = v - load(u + i - 1), ur = v - load(u + i + 1);
  vector t = load(own) + (load(beside - 1) + load(beside + 1));
  t = madd(splat(sign * c->x), ul + ur, t);
  t = madd(splat(sign * c->mass), v, t);
  if (op == op_smooth)
    return madd(kind == uniform ? splat(inner_weight) : load(r->weight + i), t, v);
  return t;
}

/* Node i alone. */
INLINE REAL trilinear_node(int op, const constant_operands *r, const sweep_rows *scratch, const node_rows *rows, const REAL *f,
                           int64_t i) {
  const REAL *u = rows->r[1][1] + i, *rh = r->rh + i, *h6 = scratch->h6 + i, whole = r->constants->t.whole;
  const REAL *s = scratch->s + i, *t = scratch->t + i;
  for (int64_t l = i - 1; l <= i + 1; l += vector_width)
    across_row(&r->constants->t, rows, l, l + 1, scratch->s, scratch->t);
  const REAL left = whole * (u[0] - u[-1]) + (s[0] - s[-1]), right = whole * (u[0] - u[1]) + (s[0] - s[1]);
  const REAL b = ((rh[-1] * left + rh[0] * right) + (r->w[i] * t[0] + (h6[-1] * (t[-1] - t[0]) + h6[0] * (t[1] - t[0])))) +
                 r->mass.factor * r->mass.m[i] * u[0];
  return FINISH(op, b, u[0], f[i], r->weight[i]);
}

/* Weights of the row of cells (., j, k): hy hz / 36, hz / hy / 36, hy / hz / 36. */
typedef struct {
  REAL x, y, z;
} cell_weights;

static cell_weights weights_of_cells(const cv_elliptic *a, int64_t j, int64_t k) {
  const double hy = AXIS(a->h[1])[j], hz = AXIS(a->h[2])[k], ry = AXIS(a->rh[1])[j], rz = AXIS(a->rh[2])[k];
  return (cell_weights){hy * hz / 36, hz * ry / 36, hy * rz / 36};
}

/* Adds the row of cells between the node rows own, y, z, d (the neighbours in y, in z and in both). `shared`: one K for
   all directions. */
INLINE void cells_balance(int shared, const cell_rows_scratch *c, cell_weights w, const REAL *restrict own,
                          const REAL *restrict y, const REAL *restrict z, const REAL *restrict d,
                          const REAL *const k[3], int64_t n) {
  REAL *restrict r = c->r, *restrict ey = c->y, *restrict ez = c->z;
  REAL *restrict flux = c->flux, *restrict low = c->low, *restrict high = c->high;
  const REAL *restrict kx = k[0], *restrict ky = k[1], *restrict kz = k[2];
  VECTORISE
  for (int64_t i = -1; i <= n; i++) {
    const REAL oy = own[i] - y[i], oz = own[i] - z[i], zd = z[i] - d[i], yd = y[i] - d[i];
    const REAL by = w.y * ((oy + oy) + zd), bz = w.z * ((oz + oz) + yd);
    r[i] = (oy + oy) + ((oz + oz) + (oz + zd));
    ey[i] = shared ? by + bz : by;
    if (!shared)
      ez[i] = bz;
  }
  VECTORISE
  for (int64_t i = -1; i < n; i++) {
    flux[i] += kx[i] * (w.x * (9 * (own[i] - own[i + 1]) - (r[i] - r[i + 1])));
    const REAL sy = ey[i] + ey[i + 1], sz = shared ? 0 : ez[i] + ez[i + 1];
    low[i] += shared ? kx[i] * (ey[i] + sy) : ky[i] * (ey[i] + sy) + kz[i] * (ez[i] + sz);
    high[i] += shared ? kx[i] * (ey[i + 1] + sy) : ky[i] * (ey[i + 1] + sy) + kz[i] * (ez[i + 1] + sz);
  }
}

/* A u of a row of variable K. */
static void elements_balance(const cv_elliptic *a, const cell_rows_scratch *c, const node_rows *u, int64_t j, int64_t k,
                             mass_row mass, REAL *restrict balance) {
  const int64_t n = a->box.n[0];
  const int shared = a->cells[0] == a->cells[1] && a->cells[0] == a->cells[2];
  const REAL *restrict h = AXIS(a->h[0]), *restrict rh = AXIS(a->rh[0]), *restrict own = u->r[1][1], *restrict m = mass.m;
  REAL *restrict flux = c->flux, *restrict low = c->low, *restrict high = c->high;
  for (int64_t i = -1; i < n; i++)
    flux[i] = low[i] = high[i] = 0;
  for (int q = 0; q < 2; q++)
    for (int p = 0; p < 2; p++) {
      const int64_t cell = (j - 1 + p) * a->box.sy + (k - 1 + q) * a->box.sz;
      const REAL *const kd[3] = {(const REAL *)a->cells[0] + cell, (const REAL *)a->cells[1] + cell,
                                 (const REAL *)a->cells[2] + cell};
      const cell_weights w = weights_of_cells(a, j - 1 + p, k - 1 + q);
      if (shared)
        cells_balance(1, c, w, own, u->r[1][2 * p], u->r[2 * q][1], u->r[2 * q][2 * p], kd, n);
      else
        cells_balance(0, c, w, own, u->r[1][2 * p], u->r[2 * q][1], u->r[2 * q][2 * p], kd, n);
    }
  VECTORISE
  for (int64_t i = 0; i < n; i++)
    balance[i] = ((rh[i] * flux[i] - rh[i - 1] * flux[i - 1]) + (h[i - 1] * high[i - 1] + h[i] * low[i])) +
                 mass.factor * m[i] * own[i];
}

/* The diagonal of the same. */
static void elements_diagonal(const cv_elliptic *a, const cell_rows_scratch *c, int64_t j, int64_t k, mass_row mass,
                              REAL *restrict diagonal) {
  const int64_t n = a->box.n[0];
  const REAL *restrict h = AXIS(a->h[0]), *restrict rh = AXIS(a->rh[0]), *restrict m = mass.m;
  const REAL part = a->box.sy ? 4 : 6; /* of 36: what a node has of its own cell */
  REAL *restrict sum = c->flux;
  for (int64_t i = -1; i < n; i++)
    sum[i] = 0;
  for (int q = 0; q < 2; q++)
    for (int p = 0; p < 2; p++) {
      const int64_t cell = (j - 1 + p) * a->box.sy + (k - 1 + q) * a->box.sz;
      const REAL *restrict kx = (const REAL *)a->cells[0] + cell, *restrict ky = (const REAL *)a->cells[1] + cell;
      const REAL *restrict kz = (const REAL *)a->cells[2] + cell;
      const cell_weights w = weights_of_cells(a, j - 1 + p, k - 1 + q);
      VECTORISE
      for (int64_t i = -1; i < n; i++)
        sum[i] += rh[i] * (w.x * kx[i]) + h[i] * (w.y * ky[i] + w.z * kz[i]);
    }
  VECTORISE
  for (int64_t i = 0; i < n; i++)
    diagonal[i] = part * (sum[i - 1] + sum[i]) + mass.factor * m[i];
}

/* A u (unless rows is NULL) and, if asked for, D of a row of variable K into s. */
static void elements_row(const cv_elliptic *a, const sweep_rows *s, const node_rows *rows, int64_t j, int64_t k, mass_row mass,
                         int diagonal) {
  if (rows)
    elements_balance(a, &s->cells, rows, j, k, mass, s->balance);
  if (diagonal)
    elements_diagonal(a, &s->cells, j, k, mass, s->diagonal);
}
