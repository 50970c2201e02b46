/* Rows of constant K, with 7 points or 27. */
#include "sevenpoint.h"
#include "sevenpoint_uniform.h"
#include "trilinear.h"
#include "trilinear_cells.h"
#include "trilinear_uniform.h"

/* The nodes i.. as one vector; with 27 points of a graded row. */
INLINE vector constant_vector(int points, int op, int kind, const constant_operands *r, const sweep_rows *scratch,
                              const row_coefficients *c, const node_rows *rows, const REAL *f, int64_t i) {
  if (points == 7)
    return seven_vector(op, kind, r, c, rows, f, i);
  return graded_trilinear_vector(op, r, scratch, rows->r[1][1], f, i);
}

/* All nodes but the first and the last share what `kind` says (graded or uniform_x). The last line is computed on
   whatever lies beyond the nodes, and its nodes are stored. What rows share stays in registers. */
INLINE void constant_rows(int points, int op, int kind, int stream, const constant_operands *operands,
                          const sweep_rows *operators_scratch, int64_t n) {
  const constant_operands own = *operands, *r = &own; /* what t may overlap would be read again */
  const sweep_rows rows_of_thread = *operators_scratch, *scratch = &rows_of_thread;
  const row_coefficients c = kind == graded ? r->constants->c : r->constants->inner;
  const int64_t last = last_line(n);
  const REAL keep_first = op != op_smooth && r->keep ? r->keep[0] : 1, keep_last = op != op_smooth && r->keep ? r->keep[n - 1] : 1;
  const REAL *f = r->f;
  REAL *t = r->t, rest[line_width] __attribute__((aligned(64)));
  node_rows rows = r->rows;
  for (int64_t row = 0; row < r->count; row++) {
    const REAL *next = rows.r[2][1] + r->ahead, *next_f = f + r->f_ahead;
    REAL first = 0, end = 0;
    if (points == 27)
      across_row(&r->constants->t, &rows, -vector_width, n + 1, scratch->s, scratch->t);
    if (kind != graded) {
      first = seven_node(op, r, &rows, f, 0);
      end = seven_node(op, r, &rows, f, n - 1);
    }
    for (int64_t i = 0; i < last; i += line_width) {
      __builtin_prefetch(next + i);
      if (op != op_apply)
        __builtin_prefetch(next_f + i);
#pragma GCC unroll 4
      for (int64_t l = 0; l < line_width; l += vector_width) {
        vector v = constant_vector(points, op, kind, r, scratch, &c, &rows, f, i + l);
        if (i + l == 0)
          v[0] = keep_first * (kind == graded ? v[0] : first);
        store(stream, t + i + l, v);
      }
    }
    for (int64_t i = last; i < n; i += vector_width)
      store(0, rest + i - last, constant_vector(points, op, kind, r, scratch, &c, &rows, f, i));
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

/* The same, and uniform rows, compiled for each case. Streaming stores matter where rows are uniform. */
static void constant_rows_of(int points, int op, int kind, int stream, const constant_operands *r, const sweep_rows *s,
                             int64_t n) {
  const int even = r->constants->even;
#define CASE(o)                                                                                                       \
  if (op == o) {                                                                                                      \
    if (kind == graded && points == 7)                                                                                \
      constant_rows(7, o, graded, stream, r, s, n);                                                                   \
    else if (kind == graded)                                                                                          \
      constant_rows(27, o, graded, stream, r, s, n);                                                                  \
    else if (points == 7 && kind == uniform && stream)                                                                \
      seven_uniform_rows(o, 1, r, n);                                                                                 \
    else if (points == 7 && kind == uniform)                                                                          \
      seven_uniform_rows(o, 0, r, n);                                                                                 \
    else if (points == 7)                                                                                             \
      constant_rows(7, o, uniform_x, stream, r, s, n);                                                                \
    else if (kind == uniform && stream)                                                                               \
      trilinear_rows(o, uniform, 1, 1, r, s, n);                                                                      \
    else if (kind == uniform)                                                                                         \
      trilinear_rows(o, uniform, 1, 0, r, s, n);                                                                      \
    else if (even)                                                                                                    \
      trilinear_rows(o, uniform_x, 1, stream, r, s, n);                                                               \
    else                                                                                                              \
      trilinear_rows(o, uniform_x, 0, stream, r, s, n);                                                               \
    return;                                                                                                           \
  }
  CASE(op_apply)
  CASE(op_residual)
  CASE(op_smooth)
#undef CASE
}
