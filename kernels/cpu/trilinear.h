/* The elliptic operator of trilinear elements (kernels/doc.go): Apply, Residual and Smooth with 27 points.

   Row functions take the nine rows around a row of nodes by their pointers, so that rows may lie anywhere. A row is
   read from node -16 to the end of the vector after node n; what lies beyond walls is multiplied by zero.

   Everything is made of differences of u: a constant gives zero to the bit, and rounding is that of differences.

   Constant K is a tensor product, S along x and T across it:

     A u = Kx (wy wz kx u + S) + Mx T,  S = kx (My Mz - wy wz) u,  T = (ky Ky Mz + kz My Kz) u,

   S and T each a weighted sum of the eight differences to the middle row. Variable K goes cell by cell. */

/* The coefficients of a row of constant K: weights of the differences to the middle row in S and T. */
typedef struct {
  REAL along[3][3], across[3][3];
  REAL whole;         /* kx wy wz */
  REAL x, yz, mass;   /* the diagonal is x (1/hl + 1/hr) + yz w + mass m */
} trilinear_weights;

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

static trilinear_weights trilinear_row_weights(const cv_elliptic *a, int64_t j, int64_t k, REAL mass) {
  double my[3], ky[3], mz[3], kz[3];
  linear_elements(a, 1, j, my, ky);
  linear_elements(a, 2, k, mz, kz);
  trilinear_weights w = {.whole = a->k[0] * (my[0] + my[1] + my[2]) * (mz[0] + mz[1] + mz[2]), .mass = mass};
  for (int c = 0; c < 3; c++)
    for (int b = 0; b < 3; b++) {
      w.along[c][b] = a->k[0] * my[b] * mz[c];
      w.across[c][b] = a->k[1] * ky[b] * mz[c] + a->k[2] * my[b] * kz[c];
    }
  w.x = w.along[1][1];
  w.yz = 2 * (a->k[1] * ky[1] * mz[1] + a->k[2] * my[1] * kz[1]) / 3;
  return w;
}

/* Tells whether the cells on both sides of a row have the same weights. */
static int symmetric_row(const trilinear_weights *w) {
  return w->along[1][0] == w->along[1][2] && w->along[0][1] == w->along[2][1] && w->along[0][0] == w->along[2][2] &&
         w->along[0][2] == w->along[2][0] && w->along[0][0] == w->along[0][2] && w->across[1][0] == w->across[1][2] &&
         w->across[0][1] == w->across[2][1] && w->across[0][0] == w->across[2][2] &&
         w->across[0][2] == w->across[2][0] && w->across[0][0] == w->across[0][2];
}

/* S and T of the nodes -1..n. */
INLINE void across_row(int symmetric, const trilinear_weights *w, const node_rows *u, int64_t n, REAL *s, REAL *t) {
  const REAL(*p)[3] = w->along, (*q)[3] = w->across;
  for (int64_t i = -vector_width; i <= n; i += vector_width) {
    const vector v = load(u->r[1][1] + i);
#define D(c, b) (load(u->r[c][b] + i) - v)
    vector vs, vt;
    if (symmetric) {
      const vector y = D(1, 0) + D(1, 2), z = D(0, 1) + D(2, 1);
      const vector e = (D(0, 0) + D(0, 2)) + (D(2, 0) + D(2, 2));
      vs = p[1][0] * y + (p[0][1] * z + p[0][0] * e);
      vt = q[1][0] * y + (q[0][1] * z + q[0][0] * e);
    } else {
      const vector d00 = D(0, 0), d01 = D(0, 1), d02 = D(0, 2), d10 = D(1, 0), d12 = D(1, 2);
      const vector d20 = D(2, 0), d21 = D(2, 1), d22 = D(2, 2);
#define SUM(w)                                                                                                        \
  (((w[0][0] * d00 + w[0][1] * d01) + (w[0][2] * d02 + w[1][0] * d10)) +                                              \
   ((w[1][2] * d12 + w[2][0] * d20) + (w[2][1] * d21 + w[2][2] * d22)))
      vs = SUM(p);
      vt = SUM(q);
#undef SUM
    }
#undef D
    store(0, s + i, vs);
    store(0, t + i, vt);
  }
}

/* What the nodes of a row of constant K are computed from. */
typedef struct {
  const REAL *u, *s, *t, *f, *weight, *keep; /* not all are read for every op; keep: the mask */
  const REAL *rh, *h6, *w, *m;               /* h6 = h/6 */
  REAL whole, mass;
  REAL rx, wx, hx6; /* of a uniform axis */
} along_operands;

