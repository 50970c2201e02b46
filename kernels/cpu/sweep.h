/* What rows of the elliptic operator of kernels/doc.go have in common, with 7 points (sevenpoint.h) and 27 (trilinear.h). The rows
   around a row are named one by one, because they may lie in an array or in the ring buffers of a fused cycle. */
#include "conductivity.h"

enum { op_apply, op_residual, op_smooth, op_red_black };

/* The rows j-1, j, j+1 (second index) of the planes k-1, k, k+1 (first) around row (j,k). */
typedef struct {
  const REAL *r[3][3];
} node_rows;

INLINE node_rows rows_around(const REAL *u, int64_t sy, int64_t sz) {
  return (node_rows){{{u - sz - sy, u - sz, u - sz + sy}, {u - sy, u, u + sy}, {u + sz - sy, u + sz, u + sz + sy}}};
}

/* The coefficients of a row of trilinear elements of constant K: weights of the differences to the middle row in S and T
   (trilinear.h), and where x is uniform in what a node gets by itself and from its neighbours in x. */
typedef struct {
  REAL along[3][3], across[3][3];
  REAL whole; /* kx wy wz */
  REAL own[3][3], beside[3][3];
} trilinear_weights;

enum { weights_kept = 4, row_classes = 2, not_kept = -1 };

/* What rows of constant K are computed from but for what is read. Rows of one class share it: widths, and so everything, are
   mostly the same from row to row, and to work it out again takes as long as 60 nodes. */
typedef struct {
  const REAL *x;              /* dual widths in x, NULL: nothing is known, */
  REAL widths[6];             /* and 1/h and dual widths in y and z that gave it */
  row_coefficients c, inner;  /* 7 points: in general; where x is uniform: with wx and 1/hx */
  trilinear_weights t;        /* 27 points */
  REAL diagonal_x, diagonal_w, mass; /* D = diagonal_x (1/hl + 1/hr) + diagonal_w w + mass m */
  int even;                   /* the neighbours on both sides in y, and in z, have the same weights */
  REAL *weight[weights_kept]; /* omega/D: one for each parity of red-black, or each sweep of a cycle, */
  int64_t kept[weights_kept]; /* with the mask of this entry */
} row_class;

/* What one thread keeps between rows. */
typedef struct {
  REAL *balance, *diagonal;        /* A u and D of a row of variable K */
  REAL *edge;                      /* 7 points: conductances in x */
  REAL *nothing;                   /* zeros */
  REAL *s, *t, *z[3], *h6;         /* 27 points, constant K; h6 = h/6 */
  REAL *cells;                     /* 27 points, variable K: sums at cells */
  row_class classes[row_classes];  /* of inner rows and of rows at walls */
  REAL *out;                       /* a row on its way to memory */
  int uniform;                     /* all cells of a row, those at its ends or none beyond them, have one width */
  const REAL *fixed;               /* a row of the mask, and whether it fixes nothing but the ends */
  int ends_only;
  char *end; /* of the scratch memory used */
} sweep_rows;

static sweep_rows sweep_scratch(char *scratch, const cv_elliptic *a) {
  const int64_t n = a->box.n[0];
  const REAL *rh = AXIS(a->rh[0]);
  sweep_rows s = {.uniform = n > 2 && (rh[-1] == 0 || rh[-1] == rh[0]) && (rh[n - 1] == 0 || rh[n - 1] == rh[0])};
  for (int64_t i = 1; i < n - 1; i++)
    s.uniform &= rh[i] == rh[0];
  REAL **rows[] = {&s.balance, &s.diagonal, &s.edge, &s.nothing, &s.out};
  for (size_t r = 0; r < sizeof rows / sizeof *rows; r++)
    *rows[r] = real_row(&scratch, n);
  memset(s.nothing, 0, n * sizeof(REAL));
  for (int c = 0; c < row_classes; c++)
    for (int w = 0; w < weights_kept; w++)
      s.classes[c].weight[w] = real_row(&scratch, n);
  if (a->points == 27) {
    REAL **more[] = {&s.s, &s.t, &s.z[0], &s.z[1], &s.z[2], &s.h6, &s.cells};
    for (size_t r = 0; r < sizeof more / sizeof *more; r++)
      *more[r] = real_row(&scratch, n);
    for (int64_t i = -1; i < n; i++)
      s.h6[i] = AXIS(a->h[0])[i] / 6;
  }
  s.end = scratch;
  return s;
}

