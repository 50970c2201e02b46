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
#pragma unroll
    for (int round = 0; round < vector_rounds; round++) {
      const int64_t e = element_of_round(round);
      if (mixed && a.single[t])
        add_term(t, sum[round], a.c[t], converted<REAL>(load_pack<float>(a.x[t], e, a.len)));
      else
        add_term(t, sum[round], a.c[t], load_pack<REAL>(a.x[t], e, a.len));
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

/* The most layers of a halo, kernels.HaloWidth. */
enum { halo_layers = 3 };

/* i modulo n, also below 0: next to no steps, since few halos are wider than an axis. */
DEVICE int halo_image(int i, int n) {
#pragma unroll 1
  while (i < 0)
    i += n;
#pragma unroll 1
  while (i >= n)
    i -= n;
  return i;
}

/* Fills rows of halo nodes: those of the planes below and above, with those before and behind, and then those before and behind each plane of nodes. A lane
   has a node of each of halo_rows rows side by side, and a warp as many as it has lanes. */
DEVICE void halo_fill_rows(const cv_halo_args &a, int warp) {
  const int nx = (int)a.box.n[0], ny = (int)a.box.n[1], nz = (int)a.box.n[2];
  const int wx = (int)a.width[0], wy = (int)a.width[1], wz = (int)a.width[2], row = nx + 2 * wx, tall = ny + 2 * wy;
  const int beyond = 2 * wz * tall, rows = beyond + nz * 2 * wy, pieces = (row + 31) / 32, group = warp / pieces;
  const int i = (warp - group * pieces) * 32 + (int)threadIdx.x % 32 - wx;
  if (i >= nx + wx || group * halo_rows >= rows)
    return;
  REAL *const x = static_cast<REAL *>(a.x);
  const REAL *const from = x + halo_image(i, nx);
  REAL v[halo_rows];
  int64_t to[halo_rows];
  const int first = group * halo_rows;
  bool planes = first < beyond;
  int of = planes ? tall : 2 * wy, k = (planes ? first : first - beyond) / of, j = (planes ? first : first - beyond) - k * of;
#pragma unroll
  for (int m = 0; m < halo_rows; m++) { /* the last row once more, in place of those that there are not */
    const int to_j = planes ? j - wy : j < wy ? j - wy : ny + j - wy, to_k = !planes ? k : k < wz ? k - wz : nz + k - wz;
    v[m] = from[halo_image(to_j, ny) * a.box.sy + halo_image(to_k, nz) * a.box.sz];
    to[m] = i + to_j * a.box.sy + to_k * a.box.sz;
    if (first + m + 1 < rows && ++j == of) {
      j = 0, k++;
      if (planes && k == 2 * wz)
        planes = false, k = 0, of = 2 * wy;
    }
  }
#pragma unroll
  for (int m = 0; m < halo_rows; m++)
    x[to[m]] = v[m];
}

/* Fills both ends of row r of the nodes, all layers at once. */
DEVICE void halo_fill_ends(const cv_halo_args &a, int r) {
  const int nx = (int)a.box.n[0], ny = (int)a.box.n[1], w = (int)a.width[0], k = r / ny, j = r - k * ny;
  REAL *const x = static_cast<REAL *>(a.x) + j * a.box.sy + k * a.box.sz;
  REAL low[halo_layers], high[halo_layers];
#pragma unroll
  for (int m = 0; m < halo_layers; m++)
    if (m < w)
      low[m] = x[halo_image(-1 - m, nx)], high[m] = x[halo_image(nx + m, nx)];
#pragma unroll
  for (int m = 0; m < halo_layers; m++)
    if (m < w)
      x[-1 - m] = low[m], x[nx + m] = high[m];
}

/* A halo node takes the value of the node that it repeats: nodes are read only, halo nodes written only. The first threads have the ends of a row of nodes
   each, from the last row down, which is the likeliest to be in the second cache yet; the blocks after theirs have rows of halo nodes. */
KERNEL_BOUNDS(halo, cv_halo_args, vector_threads, 4) {
  const int rows = a.width[0] > 0 ? (int)(a.box.n[1] * a.box.n[2]) : 0, ends = (rows + vector_threads - 1) / vector_threads;
  const int block = (int)blockIdx.x, t = (int)threadIdx.x, r = rows - 1 - (block * vector_threads + t);
  if (block >= ends)
    halo_fill_rows(a, ((block - ends) * vector_threads + t) / 32);
  else if (r >= 0)
    halo_fill_ends(a, r);
}
