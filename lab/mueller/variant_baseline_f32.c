/* The kernels on float with the baseline instructions. */
#define REAL float
#define INSTRUCTIONS 0
#include "kernels.h"
