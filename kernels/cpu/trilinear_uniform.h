/* Rows of trilinear elements of constant K whose x is uniform: O and B of trilinear.h vector by vector, B handed on to the vectors
   on both sides in registers. A wall is a mirror: its node gets half of what it would if the row went on beyond it as it came.

   Where neighbours on both sides weigh the same in y and in z (even), with Z_j the sum of both differences in z of row j and Y of
   both differences in y of the middle row, the four differences across edges are Z_(j-1) + Z_(j+1) + 2 Y. A row then makes Z_(j+1)
   only and finds the other two where the rows before it left them. */

/* By how many rows reading runs ahead; rows are read one row earlier than with 7 points. */
enum { trilinear_rows_ahead = 4 };

/* What a row's O and B are made of: weights of Y, Z_j and Z_(j-1) + Z_(j+1), or of the differences to each row around. */
typedef struct {
  vector own[8], beside[8];
} uniform_weights;

typedef struct {
  vector u, own, beside; /* u, O, B */
} node_sums;

INLINE uniform_weights weights_of_uniform(int even, const trilinear_weights *t) {
  static const int8_t around[8][2] = {{0, 0}, {0, 1}, {0, 2}, {1, 0}, {1, 2}, {2, 0}, {2, 1}, {2, 2}};
  uniform_weights w;
  if (even) {
    const REAL own[3] = {t->own[1][0] + 2 * t->own[0][0], t->own[0][1], t->own[0][0]};
    const REAL beside[3] = {t->beside[1][0] + 2 * t->beside[0][0], t->beside[0][1], t->beside[0][0]};
    for (int d = 0; d < 3; d++) {
      w.own[d] = splat(-own[d]);
      w.beside[d] = splat(-beside[d]);
    }
  } else
    for (int d = 0; d < 8; d++) {
      w.own[d] = splat(-t->own[around[d][0]][around[d][1]]);
      w.beside[d] = splat(-t->beside[around[d][0]][around[d][1]]);
    }
  return w;
}

/* Z of the nodes i.. of row y. */
INLINE vector differences_in_z(const node_rows *u, int y, int64_t i) {
  const vector v = load(u->r[1][y] + i);
  return (v - load(u->r[0][y] + i)) + (v - load(u->r[2][y] + i));
}

/* O and B of the nodes i... Even rows find Z_(j-1) and Z_j in z[0] and z[1], and leave Z_(j+1) in z[2]. */
INLINE node_sums uniform_sums(int even, const uniform_weights *w, const node_rows *u, REAL *const *z, int64_t i) {
  const vector v = load(u->r[1][1] + i);
  node_sums s = {.u = v};
#define D(z, y) (v - load(u->r[z][y] + i))
  if (even) {
    const vector next = differences_in_z(u, 2, i), in_y = D(1, 0) + D(1, 2), in_z = load(z[1] + i), both = load(z[0] + i) + next;
    s.own = madd(w->own[2], both, madd(w->own[1], in_z, w->own[0] * in_y));
    s.beside = madd(w->beside[2], both, madd(w->beside[1], in_z, w->beside[0] * in_y));
    store(0, z[2] + i, next);
  } else {
    const vector d[8] = {D(0, 0), D(0, 1), D(0, 2), D(1, 0), D(1, 2), D(2, 0), D(2, 1), D(2, 2)};
    s.own = w->own[0] * d[0];
    s.beside = w->beside[0] * d[0];
#pragma GCC unroll 8
    for (int n = 1; n < 8; n++) {
      s.own = madd(w->own[n], d[n], s.own);
      s.beside = madd(w->beside[n], d[n], s.beside);
    }
  }
#undef D
  return s;
}

/* What the nodes of a row share: whether there are walls at its ends, and coefficients. */
typedef struct {
  int wall[2];
  vector x, mass, weight; /* weight: of inner nodes, where all have the same */
} uniform_row;

/* Which vector of a row. */
enum { first_vector, inner_vector, last_vector };

/* What becomes of the nodes i.., given their sums and those of the vectors before and after. Where a vector is a line its neighbours in x
   are shifted in from the lines beside it: to load them would touch two lines each. */
