/* Descend and Ascend with trilinear elements on grids of even widths and constant K, coarsened along all axes: one pass over memory each,
   laid out as the pass of cycle_even_from.cu. A warp owns a row, a block several rows beside each other, and all march through z.

   With X, Y and XY the second differences of u along x, along y and along both, and dz those along z, it is over the volume of a node

     -A u / V = E + dz G - s u,   E = c_x X + c_y Y + (c_x + c_y)/6 XY,
     G = c_z u + (c_x + c_z)/6 X + (c_y + c_z)/6 Y + (c_x + c_y + c_z)/36 XY,   c_d = k_d / h_d^2,

   where what lies beyond walls is mirrored (even.cuh). E and G belong to one plane, so that a row of A u takes the rows beside it in one plane,
   and of the planes before one G and one sum.

   With u a first guess, two sweeps and the residual after them are

     r = f - A u,   c = (w0 + w1)/D r - w0 w1/D^2 A r,   u + c,   r - A c,

   r and c zero at fixed nodes: three stages. Each works two planes behind the one before it. A stage puts its rows into shared memory, in rings
   of planes, where all else that has to do with them is read. One barrier a plane. The rows at the rim of a block serve the stages only, as far
   as these need them; the neighbouring blocks compute them too. */
#include "../march/even.cuh"

/* V nodes of a lane side by side; in aligned tiles also that of the last lane's end, of the row's last node. */
template <int V, bool ALIGNED> struct tri_row {
  static constexpr int nodes = V + (ALIGNED ? 1 : 0);
  REAL v[nodes];
};

/* Elements of a row in shared memory, a multiple of 16 bytes. */
template <int V> constexpr int tri_pitch = even_lanes * V + 4;

/* As wide loads and stores as V elements allow. */
template <int V> constexpr int tri_wide = V * sizeof(REAL) % 16 == 0 ? 16 / sizeof(REAL) : V % 2 == 0 ? 2 : 1;

template <int V> struct alignas(tri_wide<V> * sizeof(REAL)) tri_pack {
  REAL v[tri_wide<V>];
};

/* V elements, `stride` of them apart for every pack. */
template <int V> DEVICE void tri_get(REAL *v, const REAL *p, int stride) {
  constexpr int wide = tri_wide<V>;
#pragma unroll
  for (int c = 0; c < V; c += wide) {
    const tri_pack<V> q = *reinterpret_cast<const tri_pack<V> *>(p + c / wide * stride);
#pragma unroll
    for (int m = 0; m < wide; m++)
      v[c + m] = q.v[m];
  }
}

template <int V> DEVICE void tri_put(REAL *p, const REAL *v, int stride) {
  constexpr int wide = tri_wide<V>;
#pragma unroll
  for (int c = 0; c < V; c += wide) {
    tri_pack<V> q;
#pragma unroll
    for (int m = 0; m < wide; m++)
      q.v[m] = v[c + m];
    *reinterpret_cast<tri_pack<V> *>(p + c / wide * stride) = q;
  }
}

/* In shared memory the first packs of all lanes come first, then the second: no bank is asked twice. */
template <int V, bool ALIGNED> DEVICE void tri_fetch(tri_row<V, ALIGNED> &r, const REAL *row, int lane) {
  tri_get<V>(r.v, row + tri_wide<V> * lane, tri_wide<V> * even_lanes);
  if (ALIGNED)
    r.v[r.nodes - 1] = row[even_lanes * V];
}

template <int V, bool ALIGNED> DEVICE void tri_share(REAL *row, const tri_row<V, ALIGNED> &r, int lane) {
  tri_put<V>(row + tri_wide<V> * lane, r.v, tri_wide<V> * even_lanes);
  if (ALIGNED && lane == even_lanes - 1)
    row[even_lanes * V] = r.v[r.nodes - 1];
}

