/* Dispersion by the flow: Dispersivity and Disperse. */

/* The square roots of a vector. The compiler makes none of a loop with sqrt, which may set errno. */
INLINE vector square_root(vector v) {
#if VECTOR == 64
  return sizeof(REAL) == 4 ? (vector)_mm512_sqrt_ps((__m512)v) : (vector)_mm512_sqrt_pd((__m512d)v);
#elif VECTOR == 32
  return sizeof(REAL) == 4 ? (vector)_mm256_sqrt_ps((__m256)v) : (vector)_mm256_sqrt_pd((__m256d)v);
#elif defined(__SSE2__)
  return sizeof(REAL) == 4 ? (vector)_mm_sqrt_ps((__m128)v) : (vector)_mm_sqrt_pd((__m128d)v);
#else
  for (int l = 0; l < vector_width; l++)
    v[l] = sizeof(REAL) == 4 ? (REAL)sqrtf((float)v[l]) : (REAL)sqrt((double)v[l]);
  return v;
#endif
}

/* point_slowness of a row from -1 on, in place; whole vectors of it are changed. */
INLINE void slowness_row(REAL *square, int64_t n) {
  const vector one = splat(1), rest = splat(point_rest);
  for (int64_t i = -1; i < n; i += vector_width) {
    const vector v = load(square + i);
    const lanes moves = v > rest;
    const vector slowness = one / square_root((vector)(((lanes)v & moves) | ((lanes)rest & ~moves)));
    memcpy(square + i, &slowness, sizeof slowness);
  }
}

/* Rows of faces around a row of cells: along x four, along y and z two, which may be zeros. */
typedef struct {
  const REAL *x[4], *y[2], *z[2];
} cell_faces;

/* |u|^2 at the centres of cells -1..n-1. */
INLINE void square_row(const cell_faces *f, int64_t n, REAL *restrict out) {
  const REAL *restrict x0 = f->x[0], *restrict x1 = f->x[1], *restrict x2 = f->x[2], *restrict x3 = f->x[3];
  const REAL *restrict y0 = f->y[0], *restrict y1 = f->y[1], *restrict z0 = f->z[0], *restrict z1 = f->z[1];
  VECTORISE
  for (int64_t i = -1; i < n; i++) {
    const REAL x = (REAL)0.25 * ((x0[i] + x1[i]) + (x2[i] + x3[i]));
    const REAL y = (REAL)0.25 * ((y0[i] + y0[i + 1]) + (y1[i] + y1[i + 1]));
    const REAL z = (REAL)0.25 * ((z0[i] + z0[i + 1]) + (z1[i] + z1[i + 1]));
    out[i] = x * x + (y * y + z * z);
  }
}

/* K, a row or a number, and length |u| besides, from |u|^2 and 1/|u|. Returns the largest length |u|. */
INLINE double raise_row(REAL *restrict out, const REAL *restrict k, REAL constant, REAL length, const REAL *restrict square, const REAL *restrict slowness, int64_t n,
                        double *restrict terms) {
  VECTORISE
  for (int64_t i = 0; i < n; i++) {
    const REAL more = length * (square[i] * slowness[i]);
    out[i] = (k ? k[i] : constant) + more;
    terms[i] = more;
  }
  return row_max(terms, n);
}

static void dispersivity(const void *args, int64_t begin, int64_t end, char *scratch) {
  const cv_dispersivity_args *a = args;
  const int64_t n = a->count[0], ny = a->count[1], sy = a->box.sy, sz = a->box.sz;
  const REAL length = a->length, constant = a->k;
  REAL *zero = real_row(&scratch, n + 1), *restrict square = real_row(&scratch, n), *restrict slowness = real_row(&scratch, n);
  double *restrict terms = double_row(&scratch, n);
  for (int64_t i = -1; i <= n; i++)
    zero[i] = 0;
  for (int64_t r = begin; r < end; r++) {
    const int64_t at = r % ny * sy + r / ny * sz;
    const REAL *x = (const REAL *)a->q[0] + at, *y = sy ? (const REAL *)a->q[1] + at : NULL, *z = (const REAL *)a->q[2] + at;
    const cell_faces f = {{x, x + sy, x + sz, x + sy + sz}, {y ? y : zero, y ? y + sz : zero}, {z, z + sy}};
    const REAL *k = a->cells ? (const REAL *)a->cells + at : NULL;
    REAL *out = (REAL *)a->out + at;
    square_row(&f, n, square);
    memcpy(slowness - 1, square - 1, (n + 1) * sizeof(REAL));
    slowness_row(slowness, n);
    a->partial[r] = raise_row(out, k, constant, length, square, slowness, n, terms);
  }
}

