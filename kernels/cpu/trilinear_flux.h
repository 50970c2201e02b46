/* Fluxes of trilinear elements through the dual faces (kernels/doc.go): BuoyancySource, DarcyFlux, HeatFlux and
   Dissipation with 27 points. Every row of faces adds up what the rows of cells beside its row of nodes give to the
   edges above the nodes. */

/* Rows of one thread. */
typedef struct {
  REAL *k[3];                   /* constant K as rows of cells */
  REAL *b_own, *b_beside;       /* b of the edges in z at the row's nodes, and at those of its neighbour in y */
  REAL *edge;                   /* differences of the edges, twice those of the row plus those beside it */
  REAL *low[3], *high[3];       /* fluxes along the axes: at cells, to the face of the node on the left and on the right */
  REAL *rwx, *out;
} flux_rows;

enum { flux_rows_used = 14 };

static flux_rows flux_rows_new(char *scratch, const cv_elliptic *a) {
  const int64_t n = a->box.n[0];
  flux_rows s;
  REAL **rows[flux_rows_used] = {&s.k[0],   &s.k[1],   &s.k[2],   &s.b_own,   &s.b_beside, &s.edge, &s.low[0],
                                 &s.low[1], &s.low[2], &s.high[0], &s.high[1], &s.high[2], &s.rwx,  &s.out};
  for (int r = 0; r < flux_rows_used; r++)
    *rows[r] = real_row(&scratch, n);
  for (int d = 0; d < 3; d++)
    for (int64_t i = -1; i < n; i++)
      s.k[d][i] = a->k[d];
  reciprocal_row(AXIS(a->w[0]), s.rwx, n);
  return s;
}

/* A row of cells as seen from one of its rows of nodes, the lower or upper (own_y, own_z: 0 or 1) along y and z. */
typedef struct {
  const REAL *own, *y, *z, *d; /* rows of u: the own, the neighbours in y, in z and in both */
  const REAL *k[3];
  cell_weights w;
  double hy, hz, ry, rz;
  int own_y, own_z;
} cell_row;

static cell_row cell_row_at(const cv_elliptic *a, const flux_rows *s, const node_rows *u, int64_t j, int64_t k, int p, int q) {
  const int64_t cj = j - 1 + p, ck = k - 1 + q, cell = cj * a->box.sy + ck * a->box.sz;
  cell_row c = {.own = u->r[1][1], .y = u->r[1][2 * p], .z = u->r[2 * q][1], .d = u->r[2 * q][2 * p]};
  for (int d = 0; d < 3; d++)
    c.k[d] = a->cells[0] ? (const REAL *)a->cells[d] + cell : s->k[d];
  c.w = weights_of_cells(a, cj, ck);
  c.hy = AXIS(a->h[1])[cj], c.hz = AXIS(a->h[2])[ck], c.ry = AXIS(a->rh[1])[cj], c.rz = AXIS(a->rh[2])[ck];
  c.own_y = !p, c.own_z = !q;
  return c;
}

/* b = hz Ra theta of the edges in z between the rows t and t + sz of T, which are row k of nodes and the next. */
static void buoyant_edges(const cv_darcy_args *a, const REAL *restrict t, int64_t k, double hz, REAL *restrict b) {
  const int64_t n = a->a.box.n[0], nz = a->a.box.n[2];
  const REAL low = AXIS(a->mean)[(k + nz) % nz], high = AXIS(a->mean)[(k + 1) % nz], c = hz * a->rayleigh;
  const REAL *restrict above = t + a->a.box.sz;
  for (int64_t i = -1; i <= n; i++)
    b[i] = c * point_theta(t[i], low, above[i], high);
}

/* The same for both rows of nodes of the cells (., j-1+p, k-1+q). */
static void buoyant_cells(const cv_darcy_args *a, flux_rows *s, int64_t j, int64_t k, int p, int q) {
  const int64_t ck = k - 1 + q, offset = j * a->a.box.sy + ck * a->a.box.sz;
  const REAL *t = (const REAL *)a->t + offset;
  const double hz = AXIS(a->a.h[2])[ck];
  buoyant_edges(a, t, ck, hz, s->b_own);
  buoyant_edges(a, t + (2 * p - 1) * a->a.box.sy, ck, hz, s->b_beside);
}

