package devicetest

import (
	"math"

	"convect/kernels"
)

// neighbourMean returns, at inner nodes of a box, the mean of the neighbours of u along all axes and f (if not nil);
// u on the walls.
func neighbourMean(u Field, f *Field) result {
	return compute(u.Box, func(n Node) sum {
		var s sum
		count := 0.0
		for d, extent := range u.Box.N {
			if !present(u.Box, d) {
				continue
			}
			if n[d] == 0 || n[d] == extent-1 {
				return exact(u.At(n))
			}
			s.add(u.At(shift(n, d, -1)))
			s.add(u.At(shift(n, d, 1)))
			count += 2
		}
		if f != nil {
			s.add(f.At(n))
		}
		return sum{s.value / count, s.size / count}
	})
}

// meanAgain takes the mean of the neighbours so many times; no mean is larger than the largest value.
func meanAgain(u Field, times int) result {
	if times == 1 {
		return neighbourMean(u, nil)
	}
	largest := 0.0
	EachNode(u.Box, func(n Node) { largest = math.Max(largest, math.Abs(u.At(n))) })
	r := result{value: u}
	for range times {
		r = neighbourMean(r.value, nil)
	}
	EachNode(u.Box, func(n Node) { r.size.Set(n, largest) })
	return r
}

// relaxedBlocks returns what a cycle of HierarchicalJacobi hands on: every unknown is swept in the block in which it is
// farthest from the rim, and its value depends on the rest of that block alone.
func relaxedBlocks(a kernels.HierarchicalJacobiArgs, u, f Field) result {
	out := compute(u.Box, func(n Node) sum { return exact(u.At(n)) })
	largest, source := 0.0, 0.0
	EachNode(u.Box, func(n Node) {
		largest, source = math.Max(largest, math.Abs(u.At(n))), math.Max(source, math.Abs(f.At(n)))
	})
	size := largest + float64(a.Sweeps)*source/2 // no sweep makes more of it
	count := a.Blocks()
	for bz := range count[1] {
		for bx := range count[0] {
			x := ownedBy(bx, count[0], a.Tile[0], a.Overlap, 1, u.Box.N[kernels.X]-1)
			z := ownedBy(bz, count[1], a.Tile[1], a.Overlap, 1, u.Box.N[kernels.Z]-1)
			if a.Lines {
				z = ownedBy(bz, count[1], a.Tile[1], 0, 0, u.Box.N[kernels.Z])
			}
			v := sweepBlock(a, u, f, x, z)
			for k := z.own; k < z.ownEnd; k++ {
				for i := x.own; i < x.ownEnd; i++ {
					n := Node{i, 0, k}
					out.value.Set(n, v.At(n))
					out.size.Set(n, size)
				}
			}
		}
	}
	return out
}

// owned is the range of unknowns of a block along an axis, and the part that it hands on.
type owned struct{ first, end, own, ownEnd int }

func ownedBy(block, blocks, tile, overlap, low, high int) owned {
	p := owned{first: low + block*(tile-overlap)}
	p.end = min(p.first+tile, high)
	p.own, p.ownEnd = p.first, p.end
	if block > 0 {
		p.own += overlap / 2
	}
	if block < blocks-1 {
		p.ownEnd -= overlap / 2
	}
	return p
}

// sweepBlock returns a copy of u in which a block has been swept.
func sweepBlock(a kernels.HierarchicalJacobiArgs, u, f Field, x, z owned) Field {
	now := u.Clone()
	for range a.Sweeps {
		next := now.Clone()
		for k := z.first; k < z.end; k++ {
			for i := x.first; i < x.end; i++ {
				n := Node{i, 0, k}
				mean := now.At(shift(n, kernels.X, -1)) + now.At(shift(n, kernels.X, 1)) + f.At(n)
				if a.Lines {
					next.Set(n, mean/2)
					continue
				}
				next.Set(n, (mean+now.At(shift(n, kernels.Z, -1))+now.At(shift(n, kernels.Z, 1)))/4)
			}
		}
		now = next
	}
	return now
}
