/* Transport of heat through the faces: Advect. */

/* q T_f on the upper faces of n nodes in a row, along an axis of stride s. t and q point at the first node. lack tells
   which of the nodes a scheme reads lie beyond walls. */
enum { lack_a = 1, lack_d = 2, lack_low = 4, lack_high = 8 }; /* the next nodes; one of the five up or down the axis */

INLINE void face_heat_row(int scheme, int lack, int64_t n, int64_t s, const REAL *restrict q, const REAL *restrict t,
                          REAL *restrict out) {
  for (int64_t i = 0; i < n; i++)
    out[i] = q[i] * (scheme == cv_central ? point_central(t[i], t[i + s])
                     : scheme == cv_weno5
                         ? point_weno5(q[i], t[i - 2 * s], t[i - s], t[i], t[i + s], t[i + 2 * s], t[i + 3 * s])
                         : point_limited(q[i], t[i - s], t[i], t[i + s], t[i + 2 * s], lack & lack_a, lack & lack_d));
}

static void face_heat_limited(int lack, int64_t n, int64_t s, const REAL *q, const REAL *t, REAL *out) {
  switch (lack & (lack_a | lack_d)) {
  case lack_a | lack_d:
    return face_heat_row(cv_tvd, lack_a | lack_d, n, s, q, t, out);
  case lack_a:
    return face_heat_row(cv_tvd, lack_a, n, s, q, t, out);
  case lack_d:
    return face_heat_row(cv_tvd, lack_d, n, s, q, t, out);
  }
  face_heat_row(cv_tvd, 0, n, s, q, t, out);
}

/* WENO5 where the flow finds all five nodes, else the limited scheme. */
static void face_heat_mixed(int lack, int64_t n, int64_t s, const REAL *restrict q, const REAL *restrict t,
                            REAL *restrict out) {
  face_heat_limited(lack, n, s, q, t, out);
  for (int64_t i = 0; i < n; i++)
    if (!(lack & (q[i] > 0 ? lack_low : lack_high)))
      out[i] = q[i] * point_weno5(q[i], t[i - 2 * s], t[i - s], t[i], t[i + s], t[i + 2 * s], t[i + 3 * s]);
}

/* The same, by scheme. */
static void face_heat(int scheme, int lack, int64_t n, int64_t s, const REAL *q, const REAL *t, REAL *out) {
  if (scheme == cv_central)
    face_heat_row(cv_central, 0, n, s, q, t, out);
  else if (scheme == cv_tvd)
    face_heat_limited(lack, n, s, q, t, out);
  else if (lack)
    face_heat_mixed(lack, n, s, q, t, out);
  else
    face_heat_row(cv_weno5, 0, n, s, q, t, out);
}

/* What the face above node p of n between walls lacks. */
INLINE int face_lack(int64_t p, int64_t n) {
  return (p < 1 ? lack_a : 0) | (p + 2 >= n ? lack_d : 0) | (p < 2 || p + 2 >= n ? lack_low : 0) |
         (p < 1 || p + 3 >= n ? lack_high : 0);
}

/* q T_f on the upper faces of the nodes -1..n-1 of row (j,k) along x. Wall faces are left to wall_heat. */
static void face_heat_x(const cv_advect_args *a, int64_t j, int64_t k, REAL *out) {
  const int64_t n = a->box.n[0], offset = j * a->box.sy + k * a->box.sz;
  const REAL *q = (const REAL *)a->q[0] + offset, *t = (const REAL *)a->t + offset;
  face_heat(a->scheme, 0, n + 1, 1, q - 1, t - 1, out - 1);
  if (a->periodic[0])
    return;
  for (int64_t i = 0; i < n - 1; i++) {
    if (i == 2 && n - 3 > i)
      i = n - 3;
    face_heat(a->scheme, face_lack(i, n), 1, 1, q + i, t + i, out + i);
  }
}

/* q T of wall faces: the node's where fluid leaves, the inflow's where it enters. q is positive along the axis,
   outward on a high wall. */
static void wall_heat(int64_t n, int high, const REAL *q, const REAL *t, const REAL *inflow, REAL *out) {
  for (int64_t i = 0; i < n; i++) {
    const int enters = high ? q[i] < 0 : q[i] > 0;
    out[i] = q[i] * (enters && inflow ? inflow[i] : t[i]);
  }
}

/* q T_f on the faces above node row (j,k) along y or z; the row may be -1 along that axis. */
static void face_heat_across(const cv_advect_args *a, int axis, int64_t j, int64_t k, REAL *out) {
  const int64_t nx = a->box.n[0], n = a->box.n[axis], p = axis == 1 ? j : k, s = axis == 1 ? a->box.sy : a->box.sz;
  const int64_t offset = j * a->box.sy + k * a->box.sz, along = axis == 1 ? k : j;
  const REAL *q = (const REAL *)a->q[axis] + offset, *t = (const REAL *)a->t + offset;
  if (a->periodic[axis] || (p >= 0 && p < n - 1)) {
    face_heat(a->scheme, a->periodic[axis] ? 0 : face_lack(p, n), nx, s, q, t, out);
    return;
  }
  const int high = p >= 0;
  const REAL *inflow = a->inflow[2 * axis + high];
  wall_heat(nx, high, q, high ? t : t + s, inflow ? inflow + along * nx : NULL, out);
}