/* Natural fluxes in x along the edges of the own row. */
static void flux_along(const cv_elliptic *a, flux_rows *s, const cell_row *c) {
  const REAL *restrict own = c->own, *restrict y = c->y, *restrict z = c->z, *restrict d = c->d, *restrict k = c->k[0];
  const REAL *restrict rh = AXIS(a->rh[0]), w = c->w.x;
  REAL *restrict out = s->low[0];
  VECTORISE
  for (int64_t i = -1; i < a->box.n[0]; i++) {
    const REAL beside = (y[i] - y[i + 1]) + (z[i] - z[i + 1]);
    out[i] += k[i] * rh[i] * (w * (4 * (own[i] - own[i + 1]) + ((beside + beside) + (d[i] - d[i + 1]))));
  }
}

/* Natural fluxes in y or z along the edges between the own row and its neighbour, from s->edge. */
static void flux_across(const cv_elliptic *a, flux_rows *s, const cell_row *c, int axis, REAL sign) {
  const REAL *restrict e = s->edge, *restrict k = c->k[axis], *restrict h = AXIS(a->h[0]);
  const REAL w = sign * (axis == 1 ? c->w.y : c->w.z);
  REAL *restrict low = s->low[axis], *restrict high = s->high[axis];
  VECTORISE
  for (int64_t i = -1; i < a->box.n[0]; i++) {
    const REAL both = e[i] + e[i + 1], weight = k[i] * h[i] * w;
    low[i] += weight * (both + e[i]);
    high[i] += weight * (both + e[i + 1]);
  }
}

/* Adds the circulations of buoyancy to the natural fluxes: gamma of doc.go, each over the number of edges. */
static void add_circulation(const cv_elliptic *a, flux_rows *s, const cell_row *c) {
  const REAL *restrict own = s->b_own, *restrict beside = s->b_beside;
  const REAL *restrict kx = c->k[0], *restrict ky = c->k[1], *restrict kz = c->k[2];
  const REAL *restrict h = AXIS(a->h[0]), *restrict rh = AXIS(a->rh[0]);
  const REAL ry2 = c->ry * c->ry, rz2 = c->rz * c->rz, area = c->hy * c->hz / -24;
  const REAL sy = c->own_y ? -1 : 1, sz = c->own_z ? -1 : 1; /* the signs of the own row in the transforms */
  const REAL to_y = c->own_y ? 0 : 1, to_z = c->own_z ? 0 : 1; /* only edges above the own row */
  REAL *restrict x = s->low[0], *restrict yl = s->low[1], *restrict yh = s->high[1];
  REAL *restrict zl = s->low[2], *restrict zh = s->high[2];
  VECTORISE
  for (int64_t i = -1; i < a->box.n[0]; i++) {
    const REAL wx = kx[i] * (rh[i] * rh[i]), wy = ky[i] * ry2, wz = kz[i] * rz2, v = area * h[i] * wz;
    const REAL left = own[i] - beside[i], right = own[i + 1] - beside[i + 1];
    const REAL b10 = (own[i] - own[i + 1]) + (beside[i] - beside[i + 1]), b01 = sy * (left + right), b11 = sy * (left - right);
    const REAL gx = v * point_weight(wx, wx + wz) * b10, gy = v * point_weight(wy, wy + wz) * b01;
    const REAL g = v * point_weight(4 * b11, 3 * (wx + (wy + wz)));
    x[i] += sz * gx + (sy * sz) * (wx * g);
    yl[i] += to_y * (sz * gy + sz * (wy * g));
    yh[i] += to_y * (sz * gy - sz * (wy * g));
    zl[i] -= to_z * ((gx + sy * gy) + sy * ((wx + wy) * g));
    zh[i] -= to_z * ((sy * gy - gx) - sy * ((wx + wy) * g));
  }
}

