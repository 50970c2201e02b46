/* SolveFactored: elimination of planes of nodes, exact but for rounding, in place of conjugate gradients. With A_kk what couples the nodes of plane k,
   and C_k what couples them to those of plane k + 1, the planes are eliminated from both ends at once,

     S_0 = A_00,  S_k = A_kk - C_{k-1}ᵀ S_{k-1}⁻¹ C_{k-1} from below, the same from above, and both in the middle plane,

   and kept as inverses, by which a right side is solved forth and back. Half of the threads, a side, work from below, half from above. Nodes that are
   fixed, and those whose pivot is nothing but rounding (the last of a singular problem), stay zero. */
#ifndef CONVECT_PLANES_H
#define CONVECT_PLANES_H

#include "grid.cuh"

struct coarse_planes {
  int along, planes, middle, nodes, wide; /* axis; nodes of a plane, and along the first axis in it */
  int step, across[2], first;             /* between elements of an array: planes, nodes of a plane; node 0 of plane 0 */
  int periodic[2], side, thread, threads; /* in a plane; of the thread: 0 from below or 1 from above, its number there, and of how many */
  double *inverse;                        /* a matrix of nodes x nodes for each plane */
};

/* Of each side, over the nodes of its plane: two rows of the pivot in turn, and the pivot; 1/√D; a right side; what couples a node to nine of the
   plane that was eliminated before, and their numbers. */
struct coarse_rows {
  double row[2][plane_most], pivot[2], scale[plane_most], v[plane_most], coupling[9][plane_most];
  int coupled[9][plane_most];
};
static_assert(2 * sizeof(coarse_rows) + 2 * 3 * 32 * sizeof(double) <= coarse_fixed, "Go reserves too little");

DEVICE coarse_rows &coarse_side(int side) {
  __shared__ coarse_rows rows[2];
  return rows[side];
}

template <int couplings> DEVICE coarse_planes coarse_planes_of(const coarse_grid<couplings> &c, const cv_coarse_args &s) {
  coarse_planes o;
  o.along = (int)s.along;
  const int x = o.along == 0 ? 1 : 0, y = o.along == 2 ? 1 : 2, strides[3] = {1, c.sy, c.sz};
  for (int d = 0; d < 3; d++) {
    if (d == o.along)
      o.step = strides[d], o.planes = c.n[d];
    if (d == x)
      o.across[0] = strides[d], o.wide = c.n[d], o.periodic[0] = (int)s.periodic[d];
    if (d == y)
      o.across[1] = strides[d], o.nodes = c.n[d], o.periodic[1] = (int)s.periodic[d];
  }
  o.nodes *= o.wide;
  o.middle = o.planes / 2;
  o.first = 1 + c.sy + c.sz;
  o.threads = (int)blockDim.x / 2;
  o.side = (int)threadIdx.x >= o.threads;
  o.thread = (int)threadIdx.x % o.threads;
  DYNAMIC_SHARED(double, shared);
  o.inverse = s.planes ? static_cast<double *>(s.planes) : shared + (s.scratch ? 0 : (couplings + 8) * c.len);
  return o;
}

/* The plane that a side eliminates in a stage, and whether it does: the one from below ends with the middle. */
DEVICE int stage_plane(const coarse_planes &o, int stage) { return o.side ? o.planes - 1 - stage : stage; }
DEVICE int stage_works(const coarse_planes &o, int stage) { return !o.side || stage_plane(o, stage) > o.middle; }

DEVICE int plane_element(const coarse_planes &o, int k, int i) {
  return o.first + k * o.step + i % o.wide * o.across[0] + i / o.wide * o.across[1];
}

DEVICE double *plane_inverse(const coarse_planes &o, int k) { return o.inverse + k * o.nodes * o.nodes; }

/* What couples node i of plane k to the one of plane k + toward that is p and q further along the axes of the plane, if both are free: its number
   is j. */
