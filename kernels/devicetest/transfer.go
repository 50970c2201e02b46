package devicetest

import (
	"math"

	"convect/kernels"
)

// ratio is of each axis the numbers of cells of a fine grid and of a coarse one.
type ratio [3]struct{ fine, coarse int }

// ratioOf returns the ratio of two boxes with the same periodic axes.
func ratioOf(fine, coarse kernels.Box, periodic [3]bool) (r ratio) {
	for d := range r {
		walls := 1
		if periodic[d] {
			walls = 0
		}
		r[d].fine, r[d].coarse = max(fine.N[d]-walls, 1), max(coarse.N[d]-walls, 1)
	}
	return r
}

// at returns the index of a coarse node that fine node i of an axis has, its whole part and the rest.
func (r ratio) at(d, i int) (low int, rest float64) {
	low = i * r[d].coarse / r[d].fine
	return low, float64(i*r[d].coarse-low*r[d].fine) / float64(r[d].fine)
}

// restrict returns mask Pᵀ fine on the coarse box: along each axis a fine node has the weight 1 less its distance in coarse cells.
func restrict(coarse kernels.Box, r ratio, fine Field, mask *Mask) result {
	return compute(coarse, func(n Node) (s sum) {
		var low, high Node
		for d := range n {
			low[d] = n[d]*r[d].fine/r[d].coarse - 1
			high[d] = low[d] + 4
		}
		eachWithin(low, high, func(o Node) {
			weight := mask.At(n)
			for d := range o {
				weight *= max(0, 1-math.Abs(float64(o[d]*r[d].coarse-n[d]*r[d].fine))/float64(r[d].fine))
			}
			if weight != 0 && isWithin(fine.Box, o, 1) {
				s.add(weight * fine.At(o))
			}
		})
		return s
	})
}

// isWithin tells whether a node lies in a box or in so many layers around it.
func isWithin(box kernels.Box, n Node, layers int) bool {
	for d, i := range n {
		if i < -layers || i >= box.N[d]+layers {
			return false
		}
	}
	return true
}

// prolong returns fine + mask P coarse: multilinear interpolation between the coarse nodes.
func prolong(r ratio, fine, coarse Field, mask *Mask) result {
	return compute(fine.Box, func(n Node) (s sum) {
		if mask.At(n) == 0 {
			return exact(fine.At(n))
		}
		s.add(fine.At(n))
		s.addScaled(1, interpolate(r, coarse, n, 0))
		return s
	})
}

// interpolate returns (P coarse)_n, axis after axis from d on; n counts coarse nodes along the axes before d and
// fine nodes along the others.
func interpolate(r ratio, coarse Field, n Node, d int) (s sum) {
	if d == 3 {
		s.add(coarse.At(n))
		return s
	}
	low, rest := r.at(d, n[d])
	n[d] = low
	if rest == 0 {
		return interpolate(r, coarse, n, d+1)
	}
	s.addScaled(1-rest, interpolate(r, coarse, n, d+1))
	s.addScaled(rest, interpolate(r, coarse, shift(n, d, 1), d+1))
	return s
}

// prolongCubic returns fine + mask P₃ coarse: along each coarsened axis the polynomial through the four coarse nodes around a
// fine one, or through the four nearest to the wall, or through all where there are fewer.
func prolongCubic(r ratio, periodic [3]bool, fine, coarse Field, mask *Mask, replaces bool) result {
	return compute(fine.Box, func(n Node) (s sum) {
		found := fine.At(n)
		if replaces {
			found = 0
		}
		if mask.At(n) == 0 {
			return exact(found)
		}
		s.add(found)
		s.addScaled(1, interpolateCubic(r, periodic, coarse, n, 0))
		return s
	})
}

// interpolateCubic returns (P₃ coarse)_n as interpolate does (P coarse)_n.
func interpolateCubic(r ratio, periodic [3]bool, coarse Field, n Node, d int) (s sum) {
	if d == 3 {
		s.add(coarse.At(n))
		return s
	}
	first, rest := r.at(d, n[d])
	low, nodes := first, 1
	if rest != 0 {
		first, nodes = first-1, 4
		if count := coarse.Box.N[d]; !periodic[d] {
			nodes = min(4, count)
			first = max(0, min(first, count-nodes))
		}
	}
	for i := first; i < first+nodes; i++ {
		weight := 1.0
		for j := first; j < first+nodes; j++ {
			if j != i {
				weight *= (float64(low-j) + rest) / float64(i-j)
			}
		}
		from := n
		from[d] = wrap(i, coarse.Box.N[d])
		s.addScaled(weight, interpolateCubic(r, periodic, coarse, from, d+1))
	}
	return s
}

// inject returns fine at the coarse nodes, or on the lines between the fine ones around.
func inject(coarse kernels.Box, r ratio, periodic [3]bool, fine Field) result {
	for d := range r {
		r[d].fine, r[d].coarse = r[d].coarse, r[d].fine
	}
	around := fine.Clone()
	(&Grid{Box: fine.Box, Periodic: periodic}).wrapHalo(around)
	return compute(coarse, func(n Node) sum { return interpolate(r, around, n, 0) })
}
