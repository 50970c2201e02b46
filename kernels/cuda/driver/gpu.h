/* What of the driver's interface gorgonia.org/cu lacks, or would make slower. A context belongs to threads of the system, which
   Go changes at will: each of these functions first makes it that of its thread, which costs little. They return the first
   failure. */
#ifndef CONVECT_GPU_H
#define CONVECT_GPU_H

#include <cuda.h>
#include <stdint.h>

enum { cv_marks = 64, cv_pinned = 8192, cv_lost_silent = -1 };

/* A GPU: the stream of all work, another of downloads, events to hold one back for the other and other GPUs back for both, and events of marks. */
typedef struct cv_gpu {
  CUcontext context;
  CUstream stream, side;
  CUevent ready, given;
  CUevent marks[cv_marks];
  void *pinned; /* host memory through which little is downloaded */
  void *others; /* the communicator with GPUs of other processes; NULL: none */
  int lost;     /* why there is none any more: NCCL's number of a failure, or cv_lost_silent; 0: there is one, or never was */
  CUresult (*wait)(struct cv_gpu *g); /* for the stream of all work, which may wait for others; NULL: as the driver does */
} cv_gpu;

/* The name and the meaning of a failure; NULL if the driver does not know it. */
const char *cv_error_name(CUresult r);
const char *cv_error_text(CUresult r);

/* Takes the context of the thread. */
CUresult cv_gpu_open(cv_gpu *g);
CUresult cv_gpu_close(cv_gpu *g);
CUresult cv_gpu_sync(cv_gpu *g);
CUresult cv_gpu_memory(cv_gpu *g, size_t *available);

CUresult cv_gpu_alloc(cv_gpu *g, CUdeviceptr *p, size_t bytes); /* zeroed */
CUresult cv_gpu_free(cv_gpu *g, CUdeviceptr p);
CUresult cv_gpu_alloc_host(cv_gpu *g, void **p, size_t bytes);
CUresult cv_gpu_free_host(cv_gpu *g, void *p);

/* Addresses of the host are numbers, since cgo would refuse those within structs that hold pointers. */
CUresult cv_gpu_upload(cv_gpu *g, CUdeviceptr dst, uintptr_t src, size_t bytes);
CUresult cv_gpu_download(cv_gpu *g, uintptr_t dst, CUdeviceptr src, size_t bytes);
CUresult cv_gpu_copy(cv_gpu *g, CUdeviceptr dst, CUdeviceptr src, size_t bytes);
CUresult cv_gpu_set(cv_gpu *g, CUdeviceptr dst, int value, size_t bytes);

/* shape: the grid, the block and the bytes of dynamic shared memory. More than 48 KiB must be allowed first. waits: the kernel itself waits for what was
   queued before it, so that its blocks may come while that runs. */
CUresult cv_gpu_launch(cv_gpu *g, CUfunction kernel, const unsigned shape[7], int waits, uintptr_t args);
CUresult cv_gpu_waits(cv_gpu *g, CUfunction kernel, int *waits);
CUresult cv_gpu_allow_shared(cv_gpu *g, CUfunction kernel, int bytes);

CUresult cv_gpu_begin_capture(cv_gpu *g);
CUresult cv_gpu_end_capture(cv_gpu *g, CUgraphExec *graph);
CUresult cv_gpu_launch_graph(cv_gpu *g, CUgraphExec graph);
CUresult cv_gpu_free_graph(cv_gpu *g, CUgraphExec graph);

/* A download on the other stream; `done` is an event that cv_gpu_wait waits for and destroys. */
CUresult cv_gpu_download_beside(cv_gpu *g, uintptr_t dst, CUdeviceptr src, size_t bytes, CUevent *done);
/* Waits for the number at p, or one after it, which a kernel writes there. */
CUresult cv_gpu_heard(cv_gpu *g, const uint32_t *p, uint32_t number);
CUresult cv_gpu_hold(cv_gpu *g, CUevent done);
CUresult cv_gpu_wait(cv_gpu *g, CUevent done);

/* Whether kernels of g may read memory of the other GPU; makes it so. */
CUresult cv_gpu_reach(cv_gpu *g, cv_gpu *other, int *can);
/* Notes what g's stream holds; holds g's stream back until that is done which the other's held when it was noted. */
CUresult cv_gpu_give(cv_gpu *g);
CUresult cv_gpu_take(cv_gpu *g, cv_gpu *other);

CUresult cv_gpu_mark(cv_gpu *g, int n);
CUresult cv_gpu_elapsed(cv_gpu *g, int from, int to, float *milliseconds);

#endif
