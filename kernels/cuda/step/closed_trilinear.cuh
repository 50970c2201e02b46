/* Q of trilinear elements (kernels/doc.go) from pressure and temperature plane by plane, for even widths and constant K where fluid passes no wall.

   There the fluxes of all cells around an edge are sums of separable averages. With second differences d_x = u_left - 2 u + u_right and so on (mirrored
   at walls), A = 1 + d/6 along an axis, w_d = k_d / h_d^2 and theta = T less the mean of its plane,

     Q_x = k_x/h_x [A_y A_z (p - p_right) + r_x (1 + e_x d_y) (theta_above - theta_below - (the same on the right))],
     Q_z = k_z/h_z [A_x A_y (p - p_above) + h_z Ra/2 (1 + a_x d_x + a_y d_y + b d_x d_y) (theta + theta_above)],

   Q_y like Q_x; r_x = -Ra k_z / (12 h_z (w_x + w_z)), e_x = 1/4 - (w_x + w_z) / (3 w), a_x = 1/6 - w_x / (6 (w_x + w_z)),
   b = 1/36 + (a_x + a_y - 1/3) / 4 + (w_x + w_y) / (18 w), w = w_x + w_y + w_z. The terms of r and those of a beyond 1/6 are the circulations within
   cells. Beyond a wall in z the sum of theta over a face is that of the first face turned round.

   A plane gives what its averages in x and y are to the faces in it and in the planes below and above: once all three have been read, Q is known. What is
   averaged are differences. */
#ifndef CONVECT_CLOSED_TRILINEAR_CUH
#define CONVECT_CLOSED_TRILINEAR_CUH

#include "closed.cuh"
#include "../stencil/trilinear_rows.cuh"

/* What the planes read so far give to Q on a kind of faces in the last of them, and what the last gives to the next. */
typedef struct {
  march_vector sum, below;
} trilinear_faces;

/* Of the last plane read: its faces in x above the nodes, and in y before and behind; p, and what else it gives to the faces in z above it. */
typedef struct {
  trilinear_faces x, front, back;
  march_vector p, low;
} trilinear_state;

/* Q on the faces of a plane in x above the nodes and in y before and behind, and on those in z between it and the next. */
typedef struct {
  march_vector x, front, back, z;
} trilinear_flux;

/* Differences of T in a plane less those of what follows: to the next in x, to the row behind, and of the latter to the next in x. */
typedef struct {
  march_vector x, y, xy;
} trilinear_bends;

/* Of a row: Q over 36 times averaged differences of p on the faces before and behind. */
typedef struct {
  REAL low, high;
} trilinear_sides;

DEVICE trilinear_sides trilinear_sides_of(const cv_closed_trilinear_args &a, int j) {
  const cv_advect_args &f = a.closed.advect_measured.flow;
  trilinear_sides s;
  s.low = f.periodic[1] || j > 0 ? a.across[1].TYPE : 0;
  s.high = f.periodic[1] || j < (int)f.box.n[1] - 1 ? a.across[1].TYPE : 0;
  return s;
}

/* Adds 36 times the averages e and what theta gives, g, of the next plane; returns those of the last plane, and makes the next the last. */
DEVICE REAL trilinear_next(trilinear_faces &f, int v, REAL turn, REAL e, REAL g) {
  const REAL q = f.sum.v[v] + fma(turn, g, e);
  f.sum.v[v] = fma((REAL)4, e, f.below.v[v]);
  f.below.v[v] = fma(-turn, g, e);
  return q;
}

/* A vector with what lies before and after it. */
typedef struct {
  REAL v[march_nodes + 2];
} trilinear_wide;

DEVICE trilinear_wide trilinear_widened(const march_vector &x) {
  trilinear_wide r;
  r.v[0] = march_before(x.v[march_nodes - 1]);
#pragma unroll
  for (int v = 0; v < march_nodes; v++)
    r.v[v + 1] = x.v[v];
  r.v[march_nodes + 1] = march_after(x.v[0]);
  return r;
}

/* Each less the next, from what lies before the first node on. */
typedef struct {
  REAL v[march_nodes + 1];
} trilinear_steps;

DEVICE trilinear_steps trilinear_steps_of(const march_vector &x) {
  const REAL next = march_after(x.v[0]);
  trilinear_steps r;
#pragma unroll
  for (int v = 0; v < march_nodes; v++)
    r.v[v + 1] = x.v[v] - (v + 1 < march_nodes ? x.v[(v + 1) % march_nodes] : next);
  r.v[0] = march_before(r.v[march_nodes]);
  return r;
}

