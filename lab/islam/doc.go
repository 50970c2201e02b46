// Package islam solves Poisson's equation by Jacobi sweeps on blocks that fit into a core's first cache or into shared memory, after Islam & Wang,
// Hierarchical Jacobi iteration for structured matrices on GPUs using shared memory, 2020 (convect bench hierarchical): a cycle copies every block with
// its rim, sweeps it many times while the rim keeps its values, and hands the block's unknowns on. It moves 3 words an unknown
// for as many sweeps as plain Jacobi would move 3 words each, at the price of rims that are a cycle old.
//
// Kernels, [HierarchicalJacobiArgs] in the plane and in lines and [HierarchicalCubeArgs] in three dimensions, are on the devices that [On] knows. Beyond the
// paper, [HierarchicalSmoothArgs] does the same with the elliptic operators of package kernels, and [Smoother] makes it the smoother of a multigrid. notes.md
// tells what was found.
//
// # Problem
//
// -u” = 1 on N unknowns between fixed ends, many copies of which are solved at once ([Lines]), or -∇²u = 1 on N × N unknowns
// with fixed walls ([Plane]), or N × N × N ([Cube]), of width 1 and zero on the boundary. u begins as 1. With h = 1/(N+1)
//
//	lines   u_i  ← (u_(i-1) + u_(i+1) + h²) / 2
//	plane   u_ik ← (u_(i-1,k) + u_(i+1,k) + u_(i,k-1) + u_(i,k+1) + h²) / 4
//	cube    as the plane, the mean of the six neighbours and h²
//
// # Overlap
//
// The unknowns near a rim are the worst of a block. Neighbouring blocks therefore share Overlap unknowns, and each hands on the
// half of them that is farther from its own rim.
//
// # What it needs
//
// The number of cycles to a residual is a property of the algorithm, not of the machine; [Problem.Count] finds it. On lines of
// 1024 unknowns to 1e-4 plain Jacobi takes 128,760 sweeps, blocks of 32 with 8 sweeps a cycle 25,481 cycles, with 16 sweeps and an
// overlap of 4 8,094.
package islam
