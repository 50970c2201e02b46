/* The arguments of kernels as C and CUDA C see them; structs.go holds their twins in Go. Every member takes 8 bytes or is an array of such, so that
   all compilers lay them out alike. Members that only some backend needs are left zero by the others. */
#ifndef CONVECT_ARGS_H
#define CONVECT_ARGS_H

#include <stdint.h>

/* Pointers to fields point at node (0,0,0), pointers to axis arrays at node 0, halo before and after. */

typedef struct {
  int64_t n[3];   /* nodes along x, y, z */
  int64_t sy, sz; /* strides in elements; sy is 0 where y is absent */
} cv_box;

typedef struct {
  const int32_t *index; /* table entry of row j + k*n[1]; NULL: all nodes are free */
  const void *table;
  int64_t stride;
} cv_mask;

typedef struct {
  cv_box box;
  int64_t points; /* of the stencil: 7 or 27 */
  const void *h[3], *rh[3], *w[3];
  double k[3];
  const void *cells[3]; /* all NULL: the constants k */
  double mass_scale;
  const void *mass; /* NULL: the dual volume */
  cv_mask mask;
} cv_elliptic;

/* Apply (out, u), Residual, Smooth (u NULL: zero), RedBlack (out is u), MassUpdate (f is R). */
typedef struct {
  cv_elliptic a;
  void *out;
  const void *u, *f;
  double omega;
  int64_t colour;
  int64_t strip;  /* rows of y visited together */
  int64_t stream; /* streaming stores */
  int64_t single; /* Residual: out is float, of residuals times scale */
  double scale;
} cv_sweep_args;

/* LineSmooth: a sweep over columns of nodes, `tile` of them at a time. */
typedef struct {
  cv_sweep_args sweep;
  int64_t periodic; /* in z */
  int64_t tile;
  void *scratch; /* GPU: two values a node, three if periodic */
} cv_line_args;

/* HierarchicalSmooth: sweeps on tiles of rows, along y and z, with a margin of rows around each. */
enum { cv_block_sweeps = 32 };

typedef struct {
  cv_sweep_args sweep;
  double omega[cv_block_sweeps];
  int64_t sweeps, tile[2], margin, periodic[3];
  void *scratch; /* GPU: two copies of a block for every thread block */
} cv_smooth_args;

typedef struct {
  cv_elliptic a;
  void *u;
  const void *f;
  int64_t singular, periodic[3];
  double tolerance;
  void *scratch; /* GPU */
} cv_coarse_args;

typedef struct {
  cv_box fine, coarse;
  int64_t factor[3];
  void *fine_x, *coarse_x;
  cv_mask mask;
  int64_t periodic[3]; /* of ProlongCubic */
} cv_transfer_args;

/* Mobility, CoarsenCells, Coupling, on rows of cells; `cells` counts those that are computed, or read by Coupling. */
typedef struct {
  cv_box box, fine; /* of the cells that are counted, and of their children */
  int64_t cells[3], factor[3];
  int64_t axis, arithmetic;
  const void *h[3];
  const void *t, *k, *table;
  double constant, low, per_unit;
  int64_t entries;
  void *out;
  double *partial;
} cv_cells_args;

/* Descend (coarse_x is the coarse right side) and Ascend (coarse_x is the coarse correction, u is read). */
enum { cv_sweeps = 4 };

typedef struct {
  cv_elliptic a;
  void *out;
  const void *u, *f;
  double omega[cv_sweeps];
  int64_t sweeps, periodic[3];
  cv_box coarse;
  int64_t factor[3];
  void *coarse_x;
  cv_mask coarse_mask;
  int64_t strips, slabs; /* tiles in y and in z */
  int64_t stream;
} cv_cycle_args;

/* Fill, Copy and Combine, on blocks of cv_block elements. */
enum { cv_block = 1024 };

typedef struct {
  int64_t len;
  void *out;
  const void *x[4];
  double c[4];
  int64_t terms;
  int64_t stream;
  int64_t single[4], single_out; /* of cv_combine_mixed: which arrays are float, not double */
} cv_vector_args;

typedef struct {
  cv_box box;
  void *x;
  int64_t width[3]; /* layers to fill per axis */
} cv_halo_args;

typedef struct {
  cv_box box;
  void *x;
  int64_t side;
  const void *where, *value; /* of WallSum: the weight and nothing */
  double *partial;
} cv_wall_args;

/* The values of kernels.Reduction, and the sum of w_x w_y (X - X_0) for HorizontalMean. */
enum { cv_dot, cv_volume_sum, cv_volume_dot, cv_max_abs, cv_max_diff, cv_sum, cv_finite, cv_area_sum };

