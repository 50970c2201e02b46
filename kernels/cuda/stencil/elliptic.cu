/* The elliptic operator of kernels/doc.go on whole arrays: Apply, Residual, Smooth, RedBlack, MassUpdate.

   A thread visits the nodes of its column from below. Each kernel of a sweep is compiled for 7 and 27 points and for
   each kind of conductivity: apply_7_constant, residual_27_shared, smooth_7_three and so on. */
#include "sevenpoint.cuh"
#include "../march/slab.cuh"
#include "trilinear.cuh"
#include "trilinear_cells.cuh"

enum { sweep_apply, sweep_residual, sweep_single, sweep_smooth, sweep_red_black };

enum { sweep_threads = 256 };

/* Stores what a sweep makes of a node: A u, F - A u, Scale (F - A u) as float, or U + Omega D^-1 (F - A u). Fixed
   nodes become zero, or stay. */
template <int op, int given>
DEVICE void sweep_store(const cv_sweep_args &s, int64_t at, bool free, const column_node &n, node_mass mass) {
  const REAL f = op == sweep_apply ? 0 : AXIS(s.f)[at];
  REAL *out = static_cast<REAL *>(s.out) + at;
  if (op == sweep_apply)
    *out = free ? n.balance : 0;
  if (op == sweep_residual)
    *out = free ? f - n.balance : 0;
  if (op == sweep_single)
    static_cast<float *>(s.out)[at] = free ? (float)((REAL)s.scale * (f - n.balance)) : 0;
  if (op != sweep_smooth && op != sweep_red_black)
    return;
  const REAL weight = free ? point_weight((REAL)s.omega, node_diagonal(n, mass)) : 0;
  if (!given)
    *out = weight * f;
  else if (op == sweep_smooth || free)
    *out = free ? n.u + weight * (f - n.balance) : n.u;
}

template <int op, int points, int kind, int given> DEVICE void sweep_columns(const cv_sweep_args &s) {
  const cv_elliptic &a = s.a;
  const slab l = slab_of(a.box.n);
  if (l.low >= l.high)
    return;
  int64_t at = l.i + l.j * a.box.sy + l.low * a.box.sz;
  column<points, kind, given> c;
  column_node n;
  column_begin(c, a, AXIS(s.u) + at, a.box.sy, a.box.sz, l.i, l.j, l.low);
  for (int k = l.low; k < l.high; k++, at += a.box.sz) {
    const node_mass mass = mass_of_node(a, l.i, l.j, k);
    column_next(c, a, k, mass, n);
    if (op != sweep_red_black || ((l.i + l.j + k) & 1) == s.colour)
      sweep_store<op, given>(s, at, node_is_free(a, l.i, l.j, k), n, mass);
  }
}

#define SWEEP(name, op, points, kind, given)                                                                           \
  KERNEL_BOUNDS(name##_##points##_##kind, cv_sweep_args, sweep_threads, 1) {                                           \
    sweep_columns<op, points, k_##kind, given>(a);                                                                     \
  }

#define SWEEPS(points, kind)                                                                                           \
  SWEEP(apply, sweep_apply, points, kind, from_u)                                                                      \
  SWEEP(residual, sweep_residual, points, kind, from_u)                                                                \
  SWEEP(residual_single, sweep_single, points, kind, from_u)                                                           \
  SWEEP(smooth, sweep_smooth, points, kind, from_u)                                                                    \
  SWEEP(smooth_zero, sweep_smooth, points, kind, from_zero)

/* Words of REAL a node that move through memory: Apply reads X and writes Y, 2 words; Residual reads U and F and
   writes R, 3 words (in single precision half of the last); Smooth as Residual 3, from zero 2. One array of K adds 1
   word, three arrays 3, a mass 1. RedBlack reads U and F and writes every other node, 3 words. A mask adds next to
   nothing but in rows of its own. */
SWEEPS(7, constant)
SWEEPS(7, shared)
SWEEPS(7, three)
SWEEPS(27, constant)
SWEEPS(27, shared)
SWEEPS(27, three)

/* A node of this colour reads nodes of the other, which nobody writes. What the others make of theirs is dropped. */
SWEEP(red_black, sweep_red_black, 7, constant, from_u)
SWEEP(red_black, sweep_red_black, 7, shared, from_u)
SWEEP(red_black, sweep_red_black, 7, three, from_u)

/* U += mask R / (s m), R is f. Reads U and R, and a mass that is not the volume, and writes U: 3 or 4 words a node. */
KERNEL(mass_update, cv_sweep_args) {
  NODE(i, j, k, a.a.box);
  const int64_t at = i + j * a.a.box.sy + k * a.a.box.sz;
  const node_mass mass = mass_of_node(a.a, i, j, k);
  if (node_is_free(a.a, i, j, k))
    static_cast<REAL *>(a.out)[at] += AXIS(a.f)[at] * point_weight(1, mass.factor * mass.m);
}
