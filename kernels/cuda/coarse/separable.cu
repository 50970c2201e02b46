/* Transform and Modes: operators that are sums of products of matrices along the axes are solved by products with matrices of vectors along x and y, and tridiagonal
   systems along z. */
#include "../launch.h"

/* A block makes 2 x 16 N results of transform_lines lines. A thread has 8 lines and N results of the first matrix and N of the second; or, where the matrix is
   whole, as many further on of the same. Terms and rows of the matrices go through shared memory, transform_terms of them at a time, and the next are on their way
   meanwhile. */
enum { transform_share = 8, transform_pitch = transform_lines + 4 };

struct alignas(4 * sizeof(REAL) < 16 ? 4 * sizeof(REAL) : 16) transform_four {
  REAL v[4];
};

/* What a thread asks for of terms: number q of the line in its place, or of the lines in turn, by the axis. */
struct transform_place {
  int n, half, depth, sy;  /* nodes, results of a matrix at most, and terms of the sums; elements from node to node */
  int line, term;          /* the thread's first, and by how much the next differ */
  int line_step, term_step;
};

/* Where line `line` begins; the last one in place of those that there are not. */
DEVICE int64_t transform_line(const cv_transform_args &a, int line) {
  const int across = a.axis == 0 ? (int)a.box.n[1] : (int)a.box.n[0], lines = across * (int)a.box.n[2];
  line = line < lines ? line : lines - 1;
  const int plane = line / across, within = line - plane * across;
  return plane * a.box.sz + within * (a.axis == 0 ? a.box.sy : 1);
}

/* What terms k of a line are made of. Nothing is done with it yet, which would wait for it. */
DEVICE void transform_ask(REAL &low, REAL &other, const cv_transform_args &a, const transform_place &p, const REAL *in, int k) {
  const bool there = k < p.depth, pair = a.folding != cv_whole && there && 2 * k != p.n - 1;
  low = there ? in[(unsigned)(k * p.sy)] : (REAL)0;
  other = pair ? in[(unsigned)((a.folding == cv_fold_back ? p.half + k : p.n - 1 - k) * p.sy)] : (REAL)0;
}

/* Result m of the first matrix of a line, and that of the second. */
DEVICE void transform_give(const cv_transform_args &a, const transform_place &p, REAL *out, int m, REAL first, REAL second) {
  if (m >= p.half)
    return;
  const bool middle = 2 * m == p.n - 1;
  if (a.folding == cv_fold_back) {
    out[(int64_t)m * p.sy] = first + second;
    if (!middle)
      out[(int64_t)(p.n - 1 - m) * p.sy] = first - second;
    return;
  }
  out[(int64_t)m * p.sy] = first;
  if (a.folding == cv_fold_forth && !middle)
    out[(int64_t)(p.half + m) * p.sy] = second;
}

