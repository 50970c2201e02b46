/* Descend and Ascend: one level of a cycle, down or up, in one pass over memory. The level is cut into tiles in y and z. In a
   tile the planes go through all sweeps one behind the other, each a plane later than the one before, so that a value is
   used as long as it is in cache; what a sweep has made is kept in a ring of its last three planes. Where rows and their neighbours are
   alike two sweeps from zero come from F alone, and no ring keeps the first of them. Residuals are restricted in x
   and y as soon as a few rows are made, and only these are kept. A tile computes more rows and planes than it owns, one for each
   sweep that follows, instead of waiting for its neighbours. */

#include "cycle_source.h"

enum { ring_planes = 3 };

/* The last planes of rows first.. as virtual nodes: at periodic ends their numbers run on beyond the ends. */
typedef struct {
  REAL *base;
  int64_t sy, sz, first;
} ring;

/* What a thread knows of its tile. */
typedef struct {
  const cv_cycle_args *args;
  int descend;
  sweep_rows rows;
  range y, z; /* owned nodes */
  range coarse_y; /* coarse rows that it restricts to */
  ring rings[cv_sweeps + 1]; /* of the first guess and the sweeps */
  source_rows source;        /* empty unless two sweeps from zero begin */
  ring restricted;           /* of residuals, restricted in x and y */
  REAL *residual;            /* rows_at_once + 1 rows of one plane, as in a ring */
} tile;

/* Rows that are made before they are restricted: as many as stay in the first-level cache meanwhile. */
enum { rows_at_once = 64 / sizeof(REAL) };

static range part_of(int64_t n, int64_t part, int64_t parts) {
  return (range){n * part / parts, n * (part + 1) / parts};
}

INLINE REAL *ring_row(const ring *r, int64_t j, int64_t k) {
  return r->base + (k + ring_planes * 4) % ring_planes * r->sz + (j - r->first) * r->sy;
}

/* The node that a virtual one stands for. */
INLINE int64_t wrapped(int64_t i, int64_t n) { return i >= 0 && i < n ? i : (i % n + n) % n; }

/* Owned rows and `more` on both sides, as far as there are rows. */
static range widened(const cv_cycle_args *a, range owned, int64_t more) {
  if (a->a.box.sy == 0)
    return owned;
  range r = {owned.begin - more, owned.end + more};
  if (!a->periodic[1]) {
    r.begin = r.begin < 0 ? 0 : r.begin;
    r.end = smallest(r.end, a->a.box.n[1]);
  }
  return r;
}

/* Elements of a ring row of n nodes and rows of a ring plane, for tiles of `height` rows of y. */
INLINE int64_t ring_stride(int64_t n) { return (n + 2 + 15) / 16 * 16; }
INLINE int64_t ring_height(const cv_cycle_args *a, int64_t height) {
  return a->a.box.sy == 0 ? 1 : height + 2 * (a->sweeps + 3);
}

/* A ring of planes of `height` rows from `first` on. Returns the scratch memory after it. */
static char *make_ring(ring *g, int64_t n, int64_t first, int64_t height, int flat, char *scratch) {
  const int64_t sy = ring_stride(n);
  *g = (ring){(REAL *)scratch, flat ? 0 : sy, height * sy, first};
  return scratch + ring_planes * g->sz * sizeof(REAL);
}

/* Rings for the rows of a tile. Beyond the nodes they are zero and stay so; at periodic ends in x the two elements
   beside a row are its halo. Returns the scratch memory after them. */
static char *make_rings(tile *t, int64_t count, char *scratch) {
  const cv_cycle_args *a = t->args;
  const int64_t n = a->a.box.n[0], ny = a->a.box.n[1], height = ring_height(a, t->y.end - t->y.begin);
  const int flat = a->a.box.sy == 0;
  scratch += 16 * sizeof(REAL);
  for (int64_t r = 0; r < count; r++) {
    ring *g = &t->rings[r];
    scratch = make_ring(g, n, flat ? t->y.begin : t->y.begin - a->sweeps - 3, height, flat, scratch);
    for (int64_t row = 0; row < ring_planes * height; row++) {
      const int64_t j = g->first + row % height;
      REAL *x = (REAL *)g->base + row * ring_stride(n);
      if (!a->periodic[1] && (j < 0 || j >= ny))
        memset(x, 0, n * sizeof(REAL));
      x[-1] = x[n] = 0;
    }
  }
  if (!t->descend)
    return scratch;
  scratch = make_ring(&t->restricted, a->coarse.n[0], t->coarse_y.begin, height, flat, scratch);
  t->residual = (REAL *)scratch;
  for (int64_t row = 0; row <= rows_at_once; row++)
    t->residual[row * ring_stride(n) - 1] = t->residual[row * ring_stride(n) + n] = 0;
  return scratch + (rows_at_once + 1) * ring_stride(n) * sizeof(REAL);
}

