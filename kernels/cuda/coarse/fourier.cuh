/* Fourier transforms of a few points within a thread. */
#ifndef CONVECT_FOURIER_CUH
#define CONVECT_FOURIER_CUH

#include "../launch.h"

/* A multiprocessor holds so many blocks of wave_threads, or one of as many threads as they have: their registers are the same. */
enum { wave_blocks = sizeof(REAL) == 4 ? 3 : 2 };

struct alignas(2 * sizeof(REAL)) wave_number {
  REAL x, y;
};

/* The cosine and the sine of 2π k/n where no symmetry tells them. */
DEVICE REAL wave_cosine_of(int k, int n) {
  switch (32 * n + k) {
  case 97: return (REAL)-0.4999999999999998;
  case 161: return (REAL)0.30901699437494745;
  case 162: return (REAL)-0.8090169943749473;
  case 225: return (REAL)0.6234898018587336;
  case 226: return (REAL)-0.22252093395631434;
  case 227: return (REAL)-0.900968867902419;
  case 257: return (REAL)0.7071067811865476;
  case 289: return (REAL)0.766044443118978;
  case 290: return (REAL)0.17364817766693041;
  case 292: return (REAL)-0.9396926207859083;
  case 513: return (REAL)0.9238795325112867;
  case 514: return (REAL)0.7071067811865476;
  case 515: return (REAL)0.38268343236508984;
  case 353: return (REAL)0.8412535328311812;
  case 354: return (REAL)0.41541501300188644;
  case 355: return (REAL)-0.142314838273285;
  case 356: return (REAL)-0.654860733945285;
  case 357: return (REAL)-0.9594929736144974;
  case 417: return (REAL)0.8854560256532099;
  case 418: return (REAL)0.5680647467311559;
  case 419: return (REAL)0.120536680255323;
  case 420: return (REAL)-0.35460488704253545;
  case 421: return (REAL)-0.7485107481711012;
  case 422: return (REAL)-0.970941817426052;
  }
  return 0;
}

DEVICE REAL wave_sine_of(int k, int n) {
  switch (32 * n + k) {
  case 97: return (REAL)0.8660254037844387;
  case 161: return (REAL)0.9510565162951535;
  case 162: return (REAL)0.5877852522924732;
  case 225: return (REAL)0.7818314824680298;
  case 226: return (REAL)0.9749279121818236;
  case 227: return (REAL)0.43388373911755823;
  case 257: return (REAL)0.7071067811865475;
  case 289: return (REAL)0.6427876096865393;
  case 290: return (REAL)0.984807753012208;
  case 292: return (REAL)0.3420201433256689;
  case 513: return (REAL)0.3826834323650898;
  case 514: return (REAL)0.7071067811865475;
  case 515: return (REAL)0.9238795325112867;
  case 353: return (REAL)0.5406408174555976;
  case 354: return (REAL)0.9096319953545183;
  case 355: return (REAL)0.9898214418809328;
  case 356: return (REAL)0.7557495743542583;
  case 357: return (REAL)0.28173255684142967;
  case 417: return (REAL)0.4647231720437685;
  case 418: return (REAL)0.8229838658936564;
  case 419: return (REAL)0.992708874098054;
  case 420: return (REAL)0.9350162426854148;
  case 421: return (REAL)0.6631226582407952;
  case 422: return (REAL)0.23931566428755768;
  }
  return 0;
}

/* The cosine and the sine of 2π k/n, of numbers that the compiler knows, n up to 16. */
DEVICE REAL wave_cosine(int k, int n) {
  k %= n;
  k = 2 * k > n ? n - k : k;
  const bool over = 4 * k > n && n % 2 == 0;
  k = over ? n / 2 - k : k;
  const REAL c = k == 0 ? (REAL)1 : 4 * k == n ? (REAL)0 : wave_cosine_of(k, n);
  return over ? -c : c;
}

DEVICE REAL wave_sine(int k, int n) {
  k %= n;
  const bool below = 2 * k > n;
  k = below ? n - k : k;
  k = 4 * k > n && n % 2 == 0 ? n / 2 - k : k;
  const REAL s = k == 0 ? (REAL)0 : 4 * k == n ? (REAL)1 : wave_sine_of(k, n);
  return below ? -s : s;
}

