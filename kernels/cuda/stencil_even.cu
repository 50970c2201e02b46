/* Apply, Residual and Smooth on grids of even widths and constant K, with 7 and with 27 points: a thread marches through z with V nodes of R rows in
   its registers. Neighbours in x come from the lanes beside, those in y of the outer rows from the first-level cache. What lies beyond walls is
   mirrored (even.cuh). */
#include "even.cuh"

/* V nodes of a lane, and the node beyond its warp's first or last one: of lane 0 before, of the last lane after. */
template <int V> struct strip_row {
  REAL v[V], edge;
};

enum { strip_apply, strip_residual, strip_smooth };

/* An index beyond a wall is mirrored; beyond an open side lies one halo layer. Further away nothing matters. */
DEVICE int strip_index(int i, int n, bool low_open, bool high_open) {
  if (i < 0)
    return low_open ? -1 : n > 1 ? 1 : 0;
  if (i >= n)
    return high_open ? n : n > 1 ? n - 2 : 0;
  return i;
}

/* What a thread knows of its place. */
struct strip_place {
  even_span s;
  bool low_open, high_open; /* the sides along x */
  int j;       /* its first row */
  int edge;    /* node in x of `edge` */
  bool tail;   /* the last lane computes the node at `edge` too: it is the row's last */
  bool active; /* any of its nodes lie within the row */
  bool left;      /* its first node is the row's first */
  unsigned right; /* bit m: node m is the row's last; V: the tail is */
};

template <int V, int R> DEVICE strip_place strip_place_of(const cv_even_sweep_args &a) {
  strip_place p;
  const int n = (int)a.box.n[0], x0 = (int)blockIdx.x * even_lanes * V;
  p.s = even_span_of<V, false>(x0, n, 0, n, false, false, false);
  p.low_open = a.open[0], p.high_open = a.open[1];
  p.j = (int)(blockIdx.y * blockDim.y + threadIdx.y) * R;
  p.edge = strip_index(p.s.lane == 0 ? p.s.x - 1 : p.s.x + V, n, p.low_open, p.high_open);
  p.tail = p.s.lane == even_lanes - 1 && p.s.x + V == n - 1 && !p.high_open;
  p.active = p.s.x < n;
  p.left = p.s.x == 0;
  p.right = n - 1 >= p.s.x && n - 1 < p.s.x + V ? 1u << (n - 1 - p.s.x) : 0;
  p.right |= p.tail ? 1u << V : 0;
  return p;
}

template <int V> DEVICE void strip_load(strip_row<V> &r, const REAL *row, const strip_place &p) {
  if (p.s.inside) {
    even_get<V>(r.v, row + p.s.x);
  } else {
#pragma unroll
    for (int m = 0; m < V; m++)
      r.v[m] = row[strip_index(p.s.x + m, p.s.n, p.low_open, p.high_open)];
  }
  r.edge = 0;
  if (p.s.lane == 0 || p.s.lane == even_lanes - 1)
    r.edge = row[p.edge];
}

/* (u_left - u) + (u_right - u), and the same at the tail. */
template <int V> DEVICE void strip_bend(strip_row<V> &d, const strip_row<V> &r, const strip_place &p) {
  REAL low = __shfl_up_sync(0xffffffffu, r.v[V - 1], 1), high = __shfl_down_sync(0xffffffffu, r.v[0], 1);
  low = p.s.lane == 0 ? r.edge : low;
  high = p.s.lane == even_lanes - 1 ? r.edge : high;
#pragma unroll
  for (int m = 0; m < V; m++)
    d.v[m] = ((m > 0 ? r.v[m - 1] : low) - r.v[m]) + ((m < V - 1 ? r.v[m + 1] : high) - r.v[m]);
  d.edge = (REAL)2 * (r.v[V - 1] - r.edge); /* mirrored */
}

/* The coefficients over the volume: of second differences in x, y and z (7 points), and with 27 points of what strip_plane_of makes. */
struct strip_operator {
  REAL x, y, z, mass;
  REAL own_x, own_beside, own_y; /* within the plane: P0 */
  REAL far_x, far_beside, far_y; /* from a plane beside: P1 */
  REAL weight;                   /* omega/D */
};

