/* All kernels of one type. Made by `go generate`. */
#include "../launch.h"

namespace {
#include "../cells.cu"
#include "../coarse.cu"
#include "../cycle.cu"
#include "../cycle_even.cu"
#include "../cycle_trilinear.cu"
#include "../darcy.cu"
#include "../elliptic.cu"
#include "../heat.cu"
#include "../hierarchical_smooth.cu"
#include "../line.cu"
#include "../memory.cu"
#include "../reduce.cu"
#include "../stencil_even.cu"
#include "../transfer.cu"
#include "../transport.cu"
#include "../trilinear_flux.cu"
#include "../vector.cu"
#include "../velocity.cu"
#include "../wall.cu"
}  // namespace
