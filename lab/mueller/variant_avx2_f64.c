/* The kernels on double with the avx2 instructions. */
#define REAL double
#define INSTRUCTIONS 1
#include "kernels.h"
