/* Vertical systems: ColumnSolve, ColumnDescend, ColumnSmooth.

   Divided by |T|, the system of a column is a ladder of conductances: c_k = a_k + d_k s to the ground, with s = sum of alpha / |T|, and
   b_k between the levels k-1 and k; its right side t_k = r_k / |T| are currents, its solution the potentials. To eliminate a level is
   to replace a star of conductances by a mesh: nothing is ever subtracted, so that every conductance and potential is exact but for
   as many roundings as it took, also where b is a million times the rest.

   A column is shared by as many threads as it has segments of 16 levels, which they keep in registers: a field is read once and
   written once, and all its loads are on their way together. Each thread eliminates the inner levels of its segment from below, in
   favour of the first one and the one above (of which the next elimination is),

       x = 1 / (B + C + b),   z_k = x I + (x C) z_first + (x b) z_(k+1),
       A += (x C) B,   B' = c + (x b) B,   C' = (x C) b,   I_first += (x C) I,   I' = t + (x b) I

   where A, B are the conductances to the ground of the first and last level so far, C that between them, and I_first, I their
   currents. What is left of a segment are its two ends, with A, B, C and their currents. Through shared memory every thread takes
   the segments below together, as a conductance and a current into its first level, and those above into its last one: as many
   steps in every thread. So it knows the potentials of its ends, and substitutes back.

   Roundings of a conductance or current: at most 6 a level of a segment and 12 a segment, less than the 12 a level of an elimination
   from one end that devicetest allows there and back: 16 levels take 96 + 12 of 192.

   r M^-1 r is |T| times the sum of x I^2 over what was eliminated and of current times potential of the ends. */
#include "columns.cuh"

enum { segment = 16, solve_lanes = 32, most_segments = 8 };
enum { op_solve, op_descend, op_smooth };

/* What a level has: mass (1 beyond the last, which keeps those levels apart), the coupling to the one below, the horizontal one. */
typedef struct __align__(sizeof(REAL) * 4) {
  REAL mass, low, horizontal, none;
} level_weights;

/* A segment seen from its ends. */
typedef struct {
  REAL first, last, between, in_first, in_last;
} two_port;

/* What lies beyond one end of a segment, seen from that end. */
typedef struct {
  REAL ground, in;
} one_port;

/* The segment `port` with what lies beyond its other end, through a coupling b: ends are (near, far). */
DEVICE one_port port_beyond(REAL near, REAL far, REAL between, REAL in_near, REAL in_far, const one_port &beyond, REAL b) {
  const REAL own = far + beyond.ground, part = between * column_inverse(own + between);
  const REAL ground = fma(part, own, near), in = fma(part, in_far + beyond.in, in_near);
  const REAL through = b * column_inverse(ground + b);
  return {through * ground, through * in};
}

/* Solves for a column whose thread has the currents t of the levels of segment `part`, of `parts`; they become potentials. Ports is
   shared: a row of columns for every segment. Returns the sum of current times potential. All threads of the block call it. */
DEVICE REAL segment_solve(REAL (&t)[segment], const level_weights *levels, REAL share, two_port *ports, int part, int parts) {
  const level_weights *own = levels + part * segment;
  REAL to_first[segment], to_next[segment], energy = 0;
  two_port s = {fma(own[0].horizontal, share, own[0].mass), fma(own[1].horizontal, share, own[1].mass), own[1].low, t[0], t[1]};
#pragma unroll
  for (int m = 2; m < segment; m++) {
    const level_weights w = own[m];
    const REAL x = column_inverse((s.last + s.between) + w.low), y = x * s.in_last;
    to_first[m - 1] = x * s.between;
    to_next[m - 1] = x * w.low;
    t[m - 1] = y;
    energy = fma(s.in_last, y, energy);
    s.first = fma(to_first[m - 1], s.last, s.first);
    s.in_first = fma(to_first[m - 1], s.in_last, s.in_first);
    s.last = fma(to_next[m - 1], s.last, fma(w.horizontal, share, w.mass));
    s.in_last = fma(to_next[m - 1], s.in_last, t[m]);
    s.between = to_first[m - 1] * w.low;
  }
  const int lane = (int)threadIdx.x;
  ports[part * solve_lanes + lane] = s;
  __syncthreads();
  one_port below = {}, above = {};
  for (int n = 0; n < part; n++) {
    const two_port p = ports[n * solve_lanes + lane];
    below = port_beyond(p.last, p.first, p.between, p.in_last, p.in_first, below, levels[(n + 1) * segment].low);
  }
  for (int n = parts - 1; n > part; n--) {
    const two_port p = ports[n * solve_lanes + lane];
    above = port_beyond(p.first, p.last, p.between, p.in_first, p.in_last, above, levels[n * segment].low);
  }
  const REAL low = s.first + below.ground, in_low = s.in_first + below.in;
  const REAL part_low = s.between * column_inverse(low + s.between);
  const REAL high = fma(part_low, low, s.last + above.ground);
  const REAL last = fma(part_low, in_low, s.in_last + above.in) * column_inverse(high);
  const REAL first = fma(s.between, last, in_low) * column_inverse(low + s.between);
  energy += fma(s.in_first, first, s.in_last * last);
  t[0] = first;
  t[segment - 1] = last;
#pragma unroll
  for (int m = segment - 2; m > 0; m--)
    t[m] = fma(to_next[m], t[m + 1], fma(to_first[m], first, t[m]));
  return energy;
}

