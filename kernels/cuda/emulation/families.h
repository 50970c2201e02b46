/* All kernels of one type. Made by `go generate`. */
#include "../launch.h"

namespace {
}  // namespace
