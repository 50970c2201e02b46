/* Rows of nodes around a lane's for sums over the 9 nodes of a plane, on grids of even widths: neighbours beyond a wall are mirror images. Lanes as
   in march.cuh; what lies beside a vector in x passes between them. */
#ifndef CONVECT_TRILINEAR_ROWS_CUH
#define CONVECT_TRILINEAR_ROWS_CUH

#include "../march/march.cuh"

/* Where the rows before and behind a lane's lie, in elements. A bit each: which of its faces in x above nodes are walls', and which of its nodes lie
   beyond the row (`idle`); which of its nodes are the first (bit 0) or the last of a row between walls (from bit 1 on; bit march_nodes is that of the node
   after the lane's). Whether any lane of the warp has mirror images in x: of this lane's nodes node -1 is the last (`left`), or node nx is number `right`
   (-1: none). */
typedef struct {
  march m;
  int front, back, walls, idle, ends, right;
  bool left, mirrors;
} trilinear_column;

DEVICE trilinear_column trilinear_column_of(const cv_box &box, const int64_t *periodic, int seen) {
  trilinear_column c;
  const march m = c.m = march_of<march_together>(box.n, seen);
  const int nx = (int)box.n[0], ny = (int)box.n[1], sy = (int)box.sy;
  const bool open_x = periodic[0] != 0, open_y = periodic[1] != 0;
  c.front = !open_y && m.j == 0 ? sy : -sy;
  c.back = !open_y && m.j == ny - 1 ? -sy : sy;
  c.left = !open_x && m.i == -march_nodes;
  c.right = !open_x && nx >= m.i && nx < m.i + march_nodes ? nx - m.i : -1;
  c.mirrors = __any_sync(0xffffffff, c.left || c.right >= 0);
  c.walls = c.idle = 0;
  c.ends = !open_x && m.i == 0;
  for (int v = 0; v < march_nodes; v++) {
    if (!open_x && (m.i + v == -1 || m.i + v >= nx - 1))
      c.walls |= 1 << v;
    if (m.i + v >= nx)
      c.idle |= 1 << v;
    if (!open_x && m.i + v + 1 == nx - 1)
      c.ends |= 2 << v;
  }
  return c;
}

/* Asks for a vector, so that it is in the second-level cache when it is read. */
DEVICE void trilinear_prefetch([[maybe_unused]] const REAL *p) {
#ifdef __CUDACC__
  asm volatile("prefetch.global.L2 [%0];" ::"l"(p));
#endif
}

/* The mirror images of a row. All lanes of the warp call it. */
DEVICE void trilinear_mirror(const trilinear_column &c, march_vector &x) {
  const REAL second = march_after(x.v[1]);
  REAL before[2] = {march_before(x.v[march_nodes - 2]), march_before(x.v[march_nodes - 1])};
  march_vector r = x;
  if (c.left)
    r.v[march_nodes - 1] = second;
#pragma unroll
  for (int v = 0; v < march_nodes; v++)
    if (c.right == v)
      r.v[v] = v < 2 ? before[v % 2] : x.v[(v + march_nodes - 2) % march_nodes];
  x = r;
}

/* Pressure and temperature of the rows before a lane's, of its own, and behind. */
typedef struct {
  march_vector p[3], t[3];
} trilinear_planes;

/* Those of a plane at p and t, where T of the own row has been read. `inwards` is 0, or leads from a plane beyond a wall to the wall. */
DEVICE trilinear_planes trilinear_planes_at(const trilinear_column &c, const REAL *p, const REAL *t, const march_vector &own, int inwards) {
  trilinear_planes r;
  r.t[0] = march_load(t + c.front);
  r.t[2] = march_load(t + c.back);
  r.p[0] = march_load(p + c.front);
  r.p[2] = march_load(p + c.back);
  r.p[1] = march_load(p);
  r.t[1] = own;
  if (inwards != 0) {
    const int row[3] = {c.front, 0, c.back};
#pragma unroll
    for (int n = 0; n < 3; n++) {
      r.p[n] = march_load(p + row[n] + 2 * inwards);
      const march_vector wall = march_load(t + row[n] + inwards), next = march_load(t + row[n] + 2 * inwards);
#pragma unroll
      for (int v = 0; v < march_nodes; v++)
        r.t[n].v[v] = -fma((REAL)2, wall.v[v], next.v[v]);
    }
  }
  if (c.mirrors)
#pragma unroll
    for (int n = 0; n < 3; n++) {
      trilinear_mirror(c, r.p[n]);
      trilinear_mirror(c, r.t[n]);
    }
  return r;
}

/* Whence a plane k leads to the wall that it lies beyond, in elements; 0 where it does not. */
DEVICE int trilinear_inwards(const cv_box &box, bool walls, int k) {
  return walls && k < 0 ? (int)box.sz : walls && k >= (int)box.n[2] ? -(int)box.sz : 0;
}

#endif
