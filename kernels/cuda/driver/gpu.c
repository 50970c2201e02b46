//go:build cuda

#include "gpu.h"

#include <sched.h>
#include <string.h>

/* Fails where a call does. */
#define TRY(call)                        \
  do {                                   \
    const CUresult result = (call);      \
    if (result != CUDA_SUCCESS) return result; \
  } while (0)

#define ENTER(g) TRY(cuCtxSetCurrent((g)->context))

/* Waits for all that was queued on the stream of all work. */
static CUresult finish(cv_gpu *g) { return g->wait ? g->wait(g) : cuStreamSynchronize(g->stream); }

const char *cv_error_name(CUresult r) {
  const char *name = NULL;
  return cuGetErrorName(r, &name) == CUDA_SUCCESS ? name : NULL;
}

const char *cv_error_text(CUresult r) {
  const char *text = NULL;
  return cuGetErrorString(r, &text) == CUDA_SUCCESS ? text : NULL;
}

CUresult cv_gpu_open(cv_gpu *g) {
  memset(g, 0, sizeof *g);
  TRY(cuCtxGetCurrent(&g->context));
  TRY(cuStreamCreate(&g->stream, CU_STREAM_NON_BLOCKING));
  TRY(cuStreamCreate(&g->side, CU_STREAM_NON_BLOCKING));
  TRY(cuEventCreate(&g->ready, CU_EVENT_DISABLE_TIMING));
  TRY(cuEventCreate(&g->given, CU_EVENT_DISABLE_TIMING));
  return cuMemHostAlloc(&g->pinned, cv_pinned, CU_MEMHOSTALLOC_PORTABLE);
}

CUresult cv_gpu_close(cv_gpu *g) {
  ENTER(g);
  const CUresult failed = finish(g);
  for (int n = 0; n < cv_marks; n++)
    if (g->marks[n]) cuEventDestroy(g->marks[n]);
  if (g->pinned) cuMemFreeHost(g->pinned);
  if (g->ready) cuEventDestroy(g->ready);
  if (g->given) cuEventDestroy(g->given);
  if (g->side) cuStreamDestroy(g->side);
  if (g->stream) cuStreamDestroy(g->stream);
  return failed;
}

CUresult cv_gpu_sync(cv_gpu *g) {
  ENTER(g);
  return finish(g);
}

CUresult cv_gpu_memory(cv_gpu *g, size_t *available) {
  size_t total;
  ENTER(g);
  return cuMemGetInfo(available, &total);
}

CUresult cv_gpu_alloc(cv_gpu *g, CUdeviceptr *p, size_t bytes) {
  ENTER(g);
  TRY(cuMemAlloc(p, bytes));
  return cuMemsetD8Async(*p, 0, bytes, g->stream);
}

/* What was queued may still use the memory. */
CUresult cv_gpu_free(cv_gpu *g, CUdeviceptr p) {
  ENTER(g);
  cuStreamSynchronize(g->side);
  finish(g);
  return cuMemFree(p);
}

CUresult cv_gpu_alloc_host(cv_gpu *g, void **p, size_t bytes) {
  ENTER(g);
  return cuMemHostAlloc(p, bytes, CU_MEMHOSTALLOC_PORTABLE);
}

CUresult cv_gpu_free_host(cv_gpu *g, void *p) {
  ENTER(g);
  return cuMemFreeHost(p);
}

/* From memory that is not pinned this returns when all has been taken. */
CUresult cv_gpu_upload(cv_gpu *g, CUdeviceptr dst, uintptr_t src, size_t bytes) {
  ENTER(g);
  return cuMemcpyHtoDAsync(dst, (const void *)src, bytes, g->stream);
}

CUresult cv_gpu_download(cv_gpu *g, uintptr_t dst, CUdeviceptr src, size_t bytes) {
  const int little = bytes <= cv_pinned;
  ENTER(g);
  TRY(cuMemcpyDtoHAsync(little ? g->pinned : (void *)dst, src, bytes, g->stream));
  TRY(finish(g));
  if (little) memcpy((void *)dst, g->pinned, bytes);
  return CUDA_SUCCESS;
}

/* Looks of some tens of ns each between two questions whether the GPU has failed, or done all. */
enum { cv_looks = 2000 };

static int heard(const uint32_t *p, uint32_t number, int looks) {
  for (int n = 0; n < looks; n++) {
    if ((int32_t)(__atomic_load_n(p, __ATOMIC_ACQUIRE) - number) >= 0) return 1;
#if defined(__x86_64__)
    __builtin_ia32_pause();
#endif
  }
  return 0;
}

CUresult cv_gpu_heard(cv_gpu *g, const uint32_t *p, uint32_t number) {
  ENTER(g);
  for (;;) {
    if (heard(p, number, cv_looks)) return CUDA_SUCCESS;
    const CUresult state = g->wait ? g->wait(g) : cuStreamQuery(g->stream);
    if (state == CUDA_SUCCESS) return heard(p, number, 1) ? CUDA_SUCCESS : CUDA_ERROR_UNKNOWN;
    if (state != CUDA_ERROR_NOT_READY) return state;
    sched_yield();
  }
}

CUresult cv_gpu_copy(cv_gpu *g, CUdeviceptr dst, CUdeviceptr src, size_t bytes) {
  ENTER(g);
  return cuMemcpyDtoDAsync(dst, src, bytes, g->stream);
}

