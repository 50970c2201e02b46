/* Rows of trilinear elements of variable K (kernels/doc.go): A u from the four rows of cells around a row of nodes, and its diagonal. */

/* Weights of the row of cells (., j, k): hy hz / 36, hz / hy / 36, hy / hz / 36. */
typedef struct {
  REAL x, y, z;
} cell_weights;

static cell_weights weights_of_cells(const cv_elliptic *a, int64_t j, int64_t k) {
  const double hy = AXIS(a->h[1])[j], hz = AXIS(a->h[2])[k], ry = AXIS(a->rh[1])[j], rz = AXIS(a->rh[2])[k];
  return (cell_weights){hy * hz / 36, hz * ry / 36, hy * rz / 36};
}

/* The four rows of cells around a row of nodes, [q][p] above (q) and behind (p) it or not. */
typedef struct {
  const REAL *k[3][2][2];
  cell_weights w[2][2];
} cells_of_row;

static cells_of_row cells_of(const cv_elliptic *a, int64_t j, int64_t k) {
  cells_of_row c;
  for (int q = 0; q < 2; q++)
    for (int p = 0; p < 2; p++) {
      c.w[q][p] = weights_of_cells(a, j - 1 + p, k - 1 + q);
      for (int d = 0; d < 3; d++)
        c.k[d][q][p] = (const REAL *)a->cells[d] + (j - 1 + p) * a->box.sy + (k - 1 + q) * a->box.sz;
    }
  return c;
}

/* What nodes i.. give to the cells on both sides in each of the four rows: to the flux in x, and to what y and z give to the
   balance (where one K serves all directions together in y). */
typedef struct {
  vector u, r[2][2], y[2][2], z[2][2];
} node_parts;

INLINE node_parts parts_of_nodes(int shared, const cells_of_row *c, const node_rows *rows, int64_t i) {
  node_parts n = {.u = load(rows->r[1][1] + i)};
#pragma GCC unroll 2
  for (int q = 0; q < 2; q++)
#pragma GCC unroll 2
    for (int p = 0; p < 2; p++) {
      const vector y = load(rows->r[1][2 * p] + i), z = load(rows->r[2 * q][1] + i), d = load(rows->r[2 * q][2 * p] + i);
      const vector oy = n.u - y, oz = n.u - z, zd = z - d, yd = y - d;
      const vector to_y = c->w[q][p].y * ((oy + oy) + zd), in_z = (oz + oz) + yd;
      n.r[q][p] = (oy + oy) + ((oz + oz) + (oz + zd));
      n.y[q][p] = shared ? madd(splat(c->w[q][p].z), in_z, to_y) : to_y;
      if (!shared)
        n.z[q][p] = c->w[q][p].z * in_z;
    }
  return n;
}

/* What the cells i.. give to the balance of the node on their left and on their right. */
typedef struct {
  vector left, right;
} cell_sums;

INLINE cell_sums sums_of_cells(int shared, const cells_of_row *c, const node_parts *n, const node_parts *next, vector h, vector rh,
                               int64_t i) {
  const vector along = (REAL)9 * (n->u - lanes_after(n->u, next->u));
  vector flux = splat(0), low = splat(0), high = splat(0);
#pragma GCC unroll 2
  for (int q = 0; q < 2; q++)
#pragma GCC unroll 2
    for (int p = 0; p < 2; p++) {
      const vector kx = load(c->k[0][q][p] + i), ky = shared ? kx : load(c->k[1][q][p] + i);
      const vector y = n->y[q][p], y_next = lanes_after(y, next->y[q][p]), both = y + y_next;
      flux = madd(kx, c->w[q][p].x * (along - (n->r[q][p] - lanes_after(n->r[q][p], next->r[q][p]))), flux);
      low = madd(ky, y + both, low);
      high = madd(ky, y_next + both, high);
      if (!shared) {
        const vector kz = load(c->k[2][q][p] + i), z = n->z[q][p], z_next = lanes_after(z, next->z[q][p]), sum = z + z_next;
        low = madd(kz, z + sum, low);
        high = madd(kz, z_next + sum, high);
      }
    }
  const vector out = rh * flux;
  return (cell_sums){madd(h, low, out), madd(h, high, -out)};
}

/* A u of a row of variable K. */
INLINE void elements_balance(int shared, const cv_elliptic *a, const node_rows *rows, int64_t j, int64_t k, mass_row mass,
                             REAL *balance) {
  const int64_t n = a->box.n[0];
  const REAL *h = AXIS(a->h[0]), *rh = AXIS(a->rh[0]);
  const cells_of_row c = cells_of(a, j, k);
  node_parts own = parts_of_nodes(shared, &c, rows, 0);
  vector before = splat(0);
  if (rh[-1] != 0) { /* of which the last lane counts */
    const node_parts low = parts_of_nodes(shared, &c, rows, -vector_width);
    before = sums_of_cells(shared, &c, &low, &own, splat(h[-1]), splat(rh[-1]), -vector_width).right;
  }
  for (int64_t i = 0; i < n; i += vector_width) {
    const node_parts next = parts_of_nodes(shared, &c, rows, i + vector_width);
    const cell_sums s = sums_of_cells(shared, &c, &own, &next, load(h + i), load(rh + i), i);
    store(0, balance + i, madd(mass.factor * load(mass.m + i), own.u, s.left + lanes_before(before, s.right)));
    before = s.right;
    own = next;
  }
}

/* The diagonal of the same. */
static void elements_diagonal(const cv_elliptic *a, REAL *restrict sum, int64_t j, int64_t k, mass_row mass,
                              REAL *restrict diagonal) {
  const int64_t n = a->box.n[0];
  const REAL *restrict h = AXIS(a->h[0]), *restrict rh = AXIS(a->rh[0]), *restrict m = mass.m;
  const REAL part = a->box.sy ? 4 : 6; /* of 36: what a node has of its own cell */
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
  const int shared = a->cells[0] == a->cells[1] && a->cells[0] == a->cells[2];
  if (rows && shared)
    elements_balance(1, a, rows, j, k, mass, s->balance);
  else if (rows)
    elements_balance(0, a, rows, j, k, mass, s->balance);
  if (diagonal)
    elements_diagonal(a, s->cells, j, k, mass, s->diagonal);
}
