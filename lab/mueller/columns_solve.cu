/* Vertical systems: ColumnSolve, ColumnDescend, ColumnSmooth.

   Divided by |T|, the system of a column is a ladder of conductances: c_k = a_k + d_k s to the ground, with s = sum of alpha / |T|, and
   b_k between the levels k-1 and k; its right side t_k = r_k / |T| are currents, its solution the potentials. To eliminate a level is
   to replace a star of conductances by a mesh: nothing is ever subtracted, so that every conductance and potential is exact but for
   as many roundings as it took, also where b is a million times the rest.

   A column is shared by as many threads as it has segments of 16 levels, which they keep in registers: a field is read once and
   written once, and all its loads are on their way together. Each thread eliminates the inner levels of each half of its segment from
   below, in favour of the first one and the one above (of which the next elimination is),

       x = 1 / (B + C + b),   z_k = x I + (x C) z_first + (x b) z_(k+1),
       A += (x C) B,   B' = c + (x b) B,   C' = (x C) b,   I_first += (x C) I,   I' = t + (x b) I

   where A, B are the conductances to the ground of the first and last level so far, C that between them, and I_first, I their
   currents; then the levels where the halves meet. What is left of a segment are its two ends, with A, B, C and their currents. Through shared memory every thread takes
   the segments below together, as a conductance and a current into its first level, and those above into its last one: as many
   steps in every thread. So it knows the potentials of its ends, and substitutes back.

   Roundings: a level takes no more of them than in an elimination from one end, and on its way to a potential there are the 16 levels
   of its segment, there and back, and a joint for each of the other segments, instead of all levels there and back, which is what
   devicetest counts.

   r M^-1 r is |T| times the sum of x I^2 over what was eliminated and of current times potential of the ends. */
#include "columns.cuh"

enum { segment = 16, solve_lanes = 32, most_segments = 8 };

/* Blocks of a multiprocessor: 64 registers a thread in float, 128 in double. */
enum { solve_blocks = sizeof(REAL) == sizeof(float) ? 4 : 2 };
enum { op_solve, op_descend, op_smooth };

/* What a level has: mass (1 beyond the last, which keeps those levels apart), the coupling to the one below, the horizontal one, the
   coupling to the one above. */
typedef struct __align__(sizeof(REAL) * 4) {
  REAL mass, low, horizontal, high;
} level_weights;

/* A segment seen from its ends. */
typedef struct {
  REAL first, last, between, in_first, in_last;
} two_port;

/* What lies beyond one end of a segment, seen from that end. */
typedef struct {
  REAL ground, in;
} one_port;

/* A segment with what lies beyond its far end, seen from beyond its near end through a coupling b: with D = far + beyond + between
   and N = near D + between (far + beyond) the conductance N / D, and b in a row with it. */
DEVICE one_port port_beyond(REAL near, REAL far, REAL between, REAL in_near, REAL in_far, const one_port &beyond, REAL b) {
  const REAL own = far + beyond.ground, d = own + between, n = fma(near, d, between * own);
  const REAL through = b * column_inverse(fma(b, d, n));
  return {through * n, through * fma(in_near, d, between * (in_far + beyond.in))};
}

