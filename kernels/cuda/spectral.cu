/* SolveCoarse on grids of even widths and constant K, by fast diagonalization (Lynch, Rice & Thomas 1964): the operator over the volume of an inner node is a sum of
   tensor products of matrices along the axes, which have the vectors of the discrete cosine and sine transforms in common. With the
   eigenvalue κ = 4 sin²(θ/2) of (-1 2 -1) along each axis, of (1 4 1)/6 it is μ = 1 - κ/6, and that of the operator is

     λ = c_x κ_x + c_y κ_y + c_z κ_z + s                                7 points
     λ = c_x κ_x μ_y μ_z + μ_x c_y κ_y μ_z + μ_x μ_y c_z κ_z + s       27 points,   c_d = k_d / h_d^2.

   Three kernels: transforms along x and y, plane by plane; along z, division by λ, and back, column by column; and back along y and x. Transforms are
   products with a matrix: on so few nodes they cost less than what is fetched and waited for. */
#include "launch.h"

/* Rows of matrices are padded to a multiple of this. */
enum { spectral_pad = 4 };

DEVICE int spectral_up(int n) { return (n + spectral_pad - 1) / spectral_pad * spectral_pad; }

/* The table of an axis of n nodes: its vectors, entry (i, m) of node i and vector m; the same transposed; the eigenvalues κ; and one over the sums of the
   squares of the vectors, at walls half of them. */
struct spectral_axis {
  const REAL *forth, *back, *kappa, *norm;
};

DEVICE spectral_axis spectral_axis_of(const cv_spectral_args &a, int d) {
  const REAL *table = static_cast<const REAL *>(a.table[d]);
  const int n = (int)a.box.n[d], matrix = n * spectral_up(n);
  return {table, table + matrix, table + 2 * matrix, table + 2 * matrix + n};
}

/* e / n and e % n of numbers under 2^16, as often as a thread copies: the product is off by less than half of 1/n. */
struct spectral_divisor {
  int n;
  float inverse;
};

DEVICE spectral_divisor spectral_divisor_of(int n) { return {n, 1 / (float)n}; }

DEVICE int spectral_quotient(int e, const spectral_divisor &d, int &rest) {
  const int q = (int)(((float)e + 0.5f) * d.inverse);
  rest = e - q * d.n;
  return q;
}

/* put(e, get(e)) for all e < count, by the whole block. A thread asks for several values before it waits for the first. */
template <typename Get, typename Put> DEVICE void spectral_copy(int count, Get get, Put put) {
  constexpr int batch = 8;
  for (int first = threadIdx.x; first < count; first += batch * (int)blockDim.x) {
    REAL v[batch];
#pragma unroll
    for (int b = 0; b < batch; b++) {
      const int e = first + b * (int)blockDim.x;
      v[b] = e < count ? get(e) : (REAL)0;
    }
#pragma unroll
    for (int b = 0; b < batch; b++) {
      const int e = first + b * (int)blockDim.x;
      if (e < count)
        put(e, v[b]);
    }
  }
}

/* Columns of a matrix of n rows, `count` from `first` on, to shared memory. The whole block copies. */
DEVICE void spectral_matrix(REAL *to, int pitch, const REAL *from, int n, int first, int count) {
  const int wide = spectral_up(n);
  const spectral_divisor by = spectral_divisor_of(pitch);
  spectral_copy(
      n * pitch,
      [&](int e) {
        int column;
        const int row = spectral_quotient(e, by, column);
        return column < count ? from[row * wide + first + column] : (REAL)0;
      },
      [&](int e, REAL v) { to[e] = v; });
}

struct alignas(4 * sizeof(REAL) < 16 ? 4 * sizeof(REAL) : 16) spectral_four {
  REAL v[4];
};
struct alignas(2 * sizeof(REAL)) spectral_two {
  REAL v[2];
};

/* out(m, n, Σ_k a(k, m) b(k, n)) for m < rows and n < columns: a and b lie in shared memory with m and n fastest, their pitches are multiples of 4. A
   thread makes 4 x 2 results. */
