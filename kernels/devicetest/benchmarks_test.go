package devicetest

import (
	"math"
	"testing"

	"convect/kernels"
)

func (d *hostDevice) LaplaceJacobi(a kernels.LaplaceJacobiArgs) {
	d.run("LaplaceJacobi", func() { write(a.Out, meanAgain(fieldOf(a.Box, a.U), max(a.Sweeps, 1))) }, laidOut(a.Box, a.Out, a.U)...)
}

func (d *hostDevice) Poisson2D(a kernels.Poisson2DArgs) {
	d.run("Poisson2D", func() {
		f := fieldOf(a.Box, a.F)
		write(a.Out, neighbourMean(fieldOf(a.Box, a.U), &f))
	}, laidOut(a.Box, a.Out, a.U, a.F)...)
}

func (d *brokenDevice) LaplaceJacobi(a kernels.LaplaceJacobiArgs) {
	d.hostDevice.LaplaceJacobi(a)
	if d.defect == "LaplaceJacobi/forgets the last tile" && a.Tile[0] > 1 {
		last := Node{a.Box.N[0] - 1, a.Box.N[1] - 1, a.Box.N[2] - 1}
		spoil(a.Out, a.Box, last, increment)
	}
	if d.defect == "LaplaceJacobi/forgets a sweep" && a.Sweeps > 1 {
		a.Sweeps--
		d.hostDevice.LaplaceJacobi(a)
	}
}

func (d *brokenDevice) Poisson2D(a kernels.Poisson2DArgs) {
	d.hostDevice.Poisson2D(a)
	if d.defect == "Poisson2D/forgets the right side of staged tiles" && a.Layout == kernels.StagedTiles {
		d.hostDevice.Poisson2D(kernels.Poisson2DArgs{Box: a.Box, Out: a.Out, U: a.U, F: a.U, Tile: a.Tile})
	}
}

func (d *hostDevice) HierarchicalJacobi(a kernels.HierarchicalJacobiArgs) {
	d.run("HierarchicalJacobi", func() { write(a.Out, relaxedBlocks(a, fieldOf(a.Box, a.U), fieldOf(a.Box, a.F))) },
		laidOut(a.Box, a.Out, a.U, a.F)...)
}

func (d *brokenDevice) HierarchicalJacobi(a kernels.HierarchicalJacobiArgs) {
	if d.defect == "HierarchicalJacobi/hands on what is nearer to the rim" && a.Overlap > 0 && a.Sweeps > 1 {
		a.Overlap, a.Tile = 0, [2]int{a.Tile[0] - a.Overlap, max(a.Tile[1]-a.Overlap, 1)}
	}
	d.hostDevice.HierarchicalJacobi(a)
}

func (d *hostDevice) HierarchicalCube(a kernels.HierarchicalCubeArgs) {
	d.run("HierarchicalCube", func() { write(a.Out, relaxedCubes(a, fieldOf(a.Box, a.U), fieldOf(a.Box, a.F))) }, laidOut(a.Box, a.Out, a.U, a.F)...)
}

func (d *brokenDevice) HierarchicalCube(a kernels.HierarchicalCubeArgs) {
	if d.defect == "HierarchicalCube/hands on what is nearer to the rim" && a.Overlap > 0 && a.Sweeps > 1 {
		for d := range a.Tile {
			a.Tile[d] -= a.Overlap
		}
		a.Overlap = 0
	}
	d.hostDevice.HierarchicalCube(a)
}