template <int N> DEVICE void transform_block(const cv_transform_args &a) {
  constexpr int wide = 16 * N;
  DYNAMIC_SHARED(REAL, shared);
  const bool along_x = a.axis == 0, whole = a.folding == cv_whole;
  const int t = (int)threadIdx.x, tx = t % 16, ty = t / 16;
  transform_place p;
  p.n = (int)a.box.n[a.axis], p.half = whole ? p.n : (p.n + 1) / 2, p.depth = p.half;
  p.sy = along_x ? 1 : (int)a.box.sy;
  /* Threads side by side ask for elements side by side: terms of a line along x, or lines. */
  p.line = along_x ? t / transform_terms : t % transform_lines, p.term = along_x ? t % transform_terms : t / transform_lines;
  p.line_step = along_x ? transform_threads / transform_terms : 0, p.term_step = along_x ? 0 : transform_threads / transform_lines;
  const int first_line = (int)blockIdx.x * transform_lines, first = (int)blockIdx.y * (whole ? 2 * wide : wide);
  const int pitch = (p.half + 31) / 32 * 32, rows = (p.half + 15) / 16 * 16;
  const REAL *const matrix[2] = {static_cast<const REAL *>(a.matrix), static_cast<const REAL *>(a.matrix) + (whole ? 0 : (int64_t)rows * pitch)};
  const int column[2] = {first, whole ? first + wide : first};
  REAL *const terms[2] = {shared, whole ? shared : shared + transform_terms * transform_pitch};
  REAL *const of[2] = {shared + 2 * transform_terms * transform_pitch, shared + 2 * transform_terms * transform_pitch + transform_terms * wide};
  const REAL *const in = static_cast<const REAL *>(a.in);
  unsigned from[transform_share]; /* no array has more elements than that */
#pragma unroll
  for (int q = 0; q < transform_share; q++)
    from[q] = (unsigned)transform_line(a, first_line + p.line + q * p.line_step);
  REAL next[2][transform_share], row[2][N], sum[2][transform_share][N];
#pragma unroll
  for (int b = 0; b < 2; b++)
#pragma unroll
    for (int l = 0; l < transform_share; l++)
#pragma unroll
      for (int m = 0; m < N; m++)
        sum[b][l][m] = 0;
  const auto ask = [&](int k0) {
#pragma unroll
    for (int q = 0; q < transform_share; q++)
      transform_ask(next[0][q], next[1][q], a, p, in + from[q], k0 + p.term + q * p.term_step);
#pragma unroll
    for (int b = 0; b < 2; b++)
#pragma unroll
      for (int m = 0; m < N; m++) {
        const int c = column[b] + tx + 16 * m;
        row[b][m] = c < pitch ? matrix[b][(int64_t)(k0 + ty) * pitch + c] : (REAL)0;
      }
  };
  ask(0);
  for (int k0 = 0; k0 < p.depth; k0 += transform_terms) {
    __syncthreads();
#pragma unroll
    for (int q = 0; q < transform_share; q++) {
      const int at = (p.term + q * p.term_step) * transform_pitch + p.line + q * p.line_step;
      /* In the middle odd vectors are zero, as is their row of the matrix. */
      terms[0][at] = a.folding == cv_fold_forth ? next[0][q] + next[1][q] : next[0][q];
      if (!whole)
        terms[1][at] = a.folding == cv_fold_forth ? next[0][q] - next[1][q] : next[1][q];
    }
#pragma unroll
    for (int b = 0; b < 2; b++)
#pragma unroll
      for (int m = 0; m < N; m++)
        of[b][ty * wide + tx + 16 * m] = row[b][m];
    __syncthreads();
    if (k0 + transform_terms < p.depth)
      ask(k0 + transform_terms);
#pragma unroll
    for (int k = 0; k < transform_terms; k++)
#pragma unroll
      for (int b = 0; b < 2; b++) {
        const transform_four low = *reinterpret_cast<const transform_four *>(terms[b] + k * transform_pitch + 4 * ty);
        const transform_four high = *reinterpret_cast<const transform_four *>(terms[b] + k * transform_pitch + transform_lines / 2 + 4 * ty);
#pragma unroll
        for (int m = 0; m < N; m++) {
          const REAL v = of[b][k * wide + tx + 16 * m];
#pragma unroll
          for (int l = 0; l < 4; l++) {
            sum[b][l][m] = fma(low.v[l], v, sum[b][l][m]);
            sum[b][4 + l][m] = fma(high.v[l], v, sum[b][4 + l][m]);
          }
        }
      }
  }
  const int across = along_x ? (int)a.box.n[1] : (int)a.box.n[0], lines = across * (int)a.box.n[2];
#pragma unroll
  for (int l = 0; l < transform_share; l++) {
    const int line = first_line + 4 * ty + (l < 4 ? l : transform_lines / 2 + l - 4);
    if (line >= lines)
      continue;
    REAL *const out = static_cast<REAL *>(a.out) + transform_line(a, line);
#pragma unroll
    for (int m = 0; m < N; m++) {
      transform_give(a, p, out, first + tx + 16 * m, sum[0][l][m], sum[1][l][m]);
      if (whole)
        transform_give(a, p, out, first + wide + tx + 16 * m, sum[1][l][m], (REAL)0);
    }
  }
}

/* Blocks that a multiprocessor holds: the sums of doubles take all registers. */
enum { transform_blocks = sizeof(REAL) == 4 ? 2 : 1 };

KERNEL_BOUNDS(transform_3, cv_transform_args, transform_threads, transform_blocks) { transform_block<3>(a); }

