/* FastTransform between two free or two fixed ends: a line and its mirror image, or that with the other sign, are a period of twice as many points P, and so is what comes of them.

   Two lines are the parts of complex numbers: what is real and linear makes of both what it makes of each. Of radices R, ..., and A = P/R, the first pass transforms the points j, j + A, ...
   for the j up to A/2 alone, since what comes of A - j is the same in the other direction; and of its results k it keeps those up to R/2, since waves k, k + R, ... are those of R - k
   again. So a pass takes about half the work of one over the period, and in its place: the results of a pass lie where the points were that they are made of. The first pass takes lines
   from memory, and the last one puts them there.

   Some pairs of lines lie side by side in shared memory, of a group the first lines of all and then the second ones: four along x, where a warp has eight points of them, and eight along y,
   where lines are neighbours in memory. Where the last radix is even a place is left free after as many points, and so many after the A of a result that they are odd: then few threads
   meet in a bank. Along x what the last pass makes goes to memory by shared memory, side by side. */
#include "fourier.cuh"

enum { mirror_bytes = sizeof(wave_number) };

struct mirror_lines {
  int nodes, points; /* of a line, and of its period */
  int apart, kept;   /* A; results of the first pass that are kept */
  int run, wide;     /* the last radix, and the places of so many points */
  int result;        /* places of a result of the first pass */
  int shift, groups; /* of pairs side by side, a power of two; of as many */
  int lines;
  int step;          /* from number to number of a line */
  unsigned turns;    /* bytes of shared memory before the turns of the first pass, and those of the passes between */
  const unsigned *begins;
  unsigned *places; /* along x: where what is stored as a number lies */
};

DEVICE wave_number &mirror_at(unsigned bytes) {
  DYNAMIC_SHARED(unsigned char, shared);
  return *reinterpret_cast<wave_number *>(shared + bytes);
}

DEVICE unsigned mirror_places(const mirror_lines &w, int places) { return (unsigned)places * (unsigned)mirror_bytes << w.shift; }

/* v (c + i s) */
DEVICE wave_number mirror_turn_back(wave_number v, wave_number turn) { return {fma(-v.y, turn.y, v.x * turn.x), fma(v.x, turn.y, v.y * turn.x)}; }

/* a / b by w = 2^32/b + 1, where a b is less than 2^32. */
DEVICE int mirror_quotient(int a, int b, unsigned w) { return b == 1 ? a : (int)((uint64_t)(unsigned)a * w >> 32); }
DEVICE unsigned mirror_whole(int b) { return b == 1 ? 0 : 0xffffffffu / (unsigned)b + 1; }

/* Where wave m is stored: of cosines the even ones come first, of sines the odd ones. */
template <bool sines> DEVICE int mirror_stored(const mirror_lines &w, int m) {
  const int half = (w.nodes + 1) / 2;
  return (m >> 1) + (sines ? (m & 1 ? 0 : half - 1) : (m & 1 ? half : 0));
}

/* The lines of a pair, of which the second may be missing, or both: the last line is read then, and none written. */
struct mirror_pair {
  unsigned one, two;
  bool first, second;
};

DEVICE mirror_pair mirror_pair_of(const mirror_lines &w, int group, int lane) {
  const int one = (2 * group << w.shift) + lane, two = one + (1 << w.shift), last = w.lines - 1;
  const mirror_pair p = {w.begins[min(one, last)], w.begins[min(two, last)], one <= last, two <= last};
  return p;
}

/* What a number at an end of its line is in the period: there is one of it, and two of all others; sines have none. */
template <bool sines> DEVICE wave_number mirror_end(wave_number v) { return sines ? wave_number{0, 0} : v + v; }

