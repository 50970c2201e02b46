/* A small grid in one block of threads: compact arrays of double with one halo layer, in shared memory, or where that has no room (scratch is not
   NULL) in scratch memory. The operator is held as couplings of a node to the neighbours after it (3 with 7 points, 13 with 27), those to the
   neighbours before it being their own. */
#ifndef CONVECT_COARSE_GRID_H
#define CONVECT_COARSE_GRID_H

#include "../stencil/column.cuh"

template <int couplings> struct coarse_grid {
  int n[3], sy, sz, len; /* strides and length of an array */
  int step[couplings];   /* from a node to those coupled by g */
  double *g;             /* one array after the other */
  double *mass, *volume;
  double *u, *r, *p, *q, *inverse, *own; /* 1/D; 1 on free nodes, else 0; q begins as D */
};

/* Elements threadIdx.x, threadIdx.x + blockDim.x, ... of the arrays. */
#define COARSE_ELEMENTS(c, m) for (int m = threadIdx.x; m < (c).len; m += blockDim.x)

/* Where neighbour c lies. */
template <int couplings> DEVICE void coupled_node(int c, int (&o)[3]) {
  for (int d = 0; d < 3; d++)
    o[d] = couplings == 3 ? c == d : (c + 14) / (d == 0 ? 1 : d == 1 ? 3 : 9) % 3 - 1;
}

template <int couplings> DEVICE coarse_grid<couplings> coarse_grid_of(const cv_coarse_args &s) {
  DYNAMIC_SHARED(double, shared);
  coarse_grid<couplings> c;
  for (int d = 0; d < 3; d++)
    c.n[d] = s.a.box.n[d];
  c.sy = c.n[0] + 2;
  c.sz = c.sy * (c.n[1] + 2);
  c.len = c.sz * (c.n[2] + 2);
  double *array = s.scratch ? static_cast<double *>(s.scratch) : shared;
#pragma unroll
  for (int l = 0; l < couplings; l++) {
    int o[3];
    coupled_node<couplings>(l, o);
    c.step[l] = o[0] + o[1] * c.sy + o[2] * c.sz;
  }
  c.g = array;
  double **others[8] = {&c.mass, &c.volume, &c.u, &c.r, &c.p, &c.q, &c.inverse, &c.own};
#pragma unroll
  for (int l = 0; l < 8; l++)
    *others[l] = array + (couplings + l) * c.len;
  return c;
}

/* The node of element m, and whether it is none of the halo. */
template <int couplings> DEVICE int coarse_node(const coarse_grid<couplings> &c, int m, int (&at)[3]) {
  at[0] = m % c.sy - 1;
  at[1] = m % c.sz / c.sy - 1;
  at[2] = m / c.sz - 1;
  return at[0] >= 0 && at[0] < c.n[0] && at[1] >= 0 && at[1] < c.n[1] && at[2] >= 0 && at[2] < c.n[2];
}

DEVICE double coarse_conductivity(const cv_elliptic &a, int d, const int (&cell)[3]) {
  return a.cells[0] ? (double)AXIS(a.cells[d])[cell[0] + cell[1] * a.box.sy + cell[2] * a.box.sz] : a.k[d];
}

/* Conductance of the upper face of a node along axis d. */
DEVICE double face_coupling(const cv_elliptic &a, int d, const int (&at)[3]) {
  const int p = d == 0 ? 1 : 0, q = d == 2 ? 1 : 2;
  double sum = 0;
  for (int l = 0; l < 4; l++) {
    int cell[3] = {at[0], at[1], at[2]};
    cell[p] -= l & 1;
    cell[q] -= l >> 1;
    sum += coarse_conductivity(a, d, cell) * AXIS(a.h[p])[cell[p]] * AXIS(a.h[q])[cell[q]];
  }
  return AXIS(a.rh[d])[at[d]] * sum / 4;
}

/* What a trilinear element conducts between two of its nodes that are o apart: minus the entry of its stiffness. */
DEVICE double element_coupling(const cv_elliptic &a, const int (&o)[3], const int (&cell)[3]) {
  double w[3], mass[3], volume = 1, sum = 0;
  for (int d = 0; d < 3; d++) {
    const double rh = AXIS(a.rh[d])[cell[d]];
    w[d] = coarse_conductivity(a, d, cell) * rh * rh;
    mass[d] = d == 1 && a.box.sy == 0 ? 1 : o[d] ? 1 / 6. : 1 / 3.;
    volume *= AXIS(a.h[d])[cell[d]];
  }
  for (int d = 0; d < 3; d++)
    sum += (o[d] ? w[d] : -w[d]) * mass[(d + 1) % 3] * mass[(d + 2) % 3];
  return sum * volume;
}

/* The coupling of a node to the one o after it: the sum over the cells that hold both. */
DEVICE double elements_coupling(const cv_elliptic &a, const int (&o)[3], const int (&at)[3]) {
  if (a.box.sy == 0 && o[1])
    return 0;
  double sum = 0;
  for (int l = 0; l < 8; l++) {
    int cell[3], counts = 1;
    for (int d = 0; d < 3; d++) {
      const int down = l >> d & 1, both = o[d] == 0 && (d != 1 || a.box.sy != 0);
      cell[d] = at[d] - (both ? down : o[d] < 0);
      counts = counts && (both || !down);
    }
    if (counts)
      sum += element_coupling(a, o, cell);
  }
  return sum;
}

/* Fills the couplings, the mass and the volume, and clears all else. */
template <int couplings> DEVICE void coarse_prepare(const coarse_grid<couplings> &c, const cv_elliptic &a) {
  COARSE_ELEMENTS(c, m) {
    int at[3];
    const int inside = coarse_node(c, m, at);
#pragma unroll
    for (int l = 0; l < couplings; l++) {
      int o[3], none[3];
      coupled_node<couplings>(l, o);
      const int to = m + c.step[l], held = inside || (to >= 0 && to < c.len && coarse_node(c, to, none));
      c.g[l * c.len + m] = !held ? 0 : couplings == 3 ? face_coupling(a, l, at) : elements_coupling(a, o, at);
    }
    const double area = inside ? (double)AXIS(a.w[1])[at[1]] * AXIS(a.w[2])[at[2]] : 0;
    c.volume[m] = inside ? area * AXIS(a.w[0])[at[0]] : 0;
    c.mass[m] = a.mass_scale * c.volume[m];
    if (inside && a.mass && a.mass_scale != 0)
      c.mass[m] = a.mass_scale * AXIS(a.mass)[at[0] + at[1] * a.box.sy + at[2] * a.box.sz];
    c.own[m] = inside && node_is_free(a, at[0], at[1], at[2]);
    c.u[m] = c.r[m] = c.p[m] = c.q[m] = c.inverse[m] = 0;
  }
  __syncthreads();
  COARSE_ELEMENTS(c, m) {
    if (c.own[m] == 0)
      continue;
    double d = c.mass[m];
#pragma unroll
    for (int l = 0; l < couplings; l++)
      d += c.g[l * c.len + m] + c.g[l * c.len + m - c.step[l]];
    c.q[m] = d;
    c.inverse[m] = d != 0 ? 1 / d : 0;
  }
}

#endif
