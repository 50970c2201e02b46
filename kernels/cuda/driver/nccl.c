//go:build cuda

#include "nccl.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

/* What of the library's interface is needed, version 2.7 and later. */
typedef struct {
  char bytes[cv_nccl_id_bytes];
} nccl_id;
enum { nccl_bytes = 0, nccl_in_progress = 7 };

static struct {
  int (*version)(int *);
  const char *(*text)(int);
  int (*new_id)(nccl_id *);
  int (*join)(void **, int, nccl_id, int);
  int (*leave)(void *);
  int (*abort)(void *);
  int (*failure)(void *, int *);
  int (*begin)(void);
  int (*end)(void);
  int (*send)(const void *, size_t, int, int, void *, CUstream);
  int (*receive)(void *, size_t, int, int, void *, CUstream);
} nccl;

static const struct {
  const char *name;
  void *function;
} functions[] = {
    {"ncclGetVersion", &nccl.version},
    {"ncclGetErrorString", &nccl.text},
    {"ncclGetUniqueId", &nccl.new_id},
    {"ncclCommInitRank", &nccl.join},
    {"ncclCommDestroy", &nccl.leave},
    {"ncclCommAbort", &nccl.abort},
    {"ncclCommGetAsyncError", &nccl.failure},
    {"ncclGroupStart", &nccl.begin},
    {"ncclGroupEnd", &nccl.end},
    {"ncclSend", &nccl.send},
    {"ncclRecv", &nccl.receive},
};

static pthread_mutex_t guard = PTHREAD_MUTEX_INITIALIZER;
static int loaded;
static char problem[256];

static int load(const char *name) {
  void *library = dlopen(name, RTLD_NOW | RTLD_LOCAL);
  if (library == NULL) {
    const char *why = dlerror();
    snprintf(problem, sizeof problem, "%s", why ? why : name);
    return 0;
  }
  for (size_t n = 0; n < sizeof functions / sizeof *functions; n++) {
    void *p = dlsym(library, functions[n].name);
    if (p == NULL) {
      snprintf(problem, sizeof problem, "%s has no %s", name, functions[n].name);
      return 0;
    }
    memcpy(functions[n].function, &p, sizeof p);
  }
  return 1;
}

const char *cv_nccl_load(const char *name) {
  pthread_mutex_lock(&guard);
  loaded = loaded || load(name);
  pthread_mutex_unlock(&guard);
  return loaded ? NULL : problem;
}

int cv_nccl_version(void) {
  int v = 0;
  return nccl.version(&v) == 0 ? v : 0;
}

const char *cv_nccl_text(int result) { return nccl.text(result); }

int cv_nccl_new_id(char *id) {
  nccl_id made;
  const int result = nccl.new_id(&made);
  memcpy(id, made.bytes, sizeof made.bytes);
  return result;
}

/* Fails where a call does, as if the library had: 1 is its number for a failure of the driver. */
#define ENTER_NCCL(g) \
  if (cuCtxSetCurrent((g)->context) != CUDA_SUCCESS) return 1

