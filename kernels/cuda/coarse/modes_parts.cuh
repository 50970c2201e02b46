/* Parts of columns: what each is between its first node and its last, the chain of these, and the nodes between them; from memory, or in registers. */
#ifndef MODES_PARTS_CUH
#define MODES_PARTS_CUH
#include "modes.cuh"

/* Nodes of a part that a thread has in registers at most, which pays for floats alone; and threads of a block with parts, and blocks that a multiprocessor has registers for. */
enum {
  modes_floats = sizeof(REAL) == 4,
  modes_held = parts_held,
  parts_threads = modes_floats ? parts_threads_f32 : parts_threads_f64,
  parts_blocks = modes_floats ? 2 : 1
};

/* What a part of a column is between its first node and its last: the coupling of both, what ties each of them, and their sources; `up` is the coupling of the last
   one to the node above. Where the couplings are positive so are all terms of it, and nothing is lost by differences. */
struct modes_part {
  REAL across, low, high, into_low, into_high, up;
};

/* The same numbers once the parts below are eliminated: what reaches the first node from there, tie and source, and by what both nodes follow from those above,
   x_last = last + last_by x_above, x_first = first + first_by x_last. In the end they are x_above, x_first and x_last. */
struct modes_link {
  REAL passed, carried, first, first_by, last, last_by;
};
enum { modes_link_passed, modes_link_carried, modes_link_above, modes_link_first, modes_link_last };

/* Node k of a column by itself: what ties it, and the coupling to the one above. */
struct modes_node {
  REAL own, up;
};

DEVICE modes_node modes_node_of(const cv_modes_args &a, const modes_column &c, const REAL *heights, int k) {
  const modes_numbers p = modes_numbers_of(a, heights, k);
  return {fma(c.volume, p.tie, fma(c.lambda, p.first, c.mu * p.second)), modes_coupling(c, p)};
}

/* Calls visit(k, x, node) for the nodes from k0 up to k1 of a column, upwards, eight of which are asked for at a time. */
template <typename Visit> DEVICE void modes_upwards(const cv_modes_args &a, const modes_column &c, const REAL *heights, int k0, int k1, Visit visit) {
  const int first = a.low != 0;
  for (int k = k0; k < k1; k += modes_group) {
    REAL x[modes_group];
    modes_node node[modes_group];
#pragma unroll
    for (int m = 0; m < modes_group; m++) {
      const int at = min(k + m, k1 - 1);
      x[m] = *modes_at(c.x, c.stride, at);
      node[m] = modes_node_of(a, c, heights, first + at);
    }
#pragma unroll
    for (int m = 0; m < modes_group; m++)
      if (k + m < k1)
        visit(k + m, x[m], node[m]);
  }
}

/* By what an eliminated node of a part follows from the one above it and from the first of the part, x = value + above x_above + below x_first. */
struct alignas(2 * sizeof(REAL)) modes_follows {
  REAL above, below;
};

/* Adds a node above a part, with its source and its coupling to what is above it: the last one before is eliminated, and its value and what it follows by are returned. */
DEVICE modes_follows modes_extend(modes_part &p, REAL own, REAL source, REAL up, REAL &value) {
  const REAL inverse = strip_inverse(p.across + p.high + p.up); /* something ties it: there are couplings */
  const modes_follows by = {p.up * inverse, p.across * inverse};
  value = p.into_high * inverse;
  p.low = fma(by.below, p.high, p.low), p.into_low = fma(by.below, p.into_high, p.into_low);
  p.high = fma(by.above, p.high, own), p.into_high = fma(by.above, p.into_high, source);
  p.across = by.below * p.up, p.up = up;
  return by;
}
DEVICE void modes_extend(modes_part &p, REAL own, REAL source, REAL up) {
  REAL value;
  modes_extend(p, own, source, up, value);
}

/* Eliminates what is between the first node of a part and its last. */
DEVICE modes_part modes_between(const cv_modes_args &a, const modes_column &c, const REAL *heights, int k0, int k1) {
  modes_part p = {};
  modes_upwards(a, c, heights, k0, k1, [&](int k, REAL x, const modes_node &node) {
    if (k == k0)
      p.low = node.own, p.into_low = x, p.across = node.up;
    else if (k == k0 + 1)
      p.high = node.own, p.into_high = x, p.up = node.up;
    else
      modes_extend(p, node.own, x, node.up);
  });
  return p;
}

/* Six numbers, so many apart. */
DEVICE void modes_store(REAL *to, int64_t apart, const modes_part &p) {
  to[0] = p.across, to[apart] = p.low, to[2 * apart] = p.high, to[3 * apart] = p.into_low, to[4 * apart] = p.into_high, to[5 * apart] = p.up;
}
DEVICE modes_part modes_recall(const REAL *from, int64_t apart) {
  return {from[0], from[apart], from[2 * apart], from[3 * apart], from[4 * apart], from[5 * apart]};
}

