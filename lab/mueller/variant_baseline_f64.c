/* The kernels on double with the baseline instructions. */
#define REAL double
#define INSTRUCTIONS 0
#include "kernels.h"
