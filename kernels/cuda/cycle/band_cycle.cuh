/* What the passes of a cycle with 7 points share (cycle_even_down.cu, cycle_even_up.cu): the operator, and sums for coarse rows.

   All is in units of the right side at inner nodes: f is doubled at walls as it comes, and the operator is that over the volume of a node times
   that of an inner one, V. Residuals are those over c_z V besides, where the second difference along z needs no factor. Of a plane u_k the march
   keeps u_k and s_k, the result of a stage but for what the plane above adds: with d_k = u_k - u_(k-1), of r = f - A u

     s_k = f_k - d_k - (all but the second difference along z),   r_(k-1) = s_(k-1) + d_k.

   So a plane's results come with the next one, before any row beside is asked for; these are needed for s_k only, behind the one
   barrier of each plane. */
#ifndef CONVECT_BAND_CYCLE_CUH
#define CONVECT_BAND_CYCLE_CUH

#include "../march/band.cuh"

/* Coefficients of the second differences along x and y and of u itself in A over c_z V; per_z is 1 over that. `own` and z, x, y are those of the sweeps
   c = α r - β A r, of such residuals. */
struct band_operator {
  REAL x, y, mass, per_z, scale;
  REAL own, sweep_x, sweep_y, sweep_z;
};

/* from_f: the sweeps start from f and not from a residual over c_z V. */
DEVICE band_operator band_operator_of(const cv_even_args &a, bool from_f) {
  const double z = a.c[2] * a.volume, mass = a.mass * a.volume, diagonal = 2 * a.volume * (a.c[0] + a.c[1] + a.c[2]) + mass;
  const double unit = from_f ? 1 : z, alpha = unit * (a.omega[0] + a.omega[1]) / diagonal;
  const double beta = unit * a.omega[0] * a.omega[1] / (diagonal * diagonal);
  band_operator o;
  o.x = band_keep_same((REAL)(a.c[0] / a.c[2])), o.y = band_keep_same((REAL)(a.c[1] / a.c[2]));
  o.mass = band_keep_same((REAL)(a.mass / a.c[2]));
  o.per_z = band_keep_same((REAL)(1 / z)), o.scale = (REAL)z;
  o.own = band_keep_same((REAL)(alpha - beta * mass));
  o.sweep_x = band_keep_same((REAL)(beta * a.c[0] * a.volume)), o.sweep_y = band_keep_same((REAL)(beta * a.c[1] * a.volume));
  o.sweep_z = band_keep_same((REAL)(beta * z));
  return o;
}

/* Sums over the rows of a band for its coarse row, at a lane's coarse nodes and at the last one; `second` of the second row alone, for the band behind.
   Weights are 1 at a coarse node, 1/2 beside it. */
template <int V> struct band_sums {
  REAL v[V / 2], last;
};

/* What other warps need goes to shared memory: `second`, and in another part what is left of its first node. */
template <int V, bool ALIGNED, int PARTS> DEVICE void band_gather(band_sums<V> &g, const band<V> &r, REAL *sums, const band_place &p) {
  REAL rows[band_rows][V / 2];
#pragma unroll
  for (int n = 0; n < band_rows; n++) {
    const REAL low = __shfl_up_sync(0xffffffffu, r.at(n, V - 1), 1);
    const REAL first = !(p.lane & lane_first) ? low : p.part == 0 ? r.at(n, 1) : (REAL)0;
#pragma unroll
    for (int m = 2; m < V; m += 2)
      rows[n][m / 2] = fma((REAL)0.5, r.at(n, m - 1) + r.at(n, m + 1), r.at(n, m));
    rows[n][0] = fma((REAL)0.5, first + r.at(n, 1), r.at(n, 0));
  }
#pragma unroll
  for (int m = 0; m < V / 2; m++)
    g.v[m] = fma((REAL)0.5, rows[1][m], rows[0][m]);
  even_put_shared<V / 2>(sums + p.sums, rows[1], 0);
  g.last = 0;
  if (!ALIGNED)
    return;
  /* Beyond the last node lies the one before it, mirrored. */
  const REAL left = __shfl_sync(0xffffffffu, r.at(0, V - 1), even_lanes - 1);
  const REAL last = r.last() + (p.lane & lane_last_second ? r.at(1, V - 1) : left);
  g.last = fma((REAL)0.5, last, __shfl_up_sync(0xffffffffu, last, 1)); /* of lane 31 */
  if (p.lane & lane_end) {
    constexpr int wide = even_wide<V / 2>, row = PARTS * even_lanes * V / 2; /* p.sums is at lane 31 of the part */
    REAL *const at = sums + p.sums - wide * (even_lanes - 1) - p.part * even_lanes * V / 2 + row;
    if (p.part == PARTS - 1) {
      at[0] = last;
    } else {
      at[4 * (p.part + 1)] = (REAL)0.5 * fma((REAL)0.5, r.at(1, V - 1), r.at(0, V - 1));
      at[4 * (p.part + 1) + 1] = (REAL)0.5 * r.at(1, V - 1);
    }
  }
}

