/* SolveCoarse and SolveFactored: a small grid by one thread block, all in double, by conjugate gradients with diagonal preconditioning, or by
   elimination of planes (planes.cuh); or by the inverse of its matrix (inverse.cuh). */
#include "inverse.cuh"

/* Sums over the block, three at most, which all threads call for and get. What was exchanged last is still read while the next
   is written, so that there are two places, in turn. */
typedef struct {
  int turn;
} coarse_sums;

/* The places of one turn: in no template, each of which would have its own. */
DEVICE double (*coarse_places(int turn))[32] {
  __shared__ double parts[2][3][32];
  return parts[turn];
}

template <int count> DEVICE void coarse_total(coarse_sums &s, double (&x)[count]) {
  const int lane = threadIdx.x % 32, own = threadIdx.x / 32, warps = blockDim.x / 32;
  double(*place)[32] = coarse_places(s.turn);
  s.turn = 1 - s.turn;
#pragma unroll
  for (int n = 0; n < count; n++) {
    x[n] = warp_sum(x[n]);
    if (lane == 0)
      place[n][own] = x[n];
  }
  __syncthreads();
#pragma unroll
  for (int n = 0; n < count; n++)
    x[n] = warp_sum(lane < warps ? place[n][lane] : 0);
}

/* One sum. */
DEVICE double coarse_total(coarse_sums &s, double x) {
  double one[1] = {x};
  coarse_total(s, one);
  return one[0];
}

/* Waits for all nodes of an array, and fills its periodic halo. */
template <int couplings> DEVICE void coarse_wrap(const coarse_grid<couplings> &c, const int64_t *periodic, double *x) {
  __syncthreads();
  if (!periodic[0] && !periodic[1] && !periodic[2])
    return;
  COARSE_ELEMENTS(c, m) {
    int at[3], from[3];
    if (coarse_node(c, m, at))
      continue;
    for (int d = 0; d < 3; d++)
      from[d] = periodic[d] ? (at[d] + c.n[d]) % c.n[d] : at[d];
    const int e = 1 + from[0] + (1 + from[1]) * c.sy + (1 + from[2]) * c.sz;
    if (coarse_node(c, e, at))
      x[m] = x[e];
  }
  __syncthreads();
}

/* A x on a free node. */
template <int couplings> DEVICE double coarse_balance(const coarse_grid<couplings> &c, const double *x, int m) {
  const double own = x[m], *g = c.g + m;
  double sum = c.mass[m] * own;
#pragma unroll
  for (int l = 0; l < couplings; l++, g += c.len)
    sum += g[0] * (own - x[m + c.step[l]]) + g[-c.step[l]] * (own - x[m - c.step[l]]);
  return sum;
}

/* Removes the mean: of a right side (integrated) or of a solution. The halo has no volume. */
template <int couplings>
DEVICE void coarse_consistent(const coarse_grid<couplings> &c, coarse_sums &sums, double *x, int integrated) {
  double part[2] = {0, 0};
  COARSE_ELEMENTS(c, m) {
    part[0] += integrated ? (c.volume[m] != 0 ? x[m] : 0) : c.volume[m] * x[m];
    part[1] += c.volume[m];
  }
  coarse_total(sums, part);
  const double mean = part[0] / part[1];
  COARSE_ELEMENTS(c, m)
    if (c.volume[m] != 0)
      x[m] -= mean * (integrated ? c.volume[m] : 1);
}

/* r = F - A u on free nodes. */
template <int couplings>
DEVICE void coarse_residual(const coarse_grid<couplings> &c, const cv_coarse_args &s, coarse_sums &sums) {
  coarse_wrap(c, s.periodic, c.u);
  COARSE_ELEMENTS(c, m) {
    int at[3];
    coarse_node(c, m, at);
    if (c.own[m] != 0)
      c.r[m] = AXIS(s.f)[at[0] + at[1] * s.a.box.sy + at[2] * s.a.box.sz] - coarse_balance(c, c.u, m);
  }
  /* Twice: the first time leaves the rounding of the mean of F, which is not small beside a residual that is, and cannot be solved for. */
  for (int pass = 0; pass < 2 && s.singular; pass++)
    coarse_consistent(c, sums, c.r, 1);
}

