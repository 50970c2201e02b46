/* FastTransform: lines of nodes are transformed to sines and cosines, or back, by fast Fourier transforms.

   Two lines are the parts of complex numbers: what is real and linear makes of both what it makes of each. Between free and between fixed ends a line and its mirror image,
   or that with the other sign, are a period of twice as many points, in which the transform is that of the sum of the waves. Where one end is fixed the period is twice as long
   and its second half is the first with the other sign, so that waves of odd numbers are left: those of the first half, after a turn.

   A block has some pairs of lines in shared memory, those of a point side by side, and makes passes of a few points each (Stockham) from one copy to another. */
#include "fourier.cuh"

struct wave_lines {
  unsigned from, to, turns; /* bytes of shared memory before the copy that a pass reads, that which it writes, and all turns of the period */
  int points, nodes, shift; /* of the period; of a line; of pairs, a power of two */
};

/* What lies so many bytes into shared memory. */
DEVICE wave_number &wave_at(unsigned bytes) {
  DYNAMIC_SHARED(unsigned char, shared);
  return *reinterpret_cast<wave_number *>(shared + bytes);
}

/* Bytes of so many points of all pairs, and the bytes of a point. */
enum { wave_bytes = sizeof(wave_number) };
DEVICE unsigned wave_points(const wave_lines &w, int points) { return (unsigned)points * (unsigned)wave_bytes << w.shift; }
DEVICE wave_number &wave_point(const wave_lines &w, int t, int pair) { return wave_at(w.from + wave_points(w, t) + (unsigned)(pair * wave_bytes)); }

/* The table, and the pair of lines that a thread reads and writes: where both begin. In place of one that is not there the last is read, and none is written. */
struct wave_ends {
  const REAL *turns, *scale;
  const REAL *one, *two;
  REAL *to_one, *to_two;
  int step; /* from number to number */
  bool first, second;
};

DEVICE wave_number wave_times(REAL c, wave_number v) { return {c * v.x, c * v.y}; }

/* A pair's number i. */
DEVICE wave_number wave_read(const wave_ends &e, int i) {
  const int at = i * e.step;
  return {e.one[at], e.two[at]};
}

DEVICE void wave_write(const wave_ends &e, int i, wave_number v) {
  const int at = i * e.step;
  if (e.first)
    e.to_one[at] = v.x;
  if (e.second)
    e.to_two[at] = v.y;
}

/* Which wave is stored as number s, of as many nodes: of sines none is beyond the last but one. */
template <int kind> DEVICE int wave_of(int s, int nodes) {
  const int half = (nodes + 1) / 2, odd = s >= half ? s - half : 0;
  return kind == cv_cosines ? (s >= half ? 2 * odd + 1 : 2 * s) : kind == cv_sines ? (s >= half ? 2 * odd + 2 : 2 * s + 1) : s;
}

/* v exp(-i angle), the angle that of half a point more than others of the period for each t. */
DEVICE wave_number wave_turned(const wave_ends &e, wave_number v, int t) { return wave_turn(v, reinterpret_cast<const wave_number *>(e.turns)[t]); }

/* Puts number i of a line, of nodes or of waves, into the period. */
template <int kind, bool back> DEVICE void wave_put(const wave_lines &w, const wave_ends &e, int pair, int i) {
  constexpr bool odd = kind == cv_sines || kind == (back ? cv_fixed_low : cv_fixed_high); /* the mirror image has the other sign */
  const int last = w.nodes - 1, m = back ? wave_of<kind>(i, w.nodes) : i;
  const auto put = [&](int t, wave_number v) { wave_point(w, t, pair) = v; };
  wave_number v = wave_read(e, i);
  if (back)
    v = wave_times(e.scale[i], v);
  const wave_number none = {0, 0}, image = odd ? wave_number{-v.x, -v.y} : v;
  if (kind == cv_periodic_waves) {
    put(m, v);
  } else if (kind == cv_cosines) {
    put(m, m == 0 || m == last ? wave_times(2, v) : v);
    if (m > 0 && m < last)
      put(w.points - m, image);
  } else if (kind == cv_sines) {
    put(m > last ? 0 : m, m == 0 || m >= last ? none : v);
    if (m > 0 && m < last)
      put(w.points - m, image);
  } else if (back) {
    if (m < last) {
      put(m, v);
      put(w.points - 1 - m, image);
    }
  } else {
    const bool fixed = m == (kind == cv_fixed_low ? 0 : last), middle = m == 0 || m == last;
    put(m, fixed ? none : wave_turned(e, wave_times(middle ? 2 : 1, v), m));
    if (!middle)
      put(w.points - m, wave_turned(e, image, w.points - m));
  }
}

