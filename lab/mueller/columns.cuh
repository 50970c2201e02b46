/* What kernels on columns share: panel.go and args.go. In either order of memory a panel is a stack of
   contiguous planes of contiguous runs: in row order runs of a level (i, then j, then k), in column order columns (k, then i, then j).
   All around the cells is zero, and so are the coefficients that lead there, so that whole vectors are computed and written. */
#ifndef MUELLER_COLUMNS_CUH
#define MUELLER_COLUMNS_CUH

#include "launch.h"
#include "march/march.cuh"
#include "vector/reduce.cuh"

#include "args.h"

enum { column_order = 0, row_order = 1 };

/* What a kernel on columns is launched with. slot: where its sums go; scalars: alpha, beta and rho of conjugate gradients, NULL where the
   host has them; given: likewise, those to begin with. */
typedef struct {
  mueller_args c;
  double *slot;
  double *scalars;
  const double *given;
} mueller_launch;

/* The scalars that a loop of conjugate gradients takes. */
DEVICE REAL alpha_of(const mueller_launch &l) { return (REAL)(l.given ? l.given[0] : l.c.alpha); }
DEVICE REAL beta_of(const mueller_launch &l) { return (REAL)(l.given ? l.given[1] : l.c.beta); }

/* The axis of planes, and that of the runs in a plane. */
template <int order> DEVICE constexpr int plane_axis() { return order == row_order ? 2 : 1; }
template <int order> DEVICE constexpr int run_axis() { return order == row_order ? 1 : 0; }

/* 1 / x, x > 0, to two units in the last place. */
DEVICE REAL column_inverse(REAL x) { return march_quotient((REAL)1, x); }

/* Writes the sums over a block as its partial results, which column_sums adds up: to do so in the block that is the last would make every
   block wait until its stores have arrived, a fifth of the time of these kernels. All threads call it. */
template <int count> DEVICE void put_partials(const mueller_launch &l, const double (&sums)[count]) {
  __shared__ double room[count][32];
  put_all<count, 0>(l.c.partial, sums, room);
}

/* The sum of the products of two vectors, in REAL. */
DEVICE REAL vector_dot(const march_vector &x, const march_vector &y) {
  REAL s = x.v[0] * y.v[0];
#pragma unroll
  for (int v = 1; v < march_nodes; v++)
    s = fma(x.v[v], y.v[v], s);
  return s;
}

/* A vector that is asked for where this stands. Any other load ptxas moves behind the branch in which its value is used, and memory is
   waited for once more; elements that are read once lose nothing by passing the first cache. */
DEVICE march_vector vector_load_now(const REAL *p) {
#ifdef __CUDACC__
  march_vector r;
  unsigned w[4];
  asm volatile("ld.volatile.global.v4.u32 {%0,%1,%2,%3}, [%4];" : "=r"(w[0]), "=r"(w[1]), "=r"(w[2]), "=r"(w[3]) : "l"(p) : "memory");
  memcpy(&r, w, sizeof r);
  return r;
#else
  return march_load(p);
#endif
}

DEVICE void vector_store(REAL *p, const march_vector &x) { *reinterpret_cast<march_vector *>(p) = x; }

/* Loads and stores of what the next kernel of an iteration does not want: the second-level cache is to keep the rest for it. */
#ifdef __CUDACC__
DEVICE REAL load_once(const REAL *p) { return __ldcs(p); }
DEVICE void store_once(REAL *p, REAL x) { __stcs(p, x); }

DEVICE march_vector vector_load_once(const REAL *p) {
  march_vector r;
  const uint4 w = __ldcs(reinterpret_cast<const uint4 *>(p));
  memcpy(&r, &w, sizeof r);
  return r;
}

DEVICE void vector_store_once(REAL *p, const march_vector &x) {
  uint4 w;
  memcpy(&w, &x, sizeof w);
  __stcs(reinterpret_cast<uint4 *>(p), w);
}
#else
DEVICE REAL load_once(const REAL *p) { return *p; }
DEVICE void store_once(REAL *p, REAL x) { *p = x; }
DEVICE march_vector vector_load_once(const REAL *p) { return march_load(p); }
DEVICE void vector_store_once(REAL *p, const march_vector &x) { vector_store(p, x); }
#endif

/* Asks for what will be read at p soon, so that the second-level cache has it then: 32 bytes, of two lanes. */
DEVICE void vector_ahead([[maybe_unused]] const REAL *p) {
#ifdef __CUDACC__
  asm volatile("prefetch.global.L2 [%0];" ::"l"(p));
#endif
}

/* A u of a cell: six differences with their coefficients, and what the level and the column have. */
DEVICE REAL cell_balance(REAL u, REAL mass, REAL area, REAL horizontal, const REAL (&to)[6], const REAL (&g)[6]) {
  const REAL x = fma(g[0], u - to[0], g[1] * (u - to[1])), y = fma(g[2], u - to[2], g[3] * (u - to[3]));
  const REAL z = fma(g[4], u - to[4], g[5] * (u - to[5]));
  return fma(area, fma(mass, u, z), horizontal * (x + y));
}

/* A u of cell (i,j,k) of any panel, all of it read from memory. */
DEVICE REAL balance_at(const mueller_columns &a, const REAL *field, int64_t i, int64_t j, int64_t k) {
  const int64_t *s = a.panel.stride, *n = a.panel.n, column = i + j * a.panel.row;
  const REAL *u = field + i * s[0] + j * s[1] + k * s[2];
  const REAL *x = AXIS(a.edge_x) + column, *y = AXIS(a.edge_y) + column, *b = AXIS(a.vertical) + k;
  const REAL to[6] = {u[i > 0 ? -s[0] : 0],        u[i < n[0] - 1 ? s[0] : 0], u[j > 0 ? -s[1] : 0],
                      u[j < n[1] - 1 ? s[1] : 0], u[k > 0 ? -s[2] : 0],        u[k < n[2] - 1 ? s[2] : 0]};
  const REAL g[6] = {x[-1], x[0], y[-a.panel.row], y[0], b[0], b[1]};
  return cell_balance(u[0], AXIS(a.mass)[k], AXIS(a.area)[column], AXIS(a.horizontal)[k], to, g);
}

#endif
