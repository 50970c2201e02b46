/* All kernels for one REAL and instruction set, in the order of the numbers in processor.go. */
#include "guest.h"

#include "args.h"
#include "hierarchical_jacobi.h"
#include "hierarchical_cube.h"

GUEST_KERNELS(islam, hierarchical_jacobi, hierarchical_cube);
