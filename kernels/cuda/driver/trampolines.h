/* The driver's library as a binary finds it when it runs, not when it is linked. */
#ifndef CONVECT_TRAMPOLINES_H
#define CONVECT_TRAMPOLINES_H

enum { cv_no_library = -1 };

/* Loads the library and initialises it, once. Returns what cuInit said, or that there is no library. */
int cv_load_driver(void);

/* Why there is no library. */
const char *cv_driver_problem(void);

#endif
