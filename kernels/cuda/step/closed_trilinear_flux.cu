/* DarcyFlux of trilinear elements of constant K and even widths. The faces of walls are left alone, so that it does not matter what passes them. */
#include "closed_trilinear.cuh"

/* Q of kernels.DarcyFluxArgs. Reads P and T and writes Q: 5 words a node. */
KERNEL_BOUNDS(trilinear_darcy_flux_even, cv_closed_trilinear_args, 128, 4) {
  __shared__ closed_level levels[closed_planes + 1];
  const cv_closed_args &closed = a.closed;
  const cv_advect_args &f = closed.advect_measured.flow;
  const trilinear_column c = trilinear_column_of(f.box, f.periodic, 1);
  const march &m = c.m;
  const int sz = (int)f.box.sz, nx = (int)f.box.n[0], ny = (int)f.box.n[1], nz = (int)f.box.n[2];
  const bool walls = !f.periodic[2], has_y = m.owns && (f.periodic[1] || m.j < ny - 1);
  const int faces = f.periodic[0] ? nx : nx - 1;
  const trilinear_sides row = trilinear_sides_of(a, m.j);
  closed_trilinear_levels(closed, m, levels);
  const int64_t at = m.i + m.j * f.box.sy + (m.low - 1) * f.box.sz;
  const REAL *t = AXIS(f.t) + at, *p = AXIS(closed.p) + at;
  REAL *x = static_cast<REAL *>(a.q[0]) + at, *y = static_cast<REAL *>(a.q[1]) + at, *z = static_cast<REAL *>(a.q[2]) + at;
  trilinear_state s = {};
  trilinear_bends bends;
  march_vector above = march_load(t + sz);
  trilinear_read(a, c, row, trilinear_planes_at(c, p, t, march_load(t), trilinear_inwards(f.box, walls, m.low - 1)), closed_mean(closed, m.low - 1), 0, s,
                 bends);
  __syncthreads();
  for (int k = m.low - 1; k < m.high; k++) {
    const trilinear_planes planes = trilinear_planes_at(c, p + sz, t + sz, above, trilinear_inwards(f.box, walls, k + 1));
    const march_vector over = march_load(t + 2 * sz);
    trilinear_prefetch(p + 2 * sz);
    const closed_level &l = levels[k - m.low + 1];
    const trilinear_flux q = trilinear_read(a, c, row, planes, l.mean, l.g, s, bends);
    if (k >= m.low) {
      if (m.owns)
        march_store(x, q.x, m.i, faces);
      if (has_y)
        march_store(y, q.back, m.i, nx);
      if (m.owns && (!walls || k < nz - 1))
        march_store(z, q.z, m.i, nx);
    }
    above = over;
    t += sz, p += sz, x += sz, y += sz, z += sz;
  }
}