/* The first pass, of radix R, from memory. */
template <int R, bool sines, bool back> DEVICE void mirror_first(const mirror_lines &w, const cv_fast_transform_args &a) {
  const int numbers = w.apart / 2 + 1, evens = w.apart / 4 + 1;
  const bool parted = back && w.step == 1 && w.apart % 2 == 0; /* waves of even numbers are neighbours in memory, and those of odd ones */
  const unsigned whole = mirror_whole(numbers), whole_run = mirror_whole(w.run), result = mirror_places(w, w.result);
  const REAL *const in = static_cast<const REAL *>(a.in), *const scale = static_cast<const REAL *>(a.table) + 2 * w.points;
  for (int b = (int)threadIdx.x; b < numbers * w.groups << w.shift; b += (int)blockDim.x) {
    const int lane = b & ((1 << w.shift) - 1), group = mirror_quotient(b >> w.shift, numbers, whole), number = (b >> w.shift) - group * numbers;
    const int j = !parted ? number : number < evens ? 2 * number : 2 * (number - evens) + 1;
    const mirror_pair p = mirror_pair_of(w, group, lane);
    wave_number v[R];
#pragma unroll
    for (int r = 0; r < R; r++) {
      const int t = j + r * w.apart, m = 2 * r < R ? t : w.points - t;
      const unsigned i = (unsigned)(back ? mirror_stored<sines>(w, m) : m), at = i * (unsigned)w.step;
      v[r] = {in[p.one + at], in[p.two + at]};
      if (back) {
        const REAL c = scale[i];
        v[r] = {c * v[r].x, c * v[r].y};
      }
      if (sines && 2 * r >= R)
        v[r] = {-v[r].x, -v[r].y};
    }
    if (j == 0) {
      v[0] = mirror_end<sines>(v[0]);
      if (R % 2 == 0)
        v[R / 2] = mirror_end<sines>(v[R / 2]);
    }
    if (R % 2 != 0 && 2 * j == w.apart)
      v[R / 2] = mirror_end<sines>(v[R / 2]);
    wave_fourier<R>::within(v);
    const int image = w.apart - j, runs = mirror_quotient(j, w.run, whole_run), image_runs = mirror_quotient(image, w.run, whole_run);
    const bool both = j > 0 && image > j;
    const unsigned begin = mirror_places(w, group * w.kept * w.result) + (unsigned)(lane * mirror_bytes);
    unsigned to = begin + mirror_places(w, j + runs * (w.wide - w.run)), image_to = begin + mirror_places(w, image + image_runs * (w.wide - w.run));
    unsigned turn_at = w.turns;
#pragma unroll
    for (int k = 0; k <= R / 2; k++, to += result, image_to += result, turn_at += (unsigned)(j * mirror_bytes)) {
      const wave_number turn = mirror_at(turn_at);
      mirror_at(to) = k == 0 ? v[0] : wave_turn(v[k], turn);
      if (both) {
        const wave_number other = k == 0 ? v[0] : mirror_turn_back(v[k == 0 ? 0 : R - k], turn);
        mirror_at(image_to) = sines ? wave_number{-other.x, -other.y} : other;
      }
    }
  }
}

/* Takes R points, and transforms them. */
template <int R> DEVICE void mirror_take(wave_number (&v)[R], unsigned from, unsigned step) {
#pragma unroll
  for (int r = 0; r < R; r++, from += step)
    v[r] = mirror_at(from);
  wave_fourier<R>::within(v);
}

/* A pass of radix R in blocks of `length` points, whose turns lie after so many bytes. */
template <int R> DEVICE void mirror_middle(const mirror_lines &w, int length, unsigned turns) {
  const int apart = length / R, runs = apart / w.run, blocks = w.apart / length, each = blocks * apart; /* of a result */
  const unsigned whole = mirror_whole(apart), whole_run = mirror_whole(w.run), whole_each = mirror_whole(each), step = mirror_places(w, runs * w.wide);
  for (int b = (int)threadIdx.x; b < each * w.kept * w.groups << w.shift; b += (int)blockDim.x) {
    const int lane = b & ((1 << w.shift) - 1), q = b >> w.shift, number = mirror_quotient(q, each, whole_each), within = q - number * each;
    const int block = mirror_quotient(within, apart, whole), j = within - block * apart;
    const int place = number * w.result + block * (length / w.run) * w.wide + j + mirror_quotient(j, w.run, whole_run) * (w.wide - w.run);
    const unsigned from = mirror_places(w, place) + (unsigned)(lane * mirror_bytes);
    wave_number v[R];
    mirror_take(v, from, step);
    const unsigned turn_step = (unsigned)(j * mirror_bytes);
    unsigned turn = turns + turn_step, at = from + step;
    mirror_at(from) = v[0];
#pragma unroll
    for (int k = 1; k < R; k++, at += step, turn += turn_step)
      mirror_at(at) = wave_turn(v[k], mirror_at(turn));
  }
}

/* The same with an odd prime R of any size, as wave_pass_prime makes it. The results of a column lie where all of its points were: threads keep theirs until those of all columns that a block
   works on at a time are known. */
