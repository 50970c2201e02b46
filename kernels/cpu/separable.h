/* Transform and Modes: operators that are sums of products of matrices along the axes are solved by products with matrices of vectors along x and y, and tridiagonal
   systems along z. */

/* Lines that are multiplied together, and vectors of a row of the matrix: as many sums as registers hold. */
enum { transform_lines = VECTOR == 64 ? 8 : 4, transform_vectors = 2, transform_wide = transform_vectors * vector_width };

/* The matrix of an axis of n nodes, or its halves. */
typedef struct {
  int64_t n, half, pitch, depth[2]; /* terms of the sums of the first and of the second matrix */
  const REAL *of[2];
  int parts; /* matrices */
} transform_matrix;

static transform_matrix transform_matrix_of(const cv_transform_args *a) {
  transform_matrix t = {.n = a->box.n[a->axis], .parts = a->folding ? 2 : 1};
  t.half = a->folding ? (t.n + 1) / 2 : t.n;
  t.pitch = (t.half + 31) / 32 * 32;
  t.depth[0] = t.half;
  t.depth[1] = t.n - t.half;
  t.of[0] = a->matrix;
  t.of[1] = t.of[0] + (t.half + 15) / 16 * 16 * t.pitch;
  return t;
}

/* Terms k of the sums of a line, whose nodes are `step` apart: of the first and of the second matrix. */
INLINE void transform_terms(const transform_matrix *t, int folding, const REAL *in, int64_t step, int64_t k, REAL *first, REAL *second) {
  const REAL low = in[k * step];
  if (folding == cv_whole) {
    *first = low;
    return;
  }
  const int middle = 2 * k == t->n - 1;
  if (folding == cv_fold_back) {
    *first = low;
    *second = middle ? 0 : in[(t->half + k) * step];
    return;
  }
  const REAL high = middle ? 0 : in[(t->n - 1 - k) * step];
  *first = low + high;
  *second = middle ? 0 : low - high;
}

/* Results m of a line, of both matrices. */
INLINE void transform_results(const transform_matrix *t, int folding, REAL *out, int64_t step, int64_t m, REAL first, REAL second) {
  if (folding == cv_fold_back) {
    out[m * step] = first + second;
    if (2 * m != t->n - 1)
      out[(t->n - 1 - m) * step] = first - second;
    return;
  }
  out[m * step] = first;
  if (folding && 2 * m != t->n - 1)
    out[(t->half + m) * step] = second;
}

/* sums[l] = Σ_k scalars[l] row, of a row of transform_wide numbers and transform_lines scalars for each k. */
INLINE void transform_product(vector (*sums)[transform_vectors], int64_t depth, const REAL *rows, int64_t pitch, const REAL *scalars, int64_t pitch_scalars) {
  for (int l = 0; l < transform_lines; l++)
    for (int v = 0; v < transform_vectors; v++)
      sums[l][v] = (vector){0};
  for (int64_t k = 0; k < depth; k++) {
    vector row[transform_vectors];
    for (int v = 0; v < transform_vectors; v++)
      row[v] = load(rows + k * pitch + v * vector_width);
#pragma GCC unroll 8
    for (int l = 0; l < transform_lines; l++) {
      const vector x = splat(scalars[k * pitch_scalars + l]);
#pragma GCC unroll 2
      for (int v = 0; v < transform_vectors; v++)
        sums[l][v] = madd(x, row[v], sums[l][v]);
    }
  }
}

