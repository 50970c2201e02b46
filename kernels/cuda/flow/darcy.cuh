/* Darcy's law on a face for constant conductivity, as DarcyFlux and AdvectMeasured compute it: to the same bits. */
#ifndef CONVECT_DARCY_CUH
#define CONVECT_DARCY_CUH

#include "../launch.h"

/* Q on a face along x or y: g = k_f / h, p at the nodes below and above. */
DEVICE REAL darcy_across(REAL g, REAL p, REAL above) { return g * (p - above); }

/* Q over the sum of theta at the nodes below and above. */
DEVICE REAL darcy_lift(REAL k, REAL ra) { return (REAL)0.5 * (k * ra); }

/* Q on a face along z: `lift` as above, theta = T less the mean of its plane, at the nodes below and above. */
DEVICE REAL darcy_up(REAL g, REAL p, REAL above, REAL lift, REAL theta, REAL theta_above) {
  return fma(g, p - above, lift * (theta + theta_above));
}

#endif
