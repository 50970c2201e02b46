/* Ascend with 7 points on grids of even widths and constant K, coarsened along all axes, in one pass over memory: band.cuh, band_cycle.cuh.
   With r = f - A v of the first guess v = u + mask P e two sweeps make v + c, c = (w0 + w1)/D r - w0 w1/D^2 A r, zero at fixed nodes as r is. */
#include "band_cycle.cuh"

/* The coarse correction at a lane's coarse nodes of both rows of a band: of the coarse row itself, and the mean with the next. */
template <int V> struct even_coarse {
  even_row<V / 2> row[band_rows];
};

/* Rows of a coarse plane as they come. */
template <int V, bool ALIGNED>
DEVICE void even_load_coarse(even_coarse<V> &e, const cv_even_args &a, const band_place &p, const even_span &c, int K) {
  const REAL *plane = static_cast<const REAL *>(a.coarse_x) + even_index(K, (int)a.coarse.n[2], p.periodic) * a.coarse.sz;
#pragma unroll
  for (int r = 0; r < band_rows; r++)
    even_load<V / 2, ALIGNED>(e.row[r], plane + even_index(p.j / 2 + r, (int)a.coarse.n[1], a.periodic[1]) * a.coarse.sy, c);
}

template <int V> DEVICE void even_mean(even_row<V> &m, const even_row<V> &x, const even_row<V> &y) {
#pragma unroll
  for (int n = 0; n < V; n++)
    m.v[n] = (REAL)0.5 * (x.v[n] + y.v[n]);
  m.last = (REAL)0.5 * (x.last + y.last);
}

/* v += mask P e in the last plane. */
template <int V, bool ALIGNED>
DEVICE void even_correct(band<V> &v, const even_coarse<V> &e, const band_place &p, const band_planes &planes, const even_span &s) {
  const band_factor<V, ALIGNED> free = band_free<V, ALIGNED>(p, planes, s, 0, 1);
#pragma unroll
  for (int r = 0; r < band_rows; r++) {
    REAL at[V / 2 + 1];
#pragma unroll
    for (int m = 0; m < V / 2; m++)
      at[m] = e.row[r].v[m];
    at[V / 2] = __shfl_down_sync(0xffffffffu, at[0], 1);
    if (ALIGNED && p.lane == even_lanes - 1)
      at[V / 2] = e.row[r].last;
#pragma unroll
    for (int m = 0; m < V; m += 2) {
      v.at(r, m) = fma(free.at(r, m), at[m / 2], v.at(r, m));
      v.at(r, m + 1) = fma((REAL)0.5 * free.at(r, m + 1), at[m / 2] + at[m / 2 + 1], v.at(r, m + 1));
    }
  }
  if (ALIGNED) { /* lane 31 has those of both last nodes */
    const REAL first = __shfl_sync(0xffffffffu, e.row[0].last, even_lanes - 1);
    v.last() = fma(free.last, band_last_row(p) ? e.row[1].last : first, v.last());
  }
}

/* v and r of the last planes but one and of the last, by parity; s of the residual and of v + c; f of the plane of v; the correction in the coarse plane at or
   below it, and the next as it comes. */
template <int V> struct even_up {
  band<V> v[2], r[2], for_r, for_out, f;
  even_coarse<V> e, next;
  band_planes planes;
};

