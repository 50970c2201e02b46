/* Descend and Ascend: one level of a cycle, down or up, in one pass over memory. The level is cut into tiles in y and z. In a
   tile the planes go through all sweeps one behind the other, each a plane later than the one before, so that a value is
   used as long as it is in cache; what a sweep has made is kept in a ring of its last three planes. A tile computes
   more rows and planes than it owns, one for each sweep that follows, instead of waiting for its neighbours. */

enum { ring_planes = 3 };

/* The last planes of rows first.. as virtual nodes: at periodic ends their numbers run on beyond the ends. */
typedef struct {
  REAL *base;
  int64_t sy, sz, first;
} ring;

/* A range of nodes of one axis that a stage computes. */
typedef struct {
  int64_t begin, end;
} range;

/* What a thread knows of its tile. */
typedef struct {
  const cv_cycle_args *args;
  int descend;
  sweep_rows rows;
  range y, z; /* owned nodes */
  ring rings[cv_sweeps + 2];
  gathered_rows coarse; /* for the transfers */
} tile;

static range part_of(int64_t n, int64_t part, int64_t parts) {
  return (range){n * part / parts, n * (part + 1) / parts};
}

INLINE int owns(const range *r, int64_t i) { return i >= r->begin && i < r->end; }

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

/* Elements of a ring row and rows of a ring plane, for tiles of `height` rows of y. */
INLINE int64_t ring_stride(const cv_cycle_args *a) { return (a->a.box.n[0] + 2 + 15) / 16 * 16; }
INLINE int64_t ring_height(const cv_cycle_args *a, int64_t height) {
  return a->a.box.sy == 0 ? 1 : height + 2 * (a->sweeps + 3);
}

/* Rings for the rows of a tile. Beyond the nodes they are zero and stay so; at periodic ends in x the two elements
   beside a row are its halo. */
static void make_rings(tile *t, int64_t count, char *scratch) {
  const cv_cycle_args *a = t->args;
  const int64_t n = a->a.box.n[0], sy = ring_stride(a), height = ring_height(a, t->y.end - t->y.begin);
  const int flat = a->a.box.sy == 0;
  scratch += 16 * sizeof(REAL);
  for (int64_t r = 0; r < count; r++) {
    ring *g = &t->rings[r];
    *g = (ring){(REAL *)scratch, flat ? 0 : sy, height * sy, flat ? t->y.begin : t->y.begin - a->sweeps - 3};
    scratch += ring_planes * g->sz * sizeof(REAL);
    for (int64_t row = 0; row < ring_planes * height; row++) {
      const int64_t j = g->first + row % height;
      REAL *x = g->base + row * sy;
      if (!a->periodic[1] && (j < 0 || j >= a->a.box.n[1]))
        memset(x, 0, n * sizeof(REAL));
      x[-1] = x[n] = 0;
    }
  }
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
  int last;     /* of the sweeps: on the way down to memory as well, on the way up only there */
  const REAL *ahead; /* what is read from memory two planes further on by then, NULL: nothing */
} stage;

static void first_row(tile *t, int64_t j, int64_t kr, REAL *out);

/* Rows that a stage makes before they are copied on: as many as stay in the first-level cache. */
enum { rows_at_once = 8 };

/* Rows j.. of a plane of a stage, at most `most`, from the ring before it to out, out_apart elements apart; kr is the plane that
   the nodes belong to. Returns how many rows it made. */
static int64_t stage_rows(tile *t, const stage *s, const ring_window *from, int64_t j, int64_t kr, int64_t most, int stream,
                          REAL *out, int64_t out_apart) {
  const cv_cycle_args *a = t->args;
  const cv_elliptic *e = &a->a;
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
                .f_ahead = s->sweep == 0 && s->op == op_smooth ? rows_ahead * e->box.sy : 0};
  if (q.entry == all_fixed) {
    fixed_row(s->op, e->box.n[0], out, from ? rows.r[1][1] : NULL);
    return 1;
  }
  const int ends_only = fixes_ends_only(e, &t->rows, q.entry);
  if (s->op == op_smooth || ends_only)
    q.count = rows_alike(e, jr, kr, smallest(smallest(most, rows_at_once), ny - jr));
  compute_rows(s->op, e, &t->rows, &q, stream);
  if (s->op == op_residual && (e->cells[0] || !ends_only))
    mask_out(e, q.entry, out);
  return q.count;
}

/* Asks for the rows j.. of plane k of an array in memory (NULL: of none), where a stage that computes from cache would leave memory idle. */
static void ask_ahead(const cv_cycle_args *a, const REAL *x, int64_t j, int64_t k, int64_t rows) {
  const cv_box *box = &a->a.box;
  if (!x || k < 0 || k >= box->n[2])
    return;
  for (int64_t l = largest(j, 0); l < smallest(j + rows, box->n[1]); l++)
    for (int64_t i = 0; i < box->n[0]; i += line_width)
      __builtin_prefetch(x + l * box->sy + k * box->sz + i, 0, 2);
}