/* Rows of one thread of Disperse. */
typedef struct {
  REAL *zero;                   /* of cells */
  REAL *slowness[2][2];         /* of the rows of cells around a row of nodes: below and above, before and after */
  REAL *own_x, *own_y, *own_z;  /* limited slopes of its nodes along the axes */
  REAL *next_x, *next_z;        /* of the row after it, and of others */
  REAL *beside;
  REAL *low, *high;             /* at cells, what the row's edges bring to the node on the left and on the right */
  REAL *carried_low, *carried_high; /* half of F h of the edges of an axis at both nodes */
  REAL *xy, *xz;                /* limited slopes along y and z of the edges in x above the nodes */
  REAL *yx[2], *yz[2];          /* of the edges in y below and above the nodes */
  REAL *zx[2], *zy[2];          /* of the edges in z */
  double *terms;
} disperse_rows;

enum { disperse_real_rows = 25, disperse_double_rows = 1 };

static disperse_rows disperse_scratch(char *scratch, int64_t n) {
  disperse_rows s;
  REAL **rows[disperse_real_rows] = {&s.zero,  &s.low,   &s.high,  &s.carried_low, &s.carried_high, &s.xy,    &s.xz,
                                     &s.yx[0], &s.yx[1], &s.yz[0], &s.yz[1], &s.zx[0], &s.zx[1], &s.zy[0], &s.zy[1],
                                     &s.own_x, &s.own_y, &s.own_z, &s.next_x, &s.next_z, &s.beside,
                                     &s.slowness[0][0], &s.slowness[0][1], &s.slowness[1][0], &s.slowness[1][1]};
  for (int r = 0; r < disperse_real_rows; r++)
    *rows[r] = real_row(&scratch, n + 1);
  s.terms = double_row(&scratch, n);
  for (int64_t i = -1; i <= n; i++)
    s.zero[i] = 0;
  return s;
}

static void exchange_rows(REAL **a, REAL **b) {
  REAL *other = *a;
  *a = *b, *b = other;
}

/* A row of cells as seen from one of its rows of nodes: rows of T, the own, the neighbours in y, in z and in both; rows of faces; widths, and the signs of
   the way to the neighbours. */
typedef struct {
  const REAL *own, *y, *z, *d;
  cell_faces f;
  REAL area, ry, rz, to_y, to_z; /* area: of the part of a face normal to x */
  int p, q;
} disperse_cells;

static disperse_cells disperse_cells_at(const cv_disperse_args *a, const disperse_rows *s, int64_t j, int64_t k, int p, int q) {
  const int64_t sy = a->box.sy, sz = a->box.sz, at = j * sy + k * sz, cj = j - 1 + p, ck = k - 1 + q;
  const int64_t oy = (2 * p - 1) * sy, oz = (2 * q - 1) * sz;
  const REAL *t = (const REAL *)a->t + at, *qx = (const REAL *)a->q[0] + at;
  const REAL *qy = a->q[1] ? (const REAL *)a->q[1] + cj * sy + k * sz : NULL, *qz = (const REAL *)a->q[2] + j * sy + ck * sz;
  const double hy = AXIS(a->h[1])[cj], hz = AXIS(a->h[2])[ck];
  disperse_cells c = {.own = t, .y = t + oy, .z = t + oz, .d = t + oy + oz,
                      .f = {{qx, qx + oy, qx + oz, qx + oy + oz}, {qy ? qy : s->zero, qy ? qy + oz : s->zero}, {qz, qz + oy}},
                      .area = (sy ? 0.25 : 0.5) * hy * hz,
                      .ry = AXIS(a->rh[1])[cj], .rz = AXIS(a->rh[2])[ck], .to_y = 2 * p - 1, .to_z = 2 * q - 1, .p = p, .q = q};
  return c;
}

