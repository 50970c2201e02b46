/* HierarchicalJacobi: sweeps of Jacobi on blocks in cache, and of the whole in one pass where there is one sweep. */

/* What a block has of an axis: the unknowns first..end-1, of which it hands on own..own_end-1. */
typedef struct {
  int64_t first, end, own, own_end;
} block_part;

/* Block b of an axis whose unknowns are low..high-1. */
INLINE block_part owned_part(int64_t b, int64_t blocks, int64_t tile, int64_t overlap, int64_t low, int64_t high) {
  const int64_t first = low + b * (tile - overlap), end = smallest(first + tile, high);
  return (block_part){first, end, b > 0 ? first + overlap / 2 : first, b < blocks - 1 ? end - overlap / 2 : end};
}

/* The means of the neighbours of the unknowns c.. of a row, and of f; `next` and `previous` rows where it is no line. */
INLINE vector relaxed(int lines, const REAL *u, const REAL *previous, const REAL *next, const REAL *f, int64_t c) {
  const vector x = load(u + c - 1) + load(u + c + 1);
  if (lines)
    return (REAL)0.5 * (x + load(f + c));
  return (REAL)0.25 * ((x + (load(previous + c) + load(next + c))) + load(f + c));
}

/* A block in scratch memory: rows of `stride`, unknown (0,0) at `at`, aligned, the rim around it. */
typedef struct {
  REAL *now, *then, *f;
  int64_t stride, wide, high;
} scratch_block;

static scratch_block block_scratch(char *scratch, const islam_jacobi_args *a) {
  scratch_block b = {.stride = (a->room[0] + 2 * line_width - 1) / line_width * line_width};
  const int64_t size = (a->room[1] + 2) * b.stride;
  memset(scratch, 0, (3 * size + 2 * line_width) * sizeof(REAL));
  b.now = (REAL *)scratch + line_width + b.stride;
  b.then = b.now + size;
  b.f = b.then + size;
  return b;
}

/* One sweep of a block of the plane from `now` to `then`. Vectors may run over the rim on the right, which is then put back. */
INLINE void sweep_block(scratch_block b) {
  for (int64_t k = 0; k < b.high; k++) {
    const REAL *u = b.now + k * b.stride, *f = b.f + k * b.stride;
    REAL *out = b.then + k * b.stride;
    for (int64_t c = 0; c < b.wide; c += vector_width)
      store(0, out + c, relaxed(0, u, u - b.stride, u + b.stride, f, c));
    out[b.wide] = u[b.wide];
  }
}

/* Copies a block of the plane with its rim into scratch memory, sweeps, and copies what it owns out. */
INLINE void relax_block(const islam_jacobi_args *a, scratch_block *b, block_part x, block_part z) {
  const int64_t sz = a->box.sz;
  const REAL *u = a->u, *f = a->f;
  REAL *out = a->out;
  b->wide = x.end - x.first;
  b->high = z.end - z.first;
  for (int64_t k = -1; k <= b->high; k++) {
    const int64_t from = x.first + (z.first + k) * sz, to = k * b->stride;
    memcpy(b->now + to - 1, u + from - 1, (b->wide + 2) * sizeof(REAL));
    if (k < 0 || k == b->high) {
      memcpy(b->then + to, u + from, b->wide * sizeof(REAL));
      continue;
    }
    b->then[to - 1] = u[from - 1];
    memcpy(b->f + to, f + from, b->wide * sizeof(REAL));
  }
  for (int64_t s = 0; s < a->sweeps; s++) {
    sweep_block(*b);
    REAL *swap = b->now;
    b->now = b->then;
    b->then = swap;
  }
  for (int64_t k = z.own; k < z.own_end; k++)
    memcpy(out + x.own + k * sz, b->now + (x.own - x.first) + (k - z.first) * b->stride, (x.own_end - x.own) * sizeof(REAL));
}

/* Sweeps that are made in one pass over a block of lines. */
enum { sweeps_fused = 4 };

/* Step p of sweep_lines: sweep s of unknown p-s+1 from what sweep s-1 has left beside it, the newest and that of two steps
   ago. `inside`: all of them are unknowns. */
