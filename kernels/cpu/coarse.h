/* SolveCoarse: conjugate gradients with diagonal preconditioning on a small grid, all in float64, on compact arrays
   with one halo layer. The scratch memory holds coarse_arrays of them, with 27 points coarse_arrays_27. */

enum { coarse_arrays = 10, coarse_arrays_27 = coarse_arrays - 3 + couplings };

typedef struct {
  int64_t n[3], sy, sz, len;             /* strides and length of a compact array */
  double *gx, *gy, *gz, *mass;           /* conductances of upper faces, s m */
  double *g[couplings];                  /* with 27 points: instead of gx, gy, gz */
  int64_t step[couplings];               /* from a node to those coupled by g */
  double *u, *r, *p, *q, *inverse, *own; /* 1/D; 1 on free nodes, else 0 */
} coarse;

static coarse coarse_new(const cv_elliptic *a, char *scratch) {
  const cv_box *b = &a->box;
  coarse c = {.n = {b->n[0], b->n[1], b->n[2]}, .sy = b->n[0] + 2, .sz = (b->n[0] + 2) * (b->n[1] + 2)};
  c.len = c.sz * (b->n[2] + 2);
  double **arrays[] = {&c.mass, &c.u, &c.r, &c.p, &c.q, &c.inverse, &c.own, &c.gx, &c.gy, &c.gz};
  const int common = a->points == 27 ? coarse_arrays - 3 : coarse_arrays;
  memset(scratch, 0, (a->points == 27 ? coarse_arrays_27 : coarse_arrays) * c.len * sizeof(double));
  for (int i = 0; i < common; i++)
    *arrays[i] = (double *)scratch + i * c.len;
  for (int i = 0; i < couplings && a->points == 27; i++) {
    c.g[i] = (double *)scratch + (common + i) * c.len;
    c.step[i] = coupled[i][0] + coupled[i][1] * c.sy + coupled[i][2] * c.sz;
  }
  return c;
}

static int64_t compact(const coarse *c, int64_t i, int64_t j, int64_t k) {
  return 1 + i + (1 + j) * c->sy + (1 + k) * c->sz;
}

#define FOR_NODES(c)                                                                                                  \
  for (int64_t k = 0; k < (c)->n[2]; k++)                                                                             \
    for (int64_t j = 0; j < (c)->n[1]; j++)                                                                           \
      for (int64_t i = 0, m = compact(c, 0, j, k); i < (c)->n[0]; i++, m++)

/* Conductances of the upper faces of all nodes, and of the lower faces of the first. */
static void coarse_conductances(const coarse *c, const cv_elliptic *a, char *scratch) {
  REAL *g = real_row(&scratch, c->n[0]);
  double *out[3] = {c->gx, c->gy, c->gz};
  for (int axis = 0; axis < 3; axis++)
    for (int64_t k = axis == 2 ? -1 : 0; k < c->n[2]; k++)
      for (int64_t j = axis == 1 ? -1 : 0; j < c->n[1]; j++) {
        edge_row(a, axis, 1, j, k, NULL, g);
        for (int64_t i = axis == 0 ? -1 : 0; i < c->n[0]; i++)
          out[axis][compact(c, i, j, k)] = (double)g[i] * AXIS(a->rh[axis])[axis == 0 ? i : axis == 1 ? j : k];
      }
}

static void coarse_diagonal(const coarse *c, const cv_elliptic *a) {
  FOR_NODES(c) {
    const mass_row mass = row_mass(a, j, k);
    const int64_t entry = mask_entry(&a->mask, j + k * c->n[1]);
    c->mass[m] = (double)mass.factor * mass.m[i];
    c->own[m] = entry == all_free || mask_row(&a->mask, entry)[i] != 0;
    double d = c->mass[m];
    if (a->points == 27)
      d += trilinear_sum(c->g, c->step, m);
    else
      d += c->gx[m] + c->gx[m - 1] + c->gy[m] + c->gy[m - c->sy] + c->gz[m] + c->gz[m - c->sz];
    c->inverse[m] = d != 0 ? c->own[m] / d : 0;
  }
}

/* Periodic halo of one array. */
static void coarse_wrap(const coarse *c, const int64_t *periodic, double *x) {
  if (c->g[0]) {
    trilinear_wrap(c->n, c->sy, c->sz, periodic, x);
    return;
  }
  const int64_t stride[3] = {1, c->sy, c->sz};
  for (int axis = 0; axis < 3; axis++) {
    if (!periodic[axis])
      continue;
    const int64_t b = (axis + 1) % 3, d = (axis + 2) % 3, n = c->n[axis] * stride[axis];
    for (int64_t l = 0; l < c->n[b] * c->n[d]; l++) {
      double *line = x + compact(c, 0, 0, 0) + l % c->n[b] * stride[b] + l / c->n[b] * stride[d];
      line[-stride[axis]] = line[n - stride[axis]];
      line[n] = line[0];
    }
  }
}