DEVICE void mirror_prime(const mirror_lines &w, int R, int length, unsigned turns) {
  const int apart = length / R, runs = apart / w.run, each = w.apart / R, all = each * w.kept * w.groups << w.shift;
  const int half = R / 2, parts = (half + wave_some - 1) / wave_some, results = (half + parts - 1) / parts, at_once = (int)blockDim.x / parts;
  const int part = (int)threadIdx.x / at_once, k = 1 + part * results, some = min(results, half + 1 - k);
  const unsigned whole = mirror_whole(apart), whole_run = mirror_whole(w.run), whole_each = mirror_whole(each), step = mirror_places(w, runs * w.wide), period = (unsigned)(length * mirror_bytes);
  unsigned steps[wave_some];
#pragma unroll
  for (int s = 0; s < wave_some; s++)
    steps[s] = (unsigned)(min(k + s, half) * apart * mirror_bytes);
  for (int begin = 0; begin < all; begin += at_once) {
    const int b = begin + (int)threadIdx.x - part * at_once;
    const bool busy = part < parts && b < all;
    const int lane = b & ((1 << w.shift) - 1), q = busy ? b >> w.shift : 0, number = mirror_quotient(q, each, whole_each), within = q - number * each;
    const int block = mirror_quotient(within, apart, whole), j = within - block * apart;
    const int place = number * w.result + block * (length / w.run) * w.wide + j + mirror_quotient(j, w.run, whole_run) * (w.wide - w.run);
    const unsigned from = mirror_places(w, place) + (unsigned)(lane * mirror_bytes);
    wave_number zero = busy ? mirror_at(from) : wave_number{0, 0}, even[wave_some], odd[wave_some];
    unsigned low = from, high = from + (unsigned)R * step, angle[wave_some];
#pragma unroll
    for (int s = 0; s < wave_some; s++)
      even[s] = zero, odd[s] = {0, 0}, angle[s] = 0;
    if (busy)
#pragma unroll 1
      for (int n = 0; n < half; n++) {
        low += step, high -= step;
        const wave_number v = mirror_at(low), image = mirror_at(high), sum = v + image, less = v - image;
        zero = zero + sum;
#pragma unroll
        for (int s = 0; s < wave_some; s++) {
          angle[s] += steps[s];
          angle[s] = min(angle[s], angle[s] - period); /* of unsigned numbers: less by a period where there is one */
          const wave_number turn = mirror_at(turns + angle[s]);
          even[s] = {fma(turn.x, sum.x, even[s].x), fma(turn.x, sum.y, even[s].y)};
          odd[s] = {fma(turn.y, less.x, odd[s].x), fma(turn.y, less.y, odd[s].y)};
        }
      }
    __syncthreads();
    if (!busy)
      continue;
    const auto put = [&](int result, wave_number v) { mirror_at(from + (unsigned)result * step) = wave_turn(v, mirror_at(turns + (unsigned)(j * result * mirror_bytes))); };
    if (part == 0)
      mirror_at(from) = zero;
#pragma unroll
    for (int s = 0; s < wave_some; s++)
      if (s < some) {
        put(k + s, {even[s].x + odd[s].y, even[s].y - odd[s].x});
        put(R - k - s, {even[s].x - odd[s].y, even[s].y + odd[s].x});
      }
  }
}

/* A number of a block of the last pass whose digits are of the radices between the first and the last, with those in the other order. */
DEVICE int mirror_reversed(int64_t radices, int count, int number) {
  int reversed = 0;
  for (int n = count - 2; n > 0; n--) {
    const int radix = (int)(radices >> (n * wave_bits) & ((1 << wave_bits) - 1)), rest = number / radix;
    reversed = reversed * radix + number - rest * radix;
    number = rest;
  }
  return reversed;
}

/* What is stored of a result v of the transform, of wave m; the mirror image of one has the other sign in sines. */
template <bool sines, bool back> DEVICE wave_number mirror_result(const cv_fast_transform_args &a, const mirror_lines &w, wave_number v, int i, bool image) {
  REAL c = (REAL)0.5;
  if (!back)
    c *= (static_cast<const REAL *>(a.table) + 2 * w.points)[i];
  if (sines && image)
    c = -c;
  return sines ? wave_number{-c * v.y, c * v.x} : wave_number{c * v.x, c * v.y};
}

DEVICE void mirror_put(const mirror_lines &w, const mirror_pair &p, REAL *out, int i, wave_number v) {
  const unsigned at = (unsigned)(i * w.step);
  if (p.first)
    out[p.one + at] = v.x;
  if (p.second)
    out[p.two + at] = v.y;
}

