/* HierarchicalCube: Jacobi sweeps on blocks in three dimensions (Islam & Wang 2020 carried from the plane to space), and of the whole.

   A block lives in the registers of a thread block, and a copy of it in shared memory, from which threads see what lies beside their patches. What
   bounds a sweep is shared memory: of every unknown one number is written and two and a half are read. Patches twice as deep would have to write
   one and read two, but leave a multiprocessor eight warps instead of sixteen to wait for memory when blocks come and go, which costs more. Blocks
   too large for that are swept in scratch memory. */
#include "block_part.cuh"

/* The right side, for laplace_strip. */
DEVICE const REAL *laplace_source(const islam_cube_args &a) { return AXIS(a.f); }

#include "../giles/laplace.cuh"

/* Plain Jacobi, as laplace_strip_* in laplace.cu: reads u and f and writes out, 3 words an unknown. Shape as in gpu.go. */
#define CUBE_PLAIN(rows)                                                 \
  KERNEL_BOUNDS(hierarchical_plain_cube_##rows, islam_cube_args, 128, 6) { \
    laplace_strip<16 / sizeof(REAL), 2, laplace_##rows, true>(a);        \
  }

CUBE_PLAIN(whole)
CUBE_PLAIN(any)

/* Block b of an axis. */
DEVICE block_part cube_part(const islam_cube_args &a, int axis, int b) {
  return owned_part(b, (int)a.blocks[axis], (int)a.tile[axis], (int)a.overlap, 1, (int)a.box.n[axis] - 1);
}

/* The nodes low..high-1 that a block hands on: its own, and the walls beside them. */
typedef struct {
  int low, high, walls[2];
} cube_range;

DEVICE cube_range cube_handed_on(const islam_cube_args &a, int axis, block_part p) {
  const int n = (int)a.box.n[axis];
  return {p.own == 1 ? 0 : p.own, p.own_end == n - 1 ? n : p.own_end, {0, n - 1}};
}

DEVICE bool cube_wall(const cube_range &r, int i) { return i == r.walls[0] || i == r.walls[1]; }

/* Blocks of up to 16 by 16 by 16 unknowns: a thread has a patch of 4 by 2 by 2 of them, a warp two planes. Rows of shared memory have a gap after
   every patch, and such a length that the lanes of a warp ask no bank twice. */
enum {
  cube_side = 16, cube_x = 4, cube_y = 2, cube_z = 2, cube_across = cube_side / cube_x, cube_up = cube_side / cube_y,
  cube_threads = cube_across * cube_up * (cube_side / cube_z), cube_row = 26, cube_plane = cube_row * (cube_side + 2)
};

/* Where node (x,y,z) of a block is held, the rim at -1 and after the last. */
DEVICE int cube_place(int x, int y, int z) { return (z + 1) * cube_plane + (y + 1) * cube_row + x + (x >> 2) + 2; }

/* The patch of a thread: u and a sixth of f, where u is held, and which of its nodes are unknowns. What lies beyond the unknowns of a block of fewer,
   of which the first is the rim, stays as it is. */
typedef struct {
  REAL u[cube_z][cube_y][cube_x], f[cube_z][cube_y][cube_x];
  uint32_t unknowns;
  int at;
} cube_patch;

DEVICE void cube_show(const cube_patch &p, REAL *shared) {
#pragma unroll
  for (int k = 0; k < cube_z; k++)
#pragma unroll
    for (int j = 0; j < cube_y; j++)
#pragma unroll
      for (int i = 0; i < cube_x; i++)
        shared[p.at + k * cube_plane + j * cube_row + i] = p.u[k][j][i];
}

/* One sweep in place, of what all threads have shown. WHOLE: all nodes are unknowns. */
template <bool WHOLE> DEVICE void cube_sweep(cube_patch &p, const REAL *shared) {
  const REAL *own = shared + p.at;
  REAL below[cube_y][cube_x];
#pragma unroll
  for (int j = 0; j < cube_y; j++)
#pragma unroll
    for (int i = 0; i < cube_x; i++)
      below[j][i] = own[j * cube_row + i - cube_plane];
#pragma unroll
  for (int k = 0; k < cube_z; k++)
#pragma unroll
    for (int j = 0; j < cube_y; j++) {
      const REAL *row = own + k * cube_plane + j * cube_row, last = row[cube_x + 1];
      REAL left = row[-2];
#pragma unroll
      for (int i = 0; i < cube_x; i++) {
        const REAL old = p.u[k][j][i], x = left + (i < cube_x - 1 ? p.u[k][j][i + 1] : last);
        const REAL y = (j > 0 ? below[j - 1][i] : row[i - cube_row]) + (j < cube_y - 1 ? p.u[k][j + 1][i] : row[i + cube_row]);
        const REAL z = below[j][i] + (k < cube_z - 1 ? p.u[k + 1][j][i] : row[i + cube_plane]);
        const REAL value = fma((REAL)(1.0 / 6), (x + y) + z, p.f[k][j][i]);
        p.u[k][j][i] = WHOLE || (p.unknowns >> ((k * cube_y + j) * cube_x + i) & 1) ? value : old;
        left = below[j][i] = old; /* below[j - 1] is of this plane by now */
      }
    }
}

