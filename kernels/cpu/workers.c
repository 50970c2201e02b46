/* A pool of threads that share out rows. */
#define _GNU_SOURCE
#include "cpu.h"

#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <unistd.h>

#if defined(__x86_64__)
#define PAUSE() __builtin_ia32_pause()
#else
#define PAUSE() ((void)0)
#endif

typedef struct {
  struct cv_pool *pool;
  int number;
  char *scratch;
} worker;

struct cv_pool {
  int threads, spin;
  pthread_t *ids;
  worker *workers;
  int64_t scratch_bytes;
  pthread_mutex_t mutex;
  pthread_cond_t wake, done;
  /* The job; written before generation is raised. */
  cv_kernel kernel;
  const void *args;
  int64_t rows;
  int parts, stop;
  _Alignas(64) atomic_uint generation;
  _Alignas(64) atomic_int pending;
  _Alignas(64) atomic_int sleeping;
  atomic_int waiting;
};

static void run_part(cv_pool *p, int part) {
  int64_t begin = p->rows * part / p->parts, end = p->rows * (part + 1) / p->parts;
  if (begin < end)
    p->kernel(p->args, begin, end, p->workers[part].scratch);
}

/* Waits until the generation is no longer `seen`: first spinning, then asleep. */
static unsigned wait_job(cv_pool *p, unsigned seen) {
  for (int i = 0; i < p->spin; i++) {
    unsigned g = atomic_load_explicit(&p->generation, memory_order_acquire);
    if (g != seen)
      return g;
    PAUSE();
  }
  pthread_mutex_lock(&p->mutex);
  atomic_fetch_add(&p->sleeping, 1);
  unsigned g;
  while ((g = atomic_load(&p->generation)) == seen)
    pthread_cond_wait(&p->wake, &p->mutex);
  atomic_fetch_sub(&p->sleeping, 1);
  pthread_mutex_unlock(&p->mutex);
  return g;
}

static void *work(void *arg) {
  worker *w = arg;
  cv_pool *p = w->pool;
  for (unsigned seen = 0;;) {
    seen = wait_job(p, seen);
    if (p->stop)
      return NULL;
    if (w->number < p->parts)
      run_part(p, w->number);
    if (atomic_fetch_sub(&p->pending, 1) == 1 && atomic_load(&p->waiting)) {
      pthread_mutex_lock(&p->mutex);
      pthread_cond_signal(&p->done);
      pthread_mutex_unlock(&p->mutex);
    }
  }
}

static void post(cv_pool *p) {
  atomic_fetch_add(&p->generation, 1);
  if (atomic_load(&p->sleeping)) {
    pthread_mutex_lock(&p->mutex);
    pthread_cond_broadcast(&p->wake);
    pthread_mutex_unlock(&p->mutex);
  }
}

static void wait_done(cv_pool *p) {
  for (int i = 0; i < p->spin; i++) {
    if (atomic_load_explicit(&p->pending, memory_order_acquire) == 0)
      return;
    PAUSE();
  }
  pthread_mutex_lock(&p->mutex);
  atomic_store(&p->waiting, 1);
  while (atomic_load(&p->pending))
    pthread_cond_wait(&p->done, &p->mutex);
  atomic_store(&p->waiting, 0);
  pthread_mutex_unlock(&p->mutex);
}

void cv_pool_run(cv_pool *p, cv_kernel kernel, const void *args, int64_t rows, int parts) {
  if (parts > p->threads)
    parts = p->threads;
  if (parts <= 1) {
    kernel(args, 0, rows, p->workers[0].scratch);
    return;
  }
  p->kernel = kernel;
  p->args = args;
  p->rows = rows;
  p->parts = parts;
  atomic_store(&p->pending, p->threads - 1);
  post(p);
  run_part(p, 0);
  wait_done(p);
}

void cv_run(cv_pool *p, const cv_kernel *table, int kernel, const void *args, int64_t rows, int parts) {
  cv_pool_run(p, table[kernel], args, rows, parts);
}

int cv_pool_reserve(cv_pool *p, int64_t bytes) {
  if (bytes <= p->scratch_bytes)
    return 1;
  bytes = (bytes + 4095) / 4096 * 4096;
  for (int t = 0; t < p->threads; t++) {
    void *s = NULL;
    if (posix_memalign(&s, 4096, bytes))
      return 0;
    free(p->workers[t].scratch);
    p->workers[t].scratch = s;
  }
  p->scratch_bytes = bytes;
  return 1;
}

/* Starts the threads with all signals blocked: signals are the Go runtime's. Returns how many started. */
static int start(cv_pool *p, int threads) {
  sigset_t all, old;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &old);
  int n = 1;
  while (n < threads && pthread_create(&p->ids[n], NULL, work, &p->workers[n]) == 0)
    n++;
  pthread_sigmask(SIG_SETMASK, &old, NULL);
  return n;
}

cv_pool *cv_pool_new(int threads) {
  cv_pool *p = NULL;
  if (posix_memalign((void **)&p, 64, sizeof *p))
    return NULL;
  *p = (cv_pool){.threads = 1, .spin = threads <= sysconf(_SC_NPROCESSORS_ONLN) ? 2000 : 0};
  pthread_mutex_init(&p->mutex, NULL);
  pthread_cond_init(&p->wake, NULL);
  pthread_cond_init(&p->done, NULL);
  p->ids = calloc(threads, sizeof *p->ids);
  p->workers = calloc(threads, sizeof *p->workers);
  if (!p->ids || !p->workers) {
    cv_pool_free(p);
    return NULL;
  }
  for (int t = 0; t < threads; t++)
    p->workers[t] = (worker){.pool = p, .number = t};
  p->threads = start(p, threads);
  if (p->threads < threads || !cv_pool_reserve(p, 1 << 16)) {
    cv_pool_free(p);
    return NULL;
  }
  return p;
}

void cv_pool_free(cv_pool *p) {
  p->stop = 1;
  post(p);
  for (int t = 1; t < p->threads; t++)
    pthread_join(p->ids[t], NULL);
  for (int t = 0; p->workers && t < p->threads; t++)
    free(p->workers[t].scratch);
  pthread_mutex_destroy(&p->mutex);
  pthread_cond_destroy(&p->wake);
  pthread_cond_destroy(&p->done);
  free(p->ids);
  free(p->workers);
  free(p);
}