/* Difference along an edge in the form of trilinear elements, from the own edge, those beside it and the last. */
INLINE REAL trilinear_edge(REAL own, REAL p, REAL q, REAL last) { return (4 * own + (2 * (p + q) + last)) * (REAL)(1.0 / 9); }

/* What a row of cells gives to the nodes of its row of nodes; all fluxes are -F. */
INLINE void disperse_row_of(const cv_disperse_args *a, const disperse_rows *s, const disperse_cells *c, int form, int64_t n) {
  const REAL *restrict own = c->own, *restrict y = c->y, *restrict z = c->z, *restrict d = c->d;
  const REAL *restrict x0 = c->f.x[0], *restrict x1 = c->f.x[1], *restrict x2 = c->f.x[2], *restrict x3 = c->f.x[3];
  const REAL *restrict y0 = c->f.y[0], *restrict y1 = c->f.y[1], *restrict z0 = c->f.z[0], *restrict z1 = c->f.z[1];
  const REAL *restrict slowness = s->slowness[c->q][c->p], *restrict h = AXIS(a->h[0]), *restrict rh = AXIS(a->rh[0]);
  const REAL *restrict xy = s->xy, *restrict xz = s->xz, *restrict yx = s->yx[c->p], *restrict yz = s->yz[c->p];
  const REAL *restrict zx = s->zx[c->q], *restrict zy = s->zy[c->q];
  REAL *restrict low = s->low, *restrict high = s->high, *restrict cl = s->carried_low, *restrict ch = s->carried_high;
  const REAL transverse = a->transverse, excess = (REAL)(a->longitudinal - a->transverse), area = c->area;
  const REAL ry = c->ry, rz = c->rz, to_y = c->to_y, to_z = c->to_z, y_up = ry * to_y, z_up = rz * to_z;
  const REAL by_x = a->axis == 0 ? -0.5 : 0, by_y = a->axis == 1 && ry > 0 ? -0.5 / ry : 0, by_z = a->axis == 2 && rz > 0 ? -0.5 / rz : 0;
  VECTORISE
  for (int64_t i = -1; i < n; i++) {
    const REAL ux = (REAL)0.25 * ((x0[i] + x1[i]) + (x2[i] + x3[i]));
    const REAL uy = (REAL)0.25 * ((y0[i] + y0[i + 1]) + (y1[i] + y1[i + 1]));
    const REAL uz = (REAL)0.25 * ((z0[i] + z0[i + 1]) + (z1[i] + z1[i + 1]));
    const point_tensor e = point_dispersion(ux, uy, uz, slowness[i], transverse, excess);
    const REAL volume = area * h[i], rx = rh[i];
    const REAL ex = own[i + 1] - own[i], exy = y[i + 1] - y[i], exz = z[i + 1] - z[i], exd = d[i + 1] - d[i];
    const REAL eyl = y[i] - own[i], eyh = y[i + 1] - own[i + 1], eyzl = d[i] - z[i], eyzh = d[i + 1] - z[i + 1];
    const REAL ezl = z[i] - own[i], ezh = z[i + 1] - own[i + 1], ezyl = d[i] - y[i], ezyh = d[i + 1] - y[i + 1];
    const REAL gx = (REAL)0.25 * rx * ((ex + exy) + (exz + exd));
    const REAL gy = (REAL)0.25 * y_up * ((eyl + eyh) + (eyzl + eyzh)), gz = (REAL)0.25 * z_up * ((ezl + ezh) + (ezyl + ezyh));
    const int tri = form == cv_spread_trilinear, lim = form == cv_spread_limited;
    const REAL dx = rx * (tri ? trilinear_edge(ex, exy, exz, exd) : ex);
    const REAL dyl = y_up * (tri ? trilinear_edge(eyl, eyh, eyzl, eyzh) : eyl), dyh = y_up * (tri ? trilinear_edge(eyh, eyl, eyzh, eyzl) : eyh);
    const REAL dzl = z_up * (tri ? trilinear_edge(ezl, ezh, ezyl, ezyh) : ezl), dzh = z_up * (tri ? trilinear_edge(ezh, ezl, ezyh, ezyl) : ezh);
    const REAL fx = volume * rx * (e.xx * dx + (e.xy * (lim ? xy[i] : gy) + e.xz * (lim ? xz[i] : gz)));
    const REAL fyl = volume * ry * (e.yy * dyl + (e.xy * (lim ? yx[i] : gx) + e.yz * (lim ? yz[i] : gz)));
    const REAL fyh = volume * ry * (e.yy * dyh + (e.xy * (lim ? yx[i + 1] : gx) + e.yz * (lim ? yz[i + 1] : gz)));
    const REAL fzl = volume * rz * (e.zz * dzl + (e.xz * (lim ? zx[i] : gx) + e.yz * (lim ? zy[i] : gy)));
    const REAL fzh = volume * rz * (e.zz * dzh + (e.xz * (lim ? zx[i + 1] : gx) + e.yz * (lim ? zy[i + 1] : gy)));
    low[i] += fx + (to_y * fyl + to_z * fzl);
    high[i] += (to_y * fyh + to_z * fzh) - fx;
    const REAL cx = by_x * h[i] * fx;
    cl[i] += cx + (by_y * fyl + by_z * fzl);
    ch[i] += cx + (by_y * fyh + by_z * fzh);
  }
}