typedef struct {
  cv_box box;
  int64_t kind;
  const void *x, *y;
  const void *w[3];
  cv_mask mask;
  double *partial;
  double *slot; /* GPU: of the result; NULL: partial results are all */
  unsigned *counter;
  double value; /* of cv_max_abs */
} cv_reduce_args;

typedef struct {
  cv_box box;
  void *x;
  const void *w[3];
  double shift; /* subtracted from X, times the dual volume if integrated */
  int64_t integrated;
} cv_shift_args;

/* The values of kernels.Scheme. */
enum { cv_central, cv_tvd, cv_weno5 };

/* BuoyancySource, DarcyFlux, HeatFlux and Dissipation; f is the output of BuoyancySource. */
typedef struct {
  cv_elliptic a;
  const void *p, *t, *mean;
  double rayleigh;
  void *q[3];
  int64_t periodic[3];
  void *f;
  int64_t axis, scheme;
  double *partial;
  int64_t stream;
} cv_darcy_args;

typedef struct {
  cv_box box;
  const void *w[3];
  void *q[3];
  const void *share[6];
} cv_wallflux_args;

/* Advect, NodeVelocity (q[axis]), FlowStatistics (six arrays of partials, `rows` apart), Streamfunction. */
typedef struct {
  cv_box box;
  const void *w[3];
  const void *q[3];
  const void *t;
  const void *inflow[6];
  int64_t periodic[3];
  int64_t scheme, axis;
  void *out;
  double *partial;
  int64_t rows;
  int64_t strip;
  int64_t stream;
  int64_t centre[3]; /* of Streamfunction */
  double part[3];
} cv_flow_args;

/* Survey: Advect, and the diffusivity and the axis of its sums. */
typedef struct {
  cv_flow_args flow;
  const void *h[3], *rh[3];
  double k[3];
  int64_t axis;
} cv_survey_args;

/* Survey of a flow through no wall: the velocities are those of DarcyFlux with p, mean, rayleigh and these constant conductivities; those of
   survey.flow.q are not read. */
typedef struct {
  cv_survey_args survey;
  const void *p, *mean;
  double rayleigh, conductivity[3];
} cv_closed_args;

/* Predict, Settle and Finish: g is X of Settle, and t of Finish; t_older is never NULL on a GPU. */
typedef struct {
  cv_elliptic a;
  const void *t, *t_prev, *t_older, *n, *n_prev, *source, *u;
  void *g, *f, *r;
  float *single;   /* of Predict, NULL: none */
  const float *e;  /* U over scale, of Finish */
  double omega, bend, a0, a2, e1, e2;
  double scale;    /* of Single and E */
  double *partial; /* two arrays of Predict, one of Finish; NULL: no norms */
  int64_t fixed[6]; /* GPU: the sides that the mask fixes, where those are all that it does */
} cv_step_args;

/* A kernels.Panel; pointers to fields point at cell (0,0,0). order: 0 columns, 1 rows are contiguous. */
typedef struct {
  int64_t n[3], stride[3];
  int64_t run, row, order;
} cv_panel;

/* A kernels.ColumnOperator; pointers to arrays over columns point at column (0,0). */
typedef struct {
  cv_panel panel;
  const void *mass, *vertical, *horizontal;
  const void *area, *edge_x, *edge_y;
} cv_columns;

/* The kernels of kernels.Columns: out is Y, Z, Out, CoarseF, U of ColumnProlong or the values of a matrix, f the right side
   or the values of a matrix, stored the tridiagonal systems. */
typedef struct {
  cv_columns a;
  cv_panel coarse;
  int64_t factor[2];
  void *out, *p, *q, *r;
  const void *u, *z, *f;
  void *stored[3];
  int32_t *start, *column;
  double alpha, beta, omega;
  double *partial;
  int64_t length, width, strip, stream;
} cv_column_args;

/* LaplaceJacobi. On a GPU `tile` is the block of threads and the planes of a slab, in registers the vectors of a row and the
   groups of rows. */
typedef struct {
  cv_box box;
  void *out;
  const void *u;
  void *work;
  int64_t tile[3];
  int64_t stream;
} cv_laplace_args;

/* Poisson2D; layout as kernels.Layout, `blocks` along x. */
typedef struct {
  cv_box box;
  void *out;
  const void *u, *f;
  int64_t layout, tile, blocks;
} cv_poisson_args;

/* HierarchicalJacobi; `room` is the largest block that there is; scratch is of device backends. */
typedef struct {
  cv_box box;
  void *out;
  const void *u, *f;
  void *scratch;
  int64_t lines, tile[2], room[2], blocks[2], overlap, sweeps, stream;
} cv_hierarchical_args;