/* The same of both waves of number m of a periodic line: the first has only a cosine, and of an even number of nodes the last only a sine. */
DEVICE void wave_put_both(const wave_lines &w, const wave_ends &e, int pair, int m) {
  const int n = w.nodes, sine = (n + 1) / 2 + m - 1;
  if (m == 0 || 2 * m == n) {
    const int i = m == 0 ? 0 : sine;
    wave_point(w, m, pair) = wave_times(e.scale[i], wave_read(e, i));
    return;
  }
  const wave_number c = wave_times((REAL)0.5 * e.scale[m], wave_read(e, m)), s = wave_times((REAL)0.5 * e.scale[sine], wave_read(e, sine));
  wave_point(w, m, pair) = wave_turned(e, {c.x - s.y, c.y + s.x}, m);
  wave_point(w, n - m, pair) = wave_turned(e, {-c.x - s.y, -c.y + s.x}, n - m);
}

/* Takes number i of a line out of the period. */
template <int kind, bool back> DEVICE void wave_take(const wave_lines &w, const wave_ends &e, int pair, int i) {
  constexpr bool sines = kind == cv_sines || kind == cv_fixed_low, half = kind == cv_fixed_low || kind == cv_fixed_high;
  const int last = w.nodes - 1, m = back ? i : wave_of<kind>(i, w.nodes);
  const bool none = back ? (sines && i == 0) || ((kind == cv_sines || kind == cv_fixed_high) && i == last) : kind != cv_cosines && m >= last;
  wave_number v = wave_point(w, none ? 0 : m, pair);
  if (kind != cv_periodic_waves) {
    if (back && half)
      v = wave_turned(e, v, m);
    const REAL scale = back ? (REAL)0.5 : (REAL)0.5 * e.scale[i];
    v = none ? wave_number{0, 0} : sines ? wave_number{-scale * v.y, scale * v.x} : wave_times(scale, v);
  }
  wave_write(e, i, v);
}

DEVICE void wave_take_both(const wave_lines &w, const wave_ends &e, int pair, int m) {
  const int n = w.nodes, sine = (n + 1) / 2 + m - 1;
  const wave_number turn = reinterpret_cast<const wave_number *>(e.turns)[m];
  const wave_number one = wave_point(w, m, pair), two = wave_point(w, m == 0 ? 0 : n - m, pair), sum = one + two, less = one - two;
  if (2 * m != n)
    wave_write(e, m, wave_times((REAL)0.5 * e.scale[m], {fma(turn.x, sum.x, turn.y * less.y), fma(turn.x, sum.y, -turn.y * less.x)}));
  if (m > 0)
    wave_write(e, sine, wave_times((REAL)0.5 * e.scale[sine], {fma(turn.y, sum.x, -turn.x * less.y), fma(turn.y, sum.y, turn.x * less.x)}));
}

/* Parts of a point that the turns of the table are apart. */
DEVICE int wave_parts(int kind) { return kind == cv_cosines || kind == cv_sines ? 1 : 2; }

/* All numbers of all lines, read or written: threads side by side have those that are side by side in memory, eight of four lines along x. */
template <int axis, int kind, bool back, bool in> DEVICE void wave_each(const wave_lines &w, const cv_fast_transform_args &a, const unsigned *begins, int lines) {
  constexpr bool both = kind == cv_periodic_waves && in == back;
  const int t = (int)threadIdx.x, shift = axis == 0 && w.shift > 2 ? 2 : w.shift, others = w.shift - shift; /* groups of pairs have threads of their own */
  const int beside = t & ((1 << shift) - 1), group = t / 32 & ((1 << others) - 1), pair = axis == 0 ? (group << shift) + beside : beside;
  const int first = axis == 0 ? (t / 32 >> others << (5 - shift)) + (t % 32 >> shift) : t >> shift, step = (int)blockDim.x >> w.shift;
  const int numbers = both ? w.nodes / 2 + 1 : w.nodes;
  const unsigned one = begins[min(2 * pair, lines - 1)], two = begins[min(2 * pair + 1, lines - 1)];
  const REAL *const turns = static_cast<const REAL *>(a.table);
  const wave_ends e = {turns, turns + 2 * w.points * wave_parts(kind), static_cast<const REAL *>(a.in) + one, static_cast<const REAL *>(a.in) + two,
                       static_cast<REAL *>(a.out) + one, static_cast<REAL *>(a.out) + two, axis == 0 ? 1 : (int)a.box.sy, 2 * pair < lines, 2 * pair + 1 < lines};
#pragma unroll 4
  for (int i = first; i < numbers; i += step) {
    if (both && in)
      wave_put_both(w, e, pair, i);
    else if (both)
      wave_take_both(w, e, pair, i);
    else if (in)
      wave_put<kind, back>(w, e, pair, i);
    else
      wave_take<kind, back>(w, e, pair, i);
  }
}