/* Limited slopes along an axis of stride s of the nodes -1..n of a row; r is 1/h of the cells above along it, those below lie `up` before, one for each
   node (step 1) or one for all (0). */
INLINE void node_slopes(int64_t n, const REAL *restrict t, int64_t s, const REAL *restrict r, int64_t step, int64_t up, REAL *restrict out) {
  VECTORISE
  for (int64_t i = -1; i <= n; i++)
    out[i] = point_slope(r[i * step] * (t[i + s] - t[i]), r[i * step - up] * (t[i] - t[i - s]));
}

/* Those of the edges between the nodes of two rows, or of one, `high` being the nodes after `low`; n: edges less one. */
INLINE void edge_slopes(int64_t n, const REAL *restrict low, const REAL *restrict high, REAL *restrict out) {
  VECTORISE
  for (int64_t i = -1; i < n; i++)
    out[i] = point_slope(low[i], high[i]);
}

/* The limited slopes of all edges at a row of nodes. Where the last row was the one before it, what they have in common is there. */
static void limited_slopes(const cv_disperse_args *a, disperse_rows *s, int64_t j, int64_t k, int goes_on) {
  const int64_t n = a->box.n[0], sy = a->box.sy, sz = a->box.sz;
  const REAL *t = (const REAL *)a->t + j * sy + k * sz;
  const REAL *rx = AXIS(a->rh[0]), *ry = AXIS(a->rh[1]) + j, *rz = AXIS(a->rh[2]) + k;
  if (goes_on) {
    exchange_rows(&s->own_x, &s->next_x), exchange_rows(&s->own_z, &s->next_z);
    exchange_rows(&s->yx[0], &s->yx[1]), exchange_rows(&s->yz[0], &s->yz[1]);
  } else {
    node_slopes(n, t, 1, rx, 1, 1, s->own_x);
    node_slopes(n, t, sz, rz, 0, 1, s->own_z);
    node_slopes(n, t - sy, 1, rx, 1, 1, s->next_x);
    node_slopes(n, t - sy, sz, rz, 0, 1, s->next_z);
    edge_slopes(n + 1, s->next_x, s->own_x, s->yx[0]);
    edge_slopes(n + 1, s->next_z, s->own_z, s->yz[0]);
  }
  node_slopes(n, t, sy, ry, 0, 1, s->own_y);
  node_slopes(n, t + sy, 1, rx, 1, 1, s->next_x);
  node_slopes(n, t + sy, sz, rz, 0, 1, s->next_z);
  edge_slopes(n, s->own_y, s->own_y + 1, s->xy);
  edge_slopes(n, s->own_z, s->own_z + 1, s->xz);
  edge_slopes(n + 1, s->own_x, s->next_x, s->yx[1]);
  edge_slopes(n + 1, s->own_z, s->next_z, s->yz[1]);
  for (int q = 0; q < 2; q++) {
    const REAL *z = t + (2 * q - 1) * sz;
    node_slopes(n, z, 1, rx, 1, 1, s->beside);
    edge_slopes(n + 1, s->own_x, s->beside, s->zx[q]);
    node_slopes(n, z, sy, ry, 0, 1, s->beside);
    edge_slopes(n + 1, s->own_y, s->beside, s->zy[q]);
  }
}

