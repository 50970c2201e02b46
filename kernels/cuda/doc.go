// Package cuda is the backend of package kernels on a GPU of NVIDIA: kernels in CUDA C++, launched from Go.
//
// # Where things are
//
// An operation has the same name in every file: the args struct in kernels/args_<group>.go, its checks in
// kernels/call, the launch in <family>.go here, the kernel in <family>.cu in the folder of what it does: vector (sums and copies),
// stencil (operators), transfer (between grids), cycle (its passes), coarse (direct solves), flow, and step (transport and heat). Every .cu is
// compiled for float and for double by nvcc (make build-cuda) into package modules, which is part of the binary: running needs the driver
// alone. Headers (.cuh) hold what several families share, those in march how threads walk through a grid, launch.h what the compilers of
// GPU and host do not. Kernels that go from node to node, as
// those of lines and transport, take the arithmetic of single points from kernels/cpu/point.h; those that march with rows of nodes, operators among them, write it again in terms of differences.
//
// The [Device] checks calls, chooses kernels and launches them. It reaches its machine through package driver, as a [driver.GPU]: NVIDIA's, in binaries
// built with the tag cuda, or that of package emulation, which runs the same kernels on the host, thread by thread, so that tests need no GPU.
//
// A kernel that only an experiment runs lives with it, and is a guest here: [Device.Load] adds its [driver.Modules], and [Device.BeginGuest] begins
// a launch.
//
// # Order
//
// All work goes to one stream, in the order of the calls; nothing waits for the host but downloads, Scalars and Sync. Scalars that
// one kernel computes for another stay in the GPU's memory.
//
// # Same bits
//
// Products and sums are not contracted to fused operations but where that is written out. A reduction adds its terms in an order that
// depends on the sizes alone, and there are no atomic sums: equal inputs give equal bits. They differ from the CPU's by rounding.
package cuda
