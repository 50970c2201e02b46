/* The kernels on double. */
#define REAL double
#define TYPE f64
#include "families.h"
