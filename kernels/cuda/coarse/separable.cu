/* Transform: operators that are sums of products of matrices along the axes are solved by products with matrices of vectors along x and y; modes.cu has the systems along z
   that are left. */
#include "../launch.h"
#include "tensor.cuh"

/* A block multiplies transform_lines lines by `wide` columns of each of both matrices, or of a whole one by as many again further on. Half of its warps have one of them:
   each half of the lines. Rows of the matrices and terms of the lines go through shared memory, transform_terms at a time, while the next are on their way; from there
   results are written too, so that threads side by side write elements side by side. */
enum {
  transform_lines = sizeof(REAL) == 4 ? transform_lines_f32 : transform_lines_f64,
  transform_terms = sizeof(REAL) == 4 ? 16 : 8,
  transform_share = transform_lines * transform_terms / transform_threads, /* terms that a thread asks for at a time */
  transform_warps = transform_threads / 64,                                /* of a matrix */
  transform_tall = transform_lines / transform_warps / tensor_rows,        /* products of a warp above each other */
  transform_beside = 3,                                                    /* products that are under way at once beside each other */
  transform_wider = sizeof(REAL) == 4 ? 8 : 4,                             /* what pads rows of so many elements, so that lanes do not wait for each other */
  transform_pitch = transform_lines + transform_wider
};

/* The columns of a block, and elements of shared memory between rows of a matrix, and between results: of a line, or of a column of lines. */
template <int N> struct transform_room {
  static constexpr int wide = tensor_columns * N;
  static constexpr int pitch = sizeof(REAL) == 4 && wide % 16 == 8 ? wide : wide + transform_wider;
  static constexpr int terms = 2 * transform_terms * transform_pitch, matrices = 2 * transform_terms * pitch; /* of one of two buffers */
  static constexpr int line = wide + transform_wider, column = transform_lines + 4;
  static constexpr int results = 2 * (transform_lines * line > wide * column ? transform_lines * line : wide * column);
  static constexpr int elements = 2 * (terms + matrices) > results ? 2 * (terms + matrices) : results;
};

/* Shared memory of a block: and where its lines begin. */
template <int N> struct alignas(16) transform_shared {
  REAL elements[transform_room<N>::elements];
  unsigned begins[transform_lines];
};

/* Where line `line` begins; the last one in place of those that there are not. */
template <int axis> DEVICE unsigned transform_line(const cv_transform_args &a, int line) {
  const int across = (int)a.box.n[1 - axis], lines = across * (int)a.box.n[2];
  line = line < lines ? line : lines - 1;
  const int plane = line / across, within = line - plane * across;
  return (unsigned)(plane * a.box.sz + within * (axis == 0 ? a.box.sy : 1)); /* no array has more elements than that */
}

/* Where term k of line `line` lies: lines change places within eight, so that threads that put terms of one line side by side there do not wait for each other. */
DEVICE int transform_place(int k, int line) { return k * transform_pitch + (line ^ k / 4 % 4 * 2); }

