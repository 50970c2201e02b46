package multigrid

import (
	"math"
	"slices"

	"convect/kernels"
	"convect/stencil"
)

// spectrum bounds the eigenvalues of D⁻¹A that a smoother must damp: those of the errors that the next coarser level
// cannot represent. See the package text.
type spectrum struct{ low, high float64 }

// spectrumOf returns the bounds for couplings s_d = k_d/h_d², a mass m per volume and the axes that coarsen
// (factor 2). Where none does, all axes count.
func spectrumOf(couplings [3]float64, mass float64, factor [3]int) spectrum {
	sum := couplings[0] + couplings[1] + couplings[2]
	least := math.Inf(1)
	for d, s := range couplings {
		if s > 0 && (factor[d] != 1 || factor == [3]int{1, 1, 1}) {
			least = math.Min(least, s)
		}
	}
	diagonal := mass + 2*sum
	return spectrum{(mass + 2*least) / diagonal, (mass + 4*sum) / diagonal}
}

// lineSpectrum is spectrumOf for vertical lines, whose least damped errors are constant in z.
func lineSpectrum(couplings [3]float64, mass float64, factor [3]int) spectrum {
	couplings[kernels.Z] = 0
	return spectrumOf(couplings, mass, factor)
}

// damping returns the weight of damped Jacobi.
func (s spectrum) damping() float64 { return 2 / (s.low + s.high) }

// relaxation returns the over-relaxation of red–black Gauss–Seidel.
func (s spectrum) relaxation() float64 {
	c := 1 - s.low
	return 2 / (1 + math.Sqrt(1-c*c))
}

// chebyshev stores the weights of the sweeps whose product is the Chebyshev polynomial of degree len(w) on the
// spectrum.
func (s spectrum) chebyshev(w []float64) {
	m := float64(len(w))
	for k := range w {
		w[k] = 2 / (s.high + s.low + (s.high-s.low)*math.Cos(math.Pi*(2*float64(k)+1)/(2*m)))
	}
}

// bounds returns the spectrum of a level for the mass scale m. On graded grids the couplings along the axes meet in all
// combinations of their extremes. The upper bound is the largest over those, beyond which no eigenvalue lies: both bounds are
// ratios of linear functions of each coupling. For the lower one the smallest would damp what is hardest to damp at the cost
// of all else; the geometric mean of that and of the bound for the mean couplings takes the fewest iterations.
//
// Where k is larger than the couplings say, which are a mean, or may become so, the lower bound is that of the geometric mean of k, and the upper one that of a k nearer to the largest: what is
// beyond is damped almost as well, and all else better. Where it varies from the beginning on, the upper bound is that of the largest.
func (l *level) bounds(mass float64) spectrum {
	stiffer := max(1, l.stiffer)
	if mass == 0 || stiffer*l.stiffest == 1 {
		return l.boundsOf(mass)
	}
	// Couplings that are so much larger are a mass that is so much smaller.
	return spectrum{l.boundsOf(mass / math.Sqrt(stiffer)).low, l.boundsOf(mass / (math.Pow(stiffer, 0.75) * l.stiffest)).high}
}

// boundsOf is bounds for the couplings as they are.
func (l *level) boundsOf(mass float64) spectrum {
	of := l.spectrumOf()
	all := of(l.couplings, mass, l.factor)
	high := all.high
	if l.op.Stencil() == kernels.TwentySevenPoint && l.op.Variable() {
		for _, extreme := range l.extremeCouplings() {
			high = math.Max(high, of(extreme, mass, l.factor).high)
		}
	}
	if l.spread == [3]float64{1, 1, 1} {
		all.high = high
		return all
	}
	least := all.low
	for corner := range 8 {
		couplings := l.couplings
		for d, s := range l.spread {
			if corner>>d&1 == 0 {
				s = 1 / s
			}
			couplings[d] *= s
		}
		b := of(couplings, mass, l.factor)
		least, high = math.Min(least, b.low), math.Max(high, b.high)
	}
	return spectrum{math.Sqrt(least * all.low), high}
}

// spectrumOf returns the function that bounds the spectrum of the level's stencil and smoother.
func (l *level) spectrumOf() func(couplings [3]float64, mass float64, factor [3]int) spectrum {
	lines := l.smoother == Line
	switch {
	case l.op.Stencil() == kernels.TwentySevenPoint && lines:
		return trilinearLineSpectrum
	case l.op.Stencil() == kernels.TwentySevenPoint:
		return trilinearSpectrum
	case lines:
		return lineSpectrum
	}
	return spectrumOf
}

// setWeights computes the weights of both smoothing passes of a level for the mass scale m.
func (l *level) setWeights(mass float64) {
	l.mass = mass
	bounds := l.bounds(mass)
	for _, p := range l.ways {
		l.weighPasses(p, bounds)
	}
	for _, p := range l.lengths {
		l.weighPasses(p, bounds)
	}
}

