/* Darcy's law: BuoyancySource and DarcyFlux. */

/* g *= Ra theta_f on the faces above row (j,k) in z. Returns 0, and does nothing, at a wall. */
static int buoyancy_row(const cv_darcy_args *a, int64_t j, int64_t k, REAL *restrict g) {
  const cv_box *b = &a->a.box;
  const int64_t n = b->n[0], nz = b->n[2];
  if (!a->periodic[2] && (k < 0 || k >= nz - 1))
    return 0;
  const REAL *restrict low = (const REAL *)a->t + j * b->sy + k * b->sz, *restrict high = low + b->sz;
  const REAL mean_low = AXIS(a->mean)[(k + nz) % nz], mean_high = AXIS(a->mean)[(k + 1) % nz], ra = a->rayleigh;
  for (int64_t i = 0; i < n; i++)
    g[i] *= ra * point_theta(low[i], mean_low, high[i], mean_high);
  return 1;
}

/* Subtracts the outflow through the walls of row (j,k). */
static void wall_source(const cv_darcy_args *a, int64_t j, int64_t k, REAL *f) {
  const cv_elliptic *e = &a->a;
  const int64_t n = e->box.n[0], sy = e->box.sy, sz = e->box.sz, offset = j * sy + k * sz;
  const REAL *w = AXIS(e->w[0]), wy = AXIS(e->w[1])[j], wz = AXIS(e->w[2])[k];
  if (a->q[0] && !a->periodic[0]) {
    const REAL *q = (const REAL *)a->q[0] + offset, area = (double)wy * wz;
    f[0] += area * q[-1];
    f[n - 1] -= area * q[n - 1];
  }
  for (int axis = 1; axis < 3; axis++) {
    const int64_t p = axis == 1 ? j : k, s = axis == 1 ? sy : sz;
    const REAL side = axis == 1 ? wz : wy;
    if (!a->q[axis] || a->periodic[axis] || s == 0)
      continue;
    const REAL *restrict q = (const REAL *)a->q[axis] + offset;
    for (int64_t i = 0; p == 0 && i < n; i++)
      f[i] += side * w[i] * q[i - s];
    for (int64_t i = 0; p == e->box.n[axis] - 1 && i < n; i++)
      f[i] -= side * w[i] * q[i];
  }
}

static void buoyancy_source(const void *args, int64_t begin, int64_t end, char *scratch) {
  const cv_darcy_args *a = args;
  const cv_elliptic *e = &a->a;
  const int64_t n = e->box.n[0], ny = e->box.n[1];
  REAL *restrict low = real_row(&scratch, n), *restrict high = real_row(&scratch, n), *row = real_row(&scratch, n);
  for (int64_t r = begin; r < end; r++) {
    const int64_t j = r % ny, k = r / ny;
    REAL *out = (REAL *)a->f + j * e->box.sy + k * e->box.sz, *restrict f = a->stream ? row : out;
    edge_row(e, 2, 1, j, k - 1, NULL, low);
    edge_row(e, 2, 1, j, k, NULL, high);
    const int has_low = buoyancy_row(a, j, k - 1, low), has_high = buoyancy_row(a, j, k, high);
    for (int64_t i = 0; i < n; i++)
      f[i] = (has_low ? low[i] : 0) - (has_high ? high[i] : 0);
    wall_source(a, j, k, f);
    if (a->stream)
      stream_row(out, f, n);
  }
  stream_end();
}

/* out = -k (P_+ - P) / h on n faces; rh[i*step] = 1/h. */
INLINE void flux_row(REAL *restrict out, const REAL *restrict k, const REAL *restrict p, int64_t stride,
                     const REAL *restrict rh, int64_t step, int64_t n) {
  for (int64_t i = 0; i < n; i++)
    out[i] = k[i] * (rh[i * step] * (p[i] - p[i + stride]));
}

static void flux_z(const cv_darcy_args *a, REAL *restrict out, const REAL *restrict kz, int64_t offset, int64_t k) {
  const cv_box *b = &a->a.box;
  const int64_t n = b->n[0], nz = b->n[2], sz = b->sz;
  const REAL *restrict p = (const REAL *)a->p + offset, *restrict t = (const REAL *)a->t + offset;
  const REAL mean_low = AXIS(a->mean)[k], mean_high = AXIS(a->mean)[(k + 1) % nz];
  const REAL rh = AXIS(a->a.rh[2])[k], ra = a->rayleigh;
  for (int64_t i = 0; i < n; i++)
    out[i] = kz[i] * (rh * (p[i] - p[i + sz]) + ra * point_theta(t[i], mean_low, t[i + sz], mean_high));
}

static void darcy_flux(const void *args, int64_t begin, int64_t end, char *scratch) {
  const cv_darcy_args *a = args;
  const cv_elliptic *e = &a->a;
  const int64_t n = e->box.n[0], ny = e->box.n[1], sy = e->box.sy;
  REAL *g = real_row(&scratch, n), *rwx = real_row(&scratch, n), *row = real_row(&scratch, n);
  reciprocal_row(AXIS(e->w[0]), rwx, n);
  for (int64_t r = begin; r < end; r++) {
    const int64_t j = r % ny, k = r / ny, offset = j * sy + k * e->box.sz;
    const REAL *p = (const REAL *)a->p + offset;
    for (int axis = 0; axis < 3; axis++) {
      if ((axis == 1 && !sy) || (axis > 0 && !has_upper_face(a, axis, j, k)))
        continue;
      const int64_t faces = axis == 0 ? faces_x(a) : n;
      REAL *out = (REAL *)a->q[axis] + offset, *t = a->stream ? row : out;
      edge_row(e, axis, 0, j, k, rwx, g);
      if (axis == 0)
        flux_row(t, g, p, 1, AXIS(e->rh[0]), 1, faces);
      else if (axis == 1)
        flux_row(t, g, p, sy, AXIS(e->rh[1]) + j, 0, faces);
      else
        flux_z(a, t, g, offset, k);
      if (a->stream)
        stream_row(out, t, faces);
    }
  }
  stream_end();
}