/* The nodal mass of a row is factor * m[i]. */
typedef struct {
  REAL factor;
  const REAL *m;
} mass_row;

static mass_row row_mass(const cv_elliptic *a, int64_t j, int64_t k) {
  if (a->mass && a->mass_scale != 0)
    return (mass_row){a->mass_scale, (const REAL *)a->mass + j * a->box.sy + k * a->box.sz};
  return (mass_row){a->mass_scale * AXIS(a->w[1])[j] * AXIS(a->w[2])[k], a->w[0]};
}

/* How many rows from (j,k) on, at most `most`, differ in nothing but what they read. */
static int64_t rows_alike(const cv_elliptic *a, int64_t j, int64_t k, int64_t most) {
  const REAL *ry = AXIS(a->rh[1]), *wy = AXIS(a->w[1]);
  const int64_t row = j + k * a->box.n[1], entry = mask_entry(&a->mask, row);
  int64_t n = 1;
  if (a->cells[0] || (a->mass && a->mass_scale != 0))
    return n;
  while (n < most && ry[j + n - 1] == ry[j - 1] && ry[j + n] == ry[j] && wy[j + n] == wy[j] &&
         mask_entry(&a->mask, row + n) == entry)
    n++;
  return n;
}

/* Tells whether the mask fixes no node but the first and the last of a row, which constant_rows does by themselves. */
static int fixes_ends_only(const cv_elliptic *a, sweep_rows *s, int64_t entry) {
  if (entry == all_free)
    return 1;
  const REAL *m = mask_row(&a->mask, entry);
  if (m == s->fixed)
    return s->ends_only;
  s->fixed = m;
  s->ends_only = 1;
  for (int64_t i = 1; i < a->box.n[0] - 1; i++)
    s->ends_only &= m[i] != 0;
  return s->ends_only;
}

/* What becomes of nodes, given A u (b), u, f and the weights of the row; of vectors or of single nodes. */
#define FINISH(op, b, u, f, weight)                                                                                   \
  ((op) == op_apply ? (b) : (op) == op_residual ? (f) - (b) : (u) + (weight) * ((f) - (b)))

/* Rows of constant K that are alike: what they are computed from, the first of them, and how far apart they are. */
typedef struct {
  const row_class *constants;
  mass_row mass;
  const REAL *rh, *w;
  node_rows rows;
  const REAL *f, *weight, *keep; /* not all are read for every op; keep: the mask, NULL: all nodes are free */
  REAL *t;
  int64_t count, rows_apart, f_apart, t_apart; /* rows, and elements from one to the next */
  int64_t ahead, f_ahead; /* elements by which reading runs ahead in the row above and in f */
  const REAL *ask;        /* the first of as many rows, ask_apart elements apart, that memory is asked for beside, or NULL */
  int64_t ask_apart;
  REAL *copy; /* of a residual: the first of as many rows, f_apart elements apart, that u is written to besides, or NULL */
  int copy_stream;
} constant_operands;

/* How much of a row of constant K is the same at all nodes but the first and the last. */
enum { graded, uniform_x, uniform };

/* A row of variable K, from its A u. */
INLINE void finish_row(int op, int64_t n, REAL *t, const REAL *b, const REAL *u, const REAL *f, const REAL *weight) {
  VECTORISE
  for (int64_t i = 0; i < n; i++)
    t[i] = FINISH(op, b[i], u[i], f[i], weight[i]);
}

/* A row of fixed nodes. */
INLINE void fixed_row(int op, int64_t n, REAL *out, const REAL *u) {
  if (op == op_smooth && u)
    memcpy(out, u, n * sizeof(REAL));
  else if (op != op_red_black)
    memset(out, 0, n * sizeof(REAL));
}
