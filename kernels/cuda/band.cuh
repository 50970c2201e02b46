/* Bands of rows in the registers of warps, for passes over grids of even widths and constant K (even.cuh).

   A band is two rows beside each other, the first of them even, which keeps half of what a row needs of the rows beside it in registers. A warp
   has V nodes a lane of each row; where rows are longer several warps lie beside each other along x, as parts of a band. A block has several
   bands beside each other, and all march through z. What other warps read of a band is in shared memory. */
#ifndef CONVECT_BAND_CUH
#define CONVECT_BAND_CUH

#include "even.cuh"

/* Of functions of a struct, what DEVICE is of others. */
#define DEVICE_MEMBER __device__ __forceinline__

enum { band_rows = 2 };

/* The last node of aligned rows, beyond the 32 V of the last part, belongs to one of its last lanes: lane 30 has that of the first row, lane 31
   that of the second. It is node V in what follows, of whatever row. */
template <int V> struct band {
  REAL v[band_rows * V + 1];
  DEVICE_MEMBER REAL &at(int r, int m) { return v[m < V ? r * V + m : band_rows * V]; }
  DEVICE_MEMBER REAL at(int r, int m) const { return v[m < V ? r * V + m : band_rows * V]; }
  DEVICE_MEMBER REAL &last() { return v[band_rows * V]; }
  DEVICE_MEMBER REAL last() const { return v[band_rows * V]; }
};

/* Does something at all nodes of a lane, row r and node m. */
template <int V, bool ALIGNED, typename Do> DEVICE void band_each(Do what) {
#pragma unroll
  for (int r = 0; r < band_rows; r++)
#pragma unroll
    for (int m = 0; m < V; m++)
      what(r, m);
  if (ALIGNED)
    what(0, V);
}

template <int V> DEVICE void band_zero(band<V> &b) {
  band_each<V, true>([&](int r, int m) { b.at(r, m) = 0; });
}

/* Where element m of a lane lies in a row in shared memory (even_put_shared). */
template <int V> DEVICE int band_shared(int lane, int m) {
  constexpr int wide = even_wide<V>;
  return m / wide * wide * even_lanes + wide * lane + m % wide;
}

/* What a warp knows of its band and block. */
struct band_place {
  int lane, part, parts;
  int j;                      /* first row, before mirroring */
  int before, after;          /* bands between it and the first and the last that the block owns */
  bool owned;                 /* both are 0 */
  bool second;                /* its second row is in the grid */
  int nz, k0, k1;             /* planes of the grid, and those that the block owns */
  int x0, begin, end;         /* first node of the part, and those that the block writes */
  int low, high;              /* fixed planes, -1: none */
  bool periodic;              /* in z */
  bool at_wall;               /* one of its rows lies in a wall, fixed or not */
  bool fixed[band_rows];      /* rows in a fixed wall */
  REAL walls[band_rows];      /* 2 of rows in a wall, else 1 */
  int64_t row[band_rows];     /* where mirrored rows lie in a plane */
  int pitch, front, back;     /* rows in shared memory: from one to the next, and from the first to those beside the band */
  int side;                   /* the neighbour beyond the first or the last lane */
  bool has_last;              /* the lane has the last node of a row */
  int last, last_front, last_back; /* the lane's row, and the last nodes of those beside it */
};

/* Elements of a row in shared memory: all parts, the last node, and padding to 16 bytes. */
template <int V> DEVICE int band_pitch() { return (int)blockDim.y * even_lanes * V + 4; }

