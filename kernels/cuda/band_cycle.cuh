/* What the passes of a cycle with 7 points share (cycle_even_down.cu, cycle_even_up.cu): the operator, and where a warp's arrays are.

   All is in units of the right side at inner nodes: f is doubled at walls as it comes, and the operator is that over the volume of a node times
   that of an inner one, V. Residuals are those over c_z V besides, where the second difference along z needs no factor. Of a plane u_k the march
   keeps u_k and s_k, the result of a stage but for what the plane above adds: with d_k = u_k - u_(k-1), of r = f - A u

     s_k = f_k - d_k - (all but the second difference along z),   r_(k-1) = s_(k-1) + d_k.

   So a plane's results come with the next one, before any row beside is asked for; these are needed for s_k only, behind the one
   barrier of each plane. */
#ifndef CONVECT_BAND_CYCLE_CUH
#define CONVECT_BAND_CYCLE_CUH

#include "band.cuh"

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
  o.x = (REAL)(a.c[0] / a.c[2]), o.y = (REAL)(a.c[1] / a.c[2]), o.mass = (REAL)(a.mass / a.c[2]);
  o.per_z = (REAL)(1 / z), o.scale = (REAL)z;
  o.own = (REAL)(alpha - beta * mass);
  o.sweep_x = (REAL)(beta * a.c[0] * a.volume), o.sweep_y = (REAL)(beta * a.c[1] * a.volume), o.sweep_z = (REAL)(beta * z);
  return o;
}

/* What the steps of a pass share. */
template <int V, bool ALIGNED> struct band_way {
  band_place p;
  even_span s, sc; /* of nodes and of coarse nodes */
  band_operator o;
  int stages; /* how many of the pass the band makes */
  const REAL *f, *u;
  REAL *out; /* the first row of plane 0 */
};

template <int V, bool ALIGNED> DEVICE band_way<V, ALIGNED> band_way_of(const cv_even_args &a, int rim, bool from_f) {
  band_way<V, ALIGNED> y;
  y.p = band_place_of<V, ALIGNED>(a, rim);
  const band_place &p = y.p;
  y.s = even_span_of<V, ALIGNED>(p.x0, (int)a.fine.n[0], p.begin, p.end, a.periodic[0], a.fixed[0], a.fixed[1]);
  y.sc = even_span_of<V / 2, ALIGNED>(p.x0 / 2, (int)a.coarse.n[0], p.begin / 2, (p.end + 1) / 2, a.periodic[0], a.coarse_fixed[0],
                                     a.coarse_fixed[1]);
  y.o = band_operator_of(a, from_f);
  y.f = static_cast<const REAL *>(a.f), y.u = static_cast<const REAL *>(a.u);
  y.out = static_cast<REAL *>(a.out) + p.j * a.fine.sy;
  return y;
}

/* Sums over the rows of a band for its coarse row: at a lane's coarse nodes, of the last one, and what the next warp along x adds to its first node;
   `second` of the second row alone, for the band behind. Weights are 1 at a coarse node, 1/2 beside it. */
template <int V> struct band_sums {
  REAL v[V / 2], last, beyond;
  REAL second[V / 2], second_last, second_beyond;
};

template <int V, bool ALIGNED> DEVICE void band_gather(band_sums<V> &g, const band<V> &r, const band_place &p) {
  REAL rows[band_rows][V / 2];
#pragma unroll
  for (int n = 0; n < band_rows; n++) {
    const REAL low = __shfl_up_sync(0xffffffffu, r.at(n, V - 1), 1);
    /* The first lane of another than the first part gets this later. */
    const REAL first = p.lane > 0 ? low : ALIGNED && p.part == 0 ? r.at(n, 1) : (REAL)0;
#pragma unroll
    for (int m = 2; m < V; m += 2)
      rows[n][m / 2] = fma((REAL)0.5, r.at(n, m - 1) + r.at(n, m + 1), r.at(n, m));
    rows[n][0] = fma((REAL)0.5, first + r.at(n, 1), r.at(n, 0));
  }
#pragma unroll
  for (int m = 0; m < V / 2; m++) {
    g.second[m] = rows[1][m];
    g.v[m] = fma((REAL)0.5, rows[1][m], rows[0][m]);
  }
  g.second_beyond = (REAL)0.5 * r.at(1, V - 1);
  g.beyond = (REAL)0.5 * (r.at(0, V - 1) + g.second_beyond);
  g.last = g.second_last = 0;
  if (ALIGNED) { /* beyond the last node lies the one before it, mirrored */
    const REAL left0 = __shfl_sync(0xffffffffu, r.at(0, V - 1), even_lanes - 1);
    const REAL row = r.last() + (band_last_row(p) ? r.at(1, V - 1) : left0);
    g.second_last = row; /* of lane 31 */
    g.last = fma((REAL)0.5, row, __shfl_up_sync(0xffffffffu, row, 1));
  }
}