/* A row of an array that begins at p. */
template <int V, bool ALIGNED> DEVICE void tri_load(tri_row<V, ALIGNED> &r, const REAL *p, const even_span &s) {
  if (s.inside) {
    tri_get<V>(r.v, p + s.x, tri_wide<V>);
  } else {
#pragma unroll
    for (int m = 0; m < V; m++)
      r.v[m] = p[even_index(s.x + m, s.n, s.periodic)];
  }
  if (ALIGNED)
    r.v[r.nodes - 1] = s.lane == even_lanes - 1 ? p[s.x + V] : (REAL)0;
}

/* The same to memory, as far as the warp owns it. Aligned tiles own all nodes of a lane or none. */
template <int V, bool ALIGNED> DEVICE void tri_store(REAL *p, const tri_row<V, ALIGNED> &r, const even_span &s) {
  if (s.owned) {
    tri_put<V>(p + s.x, r.v, tri_wide<V>);
  } else if (!ALIGNED) {
#pragma unroll
    for (int m = 0; m < V; m++)
      if (s.x + m >= s.begin && s.x + m < s.end)
        p[s.x + m] = r.v[m];
  }
  if (ALIGNED && s.owned_last)
    p[s.x + V] = r.v[r.nodes - 1];
}

/* The neighbours beyond a lane's first and last node. */
template <int V, bool ALIGNED> DEVICE void tri_sides(const tri_row<V, ALIGNED> &r, int lane, REAL &low, REAL &high) {
  low = __shfl_up_sync(0xffffffffu, r.v[V - 1], 1);
  high = __shfl_down_sync(0xffffffffu, r.v[0], 1);
  if (ALIGNED && lane == 0)
    low = r.v[1];
  if (ALIGNED && lane == even_lanes - 1)
    high = r.v[r.nodes - 1];
}

/* Second differences along x. */
template <int V, bool ALIGNED> DEVICE void tri_bend(tri_row<V, ALIGNED> &d, const tri_row<V, ALIGNED> &r, int lane) {
  REAL low, high;
  tri_sides<V, ALIGNED>(r, lane, low, high);
  REAL before = r.v[0] - low;
#pragma unroll
  for (int m = 0; m < V; m++) {
    const REAL after = (m < V - 1 ? r.v[m + 1] : high) - r.v[m];
    d.v[m] = after - before;
    before = after;
  }
  if (ALIGNED)
    d.v[d.nodes - 1] = (REAL)-2 * (r.v[r.nodes - 1] - r.v[V - 1]);
}

/* Factors of the nodes of a row: one of inner nodes, another at walls, zero at fixed nodes, as far as it is asked for. */
template <int V, bool ALIGNED> struct tri_factor {
  REAL inner, other, first, last; /* of aligned tiles only the first and the last node may lie at a wall */
  unsigned walls, fixed;
};

/* The factor of node m. */
template <int V, bool ALIGNED> DEVICE REAL tri_at(const tri_factor<V, ALIGNED> &f, int m) {
  if (ALIGNED)
    return m == 0 ? f.first : m == V ? f.last : f.inner;
  return f.fixed >> m & 1 ? (REAL)0 : f.walls >> m & 1 ? f.other : f.inner;
}

template <int V, bool ALIGNED>
DEVICE tri_factor<V, ALIGNED> tri_factor_of(const even_span &s, REAL inner, REAL other, bool at_walls, bool at_fixed) {
  tri_factor<V, ALIGNED> f = {inner, other, inner, inner, at_walls ? s.walls : 0, at_fixed ? s.fixed : 0};
  if (ALIGNED) {
    f.first = at_fixed && s.fixed ? (REAL)0 : at_walls && s.walls ? other : inner;
    f.last = at_fixed && s.fixed_last ? (REAL)0 : at_walls && s.wall_last ? other : inner;
  }
  return f;
}