/* s->edge from the own row and its neighbour `to` along the edges, and from the rows beside them. */
static void edge_differences(flux_rows *s, int64_t n, const REAL *restrict from, const REAL *restrict to,
                             const REAL *restrict from_beside, const REAL *restrict to_beside) {
  REAL *restrict e = s->edge;
  VECTORISE
  for (int64_t i = -1; i <= n; i++) {
    const REAL own = from[i] - to[i];
    e[i] = (own + own) + (from_beside[i] - to_beside[i]);
  }
}

static void add_buoyancy(flux_rows *s, int64_t n) {
  const REAL *restrict own = s->b_own, *restrict beside = s->b_beside;
  REAL *restrict e = s->edge;
  for (int64_t i = -1; i <= n; i++)
    e[i] += (own[i] + own[i]) + beside[i];
}

static void clear_fluxes(flux_rows *s, int64_t n) {
  for (int d = 0; d < 3; d++)
    for (int64_t i = -1; i < n; i++)
      s->low[d][i] = s->high[d][i] = 0;
}

/* Fluxes of u along the edges above row (j,k), all axes; with buoyancy (b not NULL) those nearest to the fluxes of its edges. */
static void element_fluxes(const cv_elliptic *a, const cv_darcy_args *b, flux_rows *s, const REAL *u, int64_t j, int64_t k) {
  const int64_t n = a->box.n[0];
  const node_rows rows = rows_around(u, a->box.sy, a->box.sz);
  clear_fluxes(s, n);
  for (int q = 0; q < 2; q++)
    for (int p = 0; p < 2; p++) {
      const cell_row c = cell_row_at(a, s, &rows, j, k, p, q);
      flux_along(a, s, &c);
      if (p) {
        edge_differences(s, n, c.own, c.y, c.z, c.d);
        flux_across(a, s, &c, 1, 1);
      }
      if (b)
        buoyant_cells(b, s, j, k, p, q);
      if (q) {
        edge_differences(s, n, c.own, c.z, c.y, c.d);
        if (b)
          add_buoyancy(s, n);
        flux_across(a, s, &c, 2, 1);
      }
      if (b)
        add_circulation(a, s, &c);
    }
  for (int d = 1; d < 3; d++)
    for (int64_t i = n - 1; i >= 0; i--)
      s->low[d][i] += s->high[d][i - 1];
}

static void trilinear_source(const void *args, int64_t begin, int64_t end, char *scratch) {
  const cv_darcy_args *a = args;
  const cv_elliptic *e = &a->a;
  const int64_t n = e->box.n[0], ny = e->box.n[1];
  flux_rows s = flux_rows_new(scratch, e);
  for (int64_t r = begin; r < end; r++) {
    const int64_t j = r % ny, k = r / ny, offset = j * e->box.sy + k * e->box.sz;
    const node_rows rows = rows_around((const REAL *)a->t + offset, e->box.sy, e->box.sz);
    REAL *out = (REAL *)a->f + offset, *f = a->stream ? s.out : out;
    clear_fluxes(&s, n);
    for (int q = 0; q < 2; q++)
      for (int p = 0; p < 2; p++) {
        const cell_row c = cell_row_at(e, &s, &rows, j, k, p, q);
        buoyant_cells(a, &s, j, k, p, q);
        for (int64_t i = -1; i <= n; i++)
          s.edge[i] = 0;
        add_buoyancy(&s, n);
        flux_across(e, &s, &c, 2, q ? -1 : 1);
      }
    for (int64_t i = 0; i < n; i++)
      f[i] = s.low[2][i] + s.high[2][i - 1];
    wall_source(a, j, k, f);
    if (a->stream)
      stream_row(out, f, n);
  }
  stream_end();
}

