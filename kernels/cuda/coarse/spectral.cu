/* SolveCoarse on grids of even widths and constant K, by fast diagonalization (Lynch, Rice & Thomas 1964): the operator over the volume of an inner node is a sum of
   tensor products of matrices along the axes, which have the vectors of the discrete cosine and sine transforms in common. With the
   eigenvalue κ = 4 sin²(θ/2) of (-1 2 -1) along each axis, of (1 4 1)/6 it is μ = 1 - κ/6, and that of the operator is

     λ = c_x κ_x + c_y κ_y + c_z κ_z + s                                7 points
     λ = c_x κ_x μ_y μ_z + μ_x c_y κ_y μ_z + μ_x μ_y c_z κ_z + s       27 points,   c_d = k_d / h_d^2.

   Three kernels: transforms along x and y, plane by plane; along z, division by λ, and back, column by column; and back along y and x. Transforms are
   products with a matrix: on so few nodes they cost less than what is fetched and waited for. So each block asks for all that it reads before it
   waits for any of it, in fours of a row, and a thread makes many results of few values from shared memory. */
#include "../launch.h"

/* Rows of matrices and of what they are multiplied with are padded with zeros to a multiple of 4. */
DEVICE constexpr int spectral_up(int n) { return (n + 3) / 4 * 4; }

struct alignas(4 * sizeof(REAL) < 16 ? 4 * sizeof(REAL) : 16) spectral_four {
  REAL v[4];
};

/* The table of an axis of n nodes, of rows of `wide` numbers: its vectors, entry (i, m) of node i and vector m; the same transposed, (m, i); a row of
   eigenvalues κ; and one of the squares of the vectors, at walls half of them, inverted. */
struct spectral_axis {
  int n, wide;
  const REAL *forth, *back, *kappa;
};

DEVICE spectral_axis spectral_axis_of(const cv_spectral_args &a, int d) {
  const REAL *table = static_cast<const REAL *>(a.table[d]);
  const int n = (int)a.box.n[d], wide = spectral_up(n);
  return {n, wide, table, table + wide * wide, table + 2 * wide * wide};
}

enum { spectral_fours = (spectral_most + 3) / 4 * (spectral_most + 3) / spectral_threads + 1 };

/* what(b, row, column, whole) for the fours of a thread, number b of which lies at that column of `rows` rows of `count` numbers each: of the last of a row
   not all is the row's, and `whole` is false. */
template <typename What> DEVICE void spectral_each(int rows, int count, What what) {
  const int across = (count + 3) / 4, fours = rows * across;
  const float inverse = 1 / (float)across;
#pragma unroll
  for (int b = 0; b < spectral_fours; b++) {
    const int e = threadIdx.x + b * spectral_threads;
    if (e >= fours)
      continue;
    /* The quotient of small numbers: the product is off by less than half of 1/across. */
    const int row = (int)(((float)e + 0.5f) * inverse), column = 4 * (e - row * across);
    what(b, row, column, column + 4 <= count);
  }
}

/* Rows on their way to shared memory, with zeros up to a multiple of 4. */
struct spectral_rows {
  spectral_four v[spectral_fours];
};

/* Asks for them. */
DEVICE void spectral_ask(spectral_rows &r, const REAL *from, int64_t pitch, int rows, int count) {
  r = {};
  spectral_each(rows, count, [&](int b, int row, int column, bool whole) {
    const REAL *const at = from + row * pitch + column;
    if (whole) {
      r.v[b] = *reinterpret_cast<const spectral_four *>(at);
    } else {
#pragma unroll
      for (int m = 0; m < 3; m++)
        r.v[b].v[m] = column + m < count ? at[m] : (REAL)0;
    }
  });
}

/* Puts them into shared memory, one behind the other, and rows of zeros behind them up to `all`. */
DEVICE void spectral_put(REAL *to, const spectral_rows &r, int all, int count) {
  const int fours = all * ((count + 3) / 4);
#pragma unroll
  for (int b = 0; b < spectral_fours; b++) {
    const int e = threadIdx.x + b * spectral_threads;
    if (e < fours)
      reinterpret_cast<spectral_four *>(to)[e] = r.v[b];
  }
}

