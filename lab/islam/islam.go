package islam

import (
	"convect/kernels"
	"convect/kernels/cpu"
	"convect/kernels/cuda"
	"convect/lab/modules"
)

// Kernels are those of the experiment, on a device whose buffers they take. Its Sync tells what fails.
type Kernels interface {
	HierarchicalJacobi(HierarchicalJacobiArgs)
	HierarchicalCube(HierarchicalCubeArgs)
	HierarchicalSmooth(HierarchicalSmoothArgs)
}

// On returns the kernels on a device, or false where there are none for it.
func On(d kernels.Device) (Kernels, bool) {
	return modules.On(d, func(d *cpu.Device) Kernels { return processor{d} }, func(d *cuda.Device) Kernels { return gpu{d} })
}
