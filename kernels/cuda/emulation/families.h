/* All kernels of one type. Made by `go generate`. */
#include "../launch.h"

namespace {
#include "../cells.cu"
#include "../darcy.cu"
#include "../heat.cu"
#include "../memory.cu"
#include "../reduce.cu"
#include "../transfer.cu"
#include "../transport.cu"
#include "../vector.cu"
#include "../velocity.cu"
#include "../wall.cu"
}  // namespace
