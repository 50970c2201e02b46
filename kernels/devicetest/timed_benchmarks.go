package devicetest

import (
	"fmt"

	"convect/kernels"
)

// benchmarkKernels are the kernels of kernels.Benchmarks. The plane is the lowest part of the fixture's arrays.
func benchmarkKernels() []Timed {
	all := []Timed{{"LaplaceJacobi", 2, func(f *Fixture) {
		f.Device.(kernels.Benchmarks).LaplaceJacobi(kernels.LaplaceJacobiArgs{Box: f.Box, Out: f.X[0], U: f.X[1], Tile: [3]int{0, 32, 64}})
	}}}
	for layout := kernels.RowThreads; layout <= kernels.StagedTiles; layout++ {
		all = append(all, Timed{"Poisson2D/" + layout.String(), 0, func(f *Fixture) {
			plane := kernels.NewBox([3]int{f.Box.N[0], 1, f.Box.N[2]}, true)
			f.Device.(kernels.Benchmarks).Poisson2D(kernels.Poisson2DArgs{Box: plane, Out: f.X[0], U: f.X[1], F: f.X[2], Layout: layout, Tile: 16})
		}})
	}
	for _, lines := range []bool{true, false} {
		all = append(all, Timed{fmt.Sprintf("HierarchicalJacobi/lines=%v", lines), 0, func(f *Fixture) {
			plane := kernels.NewBox([3]int{f.Box.N[0], 1, f.Box.N[2]}, true)
			f.Device.(kernels.Benchmarks).HierarchicalJacobi(kernels.HierarchicalJacobiArgs{Box: plane, Out: f.X[0], U: f.X[1], F: f.X[2], Lines: lines,
				Tile: [2]int{32, 32}, Overlap: 4, Sweeps: 16})
		}})
	}
	return all
}
