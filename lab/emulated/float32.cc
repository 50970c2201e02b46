/* The kernels on float. */
#define REAL float
#define TYPE f32
#include "families.h"
