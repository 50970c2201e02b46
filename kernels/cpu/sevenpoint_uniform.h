/* Uniform rows of the 7-point operator: all nodes but those in x at walls share one set of coefficients, the same on both sides.
   Most of a multigrid cycle is spent here. The two ends are computed by themselves, and nothing but
   they: what two nodes tell of the face between them is to be rounded alike. */

/* The nodes i.. as one vector, u their own values, left and right those of their neighbours in x; c times the sign of A u. */
INLINE vector seven_uniform_vector(int op, const row_coefficients *c, REAL weight, const node_rows *rows, const REAL *f, int64_t i,
                                   vector left, vector u, vector right) {
  const vector front = u - load(rows->r[1][0] + i), back = u - load(rows->r[1][2] + i);
  const vector below = u - load(rows->r[0][1] + i), above = u - load(rows->r[2][1] + i);
  vector t = op == op_apply ? splat(0) : load(f + i);
  t = madd(splat(c->x), (u - left) + (u - right), t);
  t = madd(splat(c->y_low), front + back, t);
  t = madd(splat(c->z_low), below + above, t);
  t = madd(splat(c->mass), u, t);
  return op == op_smooth ? madd(splat(weight), t, u) : t;
}

/* The whole lines after the first. Where a vector is a line its neighbours in x are shifted in from the lines beside it: to load
   them would touch two lines each. */
INLINE void seven_uniform_lines(int op, int stream, const constant_operands *r, const row_coefficients *c, REAL weight,
                                const node_rows *rows, const REAL *f, REAL *t, int64_t end) {
  const REAL *u = rows->r[1][1], *above = rows->r[2][1];
  vector before = load(u + line_width - vector_width), own = load(u + line_width);
  for (int64_t i = line_width; i < end; i += line_width) {
    if (stream && r->ahead) {
      __builtin_prefetch(above + r->ahead + i);
      if (op != op_apply)
        __builtin_prefetch(f + r->f_ahead + i);
    }
#pragma GCC unroll 4
    for (int64_t l = i; l < i + line_width; l += vector_width) {
      if (vector_width < line_width) {
        store(stream, t + l, seven_uniform_vector(op, c, weight, rows, f, l, load(u + l - 1), load(u + l), load(u + l + 1)));
        continue;
      }
      const vector after = load(u + l + vector_width);
      store(stream, t + l, seven_uniform_vector(op, c, weight, rows, f, l, lanes_before(before, own), own, lanes_after(own, after)));
      before = own;
      own = after;
    }
  }
}

INLINE void seven_uniform_rows(int op, int stream, const constant_operands *operands, int64_t n) {
  const constant_operands own = *operands, *r = &own; /* what t may overlap would be read again */
  const REAL sign = op == op_apply ? 1 : -1, weight = op == op_smooth ? r->weight[1] : 0;
  const row_coefficients inner = r->constants->inner;
  const row_coefficients c = {sign * inner.x, sign * inner.y_low, sign * inner.y_high, sign * inner.z_low, sign * inner.z_high, sign * inner.mass};
  const int masked = op != op_smooth && r->keep, drop_first = masked && r->keep[0] == 0, drop_last = masked && r->keep[n - 1] == 0;
  const int64_t last = last_line(n);
  const REAL *f = r->f;
  REAL *t = r->t;
  node_rows rows = r->rows;
  for (int64_t row = 0; row < r->count; row++) {
    if (!stream && r->f_ahead)
      prefetch_row(f + r->f_ahead, n);
    const REAL *u = rows.r[1][1];
    const REAL first = drop_first ? 0 : seven_node(op, r, &rows, f, 0), end = drop_last ? 0 : seven_node(op, r, &rows, f, n - 1);
    for (int64_t i = 0; i < line_width; i += vector_width) {
      vector v = seven_uniform_vector(op, &c, weight, &rows, f, i, load(u + i - 1), load(u + i), load(u + i + 1));
      if (i == 0)
        v[0] = first;
      store(stream, t + i, v);
    }
    seven_uniform_lines(op, stream, r, &c, weight, &rows, f, t, last);
    for (int64_t i = last; i < n - 1; i += vector_width)
      store_lanes(t + i, seven_uniform_vector(op, &c, weight, &rows, f, i, load(u + i - 1), load(u + i), load(u + i + 1)),
                  smallest(n - 1 - i, vector_width));
    t[n - 1] = end;
    for (int z = 0; z < 3; z++)
      for (int y = 0; y < 3; y++)
        rows.r[z][y] += r->rows_apart;
    f += r->f_apart;
    t += r->t_apart;
  }
}