template <bool WHOLE> DEVICE void cube_sweeps(cube_patch &p, REAL *shared, int sweeps) {
#pragma unroll 1
  for (int s = 0; s < sweeps; s++) {
    cube_sweep<WHOLE>(p, shared);
    __syncthreads();
    cube_show(p, shared);
    __syncthreads();
  }
}

/* The address of a row of u in a block, for lane `lane` with the rim; what lies beyond the rim is as there. */
DEVICE const REAL *cube_row_at(const islam_cube_args &a, const block_part (&part)[3], int lane, int y, int z) {
  const int64_t plane = min(part[2].first + z, part[2].end) * a.box.sz;
  return AXIS(a.u) + plane + (min(part[1].first + y, part[1].end) * (int)a.box.sy + min(part[0].first + lane - 1, part[0].end));
}

/* Reads a block: u with the rim to shared memory, row by row, and f of the patch of a thread at (x,y,z). All of it is asked for before any is used: a
   warp has whole planes, and of those that are left some rows. */
DEVICE void cube_read(cube_patch &p, REAL *shared, const islam_cube_args &a, const block_part (&part)[3], int lane, int warp, int x, int y, int z) {
  constexpr int n = cube_side + 2, warps = cube_threads / 32, planes = n / warps, rows = n % warps * n, some = (rows + warps - 1) / warps;
  REAL whole[planes][n], left[some];
#pragma unroll
  for (int k = 0; k < planes; k++)
#pragma unroll
    for (int j = 0; j < n; j++)
      whole[k][j] = *cube_row_at(a, part, lane, j - 1, k * warps + warp - 1);
#pragma unroll
  for (int r = 0; r < some; r++)
    left[r] = *cube_row_at(a, part, lane, (r * warps + warp) % n - 1, planes * warps + (r * warps + warp) / n - 1);
#pragma unroll
  for (int k = 0; k < cube_z; k++)
#pragma unroll
    for (int j = 0; j < cube_y; j++)
#pragma unroll
      for (int i = 0; i < cube_x; i++) {
        const int nx = part[0].first + x + i, ny = part[1].first + y + j, nz = part[2].first + z + k;
        p.f[k][j][i] = AXIS(a.f)[min(nz, part[2].end) * a.box.sz + (min(ny, part[1].end) * (int)a.box.sy + min(nx, part[0].end))];
      }
  if (lane < n) {
#pragma unroll
    for (int k = 0; k < planes; k++)
#pragma unroll
      for (int j = 0; j < n; j++)
        shared[cube_place(lane - 1, j - 1, k * warps + warp - 1)] = whole[k][j];
#pragma unroll
    for (int r = 0; r < some; r++)
      if (r * warps + warp < rows)
        shared[cube_place(lane - 1, (r * warps + warp) % n - 1, planes * warps + (r * warps + warp) / n - 1)] = left[r];
  }
#pragma unroll
  for (int k = 0; k < cube_z; k++)
#pragma unroll
    for (int j = 0; j < cube_y; j++)
#pragma unroll
      for (int i = 0; i < cube_x; i++)
        p.f[k][j][i] *= (REAL)(1.0 / 6);
  __syncthreads();
#pragma unroll
  for (int k = 0; k < cube_z; k++)
#pragma unroll
    for (int j = 0; j < cube_y; j++)
#pragma unroll
      for (int i = 0; i < cube_x; i++)
        p.u[k][j][i] = shared[p.at + k * cube_plane + j * cube_row + i];
}

/* Of `count` nodes along an axis from node `at` of a block on, those that are unknowns, as bits `apart`. */
template <int COUNT, int APART> DEVICE uint32_t cube_unknowns(block_part p, int at) {
  uint32_t bits = 0;
#pragma unroll
  for (int i = 0; i < COUNT; i++)
    bits |= (uint32_t)(p.first + at + i < p.end) << (i * APART);
  return bits;
}