// In three dimensions too.
func TestRelaxedCubesOfPlainJacobi(t *testing.T) {
	box := kernels.NewBox([3]int{6, 5, 7}, false)
	u, f := NewField(box), NewField(box)
	EachNode(box, func(n Node) {
		u.Set(n, float64(n[0]*n[0]-3*n[2]+n[1]*n[2]))
		f.Set(n, float64(n[0]+n[2]*n[2]-n[1]))
	})
	once := neighbourMean(u, &f).value
	got := relaxedCubes(kernels.HierarchicalCubeArgs{Box: box, Tile: [3]int{3, 2, 1}, Sweeps: 1}, u, f).value
	whole := relaxedCubes(kernels.HierarchicalCubeArgs{Box: box, Tile: [3]int{99, 99, 99}, Sweeps: 2}, u, f).value
	twice := neighbourMean(once, &f).value
	EachNode(box, func(n Node) {
		if math.Abs(got.At(n)-once.At(n)) > 1e-13 || math.Abs(whole.At(n)-twice.At(n)) > 1e-13 {
			t.Errorf("at %v: %v and %v, want %v and %v", n, got.At(n), whole.At(n), once.At(n), twice.At(n))
		}
	})
}

// A cycle of one sweep is plain Jacobi, and blocks as large as the box make as many sweeps as are asked for.
func TestRelaxedBlocksOfPlainJacobi(t *testing.T) {
	box := kernels.NewBox([3]int{9, 1, 7}, true)
	u, f := NewField(box), NewField(box)
	EachNode(box, func(n Node) {
		u.Set(n, float64(n[0]*n[0]-3*n[2]))
		f.Set(n, float64(n[0]+n[2]*n[2]))
	})
	once := neighbourMean(u, &f).value
	got := relaxedBlocks(kernels.HierarchicalJacobiArgs{Box: box, Tile: [2]int{3, 2}, Sweeps: 1}, u, f).value
	whole := relaxedBlocks(kernels.HierarchicalJacobiArgs{Box: box, Tile: [2]int{99, 99}, Sweeps: 2}, u, f).value
	twice := neighbourMean(once, &f).value
	EachNode(box, func(n Node) {
		if got.At(n) != once.At(n) || whole.At(n) != twice.At(n) {
			t.Errorf("at %v: %v and %v, want %v and %v", n, got.At(n), whole.At(n), once.At(n), twice.At(n))
		}
	})
}

// Blocks cover all unknowns: the paper's 1 + ceil((N - B) / (B - overlap)).
func TestHierarchicalBlocks(t *testing.T) {
	for _, c := range []struct{ unknowns, tile, overlap, blocks int }{{1024, 32, 0, 32}, {1024, 32, 4, 37}, {30, 32, 2, 1}, {33, 32, 30, 2}} {
		a := kernels.HierarchicalJacobiArgs{Box: kernels.NewBox([3]int{c.unknowns + 2, 1, c.unknowns + 2}, true),
			Tile: [2]int{c.tile, c.tile}, Overlap: c.overlap, Sweeps: 1}
		if got := a.Blocks(); got != [2]int{c.blocks, c.blocks} {
			t.Errorf("%+v: blocks %v", c, got)
		}
	}
}

// The mean of the neighbours of a linear function is the function.
func TestNeighbourMeanOfLinear(t *testing.T) {
	for _, box := range []kernels.Box{kernels.NewBox([3]int{5, 4, 3}, false), kernels.NewBox([3]int{5, 1, 4}, true)} {
		u := NewField(box)
		EachNode(box, func(n Node) { u.Set(n, float64(3+n[0]-2*n[1]+4*n[2])) })
		got := neighbourMean(u, nil)
		EachNode(box, func(n Node) {
			if got.value.At(n) != u.At(n) {
				t.Errorf("at %v: %v, want %v", n, got.value.At(n), u.At(n))
			}
		})
	}
}

// The number of blocks is the paper's: ceil((N-1)/n) + 1.
func TestPoissonBlocks(t *testing.T) {
	for _, c := range []struct{ nodes, tile, blocks int }{{4096, 1, 4096}, {4096, 1024, 5}, {9, 4, 3}, {10, 4, 4}} {
		if got := (kernels.Poisson2DArgs{Tile: c.tile}).Blocks(c.nodes); got != c.blocks {
			t.Errorf("%d nodes, tile %d: %d blocks, want %d", c.nodes, c.tile, got, c.blocks)
		}
	}
}
