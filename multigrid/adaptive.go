package multigrid

import (
	"errors"
	"math"

	"convect/kernels"
	"convect/stencil"
)

// Where coefficients vary, cycles alone and conjugate gradients are each the faster of the two in some problems: cycles alone by an eighth to a half where the coefficient is
// smooth, gradients by any amount where it jumps (docs/notebook.md). Which it is shows as they run.

// Ways to solve.
const (
	byCycles = iota
	byGradients
	ways
)

// Learned is what a solver has learned from its solves, on which the next ones depend: who goes on from a checkpoint puts it back, and gets the same bits.
type Learned struct {
	// ConvergenceFactor is the factor by which cycles, or iterations, have reduced the residual last, from which the next solve foresees how many to make before it
	// computes a residual.
	ConvergenceFactor float64

	// LongerGain is how many usual cycles a longer one gains as much as, by what was seen; 0: none was made. It belongs to the factor.
	LongerGain float64

	// LastFloor is the rounding floor of the last solution for which one was estimated, over the reference of its solve, from which the next solves foresee how many cycles
	// to make; 0: none. FloorAge is how many solves were begun since.
	LastFloor, FloorAge float64

	// With Adaptive, Way is 0 where the next solve is by cycles alone and 1 where it is by conjugate gradients, OtherFactor the convergence factor of the way that it is
	// not, 0 where that was never gone, and Solves the number of solves. Gains are of the last solve by either way.
	Way, OtherFactor, Solves float64
	Gains                    [ways]Gain
}

// Gain is how many powers of e a solve has gained with so many cycles or iterations, and with fewer before the last of its residuals; Number 0: there was none.
type Gain struct{ Number, Powers, Before, PowersBefore float64 }

// foresee returns how many cycles or iterations another solve is to make.
func (g *Gain) foresee(powers float64) float64 {
	if powers <= g.PowersBefore {
		return math.Max(1, math.Ceil(g.Before*powers/g.PowersBefore))
	}
	if !(g.Powers > g.PowersBefore) {
		return math.Inf(1)
	}
	return math.Max(1, math.Ceil(g.Before+(g.Number-g.Before)*(powers-g.PowersBefore)/(g.Powers-g.PowersBefore)))
}

// Numbers lists what was learned by the names that a checkpoint has for it.
func (l *Learned) Numbers() map[string]*float64 {
	numbers := map[string]*float64{"pace": &l.ConvergenceFactor, "longer": &l.LongerGain, "floor_part": &l.LastFloor, "floor_age": &l.FloorAge, "way": &l.Way, "other_pace": &l.OtherFactor,
		"solves": &l.Solves}
	for way, name := range [ways]string{"cycles", "gradients"} {
		g := &l.Gains[way]
		numbers[name+"_number"], numbers[name+"_powers"], numbers[name+"_before"], numbers[name+"_powers_before"] = &g.Number, &g.Powers, &g.Before, &g.PowersBefore
	}
	return numbers
}

// adaptive is the strategy of cycles alone or of conjugate gradients, by which took less work when it was gone last, and of gradients for the rest of a solve in which cycles gain little.
type adaptive struct {
	s        *Solver
	ways     [ways]strategy
	wentOver int // in the last solve, at the residual of this number; 0: it did not

	// Fields that change places in a solve, and their buffers, which they have at the beginning of each: else cycles would meet more arrangements than are recorded.
	places  []*stencil.Field
	buffers []kernels.Buffer
}

// newAdaptive makes both ways.
func newAdaptive(s *Solver) (_ strategy, err error) {
	a := &adaptive{s: s}
	if s.options.Mixed {
		a.ways[byCycles] = &singleCycles{inSingle: inSingle{usual{s}}}
		a.ways[byGradients], err = newSingleGradients(s)
	} else {
		a.ways[byCycles] = &cycles{inField{usual{s}}}
		a.ways[byGradients], err = newGradients(s)
	}
	if err != nil {
		return nil, err
	}
	a.now()
	a.places = []*stencil.Field{a.direction()}
	for _, l := range s.levels {
		a.places = append(a.places, l.u)
		if l.spare != nil {
			a.places = append(a.places, l.spare)
		}
	}
	for _, f := range a.places {
		a.buffers = append(a.buffers, f.Buffer)
	}
	return a, nil
}

