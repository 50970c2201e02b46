/* Rows of nodes in the registers of a warp, for passes over grids of even widths and constant K.

   There the operator over the volume of its node is the same at all nodes, if the neighbours beyond a wall are those on this
   side of it, mirrored; with 7 points

     A u / V = Σ_d c_d ((u - u_low) + (u - u_high)) + s u,   c_d = k_d / h_d^2.

   So rows and planes beyond walls are read from their mirror images (or round about periodic ends), and what is computed from them is again the
   mirror image. Integrated values (f, residuals) at walls are those of smaller volumes. */
#ifndef CONVECT_EVEN_CUH
#define CONVECT_EVEN_CUH

#include "../launch.h"

enum { even_lanes = 32 };

/* Nodes at both sides of a tile that belong to its neighbours. */
template <int V> constexpr int even_margin = V < 4 ? 4 : V;

/* V nodes of a lane side by side, and one more of the last lane. A warp has a tile of a row, whose outer nodes belong to the tiles beside it. Aligned
   rows lie between walls and are no shorter than a tile: their tiles are 32 V + 1 nodes that all lie within the row. Other tiles are 32 V nodes
   from anywhere, and reach beyond the row. */
template <int V> struct even_row {
  REAL v[V], last;
};

/* An index beyond a wall is mirrored, one beyond a periodic end wraps. What is more than a grid away does not matter. */
DEVICE int even_index(int i, int n, bool periodic) {
  if (i < 0)
    i = periodic ? i + n : -i;
  else if (i >= n)
    i = periodic ? i - n : 2 * (n - 1) - i;
  return i < 0 ? 0 : i >= n ? n - 1 : i;
}

/* How many of V elements side by side a load takes: a power of two, at most 16 bytes. */
template <int V> constexpr int even_wide = V % 4 == 0 && sizeof(REAL) == 4 ? 4 : V % 2 == 0 ? 2 : 1;

/* V elements, as wide loads as there are. */
template <int V> DEVICE void even_get(REAL *v, const REAL *p) {
  constexpr int wide = even_wide<V>;
  struct alignas(wide * sizeof(REAL)) pack {
    REAL v[wide];
  };
#pragma unroll
  for (int c = 0; c < V; c += wide) {
    const pack q = *reinterpret_cast<const pack *>(p + c);
#pragma unroll
    for (int m = 0; m < wide; m++)
      v[c + m] = q.v[m];
  }
}

template <int V> DEVICE void even_put(REAL *p, const REAL *v) {
  constexpr int wide = even_wide<V>;
  struct alignas(wide * sizeof(REAL)) pack {
    REAL v[wide];
  };
#pragma unroll
  for (int c = 0; c < V; c += wide) {
    pack q;
#pragma unroll
    for (int m = 0; m < wide; m++)
      q.v[m] = v[c + m];
    *reinterpret_cast<pack *>(p + c) = q;
  }
}

/* The same in shared memory, where the first 16 bytes of all lanes come first, then the second: no bank is asked twice. */
template <int V> DEVICE void even_get_shared(REAL *v, const REAL *row, int lane) {
  constexpr int wide = even_wide<V>;
#pragma unroll
  for (int c = 0; c < V; c += wide) {
    REAL q[wide];
    even_get<wide>(q, row + c * even_lanes + wide * lane);
#pragma unroll
    for (int m = 0; m < wide; m++)
      v[c + m] = q[m];
  }
}

template <int V> DEVICE void even_put_shared(REAL *row, const REAL *v, int lane) {
  constexpr int wide = even_wide<V>;
#pragma unroll
  for (int c = 0; c < V; c += wide) {
    REAL q[wide];
#pragma unroll
    for (int m = 0; m < wide; m++)
      q[m] = v[c + m];
    even_put<wide>(row + c * even_lanes + wide * lane, q);
  }
}

/* Where a lane's nodes lie in a row of n, and which of them its warp writes: those from `begin` on before `end`. In `walls` bit m tells that
   node m is at a wall, in `fixed` that it is fixed; so do the flags of the last lane's additional node. All that is asked of every plane is
   worked out here once. */
struct even_span {
  int x, n, lane, begin, end;
  bool periodic, inside, owned, owned_last, wall_last, fixed_last;
  unsigned walls, fixed;
};

template <int V, bool ALIGNED>
DEVICE even_span even_span_of(int x0, int n, int begin, int end, bool periodic, bool fixed_low, bool fixed_high) {
  even_span s;
  s.lane = threadIdx.x;
  s.x = x0 + V * s.lane;
  s.n = n;
  s.begin = begin, s.end = end;
  s.periodic = periodic;
  s.inside = ALIGNED || (s.x >= 0 && s.x + V <= n);
  /* Aligned tiles write all nodes of a lane or none: where two tiles share a lane's nodes, both write the same. */
  s.owned = ALIGNED ? s.x + V > begin && s.x < end : s.x >= begin && s.x + V <= end;
  s.wall_last = ALIGNED && x0 + even_lanes * V == n - 1;
  s.owned_last = s.wall_last && end == n && s.lane == even_lanes - 1;
  s.fixed_last = s.wall_last && fixed_high;
  s.walls = s.fixed = 0;
#pragma unroll
  for (int m = 0; m < (ALIGNED ? 1 : V); m++) { /* of aligned tiles only the first lane's first node may be at a wall */
    const int x = s.x + m;
    if (!periodic && (x == 0 || x == n - 1))
      s.walls |= 1u << m;
    /* Also where a fixed side is seen round a periodic end. */
    if ((fixed_low && (x == 0 || (periodic && x == n))) || (fixed_high && (x == n - 1 || (periodic && x == -1))))
      s.fixed |= 1u << m;
  }
  return s;
}

