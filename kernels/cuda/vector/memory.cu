/* Nodes of a box to and from contiguous arrays [z][y][x], for downloads and uploads; converts between the types. */
#include "../launch.h"

/* packed = field, or field = packed where it is unpacked. */
KERNEL(pack_box, cv_pack_args) {
  NODE(i, j, k, a.box);
  const int64_t in_packed = i + a.box.n[0] * (j + a.box.n[1] * k);
  REAL *node = static_cast<REAL *>(a.field) + (i + j * a.box.sy + k * a.box.sz);
  if (a.unpack)
    *node = a.single ? (REAL)static_cast<const float *>(a.packed)[in_packed] : (REAL)static_cast<const double *>(a.packed)[in_packed];
  else if (a.single)
    static_cast<float *>(a.packed)[in_packed] = (float)*node;
  else
    static_cast<double *>(a.packed)[in_packed] = *node;
}