INLINE vector along_vector(int op, int uniform, int masked, const along_operands *r, int64_t i) {
  const vector v = load(r->u + i), s = load(r->s + i), t = load(r->t + i);
  const vector ul = v - load(r->u + i - 1), ur = v - load(r->u + i + 1);
  const vector sl = s - load(r->s + i - 1), sr = s - load(r->s + i + 1);
  const vector tl = load(r->t + i - 1) - t, tr = load(r->t + i + 1) - t;
  vector b;
  if (uniform)
    b = (r->rx * (r->whole * (ul + ur) + (sl + sr)) + (r->wx * t + r->hx6 * (tl + tr))) + r->mass * r->wx * v;
  else
    b = ((load(r->rh + i - 1) * (r->whole * ul + sl) + load(r->rh + i) * (r->whole * ur + sr)) +
         (load(r->w + i) * t + (load(r->h6 + i - 1) * tl + load(r->h6 + i) * tr))) +
        r->mass * load(r->m + i) * v;
  const vector x = FINISH(op, b, v, load(r->f + i), load(r->weight + i));
  return masked ? load(r->keep + i) * x : x;
}

INLINE void along_line(int op, int uniform, int masked, int stream, REAL *out, const along_operands *r, int64_t i) {
#pragma GCC unroll 4
  for (int64_t l = 0; l < line_width; l += vector_width)
    store(stream, out + l, along_vector(op, uniform, masked, r, i + l));
}

/* A row from S and T. The first and the last line are done as if their widths differed; the last is computed whole and
   its nodes are stored. */
INLINE void along_row(int op, int uniform, int masked, int stream, REAL *out, const along_operands *r, int64_t n) {
  REAL rest[line_width] __attribute__((aligned(64)));
  int64_t i = 0;
  if (n > line_width)
    along_line(op, 0, masked, stream, out, r, 0), i = line_width;
  for (; i + line_width < n; i += line_width)
    along_line(op, uniform, masked, stream, out + i, r, i);
  along_line(op, 0, masked, 0, rest, r, i);
  memcpy(out + i, rest, (n - i) * sizeof(REAL));
}

/* along_row by the row's kind. */
INLINE void along_kind(int op, int uniform, int masked, int stream, REAL *out, const along_operands *r, int64_t n) {
  if (uniform && !masked && stream)
    along_row(op, 1, 0, 1, out, r, n);
  else if (uniform && !masked)
    along_row(op, 1, 0, 0, out, r, n);
  else if (!masked)
    along_row(op, 0, 0, stream, out, r, n);
  else
    along_row(op, 0, 1, stream, out, r, n);
}

/* Weights of the row of cells (., j, k): hy hz / 36, hz / hy / 36, hy / hz / 36. */
typedef struct {
  REAL x, y, z;
} cell_weights;

static cell_weights weights_of_cells(const cv_elliptic *a, int64_t j, int64_t k) {
  const double hy = AXIS(a->h[1])[j], hz = AXIS(a->h[2])[k], ry = AXIS(a->rh[1])[j], rz = AXIS(a->rh[2])[k];
  return (cell_weights){hy * hz / 36, hz * ry / 36, hy * rz / 36};
}

