/* Modes: tridiagonal systems along z, or along y of boxes that are turned, one a column of nodes. What all kernels of them have: numbers of planes, and columns. */
#ifndef MODES_CUH
#define MODES_CUH
#include "../launch.h"
#include "../march/strip.cuh"

/* Nodes of a column whose couplings are made at a time. */
enum { modes_group = 8 };

/* The numbers of a plane, of those that a GPU has; the mass is in `tie`, and nothing leads up from the last one of all. */
struct alignas(16) modes_numbers {
  REAL first, second, tie, up, up_first, up_second;
};

DEVICE modes_numbers modes_numbers_of(const cv_modes_args &a, const REAL *heights, int k) {
  const int nz = (int)a.rows, at = (int)a.first + k;
  const REAL *const h = heights + at, above = at + 1 < nz ? 1 : 0;
  return modes_numbers{h[modes_first * nz], h[modes_second * nz], fma((REAL)a.mass, h[modes_volume * nz], h[modes_tie * nz]),
                     above * h[modes_up * nz], above * h[modes_up_first * nz], above * h[modes_up_second * nz]};
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

/* 1/d, and 0 where nothing ties a node and nothing is above it. */
DEVICE REAL modes_inverse(REAL d) { return d > 0 ? strip_inverse(d) : (REAL)0; }

/* The table of a column, and where it begins. */
DEVICE modes_column modes_column_of(const cv_modes_args &a, int column, bool there, REAL *kept) {
  const int nx = (int)a.box.n[0], ny = (int)a.box.n[1], first = a.low != 0;
  const int i = there ? column % nx : 0, j = there ? column / nx : 0;
  const REAL *const of_x = static_cast<const REAL *>(a.table), *const of_y = of_x + 2 * nx;
  const int64_t sz = a.box.sz, at = j * a.box.sy + i + first * sz;
  return modes_column{static_cast<REAL *>(a.x) + at, static_cast<REAL *>(a.work) + at, kept, (unsigned)(sz * sizeof(REAL)), there ? (int)a.box.n[2] - first - (a.high != 0) : 0,
                      of_x[i], of_y[j], of_x[nx + i] * of_y[ny + j]};
}

DEVICE const REAL *modes_planes_of(const cv_modes_args &a) { return static_cast<const REAL *>(a.table) + 2 * (a.box.n[0] + a.box.n[1]); }

/* Zeros where a column is fixed; x is its first node. */
DEVICE void modes_fix(const cv_modes_args &a, const modes_column &c) {
  REAL *const x = a.low ? c.x - a.box.sz : c.x;
  if (a.low)
    x[0] = 0;
  if (a.high)
    x[(a.box.n[2] - 1) * a.box.sz] = 0;
}

#endif