template <int couplings>
DEVICE double plane_coupling(const coarse_grid<couplings> &c, const coarse_planes &o, int k, int toward, int i, int p, int q, int &j) {
  const int deep = o.nodes / o.wide, a = i % o.wide, b = i / o.wide;
  int to[2] = {a + p, b + q};
  j = i;
  if ((p == 0 && q == 0 && toward == 0) || (couplings == 3 && (p != 0) + (q != 0) + (toward != 0) != 1))
    return 0;
  if (o.periodic[0])
    to[0] += to[0] < 0 ? o.wide : to[0] < o.wide ? 0 : -o.wide;
  if (o.periodic[1])
    to[1] += to[1] < 0 ? deep : to[1] < deep ? 0 : -deep;
  if (to[0] < 0 || to[0] >= o.wide || to[1] < 0 || to[1] >= deep)
    return 0;
  const int e = o.first + k * o.step, own = e + a * o.across[0] + b * o.across[1];
  if (c.own[own] == 0 || c.own[e + toward * o.step + to[0] * o.across[0] + to[1] * o.across[1]] == 0)
    return 0;
  j = to[0] + to[1] * o.wide;
  const int x = o.along == 0 ? toward : p, y = o.along == 1 ? toward : o.along == 0 ? p : q, z = o.along == 2 ? toward : q;
  const int number = x + 3 * y + 9 * z, l = couplings == 3 ? (x ? 0 : y ? 1 : 2) : (number > 0 ? number : -number) - 1;
  return c.g[l * c.len + own + (number > 0 ? 0 : x + y * c.sy + z * c.sz)];
}

/* The elements of a matrix that a thread has. */
struct plane_tile {
  int row, column; /* its first; none of the plane where there are more threads than tiles */
  double v[tile_rows][tile_columns];
};

#define TILE_ELEMENTS(r, l)                   \
  _Pragma("unroll") for (int r = 0; r < tile_rows; r++) \
  _Pragma("unroll") for (int l = 0; l < tile_columns; l++)

/* Begins plane k with A_kk. */
template <int couplings>
DEVICE void tile_begin(const coarse_grid<couplings> &c, const coarse_planes &o, int k, int works, plane_tile &t) {
  const int m = o.nodes, i = o.thread;
  double *matrix = plane_inverse(o, k);
  for (int n = o.thread; works && n < m * m; n += o.threads)
    matrix[n] = 0;
  __syncthreads();
  if (works && i < m) {
    const int e = plane_element(o, k, i);
    coarse_side(o.side).scale[i] = sqrt(c.inverse[e]);
    matrix[i * m + i] = c.own[e] * c.q[e];
#pragma unroll
    for (int n = 0; n < 9; n++) {
      int j;
      const double g = plane_coupling(c, o, k, 0, i, n % 3 - 1, n / 3 - 1, j);
      matrix[i * m + j] -= g;
    }
  }
  __syncthreads();
  TILE_ELEMENTS(r, l)
    t.v[r][l] = t.row + r < m && t.column + l < m ? matrix[(t.row + r) * m + t.column + l] : 0;
}

