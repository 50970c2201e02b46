/* Ascend with 7 points on grids of even widths and constant K, coarsened along all axes, in one pass over memory: band.cuh, band_cycle.cuh.
   With r = f - A v of the first guess v = u + mask P e two sweeps make v + c, c = (w0 + w1)/D r - w0 w1/D^2 A r, zero at fixed nodes as r is. */
#include "band_cycle.cuh"

/* The coarse correction at a lane's coarse nodes of both rows of a band: of the coarse row itself, and the mean with the next. */
template <int V> struct even_coarse {
  even_row<V / 2> row[band_rows];
};

/* What the steps share. Bands that are not needed only wait for others. */
struct even_way_up {
  band_place p;
  band_operator o;
  bool needed;
  const REAL *f, *u, *coarse;
  REAL *out, *shared;
  int64_t sz, coarse_sz, coarse_row[band_rows];
};

/* Rows of plane K of the coarse correction as they come. */
template <int V, bool ALIGNED, bool INNER> DEVICE void even_load_coarse(even_coarse<V> &e, const even_way_up &y, int K) {
  const band_place &p = y.p;
  const int nk = p.band & band_periodic ? p.nz / 2 : (p.nz + 1) / 2;
  const REAL *plane = y.coarse + (INNER ? K : even_index(K, nk, p.band & band_periodic)) * y.coarse_sz;
#pragma unroll
  for (int r = 0; r < band_rows; r++) {
    if (ALIGNED) {
      even_get<V / 2>(e.row[r].v, plane + y.coarse_row[r]);
      if (p.lane & lane_end)
        e.row[r].last = plane[y.coarse_row[r] + V / 2];
    } else {
      even_load<V / 2, false>(e.row[r], plane + y.coarse_row[r] - p.sc.x, p.sc);
    }
  }
}

template <int V> DEVICE void even_mean(even_row<V> &m, const even_row<V> &x, const even_row<V> &y) {
#pragma unroll
  for (int n = 0; n < V; n++)
    m.v[n] = (REAL)0.5 * (x.v[n] + y.v[n]);
  m.last = (REAL)0.5 * (x.last + y.last);
}

/* v += mask P e in the last plane. */
template <int V, bool ALIGNED, bool INNER> DEVICE void even_correct(band<V> &v, const even_coarse<V> &e, const band_place &p, const band_planes &planes) {
  const band_free<V, ALIGNED> free = band_free_of<V, ALIGNED, INNER>(p, planes, 0, 1);
#pragma unroll
  for (int r = 0; r < band_rows; r++) {
    REAL at[V / 2 + 1];
#pragma unroll
    for (int m = 0; m < V / 2; m++)
      at[m] = e.row[r].v[m];
    const REAL next = __shfl_down_sync(0xffffffffu, at[0], 1);
    at[V / 2] = ALIGNED && (p.lane & lane_end) ? e.row[r].last : next;
    const REAL half = (REAL)0.5 * free.row[r];
#pragma unroll
    for (int m = 0; m < V; m += 2) {
      v.at(r, m) = fma(free.at(r, m), at[m / 2], v.at(r, m));
      v.at(r, m + 1) = fma(ALIGNED ? half : (REAL)0.5 * free.at(r, m + 1), at[m / 2] + at[m / 2 + 1], v.at(r, m + 1));
    }
  }
  if (ALIGNED) { /* lane 31 has those of both last nodes */
    const REAL first = __shfl_sync(0xffffffffu, e.row[0].last, even_lanes - 1);
    v.last() = fma(free.last, p.lane & lane_last_second ? e.row[1].last : first, v.last());
  }
}

/* v and r of the last planes but one and of the last, by parity; s of the residual and of c; f of the plane of v; the correction in the coarse plane at or
   below it, and the next as it comes. */
template <int V> struct even_up {
  band<V> v[2], r[2], for_r, for_out, f;
  even_coarse<V> e, next;
  band_planes planes;
};