static double seconds(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* The time since the last call, for a wait that does not count what passes while the program is stopped: at most 0.1 s. */
static double passed_since(double *last) {
  const double now = seconds(), passed = now - *last;
  *last = now;
  return passed < 0.1 ? passed : 0.1;
}

static void *abandon(void *others) {
  nccl.abort(others);
  return NULL;
}

/* Gives up the others, for a reason. The library waits here until every graph with messages is gone, which only the caller can see to. */
static void lose(cv_gpu *g, int reason) {
  pthread_t thread;
  if (g->others && pthread_create(&thread, NULL, abandon, g->others) == 0) pthread_detach(thread);
  g->others = NULL;
  g->wait = NULL;
  g->lost = reason;
}

/* Waits for the stream, for so long at most. A program that is stopped meanwhile does not count the time. */
static CUresult wait_for_others(cv_gpu *g) {
  double last = seconds(), waited = 0, looked = 0;
  for (;;) {
    const CUresult result = cuStreamQuery(g->stream);
    if (result != CUDA_ERROR_NOT_READY) return result;
    waited += passed_since(&last);
    if (waited - looked < 0.5) continue;
    looked = waited;
    int failed = 0;
    const int asked = nccl.failure(g->others, &failed);
    failed = asked ? asked : failed == nccl_in_progress ? 0 : failed;
    if (failed == 0 && waited <= cv_nccl_seconds) continue;
    lose(g, failed ? failed : cv_lost_silent);
    return CUDA_ERROR_LAUNCH_TIMEOUT;
  }
}

/* What a thread joins the others with, and what came of it: the library waits without end for one that does not come. */
typedef struct {
  CUcontext context;
  nccl_id id;
  int rank, size, result;
  void *others;
  int done, left; /* nobody waits for it any more */
  pthread_mutex_t guard;
  pthread_cond_t changed;
} joining;

static void end_joining(joining *j) {
  pthread_cond_destroy(&j->changed);
  pthread_mutex_destroy(&j->guard);
  free(j);
}

static void *join_others(void *of) {
  joining *j = of;
  void *others = NULL;
  const int result = cuCtxSetCurrent(j->context) == CUDA_SUCCESS ? nccl.join(&others, j->size, j->id, j->rank) : 1;
  pthread_mutex_lock(&j->guard);
  j->others = others;
  j->result = result;
  j->done = 1;
  const int left = j->left;
  pthread_cond_signal(&j->changed);
  pthread_mutex_unlock(&j->guard);
  if (left) end_joining(j); /* the communicator stays, since nobody would answer who leaves it */
  return NULL;
}

/* Waits until the thread is done, for so long at most. A program that is stopped meanwhile does not count the time. */
static int await_joining(joining *j) {
  double last = seconds(), waited = 0;
  pthread_mutex_lock(&j->guard);
  while (!j->done && waited <= cv_nccl_join_seconds) {
    struct timespec until;
    clock_gettime(CLOCK_REALTIME, &until);
    until.tv_nsec += 50000000;
    if (until.tv_nsec >= 1000000000) until.tv_sec++, until.tv_nsec -= 1000000000;
    pthread_cond_timedwait(&j->changed, &j->guard, &until);
    waited += passed_since(&last);
  }
  const int done = j->done;
  j->left = !done;
  pthread_mutex_unlock(&j->guard);
  return done;
}

int cv_nccl_join(cv_gpu *g, const char *id, int rank, int size) {
  pthread_t thread;
  joining *j = calloc(1, sizeof *j);
  if (j == NULL) return 1;
  j->context = g->context, j->rank = rank, j->size = size;
  memcpy(j->id.bytes, id, sizeof j->id.bytes);
  pthread_mutex_init(&j->guard, NULL);
  pthread_cond_init(&j->changed, NULL);
  if (pthread_create(&thread, NULL, join_others, j) != 0) {
    end_joining(j);
    return 1;
  }
  if (!await_joining(j)) {
    pthread_detach(thread);
    return cv_lost_silent;
  }
  pthread_join(thread, NULL);
  const int result = j->result;
  if (result == 0) g->others = j->others, g->wait = wait_for_others;
  end_joining(j);
  return result;
}

int cv_nccl_exchange(cv_gpu *g, const cv_message *send, int sends, const cv_message *receive, int receives) {
  ENTER_NCCL(g);
  if (g->others == NULL) return 1;
  int result = nccl.begin();
  for (int n = 0; result == 0 && n < sends; n++)
    result = nccl.send((const void *)send[n].address, send[n].bytes, nccl_bytes, send[n].rank, g->others, g->stream);
  for (int n = 0; result == 0 && n < receives; n++)
    result = nccl.receive((void *)receive[n].address, receive[n].bytes, nccl_bytes, receive[n].rank, g->others, g->stream);
  const int ended = nccl.end();
  return result ? result : ended;
}

int cv_nccl_leave(cv_gpu *g, int lost) {
  ENTER_NCCL(g);
  void *others = g->others;
  if (others == NULL) return 0;
  if (lost) {
    lose(g, cv_lost_silent);
    return 0;
  }
  g->others = NULL;
  g->wait = NULL;
  return nccl.leave(others);
}
