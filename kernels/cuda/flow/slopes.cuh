/* Limited slopes of dispersion, by their reciprocals. */
#ifndef CONVECT_SLOPES_CUH
#define CONVECT_SLOPES_CUH

#include "../launch.h"
#include "../march/march.cuh"

/* Van Leer's mean of slopes is their number over the sum of their reciprocals where all have one sign, and else 0, as that of slopes of next to no size. So much is
   added to a slope before its reciprocal is taken, and in place of a sum of reciprocals of different signs stands that of such a slope. */
#define rim_least (sizeof(REAL) == 8 ? (REAL)1e-145 : (REAL)1e-36)

/* v where the signs of a and b are the same, else a number of which the high word is that of `other`. */
#ifdef __CUDACC__
DEVICE float where_alike(float a, float b, float v, float other) { return (__float_as_int(a) ^ __float_as_int(b)) < 0 ? other : v; }
DEVICE double where_alike(double a, double b, double v, double other) {
  return __hiloint2double((__double2hiint(a) ^ __double2hiint(b)) < 0 ? __double2hiint(other) : __double2hiint(v), __double2loint(v));
}
#else
DEVICE REAL where_alike(REAL a, REAL b, REAL v, REAL other) { return signbit(a) != signbit(b) ? other : v; }
#endif

/* 1/slope, of a width's reciprocal and a difference. */
DEVICE REAL reciprocal(REAL r, REAL d) { return march_quotient((REAL)1, fma(r, d, rim_least)); }

/* The sum of two reciprocals of slopes. */
DEVICE REAL reciprocals(REAL a, REAL b) { return where_alike(a, b, a + b, 1 / rim_least); }

/* a S + b S' with a quarter of the means of four slopes of two nodes each, from the sums of reciprocals at both. In double it divides once. */
DEVICE REAL limited_slopes(REAL a, REAL low, REAL high, REAL b, REAL low_b, REAL high_b) {
  const REAL of_a = reciprocals(low, high), of_b = reciprocals(low_b, high_b);
  if (sizeof(REAL) == 8)
    return march_quotient(fma(a, of_b, b * of_a), of_a * of_b);
  return fma(a, march_quotient((REAL)1, of_a), b * march_quotient((REAL)1, of_b));
}

#endif
