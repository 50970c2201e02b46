/* The sums of the passes through a closed box, with 7 points and with trilinear elements. */
#ifndef CONVECT_CLOSED_SUMS_CUH
#define CONVECT_CLOSED_SUMS_CUH

#include "closed.cuh"
#include "../vector/reduce.cuh"

/* Statistics of a lane: sums of (2 u)^2, of balances and their magnitudes, of T and of lost heat, and the largest of a node: (2 u)^2, the Courant rate,
   and divergence times half the width in y. */
typedef struct {
  double energy, total, absolute, content, lost;
  REAL u2, rate, divergence;
} closed_sums;

/* Number of results of a block, those of AdvectMeasured, and which of them are maxima: |u|^2, the Courant rate and the divergence. */
enum { closed_count = 10, closed_maxima = 0xe };

/* Puts the statistics of a block, of a row of dual width w, whose half reciprocal is r; lanes that own nothing, or rows that do not count, have none. */
DEVICE void closed_put_sums(double *partial, const march &m, const closed_sums &sums, double w, REAL r, double (*room)[32]) {
  const double energy = sums.energy * (0.25 * w);
  const bool broken = energy != energy;
  double all[closed_count] = {energy,        0.25 * sums.u2,   sums.rate, sums.divergence * (4 * r), sums.total,
                              sums.absolute, 0,                sums.content * w, 0,                  sums.lost};
#pragma unroll
  for (int n = 0; n < closed_count; n++) {
    all[n] = closed_maxima >> n & 1 && broken ? energy : all[n];
    all[n] = m.owns ? all[n] : 0;
  }
  put_all<closed_count, closed_maxima>(partial, all, room);
}

/* Heat of a lane: sums of Out, and of what is carried and conducted upwards over the width in y. */
typedef struct {
  double out, carried, conducted;
} closed_heats;

/* Puts the heat of a block; k is the conductivity along z. */
DEVICE void closed_put_heats(double *partial, const cv_box &box, const march &m, const closed_heats &sums, double k, double (*room)[32]) {
  const bool counts = m.owns && counts_row(box, m.j);
  const double up = sums.carried - k * sums.conducted, all[2] = {counts ? sums.out : 0, counts ? up : 0};
  put_all<2, 0>(partial, all, room);
}

#endif
