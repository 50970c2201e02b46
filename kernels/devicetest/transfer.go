package devicetest

import "convect/kernels"

// restrict returns mask Pᵀ fine on the coarse box: weight 1 on the coincident fine node and 1/2 for each step away
// from it along a coarsened axis.
func restrict(coarse kernels.Box, factor [3]int, fine Field, mask *Mask) result {
	var reach Node
	for d := range reach {
		reach[d] = factor[d] - 1
	}
	low, high := Node{-reach[0], -reach[1], -reach[2]}, Node{reach[0] + 1, reach[1] + 1, reach[2] + 1}
	return compute(coarse, func(n Node) (s sum) {
		eachWithin(low, high, func(o Node) {
			weight := mask.At(n)
			from := n
			for d := range o {
				from[d] = factor[d]*n[d] + o[d]
				if o[d] != 0 {
					weight /= 2
				}
			}
			s.add(weight * fine.At(from))
		})
		return s
	})
}

// prolong returns fine + mask P coarse: multilinear interpolation between the coarse nodes.
func prolong(factor [3]int, fine, coarse Field, mask *Mask) result {
	return compute(fine.Box, func(n Node) (s sum) {
		if mask.At(n) == 0 {
			return exact(fine.At(n))
		}
		s.add(fine.At(n))
		s.addScaled(1, interpolate(factor, coarse, n, 0))
		return s
	})
}

// interpolate returns (P coarse)_n, axis after axis from d on; n counts coarse nodes along the axes before d and
// fine nodes along the others.
func interpolate(factor [3]int, coarse Field, n Node, d int) (s sum) {
	if d == 3 {
		s.add(coarse.At(n))
		return s
	}
	if factor[d] == 1 || n[d]%2 == 0 {
		n[d] /= factor[d]
		return interpolate(factor, coarse, n, d+1)
	}
	n[d] /= 2
	s.addScaled(0.5, interpolate(factor, coarse, n, d+1))
	s.addScaled(0.5, interpolate(factor, coarse, shift(n, d, 1), d+1))
	return s
}