/* The walls left and right of a row. */
static void wall_heat_x(const cv_advect_args *a, int64_t j, int64_t k, REAL *out) {
  const int64_t n = a->box.n[0], offset = j * a->box.sy + k * a->box.sz, at = j + k * a->box.n[1];
  const REAL *q = (const REAL *)a->q[0] + offset, *t = (const REAL *)a->t + offset;
  const REAL *left = a->inflow[0], *right = a->inflow[1];
  wall_heat(1, 0, q - 1, t, left ? left + at : NULL, out - 1);
  wall_heat(1, 1, q + n - 1, t + n - 1, right ? right + at : NULL, out + n - 1);
}

/* Faces already done by the rows before: in z one row for each y of a strip, and the plane it belongs to. */
typedef struct {
  REAL *x, *y_low, *y_high, *z_high, *z_low, *row;
  int64_t *z_plane;
  int64_t stride, y_after, y_plane; /* y_high belongs to the face after this row of this plane */
} advect_rows;

static advect_rows advect_scratch(char *scratch, int64_t n, int64_t strip) {
  advect_rows s = {.y_after = -2, .y_plane = -2};
  s.x = real_row(&scratch, n);
  s.y_low = real_row(&scratch, n);
  s.y_high = real_row(&scratch, n);
  s.z_high = real_row(&scratch, n);
  s.row = real_row(&scratch, n);
  s.stride = (n + 47) / 16 * 16;
  s.z_low = (REAL *)scratch;
  scratch += strip * s.stride * sizeof(REAL);
  s.z_plane = (int64_t *)scratch;
  return s;
}

/* y_low and y_high of row (j,k): the faces below and above it in y. */
static void advect_y(const cv_advect_args *a, advect_rows *s, int64_t j, int64_t k) {
  if (s->y_plane == k && s->y_after == j - 1) {
    REAL *t = s->y_low;
    s->y_low = s->y_high;
    s->y_high = t;
  } else
    face_heat_across(a, 1, j - 1, k, s->y_low);
  face_heat_across(a, 1, j, k, s->y_high);
  s->y_plane = k;
  s->y_after = j;
}

static void advect_row(const cv_advect_args *a, advect_rows *s, int64_t j, int64_t k) {
  const int64_t n = a->box.n[0], flat = a->box.sy == 0, slot = j % a->strip;
  const REAL *restrict w = AXIS(a->w[0]);
  const REAL wy = AXIS(a->w[1])[j], wz = AXIS(a->w[2])[k], wyz = (double)wy * wz;
  REAL *restrict z_low = s->z_low + slot * s->stride, *restrict z_high = s->z_high, *restrict x = s->x;
  REAL *out = (REAL *)a->out + j * a->box.sy + k * a->box.sz, *restrict t = a->stream ? s->row : out;

  face_heat_x(a, j, k, x);
  if (!a->periodic[0])
    wall_heat_x(a, j, k, x);
  if (!flat)
    advect_y(a, s, j, k);
  if (s->z_plane[slot] != k - 1)
    face_heat_across(a, 2, j, k - 1, z_low);
  face_heat_across(a, 2, j, k, z_high);
  s->z_plane[slot] = k;

  const REAL *restrict y_low = s->y_low, *restrict y_high = s->y_high;
  if (flat)
    for (int64_t i = 0; i < n; i++)
      t[i] = -(wyz * (x[i] - x[i - 1]) + w[i] * (wy * (z_high[i] - z_low[i])));
  else
    for (int64_t i = 0; i < n; i++)
      t[i] = -(wyz * (x[i] - x[i - 1]) + w[i] * (wz * (y_high[i] - y_low[i]) + wy * (z_high[i] - z_low[i])));
  memcpy(z_low, z_high, n * sizeof(REAL));
  if (a->stream)
    stream_row(out, t, n);
}

static void advect(const void *args, int64_t begin, int64_t end, char *scratch) {
  const cv_advect_args *a = args;
  advect_rows s = advect_scratch(scratch, a->box.n[0], a->strip);
  int64_t strip = -1;
  FOR_ROWS(a->box.n[1], begin, end, a->strip) {
    if (j / a->strip != strip) {
      strip = j / a->strip;
      for (int64_t l = 0; l < a->strip; l++)
        s.z_plane[l] = -2;
    }
    advect_row(a, &s, j, k);
  }
  stream_end();
}