/* A four to a row of n, at column i. */
DEVICE void spectral_store(REAL *row, const spectral_four &v, int i, int n) {
  if (i + 4 <= n) {
    *reinterpret_cast<spectral_four *>(row + i) = v;
    return;
  }
#pragma unroll
  for (int p = 0; p < 3; p++)
    if (i + p < n)
      row[i + p] = v.v[p];
}

/* Of a product a thread makes 4 x N results: many where there are enough of them for one warp a scheduler. Up to spectral_beyond rows behind those of b are
   read. */
enum { spectral_enough = 128 };

template <int N, typename Out>
DEVICE void spectral_tiles(int fours, int columns, int depth, const REAL *a, int pitch_a, const REAL *b, int pitch_b, Out out) {
  const int tiles = fours * ((columns + N - 1) / N);
  for (int t = threadIdx.x; t < tiles; t += spectral_threads) {
    const int m = t % fours * 4, n = t / fours * N;
    spectral_four sum[N] = {};
#pragma unroll 2
    for (int k = 0; k < depth; k += 4) {
      spectral_four x[4];
#pragma unroll
      for (int l = 0; l < 4; l++)
        x[l] = *reinterpret_cast<const spectral_four *>(a + (k + l) * pitch_a + m);
#pragma unroll
      for (int q = 0; q < N; q++) {
        const spectral_four y = *reinterpret_cast<const spectral_four *>(b + (n + q) * pitch_b + k);
#pragma unroll
        for (int l = 0; l < 4; l++)
#pragma unroll
          for (int p = 0; p < 4; p++)
            sum[q].v[p] = fma(x[l].v[p], y.v[l], sum[q].v[p]);
      }
    }
#pragma unroll
    for (int q = 0; q < N; q++)
      if (n + q < columns)
        out(m, n + q, sum[q]);
  }
}

/* out(m, n, Σ_k a(k, m) b(n, k)) for n < columns and fours of m: a and b lie in shared memory, a with m fastest, b with k fastest. Their pitches are
   multiples of 4, as depth is. */
template <typename Out>
DEVICE void spectral_product(int fours, int columns, int depth, const REAL *a, int pitch_a, const REAL *b, int pitch_b, Out out) {
  if (fours * ((columns + 1) / 2) <= spectral_enough)
    spectral_tiles<2>(fours, columns, depth, a, pitch_a, b, pitch_b, out);
  else
    spectral_tiles<5>(fours, columns, depth, a, pitch_a, b, pitch_b, out);
}

/* The part of x that a block has: fours from `first` on. */
DEVICE int spectral_part(const cv_spectral_args &a, int part, int &first) {
  first = (int)(blockIdx.x * part);
  return min(part, spectral_up((int)a.box.n[0]) - first);
}

DEVICE void spectral_zeros(REAL *from, REAL *to) {
  for (REAL *at = from + threadIdx.x; at < to; at += spectral_threads)
    *at = 0;
}

/* scratch(k, q, m) = Σ_j Σ_i v_q(j) v_m(i) f(i, j, k), in rows of x padded with zeros. A block has a plane and a part of the vectors along x. */
KERNEL_BOUNDS(spectral_forth, cv_spectral_args, spectral_threads, 1) {
  DYNAMIC_SHARED(REAL, shared);
  const spectral_axis x = spectral_axis_of(a, 0), y = spectral_axis_of(a, 1);
  const int k = blockIdx.y;
  int first;
  const int count = spectral_part(a, (int)a.part[0], first);
  REAL *const plane = shared, *const vx = plane + (y.n + spectral_beyond) * x.wide, *const vy = vx + x.wide * count;
  REAL *const part = vy + (y.n + spectral_beyond) * y.wide;
  const REAL *f = static_cast<const REAL *>(a.f) + k * a.box.sz;
  spectral_rows of_f, of_x, of_y;
  spectral_ask(of_f, f, a.box.sy, y.n, x.n);
  spectral_ask(of_x, x.forth + first, x.wide, x.wide, count);
  spectral_ask(of_y, y.back, y.wide, y.n, y.wide);
  spectral_zeros(part + y.n * count, part + y.wide * count);
  spectral_put(plane, of_f, y.n, x.n);
  spectral_put(vx, of_x, x.wide, count);
  spectral_put(vy, of_y, y.n, y.wide);
  __syncthreads();
  spectral_product(count / 4, y.n, x.wide, vx, count, plane, x.wide,
                   [&](int m, int j, const spectral_four &v) { *reinterpret_cast<spectral_four *>(part + j * count + m) = v; });
  __syncthreads();
  REAL *const to = static_cast<REAL *>(a.scratch) + k * y.n * x.wide + first;
  spectral_product(count / 4, y.n, y.wide, part, count, vy, y.wide,
                   [&](int m, int q, const spectral_four &v) { *reinterpret_cast<spectral_four *>(to + q * x.wide + m) = v; });
}