/* rim: bands before the first that the block owns. */
template <int V, bool ALIGNED> DEVICE band_place band_place_of(const cv_even_args &a, int rim) {
  band_place p;
  /* The compiler does not know that all lanes have the same threadIdx.y and z, and this tells it. */
  p.part = __shfl_sync(0xffffffffu, (int)threadIdx.y, 0);
  const int w = __shfl_sync(0xffffffffu, (int)threadIdx.z, 0), bands = blockDim.z;
  const int n = (int)a.fine.n[1], nx = (int)a.fine.n[0], j0 = (int)(blockIdx.y * a.rows);
  const int j1 = min(j0 + (int)a.rows, n); /* end of the rows that the block owns */
  /* Nor is it to read threadIdx.x ever again. */
  p.lane = __shfl_sync(0xffffffffu, (int)threadIdx.x, (int)threadIdx.x);
  p.parts = blockDim.y;
  p.j = j0 + band_rows * (w - rim);
  p.before = p.j < j0 ? (j0 - p.j) / band_rows : 0;
  p.after = p.j >= j1 ? (p.j - j1) / band_rows + 1 : 0;
  p.owned = p.before + p.after == 0;
  p.second = p.j + 1 < n;
  p.nz = (int)a.fine.n[2];
  p.k0 = (int)(blockIdx.z * a.planes);
  p.k1 = min(p.k0 + (int)a.planes, p.nz);
  p.low = a.fixed[4] ? 0 : -1;
  p.high = a.fixed[5] ? p.nz - 1 : -1;
  p.periodic = a.periodic[2];
  p.at_wall = false;
#pragma unroll
  for (int r = 0; r < band_rows; r++) {
    const int row = even_index(p.j + r, n, a.periodic[1]);
    p.row[r] = row * a.fine.sy;
    p.fixed[r] = (a.fixed[2] && row == 0) || (a.fixed[3] && row == n - 1);
    p.walls[r] = !a.periodic[1] && (row == 0 || row == n - 1) ? (REAL)2 : (REAL)1;
    p.at_wall = p.at_wall || p.fixed[r] || p.walls[r] != 1;
  }
  const int tile = blockIdx.x, stride = (int)a.columns, margin = even_margin<V>, width = p.parts * even_lanes * V;
  p.begin = tile * stride + (ALIGNED && tile > 0 ? margin : 0);
  p.end = tile == (int)gridDim.x - 1 ? nx : (tile + 1) * stride + (ALIGNED ? margin : 0);
  const int from = tile * stride - (ALIGNED ? 0 : margin);
  p.x0 = (ALIGNED && from > nx - 1 - width ? nx - 1 - width : from) + p.part * even_lanes * V;

  p.pitch = band_pitch<V>();
  p.front = w > 0 ? -p.pitch : 0;
  p.back = w + 1 < bands ? 2 * p.pitch : p.pitch;
  /* Before the first node of a row lies the second, mirrored; behind the last part the last node. */
  const int before = p.part > 0 ? band_shared<V>(even_lanes - 1, V - 1) - even_lanes * V : band_shared<V>(0, V > 1 ? 1 : 0);
  p.side = p.lane < even_lanes / 2 || !ALIGNED ? before : even_lanes * V;
  p.has_last = ALIGNED && p.part == p.parts - 1 && p.lane >= even_lanes - band_rows;
  const bool row = p.lane == even_lanes - 1;
  p.last = row ? p.pitch : 0;
  p.last_front = even_lanes * V + (row ? 0 : p.front);
  p.last_back = even_lanes * V + (row ? p.back : p.pitch);
  return p;
}

/* Of the last planes bit m tells whether plane m before the last is fixed, and whether it lies at a wall. */
struct band_planes {
  unsigned fixed, walls;
};

/* Goes on to plane k, mirrored. */
DEVICE void band_next_plane(band_planes &planes, const band_place &p, int k) {
  planes.fixed = planes.fixed << 1 | (k == p.low || k == p.high ? 1u : 0u);
  planes.walls = planes.walls << 1 | (!p.periodic && (k == 0 || k == p.nz - 1) ? 1u : 0u);
}

/* Whether all nodes of row r in plane m before the last are fixed. */
DEVICE bool band_fixed(const band_place &p, const band_planes &planes, int r, int m) { return p.fixed[r] || (planes.fixed >> m & 1); }

/* The row of a lane's last node. */
DEVICE int band_last_row(const band_place &p) { return p.lane == even_lanes - 1 ? 1 : 0; }

DEVICE bool band_last_fixed(const band_place &p, const band_planes &planes, const even_span &s, int m) {
  return s.fixed_last || (planes.fixed >> m & 1) || (band_last_row(p) ? p.fixed[1] : p.fixed[0]);
}

/* One number for all nodes, or for all but those that are fixed, where it is zero, and those at walls. */
struct band_all {
  REAL all;
  DEVICE_MEMBER REAL at(int, int) const { return all; }
};

template <int V, bool ALIGNED> struct band_factor {
  REAL row[band_rows], first[band_rows], last;
  REAL wall;
  unsigned walls, fixed;
  DEVICE_MEMBER REAL at(int r, int m) const {
    if (ALIGNED)
      return m == V ? last : m == 0 ? first[r] : row[r];
    return fixed >> m & 1 ? (REAL)0 : walls >> m & 1 ? wall * row[r] : row[r];
  }
};

