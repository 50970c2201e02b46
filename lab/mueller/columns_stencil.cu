/* Products with the operator on columns: ColumnApply, ColumnSearch, ColumnCorrect.

   A lane has a vector of cells along the run and goes from plane to plane, with the vectors of the plane before and after in
   registers. What lies beside it in the run comes from the next lanes, the runs beside it from the first cache: a block covers
   neighbouring runs.

   Kernels that update fields ask for the vectors as many planes ahead as a slab has, which blocks that come soon will read: the few threads that
   registers leave room for do not have enough loads on their way while they compute and write. */
#include "columns.cuh"

/* Blocks of a multiprocessor, as gpu.go has them: 64 registers a thread; 80 in kernels that ask for all that a plane reads at once, which
   pays in float, with four cells a vector. */
enum { stencil_threads = 256, stencil_blocks = 4, early_blocks = sizeof(REAL) == sizeof(float) ? 3 : 4 };
constexpr bool early = early_blocks < stencil_blocks;

/* N vectors of the cells that a kernel updates in place, beside the one with neighbours. */
template <int n> struct own_vectors {
  REAL *field[n > 0 ? n : 1];
  march_vector v[n > 0 ? n : 1];
};

template <int n> DEVICE void load_own(own_vectors<n> &o, int64_t at) {
#pragma unroll
  for (int f = 0; f < n; f++)
    o.v[f] = early ? vector_load_now(o.field[f] + at) : march_load(o.field[f] + at);
}

/* Asks for what the same lane has `far` elements on. */
template <int n> DEVICE void own_ahead(const own_vectors<n> &o, const REAL *field, int64_t at, int64_t far) {
  vector_ahead(field + at + far);
#pragma unroll
  for (int f = 0; f < n; f++)
    vector_ahead(o.field[f] + at + far);
}

/* What a lane's cells have in all planes: in row order of their columns |T| and the edges towards x and y, in column order of their
   levels mass, vertical coupling below and above, and horizontal coupling. */
typedef struct {
  march_vector w[5];
} lane_weights;

/* The same of a plane, alike in a vector: in row order mass, the vertical couplings, and the horizontal one; in column order
   |T| and the edges. */
typedef struct {
  REAL w[5];
} plane_weights;

template <int order> DEVICE lane_weights lane_weights_of(const mueller_columns &a, int place) {
  lane_weights l;
  if (order == row_order) {
    const REAL *x = AXIS(a.edge_x) + place, *y = AXIS(a.edge_y) + place;
    l.w[0] = march_load(AXIS(a.area) + place);
    l.w[2] = march_load(x);
    l.w[3] = march_load(y - a.panel.row);
    l.w[4] = march_load(y);
    l.w[1].v[0] = x[-1];
#pragma unroll
    for (int v = 1; v < march_nodes; v++)
      l.w[1].v[v] = l.w[2].v[v - 1];
  } else {
    const int k = place % (int)a.panel.run;
    l.w[0] = march_load(AXIS(a.mass) + k);
    l.w[1] = march_load(AXIS(a.vertical) + k);
    l.w[3] = march_load(AXIS(a.horizontal) + k);
    l.w[4] = l.w[3];
    l.w[2].v[march_nodes - 1] = AXIS(a.vertical)[k + march_nodes];
#pragma unroll
    for (int v = 1; v < march_nodes; v++)
      l.w[2].v[v - 1] = l.w[1].v[v];
  }
  return l;
}

/* Of plane n; `run` is the number of the lane's run in it. */
template <int order> DEVICE plane_weights plane_weights_of(const mueller_columns &a, int run, int n) {
  if (order == row_order) {
    const REAL *b = AXIS(a.vertical) + n;
    return {AXIS(a.mass)[n], b[0], b[1], AXIS(a.horizontal)[n], 0};
  }
  const int64_t column = run + n * a.panel.row;
  const REAL *x = AXIS(a.edge_x) + column, *y = AXIS(a.edge_y) + column;
  return {AXIS(a.area)[column], x[-1], x[0], y[-a.panel.row], y[0]};
}

/* A u of a vector: before and after it along the run, beside it in its plane, and in the planes before and after. */
template <int order>
DEVICE march_vector vector_balance(const lane_weights &l, const plane_weights &p, const march_vector &u, REAL before, REAL after,
                                   const march_vector (&beside)[2], const march_vector (&plane)[2]) {
  march_vector r;
#pragma unroll
  for (int v = 0; v < march_nodes; v++) {
    const REAL low = v > 0 ? u.v[v > 0 ? v - 1 : 0] : before;
    const REAL high = v < march_nodes - 1 ? u.v[v < march_nodes - 1 ? v + 1 : v] : after;
    if (order == row_order) {
      const REAL to[6] = {low, high, beside[0].v[v], beside[1].v[v], plane[0].v[v], plane[1].v[v]};
      const REAL g[6] = {l.w[1].v[v], l.w[2].v[v], l.w[3].v[v], l.w[4].v[v], p.w[1], p.w[2]};
      r.v[v] = cell_balance(u.v[v], p.w[0], l.w[0].v[v], p.w[3], to, g);
    } else {
      const REAL to[6] = {beside[0].v[v], beside[1].v[v], plane[0].v[v], plane[1].v[v], low, high};
      const REAL g[6] = {p.w[1], p.w[2], p.w[3], p.w[4], l.w[1].v[v], l.w[2].v[v]};
      r.v[v] = cell_balance(u.v[v], l.w[0].v[v], p.w[0], l.w[3].v[v], to, g);
    }
  }
  return r;
}

