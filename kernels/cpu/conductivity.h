/* Rows of conductivity cells around a row of nodes, and averages over the four cells around an edge. */

/* Cell rows of one direction around node row (j,k): [a][b] holds the cells (., j-1+a, k-1+b). */
typedef struct {
  const REAL *r[2][2];
} cell_rows;

INLINE cell_rows cells_around(const cv_elliptic *a, int axis, int64_t j, int64_t k) {
  const REAL *p = (const REAL *)a->cells[axis] + j * a->box.sy + k * a->box.sz;
  const int64_t sy = a->box.sy, sz = a->box.sz;
  return (cell_rows){{{p - sy - sz, p - sy}, {p - sz, p}}};
}

/* hx-weighted sum of the cells left and right of node i. */
INLINE REAL beside(const REAL *cells, const REAL *h, int64_t i) { return h[i - 1] * cells[i - 1] + h[i] * cells[i]; }

/* Row of the mean conductivity of the upper faces of the nodes (., j, k) along an axis, from node -1 in x on; times
   the face's area if `area` is set. */
static void edge_row(const cv_elliptic *a, int axis, int area, int64_t j, int64_t k, const REAL *rwx, REAL *restrict g) {
  const int64_t n = a->box.n[0];
  const REAL *h = AXIS(a->h[0]), *w = AXIS(a->w[0]), *hy = AXIS(a->h[1]), *hz = AXIS(a->h[2]);
  const double wy = AXIS(a->w[1])[j], wz = AXIS(a->w[2])[k];
  const double part = axis == 0 ? (area ? 1 : 1 / (wy * wz)) : axis == 1 ? (area ? 1 : 1 / wz) : (area ? 1 : 1 / wy);
  if (!a->cells[0]) {
    const REAL c = a->k[axis] * (!area ? 1 : axis == 0 ? wy * wz : axis == 1 ? wz : wy);
    for (int64_t i = -1; i < n; i++)
      g[i] = axis == 0 || !area ? c : c * w[i];
    return;
  }
  const cell_rows c = cells_around(a, axis, j, k);
  if (axis == 0) {
    const REAL c00 = 0.25 * part * hy[j - 1] * hz[k - 1], c10 = 0.25 * part * hy[j] * hz[k - 1];
    const REAL c01 = 0.25 * part * hy[j - 1] * hz[k], c11 = 0.25 * part * hy[j] * hz[k];
    const REAL *x00 = c.r[0][0], *x10 = c.r[1][0], *x01 = c.r[0][1], *x11 = c.r[1][1];
    for (int64_t i = -1; i < n; i++)
      g[i] = point_average(c00, x00[i], c10, x10[i], c01, x01[i], c11, x11[i]);
    return;
  }
  const REAL *lo = axis == 1 ? c.r[1][0] : c.r[0][1], *hi = c.r[1][1];
  const REAL clo = 0.25 * part * (axis == 1 ? hz[k - 1] : hy[j - 1]), chi = 0.25 * part * (axis == 1 ? hz[k] : hy[j]);
  for (int64_t i = 0; i < n; i++)
    g[i] = clo * beside(lo, h, i) + chi * beside(hi, h, i);
  for (int64_t i = 0; !area && i < n; i++)
    g[i] *= rwx[i];
}

/* Row of the conductances of the upper faces of the nodes (., j, k) along x, from node -1 on. */
static void conductances_along_x(const cv_elliptic *a, int64_t j, int64_t k, REAL *restrict g) {
  const int64_t n = a->box.n[0];
  const REAL *rh = AXIS(a->rh[0]);
  edge_row(a, 0, 1, j, k, NULL, g);
  for (int64_t i = -1; i < n; i++)
    g[i] *= rh[i];
}

/* The same along y or z, from node 0 on. */
static void conductances_across(const cv_elliptic *a, int axis, int64_t j, int64_t k, REAL *restrict g) {
  const int64_t n = a->box.n[0];
  const REAL *h = AXIS(a->h[0]), *across = AXIS(a->h[3 - axis]) + (axis == 1 ? k : j);
  const cell_rows c = cells_around(a, axis, j, k);
  const REAL *low = axis == 1 ? c.r[1][0] : c.r[0][1], *high = c.r[1][1];
  const double quarter = 0.25 * AXIS(a->rh[axis])[axis == 1 ? j : k];
  const REAL of_low = quarter * across[-1], of_high = quarter * across[0];
  for (int64_t i = 0; i < n; i++)
    g[i] = of_low * beside(low, h, i) + of_high * beside(high, h, i);
}

/* 1 / wx. */
static void reciprocal_row(const REAL *w, REAL *restrict r, int64_t n) {
  for (int64_t i = 0; i < n; i++)
    r[i] = 1 / w[i];
}
