/* The kernels on double with the baseline instructions. */
#include "cpu.h"

#define REAL double
#define VECTOR 16
#define TABLE cv_table_baseline_f64
#include "table.h"
