/* Masks of fixed nodes. */
#ifndef CONVECT_MASK_CUH
#define CONVECT_MASK_CUH

#include "../launch.h"

/* 1 at a free node, 0 at a fixed one: node i of row j + k*n[1]. Entry 0 of the table is the row of ones, entry 1
   that of zeros. */
DEVICE REAL mask_at(const cv_mask &m, int i, int64_t row) {
  const int entry = m.index ? m.index[row] : 0;
  return entry > 1 ? AXIS(m.table)[entry * m.stride + i] : (REAL)(1 - entry);
}

#endif
