/* The kernels on float with the baseline instructions. */
#include "cpu.h"

#define REAL float
#define VECTOR 16
#define TABLE cv_table_baseline_f32
#include "table.h"