/* A plane of a stage, owned rows and more on each side, into its ring or to memory. */
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
  const int up = s->last && !t->descend, down = s->last && t->descend && owns(&t->z, k);
  REAL *plane = ring_row(to, to->first, k);
  ring_window around;
  if (s->from)
    around = planes_around(s->from, k);
  for (int64_t j = rows.begin, made; j < rows.end; j += made) {
    REAL *out = (REAL *)a->out + j * box->sy + k * box->sz, *x = plane + (j - to->first) * to->sy;
    made = stage_rows(t, s, s->from ? &around : NULL, j, kr, rows.end - j, up && a->stream, up ? out : x,
                      up ? box->sy : to->sy);
    ask_ahead(a, s->ahead, j, k + 2, made);
    for (int64_t l = 0; !up && l < made; l++, x += to->sy, out += box->sy) {
      close_row(a, x);
      if (!down || !owns(&t->y, j + l))
        continue;
      if (a->stream)
        stream_row(out, x, box->n[0]);
      else
        memcpy(out, x, box->n[0] * sizeof(REAL));
    }
  }
}

/* The rows of the coarse right side whose centre is the residual's plane k. */
static void restrict_plane(tile *t, const ring *residual, int64_t k) {
  const cv_cycle_args *a = t->args;
  const int64_t fy = a->factor[1], kc = k / a->factor[2], end = (t->y.end + fy - 1) / fy;
  const ring_window around = planes_around(residual, k);
  for (int64_t first = (t->y.begin + fy - 1) / fy; first < end; first += restricted_together) {
    const int64_t last = smallest(first + restricted_together, end);
    for (int64_t j = first; j < last; j++) {
      const node_rows rows = rows_in(&around, j * fy);
      gathered_row(t->coarse.t[j - first], &rows, a->coarse.n[0], a->factor);
    }
    for (int64_t j = first; j < last; j++)
      restricted_row((REAL *)a->coarse_x + j * a->coarse.sy + kc * a->coarse.sz, a->coarse.n[0], a->factor,
                     t->coarse.t[j - first], &a->coarse_mask, mask_entry(&a->coarse_mask, j + kc * a->coarse.n[1]));
  }
}

static void descend_tile(tile *t) {
  const cv_cycle_args *a = t->args;
  const int64_t m = a->sweeps, first = a->u ? -1 : 0, more = a->factor[1] == 2 || a->factor[2] == 2, stages = m - first + 1;
  stage s[cv_sweeps + 2];
  for (int64_t n = 0; n < stages; n++)
    s[n] = (stage){.op = n < stages - 1 ? op_smooth : op_residual, .sweep = n < stages - 1 ? first + n : 0,
                   .from = n > 0 ? &t->rings[n - 1] : NULL, .to = &t->rings[n], .more = more + stages - 1 - n,
                   .last = n == stages - 2,
                   .ahead = n == 1 - first ? a->f : n == 1 ? a->u : NULL};
  for (int64_t p = t->z.begin - s[0].more; p < t->z.end + more + stages - 1; p++) {
    for (int64_t n = 0; n < stages; n++)
      stage_plane(t, &s[n], p - n);
    const int64_t centre = p - (stages - 1) - (a->factor[2] - 1);
    if (owns(&t->z, centre) && centre % a->factor[2] == 0)
      restrict_plane(t, s[stages - 1].to, centre);
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
  REAL *correction = t->coarse.t[0];
  prefetch_row(u + rows_ahead * box->sy, n);
  prolonged_row(correction, n, a->factor[0], (const REAL *)a->coarse_x + jc * coarse->sy + kc * coarse->sz, sy, sz,
                a->periodic[0]);
  correct_row(out, u, correction, n, &a->a.mask, entry);
}

static void ascend_tile(tile *t) {
  const cv_cycle_args *a = t->args;
  const int64_t stages = a->sweeps + 1;
  stage s[cv_sweeps + 1];
  for (int64_t n = 0; n < stages; n++)
    s[n] = (stage){.op = op_smooth, .sweep = n - 1, .from = n > 0 ? &t->rings[n - 1] : NULL, .to = &t->rings[n],
                   .more = stages - 1 - n, .last = n == stages - 1,
                   .ahead = n == 1 ? a->u : n == 2 ? a->f : NULL};
  for (int64_t p = t->z.begin - s[0].more; p < t->z.end + stages - 1; p++)
    for (int64_t n = 0; n < stages; n++)
      stage_plane(t, &s[n], p - n);
}

/* The tiles begin..end-1, strip by strip in each slab. */
static void cycle(const void *args, int64_t begin, int64_t end, char *scratch, int descend) {
  const cv_cycle_args *a = args;
  tile t = {.args = a, .descend = descend, .rows = sweep_scratch(scratch, &a->a)};
  scratch = t.rows.end;
  t.coarse = gathered_scratch(&scratch, a->a.box.n[0] + 2, 1);
  for (int64_t n = begin; n < end; n++) {
    t.y = part_of(a->a.box.n[1], n % a->strips, a->strips);
    t.z = part_of(a->a.box.n[2], n / a->strips, a->slabs);
    make_rings(&t, a->sweeps + 1 + (descend && a->u), scratch);
    if (descend)
      descend_tile(&t);
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