/* Adds up the coarse right side along z, from the sums of plane q, even or odd, and writes it when a coarse plane is complete. `coarse` is where the
   band's coarse row begins in the first plane, at the lane's first node. Residuals are those over `scale`. */
template <int V, bool ALIGNED, bool INNER, int PARTS, typename Room, int ODD>
DEVICE void band_restrict(even_row<V / 2> &sum, REAL *coarse, int64_t sz, const band_place &p, int q, const band_sums<V> &g, const REAL *sums,
                          REAL scale) {
  even_row<V / 2> part;
  REAL beside[V / 2];
  even_get_shared<V / 2>(beside, sums + p.sums - Room::band, 0);
#pragma unroll
  for (int m = 0; m < V / 2; m++)
    part.v[m] = fma((REAL)0.5, beside[m], g.v[m]);
  part.last = 0;
  if (ALIGNED) { /* lane 31 finds the last one, lane 0 what is left of it */
    constexpr int wide = even_wide<V / 2>, row = PARTS * even_lanes * V / 2;
    const REAL *const own = sums + p.sums - p.part * even_lanes * V / 2 + row;
    part.last = fma((REAL)0.5, p.lane & lane_end ? own[-wide * (even_lanes - 1) - Room::band] : (REAL)0, g.last);
    if (PARTS > 1 && p.part > 0 && (p.lane & lane_first))
      part.v[0] += fma((REAL)0.5, own[4 * p.part + 1 - Room::band], own[4 * p.part]);
  }
  if (!ODD) {
#pragma unroll
    for (int m = 0; m < V / 2; m++)
      sum.v[m] += part.v[m];
    sum.last += part.last;
    return;
  }
  if (INNER || q > p.k0) {
    even_row<V / 2> out;
#pragma unroll
    for (int m = 0; m < V / 2; m++)
      out.v[m] = fma((REAL)0.5, part.v[m], sum.v[m]);
    out.last = fma((REAL)0.5, part.last, sum.last);
    const bool low = q == 1, high = q == p.nz; /* the coarse plane is the first, the last */
    if (!INNER) {
      if (p.band & band_wall_row)
        scale *= (REAL)0.5;
      if ((low || high) && !(p.band & band_periodic))
        scale *= (REAL)0.5;
      /* Of periodic ends the last coarse plane lies two planes before the end. */
      if ((p.band & band_coarse_row) || (low && (p.band & band_coarse_low)) ||
          ((high || ((p.band & band_periodic) && q == p.nz - 1)) && (p.band & band_coarse_high)))
        scale = 0;
    }
    REAL *const to = coarse + (q - 1) / 2 * sz;
    if (ALIGNED) {
#pragma unroll
      for (int m = 0; m < V / 2; m++)
        out.v[m] *= m > 0 ? scale : p.lane & lane_coarse_fixed ? (REAL)0 : p.lane & lane_coarse_wall ? (REAL)0.5 * scale : scale;
      if (p.lane & lane_coarse_owned)
        even_put<V / 2>(to, out.v);
      if (p.lane & lane_coarse_last_owned)
        to[V / 2] = out.last * (p.lane & lane_coarse_last_fixed ? (REAL)0 : (REAL)0.5 * scale);
    } else {
      even_scale<V / 2, false>(out, p.sc, scale, (REAL)0.5 * scale);
      even_clear<V / 2, false>(out, p.sc, false);
      even_store<V / 2, false>(to - p.sc.x, out, p.sc);
    }
  }
#pragma unroll
  for (int m = 0; m < V / 2; m++)
    sum.v[m] = (REAL)0.5 * part.v[m];
  sum.last = (REAL)0.5 * part.last;
}

/* Warps of a block: as many as the registers allow without spilling. */
template <int V> constexpr int band_threads = even_lanes * (sizeof(REAL) == 8 && V == 4 ? 8 : V == 6 ? 12 : 16);

/* Whether inner steps are made apart: with two nodes of double a lane the registers are too few for what is then asked for early. */
template <int V, bool ALIGNED> constexpr bool band_apart = ALIGNED && (sizeof(REAL) == 4 || V > 2);

/* KERNELS(kind, V, PARTS, ALIGNED) for all kinds of rows. */
#define BAND_KERNELS_f64(KERNELS)                                                                                \
  KERNELS(aligned, 2, 1, true) KERNELS(aligned, 4, 1, true) KERNELS(tile, 2, 1, false) KERNELS(tile, 4, 1, false)
#define BAND_KERNELS_f32(KERNELS) BAND_KERNELS_f64(KERNELS) KERNELS(aligned, 4, 2, true) KERNELS(aligned, 6, 1, true)
#define BAND_KERNELS(KERNELS) LAUNCH_JOIN(BAND_KERNELS, TYPE)(KERNELS)

#endif