/* scratch(k, q, m) = Σ_r v_r(k) / λ Σ_l v_r(l) scratch(l, q, m), over the norms. A block has a part of the vectors along x of one along y. The very first
   sum is Σ f where all vectors are constant; it goes behind the scratch. */
KERNEL_BOUNDS(spectral_along, cv_spectral_args, spectral_threads, 1) {
  DYNAMIC_SHARED(REAL, shared);
  const spectral_axis x = spectral_axis_of(a, 0), y = spectral_axis_of(a, 1), z = spectral_axis_of(a, 2);
  const int q = blockIdx.y;
  int first;
  const int count = spectral_part(a, (int)a.part[1], first);
  REAL *const column = shared, *const sum = column + z.wide * count, *const back = sum + z.wide * count;
  REAL *const forth = back + (z.n + spectral_beyond) * z.wide;
  const int64_t plane = y.n * x.wide;
  REAL *const at = static_cast<REAL *>(a.scratch) + q * x.wide + first;
  /* What the first sums are multiplied by is worked out while the rest is waited for: eigenvalues and norms are asked for first. */
  constexpr int most = spectral_up(spectral_most) * spectral_up((spectral_most + 1) / 2) / spectral_threads + 1;
  const float inverse = 1 / (float)count;
  REAL kx[most], kz[most], norm[most], norm_z[most];
#pragma unroll
  for (int b = 0; b < most; b++) {
    const int e = threadIdx.x + b * spectral_threads, r = min((int)(((float)e + 0.5f) * inverse), z.wide - 1), c = min(e - r * count, count - 1);
    kx[b] = x.kappa[first + c], norm[b] = x.kappa[x.wide + first + c];
    kz[b] = z.kappa[r], norm_z[b] = z.kappa[z.wide + r];
  }
  const REAL ky = y.kappa[q], norm_y = y.kappa[y.wide + q] / (REAL)a.volume;
  spectral_rows of_column, of_back, of_forth;
  spectral_ask(of_column, at, plane, z.n, count);
  spectral_ask(of_back, z.back, z.wide, z.n, z.wide);
  spectral_ask(of_forth, z.forth, z.wide, z.n, z.wide);
  const REAL cx = (REAL)a.c[0], cy = (REAL)a.c[1], cz = (REAL)a.c[2], mass = (REAL)a.mass;
  const REAL sixth = a.points == 27 ? (REAL)1 / 6 : (REAL)0, my = fma(-sixth, ky, (REAL)1);
#pragma unroll
  for (int b = 0; b < most; b++) {
    const int e = threadIdx.x + b * spectral_threads;
    const REAL mx = fma(-sixth, kx[b], (REAL)1), mz = fma(-sixth, kz[b], (REAL)1);
    const REAL lambda = fma(cx * kx[b], my * mz, fma(cy * ky, mx * mz, fma(cz * kz[b], mx * my, mass)));
    if (e < z.wide * count) /* norms of rows that only pad are zero */
      sum[e] = lambda > 0 ? norm[b] * norm_y * norm_z[b] / lambda : (REAL)0;
  }
  spectral_put(column, of_column, z.wide, count);
  spectral_put(back, of_back, z.n, z.wide);
  spectral_put(forth, of_forth, z.n, z.wide);
  __syncthreads();
  spectral_product(count / 4, z.n, z.wide, column, count, back, z.wide, [&](int c, int r, spectral_four v) {
    if (first + c + q + r == 0)
      static_cast<REAL *>(a.scratch)[plane * z.n] = v.v[0];
    spectral_four *const to = reinterpret_cast<spectral_four *>(sum + r * count + c);
    const spectral_four factor = *to;
#pragma unroll
    for (int p = 0; p < 4; p++)
      v.v[p] *= factor.v[p];
    *to = v;
  });
  __syncthreads();
  spectral_product(count / 4, z.n, z.wide, sum, count, forth, z.wide,
                   [&](int c, int k, const spectral_four &v) { *reinterpret_cast<spectral_four *>(at + k * plane + c) = v; });
}