/* The last pass, of radix R: along y to memory, and along x in its place. */
template <int R, bool sines, bool back> DEVICE void mirror_last(const mirror_lines &w, const cv_fast_transform_args &a, int first, int count) {
  const int blocks = w.apart / R, apart = w.points / R, last = w.nodes - 1, each = w.kept * blocks;
  const unsigned whole_kept = mirror_whole(w.kept), whole_each = mirror_whole(each), step = mirror_places(w, 1);
  REAL *const out = static_cast<REAL *>(a.out);
  for (int b = (int)threadIdx.x; b < each * w.groups << w.shift; b += (int)blockDim.x) {
    const int lane = b & ((1 << w.shift) - 1), q = b >> w.shift, group = mirror_quotient(q, each, whole_each), within = q - group * each;
    const int block = mirror_quotient(within, w.kept, whole_kept), k = within - block * w.kept;
    const unsigned from = mirror_places(w, (group * w.kept + k) * w.result + block * w.wide) + (unsigned)(lane * mirror_bytes);
    wave_number v[R];
    mirror_take(v, from, step);
    if (w.step == 1) {
      unsigned at = from;
#pragma unroll
      for (int r = 0; r < R; r++, at += step)
        mirror_at(at) = v[r];
      continue;
    }
    const mirror_pair p = mirror_pair_of(w, group, lane);
    const int wave = k + first * (count > 3 ? mirror_reversed(a.radices, count, block) : block);
    const bool own = k == 0 || 2 * k == first; /* its mirror image is among those that are kept */
#pragma unroll
    for (int r = 0; r < R; r++) {
      const int number = wave + r * apart;
      const bool image = number > last, none = sines && (number == 0 || number == last);
      const int m = image ? w.points - number : number;
      if (own && image)
        continue;
      if (back || !sines || m > 0) {
        const int i = back ? m : mirror_stored<sines>(w, m);
        mirror_put(w, p, out, i, none ? wave_number{0, 0} : mirror_result<sines, back>(a, w, v[r], i, image));
      }
      if (sines && !back && m == last)
        mirror_put(w, p, out, mirror_stored<sines>(w, m + 1), {0, 0});
    }
  }
}

/* Of a place its sign, and whether it has none. */
enum { mirror_image = 1u << 31, mirror_none = 1u << 30 };

/* Along x: where what is stored as each number lies, in a group. */
template <bool sines, bool back> DEVICE void mirror_find(const mirror_lines &w, const cv_fast_transform_args &a, int first, int count) {
  const int half = (w.nodes + 1) / 2;
  for (int i = (int)threadIdx.x; i < w.nodes; i += (int)blockDim.x) {
    const int odd = i >= half ? i - half : 0;
    const int m = back ? i : sines ? (i >= half ? 2 * odd + 2 : 2 * i + 1) : i >= half ? 2 * odd + 1 : 2 * i;
    if (sines && (m == 0 || m >= w.nodes - 1)) {
      w.places[i] = mirror_none;
      continue;
    }
    const bool image = m % first > first / 2;
    const int number = image ? w.points - m : m, result = number % first;
    int rest = number / first, block = 0; /* the last digit of the number is the highest */
    for (int n = 1; n < count - 1; n++) {
      const int radix = (int)(a.radices >> (n * wave_bits) & ((1 << wave_bits) - 1));
      block = block * radix + rest % radix;
      rest /= radix;
    }
    w.places[i] = mirror_places(w, result * w.result + block * w.wide + rest) | (image ? (unsigned)mirror_image : 0u);
  }
}

/* Along x: all that is stored, eight numbers of four lines side by side. */
template <bool sines, bool back> DEVICE void mirror_store(const mirror_lines &w, const cv_fast_transform_args &a) {
  const unsigned whole = mirror_whole(w.nodes);
#pragma unroll 4
  for (int b = (int)threadIdx.x; b < w.nodes * w.groups << w.shift; b += (int)blockDim.x) {
    const int lane = b & ((1 << w.shift) - 1), q = b >> w.shift, group = mirror_quotient(q, w.nodes, whole), i = q - group * w.nodes;
    const unsigned place = w.places[i], begin = mirror_places(w, group * w.kept * w.result) + (unsigned)(lane * mirror_bytes);
    const bool none = sines && place & mirror_none;
    const wave_number v = mirror_at(begin + (none ? 0u : place & ~(unsigned)mirror_image));
    mirror_put(w, mirror_pair_of(w, group, lane), static_cast<REAL *>(a.out), i,
               none ? wave_number{0, 0} : mirror_result<sines, back>(a, w, v, i, place & mirror_image));
  }
}

/* Turns of the first pass: up to those of its last number and its last result. */
DEVICE int mirror_turns(const mirror_lines &w, int first) { return w.apart / 2 * (first / 2) + 1; }

