// Package ptx holds the kernels of package cuda as compiled by nvcc: FAMILY_f32.ptx and FAMILY_f64.ptx of each FAMILY.cu,
// for compute capability 7.0 and later. In binaries built with the tag cuda they are embedded.
//
// scripts/ptx.sh (make ptx) makes them, with the options in FLAGS, and notes in SOURCES which sources and which text each
// has. A test compares that, so that no PTX is older than its kernels.
package ptx
