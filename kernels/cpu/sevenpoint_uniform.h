/* Uniform rows of the 7-point operator: all nodes but those in x at walls share one set of coefficients, the same on both sides.
   Most of a multigrid cycle is spent here. A wall is a mirror: its node has half of what it would have if the row went on beyond it as
   it came, so that the end of a row is one more lane. The face between two nodes then weighs the same for both, to the bit. */

/* What is special about an end of a row: its lane if it is at a wall, and if its node is fixed; 2 in the former and 1 elsewhere, and
   the reciprocals. */
typedef struct {
  lanes wall, fixed;
  vector twice, half;
} seven_end;

/* The end in a lane of its vector. */
INLINE seven_end end_in_lane(int64_t lane, int wall, int fixed) {
  seven_end e = {0};
  e.twice = e.half = splat(1);
  for (int l = 0; l < vector_width; l++)
    if (l == lane) {
      e.wall[l] = wall ? -1 : 0;
      e.fixed[l] = fixed ? -1 : 0;
      e.twice[l] = wall ? 2 : 1;
      e.half[l] = wall ? (REAL)0.5 : 1;
    }
  return e;
}

/* source + A u, u and its neighbours given; in the rows beside it these are the nodes i.. times `times`. */
INLINE vector seven_sum(const row_coefficients *c, const node_rows *rows, vector times, vector source, int64_t i, vector left, vector u,
                        vector right) {
  const vector front = u - times * load(rows->r[1][0] + i), back = u - times * load(rows->r[1][2] + i);
  const vector below = u - times * load(rows->r[0][1] + i), above = u - times * load(rows->r[2][1] + i);
  vector t = madd(splat(c->x), (u - left) + (u - right), source);
  t = madd(splat(c->y_low), front + back, t);
  t = madd(splat(c->z_low), below + above, t);
  return madd(splat(c->mass), u, t);
}

/* The nodes i.. as one vector, u their own values, left and right those of their neighbours in x; c times the sign of A u. */
INLINE vector seven_uniform_vector(int op, const row_coefficients *c, REAL weight, const node_rows *rows, vector source, int64_t i,
                                   vector left, vector u, vector right) {
  const vector t = seven_sum(c, rows, splat(1), source, i, left, u, right);
  return op == op_smooth ? madd(splat(weight), t, u) : t;
}

INLINE vector seven_source(int op, const REAL *f, int64_t i) { return op == op_apply ? splat(0) : load(f + i); }

/* The same where none of them is at an end. */
INLINE vector seven_inner_vector(int op, const row_coefficients *c, REAL weight, const node_rows *rows, const REAL *f, int64_t i) {
  const REAL *u = rows->r[1][1] + i;
  return seven_uniform_vector(op, c, weight, rows, seven_source(op, f, i), i, load(u - 1), load(u), load(u + 1));
}

/* The same with an end of the row among them. Half of A u and D, and all of F, are what is left of 2 F - A u and D after a division by 2. */
INLINE vector seven_end_vector(int op, const seven_end *e, int low, const row_coefficients *c, REAL weight, const node_rows *rows,
                               const REAL *f, int64_t i) {
  const vector u = load(rows->r[1][1] + i), before = load(rows->r[1][1] + i - 1), after = load(rows->r[1][1] + i + 1);
  const vector left = low ? where(e->wall, after, before) : before, right = low ? after : where(e->wall, before, after);
  const vector t = seven_uniform_vector(op, c, weight, rows, e->twice * seven_source(op, f, i), i, left, u, right);
  return op == op_smooth ? where(e->fixed, u, t) : where(e->fixed, splat(0), e->half * t);
}

INLINE void copy_line(REAL *to, const REAL *from, int stream) {
#pragma GCC unroll 4
  for (int v = 0; v < line_width; v += vector_width)
    if (stream)
      store(1, to + v, load(from + v));
    else
      store(0, to + v, load(from + v));
}