/* The volume of a node over that of an inner one, along an axis. */
DEVICE REAL spectral_share(bool periodic, int n, int i) { return !periodic && (i == 0 || i == n - 1) ? (REAL)0.5 : (REAL)1; }

/* u(i, j, k) = Σ_m Σ_q v_m(i) v_q(j) scratch(k, q, m). A block has a plane and some of its rows. Where constants are in the null space f loses
   its mean. */
KERNEL_BOUNDS(spectral_back, cv_spectral_args, spectral_threads, 1) {
  DYNAMIC_SHARED(REAL, shared);
  const spectral_axis x = spectral_axis_of(a, 0), y = spectral_axis_of(a, 1);
  const int k = blockIdx.y, first = (int)(blockIdx.x * a.rows), rows = min((int)a.rows, y.n - first);
  REAL *const plane = shared, *const vy = plane + y.wide * x.wide, *const vx = vy + (rows + spectral_beyond) * y.wide;
  REAL *const part = vx + x.wide * x.wide;
  const REAL *const scratch = static_cast<const REAL *>(a.scratch);
  const int64_t at = k * a.box.sz + first * a.box.sy;
  REAL *const u = static_cast<REAL *>(a.u) + at, *const f = static_cast<REAL *>(a.f) + at;
  spectral_rows of_plane, of_x, of_y, of_f;
  REAL mean = 0;
  spectral_ask(of_plane, scratch + k * y.n * x.wide, x.wide, y.n, x.wide);
  spectral_ask(of_y, y.forth + first * y.wide, y.wide, rows, y.wide);
  spectral_ask(of_x, x.back, x.wide, x.wide, x.wide);
  if (a.mean != 0) {
    mean = (REAL)a.mean * scratch[y.n * x.wide * a.box.n[2]];
    spectral_ask(of_f, f, a.box.sy, rows, x.n);
  }
  spectral_put(plane, of_plane, y.wide, x.wide);
  spectral_put(vy, of_y, rows, y.wide);
  spectral_put(vx, of_x, x.wide, x.wide);
  __syncthreads();
  spectral_product(x.wide / 4, rows, y.wide, plane, x.wide, vy, y.wide,
                   [&](int m, int j, const spectral_four &v) { *reinterpret_cast<spectral_four *>(part + j * x.wide + m) = v; });
  if (a.mean != 0) {
    const REAL of_plane = mean * spectral_share(a.periodic[2], (int)a.box.n[2], k);
    spectral_each(rows, x.n, [&](int b, int j, int i, bool) {
      const REAL of_row = of_plane * spectral_share(a.periodic[1], y.n, first + j);
#pragma unroll
      for (int p = 0; p < 4; p++)
        of_f.v[b].v[p] = fma(-of_row, spectral_share(a.periodic[0], x.n, i + p), of_f.v[b].v[p]);
      spectral_store(f + j * a.box.sy, of_f.v[b], i, x.n);
    });
  }
  __syncthreads();
  spectral_product(x.wide / 4, rows, x.wide, vx, x.wide, part, x.wide,
                   [&](int i, int j, const spectral_four &v) { spectral_store(u + j * a.box.sy, v, i, x.n); });
}
