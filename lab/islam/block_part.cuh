/* How blocks share an axis, for hierarchical Jacobi. */
#ifndef ISLAM_BLOCK_PART_CUH
#define ISLAM_BLOCK_PART_CUH

#include "launch.h"

#include "args.h"

/* What a block has of an axis: the unknowns first..end-1, of which it hands on own..own_end-1. */
typedef struct {
  int first, end, own, own_end;
} block_part;

/* Block b of an axis whose unknowns are low..high-1. */
DEVICE block_part owned_part(int b, int blocks, int tile, int overlap, int low, int high) {
  block_part p;
  p.first = low + b * (tile - overlap);
  p.end = min(p.first + tile, high);
  p.own = b > 0 ? p.first + overlap / 2 : p.first;
  p.own_end = b < blocks - 1 ? p.end - overlap / 2 : p.end;
  return p;
}

#endif
