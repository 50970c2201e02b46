/* Writes every kernel, copy and fill of a program on NVIDIA GPUs as a line of text: begin and end in ns, GPU and stream, name, blocks or bytes, threads. The
   driver loads it into any program:

     gcc -O2 -fPIC -shared -o trace.so tools/trace.c -I$CUDA/include -L$CUDA/lib64 -lcupti        CUDA is the folder of a toolkit from 12 on
     CUDA_INJECTION64_PATH=$PWD/trace.so TRACE_FILE=trace.txt TRACE_SECONDS=5 convect run case.yaml
     python3 tools/trace.py trace.txt --step closed_advect

   With TRACE_CALLS=1 also the calls of the driver, each of which then takes some microseconds more. Kernels within graphs are traced one by one, which makes the launch of a graph some 30 us longer. */
#include <cupti.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

enum { buffer_bytes = 8 << 20 };

static FILE *file;

static void CUPTIAPI give_buffer(uint8_t **buffer, size_t *size, size_t *records) {
  *buffer = aligned_alloc(8, buffer_bytes);
  *size = buffer_bytes;
  *records = 0; /* as many as there is room for */
}

static void write_line(uint64_t start, uint64_t end, uint32_t device, uint32_t stream, const char *what) {
  fprintf(file, "%llu %llu %u/%u %s\n", (unsigned long long)start, (unsigned long long)end, device, stream, what);
}

static void write_record(const CUpti_Activity *record) {
  char what[512];
  if (record->kind == CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL) {
    const CUpti_ActivityKernel9 *k = (const void *)record;
    snprintf(what, sizeof what, "%s %dx%dx%d %dx%dx%d", k->name, k->gridX, k->gridY, k->gridZ, k->blockX, k->blockY, k->blockZ);
    write_line(k->start, k->end, k->deviceId, k->streamId, what);
  } else if (record->kind == CUPTI_ACTIVITY_KIND_MEMCPY) {
    const CUpti_ActivityMemcpy5 *m = (const void *)record;
    snprintf(what, sizeof what, "copy %llu -", (unsigned long long)m->bytes);
    write_line(m->start, m->end, m->deviceId, m->streamId, what);
  } else if (record->kind == CUPTI_ACTIVITY_KIND_MEMSET) {
    const CUpti_ActivityMemset4 *m = (const void *)record;
    snprintf(what, sizeof what, "fill %llu -", (unsigned long long)m->bytes);
    write_line(m->start, m->end, m->deviceId, m->streamId, what);
  }
}

static void write_call(const CUpti_ActivityAPI *call) {
  const char *name = "call";
  cuptiGetCallbackName(CUPTI_CB_DOMAIN_DRIVER_API, call->cbid, &name);
  fprintf(file, "%llu %llu host/%u %s - -\n", (unsigned long long)call->start, (unsigned long long)call->end, call->threadId, name);
}

static void CUPTIAPI take_buffer(CUcontext context, uint32_t stream, uint8_t *buffer, size_t size, size_t valid) {
  (void)context, (void)stream, (void)size;
  CUpti_Activity *record = NULL;
  while (cuptiActivityGetNextRecord(buffer, valid, &record) == CUPTI_SUCCESS)
    if (record->kind == CUPTI_ACTIVITY_KIND_DRIVER)
      write_call((const void *)record);
    else
      write_record(record);
  free(buffer);
}

static const CUpti_ActivityKind kinds[] = {CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL, CUPTI_ACTIVITY_KIND_MEMCPY, CUPTI_ACTIVITY_KIND_MEMSET};
enum { kind_count = sizeof kinds / sizeof *kinds };

static void *stop_later(void *unused) {
  const char *seconds = getenv("TRACE_SECONDS");
  usleep((useconds_t)(1e6 * atof(seconds ? seconds : "5")));
  for (size_t n = 0; n < kind_count; n++)
    cuptiActivityDisable(kinds[n]);
  cuptiActivityDisable(CUPTI_ACTIVITY_KIND_DRIVER);
  cuptiActivityFlushAll(CUPTI_ACTIVITY_FLAG_FLUSH_FORCED);
  fflush(file);
  return unused;
}

/* The driver calls it as it starts. */
int InitializeInjection(void) {
  const char *name = getenv("TRACE_FILE");
  pthread_t thread;
  file = fopen(name ? name : "trace.txt", "w");
  if (!file || cuptiActivityRegisterCallbacks(give_buffer, take_buffer) != CUPTI_SUCCESS) {
    fprintf(stderr, "trace: nothing can be written or traced\n");
    return 0;
  }
  for (size_t n = 0; n < kind_count; n++)
    cuptiActivityEnable(kinds[n]);
  if (getenv("TRACE_CALLS"))
    cuptiActivityEnable(CUPTI_ACTIVITY_KIND_DRIVER);
  return pthread_create(&thread, NULL, stop_later, NULL) == 0;
}
