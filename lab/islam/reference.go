package islam

import (
	"math"
	"slices"
)

// blockPart is what a block has of an axis, and what it hands on.
type blockPart struct{ first, end, own, ownEnd int }

// blockParts cuts the unknowns low..high-1 of an axis.
func blockParts(low, high int, b Blocks) (all []blockPart) {
	for first := low; ; first += b.Tile - b.Overlap {
		p := blockPart{first, min(first+b.Tile, high), first, min(first+b.Tile, high)}
		if first > low {
			p.own += b.Overlap / 2
		}
		if p.end < high {
			p.ownEnd -= b.Overlap / 2
		}
		if all = append(all, p); p.end == high {
			return all
		}
	}
}

// plainLattice is the shape of the arrays of a plain reference, and along which axes there are neighbours.
type plainLattice struct {
	n, stride [3]int
	swept     []int
}

func latticeOf(s Shape, nodes int) plainLattice {
	row := s.N + 2
	l := plainLattice{n: [3]int{row, 1, nodes / row}, swept: []int{0, 2}}
	switch {
	case s.Copies > 0:
		l.swept = []int{0}
	case s.Cubic:
		l.n, l.swept = [3]int{row, row, row}, []int{0, 1, 2}
	}
	l.stride = [3]int{1, l.n[0], l.n[0] * l.n[1]}
	return l
}

// mean returns the mean of the neighbours of node c and f.
func (l plainLattice) mean(u, f []float64, c int) float64 {
	sum := 0.0
	for _, d := range l.swept {
		sum += u[c-l.stride[d]] + u[c+l.stride[d]]
	}
	return (sum + f[c]) / float64(2*len(l.swept))
}

// each calls visit for the nodes of a range.
func (l plainLattice) each(low, high [3]int, visit func(c int)) {
	for k := low[2]; k < high[2]; k++ {
		for j := low[1]; j < high[1]; j++ {
			for i := low[0]; i < high[0]; i++ {
				visit(i*l.stride[0] + j*l.stride[1] + k*l.stride[2])
			}
		}
	}
}

// unknowns returns the range of nodes that are swept.
func (l plainLattice) unknowns() (low, high [3]int) {
	high = l.n
	for _, d := range l.swept {
		low[d], high[d] = 1, l.n[d]-1
	}
	return low, high
}

// PlainCycle returns what a cycle makes of u, with f the right side times h², one block after the other, all from the same u: the plain reference, one
// unknown at a time in float64 on the host. Arrays are [z][y][x] of N+2 nodes a row, as those of [Problem.Start].
func (s Shape) PlainCycle(u, f []float64, b Blocks) []float64 {
	l := latticeOf(s, len(u))
	low, high := l.unknowns()
	var parts [3][]blockPart
	for d := range parts {
		parts[d] = []blockPart{{low[d], high[d], low[d], high[d]}}
	}
	for _, d := range l.swept {
		parts[d] = blockParts(low[d], high[d], b)
	}
	out := slices.Clone(u)
	for _, z := range parts[2] {
		for _, y := range parts[1] {
			for _, x := range parts[0] {
				first, end := [3]int{x.first, y.first, z.first}, [3]int{x.end, y.end, z.end}
				now := slices.Clone(u)
				for range b.Sweeps {
					next := slices.Clone(now)
					l.each(first, end, func(c int) { next[c] = l.mean(now, f, c) })
					now = next
				}
				l.each([3]int{x.own, y.own, z.own}, [3]int{x.ownEnd, y.ownEnd, z.ownEnd}, func(c int) { out[c] = now[c] })
			}
		}
	}
	return out
}

// PlainCount makes cycles from u until the residual is tolerance times the first, and returns how many it took.
func (s Shape) PlainCount(u, f []float64, b Blocks, tolerance float64) int {
	l := latticeOf(s, len(u))
	low, high := l.unknowns()
	residual := func() (sum float64) {
		l.each(low, high, func(c int) { sum += math.Pow(l.mean(u, f, c)-u[c], 2) })
		return math.Sqrt(sum)
	}
	first, count := residual(), 0
	for ; residual() > tolerance*first; count++ {
		u = s.PlainCycle(u, f, b)
	}
	return count
}