/* Makes the elements beside a row its halo. */
INLINE void close_row(const cv_cycle_args *a, REAL *x) {
  if (a->periodic[0]) {
    x[-1] = x[a->a.box.n[0] - 1];
    x[a->a.box.n[0]] = x[0];
  }
}

/* Zero in the plane of a ring that lies beyond a wall, from the halo of its first row on. */
static void clear_plane(const ring *g, int64_t k) {
  memset(ring_row(g, g->first, k) - 1, 0, g->sz * sizeof(REAL));
}

INLINE int beyond(const cv_cycle_args *a, int64_t k) { return !a->periodic[2] && (k < 0 || k >= a->a.box.n[2]); }

/* The planes k-1, k, k+1 of a ring, as pointers to its first row. */
typedef struct {
  const REAL *plane[3];
  int64_t sy, first;
} ring_window;

static ring_window planes_around(const ring *g, int64_t k) {
  return (ring_window){{ring_row(g, g->first, k - 1), ring_row(g, g->first, k), ring_row(g, g->first, k + 1)},
                          g->sy, g->first};
}

INLINE node_rows rows_in(const ring_window *p, int64_t j) {
  const int64_t at = (j - p->first) * p->sy, sy = p->sy;
  const REAL *a = p->plane[0] + at, *b = p->plane[1] + at, *c = p->plane[2] + at;
  return (node_rows){{{a - sy, a, a + sy}, {b - sy, b, b + sy}, {c - sy, c, c + sy}}};
}

/* What is made of one plane after another: the first guess (sweep -1), a sweep (op_smooth), or the residual. */
typedef struct {
  int op;
  int64_t sweep;
  const ring *from; /* NULL: u is zero, or the first guess */
  ring *to;
  int64_t more; /* rows and planes on each side of the owned ones, for the stages that follow */
  int to_memory; /* the last sweep on the way up: not into a ring */
  const REAL *ahead; /* what is read from memory `planes_ahead` planes further on by then, NULL: nothing */
  int64_t planes_ahead;
} stage;

static void first_row(tile *t, int64_t j, int64_t kr, REAL *out);

/* The row j of an array in memory that a stage asks for while it computes row j of plane k, or NULL. */
static const REAL *row_ahead(const cv_cycle_args *a, const stage *s, int64_t j, int64_t k) {
  const cv_box *box = &a->a.box;
  k += s->planes_ahead;
  return s->ahead && j >= 0 && k >= 0 && k < box->n[2] ? s->ahead + j * box->sy + k * box->sz : NULL;
}