/* Takes what plane k + toward, which has been eliminated, adds to the tiles of plane k. */
template <int couplings>
DEVICE void tile_eliminate(const coarse_grid<couplings> &c, const coarse_planes &o, int k, int toward, int works, plane_tile &t) {
  const int m = o.nodes, few = couplings == 3;
  coarse_rows &rows = coarse_side(o.side);
  double *product = plane_inverse(o, k); /* S⁻¹ C */
  const double *inverse = plane_inverse(o, k + toward);
  for (int n = (few ? 4 * m : 0) + o.thread; works && n < (few ? 5 : 9) * m; n += o.threads) {
    const int to = n / m, i = n % m;
    rows.coupling[to][i] = plane_coupling(c, o, k, toward, i, to % 3 - 1, to / 3 - 1, rows.coupled[to][i]);
  }
  __syncthreads();
  for (int n = o.thread; works && !few && n < m * m; n += o.threads) {
    const int j = n % m;
    double sum = 0;
#pragma unroll
    for (int to = 0; to < 9; to++)
      sum = fma(rows.coupling[to][j], inverse[n - j + rows.coupled[to][j]], sum);
    product[n] = sum;
  }
  if (!few)
    __syncthreads();
  if (works) {
    TILE_ELEMENTS(r, l) {
      const int i = t.row + r, j = t.column + l;
      if (i >= m || j >= m)
        continue;
      if (few) {
        t.v[r][l] -= rows.coupling[4][i] * inverse[i * m + j] * rows.coupling[4][j];
        continue;
      }
#pragma unroll
      for (int to = 0; to < 9; to++)
        t.v[r][l] = fma(-rows.coupling[to][i], product[rows.coupled[to][i] * m + j], t.v[r][l]);
    }
  }
  __syncthreads(); /* for what is written next */
}

/* Inverts the matrix in the tiles of a side, of unit diagonal before anything was eliminated, by exchange of one unknown after the other. Element i of
   the pivot's column is that of its row, or less that where i has been exchanged before. With p the pivot, v_i of its row and v'_i of its column,

     a_ij - v'_i/p v_j,  v_j/p in the row,  -v'_i/p in the column,  1/p

   are all a_ij - f_i w_j with f_i = v'_i/p, but 1 - 1/p in the row, and w_j = v_j, but p + 1 in the column. p is at most 1, so that nothing is lost. */
DEVICE void tile_invert(const coarse_planes &o, plane_tile &t) {
  const double rounding = 1e-13;
  coarse_rows &rows = coarse_side(o.side);
  for (int k = 0; k < o.nodes; k++) {
    double *row = rows.row[k % 2];
#pragma unroll
    for (int r = 0; r < tile_rows; r++)
      if (t.row + r == k)
#pragma unroll
        for (int l = 0; l < tile_columns; l++) {
          const int pivot = t.column + l == k;
          row[t.column + l] = pivot ? t.v[r][l] + 1 : t.v[r][l];
          if (pivot)
            rows.pivot[k % 2] = t.v[r][l];
        }
    __syncthreads();
    if (t.row >= o.nodes)
      continue;
    double factor[tile_rows], w[tile_columns];
#pragma unroll
    for (int r = 0; r < tile_rows; r++)
      factor[r] = row[t.row + r];
#pragma unroll
    for (int l = 0; l < tile_columns; l++)
      w[l] = row[t.column + l];
    const double p = rows.pivot[k % 2], inverse = p > rounding ? 1 / p : 0;
#pragma unroll
    for (int r = 0; r < tile_rows; r++)
      factor[r] = t.row + r == k ? 1 - inverse : (t.row + r < k ? -inverse : inverse) * factor[r];
    TILE_ELEMENTS(r, l)
      t.v[r][l] = fma(-factor[r], w[l], t.v[r][l]);
  }
}

/* Sets the inverses of all planes. */
template <int couplings>
DEVICE void planes_factor(const coarse_grid<couplings> &c, const coarse_planes &o, const cv_coarse_args &s) {
  const int m = o.nodes, tiles = (m + tile_columns - 1) / tile_columns;
  double *scale = coarse_side(o.side).scale;
  for (int stage = 0; stage <= o.middle; stage++) {
    const int last = stage == o.middle, k = stage_plane(o, stage), works = stage_works(o, stage);
    plane_tile t = {works ? o.thread / tiles * tile_rows : m, o.thread % tiles * tile_columns, {}};
    tile_begin(c, o, k, works, t);
    if (stage > 0)
      tile_eliminate(c, o, k, o.side ? 1 : -1, works, t);
    if (last && o.middle + 1 < o.planes)
      tile_eliminate(c, o, k, 1, works, t);
    if (last && s.singular && o.thread == 0)
      scale[m - 1] = 0;
    __syncthreads();
    TILE_ELEMENTS(r, l)
      if (t.row + r < m && t.column + l < m)
        t.v[r][l] *= scale[t.row + r] * scale[t.column + l];
    tile_invert(o, t);
    double *inverse = plane_inverse(o, k);
    TILE_ELEMENTS(r, l)
      if (t.row + r < m && t.column + l < m)
        inverse[(t.row + r) * m + t.column + l] = scale[t.row + r] * scale[t.column + l] * t.v[r][l];
    __syncthreads();
  }
}

