/* Operations on the nodes of a side: SetWall, WallSum, WallThrough, WallFlux. */

/* Line b of a side: element of its first node, distance between nodes. */
static void wall_line(const cv_box *box, int64_t side, int64_t b, int64_t *first, int64_t *step) {
  const int axis = side / 2;
  const int64_t stride[3] = {1, box->sy, box->sz};
  *first = (side % 2 ? (box->n[axis] - 1) * stride[axis] : 0) + b * (axis == 2 ? box->sy : box->sz);
  *step = axis == 0 ? box->sy : 1;
}

static void set_wall(const void *args, int64_t begin, int64_t end, char *scratch) {
  const cv_set_wall_args *a = args;
  const int64_t fast = a->box.n[a->side / 2 == 0 ? 1 : 0];
  (void)scratch;
  for (int64_t b = begin; b < end; b++) {
    const REAL *where = (const REAL *)a->where + b * fast, *value = (const REAL *)a->value + b * fast;
    int64_t first, step;
    wall_line(&a->box, a->side, b, &first, &step);
    REAL *x = (REAL *)a->x + first;
    for (int64_t i = 0; i < fast; i++)
      if (where[i] != 0)
        x[i * step] = value[i];
  }
}

static void wall_sum(const void *args, int64_t begin, int64_t end, char *scratch) {
  const cv_wall_sum_args *a = args;
  const int64_t fast = a->box.n[a->side / 2 == 0 ? 1 : 0];
  double *terms = double_row(&scratch, fast);
  for (int64_t b = begin; b < end; b++) {
    const REAL *weight = (const REAL *)a->weight + b * fast;
    int64_t first, step;
    wall_line(&a->box, a->side, b, &first, &step);
    const REAL *x = (const REAL *)a->x + first;
    for (int64_t i = 0; i < fast; i++)
      terms[i] = (double)weight[i] * x[i * step];
    a->partial[b] = row_sum(terms, fast);
  }
}

static void wall_through(const void *args, int64_t begin, int64_t end, char *scratch) {
  const cv_wall_through_args *a = args;
  const int axis = a->side / 2, high = a->side % 2;
  const int64_t fast = a->box.n[axis == 0 ? 1 : 0], stride[3] = {1, a->box.sy, a->box.sz};
  double *flow = double_row(&scratch, fast), *carried = double_row(&scratch, fast);
  for (int64_t b = begin; b < end; b++) {
    const REAL *weight = (const REAL *)a->weight + b * fast, *inflow = (const REAL *)a->inflow;
    int64_t first, step;
    wall_line(&a->box, a->side, b, &first, &step);
    const REAL *t = (const REAL *)a->t + first, *q = (const REAL *)a->q + first - (high ? 0 : stride[axis]);
    for (int64_t i = 0; i < fast; i++) {
      const double in = high ? -q[i * step] : q[i * step];
      flow[i] = weight[i] * in;
      carried[i] = flow[i] * (in > 0 && inflow ? inflow[b * fast + i] : t[i * step]);
    }
    a->partial[b] = row_sum(flow, fast);
    a->partial[a->parts + b] = row_sum(carried, fast);
  }
}

/* The share of node p (i,j,k) on a side; 0 where it does not lie on it. */
static double wall_share(const cv_wall_flux_args *a, int side, const int64_t p[3]) {
  const int axis = side / 2, fast = axis == 0 ? 1 : 0, slow = axis == 2 ? 1 : 2;
  if (!a->share[side] || p[axis] != (side % 2 ? a->box.n[axis] - 1 : 0))
    return 0;
  return ((const REAL *)a->share[side])[p[fast] + p[slow] * a->box.n[fast]];
}

/* Faces of node p on one axis: area and velocities of the lower and upper face, zero if shared. */
static double wall_outflow(const cv_wall_flux_args *a, const int64_t p[3]) {
  const int64_t stride[3] = {1, a->box.sy, a->box.sz};
  const int64_t at = p[0] + p[1] * stride[1] + p[2] * stride[2];
  double sum = 0;
  for (int axis = 0; axis < 3; axis++) {
    if (!a->q[axis])
      continue;
    const REAL *q = (const REAL *)a->q[axis] + at;
    const int b = (axis + 1) % 3, c = (axis + 2) % 3;
    const double area = (double)AXIS(a->w[b])[p[b]] * AXIS(a->w[c])[p[c]];
    const double low = wall_share(a, 2 * axis, p) != 0 ? 0 : q[-stride[axis]];
    const double high = wall_share(a, 2 * axis + 1, p) != 0 ? 0 : q[0];
    sum += area * (high - low);
  }
  return -sum;
}

/* Rows are visited; only those on a side with shares, and the ends of the others, have work. */
static void wall_flux(const void *args, int64_t begin, int64_t end, char *scratch) {
  const cv_wall_flux_args *a = args;
  const int64_t stride[3] = {1, a->box.sy, a->box.sz}, nx = a->box.n[0], ny = a->box.n[1], nz = a->box.n[2];
  (void)scratch;
  for (int64_t r = begin; r < end; r++) {
    const int64_t j = r % ny, k = r / ny;
    const int whole = (j == 0 && a->share[2]) || (j == ny - 1 && a->share[3]) || (k == 0 && a->share[4]) ||
                      (k == nz - 1 && a->share[5]);
    for (int64_t i = 0; i < nx; i += whole || nx < 2 ? 1 : nx - 1) {
      const int64_t p[3] = {i, j, k}, at = i + j * stride[1] + k * stride[2];
      double outflow = 0;
      int known = 0;
      for (int side = 0; side < 6; side++) {
        const double share = wall_share(a, side, p);
        if (share == 0)
          continue;
        if (!known)
          outflow = wall_outflow(a, p);
        known = 1;
        const int axis = side / 2, b = (axis + 1) % 3, c = (axis + 2) % 3;
        const double area = (double)AXIS(a->w[b])[p[b]] * AXIS(a->w[c])[p[c]];
        REAL *q = (REAL *)a->q[axis] + at;
        q[side % 2 ? 0 : -stride[axis]] = (side % 2 ? 1 : -1) * share * outflow / area;
      }
    }
  }
}
