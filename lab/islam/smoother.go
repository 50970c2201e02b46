package islam

import (
	"fmt"
	"math"

	"convect/kernels"
	"convect/stencil"
)

// blockBytes is what both copies of a block and its right side take. Half of it is slower, because rows that neighbours both
// compute weigh more, and so is twice of it in the plane.
const blockBytes = 2 << 20

// Smoother is a multigrid.Sweeper: it makes sweeps on blocks of rows, Sweeps of them at a time, while all rows around a block keep their values. Blocks
// share Overlap rows, each handing on the half that is farther from its rim. It is additive, not symmetric, and diverges in 3-D without overlap: more
// sweeps want more of it (4 sweeps 4 rows, 8 sweeps 6), and then Chebyshev V(4,4) and V(8,8) reduce as they do of all nodes.
type Smoother struct {
	Sweeps  int // at a time
	Overlap int // rows, an even number
	Block   int // rows that a block hands on along y and along z; 0: such as fit into blockBytes

	kernels Kernels
}

// NewSmoother returns a smoother on the device of some kernels. It fails on blocks that make no sense.
func NewSmoother(k Kernels, sweeps, overlap, block int) (Smoother, error) {
	switch {
	case sweeps < 1 || sweeps > MaxBlockSweeps:
		return Smoother{}, fmt.Errorf("islam: %d sweeps at a time: from 1 to %d", sweeps, MaxBlockSweeps)
	case overlap < 2 || overlap%2 != 0:
		return Smoother{}, fmt.Errorf("islam: blocks that overlap by %d rows: an even number from 2 on is needed, half for each", overlap)
	case block < 0:
		return Smoother{}, fmt.Errorf("islam: blocks of %d rows", block)
	}
	return Smoother{Sweeps: sweeps, Overlap: overlap, Block: block, kernels: k}, nil
}

// Sweep makes the sweeps.
func (s Smoother) Sweep(a *stencil.Operator, u, spare, f *stencil.Field, weights []float64, zero bool) {
	for len(weights) > 0 {
		args := HierarchicalSmoothArgs{A: a.Elliptic(), Periodic: a.Grid.Periodic, Out: spare.Buffer, F: f.Buffer, Tile: s.tile(a.Grid), Margin: s.Overlap / 2}
		if !zero {
			args.U = u.Buffer
		}
		args.Sweeps = copy(args.Omega[:s.Sweeps], weights)
		s.kernels.HierarchicalSmooth(args)
		u.Swap(spare)
		weights, zero = weights[args.Sweeps:], false
	}
}

// tile returns the rows along y and z that a block of a grid hands on. They do not depend on the machine, because results depend on them.
func (s Smoother) tile(g *stencil.Grid) [2]int {
	edge, around := s.Block, s.Overlap+2
	rows := blockBytes / (3 * g.Elem.Size() * (g.Box.N[kernels.X] + 32))
	switch {
	case edge > 0:
	case g.Flat():
		edge = max(rows-around, 8)
	default:
		edge = max(int(math.Sqrt(float64(rows)))-around, 8)
	}
	if g.Flat() {
		return [2]int{1, edge}
	}
	return [2]int{edge, edge}
}
