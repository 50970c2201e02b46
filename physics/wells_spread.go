package physics

import (
	"fmt"
	"maps"
	"math"
	"slices"

	"convect/kernels"
	"convect/stencil"
)

// spreadWell returns the nodes of a well and what part of its rate each of them gets. Across, and along z at a point, a place between nodes counts with its
// multilinear weights, so that the first moment is right: away from the well its flow is then of second order (Tornberg & Engquist, J. Comput. Phys. 200, 462,
// 2004). Along a line the density is constant within each cell and its first moment right in each.
func spreadWell(g *stencil.Grid, p *Parameters, of *Well) ([]wellPart, error) {
	var along [3]map[int]float64
	var cells [3][]int
	for d := range 3 {
		along[d], cells[d] = map[int]float64{0: 1}, []int{0}
		if g.Cells[d] == 0 || d == kernels.Z && of.Line {
			continue
		}
		if !(of.At[d] >= 0 && of.At[d] <= g.Size[d]*(1+placeSlack)) {
			return nil, fmt.Errorf("%s = %g is not within the domain", stencil.AxisName(d), of.At[d])
		}
		along[d], cells[d] = placeOn(g, d, of.At[d])
	}
	if of.Line {
		if !(of.From >= 0 && of.From < of.To && of.To <= g.Size[kernels.Z]*(1+placeSlack)) {
			return nil, fmt.Errorf("the line from z = %g to %g is not within the domain", of.From, of.To)
		}
		along[kernels.Z] = line(g, of.From, of.To, func(k int) float64 { return horizontal(g, &p.Permeability, cells, k) })
	}
	var parts []wellPart
	for _, z := range blocks(along[kernels.Z]) {
		for _, y := range blocks(along[kernels.Y]) {
			for _, x := range blocks(along[kernels.X]) {
				part, err := newWellPart(g, x, y, z)
				if err != nil {
					return nil, err
				}
				parts = append(parts, part)
			}
		}
	}
	return parts, nil
}

// newWellPart returns the nodes of a block along each axis, weighted by the product.
func newWellPart(g *stencil.Grid, x, y, z block) (p wellPart, err error) {
	p.Part, err = g.Part([3]int{x.low, y.low, z.low}, [3]int{len(x.weights), len(y.weights), len(z.weights)})
	for _, c := range z.weights {
		for _, b := range y.weights {
			for _, a := range x.weights {
				p.weights = append(p.weights, a*b*c)
			}
		}
	}
	n := len(p.weights)
	p.rates, p.has, p.gets = make([]float64, n), make([]float64, n), make([]float64, n)
	return p, err
}

// placeSlack is the part of a cell, or of the domain, within which a place counts as a node, or as inside.
const placeSlack = 1e-9

// placeOn returns the nodes of an axis beside a place with their weights, and the cells that hold it: two where it is a node.
func placeOn(g *stencil.Grid, d int, x float64) (nodes map[int]float64, cells []int) {
	n, h := g.Cells[d], g.Widths[d]
	ends := coordinatesOf(h)
	i := min(max(slices.IndexFunc(ends[1:], func(end float64) bool { return x <= end }), 0), n-1)
	if x > ends[n] {
		i = n - 1
	}
	at := func(node int) int {
		if g.Periodic[d] {
			return (node + n) % n
		}
		return node
	}
	part := min(max((x-ends[i])/h[i], 0), 1)
	switch {
	case part > 1-placeSlack:
		i++
		fallthrough
	case part < placeSlack:
		for _, c := range []int{i - 1, i} {
			if c >= 0 && c < n || g.Periodic[d] {
				cells = append(cells, (c+n)%n)
			}
		}
		return map[int]float64{at(i): 1}, cells
	}
	return map[int]float64{at(i): 1 - part, at(i + 1): part}, []int{i}
}

// coordinatesOf returns the ends of cells of some widths.
func coordinatesOf(widths []float64) []float64 {
	x := make([]float64, len(widths)+1)
	for i, h := range widths {
		x[i+1] = x[i] + h
	}
	return x
}

// line returns the weights of the nodes along z of a line between two heights, whose density in layer k of the cells is proportional to of(k).
func line(g *stencil.Grid, from, to float64, of func(k int) float64) map[int]float64 {
	h := g.Widths[kernels.Z]
	ends, total := coordinatesOf(h), 0.0
	nodes := map[int]float64{}
	for k := range h {
		low, high := math.Max(from, ends[k]), math.Min(to, ends[k+1])
		if high-low <= placeSlack*h[k] {
			continue
		}
		part, upper := of(k)*(high-low), ((low+high)/2-ends[k])/h[k]
		above := k + 1
		if g.Periodic[kernels.Z] {
			above %= g.Cells[kernels.Z]
		}
		nodes[k], nodes[above] = nodes[k]+part*(1-upper), nodes[above]+part*upper
		total += part
	}
	for _, k := range slices.Sorted(maps.Keys(nodes)) {
		nodes[k] /= total
	}
	return nodes
}

// horizontal returns the mean over the cells of a layer that hold a well of their horizontal permeability.
func horizontal(g *stencil.Grid, k *Material, cells [3][]int, layer int) float64 {
	shape, sum := g.CellShape(), 0.0
	for _, j := range cells[kernels.Y] {
		for _, i := range cells[kernels.X] {
			of := k.Constant
			if k.Varies() {
				for d := range k.Cells {
					if len(k.Cells[d]) > 0 {
						of[d] = k.Cells[d][i+shape[0]*(j+shape[1]*layer)]
					}
				}
			}
			if g.Flat() {
				sum += of[kernels.X]
				continue
			}
			sum += math.Sqrt(of[kernels.X] * of[kernels.Y])
		}
	}
	return sum / float64(len(cells[kernels.X])*len(cells[kernels.Y]))
}

// block is a run of neighbouring nodes of an axis.
type block struct {
	low     int
	weights []float64
}

// blocks returns the runs of neighbours among nodes; around a periodic end there are two.
func blocks(nodes map[int]float64) (all []block) {
	for _, n := range slices.Sorted(maps.Keys(nodes)) {
		if last := len(all) - 1; last >= 0 && all[last].low+len(all[last].weights) == n {
			all[last].weights = append(all[last].weights, nodes[n])
			continue
		}
		all = append(all, block{n, []float64{nodes[n]}})
	}
	return all
}
