/* HierarchicalSmooth: Jacobi sweeps on blocks of whole rows that fit into a cache (Islam & Wang 2020). A block is copied with a rim of
   one row, swept while the rim keeps its values, and hands on the rows of its tile. Sweep s is made on those rows alone that the tile
   still depends on: the tile and at most sweeps-1-s rows around it. */

typedef struct {
  sweep_rows sweep;
  REAL *u[2];         /* the block before and after a sweep */
  int64_t row, plane; /* elements from one row, and one plane, to the next */
  int64_t low[2], high[2]; /* rows low..high-1 of the block along y and z, which may lie beyond periodic ends */
} smooth_block;

enum { smooth_row_ends = 48 }; /* elements of a row beside its nodes */

/* The row of a block that lies at y, z; its rim too. */
INLINE REAL *block_row(const smooth_block *b, int side, int flat, int64_t y, int64_t z) {
  return b->u[side] + (z - b->low[1] + 1) * b->plane + (flat ? 0 : y - b->low[0] + 1) * b->row;
}

/* The node of an axis of n nodes that one beyond its ends is, -1: none. */
INLINE int64_t block_node(int64_t i, int64_t n, int64_t periodic) {
  return periodic ? (i % n + n) % n : i < 0 || i >= n ? -1 : i;
}

/* Gives a row the nodes beyond its ends: at walls any will do. */
INLINE void block_ends(REAL *row, int64_t n, int64_t periodic) {
  row[-1] = periodic ? row[n - 1] : 0;
  row[n] = periodic ? row[0] : 0;
}

/* The block of a tile whose first row is (y,z). */
static void block_place(const islam_smooth_args *args, smooth_block *b, int64_t y, int64_t z) {
  const cv_elliptic *a = &args->a;
  const int64_t at[2] = {y, z};
  for (int d = 0; d < 2; d++) {
    const int64_t n = a->box.n[1 + d], margin = d == 0 && !a->box.sy ? 0 : args->margin;
    const int64_t end = smallest(at[d] + args->tile[d], n);
    b->low[d] = args->periodic[1 + d] || at[d] > margin ? at[d] - margin : 0;
    b->high[d] = args->periodic[1 + d] ? end + margin : smallest(end + margin, n);
  }
}

/* Copies U, zero if it is NULL, to a block; its rim to both sides. */
static void block_load(const islam_smooth_args *args, const smooth_block *b) {
  const cv_box *box = &args->a.box;
  const int64_t n = box->n[0], rim = box->sy ? 1 : 0;
  for (int64_t z = b->low[1] - 1; z <= b->high[1]; z++)
    for (int64_t y = b->low[0] - rim; y < b->high[0] + rim; y++) {
      const int64_t j = block_node(y, box->n[1], args->periodic[1]), k = block_node(z, box->n[2], args->periodic[2]);
      const int inner = y >= b->low[0] && y < b->high[0] && z >= b->low[1] && z < b->high[1];
      for (int side = 0; side < (inner ? 1 : 2); side++) {
        REAL *row = block_row(b, side, !rim, y, z);
        if (args->u && j >= 0 && k >= 0)
          memcpy(row, (const REAL *)args->u + j * box->sy + k * box->sz, n * sizeof(REAL));
        else
          memset(row, 0, n * sizeof(REAL));
        block_ends(row, n, args->periodic[0]);
      }
    }
}

/* Sweep s on rows y..y_end-1 of a block at z; the last one stores to Out. */
static void block_sweep(const islam_smooth_args *args, smooth_block *b, int s, int64_t y, int64_t y_end, int64_t z) {
  const cv_elliptic *a = &args->a;
  const int64_t n = a->box.n[0], ny = a->box.n[1], k = block_node(z, a->box.n[2], args->periodic[2]);
  const int flat = !a->box.sy, last = s == args->sweeps - 1;
  for (int64_t count; y < y_end; y += count) {
    const int64_t j = block_node(y, ny, args->periodic[1]), offset = j * a->box.sy + k * a->box.sz;
    const REAL *u = block_row(b, s % 2, flat, y, z);
    REAL *next = block_row(b, (s + 1) % 2, flat, y, z), *t = last ? (REAL *)args->out + offset : next;
    const node_rows rows = rows_around(u, flat ? 0 : b->row, b->plane);
    row_task q = {.j = j, .k = k, .entry = mask_entry(&a->mask, j + k * ny), .rows = &rows,
                  .f = (const REAL *)args->f + offset, .t = t, .rows_apart = b->row, .f_apart = a->box.sy,
                  .t_apart = last ? a->box.sy : b->row, .omega = args->omega[s], .colour = -1};
    q.count = count = q.entry == all_fixed ? 1 : rows_alike(a, j, k, smallest(y_end - y, ny - j));
    if (q.entry == all_fixed)
      fixed_row(op_smooth, n, t, u);
    else
      compute_rows(op_smooth, a, &b->sweep, &q, last && args->stream);
    for (int64_t r = 0; !last && r < count; r++)
      block_ends(next + r * b->row, n, args->periodic[0]);
  }
}

/* All sweeps on a block whose tile begins at (y,z). */
static void block_smooth(const islam_smooth_args *args, smooth_block *b, int64_t y, int64_t z) {
  const cv_elliptic *a = &args->a;
  const int64_t y_end = smallest(y + args->tile[0], a->box.n[1]), z_end = smallest(z + args->tile[1], a->box.n[2]);
  block_place(args, b, y, z);
  block_load(args, b);
  for (int s = 0; s < args->sweeps; s++) {
    const int64_t reach = args->sweeps - 1 - s;
    for (int c = 0; c < row_classes; c++)
      b->sweep.classes[c].kept[0] = not_kept; /* of another omega */
    const int64_t low_y = y - reach > b->low[0] ? y - reach : b->low[0], low_z = z - reach > b->low[1] ? z - reach : b->low[1];
    for (int64_t p = low_z; p < smallest(z_end + reach, b->high[1]); p++)
      block_sweep(args, b, s, low_y, smallest(y_end + reach, b->high[0]), p);
  }
}

/* Tiles begin..end-1, those along y the faster. */
static void hierarchical_smooth(const void *args, int64_t begin, int64_t end, char *scratch) {
  const islam_smooth_args *s = args;
  const cv_box *box = &s->a.box;
  const int64_t ny = smallest(s->tile[0], box->n[1]) + 2 * s->margin + 2, nz = smallest(s->tile[1], box->n[2]) + 2 * s->margin + 2;
  const int64_t across = (box->n[1] + s->tile[0] - 1) / s->tile[0];
  smooth_block b = {.sweep = sweep_scratch(scratch, &s->a), .row = (box->n[0] + smooth_row_ends) / 16 * 16};
  b.plane = box->sy ? ny * b.row : b.row;
  REAL *room = (REAL *)b.sweep.end;
  memset(room, 0, 2 * nz * b.plane * sizeof(REAL)); /* what lies between rows is read, and must be finite */
  b.u[0] = room + 16;
  b.u[1] = b.u[0] + nz * b.plane;
  for (int64_t t = begin; t < end; t++)
    block_smooth(s, &b, t % across * s->tile[0], t / across * s->tile[1]);
  stream_end();
}