template <typename Out>
DEVICE void spectral_product(int rows, int columns, int depth, const REAL *a, int pitch_a, const REAL *b, int pitch_b, Out out) {
  const int across = (rows + 3) / 4, tiles = across * ((columns + 1) / 2);
  for (int t = threadIdx.x; t < tiles; t += blockDim.x) {
    const int m = t % across * 4, n = t / across * 2;
    REAL sum[2][4] = {};
#pragma unroll 8
    for (int k = 0; k < depth; k++) {
      const spectral_four x = *reinterpret_cast<const spectral_four *>(a + k * pitch_a + m);
      const spectral_two y = *reinterpret_cast<const spectral_two *>(b + k * pitch_b + n);
#pragma unroll
      for (int p = 0; p < 4; p++) {
        sum[0][p] = fma(x.v[p], y.v[0], sum[0][p]);
        sum[1][p] = fma(x.v[p], y.v[1], sum[1][p]);
      }
    }
#pragma unroll
    for (int q = 0; q < 2; q++)
#pragma unroll
      for (int p = 0; p < 4; p++)
        if (m + p < rows && n + q < columns)
          out(m + p, n + q, sum[q][p]);
  }
}

/* The part of an axis that a block has of two: nodes or vectors from `first` on. */
DEVICE int spectral_part(int n, int &first) {
  const int half = spectral_up((n + 1) / 2);
  first = (int)blockIdx.x * half;
  return min(half, n - first);
}

/* scratch(k, q, m) = Σ_j Σ_i v_q(j) v_m(i) f(i, j, k). A block has a plane and half of the vectors along x. */
KERNEL_BOUNDS(spectral_forth, cv_spectral_args, 512, 1) {
  DYNAMIC_SHARED(REAL, shared);
  const int nx = (int)a.box.n[0], ny = (int)a.box.n[1], k = blockIdx.y;
  int first;
  const int count = spectral_part(nx, first), pitch = spectral_up(count), wide = spectral_up(ny);
  REAL *const vx = shared, *const vy = vx + nx * pitch, *const plane = vy + ny * wide, *const part = plane + nx * wide;
  const REAL *f = static_cast<const REAL *>(a.f) + k * a.box.sz;
  const spectral_divisor by = spectral_divisor_of(nx);
  spectral_copy(
      nx * ny,
      [&](int e) {
        int i;
        const int j = spectral_quotient(e, by, i);
        return f[i + j * a.box.sy];
      },
      [&](int e, REAL v) {
        int i;
        const int j = spectral_quotient(e, by, i);
        plane[i * wide + j] = v;
      });
  spectral_matrix(vx, pitch, spectral_axis_of(a, 0).forth, nx, first, count);
  spectral_matrix(vy, wide, spectral_axis_of(a, 1).forth, ny, 0, ny);
  __syncthreads();
  spectral_product(count, ny, nx, vx, pitch, plane, wide, [&](int m, int j, REAL v) { part[j * pitch + m] = v; });
  __syncthreads();
  REAL *to = static_cast<REAL *>(a.scratch) + k * nx * ny + first;
  spectral_product(count, ny, ny, part, pitch, vy, wide, [&](int m, int q, REAL v) { to[q * nx + m] = v; });
}

enum { spectral_columns = 32 };

/* scratch(k, q, m) = Σ_r v_r(k) / λ Σ_l v_r(l) scratch(l, q, m), over the norms. A block has 32 columns. The very first sum is Σ f where all
   vectors are constant; it goes behind the scratch. */
