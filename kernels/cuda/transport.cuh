/* Temperature on dual faces by the transport schemes. */
#ifndef CONVECT_TRANSPORT_CUH
#define CONVECT_TRANSPORT_CUH

#include "launch.h"

/* T_f of kernels.AdvectArgs on the inner (or periodic) face above node p of n along an axis, with velocity q; t points at that
   node, s is the stride of the axis. */
DEVICE REAL face_temperature(int scheme, REAL q, const REAL *t, int64_t s, int p, int n, bool periodic) {
  if (scheme == cv_central)
    return point_central(t[0], t[s]);
  const int low = p - (q > 0 ? 2 : 1), high = p + (q > 0 ? 2 : 3); /* the ends of WENO5 */
  if (scheme == cv_weno5 && (periodic || (low >= 0 && high < n)))
    return point_weno5(q, t[-2 * s], t[-s], t[0], t[s], t[2 * s], t[3 * s]);
  return point_limited(q, t[-s], t[0], t[s], t[2 * s], !periodic && p < 1, !periodic && p + 2 >= n);
}

/* T_f on a wall face with velocity q along its axis: the node's where fluid leaves, the inflow's where it enters. */
DEVICE REAL wall_temperature(int high, REAL q, REAL t, const REAL *inflow) {
  const bool enters = high ? q < 0 : q > 0;
  return enters && inflow ? *inflow : t;
}

#endif
