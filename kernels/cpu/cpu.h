/* What Go and the C kernels of this package share: arguments, the kernel numbers, the worker pool. */
#ifndef CONVECT_CPU_H
#define CONVECT_CPU_H

#include "../call/args.h"

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
  cv_laplace_jacobi, cv_poisson2d, cv_hierarchical_jacobi, cv_hierarchical_cube,
  cv_kernels
};

/* A kernel does the rows begin..end-1. Its thread owns the scratch memory. */
typedef void (*cv_kernel)(const void *args, int64_t begin, int64_t end, char *scratch);

/* The kernels of an instruction set (0 baseline, 1 avx2, 2 avx512) and type (0 float, 1 double);
   NULL if not compiled for this machine's architecture. */
const cv_kernel *cv_table(int instructions, int type);
int cv_supported(int instructions);

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
