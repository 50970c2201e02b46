/* Descend from a first guess with 7 points on grids of even widths and constant K, coarsened along all axes, in one pass over memory: band.cuh,
   band_cycle.cuh. With r = f - A u, c = (w0 + w1)/D r - w0 w1/D^2 A r, u + c is the result and r - A c is restricted; r and c are zero at fixed
   nodes. */
#include "band_cycle.cuh"

/* s of r, of c and of the rest; u, r and c of the last plane; u of the next one and f of it, as they come; the coarse right side. */
template <int V> struct even_down_from {
  band<V> for_r, for_c, for_rest, u, f;
  even_row<V / 2> sum;
  band_planes planes;
};

/* What the steps share. Of the stages a band has so many: u, r, c and the rest. */
struct even_way_from {
  band_place p;
  band_operator o;
  int stages;
  const REAL *f, *u;
  REAL *out, *coarse, *shared;
  int64_t sz, coarse_sz;
};

/* Step k: u of plane k gives r of plane k - 1, c of plane k - 2 and the rest of plane k - 3. What the planes before left in shared memory is read there. */
template <int V, bool ALIGNED, bool INNER, int PARTS, int ODD> DEVICE void even_step_from(const even_way_from &y, even_down_from<V> &d, int k) {
  using room = band_room<V, PARTS, 3, true>;
  const band_place &p = y.p;
  const REAL *const us_below = y.shared + room::array(0, !ODD), *const rs_below = y.shared + room::array(1, !ODD),
             *const cs_below = y.shared + room::array(2, !ODD);
  REAL *const us = y.shared + room::array(0, ODD), *const rs = y.shared + room::array(1, ODD), *const cs = y.shared + room::array(2, ODD),
             *const sums = y.shared + ODD * room::sum;
  band<V> u, r, c;
  band_sums<V> g;
  if (y.stages > 0) {
    band_next_plane<INNER>(d.planes, p, k);
    u = d.u;
  }
  if (y.stages > 1) {
    band<V> below;
    band_recall<V, ALIGNED, room>(below, us_below, p);
    band_weigh<V, ALIGNED, INNER>(d.f, p, d.planes);
    band_each<V, ALIGNED>([&](int n, int m) {
      const REAL step = u.at(n, m) - below.at(n, m);
      r.at(n, m) = d.for_r.at(n, m) + step;
      d.for_r.at(n, m) = fma(y.o.per_z, d.f.at(n, m), -step);
    });
    band_each<V, ALIGNED>([&](int n, int m) { d.for_r.at(n, m) = fma(-y.o.mass, u.at(n, m), d.for_r.at(n, m)); });
    band_clear<V, ALIGNED, INNER>(r, p, d.planes, 1);
  }
  if (y.stages > 2) {
    band<V> below;
    band_recall<V, ALIGNED, room>(below, rs_below, p);
    const REAL z = y.o.sweep_z, own = y.o.own;
    band_each<V, ALIGNED>([&](int n, int m) {
      const REAL step = r.at(n, m) - below.at(n, m);
      c.at(n, m) = fma(z, step, d.for_c.at(n, m));
      d.for_c.at(n, m) = fma(-z, step, own * r.at(n, m));
    });
    band_clear<V, ALIGNED, INNER>(c, p, d.planes, 2);
    if ((p.band & band_owned) && (INNER || (k - 2 >= p.k0 && k - 2 < p.k1))) {
      band<V> out; /* the first guess of two planes before */
      band_recall<V, ALIGNED, room>(out, us, p);
      band_each<V, ALIGNED>([&](int n, int m) { out.at(n, m) += c.at(n, m); });
      band_store<V, ALIGNED, INNER>(y.out + (k - 2) * y.sz, out, p);
    }
    if (y.stages > 3) {
      band<V> rest, c_below;
      band_recall<V, ALIGNED, room>(c_below, cs_below, p);
      band_each<V, ALIGNED>([&](int n, int m) {
        const REAL step = c.at(n, m) - c_below.at(n, m);
        rest.at(n, m) = d.for_rest.at(n, m) + step;
        d.for_rest.at(n, m) = below.at(n, m) - step;
      });
      band_each<V, ALIGNED>([&](int n, int m) { d.for_rest.at(n, m) = fma(-y.o.mass, c.at(n, m), d.for_rest.at(n, m)); });
      band_clear<V, ALIGNED, INNER>(rest, p, d.planes, 3);
      band_gather<V, ALIGNED, PARTS>(g, rest, sums, p);
    }
    band_share<V, ALIGNED, room>(cs, c, p);
  }
  if (y.stages > 1)
    band_share<V, ALIGNED, room>(rs, r, p);
  if (y.stages > 0) {
    band_share<V, ALIGNED, room>(us, u, p);
    const int64_t next = band_plane<INNER>(p, k + 1) * y.sz, after = band_plane<INNER>(p, k + 2) * y.sz;
    band_load<V, ALIGNED>(d.u, y.u + next, p);
    band_load<V, ALIGNED>(d.f, y.f + next, p);
    band_ask<V, ALIGNED>(y.u + after, p);
    band_ask<V, ALIGNED>(y.f + after, p);
  }
  __syncthreads();
  if (y.stages > 1)
    band_bend<V, ALIGNED, room>(d.for_r, u, us, p, band_all{y.o.x}, band_all{y.o.y});
  if (y.stages > 2)
    band_bend<V, ALIGNED, room>(d.for_c, r, rs, p, band_all{y.o.sweep_x}, band_all{y.o.sweep_y});
  if (y.stages > 3)
    band_bend<V, ALIGNED, room>(d.for_rest, c, cs, p, band_all{y.o.x}, band_all{y.o.y});
  if (p.band & band_owned)
    band_restrict<V, ALIGNED, INNER, PARTS, room, !ODD>(d.sum, y.coarse, y.coarse_sz, p, k - 3, g, sums, y.o.scale);
}

