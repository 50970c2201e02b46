/* Restriction where coarse nodes coincide with fine ones, each axis coarsened or not: a thread has a column of a slab. */
#include "../launch.h"
#include "../march/slab.cuh"
#include "../stencil/mask.cuh"

/* A node with an even number, and the next. */
struct alignas(2 * sizeof(REAL)) even_pair {
  REAL own, next;
};

/* The value at x or, along a coarsened x, with both neighbours, weighted 1 and 1/2. */
template <bool in_x> DEVICE REAL restricted_line(const REAL *x) {
  if (!in_x)
    return x[0];
  const even_pair v = *reinterpret_cast<const even_pair *>(x);
  return v.own + (REAL)0.5 * (x[-1] + v.next);
}

/* The same in a plane of x and y. */
template <bool in_x, bool in_y> DEVICE REAL restricted_plane(const REAL *x, int64_t sy) {
  const REAL middle = restricted_line<in_x>(x);
  return in_y ? middle + (REAL)0.5 * (restricted_line<in_x>(x - sy) + restricted_line<in_x>(x + sy)) : middle;
}

/* CoarseX = mask Pt FineX in a column of a slab. What a plane between two coarse ones gives to both is computed once. */
template <bool in_x, bool in_y, bool in_z> DEVICE void restrict_column(const cv_transfer_args &a) {
  const slab s = slab_of(a.coarse.n);
  if (s.low >= s.high)
    return;
  const int64_t sy = a.fine.sy, sz = a.fine.sz;
  const REAL *x = AXIS(a.fine_x) + (in_x ? 2 : 1) * s.i + (in_y ? 2 : 1) * s.j * sy + (in_z ? 2 : 1) * s.low * sz;
  REAL *to = static_cast<REAL *>(a.coarse_x) + s.i + s.j * a.coarse.sy + s.low * a.coarse.sz;
  REAL below = in_z ? restricted_plane<in_x, in_y>(x - sz, sy) : (REAL)0;
#pragma unroll 2
  for (int k = s.low; k < s.high; k++, x += (in_z ? 2 : 1) * sz, to += a.coarse.sz) {
    REAL sum = restricted_plane<in_x, in_y>(x, sy);
    if (in_z) {
      const REAL above = restricted_plane<in_x, in_y>(x + sz, sy);
      sum += (REAL)0.5 * (below + above);
      below = above;
    }
    *to = mask_at(a.mask, s.i, s.j + k * a.coarse.n[1]) * sum;
  }
}

template <bool in_x> DEVICE void restrict_across(const cv_transfer_args &a) {
  if (a.factor[1] == 2 && a.factor[2] == 2)
    restrict_column<in_x, true, true>(a);
  else if (a.factor[1] == 2)
    restrict_column<in_x, true, false>(a);
  else if (a.factor[2] == 2)
    restrict_column<in_x, false, true>(a);
  else
    restrict_column<in_x, false, false>(a);
}

/* CoarseX = mask Pt FineX. Reads FineX once, 8 words of it for each that is written. */
KERNEL(restrict, cv_transfer_args) {
  if (a.factor[0] == 2)
    restrict_across<true>(a);
  else
    restrict_across<false>(a);
}
