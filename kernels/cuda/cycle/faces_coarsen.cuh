/* Residuals of a march through planes (faces_pass.cuh) and their restriction where all axes are halved. */
#ifndef CONVECT_FACES_COARSEN_CUH
#define CONVECT_FACES_COARSEN_CUH

#include "../march/faces_pass.cuh"

/* Adds the residuals of a plane, in shared memory at `row_r`, by their weights at the coarse nodes of a row; beside: that of the rows beside. */
template <int V, int KEPT> DEVICE void pass_weigh(REAL (&part)[V / 2], const REAL *row_r, REAL beside, const pass_place<V, KEPT> &p) {
#pragma unroll
  for (int n = -1; n <= 1; n++) {
    const REAL *row = row_r + (n < 0 ? p.front : n > 0 ? p.back : 0);
    REAL at[V], before = p.begins ? (REAL)0 : row[p.to_low];
    strip_get<V>(at, row);
#pragma unroll
    for (int m = 0; m < V; m += 2) {
      const REAL along = fma((REAL)0.5, before + at[m + 1], at[m]);
      part[m / 2] = n == 0 ? part[m / 2] + along : fma(beside, along, part[m / 2]);
      before = at[m + 1];
    }
  }
}

/* The coarse nodes of a thread, if it has some: what the planes before give to them; bytes of a coarse plane before them; bit m: node m is fixed. */
template <int V> struct pass_sums {
  REAL v[V / 2];
  unsigned at, fixed;
  int nodes;
};

template <int V, int KEPT> DEVICE pass_sums<V> pass_sums_of(const cv_faces_pass_args &a, const pass_place<V, KEPT> &p) {
  const int J = p.j / 2, nj = (int)a.coarse.n[1], ni = (int)a.coarse.n[0];
  pass_sums<V> sums = {};
  sums.nodes = p.owned && (p.j & 1) == 0 ? pass_clamp(ni - p.x / 2, 0, V / 2) : 0;
  sums.at = (unsigned)sizeof(REAL) * (unsigned)(J * (int)a.coarse.sy + p.x / 2);
#pragma unroll
  for (int m = 0; m < V / 2; m++) {
    const int i = p.x / 2 + m;
    const bool fixed = (a.coarse_fixed[0] && i == 0) || (a.coarse_fixed[1] && i == ni - 1) || (a.coarse_fixed[2] && J == 0) ||
                       (a.coarse_fixed[3] && J == nj - 1);
    sums.fixed |= fixed ? 1u << m : 0u;
  }
  return sums;
}

/* Goes on to plane q, odd or even, of the residual that is restricted, from an odd one before k0 on: the thread's row of it is at `row_r`. Coarse nodes are
   written when they have all. */
template <int V, int KEPT>
DEVICE void pass_coarsen(pass_sums<V> &sums, const REAL *row_r, const cv_faces_pass_args &a, const pass_place<V, KEPT> &p, int q, bool odd) {
  if (sums.nodes == 0)
    return;
  const int nk = (int)a.coarse.n[2];
  const bool fixed = (a.coarse_fixed[4] && q == 1) || (a.coarse_fixed[5] && q == 2 * nk - 1);
  REAL part[V / 2] = {}, all[V / 2];
  pass_weigh<V>(part, row_r, a.fine.sy ? (REAL)0.5 : (REAL)0, p);
#pragma unroll
  for (int m = 0; m < V / 2; m++) {
    all[m] = fixed || (sums.fixed >> m & 1) ? (REAL)0 : fma((REAL)0.5, part[m], sums.v[m]);
    sums.v[m] = odd ? (REAL)0.5 * part[m] : sums.v[m] + part[m];
  }
  if (odd && q > p.k0)
    strip_put<V / 2, strip_any>(const_cast<REAL *>(pass_at(a.coarse_x, pass_offset(pass_plane(a.coarse.sz, nk - 1, (q - 1) / 2), sums.at))), all, sums.nodes);
}

/* Whether residuals of plane k count. */
template <int V, int KEPT> DEVICE bool pass_plane_counts(const pass_place<V, KEPT> &p, int k) {
  return k >= 0 && k < p.nz && k != p.low_fixed && k != p.high_fixed;
}

/* Leaves of residuals of plane k those that count. */
template <int V, int KEPT> DEVICE void pass_mask(REAL (&s)[V], const REAL *free_at, const pass_place<V, KEPT> &p, int k) {
  if (!pass_plane_counts<V>(p, k)) {
#pragma unroll
    for (int m = 0; m < V; m++)
      s[m] = 0;
  } else if (p.masks) {
    REAL free[V];
    strip_get<V>(free, free_at);
#pragma unroll
    for (int m = 0; m < V; m++)
      s[m] *= free[m];
  }
}

#endif
