/* Which form the rows of an operator take, for those who want to know before a sweep. */

/* The slowest form that the rows begin..end-1 take which lie at no wall; where all lie at walls, theirs. Rows of which a patch fixes a part may take a
   slower one. The choice is that of compute_rows. */
static void row_form(const void *args, int64_t begin, int64_t end, char *scratch) {
  cv_form_args *q = (cv_form_args *)args; /* the answer goes there too */
  const cv_elliptic *a = q->a;
  const int64_t ny = a->box.n[1], nz = a->box.n[2];
  if (q->zero)
    q->form = cv_form_zero;
  else if (goes_by_faces(a, q->weighted))
    q->form = cv_form_faces;
  else if (a->cells[0])
    q->form = a->cells[0] == a->cells[1] && a->cells[0] == a->cells[2] ? cv_form_cells : cv_form_three_cells;
  if (q->zero || a->cells[0])
    return;
  sweep_rows s = sweep_scratch(scratch, a);
  int form[2] = {uniform, uniform}, found[2] = {0, 0}; /* of inner rows, and of those at walls */
  for (int64_t row = begin; row < end; row++) {
    const int64_t j = row % ny, k = row / ny;
    const int wall = (ny > 1 && (j == 0 || j == ny - 1)) || k == 0 || k == nz - 1;
    const int kind = row_kind(a, &s, class_of_row(a, &s, j, k), row_mass(a, j, k), q->weighted);
    form[wall] = kind < form[wall] ? kind : form[wall];
    found[wall] = 1;
  }
  const int forms[] = {[graded] = cv_form_graded, [uniform_x] = cv_form_even_x, [uniform] = cv_form_even};
  q->form = forms[form[!found[0]]];
}