static void trilinear_darcy_flux(const void *args, int64_t begin, int64_t end, char *scratch) {
  const cv_darcy_args *a = args;
  const cv_elliptic *e = &a->a;
  const int64_t n = e->box.n[0], ny = e->box.n[1];
  flux_rows s = flux_rows_new(scratch, e);
  for (int64_t r = begin; r < end; r++) {
    const int64_t j = r % ny, k = r / ny, offset = j * e->box.sy + k * e->box.sz;
    const double wy = AXIS(e->w[1])[j], wz = AXIS(e->w[2])[k];
    const REAL across[3] = {1 / (wy * wz), 1 / wz, 1 / wy};
    element_fluxes(e, a, &s, (const REAL *)a->p + offset, j, k);
    for (int axis = 0; axis < 3; axis++) {
      if ((axis == 1 && !e->box.sy) || (axis > 0 && !has_upper_face(a, axis, j, k)))
        continue;
      const int64_t faces = axis == 0 ? faces_x(a) : n;
      REAL *out = (REAL *)a->q[axis] + offset, *t = a->stream ? s.out : out;
      const REAL *restrict flux = s.low[axis], *restrict rwx = s.rwx, c = across[axis];
      for (int64_t i = 0; i < faces; i++)
        t[i] = axis == 0 ? c * flux[i] : c * (rwx[i] * flux[i]);
      if (a->stream)
        stream_row(out, t, faces);
    }
  }
  stream_end();
}

static void trilinear_heat_flux(const void *args, int64_t begin, int64_t end, char *scratch) {
  const cv_darcy_args *a = args;
  const cv_elliptic *e = &a->a;
  const int axis = a->axis;
  const int64_t n = e->box.n[0], ny = e->box.n[1];
  const cv_advect_args flow = {.box = e->box, .q = {a->q[0], a->q[1], a->q[2]}, .t = a->t, .scheme = a->scheme,
                             .periodic = {a->periodic[0], a->periodic[1], a->periodic[2]}};
  double *terms = double_row(&scratch, n);
  flux_rows s = flux_rows_new(scratch, e);
  for (int64_t r = begin; r < end; r++) {
    const int64_t j = r % ny, k = r / ny;
    const REAL *h = AXIS(e->h[axis]), *w = AXIS(e->w[0]);
    const double wy = AXIS(e->w[1])[j], wz = AXIS(e->w[2])[k];
    const int64_t faces = axis == 0 ? faces_x(a) : n;
    a->partial[r] = 0;
    if (axis > 0 && !has_upper_face(a, axis, j, k))
      continue;
    element_fluxes(e, NULL, &s, (const REAL *)a->t + j * e->box.sy + k * e->box.sz, j, k);
    if (axis == 0)
      face_heat_x(&flow, j, k, s.out);
    else
      face_heat_across(&flow, axis, j, k, s.out);
    for (int64_t i = 0; i < faces; i++) {
      const double distance = axis == 0 ? h[i] : axis == 1 ? h[j] : h[k];
      const double area = axis == 0 ? wy * wz : axis == 1 ? wz * w[i] : wy * w[i];
      terms[i] = distance * (area * s.out[i] + s.low[axis][i]);
    }
    a->partial[r] = row_sum(terms, faces);
  }
}

static void trilinear_dissipation(const void *args, int64_t begin, int64_t end, char *scratch) {
  const cv_darcy_args *a = args;
  const cv_elliptic *e = &a->a;
  const int64_t n = e->box.n[0], ny = e->box.n[1], stride[3] = {1, e->box.sy, e->box.sz};
  double *terms = double_row(&scratch, n);
  flux_rows s = flux_rows_new(scratch, e);
  for (int64_t r = begin; r < end; r++) {
    const int64_t j = r % ny, k = r / ny;
    const REAL *t = (const REAL *)a->t + j * e->box.sy + k * e->box.sz;
    element_fluxes(e, NULL, &s, t, j, k);
    a->partial[r] = 0;
    for (int axis = 0; axis < 3; axis++) {
      if ((axis == 1 && !e->box.sy) || (axis > 0 && !has_upper_face(a, axis, j, k)))
        continue;
      const int64_t faces = axis == 0 ? faces_x(a) : n;
      for (int64_t i = 0; i < faces; i++)
        terms[i] = ((double)t[i] - t[i + stride[axis]]) * s.low[axis][i];
      a->partial[r] += row_sum(terms, faces);
    }
  }
}
