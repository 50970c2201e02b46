/* Warps that march up through the planes of a slab with vectors of nodes side by side in x: a vector moves as 16 bytes,
   and what lies between two nodes in x passes from lane to lane. The rows of a block lie side by side in y, so that what
   one row reads of the next comes from the first cache. */
#ifndef CONVECT_MARCH_CUH
#define CONVECT_MARCH_CUH

#include "slab.cuh"

/* Nodes of a vector. */
enum { march_nodes = 16 / sizeof(REAL) };

/* Whether lanes see what their neighbours have. Then the first and the last lane of a warp only help, and a row has a vector below
   node 0. */
enum { march_alone, march_together };

typedef struct __align__(16) {
  REAL v[march_nodes];
} march_vector;

DEVICE march_vector march_load(const REAL *p) { return *reinterpret_cast<const march_vector *>(p); }

/* A lane's vector begins at node (i,j,.), with i below 0 or beyond the row in lanes that only help; those that own
   nodes write them. The planes are low..high-1, alike in the block. */
typedef struct {
  int i, j, low, high;
  bool owns;
} march;

/* Rows of blockDim.y in y belong together; the vectors of a row, of which the last holds node n + `after` - 1 or more, follow
   those of the row before. */
template <int help>
DEVICE march march_of(const int64_t *n, int after) {
  const int nx = (int)n[0], ny = (int)n[1], nz = (int)n[2], rows = (int)blockDim.y, lane = (int)threadIdx.x;
  const int vectors = help + (nx + after + march_nodes - 1) / march_nodes, strips = (ny + rows - 1) / rows;
  const int all = (int)blockIdx.x * (32 - 2 * help) + lane - help, place = min(max(all, 0), vectors * strips - 1);
  const int planes = planes_of_slab(nz), strip = place / vectors;
  march m;
  m.i = (place - strip * vectors - help) * march_nodes;
  m.j = strip * rows + (int)threadIdx.y;
  m.owns = lane >= help && lane < 32 - help && place == all && m.j < ny && m.i >= 0 && m.i < nx;
  m.j = min(m.j, ny - 1);
  m.low = min((int)blockIdx.z * planes, nz);
  m.high = min(m.low + planes, nz);
  return m;
}

/* Writes the nodes of a vector that begins at node i of n. */
DEVICE void march_store(REAL *p, const march_vector &x, int i, int n) {
  if (i + march_nodes <= n) {
    *reinterpret_cast<march_vector *>(p) = x;
    return;
  }
#pragma unroll
  for (int v = 0; v < march_nodes; v++)
    if (i + v < n)
      p[v] = x.v[v];
}

/* The value of the lane after or before. */
DEVICE REAL march_after(REAL x) { return __shfl_down_sync(0xffffffff, x, 1); }
DEVICE REAL march_before(REAL x) { return __shfl_up_sync(0xffffffff, x, 1); }

/* Values of an axis array at the nodes of a vector, 0 at those that lie beyond the n of the axis. */
DEVICE march_vector march_axis(const REAL *x, int i, int n) {
  march_vector r;
#pragma unroll
  for (int v = 0; v < march_nodes; v++)
    r.v[v] = i + v >= 0 && i + v < n ? x[i + v] : 0;
  return r;
}

/* a / b to two units in the last place where a and b are of ordinary size. */
#ifdef __CUDACC__
DEVICE float march_quotient(float a, float b) {
  float r;
  asm("rcp.approx.ftz.f32 %0, %1;" : "=f"(r) : "f"(b));
  return a * r;
}

DEVICE double march_quotient(double a, double b) {
  double r;
  asm("rcp.approx.ftz.f64 %0, %1;" : "=d"(r) : "d"(b));
  const double e = fma(-b, r, 1.0); /* r is good to 20 bits, and then to 60 */
  r = fma(r, fma(e, e, e), r);
  return a * r;
}
#else
DEVICE REAL march_quotient(REAL a, REAL b) { return a / b; }
#endif

/* x - y. */
DEVICE march_vector march_difference(const march_vector &x, const march_vector &y) {
  march_vector d;
#pragma unroll
  for (int v = 0; v < march_nodes; v++)
    d.v[v] = x.v[v] - y.v[v];
  return d;
}

#endif