/* The same by form, so that there is a loop for each. */
static void disperse_cells_of(const cv_disperse_args *a, const disperse_rows *s, const disperse_cells *c, int64_t n) {
  switch (a->form) {
  case cv_spread_edges:
    return disperse_row_of(a, s, c, cv_spread_edges, n);
  case cv_spread_trilinear:
    return disperse_row_of(a, s, c, cv_spread_trilinear, n);
  }
  disperse_row_of(a, s, c, cv_spread_limited, n);
}

/* Held of the cells of a row, those above and after its nodes; `beside` is |u|^2 there. */
static double disperse_held(const cv_disperse_args *a, const disperse_rows *s, const disperse_cells *c, int64_t at) {
  const int64_t n = a->box.n[0] - (AXIS(a->rh[0])[a->box.n[0] - 1] > 0 ? 0 : 1);
  if (!a->held || !(c->rz > 0) || (a->box.sy && !(c->ry > 0)))
    return 0;
  return raise_row((REAL *)a->held + at, a->held_cells ? (const REAL *)a->held_cells + at : NULL, a->held_k, a->held_length, s->beside, s->slowness[1][1], n, s->terms);
}

static void disperse(const void *args, int64_t begin, int64_t end, char *scratch) {
  const cv_disperse_args *a = args;
  const int64_t n = a->box.n[0], ny = a->box.n[1], flat = a->box.sy == 0;
  disperse_rows s = disperse_scratch(scratch, n);
  for (int64_t r = begin; r < end; r++) {
    const int64_t j = r % ny, k = r / ny, at = j * a->box.sy + k * a->box.sz;
    const REAL *restrict t = (const REAL *)a->t + at;
    REAL *restrict out = (REAL *)a->out + at;
    for (int64_t i = -1; i < n; i++)
      s.low[i] = s.high[i] = s.carried_low[i] = s.carried_high[i] = 0;
    const int goes_on = r > begin && j > 0; /* with the row after that of before */
    if (a->form == cv_spread_limited)
      limited_slopes(a, &s, j, k, goes_on);
    for (int q = 0; q < 2; q++) {
      exchange_rows(&s.slowness[q][0], &s.slowness[q][1]);
      for (int p = flat; p < 2; p++) {
        const disperse_cells c = disperse_cells_at(a, &s, j, k, p, q);
        if (p == 1 || !goes_on) {
          square_row(&c.f, n, s.beside);
          memcpy(s.slowness[q][p] - 1, s.beside - 1, (n + 1) * sizeof(REAL));
          slowness_row(s.slowness[q][p], n);
        }
        if (p == 1 && q == 1)
          a->partial[2 * a->parts + r] = disperse_held(a, &s, &c, at);
        disperse_cells_of(a, &s, &c, n);
      }
    }
    for (int64_t i = 0; i < n; i++)
      s.terms[i] = (double)s.carried_low[i] + s.carried_high[i - 1];
    a->partial[r] = row_sum(s.terms, n);
    for (int64_t i = 0; i < n; i++) {
      const REAL gain = s.low[i] + s.high[i - 1];
      out[i] += gain;
      s.terms[i] = -(double)t[i] * gain;
    }
    a->partial[a->parts + r] = row_sum(s.terms, n);
  }
}
