/* SolveCoarse by fast diagonalization (spectral.cu) where both ends of each axis are alike: then every vector is its own mirror image, or that with the other sign.
   Sums and differences of a node and its mirror image are each transformed by half of the vectors over half of the nodes, which halves the arithmetic. Of
   an axis those vectors that are their own image are even, the others odd; the node in the middle, if there is one, is half of a pair.

   Three kernels, as there. A block has a plane, and of its four quarters, even and odd along two axes, a quarter of its warps each, which hold all results of a product
   at once. What a block reads is asked for at once, and the second matrix goes to shared memory behind the first product, in place of the first. All rows have the same length,
   so that no address is worked out twice, and lie so that what a warp reads of four of them is in different banks. */
#include "tensor.cuh"

/* Shared memory has no room for what a block has of double. */
#define FLOAT_ALONE_f32 1
#if LAUNCH_JOIN(FLOAT_ALONE, TYPE)

struct alignas(4 * sizeof(REAL) < 16 ? 4 * sizeof(REAL) : 16) fold_four {
  REAL v[4];
};

struct alignas(2 * sizeof(REAL)) fold_two {
  REAL v[2];
};

/* A warp's part of a quarter: products of tensor.cuh above and beside each other. */
enum { fold_tall = 2, fold_beside = 4, fold_lines = fold_tall * tensor_rows, fold_columns = fold_beside * tensor_columns };

enum { fold_quarter = fold_wide * fold_row };

/* The table of an axis: vectors of even nodes, (i, m), and of odd ones, each of `even` rows; the same transposed, (m, i); rows of
   eigenvalues κ of even and of odd vectors; and the same of the squares of the vectors, at walls half of them, inverted. `count` nodes from `first` on are not fixed. */
struct fold_axis {
  int n, first, count, even;
  const REAL *forth, *back, *kappa, *norm;
};

DEVICE fold_axis fold_axis_of(const cv_spectral_args &a, int d) {
  fold_axis x;
  x.n = (int)a.box.n[d], x.first = (int)a.first[d], x.count = x.n - 2 * x.first, x.even = (x.count + 1) / 2;
  x.forth = static_cast<const REAL *>(a.table[d]), x.back = x.forth + 2 * x.even * fold_wide;
  x.kappa = x.back + 2 * x.even * fold_wide, x.norm = x.kappa + 2 * fold_wide;
  return x;
}

DEVICE int fold_vectors(const fold_axis &x, int odd) { return odd ? x.count / 2 : x.even; }

/* A thread's place: its quarter, by the halves of lines and columns; the first line and the first column of its warp; and its first result there. */
struct fold_place {
  int of_line, of_column, warp_line, warp_column, line, column;
};

DEVICE fold_place fold_place_of() {
  constexpr int beside = fold_wide / fold_columns, warps = beside * (fold_wide / fold_lines);
  static_assert(4 * warps * 32 == fold_threads, "a warp for each part of a quarter");
  const int lane = (int)threadIdx.x % 32, warp = (int)threadIdx.x / 32, part = warp / warps;
  const int line = warp % warps / beside * fold_lines, column = warp % beside * fold_columns;
  return {part / 2, part % 2, line, column, line + lane / 4, column + lane % 4 * 2};
}

/* Results of a thread: of product h above and n beside, c as in tensor.cuh. */
struct fold_sums {
  REAL v[fold_tall][fold_beside][4];
};

/* How many terms of so many are multiplied at once: those that are not there are zero. */
DEVICE int fold_terms(int vectors) { return (vectors + tensor_terms - 1) / tensor_terms * tensor_terms; }

/* sums(line, column) = Σ_k a(k, line) b(k, column), of rows in shared memory. */
DEVICE void fold_product(fold_sums &sums, const fold_place &p, int vectors, const REAL *a, const REAL *b) {
  const int lane = (int)threadIdx.x % 32, terms = fold_terms(vectors);
  sums = {};
  a += lane % 4 * fold_row + p.warp_line + lane / 4, b += lane % 4 * fold_row + p.warp_column + lane / 4;
#pragma unroll 2
  for (int k = 0; k < terms; k += tensor_terms, a += tensor_terms * fold_row, b += tensor_terms * fold_row) {
    tensor_number<REAL> of_a[fold_tall][4], of_b[fold_beside][2];
#pragma unroll
    for (int h = 0; h < fold_tall; h++)
#pragma unroll
      for (int c = 0; c < 4; c++)
        of_a[h][c] = tensor_operand(a[c / 2 * 4 * fold_row + h * tensor_rows + c % 2 * 8]);
#pragma unroll
    for (int n = 0; n < fold_beside; n++)
#pragma unroll
      for (int c = 0; c < 2; c++)
        of_b[n][c] = tensor_operand(b[c * 4 * fold_row + n * tensor_columns]);
#pragma unroll
    for (int part = 0; part < tensor_parts; part++)
#pragma unroll
      for (int n = 0; n < fold_beside; n++)
#pragma unroll
        for (int h = 0; h < fold_tall; h++)
          tensor_add(part, sums.v[h][n], of_a[h], of_b[n]);
  }
}