/* The levels of a panel to shared memory, and a row beyond. */
DEVICE void load_levels(const cv_columns &a, level_weights *levels, int parts) {
  for (int k = thread_number(); k < parts * segment; k += solve_lanes * parts)
    levels[k] = {k < a.panel.n[2] ? AXIS(a.mass)[k] : 1, AXIS(a.vertical)[k], AXIS(a.horizontal)[k], 0};
}

/* A column for its thread: |T|, 1/|T| and s; zero where there is none. */
typedef struct {
  REAL area, inverse, share;
} column_weights;

DEVICE column_weights column_weights_of(const cv_columns &a, int64_t column) {
  const REAL *x = AXIS(a.edge_x) + column, *y = AXIS(a.edge_y) + column, area = AXIS(a.area)[column];
  const REAL inverse = area > 0 ? 1 / area : 0;
  return {area, inverse, ((x[-1] + x[0]) + (y[-a.panel.row] + y[0])) * inverse};
}

/* What a block has in shared memory. */
typedef struct {
  level_weights *levels;
  two_port *ports;
  REAL *tile; /* of column order: its columns, `pitch` apart */
} solve_room;

template <int order> DEVICE solve_room solve_room_of(REAL *shared, int parts) {
  level_weights *levels = reinterpret_cast<level_weights *>(shared);
  REAL *tile = reinterpret_cast<REAL *>(levels + parts * segment);
  const int cells = order == column_order ? solve_lanes * (parts * segment + march_nodes) : 0;
  return {levels, reinterpret_cast<two_port *>(tile + cells), tile};
}

/* The sum of squares, in float64 of short sums. */
DEVICE double square_sum(const REAL (&r)[segment]) {
  double sum = 0;
#pragma unroll
  for (int m = 0; m < segment; m += 4)
    sum += (double)fma(r[m], r[m], fma(r[m + 1], r[m + 1], fma(r[m + 2], r[m + 2], r[m + 3] * r[m + 3])));
  return sum;
}

/* What a right side of a cell is: r, of op_descend r - alpha q, which is stored, of op_smooth f - A u. Column n of all in row order,
   level k; beyond the last level zero. */
template <int op> DEVICE void right_rows(const cv_column_args &c, int n, bool owns, int part, REAL (&t)[segment]) {
  const cv_panel &p = c.a.panel;
  const int levels = (int)p.n[2], begin = part * segment, lane = (int)threadIdx.x;
  const int64_t apart = p.stride[2], at = n + begin * apart;
  const REAL *f = AXIS(c.f) + at;
#pragma unroll
  for (int m = 0; m < segment; m++)
    t[m] = begin + m < levels ? f[m * apart] : 0;
  if (op == op_descend) {
    const REAL *q = static_cast<const REAL *>(c.q) + at, alpha = (REAL)c.alpha;
    REAL *r = static_cast<REAL *>(c.r) + at, qs[segment];
#pragma unroll
    for (int m = 0; m < segment; m++)
      qs[m] = begin + m < levels ? q[m * apart] : 0;
#pragma unroll
    for (int m = 0; m < segment; m++) {
      t[m] = fma(-alpha, qs[m], t[m]);
      if (begin + m < levels && owns)
        r[m * apart] = t[m];
    }
  }
  if (op == op_smooth) {
    const int run = (int)p.run, rows = (int)p.n[1], front = n >= run ? -run : 0, back = n < run * (rows - 1) ? run : 0;
    const REAL *x = AXIS(c.a.edge_x) + n, *y = AXIS(c.a.edge_y) + n, *u = AXIS(c.u) + at;
    const REAL area = AXIS(c.a.area)[n], west = x[-1], east = x[0], south = y[-p.row], north = y[0];
    REAL below = begin > 0 ? u[-apart] : u[0], centre = u[0];
#pragma unroll
    for (int m = 0; m < segment; m++) {
      const int k = begin + m;
      if (k >= levels)
        break;
      const REAL above = k < levels - 1 ? u[apart] : centre;
      REAL left = march_before(centre), right = march_after(centre);
      if (lane == 0)
        left = u[-1];
      if (lane == 31)
        right = u[1];
      const REAL to[6] = {left, right, u[front], u[back], below, above};
      const REAL g[6] = {west, east, south, north, AXIS(c.a.vertical)[k], AXIS(c.a.vertical)[k + 1]};
      t[m] -= cell_balance(centre, AXIS(c.a.mass)[k], area, AXIS(c.a.horizontal)[k], to, g);
      below = centre;
      centre = above;
      u += apart;
    }
  }
}