/* w(a,b,c) is the weight of a neighbour a, b, c steps away (0 or 1) along x, y and z, negative the stiffness over the volume:
   the tensor products of K = (-1 2 -1)/h^2 and M = (1 4 1)/6. */
DEVICE double strip_weight(const double c[3], int a, int b, int d) {
  const double k[2] = {2, -1}, m[2] = {4.0 / 6, 1.0 / 6};
  return -(c[0] * k[a] * m[b] * m[d] + c[1] * m[a] * k[b] * m[d] + c[2] * m[a] * m[b] * k[d]);
}

template <int POINTS> DEVICE strip_operator strip_operator_of(const cv_even_sweep_args &a) {
  double c[3];
  for (int d = 0; d < 3; d++)
    c[d] = a.k[d] / (a.h[d] * a.h[d]);
  strip_operator o = {};
  double diagonal = 2 * (c[0] + c[1] + c[2]);
  o.x = (REAL)c[0], o.y = (REAL)c[1], o.z = (REAL)c[2], o.mass = (REAL)a.mass;
  if (POINTS == 27) {
    const double w110 = strip_weight(c, 1, 1, 0), w111 = strip_weight(c, 1, 1, 1);
    o.own_x = (REAL)strip_weight(c, 1, 0, 0), o.own_beside = (REAL)w110, o.own_y = (REAL)(strip_weight(c, 0, 1, 0) + 2 * w110);
    o.far_x = (REAL)strip_weight(c, 1, 0, 1), o.far_beside = (REAL)w111, o.far_y = (REAL)(strip_weight(c, 0, 1, 1) + 2 * w111);
    o.z = (REAL)(strip_weight(c, 0, 0, 1) + 2 * strip_weight(c, 1, 0, 1) + 2 * strip_weight(c, 0, 1, 1) + 4 * w111);
    diagonal = -strip_weight(c, 0, 0, 0);
  }
  o.weight = (REAL)(a.omega / (diagonal + a.mass));
  return o;
}

/* What a plane gives to the nodes of a row, from its second differences in x, those of the rows beside, and in y. */
DEVICE REAL strip_part(REAL x, REAL beside, REAL y, REAL dx, REAL dx_beside, REAL dy) {
  return fma(x, dx, fma(beside, dx_beside, y * dy));
}

/* -A u / V without mass and without differences in z: of one plane with 7 points; with 27 points `own` for the plane itself and `far` for those
   beside it. rows: the thread's, one before and one after. */
template <int V, int R, int POINTS>
DEVICE void strip_plane(strip_row<V> (&own)[R], strip_row<V> (&far)[R], const strip_row<V> (&rows)[R + 2], const strip_operator &o,
                        const strip_place &p) {
  strip_row<V> dx[R + 2];
#pragma unroll
  for (int r = POINTS == 27 ? 0 : 1; r < (POINTS == 27 ? R + 2 : R + 1); r++)
    strip_bend<V>(dx[r], rows[r], p);
#pragma unroll
  for (int r = 0; r < R; r++) {
#pragma unroll
    for (int m = 0; m <= V; m++) {
      const REAL u = m < V ? rows[r + 1].v[m] : rows[r + 1].edge;
      const REAL front = m < V ? rows[r].v[m] : rows[r].edge, back = m < V ? rows[r + 2].v[m] : rows[r + 2].edge;
      const REAL dy = (front - u) + (back - u), d = m < V ? dx[r + 1].v[m] : dx[r + 1].edge;
      REAL here, there = 0;
      if (POINTS == 27) {
        const REAL beside = m < V ? dx[r].v[m] + dx[r + 2].v[m] : dx[r].edge + dx[r + 2].edge;
        here = strip_part(o.own_x, o.own_beside, o.own_y, d, beside, dy);
        there = strip_part(o.far_x, o.far_beside, o.far_y, d, beside, dy);
      } else {
        here = fma(o.x, d, o.y * dy);
      }
      (m < V ? own[r].v[m] : own[r].edge) = here;
      if (POINTS == 27)
        (m < V ? far[r].v[m] : far[r].edge) = there;
    }
  }
}

