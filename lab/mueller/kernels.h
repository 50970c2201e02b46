/* All kernels for one REAL and instruction set, in the order of the numbers in processor.go. */
#include "guest.h"

#include "args.h"
#include "columns.h"
#include "transpose.h"
#include "tridiagonal.h"
#include "batch.h"
#include "multicolumn.h"

GUEST_KERNELS(mueller, column_apply, column_solve, column_search, column_descend, column_dot, column_smooth, column_correct, column_restrict,
              column_prolong, column_matrix, matrix_apply, matrix_solve);
