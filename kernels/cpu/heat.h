/* Sums over faces: HeatFlux and Dissipation. A row's partial holds the upper faces of its nodes. */

/* How many of the nodes of a row along x own an upper face. */
INLINE int64_t faces_x(const cv_darcy_args *a) { return a->a.box.n[0] - !a->periodic[0]; }

INLINE int has_upper_face(const cv_darcy_args *a, int axis, int64_t j, int64_t k) {
  const int64_t p = axis == 1 ? j : k;
  return a->periodic[axis] || p < a->a.box.n[axis] - 1;
}

static void heat_flux(const void *args, int64_t begin, int64_t end, char *scratch) {
  const cv_darcy_args *a = args;
  const cv_elliptic *e = &a->a;
  const int axis = a->axis;
  const int64_t nx = e->box.n[0], ny = e->box.n[1], stride = axis == 0 ? 1 : axis == 1 ? e->box.sy : e->box.sz;
  const cv_advect_args flow = {.box = e->box, .q = {a->q[0], a->q[1], a->q[2]}, .t = a->t, .scheme = a->scheme,
                             .periodic = {a->periodic[0], a->periodic[1], a->periodic[2]}};
  double *restrict terms = double_row(&scratch, nx);
  REAL *restrict g = real_row(&scratch, nx), *restrict heat = real_row(&scratch, nx);
  for (int64_t r = begin; r < end; r++) {
    const int64_t j = r % ny, k = r / ny;
    const REAL *restrict t = (const REAL *)a->t + j * e->box.sy + k * e->box.sz;
    const REAL *restrict w = AXIS(e->w[0]), *restrict h = AXIS(e->h[axis]);
    const double wy = AXIS(e->w[1])[j], wz = AXIS(e->w[2])[k];
    a->partial[r] = 0;
    if (axis > 0 && !has_upper_face(a, axis, j, k))
      continue;
    edge_row(e, axis, 1, j, k, NULL, g);
    if (axis == 0) {
      face_heat_x(&flow, j, k, heat);
      for (int64_t i = 0; i < faces_x(a); i++)
        terms[i] = wy * wz * h[i] * heat[i] - (double)g[i] * ((double)t[i + 1] - t[i]);
      a->partial[r] = row_sum(terms, faces_x(a));
      continue;
    }
    face_heat_across(&flow, axis, j, k, heat);
    const double c = axis == 1 ? wz * h[j] : wy * h[k];
    for (int64_t i = 0; i < nx; i++)
      terms[i] = c * w[i] * heat[i] - (double)g[i] * ((double)t[i + stride] - t[i]);
    a->partial[r] = row_sum(terms, nx);
  }
}

/* Sum of g (T_+ - T)^2 over n upper faces of a row, c[i*step] = 1/h. */
static double squares_row(double *restrict terms, const REAL *restrict g, const REAL *restrict t, int64_t stride,
                          int64_t n, const REAL *c, int64_t step) {
  for (int64_t i = 0; i < n; i++) {
    const double d = (double)t[i + stride] - t[i];
    terms[i] = (double)g[i] * c[i * step] * (d * d);
  }
  return row_sum(terms, n);
}

static void dissipation(const void *args, int64_t begin, int64_t end, char *scratch) {
  const cv_darcy_args *a = args;
  const cv_elliptic *e = &a->a;
  const int64_t nx = e->box.n[0], ny = e->box.n[1], sy = e->box.sy, sz = e->box.sz;
  double *terms = double_row(&scratch, nx);
  REAL *g = real_row(&scratch, nx);
  for (int64_t r = begin; r < end; r++) {
    const int64_t j = r % ny, k = r / ny;
    const REAL *t = (const REAL *)a->t + j * sy + k * sz;
    edge_row(e, 0, 1, j, k, NULL, g);
    double sum = squares_row(terms, g, t, 1, faces_x(a), AXIS(e->rh[0]), 1);
    if (sy && has_upper_face(a, 1, j, k)) {
      edge_row(e, 1, 1, j, k, NULL, g);
      sum += squares_row(terms, g, t, sy, nx, AXIS(e->rh[1]) + j, 0);
    }
    if (has_upper_face(a, 2, j, k)) {
      edge_row(e, 2, 1, j, k, NULL, g);
      sum += squares_row(terms, g, t, sz, nx, AXIS(e->rh[2]) + k, 0);
    }
    a->partial[r] = sum;
  }
}