/* `x` at free nodes of plane m before the last, 0 at fixed ones. */
template <int V, bool ALIGNED>
DEVICE band_factor<V, ALIGNED> band_free(const band_place &p, const band_planes &planes, const even_span &s, int m, REAL x) {
  band_factor<V, ALIGNED> f;
#pragma unroll
  for (int r = 0; r < band_rows; r++) {
    f.row[r] = band_fixed(p, planes, r, m) ? (REAL)0 : x;
    f.first[r] = s.fixed ? (REAL)0 : f.row[r];
  }
  f.last = band_last_fixed(p, planes, s, m) ? (REAL)0 : x;
  f.wall = 1, f.walls = 0, f.fixed = s.fixed;
  return f;
}

/* The same, doubled at walls, for f of the last plane. */
template <int V, bool ALIGNED>
DEVICE band_factor<V, ALIGNED> band_weights(const band_place &p, const band_planes &planes, const even_span &s, REAL x) {
  const REAL y = planes.walls & 1 ? 2 * x : x;
  band_factor<V, ALIGNED> f = band_free<V, ALIGNED>(p, planes, s, 0, y);
#pragma unroll
  for (int r = 0; r < band_rows; r++) {
    f.row[r] *= p.walls[r];
    f.first[r] *= s.walls ? 2 * p.walls[r] : p.walls[r];
  }
  f.last *= (s.wall_last ? (REAL)2 : (REAL)1) * (band_last_row(p) ? p.walls[1] : p.walls[0]);
  f.wall = 2, f.walls = s.walls;
  return f;
}

/* Whether plane m before the last, or a row, lies in a wall. What is done there alone begins with __syncwarp, lest the compiler do it everywhere
   under a predicate. */
DEVICE bool band_at_wall(const band_place &p, const band_planes &planes, int m) {
  return p.at_wall || ((planes.fixed | planes.walls) >> m & 1);
}

/* Zero at fixed nodes of plane m before the last. */
template <int V, bool ALIGNED>
DEVICE void band_clear(band<V> &b, const band_place &p, const band_planes &planes, const even_span &s, int m) {
  if (band_at_wall(p, planes, m)) {
    __syncwarp();
    const band_factor<V, ALIGNED> free = band_free<V, ALIGNED>(p, planes, s, m, 1);
    band_each<V, ALIGNED>([&](int r, int n) { b.at(r, n) = free.at(r, n) != 0 ? b.at(r, n) : (REAL)0; });
  }
#pragma unroll
  for (int r = 0; r < band_rows; r++)
#pragma unroll
    for (int n = 0; n < (ALIGNED ? 1 : V); n++)
      b.at(r, n) = even_is_fixed<V, ALIGNED>(s, n) ? (REAL)0 : b.at(r, n);
  if (ALIGNED)
    b.last() = s.fixed_last ? (REAL)0 : b.last();
}

/* Doubles f of the last plane at walls, and clears it at fixed nodes. */
template <int V, bool ALIGNED> DEVICE void band_weigh(band<V> &f, const band_place &p, const band_planes &planes, const even_span &s) {
  if (band_at_wall(p, planes, 0)) {
    __syncwarp();
    const band_factor<V, ALIGNED> weight = band_weights<V, ALIGNED>(p, planes, s, 1);
    band_each<V, ALIGNED>([&](int r, int m) { f.at(r, m) *= weight.at(r, m); });
    return;
  }
#pragma unroll
  for (int r = 0; r < band_rows; r++)
#pragma unroll
    for (int m = 0; m < (ALIGNED ? 1 : V); m++)
      f.at(r, m) *= even_is_fixed<V, ALIGNED>(s, m) ? (REAL)0 : even_at_wall<V, ALIGNED>(s, m) ? (REAL)2 : (REAL)1;
  if (ALIGNED)
    f.last() *= s.fixed_last ? (REAL)0 : s.wall_last ? (REAL)2 : (REAL)1;
}

/* A band of the plane that begins at `plane`. */
template <int V, bool ALIGNED> DEVICE void band_load(band<V> &b, const REAL *plane, const band_place &p, const even_span &s) {
#pragma unroll
  for (int r = 0; r < band_rows; r++) {
    const REAL *row = plane + p.row[r];
    if (s.inside) {
      even_get<V>(&b.v[r * V], row + s.x);
    } else {
#pragma unroll
      for (int m = 0; m < V; m++)
        b.at(r, m) = row[even_index(s.x + m, s.n, s.periodic)];
    }
  }
  b.last() = p.has_last ? plane[(band_last_row(p) ? p.row[1] : p.row[0]) + p.x0 + even_lanes * V] : (REAL)0;
}