/* What a warp knows of its row and block. */
struct tri_place {
  int j, row;              /* row of nodes, before and after mirroring */
  int nz;                  /* planes of the grid */
  int k0, k1;              /* those that the block owns */
  int x0, begin, end;      /* first node of its tile along x, and those that it owns */
  int low, high;           /* fixed planes, -1: none */
  int depth;               /* how many rows further towards the rim the row lies than the last that has all stages */
  bool owned, fixed_row;   /* the row is the block's; it lies in a fixed wall */
  bool periodic;           /* in z */
  REAL volumes;            /* 1 over the volume of the row's nodes within x and z */
  int before, own, after;  /* rows of the block beside the own, and the own */
};

/* The volume of a node within that of an inner one, inverted or not. */
DEVICE REAL tri_wall(int i, int n, bool periodic) { return !periodic && (i == 0 || i == n - 1) ? (REAL)2 : (REAL)1; }

DEVICE REAL tri_part(int i, int n, bool periodic) { return !periodic && (i == 0 || i == n - 1) ? (REAL)0.5 : (REAL)1; }

template <int V, bool ALIGNED> DEVICE tri_place tri_place_of(const cv_even_args &a, REAL per_volume, int rim, bool down) {
  tri_place p;
  const int n = (int)a.fine.n[1], nx = (int)a.fine.n[0], rows = (int)a.rows, j0 = (int)blockIdx.y * rows, w = threadIdx.y;
  p.nz = (int)a.fine.n[2];
  p.j = j0 - rim + w;
  p.row = even_index(p.j, n, a.periodic[1]);
  p.owned = p.j >= j0 && p.j < j0 + rows && p.j < n;
  /* The restriction reads the row before the first that is owned, and no further than one behind the grid. */
  const int first = down ? j0 - 1 : j0, last = j0 + rows - 1 < n - (down ? 0 : 1) ? j0 + rows - 1 : n - (down ? 0 : 1);
  p.depth = p.j < first ? first - p.j : p.j - last;
  p.fixed_row = (a.fixed[2] && p.row == 0) || (a.fixed[3] && p.row == n - 1);
  p.periodic = a.periodic[2];
  p.low = a.fixed[4] ? 0 : -1;
  p.high = a.fixed[5] ? p.nz - 1 : -1;
  p.volumes = tri_wall(p.row, n, a.periodic[1]) * per_volume;
  p.k0 = (int)(blockIdx.z * a.planes);
  p.k1 = p.k0 + (int)a.planes < p.nz ? p.k0 + (int)a.planes : p.nz;
  const int tile = blockIdx.x, stride = (int)a.columns, margin = even_margin<V>;
  /* Aligned tiles lie within the row; lanes that two of them compute may be written by both. */
  p.x0 = tile * stride - (ALIGNED ? 0 : margin);
  if (ALIGNED && p.x0 > nx - 1 - even_lanes * V)
    p.x0 = nx - 1 - even_lanes * V;
  p.begin = tile == 0 ? 0 : p.x0 + margin;
  p.end = tile == (int)gridDim.x - 1 ? nx : p.x0 + even_lanes * V - margin;
  p.own = w;
  p.before = w > 0 ? w - 1 : 0;
  p.after = w + 1 < (int)blockDim.y ? w + 1 : w;
  return p;
}

/* What has to be known of the last planes: bit m tells whether in the plane m before the last all nodes of the row are fixed, and whether it lies
   at a wall. */
struct tri_planes {
  unsigned fixed, walls;
};

/* Goes on to plane k, mirrored. */
DEVICE void tri_next_plane(tri_planes &planes, const tri_place &p, int k) {
  planes.fixed = planes.fixed << 1 | (p.fixed_row || k == p.low || k == p.high ? 1u : 0u);
  planes.walls = planes.walls << 1 | (!p.periodic && (k == 0 || k == p.nz - 1) ? 1u : 0u);
}

/* 1 at the free nodes of the row, m planes before the last. */
template <int V, bool ALIGNED> DEVICE tri_factor<V, ALIGNED> tri_free(const tri_planes &planes, const even_span &s, int m) {
  const REAL free = planes.fixed >> m & 1 ? (REAL)0 : (REAL)1;
  return tri_factor_of<V, ALIGNED>(s, free, free, false, true);
}

