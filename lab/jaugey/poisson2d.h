/* A Jacobi sweep of Poisson's equation in the plane. */

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
static void poisson_staged(const jaugey_poisson_args *a, int64_t i0, int64_t i1, int64_t k0, int64_t k1, REAL *copy) {
  const int64_t sz = a->box.sz, wide = i1 - i0 + 2;
  const REAL *u = a->u, *f = a->f;
  for (int64_t k = k0 - 1; k <= k1; k++)
    memcpy(copy + (k - k0 + 1) * wide, u + i0 - 1 + k * sz, wide * sizeof(REAL));
  for (int64_t k = k0; k < k1; k++)
    poisson_row((REAL *)a->out + i0 + k * sz, copy + 1 + (k - k0 + 1) * wide, f + i0 + k * sz, wide, i1 - i0);
}

/* The nodes of the walls among i0..i1-1, k0..k1-1. */
static void poisson_walls(const jaugey_poisson_args *a, int64_t i0, int64_t i1, int64_t k0, int64_t k1) {
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
  const jaugey_poisson_args *a = args;
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