/* Step k: v of plane k gives r of plane k - 1 and the result of plane k - 2. */
template <int V, bool ALIGNED, bool INNER, int PARTS, int ODD> DEVICE void even_step_up(const even_way_up &y, even_up<V> &d, int k) {
  using room = band_room<V, PARTS, 2, false>;
  const band_place &p = y.p;
  REAL *const rows = y.shared + room::array(0, ODD), *const residuals = y.shared + room::array(1, ODD);
  band<V> &v = d.v[ODD], &v_below = d.v[!ODD], &r = d.r[ODD], &r_below = d.r[!ODD];
  if (y.needed) {
    band_next_plane<INNER>(d.planes, p, k);
    even_coarse<V> here = d.e;
    if (ODD) {
      d.e.row[0] = d.next.row[0];
      even_mean(d.e.row[1], d.next.row[0], d.next.row[1]);
#pragma unroll
      for (int n = 0; n < band_rows; n++)
        even_mean(here.row[n], here.row[n], d.e.row[n]);
    }
    even_correct<V, ALIGNED, INNER>(v, here, p, d.planes);
    band_weigh<V, ALIGNED, INNER>(d.f, p, d.planes);
    band_each<V, ALIGNED>([&](int n, int m) {
      const REAL step = v.at(n, m) - v_below.at(n, m);
      r.at(n, m) = d.for_r.at(n, m) + step;
      d.for_r.at(n, m) = fma(y.o.per_z, d.f.at(n, m), -step);
    });
    band_each<V, ALIGNED>([&](int n, int m) { d.for_r.at(n, m) = fma(-y.o.mass, v.at(n, m), d.for_r.at(n, m)); });
    band_clear<V, ALIGNED, INNER>(r, p, d.planes, 1);
    band_share<V, ALIGNED, room>(residuals, r, p);
  }
  if (p.band & band_owned) {
    const band_free<V, ALIGNED> z = band_free_of<V, ALIGNED, INNER>(p, d.planes, 1, y.o.sweep_z),
                                z_below = band_free_of<V, ALIGNED, INNER>(p, d.planes, 2, y.o.sweep_z);
    /* v of plane k - 2 is still in shared memory. What the sweeps add is summed by itself: each sum with v would be rounded as v is. */
    band<V> out;
    band_recall<V, ALIGNED, room>(out, rows, p);
    band_each<V, ALIGNED>([&](int n, int m) {
      const REAL step = r.at(n, m) - r_below.at(n, m);
      out.at(n, m) += fma(z_below.at(n, m), step, d.for_out.at(n, m));
      d.for_out.at(n, m) = fma(-z.at(n, m), step, y.o.own * r.at(n, m));
    });
    if (INNER || (k - 2 >= p.k0 && k - 2 < p.k1))
      band_store<V, ALIGNED, INNER>(y.out + (k - 2) * y.sz, out, p);
  }
  if (y.needed) { /* v over that of the plane below */
    band_share<V, ALIGNED, room>(rows, v, p);
    const int64_t next = band_plane<INNER>(p, k + 1) * y.sz, after = band_plane<INNER>(p, k + 2) * y.sz;
    band_load<V, ALIGNED>(v_below, y.u + next, p);
    band_load<V, ALIGNED>(d.f, y.f + next, p);
    if (!ODD)
      even_load_coarse<V, ALIGNED, INNER>(d.next, y, k / 2 + 1);
    band_ask<V, ALIGNED>(y.u + after, p);
    band_ask<V, ALIGNED>(y.f + after, p);
  }
  __syncthreads();
  if (y.needed)
    band_bend<V, ALIGNED, PARTS, room>(d.for_r, v, rows, p, band_all{y.o.x}, band_all{y.o.y});
  if (p.band & band_owned)
    band_bend<V, ALIGNED, PARTS, room>(d.for_out, r, residuals, p, band_free_of<V, ALIGNED, INNER>(p, d.planes, 1, y.o.sweep_x),
                                band_free_of<V, ALIGNED, INNER>(p, d.planes, 1, y.o.sweep_y));
}

/* Reads u, f and the correction and writes the result: 3 1/8 words a node. */
template <int V, bool ALIGNED, int PARTS> DEVICE void even_ascend(const cv_even_args &a) {
  DYNAMIC_SHARED(REAL, shared);
  even_way_up y;
  y.p = band_place_of<V, ALIGNED, PARTS, band_room<V, PARTS, 2, false>>(a, 1);
  const band_place &p = y.p;
  y.o = band_operator_of(a, false);
  y.needed = band_keep_same(p.before <= 1 && p.after <= 1 ? 1 : 0);
  y.f = static_cast<const REAL *>(a.f), y.u = static_cast<const REAL *>(a.u), y.out = static_cast<REAL *>(a.out), y.shared = shared;
  y.coarse = static_cast<const REAL *>(a.coarse_x);
  y.sz = a.fine.sz, y.coarse_sz = a.coarse.sz;
#pragma unroll
  for (int r = 0; r < band_rows; r++)
    y.coarse_row[r] = band_keep((long long)(even_index(p.j / 2 + r, (int)a.coarse.n[1], a.periodic[1]) * a.coarse.sy + p.sc.x));
  even_up<V> d = {};
  const int first = p.k0 - 2, last = p.k1 + 1; /* planes of v that the block needs */
  if (y.needed) {
    const int64_t plane = band_plane<false>(p, first) * y.sz;
    band_load<V, ALIGNED>(d.v[0], y.u + plane, p);
    band_load<V, ALIGNED>(d.f, y.f + plane, p);
    even_load_coarse<V, ALIGNED, false>(d.e, y, first / 2);
    even_mean(d.e.row[1], d.e.row[0], d.e.row[1]);
  }
  const int begin = max(p.k0 + 2, 4), end = min(p.k1 + 1, p.nz - 3); /* of inner steps */
  const bool plain = band_apart<V, ALIGNED> && band_plain(p);
  for (int k = first; k <= last; k += 2) {
    if (plain && k >= begin && k < end) {
      even_step_up<V, ALIGNED, band_apart<V, ALIGNED>, PARTS, 0>(y, d, k);
      even_step_up<V, ALIGNED, band_apart<V, ALIGNED>, PARTS, 1>(y, d, k + 1);
      continue;
    }
    even_step_up<V, ALIGNED, false, PARTS, 0>(y, d, k);
    if (k < last)
      even_step_up<V, ALIGNED, false, PARTS, 1>(y, d, k + 1);
  }
}

#define EVEN_UP(kind, V, PARTS, ALIGNED)                                                 \
  KERNEL_BOUNDS(even_ascend_##kind##_##V##_##PARTS, cv_even_args, band_threads<V>, 1) { \
    even_ascend<V, ALIGNED, PARTS>(a);                                                   \
  }

BAND_KERNELS(EVEN_UP)