/* q = A x on free nodes, zero elsewhere. */
static void coarse_apply(const coarse *c, const double *restrict x, double *restrict q) {
  const double *restrict gx = c->gx, *restrict gy = c->gy, *restrict gz = c->gz;
  const double *restrict mass = c->mass, *restrict own = c->own;
  const int64_t sy = c->sy, sz = c->sz, last = compact(c, c->n[0] - 1, c->n[1] - 1, c->n[2] - 1);
  for (int64_t m = compact(c, 0, 0, 0); c->g[0] && m <= last; m++)
    q[m] = own[m] != 0 ? trilinear_balance(c->g, c->step, x, m) + mass[m] * x[m] : 0;
  for (int64_t m = compact(c, 0, 0, 0); !c->g[0] && m <= last; m++) {
    double bx = gx[m] * (x[m] - x[m + 1]) + gx[m - 1] * (x[m] - x[m - 1]);
    double by = gy[m] * (x[m] - x[m + sy]) + gy[m - sy] * (x[m] - x[m - sy]);
    double bz = gz[m] * (x[m] - x[m + sz]) + gz[m - sz] * (x[m] - x[m - sz]);
    q[m] = own[m] * ((bx + by) + (bz + mass[m] * x[m]));
  }
}

/* Sum of x y z in eight lanes. */
static double coarse_dot(int64_t n, const double *restrict x, const double *restrict y, const double *restrict z) {
  double s[8] = {0};
  int64_t i = 0;
  for (; i + 8 <= n; i += 8)
    for (int l = 0; l < 8; l++)
      s[l] += x[i + l] * y[i + l] * z[i + l];
  for (; i < n; i++)
    s[i % 8] += x[i] * y[i] * z[i];
  return ((s[0] + s[4]) + (s[2] + s[6])) + ((s[1] + s[5]) + (s[3] + s[7]));
}

static double coarse_volume(const cv_elliptic *a, int64_t i, int64_t j, int64_t k) {
  return (double)AXIS(a->w[0])[i] * AXIS(a->w[1])[j] * AXIS(a->w[2])[k];
}

/* Removes the mean: of a right side (integrated) or of a solution. */
static void coarse_consistent(const coarse *c, const cv_elliptic *a, double *x, int integrated) {
  double sum = 0, volume = 0;
  FOR_NODES(c) {
    double v = coarse_volume(a, i, j, k);
    sum += integrated ? x[m] : v * x[m];
    volume += v;
  }
  FOR_NODES(c)
    x[m] -= sum / volume * (integrated ? coarse_volume(a, i, j, k) : 1);
}

/* Conjugate gradients from the residual r until its norm is at most `target`; u is updated. On a singular problem r
   is kept consistent, because the part that rounding adds to the null space cannot shrink and would make u grow. */
static void coarse_iterate(const coarse *c, const cv_coarse_args *s, double target) {
  double *restrict u = c->u, *restrict r = c->r, *restrict p = c->p, *restrict q = c->q, *restrict inverse = c->inverse;
  const int64_t n = c->len, limit = smallest(4 * c->n[0] * c->n[1] * c->n[2] + 50, 5000);
  double rz = coarse_dot(n, r, r, inverse);
  memset(p, 0, n * sizeof(double));
  double beta = 0;
  for (int64_t it = 0; it < limit && rz > 0; it++) {
    for (int64_t m = 0; m < n; m++)
      p[m] = inverse[m] * r[m] + beta * p[m];
    coarse_wrap(c, s->periodic, p);
    coarse_apply(c, p, q);
    double pq = coarse_dot(n, p, q, c->own);
    if (!(pq > 0))
      return;
    const double alpha = rz / pq;
    for (int64_t m = 0; m < n; m++) {
      u[m] += alpha * p[m];
      r[m] -= alpha * q[m];
    }
    if (s->singular)
      coarse_consistent(c, &s->a, r, 1);
    if (sqrt(coarse_dot(n, r, r, c->own)) <= target)
      return;
    const double next = coarse_dot(n, r, r, inverse);
    beta = next / rz;
    rz = next;
  }
}

/* r = F - A u on free nodes. */
static void coarse_residual(const coarse *c, const cv_coarse_args *s) {
  coarse_wrap(c, s->periodic, c->u);
  coarse_apply(c, c->u, c->q);
  FOR_NODES(c)
    c->r[m] = c->own[m] * ((const REAL *)s->f)[i + j * s->a.box.sy + k * s->a.box.sz] - c->q[m];
  /* Twice: the first time leaves the rounding of the mean of F, which is not small beside a residual that is, and cannot be solved for. */
  for (int pass = 0; pass < 2 && s->singular; pass++)
    coarse_consistent(c, &s->a, c->r, 1);
}

/* Restarted from the true residual as long as that still falls fourfold. */
static void solve_coarse(const void *args, int64_t begin, int64_t end, char *scratch) {
  const cv_coarse_args *s = args;
  const coarse c = coarse_new(&s->a, scratch);
  (void)begin;
  (void)end;
  if (s->a.points == 27)
    trilinear_couplings(&s->a, c.sy, c.sz, c.g);
  else
    coarse_conductances(&c, &s->a, scratch + coarse_arrays * c.len * sizeof(double));
  coarse_diagonal(&c, &s->a);
  double target = 0, last = INFINITY;
  for (int pass = 0; pass < 4; pass++) {
    coarse_residual(&c, s);
    const double norm = sqrt(coarse_dot(c.len, c.r, c.r, c.own));
    if (pass == 0)
      target = s->tolerance * norm;
    if (!(norm > target && norm < 0.25 * last))
      break;
    last = norm;
    coarse_iterate(&c, s, target);
  }
  if (s->singular)
    coarse_consistent(&c, &s->a, c.u, 0);
  FOR_NODES(&c)
    ((REAL *)s->u)[i + j * s->a.box.sy + k * s->a.box.sz] = c.u[m];
}
