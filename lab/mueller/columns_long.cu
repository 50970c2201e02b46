/* Vertical systems of columns that are too long for the registers of a block (columns_solve.cu), and stored ones, MatrixSolve: a
   thread a column, by elimination from below. What it keeps of every level, the ratio e and the value y of z_k = y_k + e_k z_(k+1),
   goes through memory: 4 words a cell more than must move. */
#include "columns.cuh"

enum { long_solve, long_descend, long_smooth };

/* A thread's column: the elements of its level 0 in fields and in scratch memory, and from level to level. */
typedef struct {
  int64_t at, apart;
  REAL *ratio, *value;
  int64_t scratch;
  int i, j;
  bool owns;
} long_column;

DEVICE long_column long_column_of(const mueller_args &c, REAL *scratch) {
  const mueller_panel &p = c.a.panel;
  const int64_t columns = p.n[0] * p.n[1], own = (int64_t)blockIdx.x * blockDim.x + threadIdx.x, n = min(own, columns - 1);
  const int i = (int)(n % p.n[0]), j = (int)(n / p.n[0]);
  return {i * p.stride[0] + j * p.stride[1], p.stride[2], scratch + n, scratch + columns * p.n[2] + n, columns, i, j, own < columns};
}

/* The potentials, from the last level to the first. */
template <int op> DEVICE void long_substitute(const mueller_args &c, const long_column &l) {
  REAL z = 0;
  for (int64_t k = c.a.panel.n[2] - 1; k >= 0; k--) {
    const int64_t at = l.at + k * l.apart;
    z = fma(l.ratio[k * l.scratch], z, l.value[k * l.scratch]);
    static_cast<REAL *>(c.out)[at] = op == long_smooth ? fma((REAL)c.omega, z, AXIS(c.u)[at]) : (REAL)c.omega * z;
  }
}

template <int op> DEVICE void long_columns(const mueller_launch &launch) {
  const mueller_args &c = launch.c;
  const long_column l = long_column_of(c, static_cast<REAL *>(c.p));
  const int64_t column = l.i + l.j * c.a.panel.row;
  const REAL *x = AXIS(c.a.edge_x) + column, *y = AXIS(c.a.edge_y) + column, area = AXIS(c.a.area)[column];
  const REAL share = ((x[-1] + x[0]) + (y[-c.a.panel.row] + y[0])) / area, *b = AXIS(c.a.vertical);
  REAL kept = 0, before = 0;
  const REAL alpha = op == long_descend ? alpha_of(launch) : 0;
  double sums[2] = {};
  for (int k = 0; k < c.a.panel.n[2] && l.owns; k++) {
    const int64_t at = l.at + k * l.apart;
    REAL r = AXIS(c.f)[at];
    if (op == long_descend) {
      r = fma(-alpha, static_cast<const REAL *>(c.q)[at], r);
      static_cast<REAL *>(c.r)[at] = r;
    }
    if (op == long_smooth)
      r -= balance_at(c.a, AXIS(c.u), l.i, l.j, k);
    const REAL own = fma(b[k], kept, fma(AXIS(c.a.horizontal)[k], share, AXIS(c.a.mass)[k]));
    const REAL m = 1 / (own + b[k + 1]), t = fma(b[k], before, r / area);
    kept = own * m;
    before = t * m;
    l.ratio[k * l.scratch] = b[k + 1] * m;
    l.value[k * l.scratch] = before;
    sums[0] += (double)(r * r);
    sums[1] += (double)(t * before);
  }
  if (l.owns)
    long_substitute<op>(c, l);
  sums[1] *= (double)area;
  if (op == long_descend)
    put_partials(launch, sums);
}

KERNEL_BOUNDS(column_solve_long, mueller_launch, 128, 4) { long_columns<long_solve>(a); }
KERNEL_BOUNDS(column_descend_long, mueller_launch, 128, 4) { long_columns<long_descend>(a); }
KERNEL_BOUNDS(column_smooth_long, mueller_launch, 128, 4) { long_columns<long_smooth>(a); }

/* Stored systems, by elimination without pivoting. */
KERNEL_BOUNDS(matrix_solve, mueller_launch, 128, 4) {
  const mueller_args &c = a.c;
  const long_column l = long_column_of(c, static_cast<REAL *>(c.p));
  if (!l.owns)
    return;
  REAL e = 0, before = 0;
  for (int k = 0; k < c.a.panel.n[2]; k++) {
    const int64_t at = l.at + k * l.apart;
    const REAL low = AXIS(c.stored[0])[at], m = 1 / fma(low, e, AXIS(c.stored[1])[at]);
    before = fma(-low, before, AXIS(c.f)[at]) * m;
    e = -(AXIS(c.stored[2])[at] * m);
    l.ratio[k * l.scratch] = e;
    l.value[k * l.scratch] = before;
  }
  long_substitute<long_solve>(c, l);
}
