/* Whole-buffer operations, in blocks of cv_block elements, and halos. */

#define BLOCKS(v, begin, end)                                                                                         \
  int64_t first = (begin)*cv_block, last = smallest((end)*cv_block, (v)->len)

static void fill(const void *args, int64_t begin, int64_t end, char *scratch) {
  const cv_vector_args *v = args;
  REAL *restrict out = v->out;
  REAL c = v->c[0];
  (void)scratch;
  BLOCKS(v, begin, end);
  for (int64_t i = first; i < last; i++)
    out[i] = c;
}

static void copy(const void *args, int64_t begin, int64_t end, char *scratch) {
  const cv_vector_args *v = args;
  REAL *restrict out = v->out;
  const REAL *restrict x = v->x[0];
  (void)scratch;
  BLOCKS(v, begin, end);
  if (v->stream) {
    stream_row(out + first, x + first, last - first);
    stream_end();
    return;
  }
  memcpy(out + first, x + first, (last - first) * sizeof(REAL));
}

/* From the other element type. */
static void convert(const void *args, int64_t begin, int64_t end, char *scratch) {
  const cv_vector_args *v = args;
  REAL *restrict out = v->out;
  (void)scratch;
  BLOCKS(v, begin, end);
  if (sizeof(REAL) == 4) {
    const double *restrict x = v->x[0];
    for (int64_t i = first; i < last; i++)
      out[i] = x[i];
  } else {
    const float *restrict x = v->x[0];
    for (int64_t i = first; i < last; i++)
      out[i] = x[i];
  }
}

/* out[i] = sum of c x[i] over one to four terms. out may be one of the x. */
INLINE void combine_terms(REAL *out, const REAL *const x[4], const double c4[4], int64_t n, int terms) {
  const REAL *a = x[0], *b = x[1], *c = x[2], *d = x[3];
  const REAL ca = c4[0], cb = c4[1], cc = c4[2], cd = c4[3];
  VECTORISE
  for (int64_t i = 0; i < n; i++) {
    REAL s = ca * a[i];
    if (terms > 1)
      s += cb * b[i];
    if (terms > 2)
      s += cc * c[i];
    if (terms > 3)
      s += cd * d[i];
    out[i] = s;
  }
}

static void combine_rows(REAL *out, const REAL *const x[4], const double c[4], int64_t n, int64_t terms) {
  switch (terms) {
  case 1: combine_terms(out, x, c, n, 1); break;
  case 2: combine_terms(out, x, c, n, 2); break;
  case 3: combine_terms(out, x, c, n, 3); break;
  case 4: combine_terms(out, x, c, n, 4); break;
  default: memset(out, 0, n * sizeof(REAL));
  }
}

static void combine(const void *args, int64_t begin, int64_t end, char *scratch) {
  const cv_vector_args *v = args;
  REAL *row = real_row(&scratch, cv_block);
  for (int64_t b = begin; b < end; b++) {
    int64_t first = b * cv_block, n = smallest(cv_block, v->len - first);
    REAL *out = v->stream ? row : (REAL *)v->out + first;
    const REAL *x[4];
    for (int t = 0; t < 4; t++)
      x[t] = (const REAL *)v->x[t] + first;
    combine_rows(out, x, v->c, n, v->terms);
    if (v->stream)
      stream_row((REAL *)v->out + first, row, n);
  }
  stream_end();
}

/* Halo in x and y of the planes begin..end-1. */
static void halo_plane(const void *args, int64_t begin, int64_t end, char *scratch) {
  const cv_halo_args *h = args;
  const int64_t nx = h->box.n[0], ny = h->box.n[1], wx = h->width[0], wy = h->width[1], sy = h->box.sy;
  (void)scratch;
  for (int64_t k = begin; k < end; k++) {
    REAL *plane = (REAL *)h->x + k * h->box.sz;
    for (int64_t j = 0; wx && j < ny; j++)
      for (int64_t l = 1; l <= wx; l++) {
        plane[j * sy - l] = plane[j * sy + nx - l];
        plane[j * sy + nx - 1 + l] = plane[j * sy + l - 1];
      }
    for (int64_t l = 1; l <= wy; l++) {
      memcpy(plane - l * sy - wx, plane + (ny - l) * sy - wx, (nx + 2 * wx) * sizeof(REAL));
      memcpy(plane + (ny - 1 + l) * sy - wx, plane + (l - 1) * sy - wx, (nx + 2 * wx) * sizeof(REAL));
    }
  }
}

/* Halo in z of the rows begin..end-1, counted from the first halo row in y. */
static void halo_z(const void *args, int64_t begin, int64_t end, char *scratch) {
  const cv_halo_args *h = args;
  const int64_t nx = h->box.n[0], nz = h->box.n[2], wx = h->width[0], sz = h->box.sz;
  (void)scratch;
  for (int64_t r = begin; r < end; r++) {
    REAL *row = (REAL *)h->x + (r - h->width[1]) * h->box.sy - wx;
    for (int64_t l = 1; l <= h->width[2]; l++) {
      memcpy(row - l * sz, row + (nz - l) * sz, (nx + 2 * wx) * sizeof(REAL));
      memcpy(row + (nz - 1 + l) * sz, row + (l - 1) * sz, (nx + 2 * wx) * sizeof(REAL));
    }
  }
}