/* Coefficients of X, Y and XY in E, of u itself, and of X, Y, XY and u in G; then the volume of an inner node, and 1 over it. They are operands
   where the launch put them, and take no registers. */
enum { tri_x, tri_y, tri_xy, tri_own, tri_gx, tri_gy, tri_gxy, tri_g, tri_coefficients };
enum { tri_of_residual = 0, tri_of_correction = tri_coefficients, tri_volume = 2 * tri_coefficients, tri_per_volume };

[[maybe_unused]] DEVICE const float *tri_numbers(const cv_trilinear_args &a, float) { return a.single_numbers; }
[[maybe_unused]] DEVICE const double *tri_numbers(const cv_trilinear_args &a, double) { return a.numbers; }

/* Of the last plane G, and of its result all but the G of the plane above. */
template <int V, bool ALIGNED> struct tri_stage {
  tri_row<V, ALIGNED> g, sum;
};

template <int V, bool ALIGNED> DEVICE void tri_begin(tri_stage<V, ALIGNED> &st) {
#pragma unroll
  for (int m = 0; m < st.g.nodes; m++)
    st.g.v[m] = st.sum.v[m] = 0;
}

/* Takes a plane of u in and gives the result of the plane before it: `source` + factor (E + dz G + own u). The row is `row` of the plane in
   shared memory, in which they are `pitch` apart. */
template <int V, bool ALIGNED, typename Source, typename Result>
DEVICE void tri_next(tri_stage<V, ALIGNED> &st, const REAL *o, const REAL *plane, const tri_place &p, int lane, Source source,
                     Result result) {
  constexpr int pitch = tri_pitch<V>;
  tri_row<V, ALIGNED> u, y, beside, dx, dxy;
  tri_fetch<V, ALIGNED>(u, plane + p.own * pitch, lane);
  tri_fetch<V, ALIGNED>(y, plane + p.before * pitch, lane);
  tri_fetch<V, ALIGNED>(beside, plane + p.after * pitch, lane);
#pragma unroll
  for (int m = 0; m < u.nodes; m++)
    y.v[m] = (y.v[m] - u.v[m]) + (beside.v[m] - u.v[m]);
  tri_bend<V, ALIGNED>(dx, u, lane);
  tri_bend<V, ALIGNED>(dxy, y, lane);
#pragma unroll
  for (int m = 0; m < u.nodes; m++) {
    const REAL g = fma(o[tri_gx], dx.v[m], fma(o[tri_gy], y.v[m], fma(o[tri_gxy], dxy.v[m], o[tri_g] * u.v[m])));
    const REAL step = g - st.g.v[m];
    st.g.v[m] = g;
    result(m, st.sum.v[m] + step);
    const REAL first = fma(o[tri_own], u.v[m], source(m, -step));
    st.sum.v[m] = fma(o[tri_x], dx.v[m], fma(o[tri_y], y.v[m], fma(o[tri_xy], dxy.v[m], first)));
  }
}

/* Sums along x for the coarse nodes of a lane: 1 of the coincident node, 1/2 of its neighbours. */
template <int V, bool ALIGNED>
DEVICE void tri_gather(tri_row<V / 2, ALIGNED> &out, const tri_row<V, ALIGNED> &r, int lane) {
  REAL low, high;
  tri_sides<V, ALIGNED>(r, lane, low, high);
#pragma unroll
  for (int m = 0; m < V; m += 2)
    out.v[m / 2] = fma((REAL)0.5, (m > 0 ? r.v[m - 1] : low) + r.v[m + 1], r.v[m]);
  if (ALIGNED)
    out.v[out.nodes - 1] = r.v[r.nodes - 1] + r.v[V - 1];
}

/* Adds up the coarse right side along z, over the sums of plane q in shared memory, and writes it when a coarse plane is complete. The row is even;
   c is the span of coarse nodes. */
