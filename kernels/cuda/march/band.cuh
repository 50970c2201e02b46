/* Bands of rows in the registers of warps, for passes over grids of even widths and constant K (even.cuh).

   A band is two rows beside each other, the first of them even, which keeps half of what a row needs of the rows beside it in registers. A warp
   has V nodes a lane of each row; where rows are longer PARTS warps lie beside each other along x. A block has several bands beside each other,
   and all march through z. What other warps read of a band is in shared memory.

   What is asked of every plane is worked out once, put into few registers, and passed through a shuffle: the compiler would work it out anew each time,
   from arguments and thread numbers, which took as many instructions as the arithmetic. */
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

/* Elements of what a block has in shared memory: `arrays` of bands, in two buffers in turn, and perhaps sums for coarse rows. A band has its sums, and
   then all of its first and all of its second row, so that one row lies as far from the next in all arrays; before the first band and
   behind the last there is room for a row. */
template <int V, int PARTS, int ARRAYS, bool SUMS> struct band_room {
  static constexpr int pitch = PARTS * even_lanes * V + 4; /* of a row: all parts, the last node, and padding to 16 bytes */
  static constexpr int row = 2 * ARRAYS * pitch;
  static constexpr int sum = SUMS ? PARTS * (even_lanes * V / 2 + 4) + 4 : 0;
  static constexpr int band = 2 * sum + band_rows * row;
  /* Where an array begins in a row, and sums in those of a band. */
  DEVICE_MEMBER static constexpr int array(int n, int buffer) { return (2 * n + buffer) * pitch; }
};

/* Where element m of a lane lies in a row in shared memory (even_put_shared). */
template <int V> DEVICE int band_shared(int lane, int m) {
  constexpr int wide = even_wide<V>;
  return m / wide * wide * even_lanes + wide * lane + m % wide;
}

/* A number of each lane, and one of the warp, that the compiler is to keep. */
template <typename T> DEVICE T band_keep(T x) { return __shfl_sync(0xffffffffu, x, (int)threadIdx.x); }

template <typename T> DEVICE T band_keep_same(T x) { return __shfl_sync(0xffffffffu, x, 0); }

/* What is known of a lane; `coarse` of its coarse nodes, the last of which lane 31 has. */
enum {
  lane_first = 1 << 0, lane_end = 1 << 1,                       /* lanes 0 and 31 */
  lane_last = 1 << 2, lane_last_second = 1 << 3,                /* it has a last node, of the second row */
  lane_fixed = 1 << 4, lane_wall = 1 << 5,                      /* of aligned rows: the first node lies in a fixed wall, in a wall */
  lane_last_fixed = 1 << 6, lane_last_wall = 1 << 7,            /* so does the last node, in x */
  lane_last_row_fixed = 1 << 8, lane_last_row_wall = 1 << 9,    /* in y */
  lane_owned = 1 << 10, lane_last_owned = 1 << 11,              /* the block writes its nodes, its last node */
  lane_coarse_owned = 1 << 12, lane_coarse_last_owned = 1 << 13,
  lane_coarse_wall = 1 << 14, lane_coarse_fixed = 1 << 15, lane_coarse_last_wall = 1 << 16, lane_coarse_last_fixed = 1 << 17,
  lane_inside = 1 << 18                                         /* all its nodes are in the grid */
};

/* What is known of a band. */
enum {
  band_fixed_row = 1 << 0,                                      /* the first row lies in a fixed wall, times 2: the second */
  band_wall_row = 1 << 2,                                       /* in a wall, likewise */
  band_any_wall = 15,                                           /* any of these */
  band_second = 1 << 4,                                         /* the second row is in the grid */
  band_periodic = 1 << 5, band_low = 1 << 6, band_high = 1 << 7, /* in z; the first and the last plane are fixed */
  band_coarse_row = 1 << 8, band_coarse_low = 1 << 9, band_coarse_high = 1 << 10, /* so are the coarse row and planes */
  band_owned = 1 << 11                                          /* the block owns the band */
};

/* What a warp knows of its band and block. */
struct band_place {
  int part, j;                /* which warp along x; first row, before mirroring */
  int before, after;          /* bands between it and the first and the last that the block owns */
  int nz, k0, k1;             /* planes of the grid, and those that the block owns */
  unsigned lane, band;        /* the flags above */
  unsigned row[band_rows];    /* bytes from a plane's first node to mirrored rows, at the lane's first node if all are in the grid */
  unsigned lane_last;         /* so to the lane's last node */
  int rows, side, sums;       /* in shared memory: the lane's place in the first row, the neighbour beyond the first or the last lane, sums */
  int last, last_front, last_back; /* the lane's last node, and those of the rows beside it */
  even_span s, sc;            /* of nodes and coarse nodes; of aligned rows all that is asked of every plane is above */
};

