/* What trilinear elements of any widths and any K give to the faces around nodes (kernels/doc.go), on columns that march through z.

   A thread has the nodes of R rows, and the cells behind them in x of R + 1 rows: from the row before its first to that behind its last. What they give to nodes behind them in x comes from
   the lane before (trilinear_thread_of in sweep_trilinear.cuh). A plane gives the sums of a field over the four nodes of a cell, and its differences in x, in y and in both; a
   layer of cells between two planes gives the fluxes along the edges of each, which are the same sums and differences with other factors: along x, with y and z of -1 or 1 for the
   ends of the cell,

     -V w_x/144 (9 D + 3 y X + 3 z D' + y z X') - z c_x + y z w_x c,

   D and X the differences in x and in both, those with a prime the upper plane's less the lower one's and the others of both together, V the volume, w = K/h^2, and c the circulations of
   buoyancy; likewise along y; and along z

     -V w_z/144 (9 S + 3 x D + 3 y E + x y X) + x c_x + y c_y - x y (w_x + w_y) c,

   of the upper plane less the lower one and less the buoyancy b = h_z Ra theta of both. */
#ifndef CONVECT_TRILINEAR_MARCH_CUH
#define CONVECT_TRILINEAR_MARCH_CUH

#include "../stencil/sweep_trilinear.cuh"

/* Rows of a thread, and rows of cells. */
enum { flux_rows = 2, flux_cells = flux_rows + 1 };

typedef sweep_thread<1, flux_rows> flux_thread;

/* A field in a plane: of the nodes around a thread's, its values; of its cells, sums, and differences in x, in y and in both. */
struct flux_plane {
  REAL u[flux_rows + 2], s[flux_cells], d[flux_cells], e[flux_cells], x[flux_cells];
};

/* What the lane behind has of v, or `beyond` where there is none. */
DEVICE REAL flux_right(const flux_thread &t, REAL v, REAL beyond) {
  const REAL right = __shfl_down_sync(0xffffffffu, v, 1);
  return t.p.load_high ? beyond : right;
}

/* The plane whose first node is at u, less a mean. */
DEVICE flux_plane flux_plane_at(const flux_thread &t, const REAL *u, int sy, REAL mean) {
  flux_plane p;
  REAL right[flux_rows + 2];
#pragma unroll
  for (int r = 0; r < flux_rows + 2; r++) {
    const REAL *at = u + (r - 1) * sy;
    p.u[r] = at[0] - mean;
    right[r] = t.p.load_high ? at[1] - mean : (REAL)0;
  }
#pragma unroll
  for (int r = 0; r < flux_rows + 2; r++)
    right[r] = flux_right(t, p.u[r], right[r]);
#pragma unroll
  for (int c = 0; c < flux_cells; c++) {
    const REAL low = right[c] - p.u[c], high = right[c + 1] - p.u[c + 1];
    p.d[c] = low + high, p.x[c] = high - low;
    p.e[c] = (p.u[c + 1] - p.u[c]) + (right[c + 1] - right[c]);
    p.s[c] = (p.u[c] + right[c]) + (p.u[c + 1] + right[c + 1]);
  }
  return p;
}

/* V w/144 along the axes, of a cell. */
struct flux_cell {
  REAL g[3];
};

/* Cell c of the layer above plane k, whose first node is at `at`. */
DEVICE flux_cell flux_cell_of(const cv_elliptic &a, const flux_thread &t, int64_t at, int k, int c) {
  const int64_t cell = at + (c - 1) * (int)a.box.sy;
  const REAL h = AXIS(a.h[2])[k], over = AXIS(a.rh[2])[k], part = (REAL)1 / 144, x = t.rx[1] * (t.rx[1] * t.hx[1]), y = t.ry[c] * (t.ry[c] * t.hy[c]), z = over * (over * h);
  flux_cell f = {{(REAL)a.k[0], (REAL)a.k[1], (REAL)a.k[2]}};
  if (a.cells[0]) {
    f.g[0] = f.g[1] = f.g[2] = AXIS(a.cells[0])[cell];
    if (a.cells[1] != a.cells[0])
      f.g[1] = AXIS(a.cells[1])[cell];
    if (a.cells[2] != a.cells[0])
      f.g[2] = AXIS(a.cells[2])[cell];
  }
  f.g[0] *= part * t.hy[c] * x * h;
  f.g[1] *= part * t.hx[1] * y * h;
  f.g[2] *= part * t.hx[1] * t.hy[c] * z;
  return f;
}

/* Sums and differences over the four nodes of a cell in a plane, or over its four edges along an axis: those in the first axis across, in the second, and in both. */
struct flux_modes {
  REAL all, first, second, both;
};

/* The circulations of buoyancy, c_x, c_y, w_x c and w_y c, from b. */
struct flux_turns {
  REAL x, y, both_x, both_y;
};

DEVICE flux_turns flux_turns_of(const flux_cell &f, const flux_modes &b) {
  const REAL x = f.g[0], y = f.g[1], z = f.g[2], with_x = x + z, with_y = y + z, part = 6 * z, both = -8 * z * strip_reciprocal(x + with_y) * b.both;
  return {part * (x * strip_reciprocal(with_x)) * b.first, part * (y * strip_reciprocal(with_y)) * b.second, x * both, y * both};
}