/* The whole lines after the first. Where a vector is a line its neighbours in x are shifted in from the lines beside it: to load
   them would touch two lines each. */
INLINE void seven_uniform_lines(int op, int stream, const constant_operands *r, const row_coefficients *c, REAL weight,
                                const node_rows *rows, const REAL *f, REAL *t, int64_t end, const REAL *ask, REAL *copy) {
  const REAL *u = rows->r[1][1], *above = rows->r[2][1];
  vector before = load(u + line_width - vector_width), own = load(u + line_width);
  for (int64_t i = line_width; i < end; i += line_width) {
    if (stream) {
      __builtin_prefetch(above + r->ahead + i);
      if (op != op_apply)
        __builtin_prefetch(f + r->f_ahead + i);
    }
    if (!stream && r->f_ahead)
      __builtin_prefetch(f + r->f_ahead + i);
    if (ask)
      __builtin_prefetch(ask + i);
    if (op == op_residual && copy)
      copy_line(copy + i, u + i, r->copy_stream);
#pragma GCC unroll 4
    for (int v = 0; v < line_width / vector_width; v++) {
      const int64_t l = i + v * vector_width;
      if (vector_width < line_width) {
        store(stream, t + l, seven_inner_vector(op, c, weight, rows, f, l));
        continue;
      }
      const vector after = load(u + l + vector_width);
      store(stream, t + l, seven_uniform_vector(op, c, weight, rows, seven_source(op, f, l), l, lanes_before(before, own), own,
                                                 lanes_after(own, after)));
      before = own;
      own = after;
    }
  }
}

INLINE void seven_uniform_rows(int op, int stream, const constant_operands *operands, int64_t n) {
  const constant_operands own = *operands, *r = &own; /* what t may overlap would be read again */
  const REAL sign = op == op_apply ? 1 : -1, weight = op == op_smooth ? r->weight[1] : 0;
  const REAL *free_nodes = op == op_smooth ? r->weight : r->keep;
  const row_coefficients inner = r->constants->inner;
  const row_coefficients c = {sign * inner.x, sign * inner.y_low, sign * inner.y_high, sign * inner.z_low, sign * inner.z_high, sign * inner.mass};
  const int64_t last = last_line(n), last_vector = (n - 1) / vector_width * vector_width;
  const seven_end low = end_in_lane(0, r->rh[-1] == 0, free_nodes && free_nodes[0] == 0);
  const seven_end high = end_in_lane(n - 1 - last_vector, r->rh[n - 1] == 0, free_nodes && free_nodes[n - 1] == 0);
  /* With 2^m cells the last node is a vector by itself. */
  const int last_fixed = last_vector == n - 1 && free_nodes && free_nodes[n - 1] == 0;
  const REAL *f = r->f;
  const REAL *ask = r->ask;
  REAL *t = r->t, *copy = r->copy;
  node_rows rows = r->rows;
  for (int64_t row = 0; row < r->count; row++) {
    if (stream) /* the first line and the last, which seven_uniform_lines leaves out */
      for (int64_t i = 0; i <= last; i += last) {
        __builtin_prefetch(rows.r[2][1] + r->ahead + i);
        if (op != op_apply)
          __builtin_prefetch(f + r->f_ahead + i);
      }
    if (ask) {
      __builtin_prefetch(ask);
      __builtin_prefetch(ask + last);
    }
    store(stream, t, seven_end_vector(op, &low, 1, &c, weight, &rows, f, 0));
    for (int64_t i = vector_width; i < line_width; i += vector_width)
      store(stream, t + i, seven_inner_vector(op, &c, weight, &rows, f, i));
    if (op == op_residual && copy) {
      copy_line(copy, rows.r[1][1], r->copy_stream);
      memcpy(copy + last, rows.r[1][1] + last, (n - last) * sizeof(REAL));
    }
    seven_uniform_lines(op, stream, r, &c, weight, &rows, f, t, last, ask, copy);
    for (int64_t i = last; i < last_vector; i += vector_width)
      store(0, t + i, seven_inner_vector(op, &c, weight, &rows, f, i));
    if (last_fixed)
      t[n - 1] = op == op_smooth ? rows.r[1][1][n - 1] : 0;
    else
      store_lanes(t + last_vector, seven_end_vector(op, &high, 0, &c, weight, &rows, f, last_vector), n - last_vector);
    for (int z = 0; z < 3; z++)
      for (int y = 0; y < 3; y++)
        rows.r[z][y] += r->rows_apart;
    f += r->f_apart;
    t += r->t_apart;
    ask += ask ? r->ask_apart : 0;
    copy += copy ? r->f_apart : 0;
  }
}