// direction is the field of gradients that nobody needs between solves by them.
func (a *adaptive) direction() *stencil.Field {
	if g, ok := a.ways[byGradients].(*gradients); ok {
		return g.krylov.direction
	}
	return a.ways[byGradients].(*singleGradients).direction
}

// now returns the way to go, with the sweeps that belong to it.
func (a *adaptive) now() strategy {
	way := byCycles
	if a.s.Way != byCycles {
		way = byGradients
	}
	if a.s.way != way {
		a.s.way = way
		for _, l := range a.s.levels {
			p := l.ways[way]
			l.pre, l.post, l.whole = p.pre, p.post, p.whole
		}
	}
	a.s.monitor.recursive = way == byGradients && !a.s.options.Mixed
	return a.ways[way]
}

// turnTo changes the way.
func (a *adaptive) turnTo(way float64) {
	s := a.s
	if s.Way == way {
		return
	}
	s.Way = way
	s.ConvergenceFactor, s.OtherFactor = s.OtherFactor, s.ConvergenceFactor
	if s.ConvergenceFactor == 0 {
		s.ConvergenceFactor = usualFactor
	}
}

// iterate goes over to gradients where cycles give up. What they have made of u is a first guess like any other, but for a cycle that has made the residual grow, which is
// taken back.
func (a *adaptive) iterate(u, f *stencil.Field) error {
	undo := a.undo(u)
	err := a.now().iterate(u, f)
	a.wentOver = 0
	if errors.Is(err, errLittleGained) {
		a.wentOver = len(a.s.monitor.residuals)
		if a.s.ConvergenceFactor >= 1 {
			undo()
		}
		a.turnTo(byGradients)
		err = a.now().iterate(u, f)
	}
	return err
}

// undo returns what takes the last cycles of a solve back, or the first one where it may do harm.
func (a *adaptive) undo(u *stencil.Field) func() {
	if c, ok := a.ways[byCycles].(*singleCycles); ok {
		return func() { c.undo(u) }
	}
	if !a.s.mayHarm() {
		return func() {}
	}
	kept := a.direction() // which begins anew
	kept.Copy(u)
	return func() { u.Copy(kept) }
}

// errLittleGained tells that cycles alone gain so little that gradients are to go on.
var errLittleGained = errors.New("cycles alone gain little")

// littleGained is the factor of a cycle above which they do. The first one, which makes a smooth residual rough, may gain as little.
const littleGained = 0.5

// mayHarm tells whether cycles alone have made a residual grow when they were made last, or were never made: then one is made at first.
func (s *Solver) mayHarm() bool {
	return s.options.Method == Adaptive && s.way == byCycles && (s.ConvergenceFactor == usualFactor || !(s.ConvergenceFactor < 1))
}

// givesUp tells whether the cycles of a solve are to go over to conjugate gradients, and takes the residual that these find again from the monitor.
func (s *Solver) givesUp() bool {
	m := &s.monitor
	if s.options.Method != Adaptive || s.way != byCycles || !(s.ConvergenceFactor > littleGained) || s.ConvergenceFactor < 1 && len(m.residuals) <= 2 {
		return false
	}
	m.residuals, m.lastRow = m.residuals[:len(m.residuals)-1], 1
	return true
}

// work of cycles and iterations in sweeps of the finest level, as measured on an H200 (docs/notebook.md).
type work struct {
	cycle     float64 // beside its sweeps
	residual  float64 // in float64, with the correction
	iteration float64 // products and directions, beside a cycle, with mixed precision
}

var (
	usualWork      = work{3, 2, 4}
	workDirections = work{5, 2, 2} // K a cell along each axis: what is beside sweeps takes passes of its own
)

// iterationAlone is the work of an iteration beside its cycle in one precision, where the host waits for each product.
const iterationAlone = 10