/* Solves the chain of the parts' first and last nodes: those of a part lie `stride` numbers apart. passed, carried: what reaches the first one from below; above: x
   above the last. */
DEVICE void modes_chain(REAL *numbers, int stride, int parts, REAL passed, REAL carried, REAL above) {
  for (int p = 0; p < parts; p++) {
    REAL *const at = numbers + p * parts_numbers * stride;
    const modes_part n = modes_recall(at, stride);
    modes_link link = {passed, carried, 0, 0, 0, 0};
    const REAL low = n.low + passed, into = n.into_low + carried, of_first = modes_inverse(low + n.across);
    link.first = into * of_first, link.first_by = n.across * of_first;
    const REAL high = fma(link.first_by, low, n.high), into_high = fma(link.first_by, into, n.into_high), of_last = modes_inverse(high + n.up);
    link.last = into_high * of_last, link.last_by = n.up * of_last;
    passed = link.last_by * high, carried = link.last_by * into_high;
    at[0] = link.passed, at[stride] = link.carried, at[2 * stride] = link.first, at[3 * stride] = link.first_by, at[4 * stride] = link.last, at[5 * stride] = link.last_by;
  }
  for (int p = parts - 1; p >= 0; p--) {
    REAL *const at = numbers + p * parts_numbers * stride;
    const REAL last = fma(at[5 * stride], above, at[4 * stride]), first = fma(at[3 * stride], last, at[2 * stride]);
    at[modes_link_above * stride] = above, at[modes_link_first * stride] = first, at[modes_link_last * stride] = last;
    above = first;
  }
}

/* Eliminates the nodes k0 ... k1-1 of a part, and substitutes; link: what modes_chain made of its numbers, `across` apart, as are the factors that are kept. */
DEVICE void modes_part_solve(const cv_modes_args &a, const modes_column &c, const REAL *heights, int k0, int k1, int keeps, int across, const REAL *link) {
  REAL passed = link[modes_link_passed * across], carried = link[modes_link_carried * across], value = link[modes_link_above * across];
  modes_upwards(a, c, heights, k0, k1, [&](int k, REAL x, const modes_node &node) {
    const REAL ground = passed + node.own, inverse = modes_inverse(ground + node.up), here = (x + carried) * inverse, above = node.up * inverse;
    carried = node.up * here, passed = ground * above;
    *modes_at(c.x, c.stride, k) = here;
    if (k - k0 < keeps)
      c.kept[(k - k0) * across] = above;
    else
      *modes_at(c.work, c.stride, k) = above;
  });
  for (int k = k1; k > k0; k -= modes_group) {
    REAL x[modes_group], factor[modes_group];
#pragma unroll
    for (int m = 0; m < modes_group; m++) {
      const int at = max(k - 1 - m, k0);
      x[m] = *modes_at(c.x, c.stride, at);
      factor[m] = at - k0 < keeps ? c.kept[(at - k0) * across] : *modes_at(c.work, c.stride, at);
    }
#pragma unroll
    for (int m = 0; m < modes_group; m++)
      if (k - 1 - m >= k0) {
        value = fma(factor[m], value, x[m]);
        *modes_at(c.x, c.stride, k - 1 - m) = value;
      }
  }
}

/* Where a part begins. Those in registers have one number of nodes, a multiple of modes_together, so that threads side by side do the same; but the last ones, which have the rest. */
DEVICE int modes_begin(int part, int parts, int nodes, bool held) {
  if (part == parts)
    return nodes;
  if (!held)
    return (int)((int64_t)part * nodes / parts);
  const int groups = (nodes + modes_together - 1) / modes_together, each = (groups + parts - 1) / parts;
  return max(0, min(part * each, groups - 2 * (parts - part))) * modes_together;
}

/* Brings the numbers of `nodes` planes from the first one of the columns on into shared memory, by all threads of a block, which wait for each other. */
DEVICE void modes_stage(const cv_modes_args &a, const REAL *heights, int nodes, modes_numbers *planes) {
  const int first = a.low != 0;
  for (int k = (int)(threadIdx.y * blockDim.x + threadIdx.x); k < nodes; k += (int)(blockDim.x * blockDim.y))
    planes[k] = modes_numbers_of(a, heights, first + k);
  __syncthreads();
}

/* Asks for n nodes from `at` on. */
DEVICE void modes_ask(REAL *at, unsigned stride, int n, REAL (&x)[modes_held]) {
#pragma unroll
  for (int m = 0; m < modes_held; m++)
    if (m < n)
      x[m] = *modes_at(at, stride, m);
}

