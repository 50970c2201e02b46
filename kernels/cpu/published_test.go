package cpu_test

import (
	"fmt"

	"convect/kernels"
)

// publishedKernels are the kernels of kernels.Benchmarks. The plane is the lowest part of the fixture's arrays.
func publishedKernels() []timed {
	all := []timed{{"LaplaceJacobi", 2, func(f *fixture) {
		f.LaplaceJacobi(kernels.LaplaceJacobiArgs{Box: f.box, Out: f.x[0], U: f.x[1], Tile: [3]int{0, 32, 64}})
	}}}
	for layout := kernels.RowThreads; layout <= kernels.StagedTiles; layout++ {
		all = append(all, timed{"Poisson2D/" + layout.String(), 0, func(f *fixture) {
			plane := kernels.NewBox([3]int{f.box.N[0], 1, f.box.N[2]}, true)
			f.Poisson2D(kernels.Poisson2DArgs{Box: plane, Out: f.x[0], U: f.x[1], F: f.x[2], Layout: layout, Tile: 16})
		}})
	}
	for _, lines := range []bool{true, false} {
		all = append(all, timed{fmt.Sprintf("HierarchicalJacobi/lines=%v", lines), 0, func(f *fixture) {
			plane := kernels.NewBox([3]int{f.box.N[0], 1, f.box.N[2]}, true)
			f.HierarchicalJacobi(kernels.HierarchicalJacobiArgs{Box: plane, Out: f.x[0], U: f.x[1], F: f.x[2], Lines: lines,
				Tile: [2]int{32, 32}, Overlap: 4, Sweeps: 16})
		}})
	}
	return all
}
