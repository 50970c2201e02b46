package multigrid

import (
	"math"

	"convect/kernels"
)

// A mass ties a node to itself. On a level where it outweighs what ties nodes to each other, a few sweeps leave as little of any error as the levels below help to, and
// a cycle ends there.

// leftAlone is the part of an error that the sweeps of such a level may leave: less than cycles leave of one, so that they need not be more.
const leftAlone = 0.03

// radius bounds |1 - λ| over the eigenvalues λ of D⁻¹A, for a mass per volume; 1 where nothing better is known. By Gershgorin's circles it is 1 - m/D with 7 points, and
// largest where nodes are tied the most.
func (l *level) radius(mass float64) float64 {
	if mass <= 0 || l.op.Mass() != nil || l.op.Variable() && l.stiffer == 0 {
		return 1
	}
	couplings := l.couplings
	for d, s := range l.spread {
		couplings[d] *= s * math.Max(l.stiffer, 1)
	}
	of := l.spectrumOf()(couplings, mass, [3]int{1, 1, 1})
	own := mass + 2*(couplings[0]+couplings[1]+couplings[2])
	if l.op.Stencil() != kernels.SevenPoint {
		own = trilinearSymbol(couplings, mass, [3]float64{})
	}
	return math.Max(1-mass/own, of.high-1)
}

// setAlone chooses the sweeps with which a cycle ends on the level, if it does: those of the Chebyshev polynomial on the whole spectrum, as few as leave little enough.
func (l *level) setAlone(mass float64) {
	l.alone = l.alone[:0]
	if !l.smoother.jacobi() || l.smoother == Line || l.sweeper != nil {
		return
	}
	radius := l.radius(mass)
	if radius >= 1 {
		return
	}
	for n := 1; n <= cap(l.alone); n++ {
		if math.Cosh(float64(n)*math.Acosh(1/math.Max(radius, 1e-9))) >= 1/leftAlone {
			l.alone = l.alone[:n]
			spectrum{1 - radius, 1 + radius}.chebyshev(l.alone)
			return
		}
	}
}

// deepest returns the level on which cycles end.
func (s *Solver) deepest() int {
	for n, l := range s.levels {
		if len(l.alone) > 0 {
			return n
		}
	}
	return len(s.levels) - 1
}