KERNEL_BOUNDS(transform_4, cv_transform_args, transform_threads, transform_blocks) { transform_block<4>(a); }

/* Nodes that a column asks for before it needs the first. */
enum { modes_ahead = sizeof(REAL) == 4 ? 16 : 8 };

/* The column of the constant vector less its mean, weighted by volumes, or of what is integrated over them. */
DEVICE void modes_shift(const cv_modes_args &a, REAL *x, const REAL *volume, bool integrated) {
  REAL sum = 0, all = 0;
  const int n = (int)a.box.n[2];
  for (int k = 0; k < n; k++) {
    sum += integrated ? x[k * a.box.sz] : volume[k] * x[k * a.box.sz];
    all += volume[k];
  }
  const REAL mean = sum / all;
  for (int k = 0; k < n; k++)
    x[k * a.box.sz] -= integrated ? mean * volume[k] : mean;
}

/* A thread has a column. */
KERNEL_BOUNDS(modes, cv_modes_args, modes_threads, 4) {
  const int i = (int)(blockIdx.x * blockDim.x + threadIdx.x), j = (int)blockIdx.y;
  if (i >= (int)a.box.n[0])
    return;
  const int nz = (int)a.box.n[2], first = a.low != 0, last = nz - 1 - (a.high != 0);
  const REAL *const of_x = static_cast<const REAL *>(a.table), *const of_y = of_x + 2 * a.box.n[0], *const heights = of_y + 2 * a.box.n[1];
  const REAL lambda = of_x[i], mu = of_y[j], volume = of_x[a.box.n[0] + i] * of_y[a.box.n[1] + j], mass = (REAL)a.mass * volume;
  const int64_t sz = a.box.sz;
  REAL *const x = static_cast<REAL *>(a.x) + j * a.box.sy + i, *const work = static_cast<REAL *>(a.work) + j * a.box.sy + i;
  const bool constant = a.singular && i == 0 && j == 0;
  if (constant)
    modes_shift(a, x, heights + modes_volume * nz, true);
  const auto up = [&](int k) {
    return fma(-mu, heights[modes_up_second * nz + k], fma(-lambda, heights[modes_up_first * nz + k], heights[modes_up * nz + k]));
  };
  REAL passed = a.low ? up(0) : (REAL)0, carried = 0, value = 0;
  for (int k0 = first; k0 <= last; k0 += modes_ahead) {
    REAL f[modes_ahead];
#pragma unroll
    for (int m = 0; m < modes_ahead; m++)
      f[m] = k0 + m <= last ? x[(k0 + m) * sz] : (REAL)0;
#pragma unroll
    for (int m = 0; m < modes_ahead; m++) {
      const int k = k0 + m;
      if (k > last)
        break;
      const REAL own = fma(lambda, heights[modes_first * nz + k], mu * heights[modes_second * nz + k]);
      const REAL ground = passed + fma(mass, heights[modes_volume * nz + k], fma(volume, heights[modes_tie * nz + k], own));
      const REAL g = k + 1 < nz ? up(k) : (REAL)0, pivot = ground + g;
      const REAL inverse = pivot > 0 ? 1 / pivot : (REAL)0, above = g * inverse;
      value = (f[m] + carried) * inverse;
      carried = g * value;
      passed = ground * above;
      x[k * sz] = value;
      work[k * sz] = above;
    }
  }
  for (int k0 = last - 1; k0 >= first; k0 -= modes_ahead) {
    REAL f[modes_ahead], w[modes_ahead];
#pragma unroll
    for (int m = 0; m < modes_ahead; m++) {
      f[m] = k0 - m >= first ? x[(k0 - m) * sz] : (REAL)0;
      w[m] = k0 - m >= first ? work[(k0 - m) * sz] : (REAL)0;
    }
#pragma unroll
    for (int m = 0; m < modes_ahead; m++) {
      if (k0 - m < first)
        break;
      value = fma(w[m], value, f[m]);
      x[(k0 - m) * sz] = value;
    }
  }
  if (a.low)
    x[0] = 0;
  if (a.high)
    x[(nz - 1) * sz] = 0;
  if (constant)
    modes_shift(a, x, heights + modes_volume * nz, false);
}