INLINE vector uniform_vector(int op, int kind, int which, const constant_operands *r, const uniform_row *c, const REAL *u,
                             const REAL *f, int64_t i, int64_t end, node_sums before, node_sums s, node_sums after) {
  const vector v = s.u;
  const int lane = which == first_vector ? 0 : end - i, wall = which == inner_vector ? 0 : c->wall[which == last_vector];
  vector low = lanes_before(before.beside, s.beside), high = lanes_after(s.beside, after.beside), half = splat(1);
  vector left = vector_width < line_width ? load(u + i - 1) : lanes_before(before.u, v);
  vector right = vector_width < line_width ? load(u + i + 1) : lanes_after(v, after.u);
  if (wall) {
    half[lane] = (REAL)0.5;
    if (which == first_vector) {
      low[lane] = high[lane];
      left[lane] = right[lane];
    } else {
      high[lane] = low[lane];
      right[lane] = left[lane];
    }
  }
  vector b = madd(c->x, (v - left) + (v - right), s.own + (low + high));
  b = madd(c->mass, v, b);
  if (which != inner_vector)
    b *= half;
  if (op == op_smooth) {
    vector weight = kind == uniform ? c->weight : load(r->weight + i);
    if (which != inner_vector)
      weight[lane] = r->weight[i + lane];
    return madd(weight, load(f + i) - b, v);
  }
  vector x = op == op_apply ? b : load(f + i) - b;
  if (which != inner_vector && r->keep)
    x[lane] *= r->keep[i + lane];
  return x;
}

INLINE void run_ahead(int op, const REAL *u, const REAL *f, int64_t i) {
  __builtin_prefetch(u + i);
  if (op != op_apply)
    __builtin_prefetch(f + i);
}

/* One row, of which whole lines but the last are streamed. */
INLINE void trilinear_row(int op, int kind, int even, int stream, const constant_operands *r, const uniform_row *c,
                          const uniform_weights *w, const node_rows *rows, REAL *const *z, const REAL *f, REAL *t, int64_t n, const REAL *ask) {
  const REAL *u = rows->r[1][1], *next_u = rows->r[2][1] + r->ahead, *next_f = f + r->f_ahead;
  const int64_t end = n - 1, whole = last_line(n), last = end / vector_width * vector_width;
  const node_sums none = {0};
  node_sums before = c->wall[0] ? none : uniform_sums(even, w, rows, z, -vector_width);
  node_sums own = uniform_sums(even, w, rows, z, 0), next = uniform_sums(even, w, rows, z, vector_width);
  run_ahead(op, next_u, next_f, 0);
  run_ahead(op, next_u, next_f, last);
  for (int64_t i = 0; ask && i <= last; i += largest(last, 1))
    __builtin_prefetch(ask + i, 0, 2);
  store(stream, t, uniform_vector(op, kind, first_vector, r, c, u, f, 0, end, before, own, next));
  for (int64_t i = vector_width; i < last; i += vector_width) {
    run_ahead(op, next_u, next_f, i);
    if (ask)
      __builtin_prefetch(ask + i, 0, 2);
    before = own;
    own = next;
    next = uniform_sums(even, w, rows, z, i + vector_width);
    const vector x = uniform_vector(op, kind, inner_vector, r, c, u, f, i, end, before, own, next);
    if (VECTOR < 64 && i >= whole)
      store(0, t + i, x);
    else
      store(stream, t + i, x);
  }
  node_sums after = none;
  if (!c->wall[1] && n == last + vector_width)
    after = uniform_sums(even, w, rows, z, n);
  const vector x = uniform_vector(op, kind, last_vector, r, c, u, f, last, end, own, next, after);
  store_lanes(t + last, x, n - last);
}

/* Rows that are alike, one after the other. */
INLINE void trilinear_rows(int op, int kind, int even, int stream, const constant_operands *operands, const sweep_rows *s,
                           int64_t n) {
  const constant_operands own = *operands, *r = &own; /* what t may overlap would be read again */
  const row_class *class = r->constants;
  const uniform_weights w = weights_of_uniform(even, &class->t);
  const uniform_row c = {.wall = {r->rh[-1] == 0, r->rh[n - 1] == 0}, .x = splat(class->inner.x), .mass = splat(class->inner.mass),
                         .weight = splat(op == op_smooth ? r->weight[1] : 0)};
  const REAL *f = r->f, *ask = r->ask;
  REAL *t = r->t, *z[3] = {s->z[0], s->z[1], s->z[2]};
  node_rows rows = r->rows;
  for (int y = 0; even && y < 2; y++)
    for (int64_t i = -vector_width; i <= n; i += vector_width)
      store(0, z[y] + i, differences_in_z(&rows, y, i));
  for (int64_t row = 0; row < r->count; row++) {
    trilinear_row(op, kind, even, stream, r, &c, &w, &rows, z, f, t, n, ask);
    REAL *used = z[0];
    z[0] = z[1];
    z[1] = z[2];
    z[2] = used;
    for (int a = 0; a < 3; a++)
      for (int y = 0; y < 3; y++)
        rows.r[a][y] += r->rows_apart;
    f += r->f_apart;
    t += r->t_apart;
    ask += ask ? r->ask_apart : 0;
  }
}
