/* All kernels for one REAL, VECTOR (bytes of a vector) and TABLE (name of the table). */
#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC optimize("no-math-errno", "no-trapping-math")
#endif

#include <math.h>
#include <string.h>

#include "point.h"
#include "rows.h"

#include "vector.h"
#include "mixed.h"
#include "reduce.h"
#include "elliptic.h"
#include "trilinear_coarse.h"
#include "coarse.h"
#include "line.h"
#include "transfer.h"
#include "cycle.h"
#include "transport.h"
#include "heat.h"
#include "darcy.h"
#include "trilinear_flux.h"

/* Headers that need no others, and the table. */
#include "table.gen.h"
