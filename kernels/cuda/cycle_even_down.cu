/* Descend with 7 points on grids of even widths and constant K, coarsened along all axes, in one pass over memory: band.cuh, band_cycle.cuh.
   Bands at the rim of a block serve the stages only, as far as these need them, and are computed by the neighbouring blocks too. */
#include "band_cycle.cuh"

/* Of the way down from zero: f and u of the last planes but one and of the last, by parity; s of the sweeps and of the residual; the coarse
   right side. */
template <int V> struct even_down {
  band<V> f[2], u[2], for_u, for_r;
  even_row<V / 2> sum;
  band_planes planes;
};

/* Step k: f of plane k gives u of plane k - 1 and r of plane k - 2. */
template <int V, bool ALIGNED, int ODD>
DEVICE void even_step_down(const cv_even_args &a, const band_way<V, ALIGNED> &y, even_down<V> &d, int k, REAL *shared) {
  const band_place &p = y.p;
  const int pitch = p.pitch, bands = blockDim.z, w = __shfl_sync(0xffffffffu, (int)threadIdx.z, 0);
  REAL *const rows = shared + w * band_rows * pitch + p.part * even_lanes * V, *const us = rows + bands * band_rows * pitch;
  REAL *const sums = shared + 2 * bands * band_rows * pitch + w * band_sums_pitch<V>(p);
  const int stages = y.stages;
  const bool has_f = stages > 0, has_u = stages > 1, has_r = stages > 2;
  band<V> &f = d.f[ODD], &f_below = d.f[!ODD], &u = d.u[ODD], &u_below = d.u[!ODD];
  band_sums<V> g;
  if (has_f) {
    band_next_plane(d.planes, p, even_index(k, p.nz, p.periodic));
    band_weigh<V, ALIGNED>(f, p, d.planes, y.s);
    band_share<V, ALIGNED>(rows, f, p);
  }
  if (has_u) {
    const REAL z = y.o.sweep_z, own = y.o.own;
    band_each<V, ALIGNED>([&](int r, int m) {
      const REAL step = f.at(r, m) - f_below.at(r, m);
      u.at(r, m) = fma(z, step, d.for_u.at(r, m));
      d.for_u.at(r, m) = fma(-z, step, own * f.at(r, m));
    });
    band_clear<V, ALIGNED>(u, p, d.planes, y.s, 1);
    band_share<V, ALIGNED>(us, u, p);
    if (p.owned && k - 1 >= p.k0 && k - 1 < p.k1)
      band_store<V, ALIGNED>(y.out + (k - 1) * a.fine.sz, a.fine.sy, u, p, y.s);
  }
  if (has_r) {
    band<V> rest;
    band_each<V, ALIGNED>([&](int r, int m) {
      const REAL step = u.at(r, m) - u_below.at(r, m);
      rest.at(r, m) = d.for_r.at(r, m) + step;
      d.for_r.at(r, m) = fma(y.o.per_z, f_below.at(r, m), -step);
    });
    if (y.o.mass != 0)
      band_each<V, ALIGNED>([&](int r, int m) { d.for_r.at(r, m) = fma(-y.o.mass, u.at(r, m), d.for_r.at(r, m)); });
    band_clear<V, ALIGNED>(rest, p, d.planes, y.s, 2);
    band_gather<V, ALIGNED>(g, rest, p);
    band_share_sums<V, ALIGNED>(sums, g, p);
  }
  if (has_f) { /* over that of the plane below */
    band_load<V, ALIGNED>(f_below, y.f + even_index(k + 1, p.nz, p.periodic) * a.fine.sz, p, y.s);
    band_ask<V>(y.f + even_index(k + 2, p.nz, p.periodic) * a.fine.sz, p, y.s);
  }
  __syncthreads();
  if (has_u)
    band_bend<V, ALIGNED>(d.for_u, f, rows, p, band_all{y.o.sweep_x}, band_all{y.o.sweep_y});
  if (has_r)
    band_bend<V, ALIGNED>(d.for_r, u, us, p, band_all{y.o.x}, band_all{y.o.y});
  if (p.owned)
    band_restrict<V, ALIGNED>(d.sum, a, p, y.sc, k - 2, g, sums, y.o.scale);
}

/* Both sweeps from zero are one apply on f: u = (w0 + w1)/D f - w0 w1/D^2 A f. Reads f and writes u and the coarse right side:
   2 1/8 words a node. */
template <int V, bool ALIGNED> DEVICE void even_descend(const cv_even_args &a) {
  DYNAMIC_SHARED(REAL, shared);
  band_way<V, ALIGNED> y = band_way_of<V, ALIGNED>(a, 2, true);
  const band_place &p = y.p;
  /* Which bands have f, u and r. */
  y.stages = p.before == 2 ? 1 : p.before > 2 || p.after > 1 ? 0 : p.after == 1 ? 2 : 3;
  REAL *const other = shared + blockDim.z * (2 * band_rows * p.pitch + band_sums_pitch<V>(p));
  even_down<V> d = {};
  const int first = p.k0 - 3, last = p.k1 + 1 + (p.k1 & 1); /* planes of f that the coarse planes need */
  if (y.stages > 0)
    band_load<V, ALIGNED>(d.f[1], y.f + even_index(first, p.nz, p.periodic) * a.fine.sz, p, y.s);
  for (int k = first; k <= last; k += 2) {
    even_step_down<V, ALIGNED, 1>(a, y, d, k, other);
    if (k < last)
      even_step_down<V, ALIGNED, 0>(a, y, d, k + 1, shared);
  }
}

#define EVEN_DOWN(kind, V, ALIGNED) \
  KERNEL_BOUNDS(even_descend_##kind##_##V, cv_even_args, band_threads<V>, 1) { even_descend<V, ALIGNED>(a); }

BAND_KERNELS(EVEN_DOWN)