/* Asks for it in the second-level cache. */
template <int V> DEVICE void band_ask([[maybe_unused]] const REAL *plane, [[maybe_unused]] const band_place &p, [[maybe_unused]] const even_span &s) {
#ifdef __CUDACC__
#pragma unroll
  for (int r = 0; r < band_rows; r++)
    if (s.inside)
      asm volatile("prefetch.global.L2 [%0];" ::"l"(plane + p.row[r] + s.x));
#endif
}

/* The same to memory, as far as the block owns it: `at` is where the first row begins, sy from the second. */
template <int V, bool ALIGNED>
DEVICE void band_store(REAL *at, int64_t sy, const band<V> &b, const band_place &p, const even_span &s) {
#pragma unroll
  for (int r = 0; r < band_rows; r++) {
    if (r > 0 && !p.second)
      continue;
    REAL *row = at + r * sy;
    if (s.owned) {
      even_put<V>(row + s.x, &b.v[r * V]);
    } else if (!ALIGNED) {
#pragma unroll
      for (int m = 0; m < V; m++)
        if (s.x + m >= s.begin && s.x + m < s.end)
          row[s.x + m] = b.at(r, m);
    }
  }
  if (ALIGNED && p.has_last && s.wall_last && s.end == s.n && (p.second || band_last_row(p) == 0))
    at[band_last_row(p) * sy + s.n - 1] = b.last();
}

/* A band into shared memory: `at` is where the warp's part of its first row lies. */
template <int V, bool ALIGNED> DEVICE void band_share(REAL *at, const band<V> &b, const band_place &p) {
#pragma unroll
  for (int r = 0; r < band_rows; r++)
    even_put_shared<V>(at + r * p.pitch, &b.v[r * V], p.lane);
  if (p.has_last)
    at[p.last + even_lanes * V] = b.last();
}

/* Reads it back. */
template <int V, bool ALIGNED> DEVICE void band_recall(band<V> &b, const REAL *at, const band_place &p) {
#pragma unroll
  for (int r = 0; r < band_rows; r++)
    even_get_shared<V>(&b.v[r * V], at + r * p.pitch, p.lane);
  b.last() = ALIGNED ? at[p.last + even_lanes * V] : (REAL)0;
}

/* sum -= x X + y Y with the second differences X and Y of u along x and y, (u - left) + (u - right); u is in shared memory too. */
template <int V, bool ALIGNED, typename Along, typename Across>
DEVICE void band_bend(band<V> &sum, const band<V> &u, const REAL *at, const band_place &p, const Along &x, const Across &y) {
#pragma unroll
  for (int r = 0; r < band_rows; r++) {
    REAL beside[V];
    even_get_shared<V>(beside, at + (r == 0 ? p.front : p.back), p.lane);
    const REAL side = at[r * p.pitch + p.side];
    const REAL low = __shfl_up_sync(0xffffffffu, u.at(r, V - 1), 1), high = __shfl_down_sync(0xffffffffu, u.at(r, 0), 1);
    REAL step[V + 1]; /* from a node to the next */
    step[0] = u.at(r, 0) - (p.lane == 0 ? side : low);
    step[V] = (p.lane == even_lanes - 1 ? side : high) - u.at(r, V - 1);
#pragma unroll
    for (int m = 1; m < V; m++)
      step[m] = u.at(r, m) - u.at(r, m - 1);
#pragma unroll
    for (int m = 0; m < V; m++) {
      const REAL within = u.at(1, m) - u.at(0, m), out = u.at(r, m) - beside[m];
      sum.at(r, m) = fma(-y.at(r, m), r == 0 ? out - within : within + out, sum.at(r, m));
      sum.at(r, m) = fma(-x.at(r, m), step[m] - step[m + 1], sum.at(r, m));
    }
  }
  if (ALIGNED) {
    const REAL left = u.last() - at[p.last + band_shared<V>(even_lanes - 1, V - 1)];
    const REAL across = (u.last() - at[p.last_front]) + (u.last() - at[p.last_back]);
    sum.last() = fma(-x.at(0, V), left + left, fma(-y.at(0, V), across, sum.last()));
  }
}

#endif
