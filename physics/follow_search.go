package physics

import (
	"fmt"
	"iter"
	"math"
	"math/bits"
)

// searchCost is about how many values a search over the run evaluates.
const searchCost = 1 << 19

// spaceMesh chooses the spacing of the search, a power of two, so that a later end of the run does not move its times.
func (f *follower) spaceMesh() {
	cost := 0
	for i := range f.signals {
		cost += len(f.signals[i].points) * (1 + len(f.signals[i].turns))
	}
	cells := math.Max(searchCost/float64(cost), everyLook)
	f.mesh = math.Exp2(math.Ceil(math.Log2(f.end / cells)))
}

// meshTime returns a time of the search, the end at most.
func (f *follower) meshTime(i int) float64 { return math.Min(float64(i)*f.mesh, f.end) }

// meshCells is the number of intervals of the search.
func (f *follower) meshCells() int { return int(math.Ceil(f.end / f.mesh)) }

// measure finds the span of each signal and drops those that are constant.
func (f *follower) measure() error {
	var followed []signal
	for i := range f.signals {
		s := &f.signals[i]
		s.low, s.high = math.Inf(1), math.Inf(-1)
		for _, x := range s.points {
			low, high := math.Inf(1), math.Inf(-1)
			for i := range f.meshCells() + 1 {
				t := f.meshTime(i)
				v := s.of(x[0], x[1], x[2], t)
				if err := s.checkFinite(v, x, t); err != nil {
					return fmt.Errorf("a value that varies in time: %w", err)
				}
				low, high = math.Min(low, v), math.Max(high, v)
			}
			s.span = math.Max(s.span, high-low)
			s.low, s.high = math.Min(s.low, low), math.Max(s.high, high)
		}
		s.peak = math.Max(math.Abs(s.low), math.Abs(s.high))
		if s.span > 1e-10*s.peak {
			s.span = threeBits(s.span)
			followed = append(followed, *s)
		}
	}
	f.signals = followed
	return nil
}

// threeBits rounds to four significant binary digits, so that the searches of runs of different length agree.
func threeBits(v float64) float64 {
	m, e := math.Frexp(v)
	return math.Ldexp(math.Round(m*16)/16, e)
}

// mark notes the intervals of the search in which a value turns or departs from a line: those must be looked at whatever the step; and
// the time from which on nothing changes.
func (f *follower) mark() {
	n := f.meshCells()
	f.busy = make([]uint64, n/64+1)
	f.was = f.sense(0, f.was)
	f.values(0, f.start)
	copy(f.middle, f.start)
	for i := range n {
		t := f.meshTime(i + 1)
		f.values(t, f.finish)
		f.is = f.sense(t, f.is)
		changed := false
		for j := range f.is {
			changed = changed || f.is[j] != f.was[j]
		}
		bent := false
		f.eachValue(func(s *signal, n int) {
			bent = bent || math.Abs(f.finish[n]-2*f.middle[n]+f.start[n]) > f.tolerance/20*s.span
		})
		if changed || bent {
			f.busy[i/64] |= 1 << (i % 64)
		}
		if bent && i > 0 {
			f.busy[(i-1)/64] |= 1 << ((i - 1) % 64)
		}
		moved := false
		f.eachValue(func(s *signal, n int) { moved = moved || math.Abs(f.finish[n]-f.middle[n]) > 1e-9*s.span })
		if changed || moved {
			f.restsFrom = t
		}
		f.start, f.middle, f.finish = f.middle, f.finish, f.start
		f.was, f.is = f.is, f.was
	}
}

// nextBusy returns the first marked interval from the i-th on, the number of intervals where there is none.
func (f *follower) nextBusy(i int) int {
	for w := i / 64; w < len(f.busy); w++ {
		word := f.busy[w]
		if w == i/64 {
			word &= ^uint64(0) << (i % 64)
		}
		if word != 0 {
			return w*64 + bits.TrailingZeros64(word)
		}
	}
	return f.meshCells()
}

// times lists times after from, up to to, in order: at least so many, everyLook in a run, and the ends of all busy intervals between.
func (f *follower) times(from, to float64, least int) iter.Seq[float64] {
	return func(yield func(float64) bool) {
		n := max(least, int(math.Ceil((to-from)/f.end*everyLook)))
		next := f.nextBusy(int(from / f.mesh))
		last := from
		for i := 1; i <= n; i++ {
			t := from + (to-from)*float64(i)/float64(n)
			if i == n {
				t = to
			}
			for ; next < f.meshCells() && f.meshTime(next) < t; next = f.nextBusy(next + 1) {
				for _, edge := range [2]float64{f.meshTime(next), f.meshTime(next + 1)} {
					if edge > last && edge < t {
						if last = edge; !yield(edge) {
							return
						}
					}
				}
			}
			if last = t; !yield(t) {
				return
			}
		}
	}
}