/* Writes the first `lines` lines of a product to rows of `pitch` numbers. */
DEVICE void fold_store(REAL *to, int pitch, const fold_sums &sums, const fold_place &p, int lines) {
#pragma unroll
  for (int h = 0; h < fold_tall; h++)
#pragma unroll
    for (int c = 0; c < 4; c += 2) {
      const int line = p.line + h * tensor_rows + c / 2 * 8;
      if (line < lines)
#pragma unroll
        for (int n = 0; n < fold_beside; n++)
          *reinterpret_cast<fold_two *>(to + line * pitch + p.column + n * tensor_columns) = {sums.v[h][n][c], sums.v[h][n][c + 1]};
    }
}

/* Two matrices, those of even and of odd vectors, on their way to shared memory: rows that are not there are zero. */
enum { fold_fours = 2 * fold_wide * fold_wide / 4 / fold_threads };
struct fold_matrices {
  fold_four v[fold_fours];
};

DEVICE void fold_ask(fold_matrices &m, const REAL *from, int even) {
#pragma unroll
  for (int b = 0; b < fold_fours; b++) {
    const int e = 4 * ((int)threadIdx.x + b * fold_threads), odd = e / (fold_wide * fold_wide), row = e / fold_wide % fold_wide;
    m.v[b] = {};
    if (row < even)
      m.v[b] = *reinterpret_cast<const fold_four *>(from + (odd * even + row) * fold_wide + e % fold_wide);
  }
}

DEVICE void fold_put(REAL *to, const fold_matrices &m) {
#pragma unroll
  for (int b = 0; b < fold_fours; b++) {
    const int e = 4 * ((int)threadIdx.x + b * fold_threads);
    *reinterpret_cast<fold_four *>(to + e / fold_wide * fold_row + e % fold_wide) = m.v[b];
  }
}

/* A row of scratch: even vectors of x, then odd ones. Rows of a plane are even vectors of y, then odd ones. A thread has a four of some rows. */
enum { fold_pitch = 2 * fold_wide, fold_step = fold_threads / (fold_pitch / 4) };

/* Where the thread's four lies in the quarters of its columns. */
DEVICE int fold_column_of(int m) { return m < fold_wide ? m : fold_quarter + m - fold_wide; }

