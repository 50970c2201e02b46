package casefile

import (
	"fmt"
	"sort"

	"convect/kernels"
)

// gridValues are values on the nodes of a tensor-product grid, [z][y][x]; a periodic axis repeats its first plane.
type gridValues struct {
	x      [3][]float64 // node coordinates in the units of the case, increasing; one along an absent axis
	values []float64
}

// interpolate returns the values on the nodes of the case's grid, trilinear between nodes. A grid without y is taken
// as the same for all y.
func (c *Case) interpolate(g *gridValues) ([]float64, error) {
	var near [3][]neighbours
	for d := range 3 {
		own := c.coordinates(d)
		for i := range own {
			own[i] *= c.Scales.Length
		}
		var err error
		if near[d], err = locate(g.x[d], own, d); err != nil {
			return nil, err
		}
	}
	if len(g.x[kernels.Y]) > 1 && c.flat() {
		return nil, fmt.Errorf("it is 3-D and the case 2-D")
	}
	nx, ny := len(g.x[0]), len(g.x[1])
	out := make([]float64, 0, len(near[0])*len(near[1])*len(near[2]))
	for _, k := range near[2] {
		for _, j := range near[1] {
			row := func(j, k int) []float64 { return g.values[nx*(j+ny*k):] }
			a, b, c, d := row(j.low, k.low), row(j.high, k.low), row(j.low, k.high), row(j.high, k.high)
			for _, i := range near[0] {
				low := i.between(a[i.low], a[i.high])
				low = j.between(low, i.between(b[i.low], b[i.high]))
				high := i.between(c[i.low], c[i.high])
				high = j.between(high, i.between(d[i.low], d[i.high]))
				out = append(out, k.between(low, high))
			}
		}
	}
	return out, nil
}

// neighbours are the nodes on both sides of a point and the part of the upper one.
type neighbours struct {
	low, high int
	part      float64
}

// between interpolates; a node itself keeps its value exactly.
func (n neighbours) between(low, high float64) float64 {
	if n.part == 0 {
		return low
	}
	return (1-n.part)*low + n.part*high
}

// locate finds the neighbours of each point of an axis, which must lie within the nodes.
func locate(nodes, points []float64, d int) ([]neighbours, error) {
	out := make([]neighbours, len(points))
	if len(nodes) == 1 && d == kernels.Y {
		return out, nil
	}
	if len(nodes) < 2 {
		return nil, fmt.Errorf("it has %d nodes along %s", len(nodes), axisName(d))
	}
	first, last := nodes[0], nodes[len(nodes)-1]
	slack := 1e-6 * (last - first)
	for i, x := range points {
		if x < first-slack || x > last+slack {
			return nil, fmt.Errorf("along %s it reaches from %.6g to %.6g, and the domain from %.6g to %.6g", axisName(d), first, last, points[0], points[len(points)-1])
		}
		high := min(max(sort.SearchFloat64s(nodes, x), 1), len(nodes)-1)
		part := (x - nodes[high-1]) / (nodes[high] - nodes[high-1])
		out[i] = neighbours{high - 1, high, min(max(part, 0), 1)}
	}
	return out, nil
}

func axisName(d int) string { return [...]string{"x", "y", "z"}[d] }