/* Two sweeps from zero on such rows, from F alone: the first leaves u = w F, the second (w + w') F - w w' A F, where F is zero on
   fixed nodes and twice itself at walls. Vectors keep apart what belongs to ends of the row. */
typedef struct {
  const row_class *constants;
  REAL weight[2]; /* w and w' */
  const REAL *rh, *keep; /* keep: the mask, NULL: all nodes are free */
  node_rows rows;        /* of F */
  REAL *t;
  int64_t count, rows_apart, t_apart, ahead;
} twice_operands;

INLINE vector end_source(const seven_end *e, vector f) { return where(e->fixed, splat(0), e->twice * f); }

static void seven_twice_rows(const twice_operands *operands, int64_t n) {
  const twice_operands own = *operands, *r = &own; /* what t may overlap would be read again */
  const REAL whole = r->weight[0] + r->weight[1], product = -(r->weight[0] * r->weight[1]);
  const row_coefficients inner = r->constants->inner;
  const row_coefficients c = {product * inner.x,     product * inner.y_low,  product * inner.y_high,
                              product * inner.z_low, product * inner.z_high, product * inner.mass};
  const int64_t last = (n - 1) / vector_width * vector_width;
  const seven_end low = end_in_lane(0, r->rh[-1] == 0, r->keep && r->keep[0] == 0);
  const seven_end high = end_in_lane(n - 1 - last, r->rh[n - 1] == 0, r->keep && r->keep[n - 1] == 0);
  const int last_fixed = last == n - 1 && r->keep && r->keep[n - 1] == 0;
  REAL *t = r->t;
  node_rows rows = r->rows;
  for (int64_t row = 0; row < r->count; row++) {
    const REAL *f = rows.r[1][1], *ahead = rows.r[2][1] + r->ahead;
    const vector end = end_source(&high, load(f + last));
    vector before, here = end_source(&low, load(f)), after = vector_width < last ? load(f + vector_width) : end;
    const vector beside = lanes_after(here, after);
    const vector first = seven_sum(&c, &rows, low.twice, splat(whole) * here, 0, where(low.wall, beside, lanes_before(splat(0), here)), here, beside);
    __builtin_prefetch(ahead);
    store(0, t, where(low.fixed, splat(0), first));
    for (int64_t i = vector_width; i < last; i += vector_width) {
      before = here;
      here = after;
      after = i + vector_width < last ? load(f + i + vector_width) : end;
      __builtin_prefetch(ahead + i);
      store(0, t + i, seven_sum(&c, &rows, splat(1), splat(whole) * here, i, lanes_before(before, here), here, lanes_after(here, after)));
    }
    if (last_fixed)
      t[n - 1] = 0;
    else {
      const vector left = lanes_before(here, end), right = where(high.wall, left, lanes_after(end, splat(0)));
      const vector v = seven_sum(&c, &rows, high.twice, splat(whole) * end, last, left, end, right);
      store_lanes(t + last, where(high.fixed, splat(0), v), n - last);
    }
    for (int z = 0; z < 3; z++)
      for (int y = 0; y < 3; y++)
        rows.r[z][y] += r->rows_apart;
    t += r->t_apart;
  }
}
