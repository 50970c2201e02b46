/* Jacobi sweeps of Laplace's equation. */

/* The nodes i.. of a row of the Laplace sweep as one vector, not aware of walls. */
INLINE vector laplace_vector(const REAL *u, int64_t sy, int64_t sz) {
  const vector x = load(u - 1) + load(u + 1), y = load(u - sy) + load(u + sy), z = load(u - sz) + load(u + sz);
  return (REAL)(1.0 / 6) * ((x + y) + z);
}

INLINE REAL laplace_point(const REAL *u, int64_t sy, int64_t sz) {
  return (REAL)(1.0 / 6) * (((u[-1] + u[1]) + (u[-sy] + u[sy])) + (u[-sz] + u[sz]));
}

/* The nodes i0..i1-1 of an inner row of n nodes: whole cache lines as vectors, the rest one by one. */
INLINE void laplace_row(int stream, REAL *out, const REAL *u, const cv_box *b, int64_t i0, int64_t i1) {
  const int64_t n = b->n[0], sy = b->sy, sz = b->sz, ahead = rows_ahead * sy;
  for (int64_t i = i0; i < i1;) {
    const int wall = i == 0 || i + line_width >= n;
    if (i % line_width || i + line_width > i1) {
      out[i] = i == 0 || i == n - 1 ? u[i] : laplace_point(u + i, sy, sz);
      i++;
      continue;
    }
    __builtin_prefetch(u + i + sz + ahead);
    REAL line[line_width] __attribute__((aligned(64)));
#pragma GCC unroll 4
    for (int64_t l = 0; l < line_width; l += vector_width) {
      const vector v = laplace_vector(u + i + l, sy, sz);
      if (wall)
        memcpy(line + l, &v, sizeof v);
      else
        store(stream, out + i + l, v);
    }
    if (wall) {
      if (i == 0)
        line[0] = u[0];
      if (i + line_width == n)
        line[line_width - 1] = u[n - 1];
      for (int64_t l = 0; l < line_width; l += vector_width)
        store(stream, out + i + l, load(line + l));
    }
    i += line_width;
  }
}

/* Blocks begin..end-1, x fastest, each plane by plane. */
static void laplace_jacobi(const void *args, int64_t begin, int64_t end, char *scratch) {
  const giles_laplace_args *a = args;
  const cv_box *b = &a->box;
  int64_t blocks[2];
  for (int d = 0; d < 2; d++)
    blocks[d] = (b->n[d] + a->tile[d] - 1) / a->tile[d];
  (void)scratch;
  for (int64_t t = begin; t < end; t++) {
    const int64_t i0 = t % blocks[0] * a->tile[0], j0 = t / blocks[0] % blocks[1] * a->tile[1];
    const int64_t k0 = t / (blocks[0] * blocks[1]) * a->tile[2], i1 = smallest(i0 + a->tile[0], b->n[0]);
    const int64_t j1 = smallest(j0 + a->tile[1], b->n[1]), k1 = smallest(k0 + a->tile[2], b->n[2]);
    for (int64_t k = k0; k < k1; k++)
      for (int64_t j = j0; j < j1; j++) {
        REAL *out = (REAL *)a->out + j * b->sy + k * b->sz;
        const REAL *u = (const REAL *)a->u + j * b->sy + k * b->sz;
        if (j == 0 || j == b->n[1] - 1 || k == 0 || k == b->n[2] - 1)
          memcpy(out + i0, u + i0, (i1 - i0) * sizeof(REAL));
        else if (a->stream)
          laplace_row(1, out, u, b, i0, i1);
        else
          laplace_row(0, out, u, b, i0, i1);
      }
  }
  stream_end();
}