/* Rows j.. of plane k of a stage, at most `most`, from the ring before it to out, out_apart elements apart. Returns how many rows it made. */
static int64_t stage_rows(tile *t, const stage *s, const ring_window *from, int64_t j, int64_t k, int64_t most, int stream,
                          REAL *out, int64_t out_apart) {
  const cv_cycle_args *a = t->args;
  const cv_elliptic *e = &a->a;
  const int64_t kr = wrapped(k, e->box.n[2]);
  if (s->sweep < 0) {
    first_row(t, j, kr, out);
    return 1;
  }
  const int64_t ny = e->box.n[1], jr = wrapped(j, ny);
  node_rows rows;
  if (from)
    rows = rows_in(from, j);
  row_task q = {.j = jr, .k = kr, .count = 1, .entry = mask_entry(&e->mask, jr + kr * ny), .rows = from ? &rows : NULL,
                .f = (const REAL *)a->f + jr * e->box.sy + kr * e->box.sz, .t = out,
                .rows_apart = from ? from->sy : 0, .f_apart = e->box.sy, .t_apart = out_apart,
                .omega = a->omega[s->sweep], .kept = s->sweep, .colour = -1,
                .f_ahead = s->sweep == 0 && s->op == op_smooth ? cycle_rows_ahead * e->box.sy : 0,
                .ask = row_ahead(a, s, j, k), .ask_apart = e->box.sy, .copy_stream = a->stream};
  const int stores_u = s->op == op_residual && owns(&t->z, k);
  if (stores_u && owns(&t->y, j)) {
    q.copy = (REAL *)a->out + jr * e->box.sy + kr * e->box.sz;
    most = smallest(most, t->y.end - j);
  } else if (stores_u && j < t->y.begin)
    most = smallest(most, t->y.begin - j);
  if (q.entry == all_fixed) {
    fixed_row(s->op, e->box.n[0], out, from ? rows.r[1][1] : NULL);
    if (q.copy)
      copy_row(q.copy, rows.r[1][1], e->box.n[0], a->stream);
    return 1;
  }
  if (t->source.from_f.count && s->op == op_smooth && s->sweep < 2) {
    const int64_t run = *run_at(s->sweep ? &t->source.from_f : &t->source.unread, j, k);
    most = smallest(most, largest(run, -run));
    if (run > 0) {
      q.count = most;
      if (s->sweep == 0)
        return most;
      rows = rows_around(q.f, e->box.sy, e->box.sz);
      q.rows_apart = e->box.sy;
      q.ahead = cycle_rows_ahead * e->box.sy;
      compute_twice(e, &t->rows, &q, a->omega);
      return most;
    }
  }
  const int ends_only = fixes_ends_only(e, &t->rows, q.entry);
  if (s->op == op_smooth || ends_only)
    q.count = rows_alike(e, jr, kr, smallest(most, ny - jr));
  compute_rows(s->op, e, &t->rows, &q, stream);
  if (s->op == op_residual && (e->cells[0] || !ends_only))
    mask_out(&e->mask, q.entry, e->box.n[0], out);
  return q.count;
}

/* A plane of a stage but the residual, owned rows and more on each side, into its ring or to memory. */
static void stage_plane(tile *t, const stage *s, int64_t k) {
  const cv_cycle_args *a = t->args;
  const cv_box *box = &a->a.box;
  const ring *to = s->to;
  if (k < t->z.begin - s->more || k >= t->z.end + s->more)
    return;
  if (beyond(a, k)) {
    clear_plane(to, k);
    return;
  }
  const range rows = widened(a, t->y, s->more);
  const int64_t kr = wrapped(k, box->n[2]);
  REAL *plane = ring_row(to, to->first, k);
  ring_window around;
  if (s->from)
    around = planes_around(s->from, k);
  for (int64_t j = rows.begin, made; j < rows.end; j += made) {
    REAL *out = (REAL *)a->out + j * box->sy + kr * box->sz, *x = plane + (j - to->first) * to->sy;
    made = stage_rows(t, s, s->from ? &around : NULL, j, k, rows.end - j, s->to_memory && a->stream,
                      s->to_memory ? out : x, s->to_memory ? box->sy : to->sy);
    for (int64_t l = 0; !s->to_memory && l < made; l++)
      close_row(a, x + l * to->sy);
  }
}

/* The residual's rows begin..end-1 of plane k into t->residual from row `at` of it on: zero beyond walls. */
static void residual_rows(tile *t, const stage *s, const ring_window *around, int64_t begin, int64_t end, int64_t k, int64_t at) {
  const cv_cycle_args *a = t->args;
  const int64_t n = a->a.box.n[0], ny = a->a.box.n[1], stride = ring_stride(n);
  REAL *x = t->residual + at * stride;
  for (int64_t j = begin, made; j < end; j += made, x += made * stride) {
    made = 1;
    if (!a->periodic[1] && (j < 0 || j >= ny))
      memset(x, 0, n * sizeof(REAL));
    else
      made = stage_rows(t, s, around, j, k, (a->periodic[1] ? end : smallest(end, ny)) - j, 0, x, stride);
    for (int64_t l = 0; l < made; l++)
      close_row(a, x + l * stride);
  }
}

