/* Rows of trilinear elements of variable K (kernels/doc.go), row of cells by row of cells: A u and its diagonal. */

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