KERNEL_BOUNDS(hierarchical_cube, islam_cube_args, cube_threads, 2) {
  DYNAMIC_SHARED(REAL, shared);
  const int thread = (int)threadIdx.x, lane = thread % 32, warp = __shfl_sync(0xffffffffu, thread / 32, 0);
  const int x = thread % cube_across * cube_x, y = thread / cube_across % cube_up * cube_y, z = warp * cube_z;
  const block_part part[3] = {cube_part(a, 0, (int)blockIdx.x), cube_part(a, 1, (int)blockIdx.y), cube_part(a, 2, (int)blockIdx.z)};
  cube_patch p;
  p.at = cube_place(x, y, z);
  cube_read(p, shared, a, part, lane, warp, x, y, z);
  p.unknowns = cube_unknowns<cube_x, 1>(part[0], x) * cube_unknowns<cube_y, cube_x>(part[1], y) * cube_unknowns<cube_z, cube_x * cube_y>(part[2], z);
  bool whole = true;
#pragma unroll
  for (int d = 0; d < 3; d++)
    whole = whole && part[d].end - part[d].first == cube_side;
  if (whole)
    cube_sweeps<true>(p, shared, (int)a.sweeps);
  else
    cube_sweeps<false>(p, shared, (int)a.sweeps);
  const cube_range rx = cube_handed_on(a, 0, part[0]), ry = cube_handed_on(a, 1, part[1]), rz = cube_handed_on(a, 2, part[2]);
  const int i = rx.low + lane;
  for (int k = rz.low + warp; k < rz.high; k += cube_threads / 32)
    for (int j = ry.low; j < ry.high; j++)
      if (i < rx.high) {
        const int64_t node = k * a.box.sz + j * (int)a.box.sy + i;
        const bool wall = cube_wall(rx, i) || cube_wall(ry, j) || cube_wall(rz, k);
        static_cast<REAL *>(a.out)[node] =
            wall ? AXIS(a.u)[node] : shared[cube_place(i - part[0].first, j - part[1].first, k - part[2].first)];
      }
}

/* Blocks of any size: two arrays with a rim in scratch memory. A thread block has blocks blockIdx.x, blockIdx.x + gridDim.x and so on, along x first. */
KERNEL_BOUNDS(hierarchical_cubes, islam_cube_args, 256, 1) {
  const int64_t sy = a.box.sy, sz = a.box.sz, row = a.room[0] + 2, plane = row * (a.room[1] + 2), room = plane * (a.room[2] + 2);
  REAL *const both = static_cast<REAL *>(a.scratch) + blockIdx.x * 2 * room + plane + row + 1;
  for (int b = (int)blockIdx.x; b < a.blocks[0] * a.blocks[1] * a.blocks[2]; b += (int)gridDim.x) {
    const int bx = (int)a.blocks[0], by = (int)a.blocks[1];
    const block_part part[3] = {cube_part(a, 0, b % bx), cube_part(a, 1, b / bx % by), cube_part(a, 2, b / (bx * by))};
    const int n[3] = {part[0].end - part[0].first, part[1].end - part[1].first, part[2].end - part[2].first};
    const int64_t first = part[2].first * sz + part[1].first * sy + part[0].first;
    const REAL *u = AXIS(a.u) + first, *f = AXIS(a.f) + first;
    for (int e = (int)threadIdx.x; e < (n[0] + 2) * (n[1] + 2) * (n[2] + 2); e += (int)blockDim.x) {
      const int i = e % (n[0] + 2) - 1, j = e / (n[0] + 2) % (n[1] + 2) - 1, k = e / ((n[0] + 2) * (n[1] + 2)) - 1;
      both[k * plane + j * row + i] = both[room + k * plane + j * row + i] = u[k * sz + j * sy + i];
    }
    __syncthreads();
    for (int s = 0; s < a.sweeps; s++) {
      const REAL *now = both + s % 2 * room;
      REAL *then = both + (s + 1) % 2 * room;
      for (int e = (int)threadIdx.x; e < n[0] * n[1] * n[2]; e += (int)blockDim.x) {
        const int i = e % n[0], j = e / n[0] % n[1], k = e / (n[0] * n[1]);
        const REAL *c = now + k * plane + j * row + i;
        const REAL x = c[-1] + c[1], y = c[-row] + c[row], z = c[-plane] + c[plane];
        then[k * plane + j * row + i] = (REAL)(1.0 / 6) * (((x + y) + z) + f[k * sz + j * sy + i]);
      }
      __syncthreads();
    }
    const REAL *last = both + a.sweeps % 2 * room;
    const cube_range rx = cube_handed_on(a, 0, part[0]), ry = cube_handed_on(a, 1, part[1]), rz = cube_handed_on(a, 2, part[2]);
    const int wide = rx.high - rx.low, high = ry.high - ry.low;
    for (int e = (int)threadIdx.x; e < wide * high * (rz.high - rz.low); e += (int)blockDim.x) {
      const int i = rx.low + e % wide, j = ry.low + e / wide % high, k = rz.low + e / (wide * high);
      const int64_t node = k * sz + j * sy + i;
      const bool wall = cube_wall(rx, i) || cube_wall(ry, j) || cube_wall(rz, k);
      static_cast<REAL *>(a.out)[node] =
          wall ? AXIS(a.u)[node] : last[(k - part[2].first) * plane + (j - part[1].first) * row + i - part[0].first];
    }
    __syncthreads();
  }
}
