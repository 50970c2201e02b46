/* What Go and the C kernels of this package share: arguments, the kernel numbers, the worker pool. */
#ifndef CONVECT_CPU_H
#define CONVECT_CPU_H

#include "../call/args.h"

#include "numbers.gen.h"

/* A kernel does the rows begin..end-1. Its thread owns the scratch memory. */
typedef void (*cv_kernel)(const void *args, int64_t begin, int64_t end, char *scratch);

/* The kernels of an instruction set (0 baseline, 1 avx2, 2 avx512) and type (0 float, 1 double);
   NULL if not compiled for this machine's architecture. */
const cv_kernel *cv_table(int instructions, int type);
int cv_supported(int instructions);

/* How sweeps compute the rows of an operator (row_form), by name in plan.go. */
enum { cv_form_zero, cv_form_three_cells, cv_form_cells, cv_form_faces, cv_form_graded, cv_form_even_x, cv_form_even, cv_forms };

/* Rows that a part of Transform takes together, at least, the most lines that it multiplies together, and the columns of a tile of Modes. */
enum { transform_group = 8, transform_most = 64, modes_tile = 64 };

/* What row_form is asked, and where it answers. */
typedef struct {
  const cv_elliptic *a;
  int64_t zero;     /* a sweep from zero */
  int64_t weighted; /* weights differ from node to node, as with one colour at a time */
  int64_t form;     /* the answer */
} cv_form_args;

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
/* Adds up layers of so many rows each, pairwise and row by row; the sums are the first layer. */
void cv_fold(double *p, int64_t rows, int64_t layers);
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
