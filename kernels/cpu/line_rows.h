/* The vertical tridiagonal part of A, row by row from the lowest up: for LineSmooth. */

typedef struct {
  REAL *excess, *upper; /* of a row: the diagonal of A without the vertical conductances, conductances to the nodes above */
  REAL *work, *along;
  REAL *layer, *below; /* 27 points: what the cells above and below the row tie to nodes beside their columns */
} line_rows;

/* Conductances of the faces above row (j,k), 7 points. */
static void seven_upper(const cv_elliptic *a, int64_t j, int64_t k, REAL *restrict g) {
  const REAL rz = AXIS(a->rh[2])[k];
  edge_row(a, 2, 1, j, k, NULL, g);
  for (int64_t i = 0; i < a->box.n[0]; i++)
    g[i] *= rz;
}

/* What ties row (j,k) to others in its plane, 7 points. */
static void seven_excess(const cv_elliptic *a, int64_t j, int64_t k, REAL *restrict edge, REAL *restrict excess) {
  const int64_t n = a->box.n[0];
  const REAL *rh = AXIS(a->rh[0]), *ry = AXIS(a->rh[1]);
  edge_row(a, 0, 1, j, k, NULL, edge);
  for (int64_t i = 0; i < n; i++)
    excess[i] = rh[i - 1] * edge[i - 1] + rh[i] * edge[i];
  for (int side = 0; a->box.sy && side < 2; side++) {
    const REAL r = ry[j - 1 + side];
    edge_row(a, 1, 1, j - 1 + side, k, NULL, edge);
    for (int64_t i = 0; i < n; i++)
      excess[i] += r * edge[i];
  }
}

/* Adds g_x + g_y and g_z of the row of cells (., j, k), g_d = k_d V / (36 h_d^2), to sums at the cells. */
INLINE void add_cells(const cv_elliptic *a, int constant, int64_t j, int64_t k, REAL *restrict across, REAL *restrict along) {
  const cell_weights w = weights_of_cells(a, j, k);
  const int64_t cell = j * a->box.sy + k * a->box.sz;
  const REAL *restrict h = AXIS(a->h[0]), *restrict rh = AXIS(a->rh[0]);
  const REAL *restrict kx = (const REAL *)a->cells[0] + cell, *restrict ky = (const REAL *)a->cells[1] + cell;
  const REAL *restrict kz = (const REAL *)a->cells[2] + cell;
  const REAL x = w.x * (constant ? a->k[0] : 1), y = w.y * (constant ? a->k[1] : 1), z = w.z * (constant ? a->k[2] : 1);
  VECTORISE
  for (int64_t i = -1; i < a->box.n[0]; i++) {
    across[i] += constant ? rh[i] * x + h[i] * y : rh[i] * (x * kx[i]) + h[i] * (y * ky[i]);
    along[i] += constant ? h[i] * z : h[i] * (z * kz[i]);
  }
}

/* The layer of cells above row (j,k) of trilinear elements. Of the matrix of a cell two nodes above each other have 4 (g_x + g_y +
   g_z) on the diagonal and 2 (g_x + g_y) - 4 g_z beside it, so that 6 (g_x + g_y) tie each to nodes beside the column. In 2-D it is
   6 and 3, and 9 g_x, of a row of cells that is met twice. */
static void trilinear_layer(const cv_elliptic *a, line_rows *t, int64_t j, int64_t k) {
  const int64_t n = a->box.n[0];
  const REAL part = a->box.sy ? 4 : 6;
  REAL *restrict across = t->work, *restrict along = t->along, *restrict upper = t->upper, *restrict layer = t->layer;
  memset(across - 1, 0, (n + 1) * sizeof(REAL));
  memset(along - 1, 0, (n + 1) * sizeof(REAL));
  for (int p = 0; p < 2; p++)
    if (a->cells[0])
      add_cells(a, 0, j - 1 + p, k, across, along);
    else
      add_cells(a, 1, j - 1 + p, k, across, along);
  VECTORISE
  for (int64_t i = 0; i < n; i++) {
    const REAL sum = across[i - 1] + across[i];
    upper[i] = part * ((along[i - 1] + along[i]) - (REAL)0.5 * sum);
    layer[i] = part * ((REAL)1.5 * sum);
  }
}

/* Prepares for the lowest row of row j of columns; `upper` is then that from the topmost node to the lowest. */
static void line_begin(const cv_elliptic *a, line_rows *t, int64_t j) {
  if (a->points == 27)
    trilinear_layer(a, t, j, -1);
  else
    seven_upper(a, j, -1, t->upper);
}

/* T on row (j,k), the row below having been the last. */
static void line_row(const cv_elliptic *a, line_rows *t, int64_t j, int64_t k) {
  const mass_row mass = row_mass(a, j, k);
  REAL *restrict excess = t->excess;
  if (a->points == 27) {
    REAL *restrict below = t->layer, *restrict above = t->below;
    t->below = below;
    t->layer = above;
    trilinear_layer(a, t, j, k);
    for (int64_t i = 0; i < a->box.n[0]; i++)
      excess[i] = below[i] + above[i];
  } else {
    seven_upper(a, j, k, t->upper);
    seven_excess(a, j, k, t->work, excess);
  }
  for (int64_t i = 0; i < a->box.n[0]; i++)
    excess[i] += mass.factor * mass.m[i];
}
