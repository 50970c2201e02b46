/* Temperature on dual faces by the transport schemes. */
#ifndef CONVECT_TRANSPORT_CUH
#define CONVECT_TRANSPORT_CUH

#include "../launch.h"
#include "../march/march.cuh"

/* What lies beyond walls of the nodes around a face: the second one down or up the axis; one of the five around the
   upwind node where the flow goes up or down the axis; or one of its own two nodes, that is, the face is a wall's.
   */
enum { lack_a = 1, lack_d = 2, lack_up = 4, lack_down = 8, lack_wall = 16 };

/* What the face above node p of n lacks; p may be -1. */
DEVICE int face_lack(int p, int n, bool periodic) {
  if (periodic)
    return 0;
  return (p < 1 ? lack_a : 0) | (p + 2 >= n ? lack_d : 0) | (p < 2 || p + 2 >= n ? lack_up : 0) |
         (p < 1 || p + 3 >= n ? lack_down : 0) | (p < 0 || p + 1 >= n ? lack_wall : 0);
}

/* point_reconstruct with products that are added at once and quotients that are good to their last bits. */
DEVICE REAL weno5_reconstruct(REAL a, REAL b, REAL c, REAL d) {
  const REAL bend = (REAL)(13.0 / 3), tiny = (REAL)4e-30, ground = (REAL)1e-6; /* s are four times as large: their ratios count */
  const REAL ab = b - a, bc = c - b, cd = d - c, ua = fma((REAL)3, b, -a), ub = b + c, uc = fma((REAL)3, c, -d);
  const REAL s0 = fma(bend * ab, ab, ua * ua), s1 = fma(bend * bc, bc, ub * ub), s2 = fma(bend * cd, cd, uc * uc);
  const REAL all = s0 + s1 + s2, per = march_quotient((REAL)1, all > tiny ? all : tiny);
  const REAL g0 = fma(s0, per, ground), g1 = fma(s1, per, ground), g2 = fma(s2, per, ground), tau = (s0 - s2) * per, tau2 = tau * tau;
  const REAL r0 = g0 * g0, r1 = g1 * g1, r2 = g2 * g2;
  const REAL w0 = (r0 + tau2) * (r1 * r2), w1 = 6 * ((r1 + tau2) * (r0 * r2)), w2 = 3 * ((r2 + tau2) * (r0 * r1));
  const REAL sum = fma(w0, fma((REAL)5, b, -2 * a), fma(w1, fma((REAL)2, c, b), w2 * fma((REAL)4, c, -d)));
  return march_quotient(sum, 6 * (w0 + w1 + w2));
}

/* point_weno5 with it. */
DEVICE REAL weno5_temperature(REAL q, REAL tz, REAL ta, REAL tb, REAL tc, REAL td, REAL te) {
  const REAL ab = tb - ta, bc = tc - tb, cd = td - tc;
  const bool up = q > 0;
  const REAL step = weno5_reconstruct(up ? ta - tz : te - td, up ? ab : cd, bc, up ? cd : ab);
  return up ? tb + step : tc - step;
}

/* T_f of kernels.AdvectArgs on a face that is no wall's, the third of six nodes in a row below and the fourth above
   it, with velocity q. */
DEVICE REAL scheme_temperature(int scheme, int lack, REAL q, REAL tz, REAL ta, REAL tb, REAL tc, REAL td, REAL te) {
  if (scheme == cv_central)
    return point_central(tb, tc);
  if (scheme == cv_weno5 && !(lack & (q > 0 ? lack_up : lack_down)))
    return weno5_temperature(q, tz, ta, tb, tc, td, te);
  return point_limited(q, ta, tb, tc, td, lack & lack_a, lack & lack_d);
}

/* The same on the face above node p of n along an axis of stride s; t points at that node. */
DEVICE REAL face_temperature(int scheme, REAL q, const REAL *t, int64_t s, int p, int n, bool periodic) {
  return scheme_temperature(scheme, face_lack(p, n, periodic), q, t[-2 * s], t[-s], t[0], t[s], t[2 * s], t[3 * s]);
}

/* T_f on a wall face with velocity q along its axis: the node's where fluid leaves, the inflow's where it enters. */
DEVICE REAL wall_temperature(bool high, REAL q, REAL t, const REAL *inflow) {
  const bool enters = high ? q < 0 : q > 0;
  return enters && inflow ? *inflow : t;
}

/* Q T of a wall face; t is the node's. */
DEVICE REAL wall_heat(const cv_advect_args &a, int axis, bool high, REAL q, REAL t, int64_t element) {
  const REAL *inflow = AXIS(a.inflow[2 * axis + high]);
  return q * wall_temperature(high, q, t, inflow ? inflow + element : nullptr);
}

#endif
