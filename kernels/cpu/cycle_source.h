/* Which rows of a tile of Descend come from F alone. Where a row and its neighbours are alike, two sweeps from zero are made at once
   from three planes of F (sevenpoint_uniform.h), and the first sweep has to make only the rows that others read. */

/* A range of nodes of one axis that a stage computes. */
typedef struct {
  int64_t begin, end;
} range;

/* How many rows from row j of plane k on have a property, or, less than zero, lack it. */
typedef struct {
  int16_t *count; /* NULL: none has it */
  range y, z;     /* rows and planes that are told */
} row_runs;

/* The rows that the second of two sweeps from zero makes from F alone, and those of the first that no other row needs then. */
typedef struct {
  row_runs from_f, unread;
} source_rows;

INLINE int owns(const range *r, int64_t i) { return i >= r->begin && i < r->end; }

INLINE int16_t *run_at(const row_runs *r, int64_t j, int64_t k) {
  return r->count + (k - r->z.begin) * (r->y.end - r->y.begin) + (j - r->y.begin);
}

/* Turns 1 and 0 into the lengths of runs. */
static void count_runs(const row_runs *r) {
  for (int64_t k = r->z.begin; k < r->z.end; k++) {
    int16_t *run = run_at(r, r->y.begin, k);
    for (int64_t j = r->y.end - r->y.begin - 1, next = 0; j >= 0; j--)
      run[j] = next = run[j] ? largest(next, 0) + 1 : smallest(next, 0) - 1;
  }
}

/* Tells whether the rows beside row (j,k) in y and z have its widths and its mask, which fixes ends of rows only. */
static int like_neighbours(const cv_elliptic *a, sweep_rows *s, int64_t j, int64_t k) {
  const REAL *widths[2] = {AXIS(a->w[1]), AXIS(a->w[2])}, *inverses[2] = {AXIS(a->rh[1]), AXIS(a->rh[2])};
  const int64_t at[2] = {j, k}, ny = a->box.n[1], row = j + k * ny, entry = mask_entry(&a->mask, row);
  for (int d = 0; d < 2; d++) {
    const REAL *w = widths[d] + at[d], *r = inverses[d] + at[d];
    if (at[d] < 1 || at[d] >= a->box.n[d + 1] - 1 || w[-1] != w[0] || w[1] != w[0] || r[-2] != r[0] || r[-1] != r[0] || r[1] != r[0])
      return 0;
  }
  return entry == mask_entry(&a->mask, row - 1) && entry == mask_entry(&a->mask, row + 1) && entry == mask_entry(&a->mask, row - ny) &&
         entry == mask_entry(&a->mask, row + ny) && entry != all_fixed && fixes_ends_only(a, s, entry);
}

/* Finds both in the rows y and planes z of the first sweep of a tile; the second makes one row and plane less on each side within the level. */
static source_rows find_rows_from_f(const cv_cycle_args *a, sweep_rows *s, range y, range z, char *scratch) {
  const cv_box *box = &a->a.box;
  if (a->u || a->sweeps < 2 || a->a.points != 7 || a->a.cells[0] || (a->a.mass && a->a.mass_scale != 0) || !s->uniform ||
      box->n[0] <= line_width || a->periodic[0] || a->periodic[1] || a->periodic[2])
    return (source_rows){0};
  const int64_t rows = (y.end - y.begin) * (z.end - z.begin);
  const source_rows found = {{(int16_t *)scratch, y, z}, {(int16_t *)scratch + rows, y, z}};
  for (int64_t k = z.begin; k < z.end; k++)
    for (int64_t j = y.begin; j < y.end; j++)
      *run_at(&found.from_f, j, k) = like_neighbours(&a->a, s, j, k);
  const range second_y = {y.begin + (y.begin > 0), y.end - (y.end < box->n[1])};
  const range second_z = {z.begin + (z.begin > 0), z.end - (z.end < box->n[2])};
  for (int64_t k = z.begin; k < z.end; k++)
    for (int64_t j = y.begin; j < y.end; j++) {
      int unread = 1;
      for (int b = 0; b < 5; b++) {
        const int64_t jb = j + (b == 1) - (b == 2), kb = k + (b == 3) - (b == 4);
        unread &= !owns(&second_y, jb) || !owns(&second_z, kb) || *run_at(&found.from_f, jb, kb);
      }
      *run_at(&found.unread, j, k) = unread;
    }
  count_runs(&found.from_f);
  count_runs(&found.unread);
  return found;
}