KERNEL_BOUNDS(spectral_along, cv_spectral_args, 512, 1) {
  DYNAMIC_SHARED(REAL, shared);
  const int nx = (int)a.box.n[0], ny = (int)a.box.n[1], nz = (int)a.box.n[2], plane = nx * ny;
  const int first = (int)blockIdx.x * spectral_columns, count = min((int)spectral_columns, plane - first), wide = spectral_up(nz);
  const spectral_axis ax = spectral_axis_of(a, 0), ay = spectral_axis_of(a, 1), az = spectral_axis_of(a, 2);
  REAL *const forth = shared, *const back = forth + nz * wide, *const column = back + nz * wide;
  REAL *const sum = column + nz * spectral_columns;
  REAL *const at = static_cast<REAL *>(a.scratch) + first;
  const spectral_divisor by = spectral_divisor_of(nx);
  spectral_copy(
      nz * spectral_columns,
      [&](int e) {
        const int c = e % spectral_columns;
        return c < count ? at[e / spectral_columns * plane + c] : (REAL)0;
      },
      [&](int e, REAL v) { column[e] = v; });
  spectral_matrix(forth, wide, az.forth, nz, 0, nz);
  spectral_matrix(back, wide, az.back, nz, 0, nz);
  __syncthreads();
  spectral_product(spectral_columns, nz, nz, column, spectral_columns, forth, wide, [&](int c, int r, REAL v) {
    int m;
    const int q = spectral_quotient(first + c, by, m);
    if (first + c == 0 && r == 0)
      static_cast<REAL *>(a.scratch)[plane * nz] = v;
    if (q >= ny) {
      sum[r * spectral_columns + c] = 0;
      return;
    }
    const REAL x = ax.kappa[m], y = ay.kappa[q], z = az.kappa[r];
    const REAL cx = (REAL)a.c[0], cy = (REAL)a.c[1], cz = (REAL)a.c[2];
    REAL lambda = fma(cx, x, fma(cy, y, fma(cz, z, (REAL)a.mass)));
    if (a.points == 27) {
      const REAL mx = 1 - x / 6, my = 1 - y / 6, mz = 1 - z / 6;
      lambda = fma(cx * x, my * mz, fma(cy * y, mx * mz, fma(cz * z, mx * my, (REAL)a.mass)));
    }
    const REAL norm = ax.norm[m] * ay.norm[q] * az.norm[r] / (REAL)a.volume;
    sum[r * spectral_columns + c] = lambda > 0 ? v * norm / lambda : (REAL)0;
  });
  __syncthreads();
  spectral_product(spectral_columns, nz, nz, sum, spectral_columns, back, wide, [&](int c, int k, REAL v) {
    if (c < count)
      at[k * plane + c] = v;
  });
}

/* The volume of a node over that of an inner one, along an axis. */
DEVICE REAL spectral_share(bool periodic, int n, int i) { return !periodic && (i == 0 || i == n - 1) ? (REAL)0.5 : (REAL)1; }

/* u(i, j, k) = Σ_m Σ_q v_m(i) v_q(j) scratch(k, q, m). A block has a plane and half of its rows. Where constants are in the null space f loses
   its mean. */
KERNEL_BOUNDS(spectral_back, cv_spectral_args, 512, 1) {
  DYNAMIC_SHARED(REAL, shared);
  const int nx = (int)a.box.n[0], ny = (int)a.box.n[1], nz = (int)a.box.n[2], k = blockIdx.y;
  int first;
  const int count = spectral_part(ny, first), pitch = spectral_up(count), wide = spectral_up(nx);
  REAL *const vy = shared, *const vx = vy + ny * pitch, *const plane = vx + nx * wide, *const part = plane + ny * wide;
  const REAL *from = static_cast<const REAL *>(a.scratch) + k * nx * ny;
  const spectral_divisor by = spectral_divisor_of(nx);
  spectral_copy(
      nx * ny, [&](int e) { return from[e]; },
      [&](int e, REAL v) {
        int m;
        const int q = spectral_quotient(e, by, m);
        plane[q * wide + m] = v;
      });
  spectral_matrix(vy, pitch, spectral_axis_of(a, 1).back, ny, first, count);
  spectral_matrix(vx, wide, spectral_axis_of(a, 0).back, nx, 0, nx);
  __syncthreads();
  spectral_product(count, nx, ny, vy, pitch, plane, wide, [&](int j, int m, REAL v) { part[m * pitch + j] = v; });
  __syncthreads();
  const int64_t at = k * a.box.sz + first * a.box.sy;
  REAL *u = static_cast<REAL *>(a.u) + at;
  spectral_product(nx, count, nx, vx, wide, part, pitch, [&](int i, int j, REAL v) { u[i + j * a.box.sy] = v; });
  if (!a.singular)
    return;
  double total = 1;
  for (int d = 0; d < 3; d++)
    total *= (double)a.box.n[d] - (a.periodic[d] ? 0 : 1);
  const REAL mean = (REAL)(static_cast<const REAL *>(a.scratch)[nx * ny * nz] / total);
  REAL *f = static_cast<REAL *>(a.f) + at;
  for (int e = threadIdx.x; e < nx * count; e += blockDim.x) {
    const int i = e % nx, j = e / nx;
    const REAL share = spectral_share(a.periodic[0], nx, i) * spectral_share(a.periodic[1], ny, first + j) *
                       spectral_share(a.periodic[2], nz, k);
    f[i + j * a.box.sy] -= share * mean;
  }
}