/* rim: bands before the first that the block owns. */
template <int V, bool ALIGNED, int PARTS, typename Room> DEVICE band_place band_place_of(const cv_even_args &a, int rim) {
  band_place p;
  const int w = band_keep_same((int)threadIdx.z), lane = band_keep((int)threadIdx.x);
  const int n = (int)a.fine.n[1], nx = (int)a.fine.n[0], j0 = (int)(blockIdx.y * a.rows);
  const int j1 = min(j0 + (int)a.rows, n); /* end of the rows that the block owns */
  p.part = PARTS > 1 ? band_keep_same((int)threadIdx.y) : 0;
  p.j = j0 + band_rows * (w - rim);
  p.before = p.j < j0 ? (j0 - p.j) / band_rows : 0;
  p.after = p.j >= j1 ? (p.j - j1) / band_rows + 1 : 0;
  p.nz = (int)a.fine.n[2];
  p.k0 = (int)(blockIdx.z * a.planes);
  p.k1 = min(p.k0 + (int)a.planes, p.nz);

  const int tile = blockIdx.x, stride = (int)a.columns, margin = even_margin<V>, width = PARTS * even_lanes * V;
  const int begin = tile * stride + (ALIGNED && tile > 0 ? margin : 0);
  const int end = tile == (int)gridDim.x - 1 ? nx : (tile + 1) * stride + (ALIGNED ? margin : 0);
  const int from = tile * stride - (ALIGNED ? 0 : margin);
  const int x0 = (ALIGNED && from > nx - 1 - width ? nx - 1 - width : from) + p.part * even_lanes * V;
  const even_span s = even_span_of<V, ALIGNED>(x0, nx, begin, end, a.periodic[0], a.fixed[0], a.fixed[1]);
  const even_span c = even_span_of<V / 2, ALIGNED>(x0 / 2, (int)a.coarse.n[0], begin / 2, (end + 1) / 2, a.periodic[0], a.coarse_fixed[0],
                                                   a.coarse_fixed[1]);
  p.s = s, p.sc = c;

  const int J = p.j / 2;
  const bool second = lane == even_lanes - 1, owned = p.before + p.after == 0;
  const bool has_last = ALIGNED && p.part == PARTS - 1 && lane >= even_lanes - band_rows;
  unsigned of_band = (p.j + 1 < n ? band_second : 0) | (a.periodic[2] ? band_periodic : 0) | (a.fixed[4] ? band_low : 0) |
                     (a.fixed[5] ? band_high : 0) | (a.coarse_fixed[4] ? band_coarse_low : 0) |
                     (a.coarse_fixed[5] ? band_coarse_high : 0) | (owned ? band_owned : 0);
  if ((a.coarse_fixed[2] && J == 0) || (a.coarse_fixed[3] && J == (int)a.coarse.n[1] - 1))
    of_band |= band_coarse_row;
#pragma unroll
  for (int r = 0; r < band_rows; r++) {
    const int row = even_index(p.j + r, n, a.periodic[1]);
    p.row[r] = band_keep((unsigned)((row * a.fine.sy + (s.inside ? s.x : 0)) * sizeof(REAL)));
    if ((a.fixed[2] && row == 0) || (a.fixed[3] && row == n - 1))
      of_band |= band_fixed_row << r;
    if (!a.periodic[1] && (row == 0 || row == n - 1))
      of_band |= band_wall_row << r;
  }
  unsigned of_lane = (lane == 0 ? lane_first : 0) | (second ? lane_end : 0) | (s.inside ? lane_inside : 0) | (s.owned ? lane_owned : 0) |
                     (c.owned ? lane_coarse_owned : 0);
  if (ALIGNED) {
    of_lane |= (s.fixed ? lane_fixed : 0) | (s.walls ? lane_wall : 0) | (c.fixed ? lane_coarse_fixed : 0) |
               (c.walls ? lane_coarse_wall : 0) | (c.fixed_last ? lane_coarse_last_fixed : 0) |
               (c.wall_last ? lane_coarse_last_wall : 0) | (c.owned_last ? lane_coarse_last_owned : 0);
    of_lane |= (has_last ? lane_last : 0) | (has_last && second ? lane_last_second : 0) | (s.fixed_last ? lane_last_fixed : 0) |
               (s.wall_last ? lane_last_wall : 0);
    of_lane |= of_band & (second ? band_fixed_row << 1 : band_fixed_row) ? lane_last_row_fixed : 0;
    of_lane |= of_band & (second ? band_wall_row << 1 : band_wall_row) ? lane_last_row_wall : 0;
    of_lane |= has_last && s.wall_last && end == nx && (!second || (of_band & band_second)) ? lane_last_owned : 0;
  }
  p.lane = band_keep(of_lane);
  /* Lanes 30 and 31 begin 2 V and V nodes before it. */
  p.lane_last = band_keep(second ? p.row[1] + (unsigned)(V * sizeof(REAL)) : p.row[0] + (unsigned)(2 * V * sizeof(REAL)));
  p.band = band_keep_same(of_band);

  const int at = Room::row + w * Room::band + 2 * Room::sum + p.part * even_lanes * V;
  p.rows = band_keep(at + even_wide<V> * lane);
  /* Before the first node of a row lies the second, mirrored; behind the last part the last node. */
  const int left = p.part > 0 ? band_shared<V>(even_lanes - 1, V - 1) - even_lanes * V : band_shared<V>(0, 1);
  p.side = band_keep(at + (lane < even_lanes / 2 || !ALIGNED ? left : even_lanes * V));
  p.sums = band_keep(Room::row + w * Room::band + p.part * even_lanes * V / 2 + even_wide<V / 2> * lane);
  const int last = at + even_lanes * V;
  p.last = band_keep(last + (second ? Room::row : 0));
  p.last_front = band_keep(second ? last : last + Room::row - Room::band);
  p.last_back = band_keep(second ? last + Room::band : last + Room::row);
  return p;
}

