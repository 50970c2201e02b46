// Package cpu is the backend of package kernels on the cores of the host: C kernels through cgo, compiled once for
// every element type and instruction set, and shared out over threads by rows.
//
// # Where things are
//
// An operation has the same name in every file: the args struct in kernels/args_<group>.go, the method that checks
// it in package call, the one that runs it in <group>.go here, the arithmetic in <group>.h here. Headers hold static
// functions written for a type REAL; a variant_<instructions>_<type>.c includes them all with REAL set and the
// instruction set chosen by a pragma, and exports one table of kernels. Rows are written for the compiler to vectorise,
// or with its vector types; intrinsics serve streaming stores and fused multiply-add only. point.h holds the arithmetic
// of single points and is free of anything that a CUDA C compiler would not take.
//
// A kernel that only an experiment runs lives with it, and is a [Guest] here: its package compiles a table of its own from guest.h,
// and runs it by [Device.BeginGuest].
//
// # Same bits
//
// The compiler contracts no products and sums to fused operations and reassociates none; where fused multiply-add is
// written out (madd), instruction sets that have it give the same bits, and the baseline others by rounding. A sum
// over nodes adds each row in eight float64 lanes, the lanes pairwise, and the rows pairwise; neither the number of
// threads nor the vector length enters.
//
// # Threads
//
// A kernel is a C function on a range of rows. Each thread owns one contiguous range; the calling thread does the
// first. Workers spin for some microseconds after a kernel before they sleep, because kernels come in close
// succession. Boxes too small to share run on the calling thread alone. No kernel allocates Go memory.
//
// # Memory traffic
//
// Rows start on cache lines. Kernels that write a whole array which does not fit in the last-level cache stream it
// past the caches to memory. The sweep reads ahead by two rows, and visits the rows in strips of y such that three
// planes of a strip stay in half of the second-level cache, or by whole planes where three of those are far larger than it; rows of a strip whose coefficients are the same are done in one go. Large buffers begin at different places of a
// huge page: arrays that begin alike compete for the same cache sets and memory banks, which costs a tenth.
package cpu
