// Package driver reaches GPUs: their memory, one stream of copies and launches, and what they are. It knows kernels by their names alone; package cuda knows
// what they do, how they are laid out over threads and what their arguments are.
//
// A [GPU] is what package cuda asks for. NVIDIA's are found by [Available] and [Devices] and opened by [Open], in binaries built with the tag cuda; without
// the tag these three say so. Package emulation has another, on the host. Abilities that not every GPU need have are interfaces of their own: [Recorder],
// [Streamer], [Timer] and [Loader]; who wants one asks whether the GPU is one.
//
// # NVIDIA's library
//
// No binary needs NVIDIA's library to start: trampolines.c has a function for each of those that are called, listed in entries.h (scripts/trampolines.sh makes it),
// and takes the library's when [Available] is first called. gpu.c has what gorgonia.org/cu lacks, or would make slower. The folder compat lets
// gorgonia.org/cu be compiled with the header of CUDA 13 (scripts/cuda.sh).
package driver