INLINE void lines_step(int sweeps, int inside, int64_t p, vector *u, const vector *f, int64_t wide, vector right,
                       vector older[sweeps_fused], vector old[sweeps_fused]) {
  const vector half = splat((REAL)0.5);
  vector newest = inside || p < wide ? u[p + 1] : right;
#pragma GCC unroll 4
  for (int s = 0; s < sweeps; s++) {
    const int64_t i = p - s;
    const vector before = older[s];
    older[s] = old[s];
    old[s] = newest;
    if (!inside && i < 0)
      return;
    newest = inside || i < wide ? madd(half, before + newest, f[i]) : right;
  }
  u[p - sweeps + 1] = newest;
}

/* `sweeps` sweeps, at most sweeps_fused, in one pass over the unknowns 0..wide-1 of as many lines as a vector holds, u_i of all
   lines in u[i], the rim in u[-1] and u[wide], half of f in f. */
INLINE void sweep_lines(int sweeps, vector *u, const vector *f, int64_t wide) {
  const vector right = u[wide];
  vector older[sweeps_fused], old[sweeps_fused]; /* of every sweep the last but one and the last */
  for (int s = 0; s < sweeps; s++)
    older[s] = old[s] = u[-1];
  old[0] = u[0];
  int64_t p = 0;
  for (; p < sweeps - 1; p++)
    lines_step(sweeps, 0, p, u, f, wide, right, older, old);
#pragma GCC unroll 4
  for (; p < wide; p++)
    lines_step(sweeps, 1, p, u, f, wide, right, older, old);
  for (; p < wide + sweeps - 1; p++)
    lines_step(sweeps, 0, p, u, f, wide, right, older, old);
}

/* Transposes vector_width vectors: log2 rounds of interleaving the first half with the second. Whole
   vectors: what is stored is read again at once. */
INLINE void transpose_tile(vector t[vector_width]) {
  lanes low, high;
#pragma GCC unroll 16
  for (int l = 0; l < vector_width; l++) {
    low[l] = l / 2 + (l % 2) * vector_width;
    high[l] = low[l] + vector_width / 2;
  }
#pragma GCC unroll 4
  for (int round = 1; round < vector_width; round *= 2) {
    vector s[vector_width];
#pragma GCC unroll 8
    for (int l = 0; l < vector_width / 2; l++) {
      s[2 * l] = __builtin_shuffle(t[l], t[l + vector_width / 2], low);
      s[2 * l + 1] = __builtin_shuffle(t[l], t[l + vector_width / 2], high);
    }
#pragma GCC unroll 16
    for (int l = 0; l < vector_width; l++)
      t[l] = s[l];
  }
}

/* Lines side by side: the values c.. of vector_width rows, `stride` apart and at most `rows` of them, to vectors of one unknown. */
INLINE void rows_to_lines(vector *to, const REAL *from, int64_t stride, int64_t rows, int64_t n, REAL scale) {
  for (int64_t c = 0; c < n; c += vector_width) {
    vector t[vector_width];
#pragma GCC unroll 16
    for (int l = 0; l < vector_width; l++)
      t[l] = load(from + smallest(l, rows - 1) * stride + c);
    transpose_tile(t);
#pragma GCC unroll 16
    for (int l = 0; l < vector_width; l++)
      to[c + l] = scale * t[l];
  }
}

INLINE void lines_to_rows(REAL *to, int64_t stride, const vector *from, int64_t n) {
  for (int64_t c = 0; c < n; c += vector_width) {
    vector t[vector_width];
#pragma GCC unroll 16
    for (int l = 0; l < vector_width; l++)
      t[l] = from[c + l];
    transpose_tile(t);
#pragma GCC unroll 16
    for (int l = 0; l < vector_width; l++)
      store(0, to + l * stride + c, t[l]);
  }
}

/* A block of lines, as many at a time as a vector holds. */
INLINE void relax_lines(const islam_jacobi_args *a, char *scratch, block_part x, block_part z) {
  const int64_t sz = a->box.sz, wide = x.end - x.first, room = (a->room[0] + 2 + line_width) / line_width * line_width;
  vector *u = (vector *)scratch + 1, *f = u + room + line_width;
  REAL *back = (REAL *)(f + room + line_width);
  for (int64_t k = z.own; k < z.own_end; k += vector_width) {
    const int64_t at = x.first + k * sz, rows = smallest(vector_width, z.own_end - k);
    rows_to_lines(u - 1, (const REAL *)a->u + at - 1, sz, rows, wide + 2, 1);
    rows_to_lines(f, (const REAL *)a->f + at, sz, rows, wide, (REAL)0.5);
    int64_t s = a->sweeps;
    for (; s >= sweeps_fused; s -= sweeps_fused)
      sweep_lines(sweeps_fused, u, f, wide);
    for (; s > 0; s--)
      sweep_lines(1, u, f, wide);
    lines_to_rows(back, room, u, wide);
    for (int64_t l = 0; l < rows; l++)
      memcpy((REAL *)a->out + x.own + (k + l) * sz, back + l * room + x.own - x.first, (x.own_end - x.own) * sizeof(REAL));
  }
}

