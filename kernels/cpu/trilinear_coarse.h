/* What SolveCoarse needs of trilinear elements: the couplings of a node to the 13 neighbours after it, those to the 13
   before it being their own. coarse.h does the rest. */

enum { couplings = 13 };

/* The neighbours after a node. */
static const int8_t coupled[couplings][3] = {
    {1, 0, 0},  {-1, 1, 0}, {0, 1, 0},  {1, 1, 0}, {-1, -1, 1}, {0, -1, 1}, {1, -1, 1},
    {-1, 0, 1}, {0, 0, 1},  {1, 0, 1},  {-1, 1, 1}, {0, 1, 1},  {1, 1, 1},
};

/* What cell (i,j,k) conducts between two of its nodes that are o apart: minus the entry of its stiffness. */
static double element_coupling(const cv_elliptic *a, const int8_t *o, int64_t i, int64_t j, int64_t k) {
  const int64_t at[3] = {i, j, k}, cell = i + j * a->box.sy + k * a->box.sz;
  double h[3], w[3], mass[3], sum = 0;
  for (int d = 0; d < 3; d++) {
    const double rh = AXIS(a->rh[d])[at[d]];
    h[d] = AXIS(a->h[d])[at[d]];
    w[d] = (a->cells[0] ? ((const REAL *)a->cells[d])[cell] : a->k[d]) * rh * rh;
    mass[d] = d == 1 && !a->box.sy ? 1 : o[d] ? 1 / 6.0 : 1 / 3.0;
  }
  for (int d = 0; d < 3; d++)
    sum += (o[d] ? w[d] : -w[d]) * mass[(d + 1) % 3] * mass[(d + 2) % 3];
  return sum * (h[0] * h[1] * h[2]);
}

/* Whether node n of a grid of n nodes is none of its halo. */
static int is_node(const int64_t *n, int64_t i, int64_t j, int64_t k) {
  return i >= 0 && i < n[0] && j >= 0 && j < n[1] && k >= 0 && k < n[2];
}

/* Couplings of node (i,j,k), or halo node, to the node o after it: the sum over the cells that hold both. */
static double node_coupling(const cv_elliptic *a, const int8_t *o, int64_t i, int64_t j, int64_t k) {
  const int64_t at[3] = {i, j, k}, *n = a->box.n;
  int64_t low[3], high[3];
  if (!is_node(n, i, j, k) && !is_node(n, i + o[0], j + o[1], k + o[2]))
    return 0;
  for (int d = 0; d < 3; d++) {
    const int absent = d == 1 && !a->box.sy;
    if (absent && o[d])
      return 0;
    low[d] = at[d] - (o[d] <= 0 && !absent);
    high[d] = at[d] - (o[d] < 0);
  }
  double sum = 0;
  for (int64_t z = low[2]; z <= high[2]; z++)
    for (int64_t y = low[1]; y <= high[1]; y++)
      for (int64_t x = low[0]; x <= high[0]; x++)
        sum += element_coupling(a, o, x, y, z);
  return sum;
}

/* All couplings: g[c] holds those to neighbour c, on compact arrays of strides sy and sz and one halo layer. */
static void trilinear_couplings(const cv_elliptic *a, int64_t sy, int64_t sz, double *const *g) {
  for (int c = 0; c < couplings; c++)
    for (int64_t k = -1; k <= a->box.n[2]; k++)
      for (int64_t j = -1; j <= a->box.n[1]; j++)
        for (int64_t i = -1; i <= a->box.n[0]; i++)
          g[c][1 + i + (1 + j) * sy + (1 + k) * sz] = node_coupling(a, coupled[c], i, j, k);
}

/* The sum of the couplings of node m, and A x there without mass. */
static double trilinear_sum(double *const *g, const int64_t *step, int64_t m) {
  double sum = 0;
  for (int c = 0; c < couplings; c++)
    sum += g[c][m] + g[c][m - step[c]];
  return sum;
}

static double trilinear_balance(double *const *g, const int64_t *step, const double *x, int64_t m) {
  double sum = 0;
  for (int c = 0; c < couplings; c++)
    sum += g[c][m] * (x[m] - x[m + step[c]]) + g[c][m - step[c]] * (x[m] - x[m - step[c]]);
  return sum;
}

/* Periodic halo of a compact array, edges and corners too. */
static void trilinear_wrap(const int64_t *n, int64_t sy, int64_t sz, const int64_t *periodic, double *x) {
  for (int64_t k = -1; k <= n[2]; k++)
    for (int64_t j = -1; j <= n[1]; j++)
      for (int64_t i = -1; i <= n[0]; i += is_node(n, 0, j, k) && i == -1 ? n[0] + 1 : 1) {
        const int64_t pi = periodic[0] ? (i + n[0]) % n[0] : i, pj = periodic[1] ? (j + n[1]) % n[1] : j;
        const int64_t pk = periodic[2] ? (k + n[2]) % n[2] : k;
        if (is_node(n, pi, pj, pk))
          x[1 + i + (1 + j) * sy + (1 + k) * sz] = x[1 + pi + (1 + pj) * sy + (1 + pk) * sz];
      }
}
