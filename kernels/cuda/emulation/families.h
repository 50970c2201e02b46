/* All kernels of one type. Made by `go generate`. */
#include "../launch.h"

namespace {
#include "../cycle_even.cu"
}  // namespace
