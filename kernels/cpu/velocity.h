/* Velocities on nodes and what is computed from them: NodeVelocity, NodeFlux, FlowStatistics, Streamfunction. */

/* Parts of the lower and upper face in the velocity of the nodes at position p of n: on a wall the wall face. */
static void face_parts(int periodic, int64_t p, int64_t n, double *low, double *high) {
  *low = *high = 0.5;
  if (periodic || n < 2)
    return;
  if (p == 0)
    *low = 1, *high = 0;
  if (p == n - 1)
    *low = 0, *high = 1;
}

static void node_velocity(const void *args, int64_t begin, int64_t end, char *scratch) {
  const cv_node_velocity_args *a = args;
  const int64_t nx = a->box.n[0], ny = a->box.n[1], n = a->box.n[a->axis];
  const int64_t stride = a->axis == 0 ? 1 : a->axis == 1 ? a->box.sy : a->box.sz;
  REAL *row = real_row(&scratch, nx);
  for (int64_t r = begin; r < end; r++) {
    const int64_t j = r % ny, k = r / ny, offset = j * a->box.sy + k * a->box.sz;
    const REAL *restrict q = (const REAL *)a->q + offset;
    REAL *out = (REAL *)a->out + offset, *restrict t = a->stream ? row : out;
    double low = 0.5, high = 0.5;
    if (a->axis > 0)
      face_parts(a->periodic, a->axis == 1 ? j : k, n, &low, &high);
    const REAL l = low, h = high;
    for (int64_t i = 0; i < nx; i++)
      t[i] = l * q[i - stride] + h * q[i];
    if (a->axis == 0 && !a->periodic) {
      t[0] = q[-1];
      t[nx - 1] = q[nx - 1];
    }
    if (a->stream)
      stream_row(out, t, nx);
  }
  stream_end();
}

/* Velocity along an axis of the nodes of row (j,k). */
static void velocity_row(const cv_node_flux_args *a, int axis, int64_t j, int64_t k, REAL *restrict u) {
  const cv_box *b = &a->a.box;
  const int64_t nx = b->n[0], stride = axis == 0 ? 1 : axis == 1 ? b->sy : b->sz;
  const REAL *restrict q = (const REAL *)a->q[axis] + j * b->sy + k * b->sz;
  double low = 0.5, high = 0.5;
  if (axis > 0)
    face_parts(a->periodic[axis], axis == 1 ? j : k, b->n[axis], &low, &high);
  const REAL l = low, h = high;
  for (int64_t i = 0; i < nx; i++)
    u[i] = l * q[i - stride] + h * q[i];
  if (axis == 0 && !a->periodic[0]) {
    u[0] = q[-1];
    u[nx - 1] = q[nx - 1];
  }
}

/* Factors of the two differences of a slope along x at all nodes of a row, and rows of work. */
typedef struct {
  REAL *a, *b, *rwx, *low, *high;
} slope_rows;

/* Slope of T along x at a node of a row, whose faces have K g. */
INLINE REAL slope_x(node_slope s, const REAL *t, const REAL *g) {
  return s.a * g[s.low] * (t[s.low + 1] - t[s.low]) + s.b * g[s.high] * (t[s.high + 1] - t[s.high]);
}

/* Slope of T along an axis at the nodes of row (j,k), times K if `conducts`. */
static void slope_row(const cv_node_flux_args *a, const slope_rows *s, int axis, int conducts, int64_t j, int64_t k, REAL *restrict out) {
  const cv_elliptic *e = &a->a;
  const int64_t nx = e->box.n[0], n = e->box.n[axis], sy = e->box.sy, sz = e->box.sz;
  REAL *restrict g = s->low, *restrict h = s->high;
  for (int64_t i = -1; !conducts && i < nx; i++)
    g[i] = h[i] = 1;
  if (axis == 0) {
    const REAL *restrict t = (const REAL *)a->t + j * sy + k * sz;
    if (conducts)
      edge_row(e, 0, 0, j, k, s->rwx, g);
    for (int64_t i = 0; i < nx; i++)
      out[i] = s->a[i] * g[i - 1] * (t[i] - t[i - 1]) + s->b[i] * g[i] * (t[i + 1] - t[i]);
    for (int64_t i = 0; !a->periodic[0] && i < nx; i += nx - 1)
      out[i] = slope_x(point_node_slope(AXIS(e->h[0]), AXIS(e->rh[0]), i, nx, 0), t, g);
    return;
  }
  const int64_t stride = axis == 1 ? sy : sz, line = axis == 1 ? k * sz : j * sy;
  const node_slope p = point_node_slope(AXIS(e->h[axis]), AXIS(e->rh[axis]), axis == 1 ? j : k, n, a->periodic[axis]);
  if (conducts) {
    edge_row(e, axis, 0, axis == 1 ? p.low : j, axis == 1 ? k : p.low, s->rwx, g);
    edge_row(e, axis, 0, axis == 1 ? p.high : j, axis == 1 ? k : p.high, s->rwx, h);
  }
  const REAL *restrict low = (const REAL *)a->t + line + p.low * stride, *restrict high = (const REAL *)a->t + line + p.high * stride;
  for (int64_t i = 0; i < nx; i++)
    out[i] = p.a * g[i] * (low[i + stride] - low[i]) + p.b * h[i] * (high[i + stride] - high[i]);
}