/* Lines along x: `count` of them from row r on. */
static void transform_x(const cv_transform_args *a, const transform_matrix *t, int64_t r, int64_t count, char *scratch) {
  const REAL *in[transform_lines];
  REAL *out[transform_lines];
  for (int l = 0; l < transform_lines; l++) {
    const int64_t row = r + (l < count ? l : count - 1), at = row % a->box.n[1] * a->box.sy + row / a->box.n[1] * a->box.sz;
    in[l] = (const REAL *)a->in + at;
    out[l] = (REAL *)a->out + at;
  }
  REAL *terms[2];
  for (int p = 0; p < 2; p++)
    terms[p] = real_row(&scratch, t->half * transform_lines);
  for (int64_t k = 0; k < t->half; k++)
    for (int l = 0; l < transform_lines; l++)
      transform_terms(t, (int)a->folding, in[l], 1, k, &terms[0][k * transform_lines + l], &terms[1][k * transform_lines + l]);
  for (int64_t m = 0; m < t->half; m += transform_wide) {
    vector sums[2][transform_lines][transform_vectors];
    for (int p = 0; p < t->parts; p++)
      transform_product(sums[p], t->depth[p], t->of[p] + m, t->pitch, terms[p], transform_lines);
    for (int l = 0; l < count; l++)
      for (int64_t c = 0; c < transform_wide && m + c < t->half; c++)
        transform_results(t, (int)a->folding, out[l], 1, m + c, sums[0][l][c / vector_width][c % vector_width],
                          t->parts > 1 ? sums[1][l][c / vector_width][c % vector_width] : 0);
  }
}

/* Lines along y: those of plane k from x on. */
static void transform_y(const cv_transform_args *a, const transform_matrix *t, int64_t k, int64_t x, char *scratch) {
  const int64_t at = k * a->box.sz + x, sy = a->box.sy, count = a->box.n[0] - x < transform_wide ? a->box.n[0] - x : transform_wide;
  const REAL *in = (const REAL *)a->in + at;
  REAL *out = (REAL *)a->out + at, *terms[2];
  for (int p = 0; p < 2; p++)
    terms[p] = real_row(&scratch, t->half * transform_wide);
  for (int64_t j = 0; j < t->half; j++)
    for (int64_t c = 0; c < transform_wide; c++) {
      REAL *first = &terms[0][j * transform_wide + c], *second = &terms[1][j * transform_wide + c];
      if (c < count)
        transform_terms(t, (int)a->folding, in + c, sy, j, first, second);
      else
        *first = *second = 0;
    }
  for (int64_t m = 0; m < t->half; m += transform_lines) {
    vector sums[2][transform_lines][transform_vectors];
    for (int p = 0; p < t->parts; p++)
      transform_product(sums[p], t->depth[p], terms[p], transform_wide, t->of[p] + m, t->pitch);
    for (int l = 0; l < transform_lines && m + l < t->half; l++)
      for (int64_t c = 0; c < count; c++)
        transform_results(t, (int)a->folding, out + c, sy, m + l, sums[0][l][c / vector_width][c % vector_width],
                          t->parts > 1 ? sums[1][l][c / vector_width][c % vector_width] : 0);
  }
}

/* Rows are groups of transform_group lines: rows of x, or tiles of a plane along y. */
static void transform(const void *args, int64_t begin, int64_t end, char *scratch) {
  const cv_transform_args *a = args;
  const transform_matrix t = transform_matrix_of(a);
  const int64_t rows = a->box.n[1] * a->box.n[2], tiles = (a->box.n[0] + transform_wide - 1) / transform_wide;
  if (a->axis == 0) {
    /* All instruction sets share rows out alike: transform_group is the most lines of any. */
    for (int64_t r = begin * transform_group; r < end * transform_group && r < rows; r += transform_lines)
      transform_x(a, &t, r, rows - r < transform_lines ? rows - r : transform_lines, scratch);
    return;
  }
  for (int64_t k = begin; k < end; k++)
    for (int64_t x = 0; x < tiles; x++)
      transform_y(a, &t, k, x * transform_wide, scratch);
}

/* The table of ModesArgs. */
typedef struct {
  const REAL *lambda, *rho, *mu, *sigma, *heights[modes_heights];
} modes_table;

static modes_table modes_table_of(const cv_modes_args *a) {
  modes_table t = {.lambda = a->table};
  t.rho = t.lambda + a->box.n[0];
  t.mu = t.rho + a->box.n[0];
  t.sigma = t.mu + a->box.n[1];
  for (int h = 0; h < modes_heights; h++)
    t.heights[h] = t.sigma + a->box.n[1] + h * a->box.n[2];
  return t;
}

