/* All kernels for one REAL and instruction set. */
#include "guest.h"

#include "args.h"
#include "poisson2d.h"

GUEST_KERNELS(jaugey, poisson2d);