CUresult cv_gpu_set(cv_gpu *g, CUdeviceptr dst, int value, size_t bytes) {
  ENTER(g);
  return cuMemsetD8Async(dst, (unsigned char)value, bytes, g->stream);
}

CUresult cv_gpu_launch(cv_gpu *g, CUfunction kernel, const unsigned s[7], int waits, uintptr_t args) {
  void *parameters[1] = {(void *)args};
  ENTER(g);
  if (!waits) return cuLaunchKernel(kernel, s[0], s[1], s[2], s[3], s[4], s[5], s[6], g->stream, parameters, NULL);
  CUlaunchAttribute early = {.id = CU_LAUNCH_ATTRIBUTE_PROGRAMMATIC_STREAM_SERIALIZATION, .value.programmaticStreamSerializationAllowed = 1};
  const CUlaunchConfig config = {s[0], s[1], s[2], s[3], s[4], s[5], s[6], g->stream, &early, 1};
  return cuLaunchKernelEx(&config, kernel, parameters, NULL);
}

/* From compute capability 9.0 on kernels wait for what was queued before them (launch_in_turn in launch.h), if they were compiled for it. */
CUresult cv_gpu_waits(cv_gpu *g, CUfunction kernel, int *waits) {
  int ptx = 0;
  ENTER(g);
  const CUresult result = cuFuncGetAttribute(&ptx, CU_FUNC_ATTRIBUTE_PTX_VERSION, kernel);
  *waits = ptx >= 90;
  return result;
}

CUresult cv_gpu_allow_shared(cv_gpu *g, CUfunction kernel, int bytes) {
  ENTER(g);
  return cuFuncSetAttribute(kernel, CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES, bytes);
}

/* Relaxed, since another thread may go on with it. */
CUresult cv_gpu_begin_capture(cv_gpu *g) {
  ENTER(g);
  return cuStreamBeginCapture(g->stream, CU_STREAM_CAPTURE_MODE_RELAXED);
}

CUresult cv_gpu_end_capture(cv_gpu *g, CUgraphExec *graph) {
  CUgraph record;
  ENTER(g);
  TRY(cuStreamEndCapture(g->stream, &record));
  const CUresult result = cuGraphInstantiateWithFlags(graph, record, 0);
  cuGraphDestroy(record);
  return result;
}

CUresult cv_gpu_launch_graph(cv_gpu *g, CUgraphExec graph) {
  ENTER(g);
  return cuGraphLaunch(graph, g->stream);
}

CUresult cv_gpu_free_graph(cv_gpu *g, CUgraphExec graph) {
  ENTER(g);
  return cuGraphExecDestroy(graph);
}

CUresult cv_gpu_download_beside(cv_gpu *g, uintptr_t dst, CUdeviceptr src, size_t bytes, CUevent *done) {
  ENTER(g);
  TRY(cuEventCreate(done, CU_EVENT_DISABLE_TIMING));
  TRY(cuEventRecord(g->ready, g->stream));
  TRY(cuStreamWaitEvent(g->side, g->ready, 0));
  TRY(cuMemcpyDtoHAsync((void *)dst, src, bytes, g->side));
  return cuEventRecord(*done, g->side);
}

CUresult cv_gpu_hold(cv_gpu *g, CUevent done) {
  ENTER(g);
  return cuStreamWaitEvent(g->stream, done, 0);
}

CUresult cv_gpu_wait(cv_gpu *g, CUevent done) {
  ENTER(g);
  const CUresult result = cuEventSynchronize(done);
  cuEventDestroy(done);
  return result;
}

CUresult cv_gpu_reach(cv_gpu *g, cv_gpu *other, int *can) {
  CUdevice own, peer;
  ENTER(other);
  TRY(cuCtxGetDevice(&peer));
  ENTER(g);
  TRY(cuCtxGetDevice(&own));
  if (own == peer) {
    *can = 1;
    return CUDA_SUCCESS;
  }
  TRY(cuDeviceCanAccessPeer(can, own, peer));
  if (!*can) return CUDA_SUCCESS;
  const CUresult result = cuCtxEnablePeerAccess(other->context, 0);
  return result == CUDA_ERROR_PEER_ACCESS_ALREADY_ENABLED ? CUDA_SUCCESS : result;
}

CUresult cv_gpu_give(cv_gpu *g) {
  ENTER(g);
  return cuEventRecord(g->given, g->stream);
}

CUresult cv_gpu_take(cv_gpu *g, cv_gpu *other) {
  ENTER(g);
  return cuStreamWaitEvent(g->stream, other->given, 0);
}

CUresult cv_gpu_mark(cv_gpu *g, int n) {
  ENTER(g);
  if (!g->marks[n]) TRY(cuEventCreate(&g->marks[n], CU_EVENT_DEFAULT));
  return cuEventRecord(g->marks[n], g->stream);
}

CUresult cv_gpu_elapsed(cv_gpu *g, int from, int to, float *milliseconds) {
  ENTER(g);
  TRY(cuEventSynchronize(g->marks[from]));
  TRY(cuEventSynchronize(g->marks[to]));
  return cuEventElapsedTime(milliseconds, g->marks[from], g->marks[to]);
}