template <int V, bool ALIGNED>
DEVICE void tri_restrict(tri_row<V / 2, ALIGNED> &sum, const cv_even_args &a, const tri_place &p, const even_span &c, int q,
                         const REAL *plane, REAL inner) {
  constexpr int pitch = tri_pitch<V / 2>;
  tri_row<V / 2, ALIGNED> part, front, back;
  tri_fetch<V / 2, ALIGNED>(part, plane + p.own * pitch, c.lane);
  tri_fetch<V / 2, ALIGNED>(front, plane + p.before * pitch, c.lane);
  tri_fetch<V / 2, ALIGNED>(back, plane + p.after * pitch, c.lane);
#pragma unroll
  for (int m = 0; m < part.nodes; m++)
    part.v[m] = fma((REAL)0.5, front.v[m] + back.v[m], part.v[m]);
  if (!(q & 1)) {
#pragma unroll
    for (int m = 0; m < part.nodes; m++)
      sum.v[m] += part.v[m];
    return;
  }
  const int K = (q - 1) / 2, J = p.j / 2, nj = (int)a.coarse.n[1], nk = (int)a.coarse.n[2];
  if (q > p.k0) {
    const bool none = (a.coarse_fixed[2] && J == 0) || (a.coarse_fixed[3] && J == nj - 1) || (a.coarse_fixed[4] && K == 0) ||
                      (a.coarse_fixed[5] && K == nk - 1);
    const REAL volume = none ? (REAL)0 : tri_part(J, nj, a.periodic[1]) * tri_part(K, nk, p.periodic) * inner;
    const tri_factor<V / 2, ALIGNED> scale = tri_factor_of<V / 2, ALIGNED>(c, volume, (REAL)0.5 * volume, true, true);
    tri_row<V / 2, ALIGNED> out;
#pragma unroll
    for (int m = 0; m < part.nodes; m++)
      out.v[m] = tri_at(scale, m) * fma((REAL)0.5, part.v[m], sum.v[m]);
    tri_store<V / 2, ALIGNED>(static_cast<REAL *>(a.coarse_x) + J * a.coarse.sy + K * a.coarse.sz, out, c);
  }
#pragma unroll
  for (int m = 0; m < part.nodes; m++)
    sum.v[m] = (REAL)0.5 * part.v[m];
}

/* Rows J and J + 1 of a plane of the coarse correction, for the lane's coarse nodes. */
template <int V, bool ALIGNED> struct tri_coarse {
  tri_row<V / 2, ALIGNED> low, high;
};

template <int V, bool ALIGNED>
DEVICE void tri_load_coarse(tri_coarse<V, ALIGNED> &e, const cv_even_args &a, const tri_place &p, const even_span &c, int K) {
  const int nj = (int)a.coarse.n[1], J = (p.j - (p.j & 1)) / 2;
  const REAL *plane = static_cast<const REAL *>(a.coarse_x) + even_index(K, (int)a.coarse.n[2], p.periodic) * a.coarse.sz;
  tri_load<V / 2, ALIGNED>(e.low, plane + even_index(J, nj, a.periodic[1]) * a.coarse.sy, c);
  if (p.j & 1)
    tri_load<V / 2, ALIGNED>(e.high, plane + even_index(J + 1, nj, a.periodic[1]) * a.coarse.sy, c);
}

/* The coarse correction in the warp's row: of two rows their mean. */
template <int V, bool ALIGNED> DEVICE void tri_mean(tri_row<V / 2, ALIGNED> &e, const tri_coarse<V, ALIGNED> &rows, const tri_place &p) {
  e = rows.low;
  if (p.j & 1) {
#pragma unroll
    for (int m = 0; m < e.nodes; m++)
      e.v[m] = (REAL)0.5 * (e.v[m] + rows.high.v[m]);
  }
}

