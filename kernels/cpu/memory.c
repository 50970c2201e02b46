/* Memory of the device, sums over partials, facts about the machine. */
#define _GNU_SOURCE
#include "cpu.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#if defined(__SSE2__)
#include <emmintrin.h>
#endif

/* Arrays of huge pages begin at different places of their first page, so that what a kernel reads and writes together
   does not compete for the same cache sets and memory banks. All have room to be read a cache line past their end. */
enum { huge = 2 << 20, colours = 16, colour_bytes = 4096 + 64, slack = 64 };

static void zero_pages(const void *args, int64_t begin, int64_t end, char *scratch) {
  (void)scratch;
  const cv_vector_args *v = args;
  int64_t last = end * 4096 < v->len ? end * 4096 : v->len;
  memset((char *)v->out + begin * 4096, 0, last - begin * 4096);
}

void *cv_alloc(cv_pool *p, int64_t bytes, int64_t number) {
  const int64_t alignment = bytes >= huge ? huge : 64;
  const int64_t start = bytes >= huge ? number % colours * colour_bytes : 0;
  const int64_t all = (start + bytes + slack + alignment - 1) / alignment * alignment;
  void *m = NULL;
  if (posix_memalign(&m, alignment, all))
    return NULL;
#ifdef MADV_HUGEPAGE
  if (alignment == huge)
    madvise(m, all, MADV_HUGEPAGE);
#endif
  cv_vector_args v = {.len = all, .out = m};
  cv_pool_run(p, zero_pages, &v, (all + 4095) / 4096, bytes >= huge ? 1 << 20 : 1);
  return (char *)m + start;
}

void cv_release(void *m, int64_t bytes) {
  free(bytes >= huge ? (void *)((uintptr_t)m / huge * huge) : m);
}

double cv_tree_sum(double *p, int64_t n) {
  for (; n > 1; n = (n + 1) / 2) {
    for (int64_t i = 0; i < n / 2; i++)
      p[i] = p[2 * i] + p[2 * i + 1];
    if (n % 2)
      p[n / 2] = p[n - 1];
  }
  return n ? p[0] : 0;
}

void cv_fold(double *p, int64_t rows, int64_t layers) {
  for (; layers > 1; layers = (layers + 1) / 2) {
    for (int64_t l = 0; l < layers / 2; l++)
      for (int64_t i = 0; i < rows; i++)
        p[l * rows + i] = p[2 * l * rows + i] + p[(2 * l + 1) * rows + i];
    if (layers % 2)
      memmove(p + layers / 2 * rows, p + (layers - 1) * rows, rows * sizeof *p);
  }
}

double cv_tree_max(double *p, int64_t n) {
  double m = 0;
  for (int64_t i = 0; i < n; i++)
    if (!(p[i] <= m) && m == m)
      m = p[i];
  return m;
}

int64_t cv_cache_bytes(int level) {
  const int64_t usual = level == 3 ? 32 << 20 : 1 << 20;
  long bytes = -1;
#if defined(_SC_LEVEL3_CACHE_SIZE) && defined(_SC_LEVEL2_CACHE_SIZE)
  bytes = sysconf(level == 3 ? _SC_LEVEL3_CACHE_SIZE : _SC_LEVEL2_CACHE_SIZE);
#endif
  return bytes > 0 && bytes < usual ? bytes : usual;
}

int64_t cv_memory(int available) {
  int64_t page = sysconf(_SC_PAGESIZE);
  if (!available)
    return sysconf(_SC_PHYS_PAGES) * page;
  FILE *f = fopen("/proc/meminfo", "r");
  long long kb = -1;
  if (f) {
    char line[128];
    while (fgets(line, sizeof line, f) && sscanf(line, "MemAvailable: %lld kB", &kb) != 1)
      ;
    fclose(f);
  }
  return kb >= 0 ? kb << 10 : sysconf(_SC_AVPHYS_PAGES) * page;
}

static void copy_pages(const void *args, int64_t begin, int64_t end, char *scratch) {
  (void)scratch;
  const cv_vector_args *v = args;
#if defined(__SSE2__)
  const __m128i *src = (const __m128i *)v->x[0] + begin * 256;
  __m128i *dst = (__m128i *)v->out + begin * 256;
  for (int64_t i = 0; i < (end - begin) * 256; i++)
    _mm_stream_si128(dst + i, _mm_load_si128(src + i));
  _mm_sfence();
#else
  memcpy((char *)v->out + begin * 4096, (const char *)v->x[0] + begin * 4096, (end - begin) * 4096);
#endif
}

double cv_time_copy(cv_pool *p, void *dst, const void *src, int64_t bytes, int threads) {
  cv_vector_args v = {.out = dst, .x = {src}};
  struct timespec a, b;
  clock_gettime(CLOCK_MONOTONIC, &a);
  cv_pool_run(p, copy_pages, &v, bytes / 4096, threads);
  clock_gettime(CLOCK_MONOTONIC, &b);
  return (b.tv_sec - a.tv_sec) + 1e-9 * (b.tv_nsec - a.tv_nsec);
}