/* In row order the columns lie beside each other in every level, also those of other rows. Beyond the panel -0 would be no zero. */
template <int op> DEVICE void solve_rows(const cv_column_launch &l) {
  DYNAMIC_SHARED(REAL, shared);
  const cv_column_args &c = l.c;
  const cv_panel &p = c.a.panel;
  const int part = __shfl_sync(0xffffffff, (int)threadIdx.y, 0), parts = (int)blockDim.y, columns = (int)(p.run * p.n[1]);
  const int own = (int)(blockIdx.x * solve_lanes + threadIdx.x), n = min(own, columns - 1), levels = (int)p.n[2];
  const bool owns = own < columns;
  const solve_room room = solve_room_of<row_order>(shared, parts);
  REAL t[segment];
  load_levels(c.a, room.levels, parts);
  const column_weights w = column_weights_of(c.a, n);
  right_rows<op>(c, n, owns, part, t);
  double sums[2] = {owns ? square_sum(t) : 0, 0};
#pragma unroll
  for (int m = 0; m < segment; m++)
    t[m] *= w.inverse;
  __syncthreads();
  const REAL energy = segment_solve(t, room.levels, w.share, room.ports, part, parts);
  const REAL omega = (REAL)c.omega;
  const int64_t at = n + part * segment * p.stride[2];
  REAL *out = static_cast<REAL *>(c.out) + at;
  const REAL *u = AXIS(c.u) + at;
#pragma unroll
  for (int m = 0; m < segment; m++)
    if (part * segment + m < levels && owns)
      out[m * p.stride[2]] = op == op_smooth ? fma(omega, t[m], u[m * p.stride[2]]) : fma(omega, t[m], (REAL)0);
  if (op == op_descend) {
    sums[1] = owns ? (double)(w.area * energy) : 0;
    put_slots(l, sums);
  }
}

/* The vectors of a block's columns in column order, as they lie in memory: number v of a thread. */
typedef struct {
  int column, level; /* the first column of all, and its level, the same for all vectors */
  int step;          /* columns from one vector to the next */
} tile_vectors;

DEVICE tile_vectors tile_vectors_of(int parts) {
  const int first = thread_number() * march_nodes, run = parts * segment;
  return {first / run, first % run, solve_lanes * march_nodes / segment};
}

/* The right side of a vector, as right_rows. */
template <int op> DEVICE march_vector right_vector(const cv_column_args &c, int64_t at, int column, int level) {
  march_vector r = march_load(AXIS(c.f) + at);
  if (op == op_descend) {
    const march_vector q = march_load(static_cast<const REAL *>(c.q) + at);
#pragma unroll
    for (int v = 0; v < march_nodes; v++)
      r.v[v] = fma(-(REAL)c.alpha, q.v[v], r.v[v]);
    vector_store(static_cast<REAL *>(c.r) + at, r);
  }
  if (op == op_smooth) {
    const cv_panel &p = c.a.panel;
    const int i = column % (int)p.n[0], j = column / (int)p.n[0];
    const int64_t place = i + j * p.row, sx = p.stride[0], sy = p.stride[1];
    const REAL *x = AXIS(c.a.edge_x) + place, *y = AXIS(c.a.edge_y) + place, area = AXIS(c.a.area)[place], *u = AXIS(c.u) + at;
    const march_vector west = march_load(i > 0 ? u - sx : u), east = march_load(i < p.n[0] - 1 ? u + sx : u);
    const march_vector south = march_load(j > 0 ? u - sy : u), north = march_load(j < p.n[1] - 1 ? u + sy : u);
    const march_vector centre = march_load(u), mass = march_load(AXIS(c.a.mass) + level);
    const march_vector b = march_load(AXIS(c.a.vertical) + level), d = march_load(AXIS(c.a.horizontal) + level);
    const REAL before = u[-1], after = u[march_nodes], next = AXIS(c.a.vertical)[level + march_nodes];
#pragma unroll
    for (int v = 0; v < march_nodes; v++) {
      const bool first = v == 0, last = v == march_nodes - 1;
      const REAL to[6] = {west.v[v],  east.v[v],  south.v[v],
                          north.v[v], first ? before : centre.v[first ? 0 : v - 1], last ? after : centre.v[last ? v : v + 1]};
      const REAL g[6] = {x[-1], x[0], y[-p.row], y[0], b.v[v], last ? next : b.v[last ? v : v + 1]};
      r.v[v] -= cell_balance(centre.v[v], mass.v[v], area, d.v[v], to, g);
    }
  }
  return r;
}

