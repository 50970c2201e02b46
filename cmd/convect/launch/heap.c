#include <malloc.h>

/* glibc reserves 64 MiB of address space for a heap of each thread, which a limit of it (ulimit -v) counts. Threads here hardly allocate: one
 * heap serves all. */
__attribute__((constructor)) static void one_heap(void) {
#ifdef M_ARENA_MAX
    mallopt(M_ARENA_MAX, 1);
#endif
}
