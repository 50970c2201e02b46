/* The kernels on float with the avx2 instructions. */
#define REAL float
#define INSTRUCTIONS 1
#include "kernels.h"
