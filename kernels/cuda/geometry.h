/* How threads are laid out, where kernels and their launches must agree: nowhere else is it said. The generator makes constants of Go of it,
   slabPlanes of slab_planes and so on. */
#ifndef CONVECT_GEOMETRY_H
#define CONVECT_GEOMETRY_H

enum {
  slab_planes = 32,          /* the most planes of a slab of columns */
  slab_rows = 8,             /* rows of a block of columns */
  measured_rows = 4,         /* rows of a block that carries heat and measures the flow */
  rim_warps = 6,             /* warps of a block of columns whose outer ones serve the others */
  rim_each = 2,              /* rows of columns that each of them has */
  closed_planes = 64,        /* the most planes of a slab of the passes of AdvectMeasured that compute the flow */
  halved_planes = 8,         /* coarse planes of a block that prolongs to halved widths */
  sides_rows = 2,            /* rows of a lane of the passes of a step between whole sides */
  flat_columns = 32,         /* columns of a block that adds up flow in 2-D */
  flat_slabs = 32,           /* and parts of them at most */
  flat_planes = 8,           /* planes of a part at least */
  blocks_threads = 256,      /* threads of a block that copies from other GPUs */
  blocks_ahead = 4,          /* elements that a thread has under way */
  meet_most = 16,            /* the most GPUs that meet */
  meet_parts = 512,          /* the most parts of what one gives another at a time */
  meet_part_bytes = 4096,    /* bytes of a part, unless there are too many */
  meet_flags = 8224,         /* flags of each */
  meet_seconds = 10,         /* for how long one waits for another while the host runs */
  line_threads = 128,        /* columns of a block that solves lines */
  coarse_threads = 1024,     /* the most threads of a block that solves a small grid */
  coarse_fixed = 20480,      /* bytes of shared memory at most that it declares */
  plane_most = 64,           /* the most nodes of a plane that it eliminates at once */
  invert_threads = 256,      /* the most threads of a block that inverts its matrix, or multiplies by the inverse */
  tile_rows = 2,             /* rows that a thread has of a matrix of a plane */
  tile_columns = 4,          /* and of its columns */
  spectral_most = 65,        /* the most nodes along an axis of a grid that is solved by matrices of eigenvectors */
  spectral_threads = 512,    /* threads of its blocks */
  spectral_beyond = 4,       /* rows that a block reads beyond those of a matrix */
  fold_wide = 64,            /* the most even or odd vectors of an axis, where both are apart */
  fold_row = 72,             /* numbers from one row of them in shared memory to the next: what a warp reads lies in different banks */
  fold_threads = 512,        /* threads of its blocks */
  transform_threads = 128,   /* threads of a block that multiplies lines by a matrix */
  transform_lines_f32 = 64,  /* and its lines, of floats */
  transform_lines_f64 = 32,  /* and of doubles */
  wave_threads = 256,        /* threads of a block that makes fast Fourier transforms */
  wave_most = 16,            /* the most points of a transform within a thread */
  wave_some = 4,             /* results, and as many from the other end, that a thread makes of a larger prime */
  wave_bits = 10,            /* of their number, or of a larger prime, where several are one after the other in a word */
  mirror_along = 2,          /* the power of two of pairs of mirrored lines along x that lie side by side */
  mirror_across = 3,         /* and of those along y */
  modes_threads = 64,        /* columns of a block that solves tridiagonal systems along z */
  modes_ahead = 16,          /* nodes that a column asks for before it needs them */
  modes_kept = 896,          /* bytes of shared memory of a column at most, for the factors of so many nodes, or of several times as many */
  parts_threads_f32 = 320,   /* the most threads of a block that does so by parts of columns, of floats */
  parts_threads_f64 = 512,   /* and of doubles */
  parts_numbers = 6,         /* numbers of each that it has in shared memory */
  parts_held = 32,           /* nodes of a part that a thread has in registers at most */
  modes_together = 4,        /* nodes of which such parts are made, but for the last */
  tri_threads = 512,         /* the most threads of a block of a cycle's pass with trilinear elements */
  pass_threads = 512,        /* the most threads of a block of a cycle's pass by what faces conduct */
};

#endif
