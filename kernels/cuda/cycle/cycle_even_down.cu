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

/* What the steps share. Of the stages a band has so many: f, u and r. */
struct even_way_down {
  band_place p;
  band_operator o;
  int stages;
  const REAL *f;
  REAL *out, *coarse, *shared;
  int64_t sz, coarse_sz;
};

/* Step k: f of plane k gives u of plane k - 1 and r of plane k - 2. */
template <int V, bool ALIGNED, bool INNER, int PARTS, int ODD> DEVICE void even_step_down(const even_way_down &y, even_down<V> &d, int k) {
  using room = band_room<V, PARTS, 2, true>;
  const band_place &p = y.p;
  REAL *const rows = y.shared + room::array(0, ODD), *const us = y.shared + room::array(1, ODD), *const sums = y.shared + ODD * room::sum;
  band<V> &f = d.f[ODD], &f_below = d.f[!ODD], &u = d.u[ODD], &u_below = d.u[!ODD];
  band_sums<V> g;
  if (y.stages > 0) {
    band_next_plane<INNER>(d.planes, p, k);
    band_weigh<V, ALIGNED, INNER>(f, p, d.planes);
    band_share<V, ALIGNED, room>(rows, f, p);
  }
  if (y.stages > 1) {
    const REAL z = y.o.sweep_z, own = y.o.own;
    band_each<V, ALIGNED>([&](int r, int m) {
      const REAL step = f.at(r, m) - f_below.at(r, m);
      u.at(r, m) = fma(z, step, d.for_u.at(r, m));
      d.for_u.at(r, m) = fma(-z, step, own * f.at(r, m));
    });
    band_clear<V, ALIGNED, INNER>(u, p, d.planes, 1);
    band_share<V, ALIGNED, room>(us, u, p);
    if ((p.band & band_owned) && (INNER || (k - 1 >= p.k0 && k - 1 < p.k1)))
      band_store<V, ALIGNED, INNER>(y.out + (k - 1) * y.sz, u, p);
  }
  if (y.stages > 2) {
    band<V> rest;
    band_each<V, ALIGNED>([&](int r, int m) {
      const REAL step = u.at(r, m) - u_below.at(r, m);
      rest.at(r, m) = d.for_r.at(r, m) + step;
      d.for_r.at(r, m) = fma(y.o.per_z, f_below.at(r, m), -step);
    });
    band_each<V, ALIGNED>([&](int r, int m) { d.for_r.at(r, m) = fma(-y.o.mass, u.at(r, m), d.for_r.at(r, m)); });
    band_clear<V, ALIGNED, INNER>(rest, p, d.planes, 2);
    band_gather<V, ALIGNED, PARTS>(g, rest, sums, p);
  }
  if (y.stages > 0) { /* over that of the plane below */
    band_load<V, ALIGNED>(f_below, y.f + band_plane<INNER>(p, k + 1) * y.sz, p);
    band_ask<V, ALIGNED>(y.f + band_plane<INNER>(p, k + 2) * y.sz, p);
  }
  __syncthreads();
  if (y.stages > 1)
    band_bend<V, ALIGNED, PARTS, room>(d.for_u, f, rows, p, band_all{y.o.sweep_x}, band_all{y.o.sweep_y});
  if (y.stages > 2)
    band_bend<V, ALIGNED, PARTS, room>(d.for_r, u, us, p, band_all{y.o.x}, band_all{y.o.y});
  if (p.band & band_owned)
    band_restrict<V, ALIGNED, INNER, PARTS, room, ODD>(d.sum, y.coarse, y.coarse_sz, p, k - 2, g, sums, y.o.scale);
}

/* Both sweeps from zero are one apply on f: u = (w0 + w1)/D f - w0 w1/D^2 A f. Reads f and writes u and the coarse right side:
   2 1/8 words a node. */
template <int V, bool ALIGNED, int PARTS> DEVICE void even_descend(const cv_even_args &a) {
  DYNAMIC_SHARED(REAL, shared);
  even_way_down y;
  y.p = band_place_of<V, ALIGNED, PARTS, band_room<V, PARTS, 2, true>>(a, 2);
  const band_place &p = y.p;
  y.o = band_operator_of(a, true);
  y.stages = band_keep_same(p.before == 2 ? 1 : p.before > 2 || p.after > 1 ? 0 : p.after == 1 ? 2 : 3);
  y.f = static_cast<const REAL *>(a.f), y.out = static_cast<REAL *>(a.out), y.shared = shared;
  y.sz = a.fine.sz, y.coarse_sz = a.coarse.sz;
  y.coarse = static_cast<REAL *>(a.coarse_x) + p.j / 2 * a.coarse.sy + p.sc.x;
  even_down<V> d = {};
  const int first = p.k0 - 3, last = p.k1 + 1 + (p.k1 & 1); /* planes of f that the coarse planes need */
  if (y.stages > 0)
    band_load<V, ALIGNED>(d.f[1], y.f + band_plane<false>(p, first) * y.sz, p);
  const int begin = max(p.k0 + 3, 5), end = min(p.k1, p.nz - 3); /* of inner steps */
  const bool plain = band_apart<V, ALIGNED> && band_plain(p);
  for (int k = first; k <= last; k += 2) {
    if (plain && k >= begin && k < end) {
      even_step_down<V, ALIGNED, band_apart<V, ALIGNED>, PARTS, 1>(y, d, k);
      even_step_down<V, ALIGNED, band_apart<V, ALIGNED>, PARTS, 0>(y, d, k + 1);
      continue;
    }
    even_step_down<V, ALIGNED, false, PARTS, 1>(y, d, k);
    if (k < last)
      even_step_down<V, ALIGNED, false, PARTS, 0>(y, d, k + 1);
  }
}

#define EVEN_DOWN(kind, V, PARTS, ALIGNED)                                                \
  KERNEL_BOUNDS(even_descend_##kind##_##V##_##PARTS, cv_even_args, band_threads<V>, 1) { \
    even_descend<V, ALIGNED, PARTS>(a);                                                   \
  }

BAND_KERNELS(EVEN_DOWN)