/* Takes turns from the table of the period to where passes find them one after the other, and returns how many they are: as many as fast_mirrored has room for. */
DEVICE int mirror_take_turns(const mirror_lines &w, const cv_fast_transform_args &a, int first, int count) {
  const wave_number *const table = static_cast<const wave_number *>(a.table);
  int taken = mirror_turns(w, first), every = first;
  for (int t = (int)threadIdx.x; t < taken; t += (int)blockDim.x)
    mirror_at(w.turns + (unsigned)(t * mirror_bytes)) = table[t];
  for (int n = 1; n < count - 1; n++) {
    const int length = w.points / every;
    for (int t = (int)threadIdx.x; t < length; t += (int)blockDim.x)
      mirror_at(w.turns + (unsigned)((taken + t) * mirror_bytes)) = table[t * every];
    taken += length;
    every *= (int)(a.radices >> (n * wave_bits) & ((1 << wave_bits) - 1));
  }
  return taken;
}

#define MIRROR_RADICES(X) X(2) X(3) X(4) X(5) X(6) X(7) X(8) X(9) X(10) X(11) X(12) X(13) X(16)

template <bool sines, bool back> DEVICE void mirror_passes(const mirror_lines &w, const cv_fast_transform_args &a, int first, int count) {
  if (w.step == 1)
    mirror_find<sines, back>(w, a, first, count);
  switch (first) {
#define MIRROR_FIRST(R)                    \
  case R:                                  \
    mirror_first<R, sines, back>(w, a);    \
    break;
    MIRROR_RADICES(MIRROR_FIRST)
  }
  int length = w.apart;
  unsigned turns = w.turns + (unsigned)(mirror_turns(w, first) * mirror_bytes);
  for (int n = 1; n < count - 1; n++) {
    const int radix = (int)(a.radices >> (n * wave_bits) & ((1 << wave_bits) - 1));
    __syncthreads();
    switch (radix) {
#define MIRROR_MIDDLE(R)             \
  case R:                               \
    mirror_middle<R>(w, length, turns); \
    break;
      MIRROR_RADICES(MIRROR_MIDDLE)
    default:
      mirror_prime(w, radix, length, turns);
    }
    turns += (unsigned)(length * mirror_bytes);
    length /= radix;
  }
  __syncthreads();
  switch (w.run) {
#define MIRROR_LAST(R)                              \
  case R:                                           \
    mirror_last<R, sines, back>(w, a, first, count); \
    break;
    MIRROR_RADICES(MIRROR_LAST)
  }
  if (w.step == 1) {
    __syncthreads();
    mirror_store<sines, back>(w, a);
  }
}

KERNEL_BOUNDS(fast_mirrored, cv_fast_transform_args, wave_threads * wave_blocks, 1) {
  const int axis = (int)a.axis, across = (int)a.box.n[1 - axis];
  const int first = (int)(a.radices & ((1 << wave_bits) - 1));
  int count = 0;
  mirror_lines w;
  for (int64_t radices = a.radices; radices != 0; radices >>= wave_bits, count++)
    w.run = (int)(radices & ((1 << wave_bits) - 1));
  w.nodes = (int)a.box.n[axis];
  w.points = 2 * (w.nodes - 1);
  w.apart = w.points / first, w.kept = first / 2 + 1;
  w.wide = w.run | 1;
  w.result = w.apart / w.run * w.wide | 1;
  w.shift = axis == 0 ? mirror_along : mirror_across;
  while (1 << w.shift > (int)a.pairs)
    w.shift--;
  w.groups = (int)a.pairs >> w.shift;
  w.step = axis == 0 ? 1 : (int)a.box.sy;
  w.turns = mirror_places(w, w.groups * w.kept * w.result);
  const int first_line = (int)blockIdx.x * 2 * (int)a.pairs;
  w.lines = min(across * (int)a.box.n[2] - first_line, 2 * (int)a.pairs);
  const int turns = mirror_take_turns(w, a, first, count);
  unsigned *const begins = reinterpret_cast<unsigned *>(&mirror_at(w.turns + (unsigned)(turns * mirror_bytes)));
  w.begins = begins;
  w.places = begins + 2 * (int)a.pairs;
  for (int line = (int)threadIdx.x; line < w.lines; line += (int)blockDim.x) {
    const int plane = (first_line + line) / across, within = first_line + line - plane * across;
    begins[line] = (unsigned)(plane * a.box.sz + within * (axis == 0 ? a.box.sy : 1)); /* no array has more elements than that */
  }
  __syncthreads();
  if (a.waves == cv_cosines) {
    if (a.back)
      mirror_passes<false, true>(w, a, first, count);
    else
      mirror_passes<false, false>(w, a, first, count);
  } else if (a.back) {
    mirror_passes<true, true>(w, a, first, count);
  } else {
    mirror_passes<true, false>(w, a, first, count);
  }
}
