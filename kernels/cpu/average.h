/* Means over axes and over time: AddHeights, AxisMean, Accumulate. */

static void add_heights(const void *args, int64_t begin, int64_t end, char *scratch) {
  const cv_add_heights_args *a = args;
  (void)scratch;
  for (int64_t r = begin; r < end; r++) {
    const int64_t j = r % a->box.n[1], k = r / a->box.n[1];
    REAL *restrict x = (REAL *)a->x + j * a->box.sy + k * a->box.sz;
    const REAL c = AXIS(a->column)[k];
    for (int64_t i = 0; i < a->box.n[0]; i++)
      x[i] += c;
  }
}

/* The mean of a line along x, and of the squares. */
static void line_mean(const cv_axis_mean_args *a, int64_t from, int64_t to, double *restrict terms) {
  const int64_t n = a->from.n[0];
  const REAL *restrict x = (const REAL *)a->x + from, *restrict part = AXIS(a->part);
  const REAL *restrict spread = a->spread ? (const REAL *)a->spread + from : NULL;
  for (int64_t i = 0; i < n; i++)
    terms[i] = (double)part[i] * x[i];
  const double mean = row_sum(terms, n);
  ((REAL *)a->out)[to] = mean;
  if (!a->square)
    return;
  for (int64_t i = 0; i < n; i++)
    terms[i] = part[i] * ((x[i] - mean) * (x[i] - mean) + (spread ? (double)spread[i] : 0));
  ((REAL *)a->square)[to] = row_sum(terms, n);
}

/* Those of a row of lines along y or z, stride apart. */
static void row_mean(const cv_axis_mean_args *a, int64_t stride, int64_t from, int64_t to, double *restrict mean, double *restrict square) {
  const int64_t n = a->box.n[0], lines = a->from.n[a->axis];
  REAL *out = (REAL *)a->out + to;
  memset(mean, 0, n * sizeof(double));
  for (int64_t l = 0; l < lines; l++) {
    const REAL *restrict x = (const REAL *)a->x + from + l * stride;
    const double part = AXIS(a->part)[l];
    for (int64_t i = 0; i < n; i++)
      mean[i] += part * x[i];
  }
  for (int64_t i = 0; i < n; i++)
    out[i] = mean[i];
  if (!a->square)
    return;
  memset(square, 0, n * sizeof(double));
  for (int64_t l = 0; l < lines; l++) {
    const REAL *restrict x = (const REAL *)a->x + from + l * stride;
    const double part = AXIS(a->part)[l];
    for (int64_t i = 0; i < n; i++)
      square[i] += part * ((x[i] - mean[i]) * (x[i] - mean[i]));
    const REAL *restrict spread = a->spread ? (const REAL *)a->spread + from + l * stride : NULL;
    for (int64_t i = 0; spread && i < n; i++)
      square[i] += part * spread[i];
  }
  for (int64_t i = 0; i < n; i++)
    ((REAL *)a->square)[to + i] = square[i];
}

static void axis_mean(const void *args, int64_t begin, int64_t end, char *scratch) {
  const cv_axis_mean_args *a = args;
  double *first = double_row(&scratch, a->from.n[0]), *second = double_row(&scratch, a->from.n[0]);
  for (int64_t r = begin; r < end; r++) {
    const int64_t j = r % a->box.n[1], k = r / a->box.n[1];
    const int64_t from = j * a->from.sy + k * a->from.sz, to = j * a->box.sy + k * a->box.sz;
    if (a->axis == 0)
      line_mean(a, from, to, first);
    else
      row_mean(a, a->axis == 1 ? a->from.sy : a->from.sz, from, to, first, second);
  }
}

/* Squares of a row, before its mean changes. */
INLINE void accumulate_squares(const cv_accumulate_args *a, int64_t at, int64_t n) {
  const REAL *restrict x = (const REAL *)a->x + at, *restrict before = (const REAL *)a->before + at, *restrict mean = (const REAL *)a->mean + at;
  const REAL *restrict spread = a->spread ? (const REAL *)a->spread + at : NULL;
  REAL *restrict square = (REAL *)a->square + at, *restrict earlier = spread ? (REAL *)a->spread_before + at : NULL;
  const REAL dt = a->dt, rest = a->dt * a->rest;
  for (int64_t i = 0; i < n; i++) {
    const REAL d = (REAL)0.5 * (before[i] + x[i]) - mean[i], half = (REAL)0.5 * (before[i] - x[i]);
    square[i] += dt * (half * half) + rest * (d * d);
  }
  for (int64_t i = 0; spread && i < n; i++) {
    square[i] += dt * ((REAL)0.5 * (earlier[i] + spread[i]));
    earlier[i] = spread[i];
  }
}

static void accumulate(const void *args, int64_t begin, int64_t end, char *scratch) {
  const cv_accumulate_args *a = args;
  const int64_t n = a->box.n[0];
  (void)scratch;
  for (int64_t r = begin; r < end; r++) {
    const int64_t at = r % a->box.n[1] * a->box.sy + r / a->box.n[1] * a->box.sz;
    if (a->square)
      accumulate_squares(a, at, n);
    const REAL *restrict x = (const REAL *)a->x + at;
    REAL *restrict before = (REAL *)a->before + at, *restrict mean = (REAL *)a->mean + at;
    const REAL part = a->part;
    for (int64_t i = 0; i < n; i++) {
      mean[i] += part * ((REAL)0.5 * (before[i] + x[i]) - mean[i]);
      before[i] = x[i];
    }
  }
}
