/* Rows of constant K, with 7 points or 27. */
#include "sevenpoint.h"
#include "trilinear.h"

/* The nodes i.. as one vector. */
INLINE vector constant_vector(int points, int op, int kind, const constant_operands *r, const sweep_rows *scratch,
                              const row_coefficients *c, REAL inner_weight, const node_rows *rows, const REAL *f, int64_t i) {
  if (points == 7)
    return seven_vector(op, kind, r, c, inner_weight, rows, f, i);
  if (kind == graded)
    return graded_trilinear_vector(op, r, scratch, rows->r[1][1], f, i);
  return uniform_trilinear_vector(op, kind, r, scratch, c, inner_weight, rows->r[1][1], i);
}

INLINE REAL constant_node(int points, int op, const constant_operands *r, const sweep_rows *scratch, const node_rows *rows,
                          const REAL *f, int64_t i) {
  return points == 7 ? seven_node(op, r, rows, f, i) : trilinear_node(op, r, scratch, rows, f, i);
}

/* All nodes but the first and the last share what `kind` says; uniform ones also their weight. The last line is computed on
   whatever lies beyond the nodes, and its nodes are stored. What rows share stays in registers. */
INLINE void constant_rows(int points, int op, int kind, int even, int stream, const constant_operands *operands,
                          const sweep_rows *operators_scratch, int64_t n) {
  const constant_operands own = *operands, *r = &own; /* what t may overlap would be read again */
  const sweep_rows rows_of_thread = *operators_scratch, *scratch = &rows_of_thread;
  const row_coefficients c = kind == graded ? r->constants->c : r->constants->inner;
  const int64_t last = last_line(n);
  const REAL weight = kind == uniform && op == op_smooth ? r->weight[1] : 0;
  const REAL keep_first = op != op_smooth && r->keep ? r->keep[0] : 1, keep_last = op != op_smooth && r->keep ? r->keep[n - 1] : 1;
  const REAL *f = r->f;
  REAL *t = r->t, rest[line_width] __attribute__((aligned(64)));
  node_rows rows = r->rows;
  for (int64_t row = 0; row < r->count; row++) {
    const REAL *next = rows.r[2][1] + r->ahead, *next_f = f + r->f_ahead;
    REAL first = 0, end = 0;
    if (points == 27 && kind == graded)
      across_row(&r->constants->t, &rows, -vector_width, n + 1, scratch->s, scratch->t);
    else if (points == 27)
      uniform_sums(op, even, &r->constants->t, &rows, f, 0, n, scratch->own, scratch->beside);
    if (kind != graded) {
      first = constant_node(points, op, r, scratch, &rows, f, 0);
      end = constant_node(points, op, r, scratch, &rows, f, n - 1);
    }
    for (int64_t i = 0; i < last; i += line_width) {
      __builtin_prefetch(next + i);
      if (op != op_apply)
        __builtin_prefetch(next_f + i);
#pragma GCC unroll 4
      for (int64_t l = 0; l < line_width; l += vector_width) {
        vector v = constant_vector(points, op, kind, r, scratch, &c, weight, &rows, f, i + l);
        if (i + l == 0)
          v[0] = keep_first * (kind == graded ? v[0] : first);
        store(stream, t + i + l, v);
      }
    }
    for (int64_t i = last; i < n; i += vector_width)
      store(0, rest + i - last, constant_vector(points, op, kind, r, scratch, &c, weight, &rows, f, i));
    for (int64_t i = last; i < n - 1; i++)
      t[i] = rest[i - last];
    t[n - 1] = keep_last * (kind == graded ? rest[n - 1 - last] : end);
    if (!last)
      t[0] = keep_first * (kind == graded ? rest[0] : first);
    for (int z = 0; z < 3; z++)
      for (int y = 0; y < 3; y++)
        rows.r[z][y] += r->rows_apart;
    f += r->f_apart;
    t += r->t_apart;
  }
}

/* The same, compiled for each case. Streaming stores, and equal weights on both sides of rows of 27 points, matter where rows are
   uniform. */
static void constant_rows_of(int points, int op, int kind, int stream, const constant_operands *r, const sweep_rows *s,
                             int64_t n) {
#define CASE(p, o)                                                                                                    \
  if (points == p && op == o) {                                                                                       \
    if (kind == uniform && stream)                                                                                    \
      constant_rows(p, o, uniform, 1, 1, r, s, n);                                                                    \
    else if (kind == uniform)                                                                                         \
      constant_rows(p, o, uniform, 1, 0, r, s, n);                                                                    \
    else if (kind == uniform_x && r->constants->even)                                                                 \
      constant_rows(p, o, uniform_x, 1, stream, r, s, n);                                                             \
    else if (kind == uniform_x)                                                                                       \
      constant_rows(p, o, uniform_x, 0, stream, r, s, n);                                                             \
    else                                                                                                              \
      constant_rows(p, o, graded, 0, stream, r, s, n);                                                                \
    return;                                                                                                           \
  }
  CASE(7, op_apply)
  CASE(7, op_residual)
  CASE(7, op_smooth)
  CASE(27, op_apply)
  CASE(27, op_residual)
  CASE(27, op_smooth)
#undef CASE
}
