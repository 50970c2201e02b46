/* All kernels for one REAL and instruction set, in the order of the numbers in processor.go. */
#include "guest.h"

#include "vector.h"
#include "mixed.h"
#include "elliptic.h"

#include "args.h"
#include "hierarchical_jacobi.h"
#include "hierarchical_cube.h"
#include "hierarchical_smooth.h"

GUEST_KERNELS(islam, hierarchical_jacobi, hierarchical_cube, hierarchical_smooth);
