/* Rows of the operator of trilinear elements (kernels/doc.go): A u, residual and damped Jacobi with 27 points. A row is read
   from node -16 to the end of the vector after node n; what lies beyond walls is multiplied by zero.

   Everything is made of differences of u: a constant gives zero to the bit, and rounding is that of differences.

   Constant K is a tensor product, S along x and T across it:

     A u = Kx (wy wz kx u + S) + Mx T,  S = kx (My Mz - wy wz) u,  T = (ky Ky Mz + kz My Kz) u,

   S and T each a weighted sum of the eight differences to the middle row. Where x is uniform, with h = hx,

     (A u)_i = Kx/h (2 u_i - u_(i-1) - u_(i+1)) wy wz + O_i + B_(i-1) + B_(i+1),  O = 2 S/h + 2/3 h T,  B = h/6 T - S/h,

   and O and B are weighted sums of the same differences (trilinear_uniform.h). Variable K goes cell by cell (trilinear_cells.h). */

/* Row of the mass and of the stiffness of linear elements at node i of an axis; of an absent axis those of u itself. */
static void linear_elements(const cv_elliptic *a, int axis, int64_t i, double *restrict mass,
                            double *restrict stiffness) {
  const REAL *h = AXIS(a->h[axis]), *rh = AXIS(a->rh[axis]);
  const int absent = axis == 1 && !a->box.sy;
  mass[0] = absent ? 0 : h[i - 1] / 6.0;
  mass[2] = absent ? 0 : h[i] / 6.0;
  mass[1] = absent ? 1 : ((double)h[i - 1] + h[i]) / 3;
  stiffness[0] = -(double)rh[i - 1];
  stiffness[2] = -(double)rh[i];
  stiffness[1] = (double)rh[i - 1] + rh[i];
}

/* Tells whether the cells on both sides of a row have the same weights. */
static int symmetric_row(const trilinear_weights *w) {
  return w->along[1][0] == w->along[1][2] && w->along[0][1] == w->along[2][1] && w->along[0][0] == w->along[2][2] &&
         w->along[0][2] == w->along[2][0] && w->along[0][0] == w->along[0][2] && w->across[1][0] == w->across[1][2] &&
         w->across[0][1] == w->across[2][1] && w->across[0][0] == w->across[2][2] &&
         w->across[0][2] == w->across[2][0] && w->across[0][0] == w->across[0][2];
}

/* The coefficients of a class of rows, from one of them. */
static void trilinear_class(const cv_elliptic *a, int64_t j, int64_t k, row_class *r) {
  const double rx = AXIS(a->rh[0])[1], wx = AXIS(a->w[0])[1], hx6 = AXIS(a->h[0])[1] / 6.0;
  double my[3], ky[3], mz[3], kz[3];
  linear_elements(a, 1, j, my, ky);
  linear_elements(a, 2, k, mz, kz);
  trilinear_weights *t = &r->t;
  t->whole = a->k[0] * (my[0] + my[1] + my[2]) * (mz[0] + mz[1] + mz[2]);
  for (int c = 0; c < 3; c++)
    for (int b = 0; b < 3; b++) {
      const double along = a->k[0] * my[b] * mz[c], across = a->k[1] * ky[b] * mz[c] + a->k[2] * my[b] * kz[c];
      t->along[c][b] = along;
      t->across[c][b] = across;
      t->own[c][b] = 2 * rx * along + (wx - 2 * hx6) * across;
      t->beside[c][b] = hx6 * across - rx * along;
    }
  r->inner = (row_coefficients){.x = rx * t->whole, .mass = wx * r->mass};
  r->diagonal_x = t->along[1][1];
  r->diagonal_w = 2 * (a->k[1] * ky[1] * mz[1] + a->k[2] * my[1] * kz[1]) / 3;
  r->even = symmetric_row(t);
}

/* S and T of the nodes begin..end-1 (whole vectors). */
INLINE void across_row(const trilinear_weights *w, const node_rows *u, int64_t begin, int64_t end, REAL *s, REAL *t) {
  const REAL(*p)[3] = w->along, (*q)[3] = w->across;
  for (int64_t i = begin; i < end; i += vector_width) {
    const vector v = load(u->r[1][1] + i);
#define D(c, b) (load(u->r[c][b] + i) - v)
    const vector d00 = D(0, 0), d01 = D(0, 1), d02 = D(0, 2), d10 = D(1, 0), d12 = D(1, 2);
    const vector d20 = D(2, 0), d21 = D(2, 1), d22 = D(2, 2);
#undef D
#define SUM(w)                                                                                                        \
  (((w[0][0] * d00 + w[0][1] * d01) + (w[0][2] * d02 + w[1][0] * d10)) +                                              \
   ((w[1][2] * d12 + w[2][0] * d20) + (w[2][1] * d21 + w[2][2] * d22)))
    store(0, s + i, SUM(p));
    store(0, t + i, SUM(q));
#undef SUM
  }
}

/* The nodes i.. of a row as one vector, from S and T. */
INLINE vector graded_trilinear_vector(int op, const constant_operands *r, const sweep_rows *scratch, const REAL *u,
                                      const REAL *f, int64_t i) {
  const REAL *rs = scratch->s + i, *rt = scratch->t + i, *rh = r->rh + i, *h6 = scratch->h6 + i;
  const vector v = load(u + i), s = load(rs), t = load(rt);
  const vector ul = v - load(u + i - 1), ur = v - load(u + i + 1), sl = s - load(rs - 1), sr = s - load(rs + 1);
  const vector tl = load(rt - 1) - t, tr = load(rt + 1) - t;
  const REAL whole = r->constants->t.whole;
  const vector b = ((load(rh - 1) * (whole * ul + sl) + load(rh) * (whole * ur + sr)) +
                    (load(r->w + i) * t + (load(h6 - 1) * tl + load(h6) * tr))) +
                   r->mass.factor * load(r->mass.m + i) * v;
  return FINISH(op, b, v, load(f + i), load(r->weight + i));
}
