/* Kernels of benchmarks: LaplaceJacobi, Poisson2D. */

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
  const cv_laplace_args *a = args;
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

INLINE REAL poisson_point(const REAL *u, REAL f, int64_t s) {
  return (REAL)0.25 * (((u[-1] + u[1]) + (u[-s] + u[s])) + f);
}

/* The inner nodes of row k among i0..i1-1. `u` and its stride s may be those of a copy. */
INLINE void poisson_row(REAL *restrict out, const REAL *restrict u, const REAL *restrict f, int64_t s, int64_t n) {
  VECTORISE
  for (int64_t i = 0; i < n; i++)
    out[i] = poisson_point(u + i, f[i], s);
}

/* The inner nodes i0..i1-1, k0..k1-1 from a copy of them and their rim. */
static void poisson_staged(const cv_poisson_args *a, int64_t i0, int64_t i1, int64_t k0, int64_t k1, REAL *copy) {
  const int64_t sz = a->box.sz, wide = i1 - i0 + 2;
  const REAL *u = a->u, *f = a->f;
  for (int64_t k = k0 - 1; k <= k1; k++)
    memcpy(copy + (k - k0 + 1) * wide, u + i0 - 1 + k * sz, wide * sizeof(REAL));
  for (int64_t k = k0; k < k1; k++)
    poisson_row((REAL *)a->out + i0 + k * sz, copy + 1 + (k - k0 + 1) * wide, f + i0 + k * sz, wide, i1 - i0);
}

/* The nodes of the walls among i0..i1-1, k0..k1-1. */
static void poisson_walls(const cv_poisson_args *a, int64_t i0, int64_t i1, int64_t k0, int64_t k1) {
  const int64_t nx = a->box.n[0], nz = a->box.n[2], sz = a->box.sz;
  const REAL *u = a->u;
  REAL *out = a->out;
  for (int64_t k = k0; k < k1; k++) {
    if (k == 0 || k == nz - 1)
      memcpy(out + i0 + k * sz, u + i0 + k * sz, (i1 - i0) * sizeof(REAL));
    if (i0 == 0)
      out[k * sz] = u[k * sz];
    if (i1 == nx)
      out[nx - 1 + k * sz] = u[nx - 1 + k * sz];
  }
}

enum { row_threads, column_threads, square_tiles, staged_tiles };

/* Blocks begin..end-1 of the layout; those beyond the nodes are empty. */
static void poisson2d(const void *args, int64_t begin, int64_t end, char *scratch) {
  const cv_poisson_args *a = args;
  const int64_t nx = a->box.n[0], nz = a->box.n[2], sz = a->box.sz, n = a->tile;
  const REAL *u = a->u, *f = a->f;
  REAL *out = a->out;
  for (int64_t b = begin; b < end; b++) {
    const int64_t bx = a->layout == row_threads ? 0 : b % a->blocks, bz = a->layout == row_threads ? b : b / a->blocks;
    const int64_t i0 = smallest(bx * n, nx), i1 = a->layout == row_threads ? nx : smallest(i0 + n, nx);
    const int64_t k0 = smallest(bz * n, nz), k1 = a->layout == column_threads ? nz : smallest(k0 + n, nz);
    poisson_walls(a, i0, i1, k0, k1);
    const int64_t x0 = i0 > 0 ? i0 : 1, x1 = smallest(i1, nx - 1), z0 = k0 > 0 ? k0 : 1, z1 = smallest(k1, nz - 1);
    if (x0 >= x1 || z0 >= z1)
      continue;
    if (a->layout == staged_tiles)
      poisson_staged(a, x0, x1, z0, z1, (REAL *)scratch);
    else if (a->layout != row_threads)
      for (int64_t k = z0; k < z1; k++)
        poisson_row(out + x0 + k * sz, u + x0 + k * sz, f + x0 + k * sz, sz, x1 - x0);
    else
      for (int64_t i = x0; i < x1; i++)
        for (int64_t k = z0; k < z1; k++)
          out[i + k * sz] = poisson_point(u + i + k * sz, f[i + k * sz], sz);
  }
}
