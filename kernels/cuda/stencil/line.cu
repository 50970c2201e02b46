/* LineSmooth: vertical lines solved exactly, Out = U + omega T^-1 (F - A U), T the vertical tridiagonal part of A. A
   thread does a column.

   Every node is eliminated from below, as a node of a network of conductors is: with conductance g to the node above
   and s to ground (everything beside its column, and what the nodes below left), its elimination leaves g s / (g +
   s) between the node above and ground. Where all g are positive there is no difference in it, so that T may be as
   near to singular as it likes. Those of flat trilinear elements may be negative, but are at most a third of what
   ties the node beside its column. A periodic column is cut above its topmost node, to which each node then has a
   conductance of its own. A node whose pivot is zero is left alone. What the way back needs, x_k = y_k + above_k
   x_(k+1) + last_k x_top, is kept in scratch memory, laid out as [k][j][i].

   Words of REAL a node: U, F and Out, and y and above (and last) written and read, 7 (9), besides K and mass. */
#include "sevenpoint.cuh"
#include "trilinear.cuh"
#include "trilinear_cells.cuh"

/* Blocks that a multiprocessor holds. */
constexpr int line_blocks(int points, int kind) { return points == 7 && kind == k_constant ? 5 : 1; }

/* What the nodes below leave to the next one: conductance to ground and a right side; and of a periodic column the
   conductance from the next node to the topmost, and what the topmost gets in all. */
typedef struct {
  REAL ground, right;
  REAL to_last, last_ground, last_right;
} line_state;

/* x_k = y + above x_(k+1) + last x_top. */
typedef struct {
  REAL y, above, last;
} line_factors;

/* Eliminates a node: `up` to the node above, `beside` to ground, right side r; `top` is the last of its column. */
DEVICE line_factors line_eliminate(line_state &s, REAL up, REAL beside, REAL r, bool free, bool periodic, bool top) {
  const REAL g = top ? 0 : up, c = periodic && !top ? s.to_last : 0;
  const REAL ground = beside + s.ground + (periodic && top ? s.last_ground : 0);
  const REAL right = r + s.right + (periodic && top ? s.last_right : 0);
  const REAL inverse = free ? point_weight(1, (g + c) + ground) : 0, share = free ? ground * inverse : 1;
  line_factors f;
  f.y = inverse * right;
  f.above = g * inverse;
  f.last = c * inverse;
  s.ground = g * share;
  s.right = f.above * right;
  s.last_ground += c * share;
  s.last_right += f.last * right;
  s.to_last = c * f.above;
  return f;
}

template <int points, int kind> DEVICE void line_column(const cv_line_args &l) {
  const cv_elliptic &a = l.sweep.a;
  const int i = blockIdx.x * blockDim.x + threadIdx.x, j = blockIdx.y * blockDim.y + threadIdx.y;
  const int nx = a.box.n[0], ny = a.box.n[1], nz = a.box.n[2];
  if (i >= nx || j >= ny)
    return;
  const int64_t first = i + j * a.box.sy, plane = (int64_t)nx * ny;
  const column_values u = column_values_of(l.sweep, first, true);
  const REAL *f = AXIS(l.sweep.f) + first;
  REAL *out = static_cast<REAL *>(l.sweep.out) + first, *y = static_cast<REAL *>(l.scratch) + i + (int64_t)j * nx;
  REAL *above = y + plane * nz, *last = above + plane * nz;
  column<points, kind> c;
  column_node n;
  line_state s = {0, 0, 0, 0, 0};
  column_begin(c, a, u.first, u.sy, u.sz, i, j, 0);
  for (int k = 0; k < nz; k++) {
    const node_mass mass = mass_of_node(a, i, j, k);
    column_next(c, a, k, mass, n);
    if (k == 0)
      s.to_last = n.down;
    const REAL r = f[k * a.box.sz] - n.balance;
    const bool free = node_is_free(a, i, j, k);
    const REAL beside = n.beside + mass.factor * mass.m;
    const line_factors x = line_eliminate(s, n.up, beside, r, free, l.periodic != 0, k == nz - 1);
    y[k * plane] = x.y;
    above[k * plane] = x.above;
    if (l.periodic)
      last[k * plane] = x.last;
  }
  const REAL omega = (REAL)l.sweep.omega, top = y[(nz - 1) * plane];
  REAL x = 0;
  for (int k = nz - 1; k >= 0; k--) {
    x = y[k * plane] + above[k * plane] * x;
    if (l.periodic)
      x += last[k * plane] * top;
    out[k * a.box.sz] = l.sweep.u ? u.first[k * a.box.sz] + omega * x : omega * x;
  }
}

#define LINE(points, kind)                                                                                             \
  KERNEL_BOUNDS(line_smooth_##points##_##kind, cv_line_args, line_threads, line_blocks(points, k_##kind)) {            \
    line_column<points, k_##kind>(a);                                                                                  \
  }

LINE(7, constant)
LINE(7, shared)
LINE(7, three)
LINE(27, constant)
LINE(27, shared)
LINE(27, three)