/* Where the rows that a thread needs begin in a plane: its own and those beside. */
template <int R> DEVICE void strip_rows_at(int (&at)[R + 2], const cv_even_sweep_args &a, const strip_place &p) {
#pragma unroll
  for (int r = 0; r < R + 2; r++)
    at[r] = strip_index(p.j + r - 1, (int)a.box.n[1], a.open[2], a.open[3]) * (int)a.box.sy;
}

/* The rows of a plane. */
template <int V, int R>
DEVICE void strip_load_plane(strip_row<V> (&rows)[R + 2], const REAL *u, const int (&at)[R + 2], const cv_even_sweep_args &a,
                             const strip_place &p, int k) {
  const REAL *plane = u + strip_index(k, (int)a.box.n[2], a.open[4], a.open[5]) * a.box.sz;
#pragma unroll
  for (int r = 0; r < R + 2; r++)
    strip_load<V>(rows[r], plane + at[r], p);
}

/* Writes a row: `value` of node m (V: the tail). */
template <int V, typename T, typename Value> DEVICE void strip_store(T *row, const strip_place &p, Value value) {
  if (p.s.inside) {
    constexpr int wide = V * sizeof(T) < 16 ? V : 16 / sizeof(T);
    struct alignas(wide * sizeof(T)) pack {
      T v[wide];
    };
#pragma unroll
    for (int c = 0; c < V; c += wide) {
      pack q;
#pragma unroll
      for (int m = 0; m < wide; m++)
        q.v[m] = value(c + m);
      *reinterpret_cast<pack *>(row + p.s.x + c) = q;
    }
  } else {
#pragma unroll
    for (int m = 0; m < V; m++)
      if (p.s.x + m < p.s.n)
        row[p.s.x + m] = value(m);
  }
  if (p.tail)
    row[p.edge] = value(V);
}

/* The volume of nodes along x over that of inner ones. */
DEVICE REAL strip_half(int i, int n, bool low_open, bool high_open) {
  return (i == 0 && !low_open) || (i == n - 1 && !high_open) ? (REAL)0.5 : (REAL)1;
}

/* Makes the result of one row of plane k from b = A u / V and writes it. */
template <int V, int OP>
DEVICE void strip_finish(const cv_even_sweep_args &a, const strip_operator &o, const strip_place &p, int j, int k, const strip_row<V> &u,
                         const strip_row<V> &b) {
  const int64_t offset = j * a.box.sy + k * a.box.sz;
  const int nx = (int)a.box.n[0], ny = (int)a.box.n[1], nz = (int)a.box.n[2];
  const bool fixed_row = (a.fixed[2] && j == 0) || (a.fixed[3] && j == ny - 1) || (a.fixed[4] && k == 0) || (a.fixed[5] && k == nz - 1);
  const REAL volume = (REAL)(a.h[0] * a.h[1] * a.h[2]) * strip_half(j, ny, a.open[2], a.open[3]) *
                      strip_half(k, nz, a.open[4], a.open[5]);
  const REAL per = 1 / volume;
  strip_row<V> f = {};
  if (OP != strip_apply) {
    const REAL *row = static_cast<const REAL *>(a.f) + offset;
    if (p.s.inside) {
      even_get<V>(f.v, row + p.s.x);
    } else {
#pragma unroll
      for (int m = 0; m < V; m++)
        f.v[m] = p.s.x + m < nx ? row[p.s.x + m] : (REAL)0;
    }
    f.edge = p.tail ? row[p.edge] : (REAL)0;
  }
  const bool left_fixed = a.fixed[0], right_fixed = a.fixed[1];
  const auto value = [&](int m) -> REAL {
    const bool left = m == 0 && p.left, right = p.right & (1u << m);
    const bool wall = (left && !p.low_open) || (right && !p.high_open);
    const REAL own = m < V ? u.v[m] : u.edge, balance = m < V ? b.v[m] : b.edge, source = m < V ? f.v[m] : f.edge;
    const bool fixed = fixed_row || (left && left_fixed) || (right && right_fixed);
    if (OP == strip_smooth)
      return fixed ? own : fma(o.weight, source * (wall ? 2 * per : per) - balance, own);
    const REAL integrated = (wall ? (REAL)0.5 * volume : volume) * balance;
    if (OP == strip_residual)
      return fixed ? (REAL)0 : source - integrated;
    return fixed ? (REAL)0 : integrated;
  };
  if (OP == strip_residual && a.single) {
    const double scale = a.scale;
    strip_store<V>(static_cast<float *>(a.out) + offset, p, [&](int m) { return (float)(scale * value(m)); });
    return;
  }
  strip_store<V>(static_cast<REAL *>(a.out) + offset, p, value);
}

