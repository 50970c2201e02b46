//go:build cuda

/* Defines the functions of the driver's library that are called here or in gorgonia.org/cu, so that no binary needs the
   library to start. Each jumps to where the library has it; before cv_load_driver, or without a library, to a function that
   fails. The package cu calls cuInit before main and exits if it fails: here it succeeds and does nothing.

   entries.h lists the functions: ENTRY(name). scripts/trampolines.sh makes it. */
#include "trampolines.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>

#define HIDDEN __attribute__((visibility("hidden")))

enum { cv_not_initialized = 3 }; /* CUDA_ERROR_NOT_INITIALIZED */

static int absent(void) { return cv_not_initialized; }

#if defined(__x86_64__)
#define JUMP(name) "  jmp *cv_entry_" #name "(%rip)\n"
#elif defined(__aarch64__)
#define JUMP(name)                    \
  "  adrp x16, cv_entry_" #name "\n" \
  "  ldr x16, [x16, :lo12:cv_entry_" #name "]\n  br x16\n"
#else
#error "no trampoline for this architecture"
#endif

/* Hidden, so that the library does not take these for its own. */
#define ENTRY(name)                                                  \
  HIDDEN void *cv_entry_##name = (void *)absent;                     \
  __asm__(".text\n.globl " #name "\n.hidden " #name "\n.type " #name \
          ", %function\n" #name ":\n" JUMP(name));
#include "entries.h"
#undef ENTRY

static const struct {
  const char *name;
  void **entry;
} entries[] = {
#define ENTRY(name) {#name, &cv_entry_##name},
#include "entries.h"
#undef ENTRY
};

static int result;
static char problem[256];

static void load(void) {
  void *library = dlopen("libcuda.so.1", RTLD_NOW | RTLD_LOCAL);
  int (*init)(unsigned) = library ? (int (*)(unsigned))dlsym(library, "cuInit") : NULL;
  if (init == NULL) {
    const char *why = dlerror();
    snprintf(problem, sizeof problem, "%s", why ? why : "libcuda.so.1 has no cuInit");
    result = cv_no_library;
    return;
  }
  for (unsigned i = 0; i < sizeof entries / sizeof *entries; i++) {
    void *p = dlsym(library, entries[i].name);
    if (p) *entries[i].entry = p;
  }
  result = init(0);
}

int cv_load_driver(void) {
  static pthread_once_t once = PTHREAD_ONCE_INIT;
  pthread_once(&once, load);
  return result;
}

const char *cv_driver_problem(void) { return problem; }

HIDDEN int cuInit(unsigned flags) {
  (void)flags;
  return 0;
}
