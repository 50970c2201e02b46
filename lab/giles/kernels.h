/* All kernels for one REAL and instruction set. */
#include "guest.h"

#include "args.h"
#include "laplace.h"

GUEST_KERNELS(giles, laplace_jacobi);