/* The mean of the constant vector's column, weighted by volumes, or of what is integrated over them. */
static REAL modes_mean(const cv_modes_args *a, const REAL *volume, int integrated) {
  REAL sum = 0, all = 0;
  for (int64_t k = 0; k < a->box.n[2]; k++) {
    const REAL x = ((const REAL *)a->x)[k * a->box.sz];
    sum += integrated ? x : volume[k] * x;
    all += volume[k];
  }
  return sum / all;
}

static void modes_shift(const cv_modes_args *a, const REAL *volume, int integrated) {
  const REAL mean = modes_mean(a, volume, integrated);
  for (int64_t k = 0; k < a->box.n[2]; k++)
    ((REAL *)a->x)[k * a->box.sz] -= integrated ? mean * volume[k] : mean;
}

/* The columns from i on of row j. */
static void modes_columns(const cv_modes_args *a, const modes_table *t, int64_t i, int64_t count, int64_t j, char *scratch) {
  const int64_t at = j * a->box.sy + i, sz = a->box.sz, first = a->low != 0, last = a->box.n[2] - 1 - (a->high != 0);
  REAL *restrict passed = real_row(&scratch, count), *restrict carried = real_row(&scratch, count);
  const REAL *restrict lambda = t->lambda + i, *restrict rho = t->rho + i;
  const REAL mu = t->mu[j], sigma = t->sigma[j], mass = a->mass;
  const int constant = a->singular && i == 0 && j == 0;
  if (constant)
    modes_shift(a, t->heights[modes_volume], 1);
  for (int64_t c = 0; c < count; c++) {
    passed[c] = a->low ? t->heights[modes_up][0] - lambda[c] * t->heights[modes_up_first][0] - mu * t->heights[modes_up_second][0] : 0;
    carried[c] = 0;
  }
  for (int64_t k = first; k <= last; k++) {
    const REAL h0 = t->heights[modes_first][k], h1 = mu * t->heights[modes_second][k];
    const REAL h2 = sigma * (mass * t->heights[modes_volume][k] + t->heights[modes_tie][k]);
    const REAL h4 = k + 1 < a->box.n[2] ? t->heights[modes_up][k] - mu * t->heights[modes_up_second][k] : 0;
    const REAL h5 = k + 1 < a->box.n[2] ? t->heights[modes_up_first][k] : 0;
    REAL *restrict x = (REAL *)a->x + at + k * sz, *restrict up = (REAL *)a->work + at + k * sz;
    VECTORISE
    for (int64_t c = 0; c < count; c++) {
      const REAL ground = passed[c] + (lambda[c] * h0 + h1 + rho[c] * h2), g = h4 - lambda[c] * h5, pivot = ground + g;
      const REAL inverse = pivot > 0 ? 1 / pivot : 0, above = g * inverse;
      x[c] = (x[c] + carried[c]) * inverse;
      carried[c] = g * x[c];
      passed[c] = ground * above;
      up[c] = above;
    }
  }
  for (int64_t c = 0; c < count; c++) {
    if (a->low)
      ((REAL *)a->x)[at + c] = 0;
    if (a->high)
      ((REAL *)a->x)[at + c + (a->box.n[2] - 1) * sz] = 0;
  }
  for (int64_t k = last - 1; k >= first; k--) {
    REAL *restrict x = (REAL *)a->x + at + k * sz;
    const REAL *restrict above = x + sz, *restrict up = (const REAL *)a->work + at + k * sz;
    VECTORISE
    for (int64_t c = 0; c < count; c++)
      x[c] += up[c] * above[c];
  }
  if (constant)
    modes_shift(a, t->heights[modes_volume], 0);
}

/* Rows are tiles of modes_tile columns, along x first. */
static void modes(const void *args, int64_t begin, int64_t end, char *scratch) {
  const cv_modes_args *a = args;
  const modes_table t = modes_table_of(a);
  const int64_t n = a->box.n[0], tiles = (n + modes_tile - 1) / modes_tile;
  for (int64_t r = begin; r < end; r++) {
    const int64_t i = r % tiles * modes_tile;
    modes_columns(a, &t, i, n - i < modes_tile ? n - i : modes_tile, r / tiles, scratch);
  }
}
