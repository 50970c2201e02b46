/* The arithmetic of single points, on a type REAL. The including file defines REAL, and POINT_FN where functions need
   a qualifier. Every backend includes this file with contraction to fused operations off. */
#ifndef POINT_FN
#define POINT_FN static inline
#endif

/* What the operator needs on a row of constant conductivity: K wy wz, K wz / h, K wy / h and s wy wz. */
typedef struct {
  REAL x, y_low, y_high, z_low, z_high, mass;
} row_coefficients;

/* (A u)_n of doc.go for constant K: rl, rr are 1/hx of the cells left and right, w is wx, m the nodal mass as a
   multiple of c.mass. */
POINT_FN REAL point_balance(row_coefficients c, REAL u, REAL left, REAL right, REAL front, REAL back, REAL below,
                            REAL above, REAL rl, REAL rr, REAL w, REAL m) {
  REAL x = c.x * (rl * (u - left) + rr * (u - right));
  REAL y = c.y_low * (u - front) + c.y_high * (u - back);
  REAL z = c.z_low * (u - below) + c.z_high * (u - above);
  return (x + w * (y + z)) + c.mass * m * u;
}

/* The diagonal of the same. */
POINT_FN REAL point_diagonal(row_coefficients c, REAL rl, REAL rr, REAL w, REAL m) {
  return (c.x * (rl + rr) + w * ((c.y_low + c.y_high) + (c.z_low + c.z_high))) + c.mass * m;
}

/* Omega / D; zero where D is zero, so that the node is left alone. */
POINT_FN REAL point_weight(REAL omega, REAL d) { return d != 0 ? omega / d : 0; }

/* The average over the four cells around an edge, c their parts. */
POINT_FN REAL point_average(REAL c00, REAL k00, REAL c10, REAL k10, REAL c01, REAL k01, REAL c11, REAL k11) {
  return (c00 * k00 + c10 * k10) + (c01 * k01 + c11 * k11);
}

/* The two faces of an axis next to node p of n, and the factors by which differences over them make a slope at the node: it is linear between the middles of
   the faces' cells, h wide, or beyond them. A periodic axis has as many faces as nodes. */
typedef struct {
  int64_t low, high;
  REAL a, b;
} node_slope;

POINT_FN node_slope point_node_slope(const REAL *h, const REAL *rh, int64_t p, int64_t n, int periodic) {
  const int64_t cells = periodic ? n : n - 1, below = p > 0 ? p - 1 : periodic ? n - 1 : 0;
  node_slope s;
  s.low = periodic || below < cells - 1 ? below : cells - 2;
  if (s.low < 0)
    s.low = 0;
  s.high = periodic ? (s.low + 1) % n : s.low + 1 < cells ? s.low + 1 : s.low;
  const REAL low = h[s.low], high = h[s.high];
  REAL part = low / (low + high); /* of the upper face */
  if (cells == 1)
    part = 0;
  else if (!periodic && p == 0)
    part = -part;
  else if (!periodic && p == n - 1)
    part = 1 + high / (low + high);
  s.a = (1 - part) * rh[s.low];
  s.b = part * rh[s.high];
  return s;
}

/* Linear interpolation in a table of n entries whose first belongs to `low`; its ends hold beyond it, the first for NaN.
   */
POINT_FN REAL point_table(const REAL *table, int64_t n, REAL value, REAL low, REAL per_unit) {
  REAL s = (value - low) * per_unit;
  s = s > 0 ? s : 0;
  s = s < n - 1 ? s : n - 1;
  const int entry = s < n - 2 ? (int)s : (int)(n - 2);
  const REAL part = s - entry;
  return (1 - part) * table[entry] + part * table[entry + 1];
}

/* Linear interpolation in a table of columns by rows, along both; its ends hold beyond it, the first for NaN. */
POINT_FN REAL point_table_of_two(const REAL *table, int64_t columns, int64_t rows, REAL x, REAL y, REAL low_x, REAL low_y, REAL per_x, REAL per_y) {
  REAL s = (x - low_x) * per_x, t = (y - low_y) * per_y;
  s = s > 0 ? s : 0;
  t = t > 0 ? t : 0;
  s = s < columns - 1 ? s : columns - 1;
  t = t < rows - 1 ? t : rows - 1;
  const int column = s < columns - 2 ? (int)s : (int)(columns - 2), row = t < rows - 2 ? (int)t : (int)(rows - 2);
  const REAL part = s - column, rest = t - row;
  const REAL *below = table + column + columns * row, *above = below + columns;
  return (1 - rest) * ((1 - part) * below[0] + part * below[1]) + rest * ((1 - part) * above[0] + part * above[1]);
}

/* Hydrostatic part of the temperature's mean on a face. */
POINT_FN REAL point_theta(REAL below, REAL mean_below, REAL above, REAL mean_above) {
  return (REAL)0.5 * ((below - mean_below) + (above - mean_above));
}