/* Calls work(element, u, A u) for the vectors of a lane in the planes of its slab, `width` of them, with the own vectors loaded. */
template <int order, int n_own, typename Work>
DEVICE void column_march(const mueller_args &c, const REAL *field, own_vectors<n_own> &own_fields, Work work) {
  const mueller_panel &panel = c.a.panel;
  const int run = (int)panel.run, runs = (int)panel.n[run_axis<order>()], planes = (int)panel.n[plane_axis<order>()];
  const int64_t apart = panel.stride[plane_axis<order>()];
  const int vectors = run / march_nodes * runs, own = (int)(blockIdx.x * blockDim.x + threadIdx.x);
  const int place = min(own, vectors - 1) * march_nodes, lane = (int)threadIdx.x % 32, number = place / run;
  const int front = number > 0 ? -run : 0, back = number < runs - 1 ? run : 0;
  const int width = (int)c.width, begin = (int)blockIdx.y * width, end = min(begin + width, planes);
  const bool asks = n_own > 0 && lane % 2 == 0; /* for two lanes */
  const lane_weights weights = lane_weights_of<order>(c.a, place);
  const REAL *u = field + place + begin * apart;
  march_vector centre = march_load(u), plane[2] = {march_load(begin > 0 ? u - apart : u), centre};
  for (int n = begin; n < end; n++, u += apart) {
    if (asks && n + width < planes)
      own_ahead(own_fields, field, u - field, width * apart);
    if (early)
      load_own(own_fields, u - field);
    plane[1] = march_load(n < planes - 1 ? u + apart : u);
    const march_vector beside[2] = {march_load(u + front), march_load(u + back)};
    const plane_weights of_plane = plane_weights_of<order>(c.a, number, n);
    REAL before = march_before(centre.v[march_nodes - 1]), after = march_after(centre.v[0]);
    if (lane == 0)
      before = u[-1];
    if (lane == 31)
      after = u[march_nodes];
    const march_vector balance = vector_balance<order>(weights, of_plane, centre, before, after, beside, plane);
    if (own < vectors) {
      if (!early)
        load_own(own_fields, u - field);
      work(u - field, centre, balance);
    }
    plane[0] = centre;
    centre = plane[1];
  }
}

/* Y = A X: 2 words a cell. */
template <int order> DEVICE void column_apply(const mueller_launch &l) {
  REAL *y = static_cast<REAL *>(l.c.out);
  own_vectors<0> none;
  column_march<order>(l.c, AXIS(l.c.z), none,
                      [&](int64_t at, const march_vector &, const march_vector &balance) { vector_store(y + at, balance); });
}

/* U += alpha P; P = Z + beta P; Q = A Z + beta Q; sum of P Q: 7 words a cell. */
template <int order> DEVICE void column_search(const mueller_launch &l) {
  own_vectors<3> o = {{static_cast<REAL *>(l.c.out), static_cast<REAL *>(l.c.p), static_cast<REAL *>(l.c.q)}, {}};
  const REAL alpha = alpha_of(l), beta = beta_of(l);
  double sum = 0;
  column_march<order>(l.c, AXIS(l.c.z), o, [&](int64_t at, const march_vector &z, const march_vector &balance) {
    march_vector &us = o.v[0], &ps = o.v[1], &qs = o.v[2];
#pragma unroll
    for (int v = 0; v < march_nodes; v++) {
      us.v[v] = fma(alpha, ps.v[v], us.v[v]);
      ps.v[v] = fma(beta, ps.v[v], z.v[v]);
      qs.v[v] = fma(beta, qs.v[v], balance.v[v]);
    }
    vector_store_once(o.field[0] + at, us);
    vector_store_once(o.field[1] + at, ps);
    vector_store(o.field[2] + at, qs);
    sum += vector_dot(ps, qs);
  });
  put_partials<1>(l, {sum});
}

/* U += Z; R -= A Z; sum of R R: 5 words a cell. */
template <int order> DEVICE void column_correct(const mueller_launch &l) {
  own_vectors<2> o = {{static_cast<REAL *>(l.c.out), static_cast<REAL *>(l.c.r)}, {}};
  double sum = 0;
  column_march<order>(l.c, AXIS(l.c.z), o, [&](int64_t at, const march_vector &z, const march_vector &balance) {
#pragma unroll
    for (int v = 0; v < march_nodes; v++)
      o.v[0].v[v] += z.v[v];
    vector_store(o.field[0] + at, o.v[0]);
    const march_vector left = march_difference(o.v[1], balance);
    vector_store(o.field[1] + at, left);
    sum += vector_dot(left, left);
  });
  put_partials<1>(l, {sum});
}

KERNEL_BOUNDS(column_apply_rows, mueller_launch, stencil_threads, stencil_blocks) { column_apply<row_order>(a); }
KERNEL_BOUNDS(column_apply_columns, mueller_launch, stencil_threads, stencil_blocks) { column_apply<column_order>(a); }
KERNEL_BOUNDS(column_search_rows, mueller_launch, stencil_threads, early_blocks) { column_search<row_order>(a); }
KERNEL_BOUNDS(column_search_columns, mueller_launch, stencil_threads, early_blocks) { column_search<column_order>(a); }
KERNEL_BOUNDS(column_correct_rows, mueller_launch, stencil_threads, early_blocks) { column_correct<row_order>(a); }
KERNEL_BOUNDS(column_correct_columns, mueller_launch, stencil_threads, early_blocks) { column_correct<column_order>(a); }
