/* What Go and the C kernels of this package share: arguments, the kernel numbers, the worker pool. */
#ifndef CONVECT_CPU_H
#define CONVECT_CPU_H

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
} cv_line_args;

/* HierarchicalSmooth: sweeps on tiles of rows, along y and z, with a margin of rows around each. */
enum { cv_block_sweeps = 32 };

typedef struct {
  cv_sweep_args sweep;
  double omega[cv_block_sweeps];
  int64_t sweeps, tile[2], margin, periodic[3];
} cv_smooth_args;

typedef struct {
  cv_elliptic a;
  void *u;
  const void *f;
  int64_t singular, periodic[3];
  double tolerance;
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
/* LaplaceJacobi. */
typedef struct {
  cv_box box;
  void *out;
  const void *u;
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

/* HierarchicalJacobi; `room` is the largest block that there is. */
typedef struct {
  cv_box box;
  void *out;
  const void *u, *f;
  int64_t lines, tile[2], room[2], blocks[2], overlap, sweeps, stream;
} cv_hierarchical_args;

enum {
  cv_fill, cv_copy, cv_convert, cv_combine, cv_combine_mixed, cv_halo_plane, cv_halo_z, cv_set_wall, cv_reduce, cv_shift,
  cv_apply, cv_residual, cv_smooth, cv_red_black, cv_mass_update, cv_solve_coarse, cv_line_smooth,
  cv_hierarchical_smooth,
  cv_restrict, cv_prolong, cv_prolong_cubic, cv_inject,
  cv_mobility, cv_coarsen_cells, cv_coupling,
  cv_descend, cv_ascend,
  cv_buoyancy_source, cv_darcy_flux, cv_heat_flux, cv_dissipation,
  cv_trilinear_source, cv_trilinear_darcy_flux, cv_trilinear_heat_flux, cv_trilinear_dissipation,
  cv_wall_flux, cv_wall_sum,
  cv_advect, cv_node_velocity, cv_flow_statistics, cv_streamfunction,
  cv_column_apply, cv_column_solve, cv_column_search, cv_column_descend, cv_column_dot, cv_column_smooth, cv_column_correct,
  cv_column_restrict, cv_column_prolong, cv_column_matrix, cv_matrix_apply, cv_matrix_solve,
  cv_laplace_jacobi, cv_poisson2d, cv_hierarchical_jacobi,
  cv_kernels
};

/* A kernel does the rows begin..end-1. Its thread owns the scratch memory. */
typedef void (*cv_kernel)(const void *args, int64_t begin, int64_t end, char *scratch);

/* The kernels of an instruction set (0 baseline, 1 avx2, 2 avx512) and type (0 float, 1 double);
   NULL if not compiled for this machine's architecture. */
const cv_kernel *cv_table(int instructions, int type);
int cv_supported(int instructions);

/* All arguments live here, in C memory, so that a call allocates nothing. */
typedef struct {
  cv_sweep_args sweep;
  cv_line_args line;
  cv_smooth_args smooth;
  cv_coarse_args coarse;
  cv_transfer_args transfer;
  cv_cells_args cells;
  cv_cycle_args cycle;
  cv_vector_args vector;
  cv_halo_args halo;
  cv_wall_args wall;
  cv_reduce_args reduce;
  cv_shift_args shift;
  cv_darcy_args darcy;
  cv_wallflux_args wallflux;
  cv_flow_args flow;
  cv_column_args column;
  cv_laplace_args laplace;
  cv_poisson_args poisson;
  cv_hierarchical_args hierarchical;
  double slots[64];
} cv_state;

typedef struct cv_pool cv_pool;

cv_pool *cv_pool_new(int threads);
void cv_pool_free(cv_pool *p);
/* Gives every thread at least `bytes` of scratch memory; returns 0 if there is not so much. */
int cv_pool_reserve(cv_pool *p, int64_t bytes);
/* Runs a kernel on rows 0..rows-1 in `parts` parts and waits. */
void cv_pool_run(cv_pool *p, cv_kernel kernel, const void *args, int64_t rows, int parts);
/* The same by its number in a table. */
void cv_run(cv_pool *p, const cv_kernel *table, int kernel, const void *args, int64_t rows, int parts);

/* Pairwise sum, or maximum (NaN wins), of n numbers, which are overwritten. */
double cv_tree_sum(double *p, int64_t n);
double cv_tree_max(double *p, int64_t n);

/* Memory, aligned to 64 bytes, zeroed by all threads; `number` counts the allocations of a device. */
void *cv_alloc(cv_pool *p, int64_t bytes, int64_t number);
void cv_release(void *p, int64_t bytes);
/* Size of a cache, at most what is usual: virtual machines tell the sum over all of the host's. */
int64_t cv_cache_bytes(int level);
int64_t cv_memory(int available);
/* Seconds taken to copy `bytes` bytes with all threads and streaming stores. */
double cv_time_copy(cv_pool *p, void *dst, const void *src, int64_t bytes, int threads);

#endif