/* Temperature on a face between the second and third of four nodes in a row, with velocity q along them: van Leer's
   limiter, T_C + psi(r)/2 (T_D - T_C) = T_C + a d / (a + d), a = T_C - T_U, d = T_D - T_C, where a d > 0.
   no_a, no_d: the first or fourth node lies beyond a wall; then psi = 1. */
POINT_FN REAL point_limited(REAL q, REAL ta, REAL tb, REAL tc, REAL td, int no_a, int no_d) {
  REAL d = tc - tb;
  REAL a = q > 0 ? (no_a ? d : tb - ta) : (no_d ? d : td - tc);
  REAL product = a * d, sum = a + d;
  REAL half = product > 0 ? product / sum : 0;
  return q > 0 ? tb + half : tc - half;
}

/* The same with central differences. */
POINT_FN REAL point_central(REAL tb, REAL tc) { return (REAL)0.5 * (tb + tc); }

/* Square of a share of smoothness, kept above zero so that smooth polynomials of a jump's neighbours stay comparable. */
POINT_FN REAL point_roughness(REAL r) {
  r += (REAL)1e-6;
  return r * r;
}

/* T_f - T_C of WENO5 from the four differences along the flow around the upwind node C: a = T_U - T_UU, b = T_C - T_U,
   c = T_D - T_C, d = T_DD - T_D. Weights gamma_k (1 + (tau / r_k)^2) (WENO-Z), all times the squares of r so that one
   division serves. */
POINT_FN REAL point_reconstruct(REAL a, REAL b, REAL c, REAL d) {
  const REAL bend = (REAL)(13.0 / 12), slope = (REAL)0.25, tiny = (REAL)1e-30;
  const REAL s0 = bend * ((b - a) * (b - a)) + slope * ((3 * b - a) * (3 * b - a));
  const REAL s1 = bend * ((c - b) * (c - b)) + slope * ((b + c) * (b + c));
  const REAL s2 = bend * ((d - c) * (d - c)) + slope * ((3 * c - d) * (3 * c - d));
  const REAL all = s0 + s1 + s2, per = 1 / (all > tiny ? all : tiny);
  const REAL r0 = point_roughness(s0 * per), r1 = point_roughness(s1 * per), r2 = point_roughness(s2 * per);
  const REAL tau = (s0 - s2) * per, tau2 = tau * tau;
  const REAL w0 = (r0 + tau2) * (r1 * r2), w1 = 6 * ((r1 + tau2) * (r0 * r2)), w2 = 3 * ((r2 + tau2) * (r0 * r1));
  return (w0 * (5 * b - 2 * a) + w1 * (b + 2 * c) + w2 * (4 * c - d)) / (6 * (w0 + w1 + w2));
}

/* Temperature on the face between tb and tc of six nodes in a row, with velocity q along them. */
POINT_FN REAL point_weno5(REAL q, REAL tz, REAL ta, REAL tb, REAL tc, REAL td, REAL te) {
  const REAL ab = tb - ta, bc = tc - tb, cd = td - tc;
  const int up = q > 0;
  const REAL step = point_reconstruct(up ? ta - tz : te - td, up ? ab : cd, bc, up ? cd : ab);
  return up ? tb + step : tc - step;
}

/* The tensor of dispersion E = alpha_T |u| I + (alpha_L - alpha_T) u u / |u|. */
typedef struct {
  REAL xx, yy, zz, xy, xz, yz;
} point_tensor;

/* The |u|^2 of what counts as rest. */
#define point_rest ((REAL)1e-30)

/* 1/|u| from |u|^2; where that is next to nothing a number that makes E as small. */
POINT_FN REAL point_slowness(REAL square) {
  const REAL s = square > point_rest ? square : point_rest;
  return 1 / (sizeof(REAL) == 4 ? (REAL)sqrtf((float)s) : (REAL)sqrt((double)s));
}

/* E of the velocity (x, y, z) and its slowness, with excess = alpha_L - alpha_T. */
POINT_FN point_tensor point_dispersion(REAL x, REAL y, REAL z, REAL slowness, REAL transverse, REAL excess) {
  const REAL square = x * x + (y * y + z * z), across = transverse * (square * slowness), along = excess * slowness;
  const REAL ax = along * x, ay = along * y, az = along * z;
  point_tensor e = {across + ax * x, across + ay * y, across + az * z, ax * y, ax * z, ay * z};
  return e;
}

/* Van Leer's mean of two slopes, 0 where they have not the same sign; and that of the means of two pairs. */
POINT_FN REAL point_slope(REAL a, REAL b) {
  const REAL product = a * b, sum = a + b;
  return product > 0 ? 2 * product / sum : 0;
}

POINT_FN REAL point_slope_of(REAL a, REAL b, REAL c, REAL d) { return point_slope(point_slope(a, b), point_slope(c, d)); }