/* Steps of a march that are near none of the ends of a block or of the grid, of bands in no wall: what is asked of others is left out where INNER is
   true. Each branch that is taken together costs a warp some 30 clocks, and there are few warps to hide them. */
DEVICE bool band_plain(const band_place &p) { return !(p.band & (band_any_wall | band_coarse_row)); }

/* A place in a plane, some bytes behind its first node: a plane has less than 4 GB of nodes. */
DEVICE const REAL *band_at(const REAL *plane, unsigned bytes) {
  return reinterpret_cast<const REAL *>(reinterpret_cast<const char *>(plane) + bytes);
}

DEVICE REAL *band_at(REAL *plane, unsigned bytes) { return reinterpret_cast<REAL *>(reinterpret_cast<char *>(plane) + bytes); }

/* Where plane k lies, mirrored, no further than a grid away. */
template <bool INNER> DEVICE int band_plane(const band_place &p, int k) {
  if (INNER)
    return k;
  if (k < 0)
    return p.band & band_periodic ? k + p.nz : -k;
  if (k >= p.nz)
    return p.band & band_periodic ? k - p.nz : 2 * (p.nz - 1) - k;
  return k;
}

/* Of the last planes bit m tells whether plane m before the last is fixed, and whether it lies at a wall. */
struct band_planes {
  unsigned fixed, walls;
};

/* Goes on to plane k. */
template <bool INNER> DEVICE void band_next_plane(band_planes &planes, const band_place &p, int k) {
  if (INNER) {
    planes.fixed = planes.walls = 0;
    return;
  }
  k = band_plane<false>(p, k);
  const unsigned fixed = k == 0 ? p.band & band_low : k == p.nz - 1 ? p.band & band_high : 0;
  const bool wall = (k == 0 || k == p.nz - 1) && !(p.band & band_periodic);
  planes.fixed = planes.fixed << 1 | (fixed ? 1u : 0u);
  planes.walls = planes.walls << 1 | (wall ? 1u : 0u);
}

/* Whether all nodes of row r in plane m before the last are fixed; so for the row of a lane's last node. */
DEVICE bool band_fixed(const band_place &p, const band_planes &planes, int r, int m) {
  return (p.band & (band_fixed_row << r)) || (planes.fixed >> m & 1);
}

DEVICE bool band_last_fixed(const band_place &p, const band_planes &planes, int m) {
  return (p.lane & (lane_last_fixed | lane_last_row_fixed)) || (planes.fixed >> m & 1);
}

/* Whether node n of a lane is fixed by a side in x, and whether it is at one. */
template <int V, bool ALIGNED> DEVICE bool band_node_fixed(const band_place &p, int n) {
  return ALIGNED ? n == 0 && (p.lane & lane_fixed) : p.s.fixed >> n & 1;
}

template <int V, bool ALIGNED> DEVICE bool band_node_wall(const band_place &p, int n) {
  return ALIGNED ? n == 0 && (p.lane & lane_wall) : p.s.walls >> n & 1;
}

