/* Transform and Modes: operators that are sums of products of matrices along the axes are solved by products with matrices of vectors along x and y, and tridiagonal
   systems along z. */
#include "../launch.h"
#include "../march/strip.cuh"
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

/* Nodes of a column whose couplings are made at a time, planes whose numbers a block has in shared memory, and nodes of a column whose factors it keeps
   there. */
enum { modes_group = 8, modes_chunk = (sizeof(REAL) == 4 ? 15 : 9) * modes_ahead, modes_nodes = modes_kept / sizeof(REAL) };
static_assert(modes_nodes % modes_ahead == 0);

/* The numbers of a plane; the mass is in `tie`, and nothing leads up from the last one. */
struct alignas(16) modes_numbers {
  REAL first, second, tie, up, up_first, up_second;
};

DEVICE modes_numbers modes_numbers_of(const cv_modes_args &a, const REAL *heights, int k) {
  const int nz = (int)a.box.n[2];
  const REAL *const h = heights + k, above = k + 1 < nz ? 1 : 0;
  return modes_numbers{h[modes_first * nz], h[modes_second * nz], fma((REAL)a.mass, h[modes_volume * nz], h[modes_tie * nz]),
                     above * h[modes_up * nz], above * h[modes_up_first * nz], above * h[modes_up_second * nz]};
}

/* The column of the constant vector, which is the first, less its mean, weighted by volumes, or of what is integrated over them: by all threads of a block. */
DEVICE void modes_shift(const cv_modes_args &a, const REAL *volume, bool integrated) {
  __shared__ REAL parts[2][modes_threads];
  REAL *const x = static_cast<REAL *>(a.x);
  const int n = (int)a.box.n[2], t = (int)threadIdx.x;
  REAL sum = 0, all = 0;
  __syncthreads();
  for (int k = t; k < n; k += modes_threads) {
    sum += integrated ? x[k * a.box.sz] : volume[k] * x[k * a.box.sz];
    all += volume[k];
  }
  parts[0][t] = sum, parts[1][t] = all;
  __syncthreads();
  sum = 0, all = 0;
#pragma unroll 8
  for (int q = 0; q < modes_threads; q++)
    sum += parts[0][q], all += parts[1][q];
  const REAL mean = sum / all;
  for (int k = t; k < n; k += modes_threads)
    x[k * a.box.sz] -= integrated ? mean * volume[k] : mean;
  __syncthreads();
}

/* A column without fixed nodes: its first node, the first one's factors in global and in shared memory, and its nodes; a thread that has no column has none. */
struct modes_column {
  REAL *x, *work, *kept;
  unsigned stride; /* bytes between nodes */
  int nodes;
  REAL lambda, mu, volume;
};

DEVICE REAL modes_coupling(const modes_column &c, const modes_numbers &p) { return fma(-c.mu, p.up_second, fma(-c.lambda, p.up_first, p.up)); }

/* Node k of the column at x, whose nodes are so many bytes apart: a plane has less than 2^32. */
DEVICE REAL *modes_at(REAL *x, unsigned stride, unsigned k) { return reinterpret_cast<REAL *>(reinterpret_cast<char *>(x) + (uint64_t)stride * k); }

/* Eliminates the `nodes` planes from `first` on, upwards. Nodes beyond the last are computed from anything and not stored; their factors are 0. */
DEVICE void modes_eliminate(const cv_modes_args &a, const modes_column &c, const REAL *heights, int first, int nodes) {
  __shared__ modes_numbers planes[modes_chunk];
  REAL passed = first > 0 ? modes_coupling(c, modes_numbers_of(a, heights, 0)) : (REAL)0, carried = 0, next[modes_ahead];
#pragma unroll
  for (int m = 0; m < modes_ahead; m++)
    next[m] = m < c.nodes ? *modes_at(c.x, c.stride, m) : (REAL)0;
  for (int k0 = 0, within = 0; k0 < nodes; k0 += modes_ahead, within += modes_ahead) {
    if (within == modes_chunk || k0 == 0) {
      within = 0;
      __syncthreads();
      for (int q = (int)threadIdx.x; q < modes_chunk && k0 + q < nodes + modes_ahead; q += modes_threads)
        planes[q] = modes_numbers_of(a, heights, min(first + k0 + q, (int)a.box.n[2] - 1));
      __syncthreads();
    }
    const int left = c.nodes - k0;
    REAL *const to = modes_at(c.x, c.stride, k0), *const from = modes_at(to, c.stride, modes_ahead);
#pragma unroll
    for (int m0 = 0; m0 < modes_ahead; m0 += modes_group) {
      REAL own[modes_group], g[modes_group], above[modes_group];
#pragma unroll
      for (int m = 0; m < modes_group; m++) {
        const modes_numbers p = planes[within + m0 + m];
        own[m] = fma(c.volume, p.tie, fma(c.lambda, p.first, c.mu * p.second));
        g[m] = modes_coupling(c, p);
      }
#pragma unroll
      for (int m = 0; m < modes_group; m++) {
        const REAL f = next[m0 + m];
        if (m0 + m + modes_ahead < left)
          next[m0 + m] = *modes_at(from, c.stride, m0 + m);
        const REAL ground = passed + own[m], pivot = ground + g[m], inverse = pivot > 0 ? strip_reciprocal(pivot) : (REAL)0;
        const REAL value = (f + carried) * inverse;
        above[m] = g[m] * inverse;
        carried = g[m] * value;
        passed = ground * above[m];
        if (m0 + m < left)
          *modes_at(to, c.stride, m0 + m) = value;
      }
#pragma unroll
      for (int m = 0; m < modes_group; m++)
        if (k0 < modes_nodes)
          c.kept[(k0 + m0 + m) * modes_threads] = above[m];
        else if (m0 + m < left)
          *modes_at(c.work, c.stride, k0 + m0 + m) = above[m];
    }
  }
}