/* Rows of one thread for variable K. */
typedef struct {
  REAL *r, *y, *z;        /* of one row of cells, at nodes */
  REAL *flux, *low, *high; /* sums over the four rows, at cells: hx times the flux in x, 1/hx times what y and z give to
                             the balance of the node on the left and on the right */
} cell_rows_scratch;

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
static void elements_row(const cv_elliptic *a, const cell_rows_scratch *c, const node_rows *u, int64_t j, int64_t k,
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

/* What one thread keeps between rows. */
typedef struct {
  REAL *s, *t, *h6;             /* of constant K */
  cell_rows_scratch cells;      /* of variable K */
  REAL *balance, *diagonal;
  REAL *weight, *masked, *keep; /* omega/D of a row, the same on free nodes, the mask */
  trilinear_weights key;        /* gave the weights, if kept */
  int kept, uniform;            /* uniform: all cells in x have one width */
} trilinear_scratch;

enum { trilinear_rows = 14 };

static trilinear_scratch trilinear_new(char *scratch, const cv_elliptic *a) {
  const int64_t n = a->box.n[0];
  trilinear_scratch s = {.uniform = n > 2};
  REAL **rows[trilinear_rows] = {&s.s, &s.t, &s.h6, &s.cells.r, &s.cells.y, &s.cells.z, &s.cells.flux, &s.cells.low,
                                 &s.cells.high, &s.balance, &s.diagonal, &s.weight, &s.masked, &s.keep};
  for (int r = 0; r < trilinear_rows; r++)
    *rows[r] = real_row(&scratch, n);
  for (int64_t i = 1; i < n - 1; i++)
    s.uniform &= AXIS(a->rh[0])[i] == AXIS(a->rh[0])[0];
  for (int64_t i = -1; i < n; i++)
    s.h6[i] = AXIS(a->h[0])[i] / 6;
  return s;
}

/* omega/D of row (j,k), zero at fixed nodes, whose mask is m (NULL: all free). */
static const REAL *trilinear_point_weights(const cv_elliptic *a, trilinear_scratch *s, REAL omega,
                                           const trilinear_weights *c, mass_row mass, const REAL *m) {
  const int64_t n = a->box.n[0];
  const REAL *rh = AXIS(a->rh[0]), *w = AXIS(a->w[0]), *d = s->diagonal;
  REAL *restrict weight = s->weight;
  if (a->cells[0]) {
    for (int64_t i = 0; i < n; i++)
      weight[i] = point_weight(omega, d[i]);
  } else if (!s->kept || mass.m != w || s->key.x != c->x || s->key.yz != c->yz || s->key.mass != c->mass) {
    for (int64_t i = 0; i < n; i++)
      weight[i] = point_weight(omega, (c->x * (rh[i - 1] + rh[i]) + c->yz * w[i]) + c->mass * mass.m[i]);
    s->kept = 1;
    s->key = *c;
  }
  if (!m)
    return weight;
  for (int64_t i = 0; i < n; i++)
    s->masked[i] = m[i] != 0 ? weight[i] : 0;
  return s->masked;
}

/* out from A u: a row of variable K. */
INLINE void elements_finish(int op, int64_t n, REAL *out, const REAL *b, const REAL *u, const REAL *f,
                            const REAL *weight, const REAL *m) {
  VECTORISE
  for (int64_t i = 0; i < n; i++) {
    const REAL x = FINISH(op, b[i], u[i], f[i], weight[i]);
    out[i] = m ? m[i] * x : x;
  }
}

/* Row (j,k) of constant K. m: the mask, NULL if all nodes are free or op keeps fixed ones by their weight. */
INLINE void constant_trilinear_row(int op, const cv_elliptic *a, trilinear_scratch *s, const trilinear_weights *c,
                                   const node_rows *u, const REAL *f, const REAL *weight, const REAL *m, mass_row mass,
                                   int stream, REAL *out) {
  const int64_t n = a->box.n[0];
  const REAL *rh = AXIS(a->rh[0]), *w = AXIS(a->w[0]);
  if (symmetric_row(c))
    across_row(1, c, u, n, s->s, s->t);
  else
    across_row(0, c, u, n, s->s, s->t);
  if (m)
    memcpy(s->keep, m, n * sizeof(REAL));
  const along_operands r = {u->r[1][1], s->s, s->t, f, weight, s->keep, rh, s->h6, w, mass.m,
                            c->whole, mass.factor, rh[1], w[1], s->h6[1]};
  along_kind(op, s->uniform && mass.m == w, m != NULL, stream, out, &r, n);
}

INLINE void trilinear_row(int op, const cv_sweep_args *args, trilinear_scratch *s, int64_t j, int64_t k) {
  const cv_elliptic *a = &args->a;
  const int64_t n = a->box.n[0], offset = j * a->box.sy + k * a->box.sz;
  const REAL *u = args->u ? (const REAL *)args->u + offset : NULL, *f = (const REAL *)args->f + offset;
  REAL *out = (REAL *)args->out + offset;
  const int64_t entry = mask_entry(&a->mask, j + k * a->box.n[1]);
  const int single = op == op_residual && args->single;
  if (entry == all_fixed) {
    if (single)
      finish_single(args, entry, offset, NULL, NULL);
    else
      fixed_row(op, n, out, u);
    return;
  }
  const mass_row mass = row_mass(a, j, k);
  const node_rows rows = rows_around(u ? u : f, a->box.sy, a->box.sz);
  const REAL *m = entry == all_free ? NULL : mask_row(&a->mask, entry), *weight = NULL;
  const trilinear_weights c = trilinear_row_weights(a, j, k, mass.factor);
  if (op == op_smooth) {
    if (a->cells[0])
      elements_diagonal(a, &s->cells, j, k, mass, s->diagonal);
    weight = trilinear_point_weights(a, s, args->omega, &c, mass, m);
    m = NULL;
  }
  REAL *t = args->stream || single ? s->diagonal : out;
  if (u && !a->cells[0]) {
    if (!single) {
      constant_trilinear_row(op, a, s, &c, &rows, f, weight, m, mass, args->stream, out);
      return;
    }
    constant_trilinear_row(op, a, s, &c, &rows, f, weight, NULL, mass, 0, t);
  } else if (u) {
    elements_row(a, &s->cells, &rows, j, k, mass, s->balance);
    elements_finish(op, n, t, s->balance, u, f, weight, single ? NULL : m);
  } else
    for (int64_t i = 0; i < n; i++)
      t[i] = weight[i] * f[i];
  if (single)
    finish_single(args, entry, offset, t, s->balance);
  else if (args->stream)
    stream_row(out, t, n);
}

INLINE void trilinear_sweep(int op, const cv_sweep_args *args, int64_t begin, int64_t end, char *scratch) {
  trilinear_scratch s = trilinear_new(scratch, &args->a);
  FOR_ROWS(args->a.box.n[1], begin, end, args->strip)
    trilinear_row(op, args, &s, j, k);
  stream_end();
}

static void trilinear_apply(const void *args, int64_t begin, int64_t end, char *scratch) {
  trilinear_sweep(op_apply, args, begin, end, scratch);
}

static void trilinear_residual(const void *args, int64_t begin, int64_t end, char *scratch) {
  trilinear_sweep(op_residual, args, begin, end, scratch);
}

static void trilinear_smooth(const void *args, int64_t begin, int64_t end, char *scratch) {
  trilinear_sweep(op_smooth, args, begin, end, scratch);
}