/* Whether node m of a lane, V: the additional one, is at a wall, and whether it is fixed. */
template <int V, bool ALIGNED> DEVICE bool even_at_wall(const even_span &s, int m) {
  return m == V ? s.wall_last : ALIGNED ? m == 0 && s.walls : s.walls >> m & 1;
}

template <int V, bool ALIGNED> DEVICE bool even_is_fixed(const even_span &s, int m) {
  return m == V ? s.fixed_last : ALIGNED ? m == 0 && s.fixed : s.fixed >> m & 1;
}

/* A row that begins at p. */
template <int V, bool ALIGNED> DEVICE void even_load(even_row<V> &r, const REAL *p, const even_span &s) {
  if (s.inside) {
    even_get<V>(r.v, p + s.x);
  } else {
#pragma unroll
    for (int m = 0; m < V; m++)
      r.v[m] = p[even_index(s.x + m, s.n, s.periodic)];
  }
  r.last = ALIGNED && s.lane == even_lanes - 1 ? p[s.x + V] : (REAL)0;
}

/* The same to memory, as far as the warp owns it. */
template <int V, bool ALIGNED> DEVICE void even_store(REAL *p, const even_row<V> &r, const even_span &s) {
  if (s.owned) {
    even_put<V>(p + s.x, r.v);
  } else if (!ALIGNED) {
#pragma unroll
    for (int m = 0; m < V; m++)
      if (s.x + m >= s.begin && s.x + m < s.end)
        p[s.x + m] = r.v[m];
  }
  if (ALIGNED && s.owned_last)
    p[s.x + V] = r.last;
}

/* The neighbours beyond a lane's first and last node. */
template <int V, bool ALIGNED> DEVICE void even_sides(const even_row<V> &r, int lane, REAL &low, REAL &high) {
  low = __shfl_up_sync(0xffffffffu, r.v[V - 1], 1);
  high = __shfl_down_sync(0xffffffffu, r.v[0], 1);
  if (ALIGNED && lane == 0)
    low = r.v[1];
  if (ALIGNED && lane == even_lanes - 1)
    high = r.last;
}

/* The coefficients c_d and s. */
struct even_operator {
  REAL x, y, z, mass;
};

DEVICE REAL even_point(const even_operator &c, REAL u, REAL left, REAL right, REAL front, REAL back, REAL below, REAL above) {
  const REAL x = (u - left) + (u - right), y = (u - front) + (u - back), z = (u - below) + (u - above);
  return fma(c.x, x, fma(c.y, y, fma(c.z, z, c.mass * u)));
}

/* A u / V of a row: `front` and `back` are the rows beside it in shared memory, `below` and `above` in registers. */
template <int V, bool ALIGNED>
DEVICE void even_apply(even_row<V> &out, const even_operator &c, const even_row<V> &u, const even_row<V> &below,
                       const even_row<V> &above, const REAL *front, const REAL *back, int lane) {
  REAL low, high;
  even_sides<V, ALIGNED>(u, lane, low, high);
  REAL fr[V], ba[V];
  even_get_shared<V>(fr, front, lane);
  even_get_shared<V>(ba, back, lane);
#pragma unroll
  for (int m = 0; m < V; m++)
    out.v[m] = even_point(c, u.v[m], m > 0 ? u.v[m - 1] : low, m < V - 1 ? u.v[m + 1] : high, fr[m], ba[m], below.v[m],
                          above.v[m]);
  if (ALIGNED)
    out.last = even_point(c, u.last, u.v[V - 1], u.v[V - 1], front[even_lanes * V], back[even_lanes * V], below.last, above.last);
}

/* A row into shared memory. */
template <int V, bool ALIGNED> DEVICE void even_share(REAL *to, const even_row<V> &r, int lane) {
  even_put_shared<V>(to, r.v, lane);
  if (ALIGNED && lane == even_lanes - 1)
    to[even_lanes * V] = r.last;
}

/* Zero at the fixed nodes of a row, or everywhere. */
template <int V, bool ALIGNED> DEVICE void even_clear(even_row<V> &r, const even_span &s, bool all) {
  if (ALIGNED) {
#pragma unroll
    for (int m = 0; m < V; m++)
      r.v[m] = all || (m == 0 && s.fixed) ? (REAL)0 : r.v[m];
    r.last = all || s.fixed_last ? (REAL)0 : r.last;
  } else if (all || s.fixed) {
#pragma unroll
    for (int m = 0; m < V; m++)
      r.v[m] = all || (s.fixed >> m & 1) ? (REAL)0 : r.v[m];
  }
}

/* A row times a factor, another at walls in x. */
template <int V, bool ALIGNED> DEVICE void even_scale(even_row<V> &r, const even_span &s, REAL inner, REAL wall) {
  if (ALIGNED || !s.walls) {
#pragma unroll
    for (int m = 0; m < V; m++)
      r.v[m] *= ALIGNED && m == 0 && s.walls ? wall : inner;
  } else {
#pragma unroll
    for (int m = 0; m < V; m++)
      r.v[m] *= s.walls >> m & 1 ? wall : inner;
  }
  if (ALIGNED)
    r.last *= s.wall_last ? wall : inner;
}

#endif
