package multigrid

import (
	"errors"
	"fmt"
	"math"

	"convect/kernels"
	"convect/stencil"
)

// Defaults of hierarchical Jacobi.
const (
	DefaultSubiterations = 4
	DefaultOverlap       = 4
	// blockBytes is what both copies of a block and its right side take. Half of it is slower, because rows that neighbours both
	// compute weigh more, and so is twice of it in the plane.
	blockBytes = 2 << 20
)

// withBlocks fills in the defaults of hierarchical Jacobi.
func (o Options) withBlocks() Options {
	if o.Subiterations == 0 {
		o.Subiterations = DefaultSubiterations
	}
	if o.Overlap == 0 {
		o.Overlap = DefaultOverlap
	}
	return o
}

// blocks returns the blocks of a level: those of the options, or such as fit into blockBytes. They do not depend on the machine,
// because results depend on them.
func (o Options) blocks(g *stencil.Grid) stencil.Blocks {
	edge, margin := o.Block, o.Overlap/2
	rows := blockBytes / (3 * g.Elem.Size() * (g.Box.N[kernels.X] + 32))
	switch around := 2*margin + 2; {
	case edge > 0:
	case g.Flat():
		edge = max(rows-around, 8)
	default:
		edge = max(int(math.Sqrt(float64(rows)))-around, 8)
	}
	if g.Flat() {
		return stencil.Blocks{Tile: [2]int{1, edge}, Margin: margin}
	}
	return stencil.Blocks{Tile: [2]int{edge, edge}, Margin: margin}
}

// sweepBlocks makes an application on blocks for every Subiterations weights.
func (l *level) sweepBlocks(weights []float64, zero bool) {
	for ; len(weights) > 0; weights = weights[l.subiterations:] {
		u := l.u
		if zero {
			u = nil
		}
		l.op.HierarchicalSmooth(l.spare, u, l.f, weights[:l.subiterations], l.blocks)
		l.u.Swap(l.spare)
		zero = false
	}
}

// checkBlocks refuses options of hierarchical Jacobi that make no sense.
func (o Options) checkBlocks() error {
	switch {
	case o.Smoother != Hierarchical:
		return nil
	case o.Subiterations < 1 || o.Subiterations > kernels.MaxBlockSweeps:
		return fmt.Errorf("multigrid: %d subiterations: from 1 to %d", o.Subiterations, kernels.MaxBlockSweeps)
	case o.Overlap < 2 || o.Overlap%2 != 0:
		return fmt.Errorf("multigrid: blocks that overlap by %d rows: an even number from 2 on is needed, half for each", o.Overlap)
	case o.Block < 0:
		return fmt.Errorf("multigrid: blocks of %d rows", o.Block)
	case o.Method == ConjugateGradients:
		return errors.New("multigrid: conjugate gradients need a symmetric cycle, which smoother hierarchical does not make")
	}
	return nil
}