/* The coarse rows range of plane k of the residual, restricted in x and y, into their ring. */
static void restrict_in_plane(tile *t, const stage *s, const ring_window *around, range coarse, int64_t k) {
  const cv_cycle_args *a = t->args;
  const int64_t stride = ring_stride(a->a.box.n[0]), fy = a->factor[1], factor[3] = {a->factor[0], fy, 1};
  const int64_t begin = fy * coarse.begin - (fy - 1), end = fy * (coarse.end - 1) + fy;
  const int again = fy == 2 && coarse.begin > t->coarse_y.begin; /* the first row was the last before */
  if (again)
    memcpy(t->residual - 1, t->residual + rows_at_once * stride - 1, (a->a.box.n[0] + 2) * sizeof(REAL));
  residual_rows(t, s, around, begin + again, end, k, again);
  for (int64_t j = coarse.begin; j < coarse.end; j++) {
    const REAL *x = t->residual + (fy * j - begin) * stride;
    const node_rows rows = {{{NULL}, {x - stride, x, x + stride}, {NULL}}};
    restricted_row(ring_row(&t->restricted, j, k), a->coarse.n[0], factor, &rows, NULL, all_free);
  }
}

/* Row (j, kc) of the coarse right side, from the ring. */
static void restrict_in_z(const tile *t, int64_t j, int64_t kc) {
  const cv_cycle_args *a = t->args;
  const int64_t k = kc * a->factor[2], factor[3] = {1, 1, a->factor[2]};
  const ring *from = &t->restricted;
  const node_rows rows = {{{NULL, ring_row(from, j, k - 1)}, {NULL, ring_row(from, j, k)}, {NULL, ring_row(from, j, k + 1)}}};
  restricted_row((REAL *)a->coarse_x + j * a->coarse.sy + kc * a->coarse.sz, a->coarse.n[0], factor, &rows, &a->coarse_mask,
                 mask_entry(&a->coarse_mask, j + kc * a->coarse.n[1]));
}

/* Plane k of the residual, and those coarse rows whose last plane it is. */
static void restrict_plane(tile *t, const stage *s, int64_t k) {
  const cv_cycle_args *a = t->args;
  const int64_t centre = k - (a->factor[2] - 1), kc = centre / a->factor[2];
  const int finishes = owns(&t->z, centre) && centre % a->factor[2] == 0;
  if (k < t->z.begin - s->more || k >= t->z.end + s->more)
    return;
  if (beyond(a, k))
    clear_plane(&t->restricted, k);
  const ring_window around = planes_around(s->from, k);
  for (range coarse = t->coarse_y; coarse.begin < t->coarse_y.end; coarse.begin = coarse.end) {
    coarse.end = smallest(coarse.begin + rows_at_once / 2, t->coarse_y.end);
    for (int64_t j = coarse.begin; finishes && j < coarse.end; j++)
      prefetch_for_writing((REAL *)a->coarse_x + j * a->coarse.sy + kc * a->coarse.sz, a->coarse.n[0]);
    if (!beyond(a, k))
      restrict_in_plane(t, s, &around, coarse, k);
    for (int64_t j = coarse.begin; finishes && j < coarse.end; j++)
      restrict_in_z(t, j, kc);
  }
}

static void descend_tile(tile *t, char *scratch) {
  const cv_cycle_args *a = t->args;
  const int64_t m = a->sweeps, first = a->u ? -1 : 0, more = a->factor[1] == 2 || a->factor[2] == 2, stages = m - first + 1;
  stage s[cv_sweeps + 2]; /* the first guess, the sweeps and the residual */
  for (int64_t n = 0; n < stages; n++)
    s[n] = (stage){.op = n < stages - 1 ? op_smooth : op_residual, .sweep = n < stages - 1 ? first + n : 0,
                   .from = n > 0 ? &t->rings[n - 1] : NULL, .to = n < stages - 1 ? &t->rings[n] : NULL,
                   .more = more + stages - 1 - n,
                   .ahead = n == stages - 1 ? a->f : n == 1 ? a->u : NULL, .planes_ahead = n + 1 + (n == stages - 1 ? first : 0)};
  const int64_t widest = more + stages - 1;
  t->source = find_rows_from_f(a, &t->rows, widened(a, t->y, widest),
                               (range){largest(t->z.begin - widest, 0), smallest(t->z.end + widest, a->a.box.n[2])}, scratch);
  for (int64_t p = t->z.begin - s[0].more; p < t->z.end + more + stages - 1; p++) {
    for (int64_t n = 0; n < stages - 1; n++)
      stage_plane(t, &s[n], p - n);
    restrict_plane(t, &s[stages - 1], p - (stages - 1));
  }
}

