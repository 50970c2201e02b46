package devicetest

import (
	"fmt"

	"convect/kernels"
)

// benchmarkChecks returns the checks of kernels.Benchmarks.
func benchmarkChecks() []check {
	return []check{{"LaplaceJacobi", checkLaplaceJacobi}, {"Poisson2D", checkPoisson2D},
		{"HierarchicalJacobi", checkHierarchicalJacobi}, {"HierarchicalCube", checkHierarchicalCube}}
}

// meanRoundings counts those of a mean of six neighbours: five additions, the sixth of six rounded, one product.
const meanRoundings = 8

func checkLaplaceJacobi(s *suite) {
	for _, n := range [][3]int{{3, 3, 3}, {5, 4, 3}, {16, 7, 5}, {17, 6, 4}, {2, 3, 4}, {33, 9, 8}, {64, 5, 6}, {131, 13, 11}} {
		box := kernels.NewBox(n, false)
		for _, tile := range [][3]int{{}, {1, 1, 1}, {16, 4, 0}, {5, 3, 2}, {0, 2, 3}, {48, 0, 1}, {1000, 1000, 1000}} {
			s.one(fmt.Sprintf("%dx%dx%d-tile-%dx%dx%d", n[0], n[1], n[2], tile[0], tile[1], tile[2]), func(b *bench) {
				laplaceSweeps(b, kernels.LaplaceJacobiArgs{Box: box, Tile: tile})
			})
		}
	}
	for _, n := range [][3]int{{3, 3, 3}, {17, 6, 4}, {2, 3, 4}, {33, 9, 8}, {64, 30, 6}, {264, 41, 9}, {131, 13, 31}, {515, 3, 3}} {
		box := kernels.NewBox(n, false)
		for form := kernels.PlanesInShared; form <= kernels.NodesInRegisters; form++ {
			for sweeps := 1; sweeps <= 6; sweeps++ {
				if form == kernels.PlanesInShared && sweeps > 3 {
					continue // as three
				}
				s.one(fmt.Sprintf("%dx%dx%d-%v-%d-sweeps", n[0], n[1], n[2], form, sweeps), func(b *bench) {
					laplaceSweeps(b, kernels.LaplaceJacobiArgs{Box: box, Tile: [3]int{32, 4, 0}, Form: form, Sweeps: sweeps})
				})
			}
		}
	}
}

// laplaceSweeps compares sweeps with as many means of neighbours.
func laplaceSweeps(b *bench, a kernels.LaplaceJacobiArgs) {
	u, before := b.noise(a.Box), b.noise(a.Box)
	us, out := b.put(u), b.put(before)
	a.U, a.Out = us.Buffer, out.Buffer
	written := []*array{out}
	if a.Sweeps > 1 {
		work := b.put(b.noise(a.Box))
		a.Work, written = work.Buffer, append(written, work)
	}
	got := b.call(func() { b.Device.(kernels.Benchmarks).LaplaceJacobi(a) }, written...)
	b.nodes("Out", got[0], before, meanAgain(u, max(a.Sweeps, 1)), float64(meanRoundings*max(a.Sweeps, 1)))
}

func checkPoisson2D(s *suite) {
	for _, n := range [][2]int{{3, 3}, {2, 5}, {9, 16}, {17, 12}, {33, 20}, {150, 131}} {
		box := kernels.NewBox([3]int{n[0], 1, n[1]}, true)
		for layout := kernels.RowThreads; layout <= kernels.StagedTiles; layout++ {
			for _, tile := range []int{1, 2, 7, 16, 200} {
				s.one(fmt.Sprintf("%dx%d-%v-%d", n[0], n[1], layout, tile), func(b *bench) {
					u, f, before := b.noise(box), b.noise(box), b.noise(box)
					us, fs, out := b.put(u), b.put(f), b.put(before)
					got := b.call(func() {
						b.Device.(kernels.Benchmarks).Poisson2D(kernels.Poisson2DArgs{
							Box: box, Out: out.Buffer, U: us.Buffer, F: fs.Buffer, Layout: layout, Tile: tile,
						})
					}, out)
					b.nodes("Out", got[0], before, neighbourMean(u, &f), meanRoundings)
				})
			}
		}
	}
}

// sweepRoundings counts those of a mean of four neighbours and f: four additions, one product.
const sweepRoundings = 5

func checkHierarchicalJacobi(s *suite) {
	for _, n := range [][2]int{{3, 3}, {9, 16}, {18, 18}, {35, 20}, {66, 34}, {71, 19}} {
		box := kernels.NewBox([3]int{n[0], 1, n[1]}, true)
		for _, c := range []struct{ wide, high, overlap, sweeps int }{
			{1, 1, 0, 2}, {16, 4, 0, 1}, {16, 16, 0, 3}, {16, 16, 4, 4}, {8, 8, 6, 5}, {5, 7, 2, 2}, {33, 9, 8, 9}, {200, 200, 2, 6}, {7, 3, 2, 1},
		} {
			for _, lines := range []bool{true, false} {
				name := fmt.Sprintf("%dx%d-%dx%d-overlap-%d-%d-sweeps-lines=%v", n[0], n[1], c.wide, c.high, c.overlap, c.sweeps, lines)
				s.one(name, func(b *bench) {
					u, f, before := b.noise(box), b.noise(box), b.noise(box)
					us, fs, out := b.put(u), b.put(f), b.put(before)
					a := kernels.HierarchicalJacobiArgs{Box: box, Out: out.Buffer, U: us.Buffer, F: fs.Buffer, Lines: lines,
						Tile: [2]int{c.wide, c.high}, Overlap: c.overlap, Sweeps: c.sweeps}
					got := b.call(func() { b.Device.(kernels.Benchmarks).HierarchicalJacobi(a) }, out)
					b.nodes("Out", got[0], before, relaxedBlocks(a, u, f), float64(sweepRoundings*c.sweeps))
				})
			}
		}
	}
}

// benchmarkSamples returns a call of every kernel of kernels.Benchmarks.
func benchmarkSamples() []sample {
	return []sample{
		{"LaplaceJacobi", []string{"Out", "U"}, 0, func(b *bench) any {
			return kernels.LaplaceJacobiArgs{Box: b.sampleGrid().Box, Out: b.x(), U: b.x()}
		}},
		{"Poisson2D", []string{"Out", "U", "F"}, 0, func(b *bench) any {
			box := kernels.NewBox([3]int{5, 1, 3}, true)
			x := func() kernels.Buffer { return b.put(b.noise(box)).Buffer }
			return kernels.Poisson2DArgs{Box: box, Out: x(), U: x(), F: x(), Tile: 2}
		}},
		{"HierarchicalJacobi", []string{"Out", "U", "F"}, 0, func(b *bench) any {
			box := kernels.NewBox([3]int{5, 1, 3}, true)
			x := func() kernels.Buffer { return b.put(b.noise(box)).Buffer }
			return kernels.HierarchicalJacobiArgs{Box: box, Out: x(), U: x(), F: x(), Tile: [2]int{2, 2}, Sweeps: 2}
		}},
		{"HierarchicalCube", []string{"Out", "U", "F"}, 0, func(b *bench) any {
			return kernels.HierarchicalCubeArgs{Box: b.sampleGrid().Box, Out: b.x(), U: b.x(), F: b.x(), Tile: [3]int{2, 2, 2}, Sweeps: 2}
		}},
	}
}
