/* Whole-buffer operations, on four elements a thread, and halos. */
#include "../launch.h"

/* Elements in a row, which move together, as 16 bytes of REAL. */
enum { vector_elements = 16 / sizeof(REAL), vector_rounds = 4 / vector_elements, vector_threads = 256 };

template <typename T>
struct __align__(sizeof(T) * vector_elements < 16 ? sizeof(T) * vector_elements : 16) pack_of {
  T v[vector_elements];
};

/* Elements e.. of an array of n; zero beyond its end. */
template <typename T>
DEVICE pack_of<T> load_pack(const void *p, int64_t e, int64_t n) {
  const T *x = static_cast<const T *>(p) + e;
  if (e + vector_elements <= n)
    return *reinterpret_cast<const pack_of<T> *>(x);
  pack_of<T> r = {};
#pragma unroll
  for (int l = 0; l < vector_elements; l++)
    if (e + l < n)
      r.v[l] = x[l];
  return r;
}

template <typename T>
DEVICE void store_pack(void *p, int64_t e, int64_t n, pack_of<T> r) {
  T *x = static_cast<T *>(p) + e;
  if (e + vector_elements <= n) {
    *reinterpret_cast<pack_of<T> *>(x) = r;
    return;
  }
#pragma unroll
  for (int l = 0; l < vector_elements; l++)
    if (e + l < n)
      x[l] = r.v[l];
}

/* The same values in another type. */
template <typename To, typename From>
DEVICE pack_of<To> converted(pack_of<From> x) {
  pack_of<To> r;
#pragma unroll
  for (int l = 0; l < vector_elements; l++)
    r.v[l] = (To)x.v[l];
  return r;
}

/* The first element of a thread in a round: a block has 4 elements a thread, side by side in each round. */
DEVICE int64_t element_of_round(int round) {
  return 4 * (int64_t)vector_threads * blockIdx.x + vector_elements * (round * vector_threads + (int)threadIdx.x);
}

#define VECTOR_WORDS_f32 1
#if LAUNCH_JOIN(VECTOR_WORDS, TYPE)
/* X = c: writes 1 word an element. They are words of four bytes, whatever they mean: c[0] is the first two of them, which repeat. */
KERNEL(fill, cv_vector_args) {
  static_assert(vector_elements % 2 == 0);
  const double both = a.c[0];
  uint32_t words[2];
  memcpy(words, &both, sizeof words);
  pack_of<uint32_t> x;
#pragma unroll
  for (int l = 0; l < vector_elements; l++)
    x.v[l] = words[l % 2];
#pragma unroll
  for (int round = 0; round < vector_rounds; round++)
    store_pack(a.out, element_of_round(round), a.len, x);
}

/* Dst = Src: 2 words an element, of four bytes too. */
KERNEL(copy, cv_vector_args) {
  pack_of<REAL> x[vector_rounds];
#pragma unroll
  for (int round = 0; round < vector_rounds; round++)
    x[round] = load_pack<REAL>(a.x[0], element_of_round(round), a.len);
#pragma unroll
  for (int round = 0; round < vector_rounds; round++)
    store_pack(a.out, element_of_round(round), a.len, x[round]);
}
#endif

/* Sum + c x, or c x for the first term. */
DEVICE void add_term(int t, pack_of<REAL> &sum, double c, pack_of<REAL> x) {
#pragma unroll
  for (int l = 0; l < vector_elements; l++)
    sum.v[l] = t == 0 ? (REAL)c * x.v[l] : sum.v[l] + (REAL)c * x.v[l];
}

/* The sum of terms, of which those that say so are float if `mixed`. */
template <bool mixed>
DEVICE void combine_terms(const cv_vector_args &a) {
  pack_of<REAL> sum[vector_rounds] = {};
#pragma unroll
  for (int t = 0; t < 4; t++) {
    if (t >= a.terms)
      continue;
    const double c = a.c[t] * quotient_of(a.by[t]);
#pragma unroll
    for (int round = 0; round < vector_rounds; round++) {
      const int64_t e = element_of_round(round);
      if (mixed && a.single[t])
        add_term(t, sum[round], c, converted<REAL>(load_pack<float>(a.x[t], e, a.len)));
      else
        add_term(t, sum[round], c, load_pack<REAL>(a.x[t], e, a.len));
    }
  }
#pragma unroll
  for (int round = 0; round < vector_rounds; round++) {
    const int64_t e = element_of_round(round);
    if (mixed && a.single_out)
      store_pack(a.out, e, a.len, converted<float>(sum[round]));
    else
      store_pack(a.out, e, a.len, sum[round]);
  }
}

/* Out = sum of c x over up to four terms, of which Out may be one: a word a term, read, and one written. Where arrays are of both types the sum is in
   double, in a code of its own. */
KERNEL(combine, cv_vector_args) {
  if (sizeof(REAL) == 8 && (a.single[0] || a.single[1] || a.single[2] || a.single[3] || a.single_out))
    combine_terms<sizeof(REAL) == 8>(a);
  else
    combine_terms<false>(a);
}

/* i modulo n, also below 0. */
DEVICE int halo_image(int i, int n) {
  const int r = i % n;
  return r < 0 ? r + n : r;
}

/* One thread a halo node, which takes the value of the node that it repeats: nodes are read only, halo nodes
   written only. They are numbered in three parts: the planes below and above, of rows with halo; in each plane of
   nodes the rows before and behind; in each row of nodes the ends. */
KERNEL(halo, cv_halo_args) {
  const int nx = (int)a.box.n[0], ny = (int)a.box.n[1], nz = (int)a.box.n[2];
  const int wx = (int)a.width[0], wy = (int)a.width[1], wz = (int)a.width[2], row = nx + 2 * wx, plane = row * (ny + 2 * wy);
  const int planes = 2 * wz * plane, rows = nz * 2 * wy * row, ends = nz * ny * 2 * wx;
  ELEMENT(e, planes + rows + ends);
  const int n = (int)e;
  int i, j, k;
  if (n < planes) {
    const int r = n / row;
    i = n % row - wx, j = r % (ny + 2 * wy) - wy, k = n / plane;
    k = k < wz ? k - wz : nz + k - wz;
  } else if (n < planes + rows) {
    const int r = (n - planes) / row;
    i = (n - planes) % row - wx, j = r % (2 * wy), k = r / (2 * wy);
    j = j < wy ? j - wy : ny + j - wy;
  } else {
    const int r = (n - planes - rows) / (2 * wx);
    i = (n - planes - rows) % (2 * wx), j = r % ny, k = r / ny;
    i = i < wx ? i - wx : nx + i - wx;
  }
  REAL *x = static_cast<REAL *>(a.x);
  const int64_t sy = a.box.sy, sz = a.box.sz;
  x[i + j * sy + k * sz] = x[halo_image(i, nx) + halo_image(j, ny) * sy + halo_image(k, nz) * sz];
}