template <int axis, bool in> DEVICE void wave_lines_of(const wave_lines &w, const cv_fast_transform_args &a, const unsigned *begins, int lines) {
  switch (2 * a.waves + (a.back != 0)) {
#define WAVE_EACH(kind)                                            \
  case 2 * kind:                                                   \
    return wave_each<axis, kind, false, in>(w, a, begins, lines);  \
  case 2 * kind + 1:                                               \
    return wave_each<axis, kind, true, in>(w, a, begins, lines);
    WAVE_EACH(cv_cosines)
    WAVE_EACH(cv_sines)
    WAVE_EACH(cv_fixed_high)
    WAVE_EACH(cv_fixed_low)
    WAVE_EACH(cv_periodic_waves)
  }
}

enum { wave_first, wave_middle, wave_last, wave_last_half };

/* One pass: R points each are transformed that lie as far apart as they can, and the results of `before`, the product of the radices before, lie one after the other. Of the last
   one as many results are needed as a line has nodes: all of the period, or the first half. */
template <int R, int which> DEVICE void wave_pass(const wave_lines &w, int before) {
  const int apart = w.points / R, pairs = 1 << w.shift;
  const unsigned whole = which == wave_middle ? 0xffffffffu / (unsigned)before + 1 : 0; /* 2^32 over it, by which to divide */
  const unsigned read_step = wave_points(w, apart), write_step = wave_points(w, which == wave_first ? 1 : before);
  for (int b = (int)threadIdx.x; b < apart << w.shift; b += (int)blockDim.x) {
    const int pair = b & (pairs - 1), j = b >> w.shift;
    const int block = which == wave_middle ? (int)((uint64_t)(unsigned)j * whole >> 32) : which == wave_first ? j : 0;
    const int within = which == wave_middle ? j - block * before : which == wave_first ? 0 : j;
    const unsigned own = (unsigned)(pair * wave_bytes);
    unsigned from = w.from + (unsigned)(b * wave_bytes);
    wave_number v[R];
#pragma unroll
    for (int r = 0; r < R; r++, from += read_step)
      v[r] = wave_at(from);
    if (which != wave_first) {
      const unsigned turn_step = (unsigned)wave_bytes * (unsigned)(which >= wave_last ? within : within * (apart / before));
      unsigned turn = w.turns + turn_step;
#pragma unroll
      for (int r = 1; r < R; r++, turn += turn_step)
        v[r] = wave_turn(v[r], wave_at(turn));
    }
    wave_fourier<R>::within(v);
    unsigned to = w.to + own + wave_points(w, which == wave_first ? j * R : block * before * R + within);
#pragma unroll
    for (int r = 0; r < (which == wave_last_half ? R / 2 + 1 : R); r++, to += write_step)
      if (which != wave_last_half || r < (R + 1) / 2 - 1 || within + r * before < w.nodes)
        wave_at(to) = v[r];
  }
}

template <int which> DEVICE void wave_pass_of(const wave_lines &w, int radix, int before) {
  switch (radix) {
#define WAVE_PASS(R) \
  case R:            \
    return wave_pass<R, which>(w, before);
    WAVE_PASS(2)
    WAVE_PASS(3)
    WAVE_PASS(4)
    WAVE_PASS(5)
    WAVE_PASS(6)
    WAVE_PASS(7)
    WAVE_PASS(8)
    WAVE_PASS(9)
    WAVE_PASS(10)
    WAVE_PASS(11)
    WAVE_PASS(12)
    WAVE_PASS(13)
    WAVE_PASS(16)
  }
}

/* The same with an odd prime R of any size. A thread makes some results and those as far from the other end, of sums and differences as wave_fourier does; they are Σ over all pairs of points
   there, so that a pass takes R operations a point. */
