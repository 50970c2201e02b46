/* Operations on the nodes of a side: SetWall, WallSum, WallThrough, WallFlux. */

/* Line b of a side, along x, or along z where x is normal to it: its first node and the distance between nodes, in the array of nodes and in that of the wall. */
typedef struct {
  int64_t first, step, wall, wall_step, count;
} wall_line;

static wall_line line_of(const cv_box *box, int64_t side, int64_t b) {
  const int axis = side / 2;
  const int64_t stride[3] = {1, box->sy, box->sz};
  const int64_t end = side % 2 ? (box->n[axis] - 1) * stride[axis] : 0;
  if (axis == 0)
    return (wall_line){end + b * box->sy, box->sz, b, box->n[1], box->n[2]};
  return (wall_line){end + b * (axis == 2 ? box->sy : box->sz), 1, b * box->n[0], 1, box->n[0]};
}

static void set_wall(const void *args, int64_t begin, int64_t end, char *scratch) {
  const cv_set_wall_args *a = args;
  (void)scratch;
  for (int64_t b = begin; b < end; b++) {
    const wall_line l = line_of(&a->box, a->side, b);
    const REAL *where = (const REAL *)a->where + l.wall, *value = (const REAL *)a->value + l.wall;
    REAL *x = (REAL *)a->x + l.first;
    for (int64_t i = 0; i < l.count; i++)
      if (where[i * l.wall_step] != 0)
        x[i * l.step] = value[i * l.wall_step];
  }
}

static void wall_sum(const void *args, int64_t begin, int64_t end, char *scratch) {
  const cv_wall_sum_args *a = args;
  double *terms = double_row(&scratch, largest(a->box.n[0], a->box.n[2]));
  for (int64_t b = begin; b < end; b++) {
    const wall_line l = line_of(&a->box, a->side, b);
    const REAL *weight = (const REAL *)a->weight + l.wall, *x = (const REAL *)a->x + l.first;
    for (int64_t i = 0; i < l.count; i++)
      terms[i] = (double)weight[i * l.wall_step] * x[i * l.step];
    a->partial[b] = row_sum(terms, l.count);
  }
}

static void wall_through(const void *args, int64_t begin, int64_t end, char *scratch) {
  const cv_wall_through_args *a = args;
  const int axis = a->side / 2, high = a->side % 2;
  const int64_t most = largest(a->box.n[0], a->box.n[2]), stride[3] = {1, a->box.sy, a->box.sz};
  double *flow = double_row(&scratch, most), *carried = double_row(&scratch, most);
  for (int64_t b = begin; b < end; b++) {
    const wall_line l = line_of(&a->box, a->side, b);
    const REAL *weight = (const REAL *)a->weight + l.wall, *inflow = (const REAL *)a->inflow;
    const REAL *t = (const REAL *)a->t + l.first, *q = (const REAL *)a->q + l.first - (high ? 0 : stride[axis]);
    for (int64_t i = 0; i < l.count; i++) {
      const double in = high ? -q[i * l.step] : q[i * l.step];
      const int64_t w = l.wall + i * l.wall_step;
      flow[i] = weight[i * l.wall_step] * in;
      carried[i] = flow[i] * (in > 0 && inflow ? inflow[w] : t[i * l.step]);
    }
    a->partial[b] = row_sum(flow, l.count);
    a->partial[a->parts + b] = row_sum(carried, l.count);
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
