package sampling

import (
	"math"

	"convect/physics"
	"convect/stencil"
)

// tap is a node along an axis and its part in a value between nodes.
type tap struct {
	node int
	part float64
}

// taps returns the nodes along an axis that a place lies between, or the one on which it lies. An absent axis has one node.
func taps(g *stencil.Grid, d int, x float64) []tap {
	if g.Cells[d] == 0 {
		return []tap{{0, 1}}
	}
	c := g.Coordinates(d)
	nodes := len(c)
	if g.Periodic[d] {
		c = append(c, g.Size[d])
	}
	slack := 1e-12 * g.Size[d]
	low := 0
	for low+2 < len(c) && c[low+1] <= x+slack {
		low++
	}
	part := math.Min(math.Max((x-c[low])/(c[low+1]-c[low]), 0), 1)
	switch near := slack / (c[low+1] - c[low]); {
	case part <= near:
		return []tap{{low, 1}}
	case part >= 1-near:
		return []tap{{(low + 1) % nodes, 1}}
	}
	return []tap{{low, 1 - part}, {(low + 1) % nodes, part}}
}

// point is a place as the blocks of nodes around it and the part of each of their nodes in its value.
type point struct {
	blocks []physics.Block
	parts  []float64
}

// newPoint finds a place, whose coordinates along absent axes do not count, on a grid.
func newPoint(g *stencil.Grid, at [3]float64) point {
	var p point
	var along [3][]tap
	for d := range along {
		along[d] = taps(g, d, at[d])
	}
	for _, z := range along[2] {
		for _, y := range along[1] {
			for _, x := range along[0] {
				p.blocks = append(p.blocks, physics.Block{Low: [3]int{x.node, y.node, z.node}, N: [3]int{1, 1, 1}})
				p.parts = append(p.parts, x.part*y.part*z.part)
			}
		}
	}
	return p
}

// value returns the component of a quantity at the point from its values in the blocks.
func (p *point) value(blocks [][][]float64, component int) float64 {
	sum := 0.0
	for n, part := range p.parts {
		sum += part * blocks[n][component][0]
	}
	return sum
}