/* Of device backends. Packing: the nodes of a field to or from an array without halo, of float if single, else double. */
typedef struct {
  cv_box box;
  void *field, *packed;
  int64_t single;
} cv_pack_args;

/* Descend and Ascend on a grid of even widths and constant K: c = k/h^2 along the axes, mass = s, volume that of an inner node. fixed and
   coarse_fixed tell which sides are fixed. A block owns `rows` rows and `planes` planes, and nearly `columns` nodes along x. */
typedef struct {
  cv_box fine, coarse;
  void *out;
  const void *u, *f;
  void *coarse_x;
  double c[3], mass, volume, omega[2];
  int64_t fixed[6], coarse_fixed[6], periodic[3];
  int64_t columns, rows, planes;
} cv_even_args;

/* The same with trilinear elements: numbers of cycle_trilinear.cu in both types. */
enum { cv_trilinear_numbers = 18 };

typedef struct {
  cv_even_args even;
  float single_numbers[cv_trilinear_numbers];
  double numbers[cv_trilinear_numbers];
} cv_trilinear_args;

/* SolveCoarse on a grid of even widths and constant K, by fast diagonalization: c, mass and volume as in cv_even_args, table[d] as spectral.cu
   tells. scratch holds a value a node, in rows of x padded to a multiple of 4, and one more. f loses `mean` times its sum, if that is not zero. A block of
   spectral_forth and of spectral_along has `part` vectors along x, a multiple of 4, and one of spectral_back `rows` rows. In spectral_folded.cu the scratch, the
   tables and the blocks are as told there, and `first` is the first node of an axis that is not fixed. */
typedef struct {
  cv_box box;
  int64_t points;
  void *u, *f;
  double c[3], mass, volume;
  const void *table[3];
  int64_t periodic[3];
  double mean;
  void *scratch;
  int64_t part[2], rows;
  int64_t first[3];
} cv_spectral_args;

/* A number of the type that a kernel computes in. */
typedef union {
  double f64;
  float f32;
} cv_real;

/* Apply, Residual and Smooth on a grid of even widths: the weights of differences, what A u and f are multiplied by at each side and f everywhere,
   and the sides that are open, that is no walls: their halo is read. A plane has `groups` groups of rows, each of `vectors` threads. */
typedef struct {
  cv_box box;
  void *out;
  const void *u, *f, *cells; /* cells NULL: K is constant */
  cv_real x, y, z, mass;
  cv_real own_beside, far_x, far_beside, far_y;
  cv_real near[3], far[3]; /* of stencil_cells_even.cu */
  cv_real balance[6], source[6], source_scale;
  int64_t open[6];
  int64_t vectors, groups;
} cv_even_sweep_args;

/* Correct on such a grid: u of the sweep is the first guess, its out the residual. partial holds five sums a block. */
typedef struct {
  cv_even_sweep_args sweep;
  const float *e;
  void *corrected;
  double scale, volume; /* volume: of an inner node */
  double *partial;
} cv_correct_args;

/* A pass of cycle_cells_even.cu: the weights of fluxes along x and y to those along z, and of the latter in -A u; omega over the latter of two sweeps. A
   block has so many threads a row, and so many rows and planes of its own. */
typedef struct {
  cv_box fine, coarse;
  void *out;
  const void *u, *f, *cells[3]; /* the first alone, or all: one along each axis */
  void *coarse_x;
  cv_real x, y, z, first, second;
  int64_t fixed[6], coarse_fixed[6];
  int64_t lanes, rows, planes;
} cv_cells_pass_args;

/* The same survey as cv_closed_args with trilinear elements and even widths (closed_trilinear.cuh), along x and y: Q over 36 averaged differences of p,
   36 r h / k, and the weight of neighbours beside a difference of theta that has the weight 1; h_z Ra/2 times 1, a_x, a_y and b. lost: what the square of
   a difference of T along x, y, z, x and y, x and z, y and z, and all three loses over the dual widths of the other axes (h where there is a difference). */
typedef struct {
  cv_closed_args closed;
  cv_real across[2], turn[2], beside[2], lift[4], lost[7];
  void *q[3]; /* of DarcyFlux */
} cv_closed_trilinear_args;

/* Block b adds n partial results from n b on into the slot b after the first, or takes their maximum, or the root of it: where bit b
   of `maximum` or of `root` is set. */
typedef struct {
  double *partial, *slot;
  int64_t n, maximum, root;
} cv_gather_args;

/* RemoveMean and HorizontalMean: `parts` partial results of a box, or of each plane, the mean of the box, those of the planes. */
typedef struct {
  cv_box box;
  void *x;
  const void *w[3];
  int64_t integrated;
  double *partial;
  int64_t parts;
  double *mean;
  void *out;
} cv_mean_args;

#endif