/* scratch(k, q, m) = Σ_j Σ_i v_q(j) v_m(i) f(i, j, k). A block has a plane. */
KERNEL_BOUNDS(fold_forth, cv_spectral_args, fold_threads, 1) {
  DYNAMIC_SHARED(REAL, shared);
  const fold_axis x = fold_axis_of(a, 0), y = fold_axis_of(a, 1), z = fold_axis_of(a, 2);
  REAL *const matrices = shared + 4 * fold_quarter;
  const int k = (int)blockIdx.x, sy = (int)a.box.sy, i = (int)threadIdx.x % fold_wide, j0 = (int)threadIdx.x / fold_wide;
  constexpr int step = fold_threads / fold_wide, share = fold_wide / step;
  const REAL *const f = static_cast<const REAL *>(a.f) + (z.first + k) * a.box.sz + y.first * sy + x.first;
  /* A node, its mirror images along x and along y, and along both. The middle is its own, and counts once. */
  REAL four[share][4];
#pragma unroll
  for (int b = 0; b < share; b++) {
    const int j = j0 + b * step;
    four[b][0] = four[b][1] = four[b][2] = four[b][3] = 0;
    if (j < y.even && i < x.even) {
      const REAL *const row = f + j * sy, *const other = f + (y.count - 1 - j) * sy;
      four[b][0] = row[i], four[b][1] = row[x.count - 1 - i], four[b][2] = other[i], four[b][3] = other[x.count - 1 - i];
    }
  }
  fold_matrices of_x, of_y;
  fold_ask(of_y, y.forth, y.even);
  fold_ask(of_x, x.forth, x.even);
  const REAL whole_x = 2 * i == x.count - 1 ? (REAL)0 : (REAL)1;
#pragma unroll
  for (int b = 0; b < share; b++) {
    const int j = j0 + b * step;
    const REAL whole_y = 2 * j == y.count - 1 ? (REAL)0 : (REAL)1;
    const REAL high = whole_x * four[b][1], high_other = whole_x * four[b][3];
    const REAL sum = four[b][0] + high, difference = four[b][0] - high;
    const REAL sum_other = whole_y * (four[b][2] + high_other), difference_other = whole_y * (four[b][2] - high_other);
    REAL *const to = shared + j * fold_row + i;
    to[0] = sum + sum_other, to[fold_quarter] = difference + difference_other;
    to[2 * fold_quarter] = sum - sum_other, to[3 * fold_quarter] = difference - difference_other;
  }
  fold_put(matrices, of_y);
  __syncthreads();
  fold_sums sums; /* lines are nodes of x, then vectors of y */
  const fold_place p = fold_place_of();
  REAL *const own = shared + (2 * p.of_line + p.of_column) * fold_quarter;
  fold_product(sums, p, fold_vectors(y, p.of_line), own, matrices + p.of_line * fold_quarter);
  __syncthreads();
  fold_put(matrices, of_x);
  fold_store(own, fold_row, sums, p, fold_wide);
  __syncthreads();
  fold_product(sums, p, fold_vectors(x, p.of_column), own, matrices + p.of_column * fold_quarter);
  REAL *const to = static_cast<REAL *>(a.scratch) + (k * y.count + p.of_line * y.even) * (int64_t)fold_pitch + p.of_column * fold_wide;
  fold_store(to, fold_pitch, sums, p, fold_vectors(y, p.of_line));
}

/* 1/λ but for the last bit, 0 of what is not positive. */
DEVICE REAL fold_inverse(REAL lambda) {
  REAL r;
#ifdef __CUDACC__
  if (sizeof(REAL) == 4) {
    float s;
    asm("rcp.approx.ftz.f32 %0, %1;" : "=f"(s) : "f"((float)lambda));
    r = (REAL)s;
  } else {
    r = 1 / lambda;
  }
#else
  r = 1 / lambda;
#endif
  return lambda > 0 ? r : (REAL)0;
}

/* Divides what a product along z has made of vector q along y by λ, and by the norms. */
DEVICE void fold_divide(fold_sums &sums, const fold_place &p, const cv_spectral_args &a, int q) {
  const fold_axis x = fold_axis_of(a, 0), y = fold_axis_of(a, 1), z = fold_axis_of(a, 2);
  const REAL cx = (REAL)a.c[0], cy = (REAL)a.c[1], cz = (REAL)a.c[2], mass = (REAL)a.mass;
  const REAL sixth = a.points == 27 ? (REAL)1 / 6 : (REAL)0, ky = y.kappa[q], my = fma(-sixth, ky, (REAL)1), norm_y = y.norm[q] / (REAL)a.volume;
  const REAL *const of_x = x.kappa + p.of_column * fold_wide + p.column, *const of_z = z.kappa + p.of_line * fold_wide + p.line;
#pragma unroll
  for (int n = 0; n < fold_beside; n++)
#pragma unroll
    for (int c = 0; c < 2; c++) {
      const int column = n * tensor_columns + c;
      const REAL kx = of_x[column], mx = fma(-sixth, kx, (REAL)1), norm_x = of_x[2 * fold_wide + column] * norm_y;
      /* λ is far_z + κ_z near_z with 7 and with 27 points. */
      const REAL plain = fma(cx * kx, my, cy * ky * mx), own_z = plain + mass, by_kappa = fma(cz * mx, my, -sixth * plain);
#pragma unroll
      for (int h = 0; h < fold_tall; h++)
#pragma unroll
        for (int r = 0; r < 2; r++) {
          const int line = h * tensor_rows + 8 * r;
          sums.v[h][n][2 * r + c] *= norm_x * of_z[2 * fold_wide + line] * fold_inverse(fma(of_z[line], by_kappa, own_z));
        }
    }
}

/* scratch(k, q, m) = Σ_r v_r(k) / λ Σ_l v_r(l) scratch(l, q, m), over the norms. A block has a vector along y. The very first sum is Σ f where
   all vectors are constant; it goes behind the scratch. */