/* One sweep of the unknowns i0..i1-1 of a row of n nodes, straight from array to array: whole cache lines as vectors. */
INLINE void relax_row(int lines, int stream, REAL *out, const REAL *u, const REAL *f, int64_t sz, int64_t i0, int64_t i1) {
  for (int64_t i = i0; i < i1;) {
    if (i % line_width || i + line_width > i1) {
      const REAL x = u[i - 1] + u[i + 1];
      out[i] = lines ? (REAL)0.5 * (x + f[i]) : (REAL)0.25 * ((x + (u[i - sz] + u[i + sz])) + f[i]);
      i++;
      continue;
    }
    __builtin_prefetch(u + i + rows_ahead * sz);
    __builtin_prefetch(f + i + rows_ahead * sz);
#pragma GCC unroll 4
    for (int64_t l = 0; l < line_width; l += vector_width)
      store(stream, out + i + l, relaxed(lines, u, u - sz, u + sz, f, i + l));
    i += line_width;
  }
}

/* The nodes of walls that block (bx,bz) has next to it. */
INLINE void block_walls(int lines, const islam_jacobi_args *a, block_part x, block_part z) {
  const int64_t nx = a->box.n[0], nz = a->box.n[2], sz = a->box.sz;
  const REAL *u = a->u;
  REAL *out = a->out;
  for (int64_t k = z.own; k < z.own_end; k++) {
    if (x.own == 1)
      out[k * sz] = u[k * sz];
    if (x.own_end == nx - 1)
      out[nx - 1 + k * sz] = u[nx - 1 + k * sz];
  }
  const int64_t i0 = x.own == 1 ? 0 : x.own, i1 = x.own_end == nx - 1 ? nx : x.own_end;
  if (!lines && z.own == 1)
    memcpy(out + i0, u + i0, (i1 - i0) * sizeof(REAL));
  if (!lines && z.own_end == nz - 1)
    memcpy(out + i0 + (nz - 1) * sz, u + i0 + (nz - 1) * sz, (i1 - i0) * sizeof(REAL));
}

INLINE void hierarchical_blocks(int lines, const islam_jacobi_args *a, int64_t begin, int64_t end, char *scratch) {
  const int64_t nx = a->box.n[0], nz = a->box.n[2], sz = a->box.sz;
  scratch_block s = {0};
  if (a->sweeps > 1 && !lines)
    s = block_scratch(scratch, a);
  for (int64_t b = begin; b < end; b++) {
    const block_part x = owned_part(b % a->blocks[0], a->blocks[0], a->tile[0], a->overlap, 1, nx - 1);
    const block_part z = lines ? owned_part(b / a->blocks[0], a->blocks[1], a->tile[1], 0, 0, nz)
                               : owned_part(b / a->blocks[0], a->blocks[1], a->tile[1], a->overlap, 1, nz - 1);
    if (a->sweeps > 1 && lines)
      relax_lines(a, scratch, x, z);
    else if (a->sweeps > 1)
      relax_block(a, &s, x, z);
    else
      for (int64_t k = z.own; k < z.own_end; k++) {
        const int64_t at = k * sz;
        if (a->stream)
          relax_row(lines, 1, (REAL *)a->out + at, (const REAL *)a->u + at, (const REAL *)a->f + at, sz, x.own, x.own_end);
        else
          relax_row(lines, 0, (REAL *)a->out + at, (const REAL *)a->u + at, (const REAL *)a->f + at, sz, x.own, x.own_end);
      }
    block_walls(lines, a, x, z);
  }
  stream_end();
}

/* Blocks begin..end-1, along x first. */
static void hierarchical_jacobi(const void *args, int64_t begin, int64_t end, char *scratch) {
  const islam_jacobi_args *a = args;
  if (a->lines)
    hierarchical_blocks(1, a, begin, end, scratch);
  else
    hierarchical_blocks(0, a, begin, end, scratch);
}