/* u += mask P e at the nodes of a row, e at the coarse nodes of a lane, of this plane. */
template <int V, bool ALIGNED>
DEVICE void tri_correct(tri_row<V, ALIGNED> &u, const tri_row<V / 2, ALIGNED> &e, const tri_factor<V, ALIGNED> &free, int lane) {
  REAL next = __shfl_down_sync(0xffffffffu, e.v[0], 1);
  if (ALIGNED && lane == even_lanes - 1)
    next = e.v[e.nodes - 1];
#pragma unroll
  for (int m = 0; m < V; m += 2) {
    u.v[m] = fma(tri_at(free, m), e.v[m / 2], u.v[m]);
    u.v[m + 1] = fma((REAL)0.5 * tri_at(free, m + 1), e.v[m / 2] + (m / 2 + 1 < V / 2 ? e.v[m / 2 + 1] : next), u.v[m + 1]);
  }
  if (ALIGNED)
    u.v[u.nodes - 1] = fma(tri_at(free, V), e.v[e.nodes - 1], u.v[u.nodes - 1]);
}

/* Planes of the rings in shared memory: of u and of r, which are read again two and three planes later, and of c. */
enum { tri_ring = 4, tri_pair = 2 };

/* Which way a pass goes, and from what. */
enum { tri_down_zero, tri_down, tri_up };

/* Reads f (and u, and the coarse correction) and writes u and (on the way down) the coarse right side: 2 1/8 words a node from zero,
   3 1/8 else. From zero r is f. */
