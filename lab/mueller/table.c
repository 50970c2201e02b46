/* The kernels of all types and instruction sets. */
#include "guest.h"

GUEST(mueller)