/* One number for all nodes, or for all but those that are fixed, where it is zero. */
struct band_all {
  REAL all;
  DEVICE_MEMBER REAL at(int, int) const { return all; }
};

template <int V, bool ALIGNED> struct band_free {
  REAL row[band_rows], first[band_rows], last;
  unsigned fixed;
  DEVICE_MEMBER REAL at(int r, int m) const {
    if (ALIGNED)
      return m == V ? last : m == 0 ? first[r] : row[r];
    return fixed >> m & 1 ? (REAL)0 : row[r];
  }
};

/* `x` at free nodes of plane m before the last, 0 at fixed ones. */
template <int V, bool ALIGNED, bool INNER> DEVICE band_free<V, ALIGNED> band_free_of(const band_place &p, const band_planes &planes, int m, REAL x) {
  band_free<V, ALIGNED> f;
#pragma unroll
  for (int r = 0; r < band_rows; r++) {
    f.row[r] = !INNER && band_fixed(p, planes, r, m) ? (REAL)0 : x;
    f.first[r] = p.lane & lane_fixed ? (REAL)0 : f.row[r];
  }
  f.last = (INNER ? (p.lane & lane_last_fixed) != 0 : band_last_fixed(p, planes, m)) ? (REAL)0 : x;
  f.fixed = p.s.fixed;
  return f;
}

/* Whether plane m before the last, or a row, lies in a wall. What is done there alone begins with __syncwarp, lest the compiler do it everywhere
   under a predicate. */
DEVICE bool band_at_wall(const band_place &p, const band_planes &planes, int m) {
  return (p.band & band_any_wall) || ((planes.fixed | planes.walls) >> m & 1);
}

/* Zero at fixed nodes of plane m before the last. */
template <int V, bool ALIGNED, bool INNER> DEVICE void band_clear(band<V> &b, const band_place &p, const band_planes &planes, int m) {
  if (!INNER && band_at_wall(p, planes, m)) {
    __syncwarp();
#pragma unroll
    for (int r = 0; r < band_rows; r++)
#pragma unroll
      for (int n = 0; n < V; n++)
        b.at(r, n) = band_fixed(p, planes, r, m) ? (REAL)0 : b.at(r, n);
    if (ALIGNED)
      b.last() = band_last_fixed(p, planes, m) ? (REAL)0 : b.last();
  }
#pragma unroll
  for (int r = 0; r < band_rows; r++)
#pragma unroll
    for (int n = 0; n < (ALIGNED ? 1 : V); n++)
      b.at(r, n) = band_node_fixed<V, ALIGNED>(p, n) ? (REAL)0 : b.at(r, n);
  if (ALIGNED)
    b.last() = p.lane & lane_last_fixed ? (REAL)0 : b.last();
}

/* Doubles f of the last plane at walls, and clears it at fixed nodes. */
template <int V, bool ALIGNED, bool INNER> DEVICE void band_weigh(band<V> &f, const band_place &p, const band_planes &planes) {
  if (!INNER && band_at_wall(p, planes, 0)) {
    __syncwarp();
    const REAL plane = planes.fixed & 1 ? (REAL)0 : planes.walls & 1 ? (REAL)2 : (REAL)1;
#pragma unroll
    for (int r = 0; r < band_rows; r++) {
      const REAL row = p.band & (band_fixed_row << r) ? (REAL)0 : p.band & (band_wall_row << r) ? 2 * plane : plane;
#pragma unroll
      for (int m = 0; m < V; m++)
        f.at(r, m) *= row;
    }
    if (ALIGNED)
      f.last() *= p.lane & lane_last_row_fixed ? (REAL)0 : p.lane & lane_last_row_wall ? 2 * plane : plane;
  }
#pragma unroll
  for (int r = 0; r < band_rows; r++)
#pragma unroll
    for (int m = 0; m < (ALIGNED ? 1 : V); m++)
      f.at(r, m) *= band_node_fixed<V, ALIGNED>(p, m) ? (REAL)0 : band_node_wall<V, ALIGNED>(p, m) ? (REAL)2 : (REAL)1;
  if (ALIGNED)
    f.last() *= p.lane & lane_last_fixed ? (REAL)0 : p.lane & lane_last_wall ? (REAL)2 : (REAL)1;
}

