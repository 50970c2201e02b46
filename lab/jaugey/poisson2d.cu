/* Poisson2D (Jaugey 2021): a thread a row, a column, or a node, the last from memory or from shared memory. Rows lie in x. */
#include "launch.h"

#include "args.h"

enum { row_threads, column_threads, square_tiles, staged_tiles };

/* Node (i,k): `u` at `c` and a stride s from row to row are those of the array or of a copy. */
DEVICE void poisson_node(const jaugey_poisson_args &a, int i, int k, const REAL *u, int c, int s) {
  const int at = k * (int)a.box.sz + i;
  const bool wall = i == 0 || i == (int)a.box.n[0] - 1 || k == 0 || k == (int)a.box.n[2] - 1;
  REAL value = u[c];
  if (!wall)
    value = (REAL)0.25 * (((u[c - 1] + u[c + 1]) + (u[c - s] + u[c + s])) + AXIS(a.f)[at]);
  static_cast<REAL *>(a.out)[at] = value;
}

/* A row from one end to the other: threads side by side are a row apart in memory. Blocks of more rows than threads take turns. */
KERNEL(poisson2d_rows, jaugey_poisson_args) {
  const int nx = (int)a.box.n[0], nz = (int)a.box.n[2], sz = (int)a.box.sz, tile = (int)a.tile;
  for (int r = (int)threadIdx.x; r < tile; r += (int)blockDim.x) {
    const int k = (int)blockIdx.x * tile + r;
    if (k < nz)
      for (int i = 0; i < nx; i++)
        poisson_node(a, i, k, AXIS(a.u), k * sz + i, sz);
  }
}

/* A column: threads side by side are so in memory. */
KERNEL(poisson2d_columns, jaugey_poisson_args) {
  const int nx = (int)a.box.n[0], nz = (int)a.box.n[2], sz = (int)a.box.sz, tile = (int)a.tile;
  for (int r = (int)threadIdx.x; r < tile; r += (int)blockDim.x) {
    const int i = (int)blockIdx.x * tile + r;
    if (i < nx)
      for (int k = 0; k < nz; k++)
        poisson_node(a, i, k, AXIS(a.u), k * sz + i, sz);
  }
}

/* A node; a block goes piece by piece through a tile of more nodes than it has threads. */
KERNEL(poisson2d_tiles, jaugey_poisson_args) {
  const int nx = (int)a.box.n[0], nz = (int)a.box.n[2], sz = (int)a.box.sz, tile = (int)a.tile;
  for (int y = (int)threadIdx.y; y < tile; y += (int)blockDim.y)
    for (int x = (int)threadIdx.x; x < tile; x += (int)blockDim.x) {
      const int i = (int)blockIdx.x * tile + x, k = (int)blockIdx.y * tile + y;
      if (i < nx && k < nz)
        poisson_node(a, i, k, AXIS(a.u), k * sz + i, sz);
    }
}

/* The same from a copy of a piece and its rim in shared memory. */
KERNEL(poisson2d_staged, jaugey_poisson_args) {
  DYNAMIC_SHARED(REAL, copy);
  const int nx = (int)a.box.n[0], nz = (int)a.box.n[2], sz = (int)a.box.sz, tile = (int)a.tile;
  const int tx = (int)threadIdx.x, ty = (int)threadIdx.y, wide = (int)blockDim.x, high = (int)blockDim.y, row = wide + 2;
  const REAL *u = AXIS(a.u);
  for (int y = 0; y < tile; y += high)
    for (int x = 0; x < tile; x += wide) {
      const int i = (int)blockIdx.x * tile + x + tx, k = (int)blockIdx.y * tile + y + ty, c = (ty + 1) * row + tx + 1, at = k * sz + i;
      const bool inside = x + tx < tile && y + ty < tile && i < nx && k < nz;
      __syncthreads(); /* the piece before is done */
      if (inside) {
        copy[c] = u[at];
        if (tx == 0 && i > 0)
          copy[c - 1] = u[at - 1];
        if ((tx == wide - 1 || x + tx == tile - 1) && i < nx - 1)
          copy[c + 1] = u[at + 1];
        if (ty == 0 && k > 0)
          copy[c - row] = u[at - sz];
        if ((ty == high - 1 || y + ty == tile - 1) && k < nz - 1)
          copy[c + row] = u[at + sz];
      }
      __syncthreads();
      if (inside)
        poisson_node(a, i, k, copy, c, row);
    }
}
