/* The kernels on double with the avx512 instructions. */
#define REAL double
#define INSTRUCTIONS 2
#include "kernels.h"