/* v (c - i s), the cosine and the sine of an angle. */
DEVICE wave_number wave_turn(wave_number v, wave_number turn) {
  return {fma(v.y, turn.y, v.x * turn.x), fma(-v.x, turn.y, v.y * turn.x)};
}

DEVICE wave_number operator+(wave_number a, wave_number b) { return {a.x + b.x, a.y + b.y}; }
DEVICE wave_number operator-(wave_number a, wave_number b) { return {a.x - b.x, a.y - b.y}; }

/* In place, V_k = Σ v_n exp(-2πi n k/R), of an odd prime R: of sums and differences of those that are as far from the ends. */
template <int R> struct wave_fourier {
  static __device__ __forceinline__ void within(wave_number (&v)[R]) {
    constexpr int half = R / 2;
    wave_number sum[half], less[half], all = v[0];
#pragma unroll
    for (int n = 0; n < half; n++) {
      sum[n] = v[n + 1] + v[R - 1 - n], less[n] = v[n + 1] - v[R - 1 - n];
      all = all + sum[n];
    }
    const wave_number first = v[0];
    v[0] = all;
#pragma unroll
    for (int k = 1; k <= half; k++) {
      wave_number even = first, odd = {0, 0};
#pragma unroll
      for (int n = 0; n < half; n++) {
        const REAL c = wave_cosine((n + 1) * k, R), s = wave_sine((n + 1) * k, R);
        even = {fma(c, sum[n].x, even.x), fma(c, sum[n].y, even.y)};
        odd = {fma(s, less[n].x, odd.x), fma(s, less[n].y, odd.y)};
      }
      v[k] = {even.x + odd.y, even.y - odd.x};
      v[R - k] = {even.x - odd.y, even.y + odd.x};
    }
  }
};

template <> struct wave_fourier<2> {
  static __device__ __forceinline__ void within(wave_number (&v)[2]) {
    const wave_number less = v[0] - v[1];
    v[0] = v[0] + v[1], v[1] = less;
  }
};

template <> struct wave_fourier<4> {
  static __device__ __forceinline__ void within(wave_number (&v)[4]) {
    const wave_number even = v[0] + v[2], even_less = v[0] - v[2], odd = v[1] + v[3], odd_less = v[1] - v[3];
    v[0] = even + odd, v[2] = even - odd;
    v[1] = {even_less.x + odd_less.y, even_less.y - odd_less.x};
    v[3] = {even_less.x - odd_less.y, even_less.y + odd_less.x};
  }
};

/* Of A times B points: A of them each, and B of these. In general the A are B apart, and what comes of them is turned; where both have no divisor in common numbers are taken by
   their remainders instead, and nothing is turned. */
template <int A, int B, bool coprime> struct wave_product {
  static __device__ __forceinline__ void within(wave_number (&v)[A * B]) {
    constexpr int R = A * B;
    wave_number part[B][A];
#pragma unroll
    for (int n = 0; n < B; n++) {
#pragma unroll
      for (int m = 0; m < A; m++)
        part[n][m] = v[coprime ? (B * m + A * n) % R : B * m + n];
      wave_fourier<A>::within(part[n]);
#pragma unroll
      for (int k = 1; k < A; k++)
        if (!coprime && n > 0)
          part[n][k] = wave_turn(part[n][k], {wave_cosine(n * k, R), wave_sine(n * k, R)});
    }
#pragma unroll
    for (int k = 0; k < A; k++) {
      wave_number of[B];
#pragma unroll
      for (int n = 0; n < B; n++)
        of[n] = part[n][k];
      wave_fourier<B>::within(of);
#pragma unroll
      for (int m = 0; m < B; m++) {
        int number = coprime ? k : k + A * m; /* with these remainders by A and by B */
#pragma unroll
        for (int q = 0; q < B; q++)
          number = !coprime || number % B == m ? number : number + A;
        v[number] = of[m];
      }
    }
  }
};

template <> struct wave_fourier<6> : wave_product<2, 3, true> {};
template <> struct wave_fourier<8> : wave_product<2, 4, false> {};
template <> struct wave_fourier<9> : wave_product<3, 3, false> {};
template <> struct wave_fourier<10> : wave_product<2, 5, true> {};
template <> struct wave_fourier<12> : wave_product<3, 4, true> {};
template <> struct wave_fourier<16> : wave_product<4, 4, false> {};

#endif
