/* SolveCoarse: conjugate gradients with diagonal preconditioning on a small grid by one thread block, all in double,
   on compact arrays with one halo layer in shared memory, or where that has no room (scratch is not NULL) in scratch memory. The operator is held as couplings of a node to the
   neighbours after it (3 with 7 points, 13 with 27), those to the neighbours before it being their own. */
#include "../stencil/sweep.cuh"
#include "../vector/reduce.cuh"

template <int couplings> struct coarse_grid {
  int n[3], sy, sz, len; /* strides and length of an array */
  int step[couplings];   /* from a node to those coupled by g */
  double *g;             /* one array after the other */
  double *mass, *volume;
  double *u, *r, *p, *q, *inverse, *own; /* 1/D; 1 on free nodes, else 0 */
};

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

/* Elements threadIdx.x, threadIdx.x + blockDim.x, ... of the arrays. */
#define COARSE_ELEMENTS(c, m) for (int m = threadIdx.x; m < (c).len; m += blockDim.x)

/* Where neighbour c lies. */
template <int couplings> DEVICE void coupled_node(int c, int (&o)[3]) {
  for (int d = 0; d < 3; d++)
    o[d] = couplings == 3 ? c == d : (c + 14) / (d == 0 ? 1 : d == 1 ? 3 : 9) % 3 - 1;
}

template <int couplings> DEVICE coarse_grid<couplings> coarse_grid_of(const cv_coarse_args &s) {
  DYNAMIC_SHARED(double, shared);
  coarse_grid<couplings> c;
  for (int d = 0; d < 3; d++)
    c.n[d] = s.a.box.n[d];
  c.sy = c.n[0] + 2;
  c.sz = c.sy * (c.n[1] + 2);
  c.len = c.sz * (c.n[2] + 2);
  double *array = s.scratch ? static_cast<double *>(s.scratch) : shared;
#pragma unroll
  for (int l = 0; l < couplings; l++) {
    int o[3];
    coupled_node<couplings>(l, o);
    c.step[l] = o[0] + o[1] * c.sy + o[2] * c.sz;
  }
  c.g = array;
  double **others[8] = {&c.mass, &c.volume, &c.u, &c.r, &c.p, &c.q, &c.inverse, &c.own};
#pragma unroll
  for (int l = 0; l < 8; l++)
    *others[l] = array + (couplings + l) * c.len;
  return c;
}

/* The node of element m, and whether it is none of the halo. */
template <int couplings> DEVICE int coarse_node(const coarse_grid<couplings> &c, int m, int (&at)[3]) {
  at[0] = m % c.sy - 1;
  at[1] = m % c.sz / c.sy - 1;
  at[2] = m / c.sz - 1;
  return at[0] >= 0 && at[0] < c.n[0] && at[1] >= 0 && at[1] < c.n[1] && at[2] >= 0 && at[2] < c.n[2];
}

DEVICE double coarse_conductivity(const cv_elliptic &a, int d, const int (&cell)[3]) {
  return a.cells[0] ? (double)AXIS(a.cells[d])[cell[0] + cell[1] * a.box.sy + cell[2] * a.box.sz] : a.k[d];
}

/* Conductance of the upper face of a node along axis d. */
DEVICE double face_coupling(const cv_elliptic &a, int d, const int (&at)[3]) {
  const int p = d == 0 ? 1 : 0, q = d == 2 ? 1 : 2;
  double sum = 0;
  for (int l = 0; l < 4; l++) {
    int cell[3] = {at[0], at[1], at[2]};
    cell[p] -= l & 1;
    cell[q] -= l >> 1;
    sum += coarse_conductivity(a, d, cell) * AXIS(a.h[p])[cell[p]] * AXIS(a.h[q])[cell[q]];
  }
  return AXIS(a.rh[d])[at[d]] * sum / 4;
}

/* What a trilinear element conducts between two of its nodes that are o apart: minus the entry of its stiffness. */
DEVICE double element_coupling(const cv_elliptic &a, const int (&o)[3], const int (&cell)[3]) {
  double w[3], mass[3], volume = 1, sum = 0;
  for (int d = 0; d < 3; d++) {
    const double rh = AXIS(a.rh[d])[cell[d]];
    w[d] = coarse_conductivity(a, d, cell) * rh * rh;
    mass[d] = d == 1 && a.box.sy == 0 ? 1 : o[d] ? 1 / 6. : 1 / 3.;
    volume *= AXIS(a.h[d])[cell[d]];
  }
  for (int d = 0; d < 3; d++)
    sum += (o[d] ? w[d] : -w[d]) * mass[(d + 1) % 3] * mass[(d + 2) % 3];
  return sum * volume;
}

/* The coupling of a node to the one o after it: the sum over the cells that hold both. */
DEVICE double elements_coupling(const cv_elliptic &a, const int (&o)[3], const int (&at)[3]) {
  if (a.box.sy == 0 && o[1])
    return 0;
  double sum = 0;
  for (int l = 0; l < 8; l++) {
    int cell[3], counts = 1;
    for (int d = 0; d < 3; d++) {
      const int down = l >> d & 1, both = o[d] == 0 && (d != 1 || a.box.sy != 0);
      cell[d] = at[d] - (both ? down : o[d] < 0);
      counts = counts && (both || !down);
    }
    if (counts)
      sum += element_coupling(a, o, cell);
  }
  return sum;
}

/* Fills the couplings, the mass and the volume, and clears all else. */
template <int couplings> DEVICE void coarse_prepare(const coarse_grid<couplings> &c, const cv_elliptic &a) {
  COARSE_ELEMENTS(c, m) {
    int at[3];
    const int inside = coarse_node(c, m, at);
#pragma unroll
    for (int l = 0; l < couplings; l++) {
      int o[3], none[3];
      coupled_node<couplings>(l, o);
      const int to = m + c.step[l], held = inside || (to >= 0 && to < c.len && coarse_node(c, to, none));
      c.g[l * c.len + m] = !held ? 0 : couplings == 3 ? face_coupling(a, l, at) : elements_coupling(a, o, at);
    }
    const double area = inside ? (double)AXIS(a.w[1])[at[1]] * AXIS(a.w[2])[at[2]] : 0;
    c.volume[m] = inside ? area * AXIS(a.w[0])[at[0]] : 0;
    c.mass[m] = a.mass_scale * c.volume[m];
    if (inside && a.mass && a.mass_scale != 0)
      c.mass[m] = a.mass_scale * AXIS(a.mass)[at[0] + at[1] * a.box.sy + at[2] * a.box.sz];
    c.own[m] = inside && node_is_free(a, at[0], at[1], at[2]);
    c.u[m] = c.r[m] = c.p[m] = c.q[m] = c.inverse[m] = 0;
  }
  __syncthreads();
  COARSE_ELEMENTS(c, m) {
    if (c.own[m] == 0)
      continue;
    double d = c.mass[m];
#pragma unroll
    for (int l = 0; l < couplings; l++)
      d += c.g[l * c.len + m] + c.g[l * c.len + m - c.step[l]];
    c.inverse[m] = d != 0 ? 1 / d : 0;
  }
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

/* Restarted from the true residual as long as that still falls fourfold. */
template <int couplings> DEVICE void coarse_solve(const cv_coarse_args &s) {
  const coarse_grid<couplings> c = coarse_grid_of<couplings>(s);
  coarse_sums sums = {0};
  coarse_prepare(c, s.a);
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
