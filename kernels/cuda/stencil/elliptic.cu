/* The elliptic operator of kernels/doc.go on whole arrays: Apply, Residual, Smooth, RedBlack, Energy, MassUpdate.

   A thread visits the nodes of its column from below. Each kernel of a sweep is compiled for 7 and 27 points and for
   each kind of conductivity: balance_7_constant of Apply and Residual, smooth_7_three of Smooth and RedBlack and so on. */
#include "sevenpoint.cuh"
#include "../march/slab.cuh"
#include "../vector/reduce.cuh"
#include "trilinear.cuh"
#include "trilinear_cells.cuh"

/* Stores A u, F - A u, or Scale (F - A u) as float. Fixed nodes become zero. */
DEVICE void store_balance(const cv_sweep_args &s, int64_t at, bool free, const column_node &n) {
  const REAL rest = s.f ? AXIS(s.f)[at] - n.balance : n.balance;
  if (s.single)
    static_cast<float *>(s.out)[at] = free ? (float)((REAL)s.scale * rest) : 0;
  else
    static_cast<REAL *>(s.out)[at] = free ? rest : 0;
}

/* Stores Omega D^-1 F, what Smooth makes of U = 0: nothing of a column's u is used, and the compiler leaves its loads away. */
DEVICE void store_smooth_zero(const cv_sweep_args &s, int64_t at, bool free, const column_node &n, node_mass mass) {
  const REAL f = AXIS(s.f)[at];
  static_cast<REAL *>(s.out)[at] = free ? point_weight((REAL)s.omega, node_diagonal(n, mass)) * f : 0;
}

/* Stores U + Omega D^-1 (F - A u) where the node is `mine`. Fixed nodes stay. Other nodes are computed too: a branch around them would keep the
   loads of the next node waiting. */
DEVICE void store_smooth(const cv_sweep_args &s, int64_t at, bool mine, bool free, const column_node &n, node_mass mass) {
  const REAL f = AXIS(s.f)[at], weight = free ? point_weight((REAL)s.omega, node_diagonal(n, mass)) : 0;
  const REAL value = free ? n.u + weight * (f - n.balance) : n.u;
  if (mine)
    static_cast<REAL *>(s.out)[at] = value;
}

/* sweep_colour is sweep_smooth of the nodes of one colour. */
enum { sweep_balance, sweep_smooth, sweep_zero, sweep_colour };

template <int op, int points, int kind> DEVICE void sweep_columns(const cv_sweep_args &s) {
  const cv_elliptic &a = s.a;
  const slab l = slab_of(a.box.n);
  if (l.low >= l.high)
    return;
  int64_t at = l.i + l.j * a.box.sy + l.low * a.box.sz;
  const column_values u = column_values_of(s, at, op == sweep_zero);
  column<points, kind> c;
  column_node n;
  column_begin(c, a, u.first, u.sy, u.sz, l.i, l.j, l.low);
  for (int k = l.low; k < l.high; k++, at += a.box.sz) {
    const node_mass mass = mass_of_node(a, l.i, l.j, k);
    column_next(c, a, k, mass, n);
    if (op == sweep_balance)
      store_balance(s, at, node_is_free(a, l.i, l.j, k), n);
    else if (op == sweep_zero)
      store_smooth_zero(s, at, node_is_free(a, l.i, l.j, k), n, mass);
    else
      store_smooth(s, at, op == sweep_smooth || ((l.i + l.j + k) & 1) == s.colour, node_is_free(a, l.i, l.j, k), n, mass);
  }
}

/* Σ x A x of a column. Nodes that the box does not count, or beyond it, add nothing. */
template <int points, int kind> DEVICE void energy_columns(const cv_energy_args &s) {
  const cv_elliptic &a = s.a;
  const slab l = counted_slab_of(a.box, a.box.n);
  double sum = 0;
  if (l.low < l.high) {
    int64_t at = l.i + l.j * a.box.sy + l.low * a.box.sz;
    column<points, kind> c;
    column_node n;
    column_begin(c, a, AXIS(s.x) + at, a.box.sy, a.box.sz, l.i, l.j, l.low);
    for (int k = l.low; k < l.high; k++, at += a.box.sz) {
      column_next(c, a, k, mass_of_node(a, l.i, l.j, k), n);
      sum = fma((double)n.u, (double)n.balance, sum);
    }
  }
  put_sum(s.partial, sum);
}

enum { sweep_threads = 32 * sweep_rows };

/* Blocks that a multiprocessor holds: small ones, so that those whose threads need many registers fill it too. The numbers are the fastest of those
   tried on an H100: of one more the loads of a node no longer go out together. */
constexpr int sweep_blocks(int points, int kind, bool smooths) {
  if (kind == k_constant)
    return 4;
  if (sizeof(REAL) == 4)
    return 5;
  return kind == k_shared ? (points == 7 ? 4 : 3) : (points == 7) == smooths ? 4 : 3;
}

#define SWEEPS(points, kind)                                                                                           \
  KERNEL_BOUNDS(balance_##points##_##kind, cv_sweep_args, sweep_threads, sweep_blocks(points, k_##kind, false)) {      \
    sweep_columns<sweep_balance, points, k_##kind>(a);                                                                 \
  }                                                                                                                    \
  KERNEL_BOUNDS(energy_##points##_##kind, cv_energy_args, sweep_threads, sweep_blocks(points, k_##kind, false)) {      \
    energy_columns<points, k_##kind>(a);                                                                               \
  }                                                                                                                    \
  KERNEL_BOUNDS(smooth_##points##_##kind, cv_sweep_args, sweep_threads, sweep_blocks(points, k_##kind, true)) {        \
    if (!a.u)                                                                                                          \
      sweep_columns<sweep_zero, points, k_##kind>(a);                                                                  \
    else if (a.colour < 0)                                                                                             \
      sweep_columns<sweep_smooth, points, k_##kind>(a);                                                                \
    else                                                                                                               \
      sweep_columns<sweep_colour, points, k_##kind>(a);                                                                \
  }

/* Words of REAL a node that move through memory: Apply reads X and writes Y, 2 words; Residual reads U and F and
   writes R, 3 words (in single precision half of the last); Smooth as Residual 3, from zero 2. One array of K adds 1
   word, three arrays 3, a mass 1. RedBlack reads U and F and writes every other node, 3 words: a node of its colour reads
   nodes of the other, which nobody writes. A mask adds next to nothing but in rows of its own. */
SWEEPS(7, constant)
SWEEPS(7, shared)
SWEEPS(7, three)
SWEEPS(27, constant)
SWEEPS(27, shared)
SWEEPS(27, three)

/* U += mask R / (s m), R is f. Reads U and R, and a mass that is not the volume, and writes U: 3 or 4 words a node. */
KERNEL(mass_update, cv_sweep_args) {
  NODE(i, j, k, a.a.box);
  const int64_t at = i + j * a.a.box.sy + k * a.a.box.sz;
  const node_mass mass = mass_of_node(a.a, i, j, k);
  if (node_is_free(a.a, i, j, k))
    static_cast<REAL *>(a.out)[at] += AXIS(a.f)[at] * point_weight(1, mass.factor * mass.m);
}
