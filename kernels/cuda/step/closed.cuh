/* What the passes of AdvectMeasured share whose flow goes through no wall, in a box with constant K and 7 points: closed_advect.cu and
   closed_statistics.cu. The velocities on faces come from pressure and temperature on the way and are not stored. Those of wall faces are 0. */
#ifndef CONVECT_CLOSED_CUH
#define CONVECT_CLOSED_CUH

#include "../launch.h"
#include "../flow/darcy.cuh"
#include "../march/march.cuh"

/* Keeps what is done seldom a branch: as choices it would cost every lane. */
#ifdef __CUDACC__
DEVICE void closed_seldom() { asm volatile(""); }
#else
DEVICE void closed_seldom() {}
#endif

/* The larger; the first where the second is NaN. */
DEVICE REAL closed_larger(REAL x, REAL y) { return sizeof(REAL) == 4 ? max(x, y) : y > x ? y : x; }

/* A lane of a pass that sees `seen` nodes beyond the last of a row: whether walls and ends of rows concern it, and along x dual widths, 0 at nodes
   that are not the lane's, and 1/h. */
typedef struct {
  march m;
  bool at_left, at_right, edge, wall_y, near_y;
  march_vector w, rh;
} closed_column;

DEVICE closed_column closed_column_of(const cv_closed_args &a, int seen) {
  const cv_advect_args &f = a.advect_measured.flow;
  closed_column c;
  const march m = c.m = march_of<march_together>(f.box.n, seen);
  const int nx = (int)f.box.n[0], ny = (int)f.box.n[1];
  c.edge = m.i == 0 || m.i + march_nodes >= nx - 1;
  c.at_left = !f.periodic[0] && m.i == 0;
  c.at_right = !f.periodic[0] && m.i + march_nodes >= nx - 1;
  c.wall_y = !f.periodic[1] && (m.j == 0 || m.j == ny - 1);
  c.near_y = !f.periodic[1] && (m.j < 2 || m.j >= ny - 2);
  c.w = march_axis(AXIS(f.w[0]), m.i, m.owns ? nx : 0);
#pragma unroll
  for (int v = 0; v < march_nodes; v++)
    c.rh.v[v] = m.i + v >= -1 && m.i + v < nx ? AXIS(a.advect_measured.rh[0])[m.i + v] : 0;
  return c;
}

/* What is the same in a plane k: dual width, its reciprocal, and between k and k + 1 Q over a difference of p, Q over the sum of two theta, what a
   difference of T loses over the dual width, the distance of the nodes, 1 or at a wall 0; the mean of T in plane k + 1. */
typedef struct __align__(16) {
  REAL w, r, g, lift, lost, h, inner, mean;
} closed_level;

/* That of plane k, which may be the one below the box. */
DEVICE closed_level closed_level_of(const cv_closed_args &a, int k) {
  const cv_advect_args &f = a.advect_measured.flow;
  const int nz = (int)f.box.n[2];
  const REAL rh = AXIS(a.advect_measured.rh[2])[k], kz = (REAL)a.conductivity[2];
  closed_level l;
  l.w = AXIS(f.w[2])[k < 0 ? 0 : k];
  l.r = 1 / l.w;
  l.g = kz * rh;
  l.lift = f.periodic[2] || (k >= 0 && k < nz - 1) ? darcy_lift(kz, (REAL)a.rayleigh) : 0;
  l.lost = (REAL)a.advect_measured.k[2] * (rh * l.r);
  l.h = AXIS(a.advect_measured.h[2])[k];
  l.inner = l.h != 0;
  l.mean = AXIS(a.mean)[k + 1 < nz ? k + 1 : 0];
  return l;
}

/* Those of a slab. All threads of the block call it, and then wait. */
DEVICE void closed_levels(const cv_closed_args &a, const march &m, closed_level *levels) {
  for (int k = m.low + (int)(threadIdx.x + blockDim.x * threadIdx.y); k < m.high; k += (int)(blockDim.x * blockDim.y))
    levels[k - m.low] = closed_level_of(a, k);
}

/* The mean of plane k, which may be the one below the box. */
DEVICE REAL closed_mean(const cv_closed_args &a, int k) { return AXIS(a.mean)[k < 0 ? a.advect_measured.flow.box.n[2] - 1 : k]; }

DEVICE march_vector closed_less(const march_vector &x, REAL y) {
  march_vector d;
#pragma unroll
  for (int v = 0; v < march_nodes; v++)
    d.v[v] = x.v[v] - y;
  return d;
}

/* Q on the faces in x above the nodes. */
DEVICE march_vector closed_along(const cv_closed_args &a, const closed_column &c, const march_vector &p) {
  const REAL next = march_after(p.v[0]);
  march_vector q;
#pragma unroll
  for (int v = 0; v < march_nodes; v++)
    q.v[v] = darcy_across((REAL)a.conductivity[0] * c.rh.v[v], p.v[v], v + 1 < march_nodes ? p.v[(v + 1) % march_nodes] : next);
  return q;
}

/* Q on the faces in z above the nodes. */
DEVICE march_vector closed_up(REAL g, REAL lift, const march_vector &p, const march_vector &p_above, const march_vector &theta,
                              const march_vector &theta_above) {
  march_vector q;
#pragma unroll
  for (int v = 0; v < march_nodes; v++)
    q.v[v] = darcy_up(g, p.v[v], p_above.v[v], lift, theta.v[v], theta_above.v[v]);
  return q;
}

#endif