/* A band of the plane that begins at `plane`. */
template <int V, bool ALIGNED> DEVICE void band_load(band<V> &b, const REAL *plane, const band_place &p) {
#pragma unroll
  for (int r = 0; r < band_rows; r++) {
    const REAL *row = band_at(plane, p.row[r]);
    if (ALIGNED || (p.lane & lane_inside)) {
      even_get<V>(&b.v[r * V], row);
    } else {
#pragma unroll
      for (int m = 0; m < V; m++)
        b.at(r, m) = row[even_index(p.s.x + m, p.s.n, p.s.periodic)];
    }
  }
  if (ALIGNED && (p.lane & lane_last))
    b.last() = *band_at(plane, p.lane_last);
}

/* Asks for it in the second-level cache. */
template <int V, bool ALIGNED> DEVICE void band_ask([[maybe_unused]] const REAL *plane, [[maybe_unused]] const band_place &p) {
#ifdef __CUDACC__
#pragma unroll
  for (int r = 0; r < band_rows; r++)
    if (ALIGNED || (p.lane & lane_inside))
      asm volatile("prefetch.global.L2 [%0];" ::"l"(band_at(plane, p.row[r])));
#endif
}

/* A band that the block owns, to memory; rows are not mirrored. */
template <int V, bool ALIGNED, bool INNER> DEVICE void band_store(REAL *plane, const band<V> &b, const band_place &p) {
#pragma unroll
  for (int r = 0; r < band_rows; r++) {
    REAL *row = band_at(plane, p.row[r]);
    if (!INNER && r > 0 && !(p.band & band_second))
      continue;
    if (p.lane & lane_owned) {
      even_put<V>((ALIGNED || (p.lane & lane_inside)) ? row : row + p.s.x, &b.v[r * V]);
    } else if (!ALIGNED) {
      REAL *from = p.lane & lane_inside ? row - p.s.x : row;
#pragma unroll
      for (int m = 0; m < V; m++)
        if (p.s.x + m >= p.s.begin && p.s.x + m < p.s.end)
          from[p.s.x + m] = b.at(r, m);
    }
  }
  if (ALIGNED && (p.lane & lane_last_owned))
    *band_at(plane, p.lane_last) = b.last();
}

/* A band into shared memory, to an array that begins at `at` of each row. */
template <int V, bool ALIGNED, typename Room> DEVICE void band_share(REAL *at, const band<V> &b, const band_place &p) {
#pragma unroll
  for (int r = 0; r < band_rows; r++)
    even_put_shared<V>(at + p.rows + r * Room::row, &b.v[r * V], 0);
  if (ALIGNED && (p.lane & lane_last))
    at[p.last] = b.last();
}

/* The warp's own rows as it put them there. */
template <int V, bool ALIGNED, typename Room> DEVICE void band_recall(band<V> &b, const REAL *at, const band_place &p) {
#pragma unroll
  for (int r = 0; r < band_rows; r++) {
    REAL row[V];
    even_get_shared<V>(row, at + p.rows + r * Room::row, 0);
#pragma unroll
    for (int m = 0; m < V; m++)
      b.at(r, m) = row[m];
  }
  if (ALIGNED)
    b.last() = p.lane & lane_last ? at[p.last] : (REAL)0;
}

/* sum -= x X + y Y with the second differences X and Y of u along x and y, (u - left) + (u - right); u is in shared memory too. */
template <int V, bool ALIGNED, int PARTS, typename Room, typename Along, typename Across>
DEVICE void band_bend(band<V> &sum, const band<V> &u, const REAL *at, const band_place &p, const Along &x, const Across &y) {
#pragma unroll
  for (int r = 0; r < band_rows; r++) {
    REAL beside[V];
    even_get_shared<V>(beside, at + p.rows + (r == 0 ? Room::row - Room::band : Room::band), 0);
    const REAL side = at[p.side + r * Room::row];
    const REAL low = __shfl_up_sync(0xffffffffu, u.at(r, V - 1), 1), high = __shfl_down_sync(0xffffffffu, u.at(r, 0), 1);
    REAL step[V + 1]; /* from a node to the next */
    step[0] = u.at(r, 0) - (p.lane & lane_first ? side : low);
    step[V] = (p.lane & lane_end ? side : high) - u.at(r, V - 1);
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
  if (ALIGNED && p.part == PARTS - 1) {
    /* Its left neighbour is the last lane's last node. */
    const REAL left = u.last() - at[p.last - even_lanes * V + band_shared<V>(even_lanes - 1, V - 1)];
    const REAL across = (u.last() - at[p.last_front]) + (u.last() - at[p.last_back]);
    sum.last() = fma(-x.at(0, V), left + left, fma(-y.at(0, V), across, sum.last()));
  }
}

#endif