/* Takes what dispersion carries along a->axis off the row. */
static void disperse_nodes(const cv_node_flux_args *a, const slope_rows *s, int64_t j, int64_t k, REAL *u, REAL *slope, REAL *square, REAL *along, REAL *own,
                           REAL *restrict out) {
  const int64_t nx = a->a.box.n[0];
  memset(square, 0, nx * sizeof(REAL));
  memset(along, 0, nx * sizeof(REAL));
  for (int axis = 0; axis < 3; axis++) {
    if (axis == 1 && !a->a.box.sy)
      continue;
    velocity_row(a, axis, j, k, u);
    slope_row(a, s, axis, 0, j, k, slope);
    for (int64_t i = 0; i < nx; i++) {
      square[i] += u[i] * u[i];
      along[i] += u[i] * slope[i];
    }
    if (axis == a->axis)
      memcpy(own, slope, nx * sizeof(REAL));
  }
  velocity_row(a, a->axis, j, k, u);
  const REAL across = a->transverse, more = a->longitudinal - a->transverse;
  for (int64_t i = 0; i < nx; i++) {
    const REAL speed = sqrt((double)square[i]);
    if (speed > 0)
      out[i] -= across * speed * own[i] + more * u[i] * along[i] / speed;
  }
}

static void node_flux(const void *args, int64_t begin, int64_t end, char *scratch) {
  const cv_node_flux_args *a = args;
  const cv_elliptic *e = &a->a;
  const int64_t nx = e->box.n[0], ny = e->box.n[1];
  REAL *rows[10];
  for (int i = 0; i < 10; i++)
    rows[i] = real_row(&scratch, nx);
  const slope_rows s = {rows[0], rows[1], rows[2], rows[3], rows[4]};
  REAL *u = rows[5], *slope = rows[6];
  reciprocal_row(AXIS(e->w[0]), s.rwx, nx);
  for (int64_t i = 0; i < nx; i++) {
    const node_slope p = point_node_slope(AXIS(e->h[0]), AXIS(e->rh[0]), i, nx, a->periodic[0]);
    s.a[i] = p.a;
    s.b[i] = p.b;
  }
  for (int64_t r = begin; r < end; r++) {
    const int64_t j = r % ny, k = r / ny, offset = j * e->box.sy + k * e->box.sz;
    const REAL *restrict t = (const REAL *)a->t + offset;
    REAL *restrict out = (REAL *)a->out + offset;
    velocity_row(a, a->axis, j, k, u);
    slope_row(a, &s, a->axis, 1, j, k, slope);
    for (int64_t i = 0; i < nx; i++)
      out[i] = u[i] * t[i] - slope[i];
    if (a->longitudinal != 0 || a->transverse != 0)
      disperse_nodes(a, &s, j, k, u, slope, rows[7], rows[8], rows[9], out);
  }
}

/* Adds what the faces of one axis give to a row: |u|^2, the Courant rate (1/w from rw[i*step]) and the balance. */
INLINE void axis_statistics(int64_t n, const REAL *restrict q, int64_t stride, double low, double high,
                            const double *restrict rw, int64_t step, const double *restrict area, double scale,
                            double *restrict u2, double *restrict rate, double *restrict balance) {
  for (int64_t i = 0; i < n; i++) {
    const double a = q[i - stride], b = q[i], u = low * a + high * b, fa = fabs(a), fb = fabs(b);
    u2[i] += u * u;
    rate[i] += (fa > fb ? fa : fb) * rw[i * step];
    balance[i] += scale * area[i * (1 - step)] * (b - a);
  }
}

/* The velocity of the end nodes of a row is that of the wall face. */
static void wall_speed(int64_t n, const REAL *q, double *u2) {
  if (n < 2)
    return;
  u2[0] = (double)q[-1] * q[-1];
  u2[n - 1] = (double)q[n - 1] * q[n - 1];
}

