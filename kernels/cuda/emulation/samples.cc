/* The kernels of samples.cu on double. */
#define REAL double
#define TYPE f64
#include "../launch.h"
namespace {
#include "samples.cu"
}  // namespace
