/* What Go calls. */
#ifndef CONVECT_EMULATION_H
#define CONVECT_EMULATION_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Runs a kernel on a grid of blocks, checked as a GPU would; returns 0, or 1 with a message of at most `room` bytes.
   `reverse` runs the last block and the last thread first. Only one launch may run at a time in a process. */
int emulation_launch(const char *kernel, const int grid[3], const int block[3], size_t shared, const void *args,
                     size_t size, int reverse, char *message, size_t room);

/* Exactly so many bytes, zeroed, aligned as on a GPU; NULL if there are not so many. */
void *emulation_alloc(size_t bytes);

/* The name of kernel n; NULL beyond the last. */
const char *emulation_kernel(int n);

#ifdef __cplusplus
}
#endif

#endif
