/* Whole-buffer operations, on four elements a thread, and halos. */
#include "launch.h"

/* Four elements in a row, which move together. */
template <typename T>
struct __align__(16) four {
  T v[4];
};

/* Elements e..e+3 of an array of n; zero beyond its end. */
template <typename T>
DEVICE four<T> load_four(const void *p, int64_t e, int64_t n) {
  const T *x = static_cast<const T *>(p) + e;
  if (e + 4 <= n)
    return *reinterpret_cast<const four<T> *>(x);
  four<T> r = {};
#pragma unroll
  for (int l = 0; l < 4; l++)
    if (e + l < n)
      r.v[l] = x[l];
  return r;
}

template <typename T>
DEVICE void store_four(void *p, int64_t e, int64_t n, four<T> r) {
  T *x = static_cast<T *>(p) + e;
  if (e + 4 <= n) {
    *reinterpret_cast<four<T> *>(x) = r;
    return;
  }
#pragma unroll
  for (int l = 0; l < 4; l++)
    if (e + l < n)
      x[l] = r.v[l];
}

/* The same values in another type. */
template <typename To, typename From>
DEVICE four<To> converted(four<From> x) {
  four<To> r;
#pragma unroll
  for (int l = 0; l < 4; l++)
    r.v[l] = (To)x.v[l];
  return r;
}

/* The first of a thread's four elements: declares int64_t e; a thread beyond the last returns. */
#define FOUR_ELEMENTS(e, n)                  \
  ELEMENT(launch_four_##e, ((n) + 3) / 4);   \
  const int64_t e = 4 * launch_four_##e

/* X = c. Writes 1 word an element. */
KERNEL(fill, cv_vector_args) {
  FOUR_ELEMENTS(e, a.len);
  const REAL c = (REAL)a.c[0];
  const four<REAL> x = {{c, c, c, c}};
  store_four(a.out, e, a.len, x);
}

/* The same on integers. */
KERNEL(fill_ints, cv_vector_args) {
  FOUR_ELEMENTS(e, a.len);
  const int32_t c = (int32_t)a.c[0];
  const four<int32_t> x = {{c, c, c, c}};
  store_four(a.out, e, a.len, x);
}

/* Dst = Src: 2 words an element. */
KERNEL(copy, cv_vector_args) {
  FOUR_ELEMENTS(e, a.len);
  store_four(a.out, e, a.len, load_four<REAL>(a.x[0], e, a.len));
}

/* The same from the other type: 12 bytes an element. */
KERNEL(convert, cv_vector_args) {
  FOUR_ELEMENTS(e, a.len);
  if (sizeof(REAL) == 4)
    store_four(a.out, e, a.len, converted<REAL>(load_four<double>(a.x[0], e, a.len)));
  else
    store_four(a.out, e, a.len, converted<REAL>(load_four<float>(a.x[0], e, a.len)));
}

/* Sum + c x, or c x for the first term. */
DEVICE void add_term(int t, four<REAL> &sum, double c, four<REAL> x) {
#pragma unroll
  for (int l = 0; l < 4; l++)
    sum.v[l] = t == 0 ? (REAL)c * x.v[l] : sum.v[l] + (REAL)c * x.v[l];
}

/* Out = sum of c x over up to four terms, of which Out may be one: a word a term, read, and one written. */
KERNEL(combine, cv_vector_args) {
  FOUR_ELEMENTS(e, a.len);
  four<REAL> sum = {};
#pragma unroll
  for (int t = 0; t < 4; t++)
    if (t < a.terms)
      add_term(t, sum, a.c[t], load_four<REAL>(a.x[t], e, a.len));
  store_four(a.out, e, a.len, sum);
}

/* The same of arrays of both types, in double: each is read or written once. */
KERNEL(combine_mixed, cv_vector_args) {
  FOUR_ELEMENTS(e, a.len);
  four<REAL> sum = {};
#pragma unroll
  for (int t = 0; t < 4; t++) {
    if (t >= a.terms)
      continue;
    if (a.single[t])
      add_term(t, sum, a.c[t], converted<REAL>(load_four<float>(a.x[t], e, a.len)));
    else
      add_term(t, sum, a.c[t], load_four<REAL>(a.x[t], e, a.len));
  }
  if (a.single_out)
    store_four(a.out, e, a.len, converted<float>(sum));
  else
    store_four(a.out, e, a.len, sum);
}

/* i modulo n, also below 0. */
DEVICE int halo_image(int i, int n) {
  const int r = i % n;
  return r < 0 ? r + n : r;
}

/* One thread a halo node, which takes the value of the node that it repeats: nodes are read only, halo nodes written only. They
   are numbered in three parts: the planes below and above, of rows with halo; in each plane of nodes the rows before and behind;
   in each row of nodes the ends. */
KERNEL(halo, cv_halo_args) {
  const int64_t nx = a.box.n[0], ny = a.box.n[1], nz = a.box.n[2], wx = a.width[0], wy = a.width[1], wz = a.width[2];
  const int64_t row = nx + 2 * wx, plane = row * (ny + 2 * wy);
  const int64_t planes = 2 * wz * plane, rows = nz * 2 * wy * row, ends = nz * ny * 2 * wx;
  ELEMENT(e, planes + rows + ends);
  int64_t i, j, k;
  if (e < planes) {
    k = e / plane, j = e % plane / row - wy, i = e % row - wx;
    k = k < wz ? k - wz : nz + k - wz;
  } else if (e < planes + rows) {
    const int64_t r = (e - planes) / row;
    i = (e - planes) % row - wx, j = r % (2 * wy), k = r / (2 * wy);
    j = j < wy ? j - wy : ny + j - wy;
  } else {
    const int64_t r = (e - planes - rows) / (2 * wx);
    i = (e - planes - rows) % (2 * wx), j = r % ny, k = r / ny;
    i = i < wx ? i - wx : nx + i - wx;
  }
  REAL *x = static_cast<REAL *>(a.x);
  const int64_t from = halo_image((int)i, (int)nx) + halo_image((int)j, (int)ny) * a.box.sy + halo_image((int)k, (int)nz) * a.box.sz;
  x[i + j * a.box.sy + k * a.box.sz] = x[from];
}