/* A block's planes. Reads u (and f) and writes out: 2 (3) words a node. */
template <int V, int R, int POINTS, int OP> DEVICE void strip_sweep(const cv_even_sweep_args &a) {
  const strip_place p = strip_place_of<V, R>(a);
  const strip_operator o = strip_operator_of<POINTS>(a);
  const int ny = (int)a.box.n[1], nz = (int)a.box.n[2];
  const int k0 = (int)(blockIdx.z * a.planes), k1 = k0 + (int)a.planes < nz ? k0 + (int)a.planes : nz;
  const REAL *u = static_cast<const REAL *>(a.u);
  if (p.j >= ny)
    return;
  int at[R + 2];
  strip_rows_at<R>(at, a, p);
  strip_row<V> rows[R + 2], below[R], centre[R], own[R], far_below[R], far_centre[R];
  strip_load_plane<V, R>(rows, u, at, a, p, k0 - 1);
  strip_plane<V, R, POINTS>(own, far_below, rows, o, p);
#pragma unroll
  for (int r = 0; r < R; r++)
    below[r] = rows[r + 1];
  strip_load_plane<V, R>(rows, u, at, a, p, k0);
  strip_plane<V, R, POINTS>(own, far_centre, rows, o, p);
#pragma unroll
  for (int r = 0; r < R; r++)
    centre[r] = rows[r + 1];
  for (int k = k0; k < k1; k++) {
    strip_row<V> own_above[R], far_above[R];
    strip_load_plane<V, R>(rows, u, at, a, p, k + 1);
    strip_plane<V, R, POINTS>(own_above, far_above, rows, o, p);
#pragma unroll
    for (int r = 0; r < R; r++) {
      strip_row<V> b;
#pragma unroll
      for (int m = 0; m <= V; m++) {
        const REAL c = m < V ? centre[r].v[m] : centre[r].edge, low = m < V ? below[r].v[m] : below[r].edge;
        const REAL high = m < V ? rows[r + 1].v[m] : rows[r + 1].edge;
        REAL sum = fma(o.z, (low - c) + (high - c), m < V ? own[r].v[m] : own[r].edge);
        if (POINTS == 27)
          sum += m < V ? far_below[r].v[m] + far_above[r].v[m] : far_below[r].edge + far_above[r].edge;
        (m < V ? b.v[m] : b.edge) = fma(o.mass, c, -sum);
      }
      if (p.active && p.j + r < ny)
        strip_finish<V, OP>(a, o, p, p.j + r, k, centre[r], b);
      below[r] = centre[r], centre[r] = rows[r + 1], own[r] = own_above[r];
      if (POINTS == 27)
        far_below[r] = far_centre[r], far_centre[r] = far_above[r];
    }
  }
}

enum { strip_threads = 128 };

/* A lane's nodes are 16 bytes. */
enum { strip_width = 16 / sizeof(REAL) };

#define STRIP_KERNELS(R, POINTS)                                                                      \
  KERNEL_BOUNDS(strip_apply_##POINTS##_##R, cv_even_sweep_args, strip_threads, 4) {                   \
    strip_sweep<strip_width, R, POINTS, strip_apply>(a);                                              \
  }                                                                                                   \
  KERNEL_BOUNDS(strip_residual_##POINTS##_##R, cv_even_sweep_args, strip_threads, 4) {                \
    strip_sweep<strip_width, R, POINTS, strip_residual>(a);                                           \
  }                                                                                                   \
  KERNEL_BOUNDS(strip_smooth_##POINTS##_##R, cv_even_sweep_args, strip_threads, 4) {                  \
    strip_sweep<strip_width, R, POINTS, strip_smooth>(a);                                             \
  }

STRIP_KERNELS(1, 7)
STRIP_KERNELS(2, 7)
STRIP_KERNELS(1, 27)
STRIP_KERNELS(2, 27)