/* Step k: v of plane k gives r of plane k - 1 and the result of plane k - 2. */
template <int V, bool ALIGNED, int ODD>
DEVICE void even_step_up(const cv_even_args &a, const band_way<V, ALIGNED> &y, even_up<V> &d, int k, REAL *shared) {
  const band_place &p = y.p;
  const int bands = blockDim.z, w = __shfl_sync(0xffffffffu, (int)threadIdx.z, 0);
  REAL *const rows = shared + w * band_rows * p.pitch + p.part * even_lanes * V, *const residuals = rows + bands * band_rows * p.pitch;
  band<V> &v = d.v[ODD], &v_below = d.v[!ODD], &r = d.r[ODD], &r_below = d.r[!ODD];
  const bool needed = y.stages > 0;
  if (needed) {
    band_next_plane(d.planes, p, even_index(k, p.nz, p.periodic));
    even_coarse<V> here = d.e;
    if (ODD) {
      d.e.row[0] = d.next.row[0];
      even_mean(d.e.row[1], d.next.row[0], d.next.row[1]);
#pragma unroll
      for (int n = 0; n < band_rows; n++)
        even_mean(here.row[n], here.row[n], d.e.row[n]);
    }
    even_correct<V, ALIGNED>(v, here, p, d.planes, y.s);
    band_share<V, ALIGNED>(rows, v, p);
    band_weigh<V, ALIGNED>(d.f, p, d.planes, y.s);
    band_each<V, ALIGNED>([&](int n, int m) {
      const REAL step = v.at(n, m) - v_below.at(n, m);
      r.at(n, m) = d.for_r.at(n, m) + step;
      d.for_r.at(n, m) = fma(y.o.per_z, d.f.at(n, m), -step);
    });
    if (y.o.mass != 0)
      band_each<V, ALIGNED>([&](int n, int m) { d.for_r.at(n, m) = fma(-y.o.mass, v.at(n, m), d.for_r.at(n, m)); });
    band_clear<V, ALIGNED>(r, p, d.planes, y.s, 1);
    band_share<V, ALIGNED>(residuals, r, p);
  }
  if (p.owned) {
    const band_factor<V, ALIGNED> z = band_free<V, ALIGNED>(p, d.planes, y.s, 1, y.o.sweep_z),
                                  z_below = band_free<V, ALIGNED>(p, d.planes, y.s, 2, y.o.sweep_z);
    band<V> out;
    band_each<V, ALIGNED>([&](int n, int m) {
      const REAL step = r.at(n, m) - r_below.at(n, m);
      out.at(n, m) = fma(z_below.at(n, m), step, d.for_out.at(n, m));
      d.for_out.at(n, m) = fma(-z.at(n, m), step, fma(y.o.own, r.at(n, m), v_below.at(n, m)));
    });
    if (k - 2 >= p.k0 && k - 2 < p.k1)
      band_store<V, ALIGNED>(y.out + (k - 2) * a.fine.sz, a.fine.sy, out, p, y.s);
  }
  if (needed) { /* v over that of the plane below */
    const int64_t next = even_index(k + 1, p.nz, p.periodic) * a.fine.sz, after = even_index(k + 2, p.nz, p.periodic) * a.fine.sz;
    band_load<V, ALIGNED>(v_below, y.u + next, p, y.s);
    band_load<V, ALIGNED>(d.f, y.f + next, p, y.s);
    if (!ODD)
      even_load_coarse<V, ALIGNED>(d.next, a, p, y.sc, k / 2 + 1);
    band_ask<V>(y.u + after, p, y.s);
    band_ask<V>(y.f + after, p, y.s);
  }
  __syncthreads();
  if (needed)
    band_bend<V, ALIGNED>(d.for_r, v, rows, p, band_all{y.o.x}, band_all{y.o.y});
  if (p.owned)
    band_bend<V, ALIGNED>(d.for_out, r, residuals, p, band_free<V, ALIGNED>(p, d.planes, y.s, 1, y.o.sweep_x),
                          band_free<V, ALIGNED>(p, d.planes, y.s, 1, y.o.sweep_y));
}

/* Reads u, f and the correction and writes the result: 3 1/8 words a node. */
template <int V, bool ALIGNED> DEVICE void even_ascend(const cv_even_args &a) {
  DYNAMIC_SHARED(REAL, shared);
  band_way<V, ALIGNED> y = band_way_of<V, ALIGNED>(a, 1, false);
  const band_place &p = y.p;
  y.stages = p.before <= 1 && p.after <= 1 ? 1 : 0;
  REAL *const other = shared + blockDim.z * 2 * band_rows * p.pitch;
  even_up<V> d = {};
  const int first = p.k0 - 2, last = p.k1 + 1; /* planes of v that the block needs */
  if (y.stages > 0) {
    const int64_t plane = even_index(first, p.nz, p.periodic) * a.fine.sz;
    band_load<V, ALIGNED>(d.v[0], y.u + plane, p, y.s);
    band_load<V, ALIGNED>(d.f, y.f + plane, p, y.s);
    even_load_coarse<V, ALIGNED>(d.e, a, p, y.sc, first / 2);
    even_mean(d.e.row[1], d.e.row[0], d.e.row[1]);
  }
  for (int k = first; k <= last; k += 2) {
    even_step_up<V, ALIGNED, 0>(a, y, d, k, shared);
    if (k < last)
      even_step_up<V, ALIGNED, 1>(a, y, d, k + 1, other);
  }
}

#define EVEN_UP(kind, V, ALIGNED) \
  KERNEL_BOUNDS(even_ascend_##kind##_##V, cv_even_args, band_threads<V>, 1) { even_ascend<V, ALIGNED>(a); }

BAND_KERNELS(EVEN_UP)