template <int N, int axis> DEVICE void transform_along(const cv_transform_args &a, transform_shared<N> &s) {
  using room = transform_room<N>;
  constexpr bool along_x = axis == 0;
  REAL *const shared = s.elements;
  unsigned *const begins = s.begins;
  const bool whole = a.folding == cv_whole, forth = a.folding == cv_fold_forth;
  const int t = (int)threadIdx.x, lane = t % 32, warp = t / 32, part = warp / transform_warps;
  const int n = (int)a.box.n[axis], half = whole ? n : (n + 1) / 2, sy = along_x ? 1 : (int)a.box.sy;
  const int columns = whole ? 2 * room::wide : room::wide, tiles = (half + columns - 1) / columns;
  const int tile = (int)blockIdx.x % tiles, first_line = (int)blockIdx.x / tiles * transform_lines, first = tile * columns;
  const int pitch = (half + 31) / 32 * 32, rows = (half + 15) / 16 * 16;
  if (t < transform_lines)
    begins[t] = transform_line<axis>(a, first_line + t);
  __syncthreads();

  /* Threads side by side ask for elements side by side: terms of a line along x, or lines. A term's partner is its mirror image, or the odd vector beside it. */
  const int own = along_x ? t / transform_terms : t % transform_lines, term = along_x ? t % transform_terms : t / transform_lines;
  constexpr int line_step = along_x ? transform_threads / transform_terms : 0, term_step = along_x ? 0 : transform_threads / transform_lines;
  const REAL *const in = static_cast<const REAL *>(a.in);
  unsigned from[along_x ? transform_share : 1];
#pragma unroll
  for (int q = 0; q < (along_x ? transform_share : 1); q++)
    from[q] = begins[own + q * line_step];
  const int first_partner = a.folding == cv_fold_back ? half : n - 1, partner_step = a.folding == cv_fold_back ? 1 : -1;
  REAL low[transform_share], other[transform_share];
  const auto ask_terms = [&](int k0) {
    const bool all = k0 + transform_terms <= n / 2; /* of the terms and partners there are */
#pragma unroll
    for (int q = 0; q < transform_share; q++) {
      const int k = k0 + term + q * term_step;
      const bool there = all || k < half, pair = !whole && (all || (there && 2 * k != n - 1));
      const unsigned line = from[along_x ? q : 0];
      low[q] = there ? in[line + (unsigned)(k * sy)] : (REAL)0;
      other[q] = pair ? in[line + (unsigned)((first_partner + partner_step * k) * sy)] : (REAL)0;
    }
  };
  /* Four threads have a row of a matrix, or as many as there are rows for. */
  constexpr int piece = 16 / (int)sizeof(REAL), beside = transform_threads / (2 * transform_terms), pieces = room::wide / piece;
  const int b = t / beside / transform_terms, row = t / beside % transform_terms, column = t % beside * piece;
  const int from_column = first + column + (whole ? b * room::wide : 0);
  const REAL *matrix_at = static_cast<const REAL *>(a.matrix) + (int64_t)(row + (whole ? 0 : b * rows)) * pitch + from_column;
  REAL *const matrix_to = shared + 2 * room::terms + (b * transform_terms + row) * room::pitch + column;
  const auto ask_matrix = [&](int buffer) {
#pragma unroll
    for (int c = 0; c < pieces; c += beside)
      if (c + beside <= pieces || t % beside < pieces - c) {
        const bool there = from_column + c * piece < pitch;
        tensor_copy(matrix_to + buffer * room::matrices + c * piece, there ? matrix_at + c * piece : static_cast<const REAL *>(a.matrix), there);
      }
    matrix_at += transform_terms * pitch;
  };
  const auto put = [&](REAL *terms) {
#pragma unroll
    for (int q = 0; q < transform_share; q++) {
      const int at = transform_place(term + q * term_step, own + q * line_step);
      /* In the middle odd vectors are zero, as is their row of the matrix. */
      terms[at] = forth ? low[q] + other[q] : low[q];
      if (!whole)
        terms[transform_terms * transform_pitch + at] = forth ? low[q] - other[q] : other[q];
    }
  };

  REAL sum[transform_tall][N][4];
#pragma unroll
  for (int h = 0; h < transform_tall; h++)
#pragma unroll
    for (int m = 0; m < N; m++)
#pragma unroll
      for (int c = 0; c < 4; c++)
        sum[h][m][c] = 0;
  const int own_line = warp % transform_warps * (transform_tall * tensor_rows) + lane / 4;
  ask_terms(0);
  ask_matrix(0);
  for (int k0 = 0, buffer = 0; k0 < half; k0 += transform_terms, buffer ^= 1) {
    put(shared + buffer * room::terms);
    tensor_wait();
    __syncthreads(); /* once a turn: who is a turn behind reads the other buffer */
    if (k0 + transform_terms < half) {
      ask_terms(k0 + transform_terms);
      ask_matrix(buffer ^ 1);
    }
    const REAL *const terms = shared + buffer * room::terms + (whole ? 0 : part * (transform_terms * transform_pitch));
    const REAL *const matrix = shared + 2 * room::terms + buffer * room::matrices + part * (transform_terms * room::pitch);
#pragma unroll
    for (int k = 0; k < transform_terms; k += tensor_terms) {
      tensor_number<REAL> rows_of[transform_tall][4];
#pragma unroll
      for (int h = 0; h < transform_tall; h++)
#pragma unroll
        for (int c = 0; c < 4; c++)
          rows_of[h][c] = tensor_operand(terms[transform_place(k + c / 2 * 4 + lane % 4, own_line + h * tensor_rows + c % 2 * 8)]);
#pragma unroll
      for (int m0 = 0; m0 < N; m0 += transform_beside) {
        tensor_number<REAL> column[transform_beside][2];
#pragma unroll
        for (int m = 0; m < transform_beside; m++)
#pragma unroll
          for (int c = 0; c < 2; c++)
            if (m0 + m < N)
              column[m][c] = tensor_operand(matrix[(k + 4 * c + lane % 4) * room::pitch + (m0 + m) * tensor_columns + lane / 4]);
#pragma unroll
        for (int p = 0; p < tensor_parts; p++)
#pragma unroll
          for (int m = 0; m < transform_beside; m++)
#pragma unroll
            for (int h = 0; h < transform_tall; h++)
              if (m0 + m < N)
                tensor_add(p, sum[h][(m0 + m) % N], rows_of[h], column[m]);
      }
    }
  }
  __syncthreads();

  constexpr int result_line = along_x ? room::line : 1, result_column = along_x ? 1 : room::column;
  constexpr int of_part = room::results / 2;
#pragma unroll
  for (int h = 0; h < transform_tall; h++)
#pragma unroll
    for (int m = 0; m < N; m++)
#pragma unroll
      for (int c = 0; c < 4; c++) {
        const int line = own_line + h * tensor_rows + c / 2 * 8, column = m * tensor_columns + lane % 4 * 2 + c % 2;
        shared[part * of_part + line * result_line + column * result_column] = sum[h][m][c];
      }
  __syncthreads();
  const int lines = (int)(a.box.n[1 - axis] * a.box.n[2]);
  const int own_lines = lines - first_line < transform_lines ? lines - first_line : transform_lines;
  REAL *const out = static_cast<REAL *>(a.out);
#pragma unroll 4
  for (int q = t; q < transform_lines * room::wide; q += transform_threads) {
    const int line = along_x ? q / room::wide : q % transform_lines, column = along_x ? q % room::wide : q / transform_lines, m = first + column;
    if (line >= own_lines || m >= half)
      continue;
    const int at = line * result_line + column * result_column;
    const REAL one = shared[at], two = shared[of_part + at];
    REAL *const to = out + begins[line];
    const bool middle = 2 * m == n - 1;
    if (whole) {
      to[(unsigned)(m * sy)] = one;
      if (m + room::wide < n)
        to[(unsigned)((m + room::wide) * sy)] = two;
    } else if (a.folding == cv_fold_back) {
      to[(unsigned)(m * sy)] = one + two;
      if (!middle)
        to[(unsigned)((n - 1 - m) * sy)] = one - two;
    } else {
      to[(unsigned)(m * sy)] = one;
      if (!middle)
        to[(unsigned)((half + m) * sy)] = two;
    }
  }
}

/* Blocks that a multiprocessor holds. */
enum { transform_blocks = 3 };

#define TRANSFORM(N)                                                                              \
  KERNEL_BOUNDS(transform_##N, cv_transform_args, transform_threads, transform_blocks) {          \
    __shared__ transform_shared<N> s;                                                             \
    if (a.axis == 0)                                                                              \
      transform_along<N, 0>(a, s);                                                                \
    else                                                                                          \
      transform_along<N, 1>(a, s);                                                                \
  }

TRANSFORM(6)
TRANSFORM(10)
