package multigrid

import (
	"math"

	"convect/kernels"
)

// Beside a mass a cycle reduces a residual by a few digits, and a solve asks for a few: often for a little more than one cycle gives. Then sweeps more on the finest
// level, in one polynomial with the others, cost a fraction of another cycle.

// passes are the weights of a level before and after the correction, and room for both together.
type passes struct{ pre, post, whole []float64 }

// moreSweeps is how many sweeps a longer cycle has more after the correction. One more gains little: 10 % where two gain 47 (docs/notebook.md).
const moreSweeps = 2

// allowLonger lets cycles be longer on the finest level: beside a mass, where nobody has asked for a number of sweeps.
func (s *Solver) allowLonger(l *level) {
	o := &s.options
	if !s.open || !o.Massive || o.Method != Multigrid || o.Cycle != VCycle || l.smoother != Chebyshev || l.whole == nil || len(l.post)+moreSweeps > kernels.MaxSweeps {
		return
	}
	longer := passes{make([]float64, len(l.pre)), make([]float64, len(l.post)+moreSweeps), make([]float64, len(l.whole)+moreSweeps)}
	l.lengths = []passes{{l.pre, l.post, l.whole}, longer}
}

// lengthen makes the cycles that follow longer, or not.
func (s *Solver) lengthen(longer bool) {
	l := s.levels[0]
	if l.lengths == nil {
		return
	}
	p := l.lengths[0]
	if s.longer = longer; longer {
		p = l.lengths[1]
	}
	l.pre, l.post, l.whole = p.pre, p.post, p.whole
}

// effort is so many cycles, longer ones or not.
type effort struct {
	cycles int
	longer bool
}

// What a longer cycle gains, in usual cycles, as long as it is not known: as many digits as its sweeps are more, but fewer where the coefficient varies, and so the mass beside it.
// For the choice it counts as a little less, since a cycle that falls short costs another one.
const (
	usualGain         = 1.45
	usualGainVariable = 1.38
	leastGain         = 1.05
	mostGain          = 1.5
	gainSlack         = 1.03
	gainForgotten     = 0.005 // what each solve of usual cycles forgets, so that longer ones are tried again
)

func (s *Solver) usualGain() float64 {
	if s.op.Variable() {
		return usualGainVariable
	}
	return usualGain
}

// longerGain returns what a longer cycle gains, in usual cycles.
func (s *Solver) longerGain() float64 {
	if s.LongerGain != 0 {
		return s.LongerGain
	}
	return s.usualGain()
}

// inCycles returns how many usual cycles an effort gains as much as.
func (s *Solver) inCycles(e effort) float64 {
	if e.longer {
		return float64(e.cycles) * s.longerGain()
	}
	return float64(e.cycles)
}

// learn notes by what an effort has reduced the residual. What longer cycles gain beyond what was foreseen, or less, is laid half to the problem and half to the sweeps.
func (s *Solver) learn(e effort, reduction float64) {
	switch gained, foreseen := -math.Log(reduction), -math.Log(s.ConvergenceFactor)*s.inCycles(e); {
	case !e.longer && s.LongerGain != 0:
		s.LongerGain += gainForgotten * (s.usualGain() - s.LongerGain)
	case e.longer && gained > 0 && foreseen > 0:
		s.LongerGain = math.Max(leastGain, math.Min(s.longerGain()*math.Sqrt(gained/foreseen), mostGain))
	}
	s.ConvergenceFactor = math.Pow(reduction, 1/s.inCycles(e))
}

// effortFor returns the cheapest effort that gains as much as so many usual cycles, of at most so many cycles; of as many usual ones where that is too little.
func (s *Solver) effortFor(wanted float64, most int) effort {
	made := effort{}
	cycles := math.Max(1, math.Ceil(wanted))
	if s.levels[0].lengths != nil {
		longer := math.Max(1, math.Ceil(gainSlack*wanted/s.longerGain()))
		if made.longer = longer < cycles; made.longer {
			cycles = longer
		}
	}
	if !(cycles <= float64(most)) && (most > 1 || !(cycles < math.Inf(1))) {
		return effort{cycles: most}
	}
	made.cycles = min(int(cycles), most) // one of several where each is followed by a residual
	return made
}

// The cycles of a row, with no residual between them, need not have the same polynomial on the finest level. What one leaves the most of, the others can damp the more:
// the first reach down below the usual lower bound of the spectrum, the last stay above it. Two cycles leave 0.4 to 1 of what two alike do, three 0.4 to 0.9 (docs/notebook.md).
// Over trilinear elements, which correct more of what is below the bound, they differ less.

// turn is a cycle's place in a row of so many; the zero value: it is alone.
type turn struct{ cycle, of int }

// lowOf is the part of the lower bound that the first and the last cycle of a row have.
type lowOf struct{ first, last float64 }

var (
	lowInTurn     = lowOf{0.7, 1.5}
	lowInTurnOver = lowOf{0.8, 1.25}
)

// inTurn makes the cycles of a row, each with its weights. Sweeps of lines, and those that a Sweeper makes, have all the same.
func (s *Solver) inTurn(number int, cycle func(n int)) {
	l := s.levels[0]
	differ := number > 1 && l.whole != nil && l.smoother != Line && l.sweeper == nil
	for n := range number {
		if differ {
			s.turn = turn{n, number}
			l.weigh(s.turn)
		}
		cycle(n)
	}
	if differ {
		s.turn = turn{}
		l.weigh(s.turn)
	}
}

// weigh computes the weights of a cycle for its turn. Where a mass leaves little between the bounds, the lower ones of a row differ less.
func (l *level) weigh(t turn) {
	bounds := l.bounds(l.mass)
	if t.of > 1 {
		low := lowInTurn
		if l.overTrilinear {
			low = lowInTurnOver
		}
		part := low.first * math.Pow(low.last/low.first, float64(t.cycle)/float64(t.of-1))
		widest := math.Sqrt(bounds.high / bounds.low)
		bounds.low *= math.Max(1/widest, math.Min(part, widest))
	}
	l.splitChebyshev(passes{l.pre, l.post, l.whole}, bounds)
}
