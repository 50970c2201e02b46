package devicetest

import (
	"math"

	"convect/kernels"
)

// cellsOf calls visit for the cells of the domain, which are laid out like nodes.
func (g *Grid) cellsOf(visit func(n Node)) {
	EachNode(g.Box, func(n Node) {
		for d := range n {
			if g.present(d) && !g.inner(d, n) {
				return
			}
		}
		visit(n)
	})
}

// nodesOf calls visit for the nodes of a cell.
func (g *Grid) nodesOf(cell Node, visit func(n Node)) {
	high := Node{cell[0] + 2, cell[1] + 2, cell[2] + 2}
	if !g.present(kernels.Y) {
		high[1]--
	}
	eachWithin(cell, high, visit)
}

// table is a function that is linear between equidistant points; beyond the ends it is constant.
type table struct {
	values       []float64
	low, perUnit float64
}

// at returns the value at the mean t of some numbers, and a size that bounds what rounding t changes.
func (f *table) at(t sum) (s sum) {
	last := len(f.values) - 1
	x := math.Min(math.Max((t.value-f.low)*f.perUnit, 0), float64(last))
	if math.IsNaN(x) {
		x = 0
	}
	n := min(int(x), last-1)
	s.add((1 - x + float64(n)) * f.values[n])
	s.add((x - float64(n)) * f.values[n+1])
	steepest := 0.0
	for m := range last {
		steepest = math.Max(steepest, math.Abs(f.values[m+1]-f.values[m]))
	}
	s.size += steepest * ((t.size+math.Abs(f.low))*f.perUnit + float64(last))
	return s
}

// tableOfTwo is a function of two numbers, linear in both between the values of a grid.
type tableOfTwo struct {
	values        []float64
	columns, rows int
	low, perUnit  [2]float64
}

// at returns the value at two numbers, and a size that bounds what rounding them changes.
func (f *tableOfTwo) at(x, y float64) (s sum) {
	var cell [2]int
	var part [2]float64
	for d, v := range [2]float64{x, y} {
		last := [2]int{f.columns, f.rows}[d] - 1
		p := math.Min(math.Max((v-f.low[d])*f.perUnit[d], 0), float64(last))
		if math.IsNaN(p) {
			p = 0
		}
		cell[d] = min(int(p), last-1)
		part[d] = p - float64(cell[d])
	}
	for c := range 4 {
		i, j := c&1, c>>1
		weight := math.Abs(1-float64(i)-part[0]) * math.Abs(1-float64(j)-part[1])
		s.add(weight * f.values[cell[0]+i+f.columns*(cell[1]+j)])
	}
	steepest := 0.0
	for n := range f.values {
		for _, next := range []int{n + 1, n + f.columns} {
			if next < len(f.values) {
				steepest = math.Max(steepest, math.Abs(f.values[next]-f.values[n]))
			}
		}
	}
	s.size += steepest * ((math.Abs(x)+math.Abs(f.low[0]))*f.perUnit[0] + (math.Abs(y)+math.Abs(f.low[1]))*f.perUnit[1] + float64(f.columns+f.rows))
	return s
}

// mobility returns K f(T̄) in the cells of the domain.
func (g *Grid) mobility(t Field, k func(cell Node) float64, f *table) result {
	r := result{NewField(g.Box), NewField(g.Box)}
	g.cellsOf(func(cell Node) {
		var total, s sum
		nodes := 0.0
		g.nodesOf(cell, func(n Node) {
			total.add(t.At(n))
			nodes++
		})
		s.addScaled(k(cell), f.at(sum{total.value / nodes, total.size / nodes}))
		r.value.Set(cell, s.value)
		r.size.Set(cell, s.size)
	})
	return r
}

// coarsenCells returns the conductivity along axis d of the coarse cells.
func coarsenCells(fine, coarse *Grid, k Field, d int, arithmetic bool) result {
	r := result{NewField(coarse.Box), NewField(coarse.Box)}
	ratio := ratioOf(fine.Box, coarse.Box, fine.Periodic)
	p, q := others(d)
	coarse.cellsOf(func(cell Node) {
		var sum, weights float64
		along := fine.children(ratio, d, cell[d])
		for _, b := range fine.children(ratio, p, cell[p]) {
			for _, c := range fine.children(ratio, q, cell[q]) {
				var child Node
				child[p], child[q] = b.cell, c.cell
				sum += b.width * c.width * fine.columnMean(k, child, d, along, arithmetic)
				weights += b.width * c.width
			}
		}
		r.value.Set(cell, sum/weights)
		r.size.Set(cell, sum/weights)
	})
	return r
}

// childPart is what a coarse cell has of a fine one along an axis.
type childPart struct {
	cell  int
	width float64
}

// children returns the parts of fine cells of an axis that coarse cell J has.
func (g *Grid) children(r ratio, d, J int) (parts []childPart) {
	low, high := J*r[d].fine, (J+1)*r[d].fine // in parts of a fine cell, of which it has r.coarse
	for i := range r[d].fine {
		if part := min((i+1)*r[d].coarse, high) - max(i*r[d].coarse, low); part > 0 {
			parts = append(parts, childPart{i, g.H[d].At(i) * float64(part) / float64(r[d].coarse)})
		}
	}
	return parts
}

// columnMean returns the mean of parts of cells in a line along axis d, weighted by their widths.
func (g *Grid) columnMean(k Field, cell Node, d int, parts []childPart, arithmetic bool) float64 {
	var length, product, resistance float64
	for _, part := range parts {
		at, h := cell, part.width
		at[d] = part.cell
		length += h
		product += h * k.At(at)
		resistance += h / k.At(at)
	}
	if arithmetic {
		return product / length
	}
	return length / resistance
}

// coupling returns the largest K/h² and h²/K over cells.
func (g *Grid) coupling(k Field, d int) []sum {
	var least, most float64
	g.cellsOf(func(cell Node) {
		s := k.At(cell) * g.RH[d].At(cell[d]) * g.RH[d].At(cell[d])
		most, least = math.Max(most, s), math.Max(least, 1/s)
	})
	return []sum{{most, most}, {least, least}}
}
