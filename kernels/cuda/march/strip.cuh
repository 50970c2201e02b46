/* Strips: a thread marches through z with V nodes, side by side in x, of R rows in its registers. Neighbours in x come from the lanes beside, those in
   y of the outer rows from the first-level cache.

   The threads of a plane are counted along the rows, ceil(n/V) in each group of R rows, and dealt to warps in that order: a warp may hold the
   end of one group and the beginning of the next, and rows of every length fill the warps. The last thread of a group may reach beyond the row,
   into its padding.

   What lies beyond a wall is the mirror image of what lies before it, so that the operator over the volume of its node is the same at all nodes.
   What depends on walls and fixed sides is in two factors, of A u and of f: products of one for the row and one for the plane, and of another for the
   first and the last node of a row. */
#ifndef CONVECT_STRIP_CUH
#define CONVECT_STRIP_CUH

#include "../launch.h"

/* What is left of n nodes a row in the last thread of a group: none, one, or anything (then nothing is known when the kernel is compiled). */
enum { strip_whole, strip_one, strip_any };

/* A lane's place in a plane. */
struct strip_place {
  int x, j;                 /* its first node */
  int nodes;                /* of its V nodes, those that lie within the row; 0: none, or the group lies beyond the last */
  bool first, last;         /* the row begins, or ends, here, at a wall */
  bool load_low, load_high; /* the neighbour before the first node, or after the last, must be read */
};

template <int V, int R> DEVICE strip_place strip_place_of(const cv_even_sweep_args &a) {
  const int q = (int)(blockIdx.x * blockDim.x + threadIdx.x), lane = (int)threadIdx.x & 31;
  const int vectors = (int)a.vectors, groups = (int)a.groups, n = (int)a.box.n[0];
  const int counted = q / vectors, group = counted < groups ? counted : groups - 1, vector = q - counted * vectors;
  const bool begins = vector == 0, ends = vector == vectors - 1;
  strip_place p;
  p.x = vector * V, p.j = group * R;
  p.nodes = counted >= groups ? 0 : p.x + V <= n ? V : n - p.x;
  p.first = begins && !a.open[0], p.last = ends && !a.open[1];
  p.load_low = begins ? a.open[0] != 0 : lane == 0;
  p.load_high = ends ? a.open[1] != 0 : lane == 31;
  return p;
}

/* The planes k0..k1-1 of a block. */
DEVICE void strip_planes(const cv_even_sweep_args &a, int &k0, int &k1) {
  const int nz = (int)a.box.n[2];
  k0 = (int)((int64_t)blockIdx.y * nz / gridDim.y), k1 = (int)(((int64_t)blockIdx.y + 1) * nz / gridDim.y);
}

/* An index beyond a wall is mirrored; beyond an open side lies one halo layer. Further away nothing matters. */
DEVICE int strip_index(int i, int n, bool low_open, bool high_open) {
  if (i < 0)
    return low_open ? -1 : n > 1 ? 1 : 0;
  if (i >= n)
    return high_open ? n : n > 1 ? n - 2 : 0;
  return i;
}

/* Whether a sweep in place leaves nodes of a plane as they are: those whose place m + r in the thread is even, or odd. */
struct strip_stays {
  bool even, odd;
};

DEVICE strip_stays strip_stays_of(const cv_even_sweep_args &a, const strip_place &p, int k) {
  const bool odd = (p.x + p.j + k + (int)a.colour) & 1;
  return {a.colour != 0 && !odd, a.colour != 0 && odd};
}

/* 1/d up to the last bit or two, where d is not 0. */
DEVICE REAL strip_inverse(REAL d) {
  REAL r = 1;
#ifdef __CUDACC__
  if (sizeof(REAL) == 4) {
    float s;
    asm("rcp.approx.ftz.f32 %0, %1;" : "=f"(s) : "f"((float)d));
    r = (REAL)s;
  } else {
    double s;
    asm("rcp.approx.ftz.f64 %0, %1;" : "=d"(s) : "d"((double)d));
    r = (REAL)s;
    r = fma(r, fma(-d, r, (REAL)1), r);
    r = fma(r, fma(-d, r, (REAL)1), r);
  }
#else
  r = 1 / d;
#endif
  return r;
}