/* Elements of sums in shared memory: of the second row, its last one, and two numbers for each part but the first. */
template <int V> DEVICE int band_sums_pitch(const band_place &p) { return p.parts * (even_lanes * V / 2 + 4) + 4; }

template <int V, bool ALIGNED> DEVICE void band_share_sums(REAL *sums, const band_sums<V> &g, const band_place &p) {
  REAL *at = sums + p.part * even_lanes * V / 2;
  even_put_shared<V / 2>(at, g.second, p.lane);
  if (!ALIGNED || p.lane < even_lanes - 1)
    return;
  if (p.part == p.parts - 1) {
    at[even_lanes * V / 2] = g.second_last;
  } else {
    REAL *beyond = sums + p.parts * even_lanes * V / 2 + 4 * (p.part + 1);
    beyond[0] = g.beyond;
    beyond[1] = g.second_beyond;
  }
}

/* Adds up the coarse right side along z, from the sums of plane q, and writes it when a coarse plane is complete. `sums` are the band's in shared memory, of
   residuals over `scale`. */
template <int V, bool ALIGNED>
DEVICE void band_restrict(even_row<V / 2> &sum, const cv_even_args &a, const band_place &p, const even_span &c, int q,
                          const band_sums<V> &g, const REAL *sums, REAL scale) {
  const REAL *front = sums - band_sums_pitch<V>(p);
  even_row<V / 2> part;
  REAL beside[V / 2];
  even_get_shared<V / 2>(beside, front + p.part * even_lanes * V / 2, p.lane);
#pragma unroll
  for (int m = 0; m < V / 2; m++)
    part.v[m] = fma((REAL)0.5, beside[m], g.v[m]);
  part.last = 0;
  if (ALIGNED) {
    part.last = fma((REAL)0.5, front[p.parts * even_lanes * V / 2], g.last);
    if (p.part > 0 && p.lane == 0) {
      const int beyond = p.parts * even_lanes * V / 2 + 4 * p.part;
      part.v[0] += fma((REAL)0.5, front[beyond + 1], sums[beyond]);
    }
  }
  if (!(q & 1)) {
#pragma unroll
    for (int m = 0; m < V / 2; m++)
      sum.v[m] += part.v[m];
    sum.last += part.last;
    return;
  }
  const int K = (q - 1) / 2, J = p.j / 2, nj = (int)a.coarse.n[1], nk = (int)a.coarse.n[2];
  if (q > p.k0) {
    even_row<V / 2> out;
#pragma unroll
    for (int m = 0; m < V / 2; m++)
      out.v[m] = fma((REAL)0.5, part.v[m], sum.v[m]);
    out.last = fma((REAL)0.5, part.last, sum.last);
    const bool none = (a.coarse_fixed[2] && J == 0) || (a.coarse_fixed[3] && J == nj - 1) || (a.coarse_fixed[4] && K == 0) ||
                      (a.coarse_fixed[5] && K == nk - 1);
    if (p.walls[0] != 1)
      scale *= (REAL)0.5;
    if (!p.periodic && (K == 0 || K == nk - 1))
      scale *= (REAL)0.5;
    even_scale<V / 2, ALIGNED>(out, c, scale, (REAL)0.5 * scale);
    even_clear<V / 2, ALIGNED>(out, c, none);
    even_store<V / 2, ALIGNED>(static_cast<REAL *>(a.coarse_x) + J * a.coarse.sy + K * a.coarse.sz, out, c);
  }
#pragma unroll
  for (int m = 0; m < V / 2; m++)
    sum.v[m] = (REAL)0.5 * part.v[m];
  sum.last = (REAL)0.5 * part.last;
}

/* Threads of a block: as many as the registers allow. */
#ifndef EVEN_BANDS
#define EVEN_BANDS(V) (V * sizeof(REAL) >= 32 ? 12 : V * sizeof(REAL) >= 16 ? 16 : 24)
#endif
template <int V> constexpr int band_threads = EVEN_BANDS(V) * even_lanes;

/* KERNELS(kind, V, ALIGNED) for all kinds of rows; registers hold no more than four nodes of double. */
#define BAND_KERNELS_f64(KERNELS) KERNELS(aligned, 2, true) KERNELS(aligned, 4, true) KERNELS(tile, 2, false) KERNELS(tile, 4, false)
#define BAND_KERNELS_f32(KERNELS) BAND_KERNELS_f64(KERNELS) KERNELS(aligned, 6, true) KERNELS(aligned, 8, true) KERNELS(tile, 8, false)
#ifdef ONLY_V
#define BAND_KERNELS(KERNELS) KERNELS(aligned, ONLY_V, true)
#else
#define BAND_KERNELS(KERNELS) LAUNCH_JOIN(BAND_KERNELS, TYPE)(KERNELS)
#endif

#endif
