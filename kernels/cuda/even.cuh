/* Rows of nodes in the registers of a warp, for passes over grids of even widths and constant K with 7 points.

   There the operator over the volume of its node is the same at all nodes, if the neighbours beyond a wall are those on this
   side of it, mirrored:

     A u / V = Σ_d c_d ((u - u_low) + (u - u_high)) + s u,   c_d = k_d / h_d^2.

   So rows and planes beyond walls are read from their mirror images (or round about periodic ends), and what is computed from them is again the
   mirror image. Integrated values (f, residuals) are divided by the volume as they come and multiplied as they go. */
#ifndef CONVECT_EVEN_CUH
#define CONVECT_EVEN_CUH

#include "launch.h"

enum { even_lanes = 32 };

/* Nodes at both sides of a tile that belong to its neighbours. */
template <int V> constexpr int even_margin = V < 4 ? 4 : V;

/* V nodes of a lane side by side. Whole rows have 32 V + 1 nodes, of which the last lane holds the last one too; in others a warp has a
   tile of the row, of 32 V nodes, the outer ones on both sides belonging to its neighbours. */
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

/* V elements, as wide loads as there are. */
template <int V> DEVICE void even_get(REAL (&v)[V], const REAL *p) {
  constexpr int wide = V * sizeof(REAL) < 16 ? V : 16 / sizeof(REAL);
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

template <int V> DEVICE void even_put(REAL *p, const REAL (&v)[V]) {
  constexpr int wide = V * sizeof(REAL) < 16 ? V : 16 / sizeof(REAL);
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
template <int V> DEVICE void even_get_shared(REAL (&v)[V], const REAL *row, int lane) {
  constexpr int wide = V * sizeof(REAL) < 16 ? V : 16 / sizeof(REAL);
#pragma unroll
  for (int c = 0; c < V; c += wide) {
    REAL q[wide];
    even_get<wide>(q, row + c * even_lanes + wide * lane);
#pragma unroll
    for (int m = 0; m < wide; m++)
      v[c + m] = q[m];
  }
}

template <int V> DEVICE void even_put_shared(REAL *row, const REAL (&v)[V], int lane) {
  constexpr int wide = V * sizeof(REAL) < 16 ? V : 16 / sizeof(REAL);
#pragma unroll
  for (int c = 0; c < V; c += wide) {
    REAL q[wide];
#pragma unroll
    for (int m = 0; m < wide; m++)
      q[m] = v[c + m];
    even_put<wide>(row + c * even_lanes + wide * lane, q);
  }
}

/* Where a lane's nodes lie in a row of n. */
struct even_span {
  int x, n, lane;
  bool periodic, inside;
};

template <int V, bool WHOLE> DEVICE even_span even_span_of(int x0, int n, bool periodic) {
  even_span s;
  s.lane = threadIdx.x;
  s.x = x0 + V * s.lane;
  s.n = n;
  s.periodic = periodic;
  s.inside = WHOLE || (s.x >= 0 && s.x + V <= n);
  return s;
}

/* A row that begins at p. */
template <int V, bool WHOLE> DEVICE void even_load(even_row<V> &r, const REAL *p, const even_span &s) {
  if (s.inside) {
    even_get<V>(r.v, p + s.x);
  } else {
#pragma unroll
    for (int m = 0; m < V; m++)
      r.v[m] = p[even_index(s.x + m, s.n, s.periodic)];
  }
  r.last = WHOLE && s.lane == even_lanes - 1 ? p[even_lanes * V] : (REAL)0;
}

/* The same to memory: the nodes from `begin` on before `end`. */
template <int V, bool WHOLE> DEVICE void even_store(REAL *p, const even_row<V> &r, const even_span &s, int begin, int end) {
  if (WHOLE || (s.x >= begin && s.x + V <= end)) {
    even_put<V>(p + s.x, r.v);
  } else {
#pragma unroll
    for (int m = 0; m < V; m++)
      if (s.x + m >= begin && s.x + m < end)
        p[s.x + m] = r.v[m];
  }
  if (WHOLE && s.lane == even_lanes - 1)
    p[even_lanes * V] = r.last;
}

/* The neighbours beyond a lane's first and last node. */
template <int V, bool WHOLE> DEVICE void even_sides(const even_row<V> &r, int lane, REAL &low, REAL &high) {
  low = __shfl_up_sync(0xffffffffu, r.v[V - 1], 1);
  high = __shfl_down_sync(0xffffffffu, r.v[0], 1);
  if (WHOLE && lane == 0)
    low = r.v[1];
  if (WHOLE && lane == even_lanes - 1)
    high = r.last;
}

/* Coefficients, and which rows of a block's shared memory lie beside the own. */
struct even_operator {
  REAL x, y, z, mass;
};

DEVICE REAL even_point(const even_operator &c, REAL u, REAL left, REAL right, REAL front, REAL back, REAL below, REAL above) {
  const REAL x = (u - left) + (u - right), y = (u - front) + (u - back), z = (u - below) + (u - above);
  return fma(c.x, x, fma(c.y, y, fma(c.z, z, c.mass * u)));
}

/* A u / V of a row: `front` and `back` are the rows beside it in shared memory, `below` and `above` in registers. */
template <int V, bool WHOLE>
DEVICE void even_apply(even_row<V> &out, const even_operator &c, const even_row<V> &u, const even_row<V> &below,
                       const even_row<V> &above, const REAL *front, const REAL *back, int lane) {
  REAL low, high;
  even_sides<V, WHOLE>(u, lane, low, high);
  REAL fr[V], ba[V];
  even_get_shared<V>(fr, front, lane);
  even_get_shared<V>(ba, back, lane);
#pragma unroll
  for (int m = 0; m < V; m++)
    out.v[m] = even_point(c, u.v[m], m > 0 ? u.v[m - 1] : low, m < V - 1 ? u.v[m + 1] : high, fr[m], ba[m], below.v[m],
                          above.v[m]);
  if (WHOLE)
    out.last = even_point(c, u.last, u.v[V - 1], u.v[V - 1], front[even_lanes * V], back[even_lanes * V], below.last, above.last);
}

/* A row into shared memory. */
template <int V, bool WHOLE> DEVICE void even_share(REAL *to, const even_row<V> &r, int lane) {
  even_put_shared<V>(to, r.v, lane);
  if (WHOLE && lane == even_lanes - 1)
    to[even_lanes * V] = r.last;
}

/* Zero at the fixed ends of a row, also where they are seen round a periodic end, or everywhere. */
template <int V, bool WHOLE> DEVICE void even_clear(even_row<V> &r, const even_span &s, bool all, bool left, bool right) {
#pragma unroll
  for (int m = 0; m < V; m++) {
    const int x = s.x + m;
    if (all || (left && (x == 0 || (s.periodic && x == s.n))) || (right && (x == s.n - 1 || (s.periodic && x == -1))))
      r.v[m] = 0;
  }
  if (WHOLE && (all || right))
    r.last = 0;
}

#endif
