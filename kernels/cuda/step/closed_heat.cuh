/* The heat that a flow through no wall carries through a face. */
#ifndef CONVECT_CLOSED_HEAT_CUH
#define CONVECT_CLOSED_HEAT_CUH

#include "closed.cuh"

/* The sign of x, as that of an integer, and x turned round where such a sign is negative. */
#ifdef __CUDACC__
DEVICE int closed_sign(float x) { return __float_as_int(x); }
DEVICE int closed_sign(double x) { return __double2hiint(x); }
DEVICE float closed_turned(float x, int sign) { return __int_as_float(__float_as_int(x) ^ (sign & (int)0x80000000)); }
DEVICE double closed_turned(double x, int sign) {
  return __hiloint2double(__double2hiint(x) ^ (sign & (int)0x80000000), __double2loint(x));
}
#else
DEVICE int closed_sign(REAL x) { return x < 0 ? -1 : x > 0; }
DEVICE REAL closed_turned(REAL x, int sign) { return sign < 0 ? -x : x; }
#endif

/* Q T_f on a face between nodes b and c of a row a, b, c, d from its differences: `below` = T_b - T_a and so on, as carried_heat of advect_measured.cu.
   Choices are made by the sign of Q alone: where Q is zero it does not matter which. */
template <int scheme>
DEVICE REAL closed_heat(REAL q, REAL tb, REAL tc, REAL below, REAL across, REAL above) {
  if (scheme == cv_central)
    return q * point_central(tb, tc);
  const int sign = closed_sign(q);
  const REAL behind = sign < 0 ? above : below, product = behind * across;
  const REAL ratio = march_quotient(product, behind + across), half = closed_sign(product) > 0 ? ratio : 0;
  return q * ((sign < 0 ? tc : tb) + closed_turned(half, sign));
}

#endif
