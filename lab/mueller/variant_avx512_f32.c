/* The kernels on float with the avx512 instructions. */
#define REAL float
#define INSTRUCTIONS 2
#include "kernels.h"
