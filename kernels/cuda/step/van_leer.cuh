/* The heat that a flow carries through a face. */
#ifndef CONVECT_VAN_LEER_CUH
#define CONVECT_VAN_LEER_CUH

#include "../march/march.cuh"

/* The sign of x, as that of an integer, and x turned round where such a sign is negative. */
#ifdef __CUDACC__
DEVICE int heat_sign(float x) { return __float_as_int(x); }
DEVICE int heat_sign(double x) { return __double2hiint(x); }
DEVICE float heat_turned(float x, int sign) { return __int_as_float(__float_as_int(x) ^ (sign & (int)0x80000000)); }
DEVICE double heat_turned(double x, int sign) {
  return __hiloint2double(__double2hiint(x) ^ (sign & (int)0x80000000), __double2loint(x));
}
#else
DEVICE int heat_sign(REAL x) { return x < 0 ? -1 : x > 0; }
DEVICE REAL heat_turned(REAL x, int sign) { return sign < 0 ? -x : x; }
#endif

/* Q T_f on a face between nodes b and c of a row a, b, c, d: `below` = T_b - T_a, `across` = T_c - T_b, `above` = T_d - T_c. By van Leer's limiter, whose
   value is 1 where a or d lies beyond a wall: then their difference is that across. With 1 everywhere it is central. Choices are made by the sign of Q alone:
   where Q is zero it does not matter which. */
DEVICE REAL carried_heat(bool central, REAL q, REAL tb, REAL tc, REAL below, REAL across, REAL above) {
  const int sign = heat_sign(q);
  const REAL behind = central ? across : sign < 0 ? above : below, product = behind * across;
  const REAL ratio = march_quotient(product, behind + across), half = heat_sign(product) > 0 ? ratio : 0;
  return q * ((sign < 0 ? tc : tb) + heat_turned(half, sign));
}

#endif