/* That, and 0 of 0. */
DEVICE REAL strip_reciprocal(REAL d) { return d != 0 ? strip_inverse(d) : (REAL)0; }

/* V elements, as wide loads as there are. */
template <int V> DEVICE void strip_get(REAL (&v)[V], const REAL *p) {
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

/* K of a layer's cells around the nodes of a thread, rows and cells from those before the first node; k is that of the cell after it. */
template <int V, int R> DEVICE void strip_cells(REAL (&c)[R + 1][V + 1], const REAL *k, int sy, bool load_low) {
#pragma unroll
  for (int r = 0; r <= R; r++) {
    REAL v[V];
    const REAL *row = k + (r - 1) * sy;
    strip_get<V>(v, row);
    c[r][0] = load_low ? row[-1] : (REAL)0;
#pragma unroll
    for (int m = 0; m < V; m++)
      c[r][m + 1] = v[m];
  }
#pragma unroll
  for (int r = 0; r <= R; r++) {
    const REAL low = __shfl_up_sync(0xffffffffu, c[r][V], 1);
    c[r][0] = load_low ? c[r][0] : low;
  }
}

/* The first `nodes` of V elements. */
template <int V, int LEFT, typename T> DEVICE void strip_put(T *p, const T (&v)[V], int nodes) {
  constexpr int wide = V * sizeof(T) < 16 ? V : 16 / sizeof(T);
  struct alignas(wide * sizeof(T)) pack {
    T v[wide];
  };
  if (nodes == V) {
#pragma unroll
    for (int c = 0; c < V; c += wide) {
      pack q;
#pragma unroll
      for (int m = 0; m < wide; m++)
        q.v[m] = v[c + m];
      *reinterpret_cast<pack *>(p + c) = q;
    }
  } else if (LEFT != strip_whole) {
#pragma unroll
    for (int m = 0; m < (LEFT == strip_one ? 1 : V - 1); m++)
      if (m < nodes)
        p[m] = v[m];
  }
}

/* The same rounded to float. */
template <int V, int LEFT, typename T> DEVICE void strip_put_rounded(float *p, const T (&v)[V], int nodes) {
  float rounded[V];
#pragma unroll
  for (int m = 0; m < V; m++)
    rounded[m] = (float)v[m];
  strip_put<V, LEFT>(p, rounded, nodes);
}

/* Where two lanes side by side write rows of two vectors of 16 bytes each: the first lane's 32 bytes together, then the second's, so that every sector of 32
   bytes leaves whole. */
struct strip_pair {
  int first, second; /* from the lane's own nodes */
  unsigned rows;     /* bit r: both lanes have all nodes of row r */
};

template <int V, int R> DEVICE strip_pair strip_pair_of(const strip_place &p, int sy, int ny) {
  const bool odd = threadIdx.x & 1;
  const int own = p.j * sy + p.x, other = __shfl_xor_sync(0xffffffffu, own, 1);
  strip_pair pair = {odd ? other - own + V / 2 : 0, odd ? V / 2 : other - own, 0};
  const int nodes = __shfl_xor_sync(0xffffffffu, p.nodes, 1), j = __shfl_xor_sync(0xffffffffu, p.j, 1);
#pragma unroll
  for (int r = 0; r < R; r++)
    pair.rows |= nodes == V && p.nodes == V && p.j + r < ny && j + r < ny ? 1u << r : 0u;
  return pair;
}

/* The first `nodes` of V elements of row r, by all lanes of a warp. */
template <int V, int LEFT> DEVICE void strip_put_pair(REAL *p, const REAL (&v)[V], int nodes, const strip_pair &pair, int r) {
  constexpr int half = V / 2;
  const bool odd = threadIdx.x & 1;
  REAL other[half], first[half], second[half];
#pragma unroll
  for (int m = 0; m < half; m++) {
    other[m] = __shfl_xor_sync(0xffffffffu, odd ? v[m] : v[m + half], 1);
    first[m] = odd ? other[m] : v[m];
    second[m] = odd ? v[m + half] : other[m];
  }
  if (pair.rows >> r & 1) {
    strip_put<half, strip_whole>(p + pair.first, first, half);
    strip_put<half, strip_whole>(p + pair.second, second, half);
  } else if (nodes > 0) {
    strip_put<V, LEFT>(p, v, nodes);
  }
}

/* Asks for V elements at p, so that they are in the second-level cache when they are read. */
template <int V, typename T> DEVICE void strip_prefetch([[maybe_unused]] const T *p) {
#ifdef __CUDACC__
  constexpr int sector = 32 / sizeof(T);
#pragma unroll
  for (int c = 0; c < V; c += sector)
    asm volatile("prefetch.global.L2 [%0];" ::"l"(p + c));
#endif
}

/* V nodes of a row, and before and after them their neighbours. */
template <int V> struct strip_row {
  REAL v[V + 2];
};

/* The row at p, without the neighbours. */
template <int V> DEVICE void strip_load(strip_row<V> &r, const REAL *p) {
  REAL v[V];
  strip_get<V>(v, p);
#pragma unroll
  for (int m = 0; m < V; m++)
    r.v[m + 1] = v[m];
}

/* The neighbours, where they must be read. */
template <int V> DEVICE void strip_load_sides(strip_row<V> &r, const REAL *p, const strip_place &s) {
  r.v[0] = s.load_low ? p[-1] : (REAL)0;
  r.v[V + 1] = s.load_high ? p[V] : (REAL)0;
}

/* The neighbours that were not read. Behind the last node before a wall follows its mirror image. */
template <int V, int LEFT> DEVICE void strip_sides(strip_row<V> &r, const strip_place &s) {
  const REAL low = __shfl_up_sync(0xffffffffu, r.v[V], 1), high = __shfl_down_sync(0xffffffffu, r.v[1], 1);
  r.v[0] = s.load_low ? r.v[0] : low;
  r.v[V + 1] = s.load_high ? r.v[V + 1] : high;
  r.v[0] = s.first ? r.v[2] : r.v[0];
#pragma unroll
  for (int nodes = 1; nodes <= V; nodes++)
    if (LEFT == strip_any || nodes == (LEFT == strip_one ? 1 : V))
      r.v[nodes + 1] = s.last && (LEFT != strip_any || s.nodes == nodes) ? r.v[nodes - 1] : r.v[nodes + 1];
}

/* Second differences in x. */
template <int V> DEVICE void strip_bend(REAL (&d)[V], const strip_row<V> &r) {
  REAL before = r.v[1] - r.v[0];
#pragma unroll
  for (int m = 0; m < V; m++) {
    const REAL after = r.v[m + 2] - r.v[m + 1];
    d[m] = after - before;
    before = after;
  }
}

/* The factors of A u and of f at a node, or in a plane. */
struct strip_factors {
  REAL balance, source;
};

DEVICE strip_factors strip_factors_at(const cv_even_sweep_args &a, int axis, int i) {
  const bool low = i == 0, high = i == (int)a.box.n[axis] - 1;
  strip_factors f;
  f.balance = (low ? a.balance[2 * axis].TYPE : (REAL)1) * (high ? a.balance[2 * axis + 1].TYPE : (REAL)1);
  f.source = (low ? a.source[2 * axis].TYPE : (REAL)1) * (high ? a.source[2 * axis + 1].TYPE : (REAL)1);
  return f;
}

/* A thread's vectors in the planes k0..k1-1 of its block, without neighbours: where they begin in a plane, and the factors of f in one. */
template <int V> struct strip_column {
  strip_place p;
  int at, k0, k1;
  REAL sources[V];
};

template <int V> DEVICE strip_column<V> strip_column_of(const cv_even_sweep_args &a) {
  strip_column<V> c;
  c.p = strip_place_of<V, 1>(a);
  c.at = c.p.j * (int)a.box.sy + c.p.x;
  strip_planes(a, c.k0, c.k1);
  const REAL row = strip_factors_at(a, 1, c.p.j).source;
#pragma unroll
  for (int m = 0; m < V; m++)
    c.sources[m] = row * strip_factors_at(a, 0, c.p.x + m).source;
  return c;
}

/* The factor of f that is that of a plane. */
DEVICE REAL strip_plane_source(const cv_even_sweep_args &a, int k) { return strip_factors_at(a, 2, k).source * a.source_scale.TYPE; }

/* Whether node m of a thread may be the first or the last of its row. */
template <int V, int LEFT> DEVICE bool strip_ends(int m) {
  return LEFT == strip_any || m == 0 || (LEFT == strip_whole && m == V - 1);
}

#endif