/* Reads u and f and writes the result and the coarse right side: 3 1/8 words a node. */
template <int V, bool ALIGNED, int PARTS> DEVICE void even_descend_from(const cv_even_args &a) {
  DYNAMIC_SHARED(REAL, shared);
  even_way_from y;
  y.p = band_place_of<V, ALIGNED, PARTS, band_room<V, PARTS, 3, true>>(a, 2);
  const band_place &p = y.p;
  y.o = band_operator_of(a, false);
  y.stages = band_keep_same(p.before == 2 ? 2 : p.before > 2 || p.after > 2 ? 0 : p.after == 2 ? 1 : p.after == 1 ? 3 : 4);
  y.f = static_cast<const REAL *>(a.f), y.u = static_cast<const REAL *>(a.u), y.out = static_cast<REAL *>(a.out), y.shared = shared;
  y.sz = a.fine.sz, y.coarse_sz = a.coarse.sz;
  y.coarse = static_cast<REAL *>(a.coarse_x) + p.j / 2 * a.coarse.sy + p.sc.x;
  even_down_from<V> d = {};
  const int first = p.k0 - 4, last = p.k1 + 2 + (p.k1 & 1); /* planes of u that the coarse planes need */
  if (y.stages > 0) {
    band_load<V, ALIGNED>(d.u, y.u + band_plane<false>(p, first) * y.sz, p);
    band_load<V, ALIGNED>(d.f, y.f + band_plane<false>(p, first) * y.sz, p);
  }
  const int begin = max(p.k0 + 4, 6), end = min(p.k1 + 1, p.nz - 3); /* of inner steps */
  const bool plain = ALIGNED && band_plain(p);
  for (int k = first; k <= last; k += 2) {
    if (plain && k >= begin && k < end) {
      even_step_from<V, ALIGNED, ALIGNED, PARTS, 0>(y, d, k);
      even_step_from<V, ALIGNED, ALIGNED, PARTS, 1>(y, d, k + 1);
      continue;
    }
    even_step_from<V, ALIGNED, false, PARTS, 0>(y, d, k);
    if (k < last)
      even_step_from<V, ALIGNED, false, PARTS, 1>(y, d, k + 1);
  }
}

#define EVEN_FROM(kind, V, PARTS, ALIGNED)                                                    \
  KERNEL_BOUNDS(even_descend_from_##kind##_##V##_##PARTS, cv_even_args, band_threads<V>, 1) { \
    even_descend_from<V, ALIGNED, PARTS>(a);                                                  \
  }

BAND_KERNELS(EVEN_FROM)
