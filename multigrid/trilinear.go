package multigrid

import (
	"errors"
	"math"
	"slices"

	"convect/kernels"
)

// chebyshevLow is the part of the lower bound of trilinear elements from which Chebyshev's polynomial damps: [0.4, 1.5] on a
// cube.
const chebyshevLow = 0.8

// trilinearSpectrum is spectrumOf for trilinear elements. With c_d = cos θ_d the symbol of A per volume is
//
//	a(c) = Σ_d 2 s_d (1 - c_d) Π_(e≠d) (2 + c_e)/3,
//
// multilinear in the c, and that of D is a(0). All extremes over the errors that the next level cannot represent (c_d in
// [-1, 0] for an axis that coarsens, the others in [-1, 1]) lie at corners.
func trilinearSpectrum(couplings [3]float64, mass float64, factor [3]int) spectrum {
	return trilinearBounds(couplings, mass, factor, 0)
}

// trilinearSymbol returns a(c), over the volume; a(0) is the diagonal.
func trilinearSymbol(couplings [3]float64, mass float64, c [3]float64) float64 {
	sum := mass
	for d, s := range couplings {
		term := 2 * s * (1 - c[d])
		for e := range c {
			if e != d && couplings[e] > 0 {
				term *= (2 + c[e]) / 3
			}
		}
		sum += term
	}
	return sum
}

// trilinearLineSpectrum is trilinearSpectrum for vertical lines, with D replaced by their matrix T, whose symbol is a(0, 0, c_z).
// The quotient is monotone in each c and in each coupling, so that its extremes lie at corners here too: where θ_z = 0 it is that
// of the plane problem, and where s_z outweighs all else (2 + c_x)(2 + c_y)/4, in [1/4, 9/4], at any other θ_z.
func trilinearLineSpectrum(couplings [3]float64, mass float64, factor [3]int) spectrum {
	return trilinearBounds(couplings, mass, factor, 1)
}

// trilinearBounds bounds a(c)/a(0, 0, lines c_z), lines being 0 or 1, over corners.
func trilinearBounds(couplings [3]float64, mass float64, factor [3]int, lines float64) spectrum {
	symbol := func(c [3]float64) float64 { return trilinearSymbol(couplings, mass, c) }
	bounds := spectrum{math.Inf(1), 0}
	for corner := range 8 {
		var c [3]float64
		for e := range c {
			c[e] = float64(2*(corner>>e&1) - 1)
		}
		own := symbol([3]float64{kernels.Z: lines * c[kernels.Z]})
		bounds.high = max(bounds.high, symbol(c)/own)
		for d, s := range couplings {
			if s > 0 && (factor[d] != 1 || factor == [3]int{1, 1, 1}) {
				lower := c
				lower[d] = min(c[d], 0)
				bounds.low = min(bounds.low, symbol(lower)/own)
			}
		}
	}
	return bounds
}

// extremeCouplings returns couplings whose ratios lie beyond those of any cell, where k varies: for each axis its coupling, and the others as small beside it as they are
// anywhere. Couplings themselves do not tell: they are means of extremes over cells, and the largest k may lie where cells are wide along one axis.
//
// What they make of the upper bound no eigenvalue exceeds. A and D (or T) are sums over elements (over the stacks of elements
// above each other) of positive semidefinite matrices, so that x·A x / x·D x is at most the largest quotient of one element. That has the eigenvectors
// (±1, ±1, ±1) of the corners of trilinearBounds, with their quotients. Where these exceed 3/2 they are
// 9/2 s_d / Σ s (in 2-D 3 s_d / Σ s, for lines 3 s_x / (s_x + s_y) or the like, or with θ_z 9/4 s_z against the rest), which grow as the others fall beside s_d.
func (l *level) extremeCouplings() (all [3][3]float64) {
	contrast, widths := l.op.Contrast(), l.op.Grid.Widths
	for d := range all {
		for e, s := range l.couplings {
			switch {
			case l.couplings[d] == 0 || s == 0: // an absent axis
			case d == e:
				all[d][e] = s
			default:
				ratio := slices.Min(widths[d]) / slices.Max(widths[e])
				all[d][e] = l.couplings[d] * ratio * ratio / contrast[d][e]
			}
		}
		if l.couplings[d] == 0 {
			all[d] = l.couplings
		}
	}
	return all
}

// checkStencil refuses smoothers that the operator's stencil does not have.
func (o Options) checkStencil(s kernels.Stencil) error {
	if s == kernels.TwentySevenPoint && (o.Smoother == RedBlack || o.Smoother == RedBlackSymmetric) {
		return errors.New("multigrid: the 27-point stencil has no colours: smoother chebyshev, jacobi or line")
	}
	return nil
}
