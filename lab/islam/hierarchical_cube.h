/* HierarchicalCube: sweeps of Jacobi in three dimensions on blocks in cache, and of the whole in one pass where there is one sweep. */

/* The means of the neighbours of the unknowns c.. of a row, and of f. */
INLINE vector cube_relaxed(const REAL *u, int64_t sy, int64_t sz, const REAL *f) {
  const vector x = load(u - 1) + load(u + 1), y = load(u - sy) + load(u + sy), z = load(u - sz) + load(u + sz);
  return (REAL)(1.0 / 6) * (((x + y) + z) + load(f));
}

/* A block in scratch memory: rows of `row`, planes of `plane`, unknown (0,0,0) at `now`, aligned, the rim around it. */
typedef struct {
  REAL *now, *then, *f;
  int64_t row, plane, n[3];
} cube_block;

static cube_block cube_scratch(char *scratch, const islam_cube_args *a) {
  cube_block b = {.row = (a->room[0] + 2 * line_width - 1) / line_width * line_width};
  b.plane = b.row * (a->room[1] + 2);
  const int64_t size = b.plane * (a->room[2] + 2);
  memset(scratch, 0, (3 * size + 2 * line_width) * sizeof(REAL));
  b.now = (REAL *)scratch + line_width + b.row + b.plane;
  b.then = b.now + size;
  b.f = b.then + size;
  return b;
}

/* One sweep from `now` to `then`. Vectors may run over the rim at the end of a row, which is then put back. */
INLINE void cube_sweep(const cube_block *b) {
  for (int64_t k = 0; k < b->n[2]; k++)
    for (int64_t j = 0; j < b->n[1]; j++) {
      const int64_t at = j * b->row + k * b->plane;
      for (int64_t c = 0; c < b->n[0]; c += vector_width)
        store(0, b->then + at + c, cube_relaxed(b->now + at + c, b->row, b->plane, b->f + at + c));
      b->then[at + b->n[0]] = b->now[at + b->n[0]];
    }
}

/* Copies a block with its rim into scratch memory, sweeps, and copies what it owns out. */
INLINE void cube_relax(const islam_cube_args *a, cube_block *b, const block_part p[3]) {
  const int64_t sy = a->box.sy, sz = a->box.sz, first = p[0].first + p[1].first * sy + p[2].first * sz;
  for (int d = 0; d < 3; d++)
    b->n[d] = p[d].end - p[d].first;
  for (int64_t k = -1; k <= b->n[2]; k++)
    for (int64_t j = -1; j <= b->n[1]; j++) {
      const int64_t from = first + j * sy + k * sz, to = j * b->row + k * b->plane;
      const REAL *u = (const REAL *)a->u + from;
      memcpy(b->now + to - 1, u - 1, (b->n[0] + 2) * sizeof(REAL));
      if (j < 0 || j == b->n[1] || k < 0 || k == b->n[2]) {
        memcpy(b->then + to, u, b->n[0] * sizeof(REAL));
        continue;
      }
      b->then[to - 1] = u[-1];
      memcpy(b->f + to, (const REAL *)a->f + from, b->n[0] * sizeof(REAL));
    }
  for (int64_t s = 0; s < a->sweeps; s++) {
    cube_sweep(b);
    REAL *swap = b->now;
    b->now = b->then;
    b->then = swap;
  }
  for (int64_t k = p[2].own; k < p[2].own_end; k++)
    for (int64_t j = p[1].own; j < p[1].own_end; j++)
      memcpy((REAL *)a->out + p[0].own + j * sy + k * sz,
             b->now + (p[0].own - p[0].first) + (j - p[1].first) * b->row + (k - p[2].first) * b->plane,
             (p[0].own_end - p[0].own) * sizeof(REAL));
}

/* One sweep of the unknowns i0..i1-1 of a row, straight from array to array: whole cache lines as vectors. */
INLINE void cube_row(int stream, REAL *out, const REAL *u, const REAL *f, int64_t sy, int64_t sz, int64_t i0, int64_t i1) {
  for (int64_t i = i0; i < i1;) {
    if (i % line_width || i + line_width > i1) {
      const REAL x = u[i - 1] + u[i + 1], y = u[i - sy] + u[i + sy], z = u[i - sz] + u[i + sz];
      out[i] = (REAL)(1.0 / 6) * (((x + y) + z) + f[i]);
      i++;
      continue;
    }
    __builtin_prefetch(u + i + sz + rows_ahead * sy);
    __builtin_prefetch(f + i + rows_ahead * sy);
#pragma GCC unroll 4
    for (int64_t l = 0; l < line_width; l += vector_width)
      store(stream, out + i + l, cube_relaxed(u + i + l, sy, sz, f + i + l));
    i += line_width;
  }
}

/* The nodes of walls that a block has next to it. */
INLINE void cube_walls(const islam_cube_args *a, const block_part p[3]) {
  int64_t low[3], high[3];
  for (int d = 0; d < 3; d++) {
    low[d] = p[d].own == 1 ? 0 : p[d].own;
    high[d] = p[d].own_end == a->box.n[d] - 1 ? a->box.n[d] : p[d].own_end;
  }
  const int64_t last = a->box.n[0] - 1;
  for (int64_t k = low[2]; k < high[2]; k++)
    for (int64_t j = low[1]; j < high[1]; j++) {
      const REAL *u = (const REAL *)a->u + j * a->box.sy + k * a->box.sz;
      REAL *out = (REAL *)a->out + j * a->box.sy + k * a->box.sz;
      if (j == 0 || j == a->box.n[1] - 1 || k == 0 || k == a->box.n[2] - 1)
        memcpy(out + low[0], u + low[0], (high[0] - low[0]) * sizeof(REAL));
      if (low[0] == 0)
        out[0] = u[0];
      if (high[0] == last + 1)
        out[last] = u[last];
    }
}

/* Blocks begin..end-1, along x first. */
static void hierarchical_cube(const void *args, int64_t begin, int64_t end, char *scratch) {
  const islam_cube_args *a = args;
  const int64_t sy = a->box.sy, sz = a->box.sz;
  cube_block s = {0};
  if (a->sweeps > 1)
    s = cube_scratch(scratch, a);
  for (int64_t b = begin; b < end; b++) {
    const int64_t at[3] = {b % a->blocks[0], b / a->blocks[0] % a->blocks[1], b / (a->blocks[0] * a->blocks[1])};
    block_part p[3];
    for (int d = 0; d < 3; d++)
      p[d] = owned_part(at[d], a->blocks[d], a->tile[d], a->overlap, 1, a->box.n[d] - 1);
    if (a->sweeps > 1)
      cube_relax(a, &s, p);
    else
      for (int64_t k = p[2].own; k < p[2].own_end; k++)
        for (int64_t j = p[1].own; j < p[1].own_end; j++) {
          const int64_t row = j * sy + k * sz;
          const REAL *u = (const REAL *)a->u + row, *f = (const REAL *)a->f + row;
          if (a->stream)
            cube_row(1, (REAL *)a->out + row, u, f, sy, sz, p[0].own, p[0].own_end);
          else
            cube_row(0, (REAL *)a->out + row, u, f, sy, sz, p[0].own, p[0].own_end);
        }
    cube_walls(a, p);
  }
  stream_end();
}