/* Along z: what a layer's cells give to a thread's nodes below it. */
DEVICE void flux_up(REAL (&z)[flux_rows], const flux_modes (&f)[flux_cells]) {
#pragma unroll
  for (int r = 0; r < flux_rows; r++) {
    const flux_modes &low = f[r], &high = f[r + 1];
    const REAL all = low.all + high.all, first = low.first + high.first, second = low.second - high.second, both = low.both - high.both;
    z[r] = ((all - first) + (second - both)) + __shfl_up_sync(0xffffffffu, (all + first) + (second + both), 1);
  }
}

/* Fluxes from the nodes of a plane along x and y, and through the layer above it. */
struct flux_nodes {
  REAL x[flux_rows], y[flux_rows], z[flux_rows];
};

/* What a thread has of the plane below: u, the temperature less its mean, and what the layer below the plane gives along x and y to the nodes in it. */
struct flux_state {
  flux_plane u, t;
  REAL x[flux_cells], x_turned[flux_cells], y[flux_cells], y_turned[flux_cells];
};

/* What a cell gives along x, or along y, to the nodes of the plane below it, together with `kept`, which the cell below gives; what it gives to the plane above is kept then. u is what drives
   the fluxes, of which `second` is along z, and turn and turn_both are circulations; turned is what has the sign of the axis across. */
DEVICE void flux_share(REAL g, const flux_modes &u, REAL turn, REAL turn_both, REAL &sum, REAL &sum_turned, REAL &kept, REAL &kept_turned) {
  const REAL g3 = -3 * g;
  sum = fma(g3, fma((REAL)3, u.all, -u.second), kept + turn), sum_turned = fma(-g, fma((REAL)3, u.first, -u.both), kept_turned - turn_both);
  kept = fma(g3, fma((REAL)3, u.all, u.second), -turn), kept_turned = fma(-g, fma((REAL)3, u.first, u.both), turn_both);
}

/* Fluxes around plane k, whose first node is at `at`, from the state and the plane above, whose u is `high` and whose temperature less its mean `warm`; u is the whole array. With buoyancy,
   `lift` times the temperature of both planes is b. The state is then that of the plane above. */
template <bool buoyant>
DEVICE flux_nodes flux_step(flux_state &s, const cv_elliptic &a, const flux_thread &t, const REAL *u, const flux_plane &high, const flux_plane &warm, REAL lift, int64_t at, int k) {
  const int sy = (int)a.box.sy;
  REAL pair[flux_rows + 2]; /* rises of two nodes beside each other in x */
#pragma unroll
  for (int r = 0; r < flux_rows + 2; r++) {
    const REAL *edge = u + at + (r - 1) * sy + 1;
    const REAL rise = high.u[r] - s.u.u[r];
    pair[r] = rise + flux_right(t, rise, t.p.load_high ? edge[a.box.sz] - edge[0] : (REAL)0);
  }
  REAL x[flux_cells], x_turned[flux_cells], y[flux_cells], y_turned[flux_cells];
  flux_modes up[flux_cells];
#pragma unroll
  for (int c = 0; c < flux_cells; c++) {
    const flux_cell cell = flux_cell_of(a, t, at, k, c);
    const flux_modes plane = {0, s.u.d[c] + high.d[c], s.u.e[c] + high.e[c], s.u.x[c] + high.x[c]};
    flux_modes rise = {pair[c] + pair[c + 1], high.d[c] - s.u.d[c], high.e[c] - s.u.e[c], high.x[c] - s.u.x[c]};
    const flux_modes along_x = {plane.first, plane.both, rise.first, rise.both}, along_y = {plane.second, plane.both, rise.second, rise.both};
    flux_turns turns = {};
    if (buoyant) {
      const flux_modes b = {lift * (s.t.s[c] + warm.s[c]), lift * (s.t.d[c] + warm.d[c]), lift * (s.t.e[c] + warm.e[c]), lift * (s.t.x[c] + warm.x[c])};
      turns = flux_turns_of(cell, b);
      rise = {rise.all - b.all, rise.first - b.first, rise.second - b.second, rise.both - b.both};
    }
    flux_share(cell.g[0], along_x, turns.x, turns.both_x, x[c], x_turned[c], s.x[c], s.x_turned[c]);
    flux_share(cell.g[1], along_y, turns.y, turns.both_y, y[c], y_turned[c], s.y[c], s.y_turned[c]);
    const REAL g3 = -3 * cell.g[2];
    up[c] = {g3 * (3 * rise.all), fma(g3, rise.first, turns.x), fma(g3, rise.second, turns.y), fma(-cell.g[2], rise.both, -(turns.both_x + turns.both_y))};
  }
  flux_nodes n;
  flux_up(n.z, up);
#pragma unroll
  for (int r = 0; r < flux_rows; r++) {
    n.x[r] = (x[r] + x_turned[r]) + (x[r + 1] - x_turned[r + 1]);
    n.y[r] = (y[r + 1] - y_turned[r + 1]) + __shfl_up_sync(0xffffffffu, y[r + 1] + y_turned[r + 1], 1);
  }
  s.u = high, s.t = warm;
  return n;
}

#endif
