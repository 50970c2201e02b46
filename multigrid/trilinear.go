package multigrid

import (
	"errors"
	"math"

	"convect/kernels"
)

// chebyshevLow is the part of the lower bound of trilinear elements from which Chebyshev's polynomial damps: [0.4, 1.5] on a
// cube.
const chebyshevLow = 0.8

// trilinearSpectrum is spectrumOf for trilinear elements. With c_d = cos θ_d the symbol of A per volume is
//
//	Σ_d 2 s_d (1 - c_d) Π_(e≠d) (2 + c_e)/3,
//
// multilinear in the c, so that its extremes over the errors that the next level cannot represent (c_d in [-1, 0] for an
// axis that coarsens, the others in [-1, 1]) lie at corners.
func trilinearSpectrum(couplings [3]float64, mass float64, factor [3]int) spectrum {
	symbol := func(c [3]float64) float64 {
		sum := 0.0
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
	diagonal := mass + symbol([3]float64{})
	bounds := spectrum{math.Inf(1), 0}
	for corner := range 8 {
		var c [3]float64
		for e := range c {
			c[e] = float64(2*(corner>>e&1) - 1)
		}
		bounds.high = max(bounds.high, (mass+symbol(c))/diagonal)
		for d, s := range couplings {
			if s > 0 && (factor[d] == 2 || factor == [3]int{1, 1, 1}) {
				lower := c
				lower[d] = min(c[d], 0)
				bounds.low = min(bounds.low, (mass+symbol(lower))/diagonal)
			}
		}
	}
	return bounds
}

// checkStencil refuses smoothers that the operator's stencil does not have.
func (o Options) checkStencil(s kernels.Stencil) error {
	if s == kernels.TwentySevenPoint && o.Method == LineGradients {
		return errors.New("multigrid: the 27-point stencil has no vertical lines: method multigrid or cg, not line-cg")
	}
	if s == kernels.TwentySevenPoint && o.Smoother != Chebyshev && o.Smoother != Jacobi {
		return errors.New("multigrid: the 27-point stencil has no colours and no lines: smoother chebyshev or jacobi")
	}
	return nil
}