/* The first guess of row j of plane kr, on the way up with the correction, U + P CoarseX. */
static void first_row(tile *t, int64_t j, int64_t kr, REAL *out) {
  const cv_cycle_args *a = t->args;
  const cv_box *box = &a->a.box, *coarse = &a->coarse;
  const int64_t jr = wrapped(j, box->n[1]), n = box->n[0];
  const int64_t jc = jr / a->factor[1], kc = kr / a->factor[2], entry = mask_entry(&a->a.mask, jr + kr * box->n[1]);
  const REAL *u = (const REAL *)a->u + jr * box->sy + kr * box->sz;
  if (t->descend || entry == all_fixed) {
    memcpy(out, u, n * sizeof(REAL));
    return;
  }
  const int64_t sy = jr % a->factor[1] ? (wrapped(jc + 1, coarse->n[1]) - jc) * coarse->sy : 0;
  const int64_t sz = kr % a->factor[2] ? (wrapped(kc + 1, coarse->n[2]) - kc) * coarse->sz : 0;
  prefetch_row(u + cycle_rows_ahead * box->sy, n);
  if (jr % a->factor[1] == 0 && kr % a->factor[2] == 0 && kc + 1 < coarse->n[2])
    prefetch_row((const REAL *)a->coarse_x + jc * coarse->sy + (kc + 1) * coarse->sz, coarse->n[0]);
  corrected_row(out, u, n, a->factor[0], (const REAL *)a->coarse_x + jc * coarse->sy + kc * coarse->sz, sy, sz, a->periodic[0],
                &a->a.mask, entry);
}

static void ascend_tile(tile *t) {
  const cv_cycle_args *a = t->args;
  const int64_t stages = a->sweeps + 1;
  stage s[cv_sweeps + 1];
  for (int64_t n = 0; n < stages; n++)
    s[n] = (stage){.op = op_smooth, .sweep = n - 1, .from = n > 0 ? &t->rings[n - 1] : NULL, .to = &t->rings[n],
                   .more = stages - 1 - n, .to_memory = n == stages - 1,
                   .ahead = n == 1 ? a->u : n == 2 ? a->f : NULL, .planes_ahead = 2};
  for (int64_t p = t->z.begin - s[0].more; p < t->z.end + stages - 1; p++)
    for (int64_t n = 0; n < stages; n++)
      stage_plane(t, &s[n], p - n);
}

/* The tiles begin..end-1, strip by strip in each slab. */
static void cycle(const void *args, int64_t begin, int64_t end, char *scratch, int descend) {
  const cv_cycle_args *a = args;
  tile t = {.args = a, .descend = descend, .rows = sweep_scratch(scratch, &a->a)};
  scratch = t.rows.end;
  for (int64_t n = begin; n < end; n++) {
    t.y = part_of(a->a.box.n[1], n % a->strips, a->strips);
    t.z = part_of(a->a.box.n[2], n / a->strips, a->slabs);
    t.coarse_y = (range){(t.y.begin + a->factor[1] - 1) / a->factor[1], (t.y.end + a->factor[1] - 1) / a->factor[1]};
    char *rest = make_rings(&t, a->sweeps + (!descend || a->u), scratch);
    if (descend)
      descend_tile(&t, rest);
    else
      ascend_tile(&t);
  }
  stream_end();
}

static void descend(const void *args, int64_t begin, int64_t end, char *scratch) {
  cycle(args, begin, end, scratch, 1);
}

static void ascend(const void *args, int64_t begin, int64_t end, char *scratch) {
  cycle(args, begin, end, scratch, 0);
}