/* Eliminates the inner levels of half a segment, from level `from` of it on. */
template <int from>
DEVICE two_port eliminate_half(REAL (&t)[segment], const level_weights *own, REAL share, REAL (&to_first)[segment],
                               REAL (&to_next)[segment], REAL &energy) {
  two_port s = {fma(own[from].horizontal, share, own[from].mass), fma(own[from + 1].horizontal, share, own[from + 1].mass),
                own[from + 1].low, t[from], t[from + 1]};
#pragma unroll
  for (int m = from + 2; m < from + segment / 2; m++) {
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
  return s;
}

/* Eliminates the ends in the middle, levels 7 and 8: 7 in favour of 0 and 8, and then 8 in favour of 0 and 15. */
DEVICE two_port join_halves(const two_port &low, const two_port &high, REAL b, REAL (&t)[segment], REAL (&to_first)[segment],
                            REAL (&to_next)[segment], REAL &energy) {
  constexpr int m = segment / 2;
  const REAL x = column_inverse((low.last + low.between) + b);
  to_first[m - 1] = x * low.between;
  to_next[m - 1] = x * b;
  t[m - 1] = x * low.in_last;
  const REAL between = to_first[m - 1] * b, own = fma(to_next[m - 1], low.last, high.first);
  const REAL in = fma(to_next[m - 1], low.in_last, high.in_first), y = column_inverse((own + between) + high.between);
  to_first[m] = y * between;
  to_next[m] = y * high.between;
  t[m] = y * in;
  energy += fma(low.in_last, t[m - 1], in * t[m]);
  return {fma(to_first[m], own, fma(to_first[m - 1], low.last, low.first)), fma(to_next[m], own, high.last),
          to_first[m] * high.between, fma(to_first[m], in, fma(to_first[m - 1], low.in_last, low.in_first)),
          fma(to_next[m], in, high.in_last)};
}

/* Solves for a column whose thread has the currents t of the levels of segment `part`, of `parts`; they become potentials. Ports is
   shared: a row of columns for every segment. Returns the sum of current times potential. All threads of the block call it. The two
   halves of a segment are eliminated side by side, so that one does not wait for its divisions alone. */
DEVICE REAL segment_solve(REAL (&t)[segment], const level_weights *levels, REAL share, two_port *ports, int part, int parts) {
  const level_weights *own = levels + part * segment;
  REAL to_first[segment], to_next[segment], energy = 0;
  const two_port low = eliminate_half<0>(t, own, share, to_first, to_next, energy);
  const two_port high = eliminate_half<segment / 2>(t, own, share, to_first, to_next, energy);
  const two_port s = join_halves(low, high, own[segment / 2].low, t, to_first, to_next, energy);
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
  const REAL ground = s.first + below.ground, in = s.in_first + below.in, x = column_inverse(ground + s.between);
  const REAL up = s.between * x, last = fma(up, in, s.in_last + above.in) * column_inverse(fma(up, ground, s.last + above.ground));
  const REAL first = fma(s.between, last, in) * x;
  energy += fma(s.in_first, first, s.in_last * last);
  t[0] = first;
  t[segment - 1] = last;
  constexpr int middle = segment / 2;
  t[middle] = fma(to_next[middle], last, fma(to_first[middle], first, t[middle]));
  t[middle - 1] = fma(to_next[middle - 1], t[middle], fma(to_first[middle - 1], first, t[middle - 1]));
#pragma unroll
  for (int m = middle - 2; m > 0; m--) {
    t[m] = fma(to_next[m], t[m + 1], fma(to_first[m], first, t[m]));
    t[m + middle] = fma(to_next[m + middle], t[m + middle + 1], fma(to_first[m + middle], t[middle], t[m + middle]));
  }
  return energy;
}

/* The levels of a panel to shared memory. All threads call it. */
DEVICE void load_levels(const mueller_columns &a, level_weights *levels, int parts) {
  for (int k = thread_number(); k < parts * segment; k += solve_lanes * parts)
    levels[k] = {k < a.panel.n[2] ? AXIS(a.mass)[k] : 1, AXIS(a.vertical)[k], AXIS(a.horizontal)[k], AXIS(a.vertical)[k + 1]};
  __syncthreads();
}

/* A column for its thread: |T|, 1/|T| and s; zero where there is none. */
typedef struct {
  REAL area, inverse, share;
} column_weights;

DEVICE column_weights column_weights_of(const mueller_columns &a, int64_t column) {
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

/* Currents of levels in row order: r, of op_descend r - alpha q, which is stored, of op_smooth f - A u. The first
   `levels` of a segment that begins at element `at` of the fields; beyond them zero. `full`: there are 16. */
template <int op, bool full>
DEVICE void right_rows(const mueller_args &c, REAL alpha, int64_t at, int levels, bool owns, REAL (&t)[segment]) {
  const int64_t apart = c.a.panel.stride[2];
  const REAL *f = AXIS(c.f) + at;
#pragma unroll
  for (int m = 0; m < segment; m++)
    t[m] = full || m < levels ? (op == op_descend ? load_once(f + m * apart) : f[m * apart]) : 0;
  if (op == op_descend) {
    const REAL *q = static_cast<const REAL *>(c.q) + at;
    REAL *r = static_cast<REAL *>(c.r) + at, qs[segment];
#pragma unroll
    for (int m = 0; m < segment; m++)
      qs[m] = full || m < levels ? load_once(q + m * apart) : 0;
#pragma unroll
    for (int m = 0; m < segment; m++) {
      t[m] = fma(-alpha, qs[m], t[m]);
      if ((full || m < levels) && owns)
        store_once(r + m * apart, t[m]);
    }
  }
}

/* t -= A u, of the same levels, of which `before` lie below and `after` above the segment. */
template <bool full>
DEVICE void image_rows(const mueller_args &c, int n, int64_t at, int levels, bool before, bool after, const level_weights *own,
                       REAL (&t)[segment]) {
  const mueller_panel &p = c.a.panel;
  const int run = (int)p.run, front = n >= run ? -run : 0, back = n < run * ((int)p.n[1] - 1) ? run : 0;
  const REAL *x = AXIS(c.a.edge_x) + n, *y = AXIS(c.a.edge_y) + n, *u = AXIS(c.u) + at;
  const REAL area = AXIS(c.a.area)[n], g0 = x[-1], g1 = x[0], g2 = y[-p.row], g3 = y[0];
  const int64_t apart = p.stride[2];
  REAL below = before ? u[-apart] : 0, centre = *u;
#pragma unroll
  for (int m = 0; m < segment; m++) {
    if (!full && m >= levels)
      break;
    const REAL to[6] = {u[-1], u[1], u[front], u[back], below, m < levels - 1 || after ? u[apart] : centre};
    const level_weights w = own[m];
    const REAL g[6] = {g0, g1, g2, g3, w.low, w.high};
    t[m] -= cell_balance(centre, w.mass, area, w.horizontal, to, g);
    below = centre;
    centre = to[5];
    u += apart;
  }
}

/* Writes potentials times omega, of op_smooth to be added to u. Beyond the panel -0 would be no zero. */
template <int op, bool full>
DEVICE void put_rows(const mueller_args &c, int64_t at, int levels, bool owns, const REAL (&t)[segment]) {
  REAL *out = static_cast<REAL *>(c.out) + at;
  const REAL *u = AXIS(c.u) + at, omega = (REAL)c.omega;
  const int64_t apart = c.a.panel.stride[2];
#pragma unroll
  for (int m = 0; m < segment; m++)
    if ((full || m < levels) && owns)
      out[m * apart] = fma(omega, t[m], op == op_smooth ? u[m * apart] : (REAL)0);
}

/* The number of a block's columns: descending begins where the search before ended, whose q the second-level cache still has, so that the next search
   begins where it has z. */
template <int op> DEVICE int turn_of() { return (int)(op == op_descend ? gridDim.x - 1 - blockIdx.x : blockIdx.x); }

/* In row order the columns lie beside each other in every level, also those of other rows. */
template <int op> DEVICE void solve_rows(const mueller_launch &l) {
  DYNAMIC_SHARED(REAL, shared);
  const mueller_args &c = l.c;
  const mueller_panel &p = c.a.panel;
  const int part = __shfl_sync(0xffffffff, (int)threadIdx.y, 0), parts = (int)blockDim.y, columns = (int)(p.run * p.n[1]);
  const int own = turn_of<op>() * solve_lanes + (int)threadIdx.x, n = min(own, columns - 1);
  const int begin = part * segment, levels = min((int)p.n[2] - begin, (int)segment);
  const int64_t at = n + begin * p.stride[2];
  const bool owns = own < columns, full = levels == segment;
  const solve_room room = solve_room_of<row_order>(shared, parts);
  const REAL alpha = op == op_descend ? alpha_of(l) : 0;
  REAL t[segment];
  if (full)
    right_rows<op, true>(c, alpha, at, levels, owns, t);
  else
    right_rows<op, false>(c, alpha, at, levels, owns, t);
  const column_weights w = column_weights_of(c.a, n);
  load_levels(c.a, room.levels, parts);
  if (op == op_smooth) {
    const bool after = begin + levels < p.n[2];
    if (full)
      image_rows<true>(c, n, at, levels, part > 0, after, room.levels + begin, t);
    else
      image_rows<false>(c, n, at, levels, part > 0, after, room.levels + begin, t);
  }
  double sums[2] = {owns ? square_sum(t) : 0, 0};
#pragma unroll
  for (int m = 0; m < segment; m++)
    t[m] *= w.inverse;
  const REAL energy = segment_solve(t, room.levels, w.share, room.ports, part, parts);
  if (full)
    put_rows<op, true>(c, at, levels, owns, t);
  else
    put_rows<op, false>(c, at, levels, owns, t);
  if (op == op_descend) {
    sums[1] = owns ? (double)(w.area * energy) : 0;
    put_partials(l, sums);
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

/* The currents of a vector, as right_rows and image_rows, from f and q there. */
template <int op>
DEVICE march_vector right_vector(const mueller_args &c, REAL alpha, int64_t at, int column, int level, const march_vector &f, const march_vector &q) {
  march_vector r = f;
  if (op == op_descend) {
#pragma unroll
    for (int v = 0; v < march_nodes; v++)
      r.v[v] = fma(-alpha, q.v[v], r.v[v]);
    vector_store_once(static_cast<REAL *>(c.r) + at, r);
  }
  if (op == op_smooth) {
    const mueller_panel &p = c.a.panel;
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

/* The vectors of f, and of op_descend those of q, of a thread; those beyond the last column are of that one. */
template <int op, int count>
DEVICE void load_tile(const mueller_args &c, const tile_vectors &tile, int first, int columns, int run, march_vector (&f)[count],
                      march_vector (&q)[count]) {
#pragma unroll
  for (int n = 0; n < count; n++) {
    const int64_t at = (int64_t)min(first + tile.column + n * tile.step, columns - 1) * run + tile.level;
    f[n] = op == op_descend ? vector_load_once(AXIS(c.f) + at) : march_load(AXIS(c.f) + at);
    if (op == op_descend)
      q[n] = vector_load_once(static_cast<const REAL *>(c.q) + at);
  }
}

/* In column order the vectors of 32 columns pass through shared memory, where each thread finds its segment; and back. */
template <int op> DEVICE void solve_columns(const mueller_launch &l) {
  DYNAMIC_SHARED(REAL, shared);
  const mueller_args &c = l.c;
  const mueller_panel &p = c.a.panel;
  const int part = __shfl_sync(0xffffffff, (int)threadIdx.y, 0), parts = (int)blockDim.y, columns = (int)(p.n[0] * p.n[1]);
  const int first = turn_of<op>() * solve_lanes, own = first + (int)threadIdx.x, run = parts * segment, pitch = run + march_nodes;
  const solve_room room = solve_room_of<column_order>(shared, parts);
  const tile_vectors tile = tile_vectors_of(parts);
  const REAL alpha = op == op_descend ? alpha_of(l) : 0;
  double sums[2] = {};
  march_vector f[segment / march_nodes], q[segment / march_nodes]; /* all on their way before the first is written, which they might else wait for */
  load_tile<op>(c, tile, first, columns, run, f, q);
  load_levels(c.a, room.levels, parts);
#pragma unroll
  for (int n = 0; n < segment / march_nodes; n++) {
    const int column = tile.column + n * tile.step;
    march_vector r = {};
    if (first + column < columns)
      r = right_vector<op>(c, alpha, (int64_t)(first + column) * run + tile.level, first + column, tile.level, f[n], q[n]);
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
    put_partials(l, sums);
  }
}

/* Words a cell: 2 of solve, 4 of descend, 3 of smooth. */
#define SOLVES(name, blocks_of_rows)                                                                                                                    \
  KERNEL_BOUNDS(column_##name##_rows, mueller_launch, solve_lanes *most_segments, blocks_of_rows) { solve_rows<op_##name>(a); }          \
  KERNEL_BOUNDS(column_##name##_columns, mueller_launch, solve_lanes *most_segments, solve_blocks) { solve_columns<op_##name>(a); }

SOLVES(solve, solve_blocks)
SOLVES(descend, solve_blocks)
SOLVES(smooth, 2) /* to have many loads on their way */