template <int V, bool ALIGNED, int PASS> DEVICE void tri_pass(const cv_trilinear_args &t) {
  constexpr bool given = PASS != tri_down_zero, down = PASS != tri_up;
  constexpr int r_ring = down ? tri_ring : tri_pair, pitch = tri_pitch<V>, coarse_pitch = tri_pitch<V / 2>;
  /* How many planes after that of u the stages work. */
  constexpr int c_lag = given ? 2 : 0, r_lag = c_lag + 2, sum_lag = r_lag + 2;
  const cv_even_args &a = t.even;
  DYNAMIC_SHARED(REAL, shared);
  const int rows = blockDim.y;
  const REAL *const numbers = tri_numbers(t, (REAL)0), *const of_residual = numbers + tri_of_residual,
             *const of_correction = numbers + tri_of_correction;
  const tri_place p = tri_place_of<V, ALIGNED>(a, numbers[tri_per_volume], (given ? 1 : 0) + (down ? 3 : 1), down);
  const even_span s = even_span_of<V, ALIGNED>(p.x0, (int)a.fine.n[0], p.begin, p.end, a.periodic[0], a.fixed[0], a.fixed[1]);
  const even_span sc = even_span_of<V / 2, ALIGNED>(p.x0 / 2, (int)a.coarse.n[0], p.begin / 2, (p.end + 1) / 2, a.periodic[0],
                                                    a.coarse_fixed[0], a.coarse_fixed[1]);
  REAL *const all_u = shared, *const all_r = all_u + (given ? tri_ring * rows * pitch : 0), *const all_c = all_r + r_ring * rows * pitch;
  REAL *const all_sums = all_c + tri_pair * rows * pitch;
  const REAL *const f = static_cast<const REAL *>(a.f) + p.row * a.fine.sy, *const u = static_cast<const REAL *>(a.u) + p.row * a.fine.sy;
  REAL *const out = static_cast<REAL *>(a.out) + p.j * a.fine.sy;
  const auto u_plane = [&](int k) { return all_u + (k & (tri_ring - 1)) * rows * pitch; };
  const auto r_plane = [&](int k) { return all_r + (k & (r_ring - 1)) * rows * pitch; };
  const auto c_plane = [&](int k) { return all_c + (k & (tri_pair - 1)) * rows * pitch; };
  const auto sums_plane = [&](int k) { return all_sums + (k & (tri_pair - 1)) * rows * coarse_pitch; };
  /* Planes of which the last stage has to be made. */
  const int low = down ? p.k0 - 1 : p.k0, high = down && p.k1 < p.nz ? p.k1 - 1 : down ? p.k1 : p.k1 - 1;
  const int c_depth = down ? 1 : 0, r_depth = c_depth + 1, u_depth = given ? r_depth + 1 : r_depth;
  tri_stage<V, ALIGNED> for_r, for_c, for_rest;
  tri_begin<V, ALIGNED>(for_r), tri_begin<V, ALIGNED>(for_c), tri_begin<V, ALIGNED>(for_rest);
  tri_row<V, ALIGNED> next;               /* of u or f */
  tri_row<V / 2, ALIGNED> e = {}, sum = {}; /* the coarse correction of an even plane; the coarse right side */

  /* Puts a plane of the first array, which is the last of `planes`, into shared memory. */
  tri_planes planes = {};
  const auto begin_plane = [&](int k, const tri_coarse<V, ALIGNED> &coarse) {
    if (PASS == tri_down_zero) {
      const REAL scale = planes.fixed & 1 ? (REAL)0 : planes.walls & 1 ? 2 * p.volumes : p.volumes;
      const tri_factor<V, ALIGNED> factor = tri_factor_of<V, ALIGNED>(s, scale, 2 * scale, true, true);
#pragma unroll
      for (int m = 0; m < next.nodes; m++)
        next.v[m] *= tri_at(factor, m);
      tri_share<V, ALIGNED>(r_plane(k) + p.own * pitch, next, s.lane);
      return;
    }
    if (PASS == tri_up) {
      tri_row<V / 2, ALIGNED> here = e;
      if (k & 1) {
        tri_mean<V, ALIGNED>(e, coarse, p);
#pragma unroll
        for (int m = 0; m < e.nodes; m++)
          here.v[m] = (REAL)0.5 * (here.v[m] + e.v[m]);
      }
      tri_correct<V, ALIGNED>(next, here, tri_free<V, ALIGNED>(planes, s, 0), s.lane);
    }
    tri_share<V, ALIGNED>(u_plane(k) + p.own * pitch, next, s.lane);
  };

  const int first = low - u_depth, last = high + u_depth;
  const REAL *const begun = given ? u : f;
  int now = even_index(first, p.nz, p.periodic);
  tri_load<V, ALIGNED>(next, begun + now * a.fine.sz, s);
  tri_next_plane(planes, p, now);
  tri_coarse<V, ALIGNED> coarse;
  if (PASS == tri_up) {
    tri_load_coarse<V, ALIGNED>(coarse, a, p, sc, first / 2);
    tri_mean<V, ALIGNED>(e, coarse, p);
  }
  begin_plane(first, coarse);
  for (int plane = first; plane <= high + (down ? sum_lag : c_lag + 1); plane++) {
    __syncthreads();
    /* What is read here is used at the end. */
    const bool more = plane < last;
    const int ahead = even_index(plane + 1, p.nz, p.periodic);
    tri_row<V, ALIGNED> source;
    if (more)
      tri_load<V, ALIGNED>(next, begun + ahead * a.fine.sz, s);
    if (PASS == tri_up && more && !(plane & 1))
      tri_load_coarse<V, ALIGNED>(coarse, a, p, sc, (plane + 2) / 2);
    const bool has_r = given && p.depth <= r_depth && plane <= last;
    if (has_r)
      tri_load<V, ALIGNED>(source, f + now * a.fine.sz, s);

    if (down) {
      const int q = plane - sum_lag;
      if (p.owned && !(p.j & 1) && q >= low)
        tri_restrict<V, ALIGNED>(sum, a, p, sc, q, sums_plane(q), numbers[tri_volume]);
      const int k = plane - r_lag; /* r - A c of plane k - 1 */
      if (p.depth <= 0 && k >= low - 1 && k <= high + 1) {
        tri_row<V, ALIGNED> r, rest;
        tri_fetch<V, ALIGNED>(r, r_plane(k) + p.own * pitch, s.lane);
        const tri_factor<V, ALIGNED> free = tri_free<V, ALIGNED>(planes, s, r_lag + 1);
        tri_next<V, ALIGNED>(
            for_rest, of_residual, c_plane(k), p, s.lane, [&](int m, REAL step) { return r.v[m] + step; },
            [&](int m, REAL value) { rest.v[m] = tri_at(free, m) * value; });
        tri_row<V / 2, ALIGNED> sums;
        tri_gather<V, ALIGNED>(sums, rest, s.lane);
        tri_share<V / 2, ALIGNED>(sums_plane(k - 1) + p.own * coarse_pitch, sums, s.lane);
      }
    }
    const int k = plane - c_lag; /* c of plane k - 1 */
    if (p.depth <= c_depth && k >= low - r_depth && k <= high + r_depth) {
      tri_row<V, ALIGNED> c;
      const tri_factor<V, ALIGNED> free = tri_free<V, ALIGNED>(planes, s, c_lag + 1);
      tri_next<V, ALIGNED>(
          for_c, of_correction, r_plane(k), p, s.lane, [&](int, REAL step) { return step; },
          [&](int m, REAL value) { c.v[m] = tri_at(free, m) * value; });
      if (down)
        tri_share<V, ALIGNED>(c_plane(k - 1) + p.own * pitch, c, s.lane);
      if (p.owned && k > p.k0 && k <= p.k1) {
        if (given) {
          tri_row<V, ALIGNED> before;
          tri_fetch<V, ALIGNED>(before, u_plane(k - 1) + p.own * pitch, s.lane);
#pragma unroll
          for (int m = 0; m < c.nodes; m++)
            c.v[m] += before.v[m];
        }
        tri_store<V, ALIGNED>(out + (k - 1) * a.fine.sz, c, s);
      }
    }
    if (has_r) { /* r of plane - 1 */
      tri_row<V, ALIGNED> r;
      const REAL scale = planes.walls & 1 ? 2 * p.volumes : p.volumes;
      const tri_factor<V, ALIGNED> volume = tri_factor_of<V, ALIGNED>(s, scale, 2 * scale, true, false);
      const tri_factor<V, ALIGNED> free = tri_free<V, ALIGNED>(planes, s, 1);
      tri_next<V, ALIGNED>(
          for_r, of_residual, u_plane(plane), p, s.lane, [&](int m, REAL step) { return fma(tri_at(volume, m), source.v[m], step); },
          [&](int m, REAL value) { r.v[m] = tri_at(free, m) * value; });
      tri_share<V, ALIGNED>(r_plane(plane - 1) + p.own * pitch, r, s.lane);
    }
    now = ahead;
    tri_next_plane(planes, p, now);
    if (more)
      begin_plane(plane + 1, coarse);
  }
}

#define TRI_KERNELS(kind, V, ALIGNED)                                                                                               \
  KERNEL_BOUNDS(tri_down_zero_##kind##_##V, cv_trilinear_args, tri_threads, 1) { tri_pass<V, ALIGNED, tri_down_zero>(a); }         \
  KERNEL_BOUNDS(tri_down_##kind##_##V, cv_trilinear_args, tri_threads, 1) { tri_pass<V, ALIGNED, tri_down>(a); }                   \
  KERNEL_BOUNDS(tri_up_##kind##_##V, cv_trilinear_args, tri_threads, 1) { tri_pass<V, ALIGNED, tri_up>(a); }

TRI_KERNELS(aligned, 2, true)
TRI_KERNELS(aligned, 4, true)
TRI_KERNELS(tile, 4, false)
/* Registers hold no more than four nodes of double. */
#define TRI_WIDE_f32 1
#if LAUNCH_JOIN(TRI_WIDE, TYPE)
TRI_KERNELS(aligned, 6, true)
TRI_KERNELS(aligned, 8, true)
TRI_KERNELS(tile, 8, false)
#endif