/* Conjugate gradients from the residual r until its norm is at most `target`; u is updated. On a singular problem r
   is kept consistent, because the part that rounding adds to the null space cannot shrink and would make u grow: what an iteration
   adds is summed with the products, and taken away when the next begins. A thread keeps to its elements but for the p of neighbours. */
template <int couplings>
DEVICE void coarse_iterate(const coarse_grid<couplings> &c, const cv_coarse_args &s, coarse_sums &sums, double target) {
  const int64_t limit = min(4 * (int64_t)c.n[0] * c.n[1] * c.n[2] + 50, (int64_t)5000);
  double first[2] = {0, 0}, beta = 0, drift = 0; /* drift: of r, to a volume */
  COARSE_ELEMENTS(c, m) {
    first[0] += c.r[m] * c.r[m] * c.inverse[m];
    first[1] += c.volume[m];
    c.p[m] = 0;
  }
  coarse_total(sums, first);
  double rz = first[0];
  for (int64_t it = 0; it < limit && rz > 0; it++) {
    COARSE_ELEMENTS(c, m) {
      c.r[m] -= drift * c.volume[m];
      c.p[m] = c.inverse[m] * c.r[m] + beta * c.p[m];
    }
    coarse_wrap(c, s.periodic, c.p);
    double pq = 0;
    COARSE_ELEMENTS(c, m)
      if (c.own[m] != 0) {
        c.q[m] = coarse_balance(c, c.p, m);
        pq += c.p[m] * c.q[m];
      }
    pq = coarse_total(sums, pq);
    if (!(pq > 0))
      return;
    const double alpha = rz / pq;
    double next[3] = {0, 0, 0}; /* r.r, r.z and the sum of r */
    COARSE_ELEMENTS(c, m) {
      c.u[m] += alpha * c.p[m];
      const double r = c.r[m] -= alpha * c.q[m];
      next[0] += r * r * c.own[m];
      next[1] += r * r * c.inverse[m];
      next[2] += r;
    }
    coarse_total(sums, next);
    if (sqrt(next[0]) <= target)
      return;
    beta = next[1] / rz;
    rz = next[1];
    drift = s.singular ? next[2] / first[1] : 0;
  }
}

/* Repeated from the true residual as long as that still falls fourfold. */
template <int couplings> DEVICE void coarse_solve(const cv_coarse_args &s) {
  const coarse_grid<couplings> c = coarse_grid_of<couplings>(s);
  coarse_sums sums = {0};
  coarse_prepare(c, s.a);
  const int direct = (int)s.factored;
  const coarse_planes o = direct ? coarse_planes_of(c, s) : coarse_planes{};
  if (direct)
    planes_ready(c, o, s);
  if (s.inverse) /* which needs no more than that */
    return;
  double target = 0, last = 0;
  for (int pass = 0; pass < 4; pass++) {
    coarse_residual(c, s, sums);
    double square = 0;
    COARSE_ELEMENTS(c, m)
      square += c.r[m] * c.r[m] * c.own[m];
    const double norm = sqrt(coarse_total(sums, square));
    if (pass == 0)
      target = s.tolerance * norm;
    if (!(norm > target && (pass == 0 || norm < 0.25 * last)))
      break;
    last = norm;
    if (direct) {
      planes_solve(c, o);
      if (s.singular) /* far from that of the last node, it would take digits */
        coarse_consistent(c, sums, c.u, 0);
    } else
      coarse_iterate(c, s, sums, target);
  }
  if (s.singular)
    coarse_consistent(c, sums, c.u, 0);
  COARSE_ELEMENTS(c, m) {
    int at[3];
    if (coarse_node(c, m, at))
      static_cast<REAL *>(s.u)[at[0] + at[1] * s.a.box.sy + at[2] * s.a.box.sz] = (REAL)c.u[m];
  }
}

KERNEL_BOUNDS(solve_coarse_7, cv_coarse_args, coarse_threads, 1) { coarse_solve<3>(a); }

KERNEL_BOUNDS(solve_coarse_27, cv_coarse_args, coarse_threads, 1) { coarse_solve<13>(a); }

KERNEL_BOUNDS(invert_coarse_7, cv_coarse_args, invert_threads, 1) { inverse_rows<3>(a); }

KERNEL_BOUNDS(invert_coarse_27, cv_coarse_args, invert_threads, 1) { inverse_rows<13>(a); }

KERNEL_BOUNDS(multiply_coarse, cv_coarse_args, invert_threads, 1) { inverse_multiply(a); }
