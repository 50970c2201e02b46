/* LaplaceJacobi (Giles 2008). */
#include "laplace.cuh"

/* The paper's kernel: a thread block has a column of a.tile[0] by a.tile[1] nodes, one thread a node, and marches up through the planes of its
   slab with three of them in shared memory. Of plane k+1 each thread reads its node, and one of the halo if there is one for it. */
KERNEL(laplace_planes, giles_laplace_args) {
  DYNAMIC_SHARED(REAL, shared);
  const int wide = (int)a.tile[0], high = (int)a.tile[1], thread = (int)threadIdx.x;
  const int nx = (int)a.box.n[0], ny = (int)a.box.n[1], nz = (int)a.box.n[2], sy = (int)a.box.sy;
  const int k0 = (int)blockIdx.z * (int)a.tile[2], k1 = min(k0 + (int)a.tile[2], nz);
  const int x0 = (int)blockIdx.x * wide, y0 = (int)blockIdx.y * high;
  /* Rows of shared memory with a node of the halo at each end, and more to a multiple of 16, as in the paper. */
  const int row = (wide + 2 + 15) / 16 * 16, plane = row * (high + 2);

  const int tx = thread % wide, ty = thread / wide, i = x0 + tx, j = y0 + ty;
  const bool has_node = thread < wide * high && i < nx && j < ny;
  const bool fixed = i == 0 || i == nx - 1 || j == 0 || j == ny - 1;
  const int own = (ty + 1) * row + tx + 1, at = j * sy + i;
  /* The halo: rows in y, before and behind, then columns in x. */
  int hx = thread % wide, hy = thread < wide ? -1 : high;
  if (thread >= 2 * wide) {
    const int side = thread - 2 * wide;
    hx = side < high ? -1 : wide;
    hy = side % high;
  }
  const int hi = x0 + hx, hj = y0 + hy, halo = (hy + 1) * row + hx + 1, halo_at = hj * sy + hi;
  const bool has_halo = thread < 2 * (wide + high) && hi >= 0 && hi < nx && hj >= 0 && hj < ny;

  const REAL *u = static_cast<const REAL *>(a.u);
  REAL *out = static_cast<REAL *>(a.out);
  REAL *below = shared, *centre = shared + plane, *above = shared + 2 * plane;
  for (int k = k0 - 2; k < k1; k++) {
    if (k + 1 >= 0 && k + 1 < nz) {
      const REAL *from = u + (k + 1) * a.box.sz;
      if (has_node)
        above[own] = from[at];
      if (has_halo)
        above[halo] = from[halo_at];
    }
    __syncthreads();
    if (k >= k0 && has_node) {
      const REAL x = centre[own - 1] + centre[own + 1], y = centre[own - row] + centre[own + row], z = below[own] + above[own];
      out[k * a.box.sz + at] = fixed || k == 0 || k == nz - 1 ? centre[own] : (REAL)(1.0 / 6) * ((x + y) + z);
    }
    __syncthreads();
    REAL *free = below;
    below = centre;
    centre = above;
    above = free;
  }
}

/* As in gpu.go. */
#define LAPLACE_STRIP(rows, W, R, threads, blocks)                        \
  KERNEL_BOUNDS(laplace_strip_##rows, giles_laplace_args, threads, blocks) { \
    laplace_strip<W * 16 / sizeof(REAL), R, laplace_##rows>(a);           \
  }

LAPLACE_STRIP(whole, 2, 2, 128, 4)
LAPLACE_STRIP(any, 2, 2, 128, 4)

#define LAPLACE_PASS(S, rows, R, warps, LATE)                                \
  KERNEL_BOUNDS(laplace_pass_##S##_##rows, giles_laplace_args, 32 * warps, 1) { \
    laplace_pass<32 / sizeof(REAL), R, laplace_##rows, S, LATE>(a);          \
  }

#define LAPLACE_PASSES(S, R, warps, LATE)  \
  LAPLACE_PASS(S, whole, R, warps, LATE)   \
  LAPLACE_PASS(S, any, R, warps, LATE)

LAPLACE_PASSES(2, 2, 14, false)
LAPLACE_PASSES(3, 2, 12, true)
LAPLACE_PASSES(4, 2, 8, false)
