package kernels

// Benchmarks are kernels that only benchmarks use, because they reproduce published experiments. A [Device] offers them
// if it implements this interface too.
type Benchmarks interface {
	LaplaceJacobi(LaplaceJacobiArgs)
	Poisson2D(Poisson2DArgs)
	HierarchicalJacobi(HierarchicalJacobiArgs)
	HierarchicalCube(HierarchicalCubeArgs)
}