/* In column order the vectors of 32 columns pass through shared memory, where each thread finds its segment; and back. */
template <int op> DEVICE void solve_columns(const cv_column_launch &l) {
  DYNAMIC_SHARED(REAL, shared);
  const cv_column_args &c = l.c;
  const cv_panel &p = c.a.panel;
  const int part = __shfl_sync(0xffffffff, (int)threadIdx.y, 0), parts = (int)blockDim.y, columns = (int)(p.n[0] * p.n[1]);
  const int first = (int)blockIdx.x * solve_lanes, own = first + (int)threadIdx.x, run = parts * segment, pitch = run + march_nodes;
  const solve_room room = solve_room_of<column_order>(shared, parts);
  const tile_vectors tile = tile_vectors_of(parts);
  double sums[2] = {};
  load_levels(c.a, room.levels, parts);
#pragma unroll
  for (int n = 0; n < segment / march_nodes; n++) {
    const int column = tile.column + n * tile.step;
    march_vector r = {};
    if (first + column < columns)
      r = right_vector<op>(c, (int64_t)(first + column) * run + tile.level, first + column, tile.level);
    vector_store(room.tile + column * pitch + tile.level, r);
    sums[0] += vector_dot(r, r);
  }
  const int n = min(own, columns - 1);
  const column_weights w = column_weights_of(c.a, n % (int)p.n[0] + n / (int)p.n[0] * p.row);
  REAL t[segment], *const mine = room.tile + threadIdx.x * pitch + part * segment;
  __syncthreads();
#pragma unroll
  for (int m = 0; m < segment; m += march_nodes) {
    const march_vector r = march_load(mine + m);
#pragma unroll
    for (int v = 0; v < march_nodes; v++)
      t[m + v] = r.v[v] * w.inverse;
  }
  const REAL energy = segment_solve(t, room.levels, w.share, room.ports, part, parts);
#pragma unroll
  for (int m = 0; m < segment; m += march_nodes) {
    march_vector z;
#pragma unroll
    for (int v = 0; v < march_nodes; v++)
      z.v[v] = fma((REAL)c.omega, t[m + v], (REAL)0); /* not -0 */
    vector_store(mine + m, z);
  }
  __syncthreads();
#pragma unroll
  for (int n = 0; n < segment / march_nodes; n++) {
    const int column = tile.column + n * tile.step;
    if (first + column >= columns)
      break;
    march_vector z = march_load(room.tile + column * pitch + tile.level);
    const int64_t at = (int64_t)(first + column) * run + tile.level;
    if (op == op_smooth) {
      const march_vector u = march_load(AXIS(c.u) + at);
#pragma unroll
      for (int v = 0; v < march_nodes; v++)
        z.v[v] += u.v[v];
    }
    vector_store(static_cast<REAL *>(c.out) + at, z);
  }
  if (op == op_descend) {
    sums[1] = own < columns ? (double)(w.area * energy) : 0;
    put_slots(l, sums);
  }
}

/* Words a cell: 2 of solve, 4 of descend, 3 of smooth. */
#define SOLVES(name)                                                                                                             \
  KERNEL_BOUNDS(column_##name##_rows, cv_column_launch, solve_lanes *most_segments, 2) { solve_rows<op_##name>(a); }              \
  KERNEL_BOUNDS(column_##name##_columns, cv_column_launch, solve_lanes *most_segments, 2) { solve_columns<op_##name>(a); }

SOLVES(solve)
SOLVES(descend)
SOLVES(smooth)