DEVICE void wave_pass_prime(const wave_lines &w, int R, int before) {
  const int apart = w.points / R, pairs = 1 << w.shift, half = R / 2, parts = (half + wave_some - 1) / wave_some;
  const unsigned read_step = wave_points(w, apart), write_step = wave_points(w, before), period = (unsigned)(w.points * wave_bytes);
  const bool all = before * R < w.points || w.nodes == w.points; /* else the first half */
  for (int b = (int)threadIdx.x; b < parts * apart << w.shift; b += (int)blockDim.x) {
    const int pair = b & (pairs - 1), part = (b >> w.shift) / apart, j = (b >> w.shift) - part * apart;
    const int block = j / before, within = j - block * before, k = 1 + part * wave_some;
    const unsigned own = (unsigned)(pair * wave_bytes), turn_step = (unsigned)(within * (apart / before) * wave_bytes);
    const wave_number first = wave_at(w.from + own + wave_points(w, j));
    unsigned low = w.from + own + wave_points(w, j), high = low + (unsigned)R * read_step, low_turn = 0, high_turn = (unsigned)R * turn_step;
    wave_number zero = first, even[wave_some], odd[wave_some];
    unsigned angle[wave_some], step[wave_some];
#pragma unroll
    for (int s = 0; s < wave_some; s++)
      even[s] = first, odd[s] = {0, 0}, angle[s] = 0, step[s] = (unsigned)(min(k + s, half) * apart * wave_bytes);
#pragma unroll 2
    for (int n = 0; n < half; n++) {
      low += read_step, high -= read_step, low_turn += turn_step, high_turn -= turn_step;
      wave_number v = wave_at(low), image = wave_at(high);
      if (before > 1)
        v = wave_turn(v, wave_at(w.turns + low_turn)), image = wave_turn(image, wave_at(w.turns + high_turn));
      const wave_number sum = v + image, less = v - image;
      zero = zero + sum;
#pragma unroll
      for (int s = 0; s < wave_some; s++) {
        angle[s] += step[s];
        angle[s] = angle[s] < period ? angle[s] : angle[s] - period;
        const wave_number turn = wave_at(w.turns + angle[s]);
        even[s] = {fma(turn.x, sum.x, even[s].x), fma(turn.x, sum.y, even[s].y)};
        odd[s] = {fma(turn.y, less.x, odd[s].x), fma(turn.y, less.y, odd[s].y)};
      }
    }
    const unsigned to = w.to + own + wave_points(w, block * before * R + within);
    const auto put = [&](int number, wave_number value) {
      if (all || within + number * before < w.nodes)
        wave_at(to + (unsigned)number * write_step) = value;
    };
    if (part == 0)
      put(0, zero);
#pragma unroll
    for (int s = 0; s < wave_some; s++)
      if (k + s <= half) {
        put(k + s, {even[s].x + odd[s].y, even[s].y - odd[s].x});
        put(R - k - s, {even[s].x - odd[s].y, even[s].y + odd[s].x});
      }
  }
}

KERNEL_BOUNDS(fast_transform, cv_fast_transform_args, wave_threads * wave_blocks, 1) {
  const int axis = (int)a.axis, kind = (int)a.waves, parts = wave_parts(kind), pairs = (int)a.pairs;
  wave_lines w;
  w.nodes = (int)a.box.n[axis];
  w.points = kind == cv_periodic_waves ? w.nodes : 2 * (w.nodes - 1);
  w.shift = 0;
  while (1 << w.shift < pairs)
    w.shift++;
  w.from = 0;
  w.to = wave_points(w, w.points);
  w.turns = 2 * w.to;
  unsigned *const begins = reinterpret_cast<unsigned *>(&wave_at(w.turns + (unsigned)(w.points * wave_bytes)));
  const int across = (int)a.box.n[1 - axis], first_line = (int)blockIdx.x * 2 * pairs;
  const int lines = min(across * (int)a.box.n[2] - first_line, 2 * pairs);
  for (int line = (int)threadIdx.x; line < lines; line += (int)blockDim.x) {
    const int plane = (first_line + line) / across, within = first_line + line - plane * across;
    begins[line] = (unsigned)(plane * a.box.sz + within * (axis == 0 ? a.box.sy : 1)); /* no array has more elements than that */
  }
  for (int t = (int)threadIdx.x; t < w.points; t += (int)blockDim.x)
    wave_at(w.turns + (unsigned)(t * wave_bytes)) = static_cast<const wave_number *>(a.table)[t * parts];
  __syncthreads();
  if (axis == 0)
    wave_lines_of<0, true>(w, a, begins, lines);
  else
    wave_lines_of<1, true>(w, a, begins, lines);
  int before = 1;
  for (int64_t radices = a.radices; radices != 0; radices >>= wave_bits) {
    const int radix = (int)(radices & ((1 << wave_bits) - 1));
    __syncthreads();
    if (radix > wave_most)
      wave_pass_prime(w, radix, before);
    else if (before == 1)
      wave_pass_of<wave_first>(w, radix, before);
    else if (before * radix == w.points && w.nodes < w.points)
      wave_pass_of<wave_last_half>(w, radix, before);
    else if (before * radix == w.points)
      wave_pass_of<wave_last>(w, radix, before);
    else
      wave_pass_of<wave_middle>(w, radix, before);
    before *= radix;
    const unsigned other = w.from;
    w.from = w.to, w.to = other;
  }
  __syncthreads();
  if (axis == 0)
    wave_lines_of<0, false>(w, a, begins, lines);
  else
    wave_lines_of<1, false>(w, a, begins, lines);
}
