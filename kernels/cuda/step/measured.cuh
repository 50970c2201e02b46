/* The sums of AdvectMeasured, as the passes over columns of nodes make them. */
#ifndef CONVECT_MEASURED_CUH
#define CONVECT_MEASURED_CUH

#include "../vector/reduce.cuh"

/* What a thread adds up, of its nodes. */
typedef struct {
  double energy, total, absolute, gain, content, heat, dissipation;
  REAL u2, rate, divergence;
} measured_sums;

/* The velocity of a node from its faces; at a wall that of the wall face. */
DEVICE REAL measured_velocity(REAL low, REAL high, bool at_low, bool at_high) {
  return at_low ? low : at_high ? high : (REAL)0.5 * (low + high);
}

/* The larger magnitude. */
DEVICE REAL measured_speed(REAL low, REAL high) { return max(fabs(low), fabs(high)); }

/* The larger; the first where the second is NaN. */
DEVICE REAL measured_larger(REAL x, REAL y) { return sizeof(REAL) == 4 ? max(x, y) : y > x ? y : x; }

/* Keeps what is done seldom a branch: as choices it would cost every lane. */
#ifdef __CUDACC__
DEVICE void measured_seldom() { asm volatile(""); }
#else
DEVICE void measured_seldom() {}
#endif

/* Number of sums of AdvectMeasured, and which of them are maxima: |u|^2, the Courant rate and the divergence. */
enum { measured_count = 10, measured_maxima = 0xe };

/* Writes them as the block's partial results, of a column of dual width wy, ry its reciprocal. Where a velocity is NaN so is the sum of |u|^2, and then all maxima. */
DEVICE void measured_put(double *partial, measured_sums sums, REAL wy, REAL ry, double (*room)[32]) {
  sums.energy *= wy;
  sums.content *= wy;
  sums.divergence *= ry;
  if (sums.energy != sums.energy)
    sums.u2 = sums.rate = sums.divergence = (REAL)sums.energy;
  const double all[measured_count] = {sums.energy,   sums.u2,   sums.rate,    sums.divergence, sums.total,
                                      sums.absolute, sums.gain, sums.content, sums.heat,       sums.dissipation};
  put_all<measured_count, measured_maxima>(partial, all, room);
}

#endif
