/* The inverse of a small matrix, by the factors of planes.cuh: row i is the solution for a right side that is one at node i, and a warp's own. */
#ifndef CONVECT_INVERSE_H
#define CONVECT_INVERSE_H

#include "../vector/reduce.cuh"
#include "planes.cuh"

/* What a warp has: a right side of nodes, one at element `from` less what makes it consistent, and its right side of a plane. */
struct inverse_row {
  int from, lane;
  double mean, *v; /* mean: of a singular problem 1/ΣV, else 0 */
};

/* A node, as the inverse counts them, in an array with a halo. */
template <int couplings> DEVICE int inverse_element(const coarse_grid<couplings> &c, int n) {
  return 1 + n % c.n[0] + (1 + n / c.n[0] % c.n[1]) * c.sy + (1 + n / (c.n[0] * c.n[1])) * c.sz;
}

/* q of plane k, a row of S⁻¹ times what is left of the right side there: low, high: where planes that come before lie. Back, it is what plane k had and that. */
template <int couplings>
DEVICE void inverse_plane(const coarse_grid<couplings> &c, const coarse_planes &o, const inverse_row &row, int k, int low, int high, int back) {
  for (int i = row.lane; i < o.nodes; i += 32) {
    const int e = plane_element(o, k, i);
    double sum = back ? 0 : (e == row.from ? c.own[e] : 0) - row.mean * c.volume[e];
    if (low)
      sum += plane_coupled(c, o, k, -1, i, e);
    if (high)
      sum += plane_coupled(c, o, k, 1, i, e);
    row.v[i] = sum;
  }
  __syncwarp();
  const double *inverse = plane_inverse(o, k); /* which is symmetric */
  for (int i = row.lane; i < o.nodes; i += 32) {
    const int e = plane_element(o, k, i);
    double sum = back ? c.q[e] : 0;
#pragma unroll 8
    for (int j = 0; j < o.nodes; j++)
      sum = fma(inverse[j * o.nodes + i], row.v[j], sum);
    c.q[e] = sum;
  }
  __syncwarp();
}

template <int couplings> DEVICE void inverse_rows(const cv_coarse_args &s) {
  coarse_grid<couplings> c = coarse_grid_of<couplings>(s);
  coarse_prepare(c, s.a);
  __syncthreads();
  coarse_planes o = coarse_planes_of(c, s);
  o.inverse = static_cast<double *>(s.kept);
  DYNAMIC_SHARED(double, shared);
  const int warps = (int)blockDim.x / 32, own = (int)threadIdx.x / 32, nodes = c.n[0] * c.n[1] * c.n[2], last = o.planes - 1;
  const int i = (int)blockIdx.x * warps + own;
  if (i >= nodes)
    return;
  c.q = shared + (couplings + 8) * c.len + own * (c.len + plane_most);
  inverse_row row = {inverse_element(c, i), (int)threadIdx.x % 32, 0, c.q + c.len};
  double part[2] = {0, 0};
  for (int m = row.lane; m < c.len; m += 32) {
    c.q[m] = 0;
    part[0] += c.volume[m];
  }
  const double volume = warp_sum(part[0]);
  row.mean = s.singular ? 1 / volume : 0;
  __syncwarp();
  for (int k = 0; k < o.middle; k++)
    inverse_plane(c, o, row, k, k > 0, 0, 0);
  for (int k = last; k > o.middle; k--)
    inverse_plane(c, o, row, k, 0, k < last, 0);
  inverse_plane(c, o, row, o.middle, o.middle > 0, o.middle < last, 0);
  for (int k = o.middle - 1; k >= 0; k--)
    inverse_plane(c, o, row, k, 0, 1, 1);
  for (int k = o.middle + 1; k <= last; k++)
    inverse_plane(c, o, row, k, 1, 0, 1);
  for (int m = row.lane; m < c.len; m += 32)
    part[1] += c.volume[m] * c.q[m];
  const double mean = s.singular ? warp_sum(part[1]) / volume : 0;
  for (int n = row.lane; n < nodes; n += 32) {
    const int e = inverse_element(c, n);
    static_cast<double *>(s.inverse)[i * nodes + n] = c.own[e] * (c.q[e] - mean);
  }
}

/* U = A⁻¹ F, a warp a node. */
DEVICE void inverse_multiply(const cv_coarse_args &s) {
  DYNAMIC_SHARED(double, f);
  const int nx = (int)s.a.box.n[0], plane = nx * (int)s.a.box.n[1], nodes = plane * (int)s.a.box.n[2];
  for (int n = (int)threadIdx.x; n < nodes; n += (int)blockDim.x)
    f[n] = AXIS(s.f)[n % nx + n % plane / nx * s.a.box.sy + n / plane * s.a.box.sz];
  __syncthreads();
  const int lane = (int)threadIdx.x % 32, i = (int)(blockIdx.x * (blockDim.x / 32) + threadIdx.x / 32);
  if (i >= nodes)
    return;
  const double *row = static_cast<const double *>(s.inverse) + i * nodes;
  double sum = 0;
#pragma unroll 4
  for (int n = lane; n < nodes; n += 32)
    sum = fma(row[n], f[n], sum);
  sum = warp_sum(sum);
  if (lane == 0)
    static_cast<REAL *>(s.u)[i % nx + i % plane / nx * s.a.box.sy + i / plane * s.a.box.sz] = (REAL)sum;
}

#endif