// weighPasses computes the weights of both passes for a spectrum.
func (l *level) weighPasses(p passes, bounds spectrum) {
	switch l.smoother {
	case Chebyshev, Line:
		if p.whole != nil {
			l.splitChebyshev(p, bounds)
			return
		}
		if l.op.Stencil() == kernels.TwentySevenPoint && l.smoother == Chebyshev {
			bounds.low *= chebyshevLow
		}
		bounds.chebyshev(p.pre)
		bounds.chebyshev(p.post)
		slices.Reverse(p.post)
	case Jacobi:
		fill(p.pre, bounds.damping())
		fill(p.post, bounds.damping())
	case RedBlack:
		fill(p.pre, bounds.relaxation())
		fill(p.post, bounds.relaxation())
	case RedBlackSymmetric:
		fill(p.pre, 1)
		fill(p.post, 1)
	}
}

// splitLow, splitLowOver and splitLow27 are the parts of the lower bound of the spectrum from which the polynomial of a whole cycle of 1,
// 2, ... sweeps damps best, on cubes and boxes whose couplings differ by up to a half (asymptotic factors, docs/notebook.md).
// The more sweeps, the more they can do for errors that the coarser level corrects only in part. splitLowOver is for 7 points over trilinear
// elements, which correct more, but know a mass that is lumped less well: then massiveLow of it. Between the nodes of the fine grid they correct less: then betweenLow.
var (
	splitLow     = []float64{1.2, 1.15, 1, 0.75, 0.65, 0.55, 0.45, 0.35}
	splitLowOver = []float64{1.05, 1.08, 1, 1, 0.85, 0.95, 0.4, 0.45}
	splitLow27   = []float64{1.08, 1.08, 1.15, 0.7, 0.55, 0.45, 0.4, 0.35}
)

const (
	massiveLow = 0.85
	betweenLow = 0.8
)

// splitChebyshev shares the weights of one Chebyshev polynomial out over the sweeps before and after the correction. Both
// are then needed to damp any error, and the cycle is not symmetric, but its polynomial is of twice the degree.
func (l *level) splitChebyshev(p passes, bounds spectrum) {
	low, all := splitLow, p.whole
	switch {
	case l.op.Stencil() == kernels.TwentySevenPoint:
		low = splitLow27
	case l.overTrilinear:
		low = splitLowOver
		if l.between() {
			bounds.low *= betweenLow
		}
		if l.mass > 0 {
			bounds.low *= massiveLow
		}
	}
	if l.smoother != Line { // whose lower bound is sharp where z is tied the most
		bounds.low *= low[min(len(all), len(low))-1]
	}
	bounds.chebyshev(all)
	// Each side takes from both ends in turn, so that neither makes a large error larger; the strongest damping of rough errors, and
	// so of rounding, comes last.
	for n := len(p.post) - 1; n >= 0; n-- {
		last := len(all) - 1
		if (len(p.post)-n)%2 == 1 {
			p.post[n], all = all[0], all[1:]
		} else {
			p.post[n], all = all[last], all[:last]
		}
	}
	copy(p.pre, all)
}

func fill(w []float64, v float64) {
	for i := range w {
		w[i] = v
	}
}

// smoothBefore relaxes u before the correction, from zero if so told.
func (l *level) smoothBefore(zero bool) {
	switch {
	case len(l.pre) == 0 && zero:
		l.u.Fill(0)
	case l.smoother.jacobi():
		l.sweep(l.pre, zero)
	case zero:
		l.op.Smooth(l.u, nil, l.f, l.pre[0])
		l.op.RedBlack(l.u, l.f, l.pre[0], 1)
		l.relax(l.pre[1:], 0)
	default:
		l.relax(l.pre, 0)
	}
}

// smoothAfter relaxes u after the correction.
func (l *level) smoothAfter() {
	switch l.smoother {
	case Jacobi, Chebyshev, Line:
		l.sweep(l.post, false)
	case RedBlack:
		l.relax(l.post, 0)
	case RedBlackSymmetric:
		l.relax(l.post, 1)
	}
}

// sweep makes one Jacobi sweep, of points or lines, for each weight.
func (l *level) sweep(weights []float64, zero bool) {
	if l.sweeper != nil && len(weights) > 0 {
		l.sweeper.Sweep(l.op, l.u, l.spare, l.f, weights, zero)
		return
	}
	for n, w := range weights {
		if n == 0 && zero {
			l.jacobi(l.u, nil, w)
			continue
		}
		l.jacobi(l.spare, l.u, w)
		l.u.Swap(l.spare)
	}
}

// jacobi makes one Jacobi sweep of points or lines.
func (l *level) jacobi(out, u *stencil.Field, w float64) {
	if l.smoother == Line {
		l.op.LineSmooth(out, u, l.f, w)
		return
	}
	l.op.Smooth(out, u, l.f, w)
}

// relax makes one pass over both colours for each weight, beginning with the given colour.
func (l *level) relax(weights []float64, first int) {
	for _, w := range weights {
		l.op.RedBlack(l.u, l.f, w, first)
		l.op.RedBlack(l.u, l.f, w, 1-first)
	}
}
