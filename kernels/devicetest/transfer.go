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

// prolongCubic returns fine + mask P₃ coarse: along each coarsened axis the polynomial through the four coarse nodes around a
// fine one, or through the four nearest to the wall, or through all where there are fewer.
func prolongCubic(factor [3]int, periodic [3]bool, fine, coarse Field, mask *Mask) result {
	return compute(fine.Box, func(n Node) (s sum) {
		if mask.At(n) == 0 {
			return exact(fine.At(n))
		}
		s.add(fine.At(n))
		s.addScaled(1, interpolateCubic(factor, periodic, coarse, n, 0))
		return s
	})
}

// interpolateCubic returns (P₃ coarse)_n as interpolate does (P coarse)_n.
func interpolateCubic(factor [3]int, periodic [3]bool, coarse Field, n Node, d int) (s sum) {
	if d == 3 {
		s.add(coarse.At(n))
		return s
	}
	at := float64(n[d]) / float64(factor[d])
	first, nodes := n[d]/factor[d], 1
	if factor[d]*first < n[d] {
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
				weight *= (at - float64(j)) / float64(i-j)
			}
		}
		from := n
		from[d] = wrap(i, coarse.Box.N[d])
		s.addScaled(weight, interpolateCubic(factor, periodic, coarse, from, d+1))
	}
	return s
}

// inject returns fine at the coarse nodes.
func inject(coarse kernels.Box, factor [3]int, fine Field) result {
	return compute(coarse, func(n Node) sum { return exact(fine.At(Node{factor[0] * n[0], factor[1] * n[1], factor[2] * n[2]})) })
}