static void flow_statistics(const void *args, int64_t begin, int64_t end, char *scratch) {
  const cv_flow_statistics_args *a = args;
  const int64_t n = a->box.n[0], ny = a->box.n[1], sy = a->box.sy, sz = a->box.sz;
  double *rwx = double_row(&scratch, n), *w = double_row(&scratch, n), *terms = double_row(&scratch, n);
  double *u2 = double_row(&scratch, n), *rate = double_row(&scratch, n), *balance = double_row(&scratch, n);
  const double one = 1;
  for (int64_t i = 0; i < n; i++) {
    w[i] = AXIS(a->w[0])[i];
    rwx[i] = 1 / w[i];
  }
  for (int64_t r = begin; r < end; r++) {
    const int64_t j = r % ny, k = r / ny, offset = j * sy + k * sz;
    const REAL *q[3] = {(const REAL *)a->q[0] + offset, a->q[1] ? (const REAL *)a->q[1] + offset : NULL,
                        (const REAL *)a->q[2] + offset};
    const double wy = AXIS(a->w[1])[j], wz = AXIS(a->w[2])[k], rwy = 1 / wy, rwz = 1 / wz;
    double low, high;
    memset(u2, 0, n * sizeof(double));
    memset(rate, 0, n * sizeof(double));
    memset(balance, 0, n * sizeof(double));
    axis_statistics(n, q[0], 1, 0.5, 0.5, rwx, 1, &one, wy * wz, u2, rate, balance);
    if (!a->periodic[0])
      wall_speed(n, q[0], u2);
    if (sy) {
      face_parts(a->periodic[1], j, ny, &low, &high);
      axis_statistics(n, q[1], sy, low, high, &rwy, 0, w, wz, u2, rate, balance);
    }
    face_parts(a->periodic[2], k, a->box.n[2], &low, &high);
    axis_statistics(n, q[2], sz, low, high, &rwz, 0, w, wy, u2, rate, balance);

    double *p = a->partial + r;
    for (int64_t i = 0; i < n; i++)
      terms[i] = w[i] * u2[i];
    p[0] = row_sum(terms, n) * (wy * wz);
    p[a->parts] = row_max(u2, n);
    p[2 * a->parts] = row_max(rate, n);
    p[4 * a->parts] = row_sum(balance, n);
    for (int64_t i = 0; i < n; i++) {
      balance[i] = fabs(balance[i]);
      terms[i] = balance[i] * rwx[i];
    }
    p[3 * a->parts] = row_max(terms, n) * (rwy * rwz);
    p[5 * a->parts] = row_sum(balance, n);
  }
}

/* Part of a node in what lies at the centre. */
static double centre_part(const cv_streamfunction_args *a, int axis, int64_t node) {
  const int64_t after = node - a->centre[axis];
  return after == 0 ? 1 - a->part[axis] : after == 1 ? a->part[axis] : 0;
}

/* Means of corner values over n nodes; at walls the one there is. */
static void corner_means(double *mean, const double *corner, int64_t n, int left, int right) {
  for (int64_t i = 0; i < n; i++)
    mean[i] = 0.5 * (corner[i] + corner[i + 1]);
  if (left)
    mean[0] = corner[0];
  if (right)
    mean[n - 1] = corner[n];
}

/* Shared out are parts of the columns of nodes. partial[p] and [parts + p] receive the largest |psi| of part p and what it has of psi at the centre. */
static void streamfunction(const void *args, int64_t begin, int64_t end, char *scratch) {
  const cv_streamfunction_args *a = args;
  const int64_t nx = a->box.n[0], nz = a->box.n[2], sz = a->box.sz;
  const REAL *w = a->w[0];
  double *corner = double_row(&scratch, nx + 1), *below = double_row(&scratch, nx), *above = double_row(&scratch, nx), *size = double_row(&scratch, nx);
  for (int64_t p = begin; p < end; p++) {
    const int64_t first = p * nx / a->parts, n = (p + 1) * nx / a->parts - first;
    const int left = !a->periodic[0] && first == 0, right = !a->periodic[0] && first + n == nx;
    const REAL *qx = (const REAL *)a->q[0] + first, *qz = (const REAL *)a->q[2] - sz;
    REAL *out = (REAL *)a->out + first;
    double largest = 0, centre = 0;
    corner[0] = 0;
    for (int64_t i = 0; i < first; i++)
      corner[0] += (double)w[i] * qz[i];
    for (int64_t i = 0; i < n; i++)
      corner[i + 1] = corner[i] + (double)w[first + i] * qz[first + i];
    corner_means(below, corner, n, left, right);
    for (int64_t k = 0; k < nz; k++, qx += sz, out += sz) {
      const double wz = AXIS(a->w[2])[k];
      const double share = !a->periodic[2] && k == 0 ? 1 : !a->periodic[2] && k == nz - 1 ? 0 : 0.5; /* of the corners below a node */
      for (int64_t i = 0; i <= n; i++)
        corner[i] -= wz * qx[i - 1];
      corner_means(above, corner, n, left, right);
      for (int64_t i = 0; i < n; i++) {
        const double psi = share * below[i] + (1 - share) * above[i];
        out[i] = psi;
        size[i] = fabs(psi);
      }
      const double most = row_max(size, n), in_plane = centre_part(a, 2, k);
      largest = most > largest || most != most ? most : largest;
      for (int64_t i = in_plane > 0 ? a->centre[0] : nx; i < a->centre[0] + 2; i++)
        if (i >= first && i < first + n && centre_part(a, 0, i) > 0)
          centre += centre_part(a, 0, i) * in_plane * (share * below[i - first] + (1 - share) * above[i - first]);
      double *t = below;
      below = above;
      above = t;
    }
    a->partial[p] = largest;
    a->partial[a->parts + p] = centre;
  }
}