KERNEL_BOUNDS(fold_along, cv_spectral_args, fold_threads, 1) {
  DYNAMIC_SHARED(REAL, shared);
  const fold_axis y = fold_axis_of(a, 1), z = fold_axis_of(a, 2);
  const int row = (int)blockIdx.x, q = row < y.even ? row : fold_wide + row - y.even;
  REAL *const matrices = shared + 4 * fold_quarter;
  const int64_t plane = y.count * (int64_t)fold_pitch;
  const int m = (int)threadIdx.x % (fold_pitch / 4) * 4, k0 = (int)threadIdx.x / (fold_pitch / 4);
  constexpr int share = fold_wide / fold_step;
  REAL *const at = static_cast<REAL *>(a.scratch) + row * fold_pitch + m;
  fold_four low[share], high[share];
#pragma unroll
  for (int b = 0; b < share; b++) {
    const int k = k0 + b * fold_step;
    low[b] = high[b] = {};
    if (k < z.even) {
      low[b] = *reinterpret_cast<const fold_four *>(at + k * plane);
      high[b] = *reinterpret_cast<const fold_four *>(at + (z.count - 1 - k) * plane);
    }
  }
  fold_matrices of_forth, of_back;
  fold_ask(of_forth, z.forth, z.even);
  fold_ask(of_back, z.back, z.even);
#pragma unroll
  for (int b = 0; b < share; b++) {
    const int k = k0 + b * fold_step;
    const REAL whole = 2 * k == z.count - 1 ? (REAL)0 : (REAL)1; /* the middle counts once */
    fold_four s, d;
#pragma unroll
    for (int n = 0; n < 4; n++)
      s.v[n] = fma(whole, high[b].v[n], low[b].v[n]), d.v[n] = low[b].v[n] - high[b].v[n];
    REAL *const to = shared + k * fold_row + fold_column_of(m);
    *reinterpret_cast<fold_four *>(to) = s;
    *reinterpret_cast<fold_four *>(to + 2 * fold_quarter) = d;
  }
  fold_put(matrices, of_forth);
  __syncthreads();
  fold_sums sums;
  const fold_place p = fold_place_of();
  REAL *const own = shared + (2 * p.of_line + p.of_column) * fold_quarter, *const own_matrix = matrices + p.of_line * fold_quarter;
  const int vectors = fold_vectors(z, p.of_line);
  fold_product(sums, p, vectors, own_matrix, own);
  if (row + (int)threadIdx.x == 0)
    static_cast<REAL *>(a.scratch)[plane * z.count] = sums.v[0][0][0];
  fold_divide(sums, p, a, q);
  __syncthreads();
  fold_put(matrices, of_back);
  fold_store(own, fold_row, sums, p, fold_wide);
  __syncthreads();
  fold_product(sums, p, vectors, own_matrix, own);
  __syncthreads();
  fold_store(own, fold_row, sums, p, fold_wide);
  __syncthreads();
#pragma unroll
  for (int b = 0; b < share; b++) {
    const int k = k0 + b * fold_step;
    if (k >= z.even)
      continue;
    const REAL *const from = shared + k * fold_row + fold_column_of(m);
    const REAL whole = 2 * k == z.count - 1 ? (REAL)0 : (REAL)1; /* what is odd is zero in the middle */
    const fold_four s = *reinterpret_cast<const fold_four *>(from);
    fold_four d = {};
    if (whole != 0)
      d = *reinterpret_cast<const fold_four *>(from + 2 * fold_quarter);
    fold_four first, last;
#pragma unroll
    for (int n = 0; n < 4; n++)
      first.v[n] = s.v[n] + d.v[n], last.v[n] = s.v[n] - d.v[n];
    *reinterpret_cast<fold_four *>(at + k * plane) = first;
    *reinterpret_cast<fold_four *>(at + (z.count - 1 - k) * plane) = last;
  }
}

/* The volume of a node over that of an inner one, along an axis. */
DEVICE REAL fold_share(bool periodic, int n, int i) { return !periodic && (i == 0 || i == n - 1) ? (REAL)0.5 : (REAL)1; }

/* Zeros at the fixed nodes of the sides of a plane. */
DEVICE void fold_fix(REAL *u, const fold_axis &x, const fold_axis &y, int sy) {
  if (y.first > 0)
    for (int n = (int)threadIdx.x; n < x.n; n += fold_threads)
      u[n] = u[n + (y.n - 1) * sy] = 0;
  if (x.first > 0)
    for (int n = (int)threadIdx.x; n < y.n; n += fold_threads)
      u[n * sy] = u[x.n - 1 + n * sy] = 0;
}