/* Those of the differences in y, low - high. */
DEVICE trilinear_steps trilinear_steps_of(const trilinear_wide &low, const trilinear_wide &high) {
  trilinear_steps r;
  REAL own = low.v[0] - high.v[0];
#pragma unroll
  for (int v = 0; v <= march_nodes; v++) {
    const REAL next = low.v[v + 1] - high.v[v + 1];
    r.v[v] = own - next;
    own = next;
  }
  return r;
}

/* Takes the rows of the next plane, whose mean temperature is given; g is Q over a difference of p on the faces in z below it. */
DEVICE trilinear_flux trilinear_read(const cv_closed_trilinear_args &a, const trilinear_column &c, const trilinear_sides &row, const trilinear_planes &r, REAL mean,
                                     REAL g, trilinear_state &s, trilinear_bends &bends) {
  const REAL sixth = (REAL)1 / 6;
  trilinear_flux q;
  const trilinear_wide p_low = trilinear_widened(march_difference(r.p[0], r.p[1])), p_high = trilinear_widened(march_difference(r.p[1], r.p[2]));
  const trilinear_wide t_low = trilinear_widened(march_difference(r.t[0], r.t[1])), t_high = trilinear_widened(march_difference(r.t[1], r.t[2]));
#pragma unroll
  for (int v = 0; v < march_nodes; v++) {
    const REAL beside = a.beside[1].TYPE, turn = a.turn[1].TYPE;
    q.front.v[v] = row.low * trilinear_next(s.front, v, turn, fma((REAL)4, p_low.v[v + 1], p_low.v[v] + p_low.v[v + 2]),
                                            fma(beside, t_low.v[v] + t_low.v[v + 2], t_low.v[v + 1]));
    q.back.v[v] = row.high * trilinear_next(s.back, v, turn, fma((REAL)4, p_high.v[v + 1], p_high.v[v] + p_high.v[v + 2]),
                                            fma(beside, t_high.v[v] + t_high.v[v + 2], t_high.v[v + 1]));
  }
  const trilinear_steps p_x = trilinear_steps_of(r.p[1]), t_x = trilinear_steps_of(r.t[1]);
  const trilinear_steps p_xyy = trilinear_steps_of(p_low, p_high), t_xyy = trilinear_steps_of(t_low, t_high);
#pragma unroll
  for (int v = 0; v < march_nodes; v++) {
    q.x.v[v] = a.across[0].TYPE * trilinear_next(s.x, v, a.turn[0].TYPE, fma((REAL)6, p_x.v[v + 1], p_xyy.v[v + 1]),
                                                 fma(a.beside[0].TYPE, t_xyy.v[v + 1], t_x.v[v + 1]));
    bends.x.v[v] = t_x.v[v + 1];
    bends.y.v[v] = t_high.v[v + 1];
    bends.xy.v[v] = t_high.v[v + 1] - t_high.v[v + 2];
  }
  if (c.walls != 0) {
    closed_seldom();
#pragma unroll
    for (int v = 0; v < march_nodes; v++)
      if (c.walls >> v & 1)
        q.x.v[v] = 0;
  }
#pragma unroll
  for (int v = 0; v < march_nodes; v++) {
    const REAL bend = fma(sixth, p_xyy.v[v] - p_xyy.v[v + 1], (p_x.v[v] - p_x.v[v + 1]) + (p_low.v[v + 1] - p_high.v[v + 1]));
    const REAL theta = a.lift[0].TYPE * (r.t[1].v[v] - mean);
    const REAL lifted = fma(a.lift[3].TYPE, t_xyy.v[v] - t_xyy.v[v + 1],
                            fma(a.lift[2].TYPE, t_low.v[v + 1] - t_high.v[v + 1], fma(a.lift[1].TYPE, t_x.v[v] - t_x.v[v + 1], theta)));
    const REAL high = fma(-sixth, bend, lifted);
    q.z.v[v] = g * ((s.p.v[v] - r.p[1].v[v]) + (s.low.v[v] + high));
    s.low.v[v] = fma(sixth, bend, lifted);
    s.p.v[v] = r.p[1].v[v];
  }
  return q;
}

/* The levels of a slab from that of the plane below it on. All threads of the block call it, and then wait. */
DEVICE void closed_trilinear_levels(const cv_closed_args &a, const march &m, closed_level *levels) {
  for (int k = m.low - 1 + (int)(threadIdx.x + blockDim.x * threadIdx.y); k < m.high; k += (int)(blockDim.x * blockDim.y))
    levels[k - m.low + 1] = closed_level_of(a, k);
}

#endif