/* A part in registers is two halves, which a thread eliminates at a time, some nodes of each: neither waits for the other. */
enum { modes_half = modes_held / 2 };
static_assert(modes_half % modes_together == 0);

/* What a thread keeps of the nodes of its part, so many: an odd number, so that no two lanes ask a bank of shared memory at a time. */
DEVICE int modes_pitch(int parts, int nodes) { return ((nodes + modes_together - 1) / modes_together + parts - 1) / parts * modes_together + 1; }

/* The value of node m, which follows from the one above and from the first. */
DEVICE REAL modes_find(const modes_follows *follows, const REAL (&x)[modes_held], int m, REAL above, REAL first) {
  const modes_follows by = follows[m];
  return fma(by.above, above, fma(by.below, first, x[m]));
}

/* Adds a node to a part and keeps what node m, which was the last one, follows by: its value takes the place of x. */
template <bool Keeps> DEVICE void modes_grow(modes_part &p, REAL own, REAL source, REAL up, REAL (&x)[modes_held], modes_follows *follows, int m) {
  REAL value;
  const modes_follows by = modes_extend(p, own, source, up, value);
  if (Keeps)
    x[m] = value, follows[m] = by;
}

/* Adds node m of a half that begins at m0. */
template <bool Keeps> DEVICE void modes_add(const modes_column &c, const modes_numbers *planes, REAL (&x)[modes_held], modes_follows *follows, modes_part &p, int m0, int m) {
  const modes_numbers plane = planes[m];
  const REAL own = fma(c.volume, plane.tie, fma(c.lambda, plane.first, c.mu * plane.second)), up = modes_coupling(c, plane);
  if (m == m0)
    p.low = own, p.into_low = x[m], p.across = up;
  else if (m == m0 + 1)
    p.high = own, p.into_high = x[m], p.up = up;
  else
    modes_grow<Keeps>(p, own, x[m], up, x, follows, m - 1);
}

/* Eliminates what is between the first of n nodes and the last. */
template <bool Keeps> DEVICE modes_part modes_hold(const modes_column &c, const modes_numbers *planes, int n, REAL (&x)[modes_held], modes_follows *follows) {
  modes_part p = {}, upper = {};
#pragma unroll
  for (int m = 0; m < modes_half; m += modes_together) {
    if (modes_half + m + modes_together <= n) {
#pragma unroll
      for (int q = m; q < m + modes_together; q++) {
        modes_add<Keeps>(c, planes, x, follows, p, 0, q);
        modes_add<Keeps>(c, planes, x, follows, upper, modes_half, modes_half + q);
      }
    } else {
#pragma unroll
      for (int q = m; q < m + modes_together; q++) {
        if (q < n)
          modes_add<Keeps>(c, planes, x, follows, p, 0, q);
        if (modes_half + q < n)
          modes_add<Keeps>(c, planes, x, follows, upper, modes_half, modes_half + q);
      }
    }
  }
  if (n > modes_half)
    modes_grow<Keeps>(p, upper.low, upper.into_low, upper.across, x, follows, modes_half - 1);
  if (n > modes_half + 1)
    modes_grow<Keeps>(p, upper.high, upper.into_high, upper.up, x, follows, modes_half);
  return p;
}

/* Stores n nodes from `at` on, whose first and last ones are known. */
DEVICE void modes_release(REAL *at, unsigned stride, int n, const REAL (&x)[modes_held], const modes_follows *follows, REAL first, REAL last) {
  REAL middle = last, value = last, upper = last;
  if (n > modes_half + 1)
    middle = modes_find(follows, x, modes_half, last, first);
  if (n > modes_half) {
    value = modes_find(follows, x, modes_half - 1, middle, first);
    *modes_at(at, stride, modes_half - 1) = value;
  }
  const int end = n > modes_half ? modes_half - 1 : n;
#pragma unroll
  for (int m = modes_half - modes_together; m >= 0; m -= modes_together) {
    const bool whole = modes_half + m + modes_together < n;
#pragma unroll
    for (int q = m + modes_together - 1; q >= m; q--) {
      const int u = modes_half + q;
      if (whole || u < n) {
        if (q == 0)
          upper = middle;
        else if (whole || u < n - 1)
          upper = modes_find(follows, x, u, upper, middle);
        *modes_at(at, stride, u) = upper;
      }
      if (whole ? q < modes_half - 1 : q < end) {
        if (q == 0)
          value = first;
        else if (whole || q < n - 1)
          value = modes_find(follows, x, q, value, first);
        *modes_at(at, stride, q) = value;
      }
    }
  }
}

#endif