/* u(i, j, k) = Σ_m Σ_q v_m(i) v_q(j) scratch(k, q, m), zero at fixed nodes. A block has a plane, of all. Where constants are in the null space f loses
   its mean. */
KERNEL_BOUNDS(fold_back, cv_spectral_args, fold_threads, 1) {
  DYNAMIC_SHARED(REAL, shared);
  const fold_axis x = fold_axis_of(a, 0), y = fold_axis_of(a, 1), z = fold_axis_of(a, 2);
  const int k = (int)blockIdx.x, inner = k - z.first, sy = (int)a.box.sy;
  REAL *const u = static_cast<REAL *>(a.u) + k * a.box.sz;
  const REAL *const scratch = static_cast<const REAL *>(a.scratch);
  const int i = (int)threadIdx.x % fold_wide, j0 = (int)threadIdx.x / fold_wide;
  constexpr int step = fold_threads / fold_wide, share = fold_wide / step;
  if (inner < 0 || inner >= z.count) {
    for (int j = j0; j < y.n; j += step)
      for (int n = i; n < x.n; n += fold_wide)
        u[n + j * sy] = 0;
    return;
  }
  fold_fix(u, x, y, sy);
  const int m = (int)threadIdx.x % (fold_pitch / 4) * 4, q0 = (int)threadIdx.x / (fold_pitch / 4);
  constexpr int rows = 2 * fold_wide / fold_step;
  const REAL *const from = scratch + inner * y.count * (int64_t)fold_pitch + m;
  REAL *const matrices = shared + 4 * fold_quarter;
  fold_four row[rows];
#pragma unroll
  for (int b = 0; b < rows; b++) {
    const int odd = b * fold_step / fold_wide, q = q0 + b * fold_step % fold_wide;
    row[b] = {};
    if (q < fold_vectors(y, odd))
      row[b] = *reinterpret_cast<const fold_four *>(from + (odd * y.even + q) * fold_pitch);
  }
  fold_matrices of_x, of_y;
  fold_ask(of_y, y.back, y.even);
  fold_ask(of_x, x.back, x.even);
#pragma unroll
  for (int b = 0; b < rows; b++) {
    const int odd = b * fold_step / fold_wide, q = q0 + b * fold_step % fold_wide;
    *reinterpret_cast<fold_four *>(shared + 2 * odd * fold_quarter + q * fold_row + fold_column_of(m)) = row[b];
  }
  fold_put(matrices, of_y);
  __syncthreads();
  fold_sums sums; /* lines are vectors of x, then nodes of y */
  const fold_place p = fold_place_of();
  REAL *const own = shared + (2 * p.of_line + p.of_column) * fold_quarter;
  fold_product(sums, p, fold_vectors(y, p.of_line), own, matrices + p.of_line * fold_quarter);
  __syncthreads();
  fold_put(matrices, of_x);
  fold_store(own, fold_row, sums, p, fold_wide);
  __syncthreads();
  fold_product(sums, p, fold_vectors(x, p.of_column), own, matrices + p.of_column * fold_quarter);
  __syncthreads();
  fold_store(own, fold_row, sums, p, fold_wide);
  __syncthreads();
  REAL *const to = u + y.first * sy + x.first;
#pragma unroll
  for (int b = 0; b < share; b++) {
    const int j = j0 + b * step;
    if (j < y.even && i < x.even) {
      const REAL *const at = shared + j * fold_row + i;
      REAL *const low = to + j * sy, *const high = to + (y.count - 1 - j) * sy;
      /* What is odd is zero in the middle: there the table has zeros. */
      const REAL sum = at[0] + at[2 * fold_quarter], difference = at[fold_quarter] + at[3 * fold_quarter];
      const REAL sum_high = at[0] - at[2 * fold_quarter], difference_high = at[fold_quarter] - at[3 * fold_quarter];
      low[i] = sum + difference, low[x.count - 1 - i] = sum - difference;
      high[i] = sum_high + difference_high, high[x.count - 1 - i] = sum_high - difference_high;
    }
  }
  if (a.mean != 0) {
    REAL *const f = static_cast<REAL *>(a.f) + k * a.box.sz;
    const REAL mean = (REAL)a.mean * scratch[y.count * (int64_t)fold_pitch * z.count] * fold_share(a.periodic[2], z.n, k);
    for (int j = j0; j < y.n; j += step)
      for (int n = i; n < x.n; n += fold_wide)
        f[n + j * sy] = fma(-mean * fold_share(a.periodic[1], y.n, j), fold_share(a.periodic[0], x.n, n), f[n + j * sy]);
  }
}
#endif
