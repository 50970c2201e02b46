/* All kernels of one type. Those of islam come before laplace.cuh, which calls what they say of their right side. */
#include "../../kernels/cuda/launch.h"

namespace {
#include "../islam/hierarchical_cube.cu"
#include "../islam/hierarchical_jacobi.cu"
#include "../islam/hierarchical_smooth.cu"
#include "../giles/laplace.cu"
#include "../jaugey/poisson2d.cu"
#include "../mueller/columns_long.cu"
#include "../mueller/columns_matrix.cu"
#include "../mueller/columns_solve.cu"
#include "../mueller/columns_stencil.cu"
#include "../mueller/columns_transfer.cu"
}  // namespace