// triesAll is the number of solves after which both ways are compared again; before, they are after 1, 2, 4, ... solves.
const triesAll = 128

// ends puts fields back to their places and chooses the way of the next solve, by the reduction that the last one was to make.
func (a *adaptive) ends(reduction float64) {
	s := a.s
	for n, f := range a.places {
		f.Buffer = a.buffers[n]
	}
	defer func() { a.wentOver = 0 }() // the next solve may end before it iterates
	if !(reduction < 1) {
		return // a first guess that was good enough
	}
	a.learn()
	s.Solves++
	n := int64(s.Solves)
	tries := n%triesAll == 0 || n < triesAll && n&(n-1) == 0
	switch {
	case tries && a.wentOver == 0:
		a.turnTo(1 - s.Way)
		return
	case s.Gains[byCycles].Number == 0 || s.Gains[byGradients].Number == 0:
		return
	}
	powers := -math.Log(reduction)
	if alone := a.workOf(byCycles, powers); alone <= a.workOf(byGradients, powers) && alone < math.Inf(1) {
		a.turnTo(byCycles)
	} else {
		a.turnTo(byGradients)
	}
}

// learn notes what the cycles or iterations of a solve have gained.
func (a *adaptive) learn() {
	s, m := a.s, &a.s.monitor
	from, number := 0, m.iterations()
	if a.wentOver > 0 {
		s.Gains[byCycles] = Gain{Number: 1, Powers: -math.Log(s.OtherFactor)}
		from, number = a.wentOver, len(m.residuals)-1-a.wentOver
	}
	last := len(m.residuals) - 1
	if last == from {
		return
	}
	g := Gain{Number: float64(number), Powers: math.Log(m.residuals[from] / m.residuals[last])}
	if last > from+1 && m.residuals[last] < m.residuals[last-1] { // at the floor of rounding the last ones may gain nothing
		g.Before, g.PowersBefore = float64(number-m.lastRow), math.Log(m.residuals[from]/m.residuals[last-1])
	}
	s.Gains[s.way] = g
}

// workOf foresees the work of a solve that is to gain so many powers of e, in sweeps.
func (a *adaptive) workOf(way int, powers float64) float64 {
	s := a.s
	of := usualWork
	if s.root.Elliptic().Conductivity() == kernels.Apart {
		of = workDirections
	}
	number := s.Gains[way].foresee(powers)
	p := s.levels[0].ways[way]
	cycle := of.cycle + float64(len(p.pre)+len(p.post))
	switch {
	case way == byCycles && s.levels[0].op.Grid.Elem == kernels.Float64:
		return number * (cycle + of.residual)
	case way == byCycles:
		return number*cycle + math.Ceil(number/float64(s.options.Inner))*of.residual
	case s.options.Mixed:
		return number * (cycle + of.iteration)
	}
	return number * (cycle + iterationAlone)
}

func (a *adaptive) begin(u, f *stencil.Field) error                  { return a.now().begin(u, f) }
func (a *adaptive) measuresFirst() bool                              { return a.now().measuresFirst() }
func (a *adaptive) cycles(u, f *stencil.Field, number int)           { a.now().cycles(u, f, number) }
func (a *adaptive) leavesZero() bool                                 { return a.now().leavesZero() }
func (a *adaptive) attempts() bool                                   { return a.now().attempts() }
func (a *adaptive) rooms(u *stencil.Field) (e, right *stencil.Field) { return a.now().rooms(u) }
func (a *adaptive) outer(u, f *stencil.Field, zero bool)             { a.now().outer(u, f, zero) }
func (a *adaptive) visits() []bool                                   { return a.now().visits() }

func (a *adaptive) residual(u, f *stencil.Field) (norm, scale float64, err error) {
	return a.now().residual(u, f)
}

func (a *adaptive) pass(p *full, u, f *stencil.Field, scale float64, values bool) {
	a.now().pass(p, u, f, scale, values)
}

// scratch is a field of gradients, which need all others.
func (a *adaptive) scratch() *stencil.Field { return a.ways[byGradients].scratch() }

func (a *adaptive) free() { a.ways[byGradients].free() }