/* The way back down, of as many nodes at a time. What is beyond the last of the `nodes` planes is 0. */
DEVICE void modes_substitute(const modes_column &c, int nodes) {
  const int last = (nodes - 1) / modes_ahead * modes_ahead;
  REAL value = 0, next[modes_ahead], factor[modes_ahead];
#pragma unroll
  for (int m = 0; m < modes_ahead; m++) {
    const int k = last + m;
    next[m] = k < c.nodes ? *modes_at(c.x, c.stride, k) : (REAL)0;
    factor[m] = last >= modes_nodes && k < c.nodes ? *modes_at(c.work, c.stride, k) : (REAL)0;
  }
  for (int k0 = last; k0 >= 0; k0 -= modes_ahead) {
    const bool more = k0 > 0 && c.nodes > 0, far = more && k0 > modes_nodes;
    const int left = c.nodes - k0, before = max(k0 - modes_ahead, 0);
    REAL *const to = modes_at(c.x, c.stride, k0), *const from = modes_at(c.x, c.stride, before), *const work = modes_at(c.work, c.stride, before);
    if (k0 < modes_nodes) {
#pragma unroll
      for (int m = 0; m < modes_ahead; m++)
        factor[m] = c.kept[(k0 + m) * modes_threads];
    }
#pragma unroll
    for (int m = modes_ahead - 1; m >= 0; m--) {
      value = fma(factor[m], value, next[m]);
      if (more)
        next[m] = *modes_at(from, c.stride, m);
      if (far)
        factor[m] = *modes_at(work, c.stride, m);
      if (m < left)
        *modes_at(to, c.stride, m) = value;
    }
  }
}

/* A thread has a column. What a block works on at once stays in the second cache on its way up and down: so its factors are in shared memory, and
   few columns are under way. */
KERNEL_BOUNDS(modes, cv_modes_args, modes_threads, 3) {
  DYNAMIC_SHARED(REAL, kept);
  const int nx = (int)a.box.n[0], ny = (int)a.box.n[1], nz = (int)a.box.n[2], first = a.low != 0, nodes = nz - first - (a.high != 0);
  const int column = (int)(blockIdx.x * blockDim.x + threadIdx.x);
  const bool there = column < nx * ny, constant = a.singular && blockIdx.x == 0;
  const int i = there ? column % nx : 0, j = there ? column / nx : 0;
  const REAL *const of_x = static_cast<const REAL *>(a.table), *const of_y = of_x + 2 * nx, *const heights = of_y + 2 * ny;
  const int64_t sz = a.box.sz, at = j * a.box.sy + i;
  REAL *const x = static_cast<REAL *>(a.x) + at;
  const modes_column c = {x + first * sz, static_cast<REAL *>(a.work) + at + first * sz, kept + threadIdx.x, (unsigned)(sz * sizeof(REAL)), there ? nodes : 0,
                          of_x[i], of_y[j], of_x[nx + i] * of_y[ny + j]};
  if (constant)
    modes_shift(a, heights + modes_volume * nz, true);
  modes_eliminate(a, c, heights, first, nodes);
  modes_substitute(c, nodes);
  if (there && a.low)
    x[0] = 0;
  if (there && a.high)
    x[(nz - 1) * sz] = 0;
  if (constant)
    modes_shift(a, heights + modes_volume * nz, false);
}