/* The inverses at work: made, or those that were kept. */
template <int couplings>
DEVICE void planes_ready(const coarse_grid<couplings> &c, const coarse_planes &o, const cv_coarse_args &s) {
  double *kept = static_cast<double *>(s.kept), *from = kept, *to = o.inverse;
  if (s.renew) {
    planes_factor(c, o, s);
    from = o.inverse, to = kept;
  }
  if (kept && from != to)
    for (int n = threadIdx.x; n < o.planes * o.nodes * o.nodes; n += blockDim.x)
      to[n] = from[n];
  __syncthreads();
}

/* q = S⁻¹ v of a node of plane k, a row of its inverse, or what it had and that. Several threads share a row. */
DEVICE void plane_product(const coarse_planes &o, const double *inverse, int row, int lanes, int works, int back, double &q) {
  const double *v = coarse_side(o.side).v;
  const int lane = o.thread % lanes, m = works && row < o.nodes ? o.nodes : 0;
  double sum = 0;
  for (int j = lane; j < m; j += lanes)
    sum = fma(inverse[row * o.nodes + j], v[j], sum);
  for (int n = lanes / 2; n > 0; n /= 2)
    sum += __shfl_xor_sync(0xffffffff, sum, n);
  if (m > 0 && lane == 0)
    q = back ? q + sum : sum;
  __syncthreads();
}

/* What plane k + toward adds to the right side of node i, element e, of plane k. */
template <int couplings>
DEVICE double plane_coupled(const coarse_grid<couplings> &c, const coarse_planes &o, int k, int toward, int i, int e) {
  if (couplings == 3) /* to one node; where either is fixed, q or the matrix is zero */
    return c.g[o.along * c.len + (toward > 0 ? e : e - o.step)] * c.q[e + toward * o.step];
  double sum = 0;
  for (int to = 0; to < 9; to++) {
    int j;
    const double g = plane_coupling(c, o, k, toward, i, to % 3 - 1, to / 3 - 1, j);
    sum += g * c.q[plane_element(o, k + toward, j)];
  }
  return sum;
}

/* u += A⁻¹ r. */
template <int couplings> DEVICE void planes_solve(const coarse_grid<couplings> &c, const coarse_planes &o) {
  double *v = coarse_side(o.side).v;
  int lanes = 16;
  while (lanes * o.nodes > o.threads)
    lanes /= 2;
  const int i = o.thread, row = i / lanes, place = plane_element(o, 0, i), place_row = plane_element(o, 0, row);
  for (int n = 0; n <= 2 * o.middle; n++) {
    const int back = n > o.middle, stage = back ? 2 * o.middle - n : n, k = stage_plane(o, stage), works = stage_works(o, stage);
    if (works && i < o.nodes) {
      const int e = place + k * o.step;
      double sum = back ? 0 : c.r[e];
      for (int toward = -1; toward <= 1; toward += 2) { /* from where it comes: the middle is reached from both sides */
        const int behind = stage == o.middle || toward == (o.side ? 1 : -1);
        if (behind != back && k + toward >= 0 && k + toward < o.planes)
          sum += plane_coupled(c, o, k, toward, i, e);
      }
      v[i] = sum;
    }
    __syncthreads();
    plane_product(o, plane_inverse(o, k), row, lanes, works, back, c.q[place_row + k * o.step]);
  }
  COARSE_ELEMENTS(c, m)
    c.u[m] += c.own[m] * c.q[m];
}

#endif
