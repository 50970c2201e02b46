/* Nodes of a box to and from contiguous arrays [z][y][x], for downloads and uploads; converts between the types. */
#include "../launch.h"

/* Element of node (i,j,k) in the field and in the contiguous array. */
#define PACKED_NODE(field_at, packed_at)                              \
  NODE(i, j, k, a.box);                                               \
  const int64_t field_at = i + j * a.box.sy + k * a.box.sz;           \
  const int64_t packed_at = i + a.box.n[0] * (j + a.box.n[1] * k)

/* packed = field, or field = packed where it is unpacked. */
KERNEL(pack_box, cv_pack_args) {
  PACKED_NODE(in_field, in_packed);
  REAL *node = static_cast<REAL *>(a.field) + in_field;
  if (a.unpack)
    *node = a.single ? (REAL)static_cast<const float *>(a.packed)[in_packed] : (REAL)static_cast<const double *>(a.packed)[in_packed];
  else if (a.single)
    static_cast<float *>(a.packed)[in_packed] = (float)*node;
  else
    static_cast<double *>(a.packed)[in_packed] = *node;
}
