package physics

import (
	"math"
	"slices"
)

// slack is the time next to a turn that counts as the turn itself, far above rounding and far below a step.
func (f *follower) slack(t float64) float64 { return 1e-12 * math.Max(t, f.mesh) }

// sense notes on which side of each turn the values are at a time.
func (f *follower) sense(t float64, into []bool) []bool {
	into = into[:0]
	for i := range f.signals {
		s := &f.signals[i]
		for _, g := range s.turns {
			for _, x := range s.points {
				into = append(into, g(x[0], x[1], x[2], t) > 0)
			}
		}
	}
	return into
}

// turns tells whether a value turns at a time.
func (f *follower) turns(t float64) bool {
	if !f.turning || t <= 0 || t >= f.end {
		return false
	}
	f.was, f.is = f.sense(t-f.slack(t), f.was), f.sense(t+f.slack(t), f.is)
	return !slices.Equal(f.was, f.is)
}

// before returns the time at which the step that ends at t sees the values: just before a turn at t.
func (f *follower) before(t float64) float64 {
	if f != nil && f.turns(t) {
		return t - f.slack(t)
	}
	return t
}

// jumps tells whether the values change at a time by so much that the steps begin anew.
func (f *follower) jumps(t float64) bool {
	if !f.turns(t) {
		return false
	}
	f.values(t-f.slack(t), f.start)
	f.values(t+f.slack(t), f.finish)
	return f.meanExcess(func(n int) float64 { return f.finish[n] - f.start[n] }) > jumpSlack
}

// matters tells whether a step of some length may not go over a turn: the values jump there, or their line over a sixteenth of the step on either side
// departs so that over the whole step it would by more than the tolerance. Rows of a table may be much denser than steps.
func (f *follower) matters(t, step float64) bool {
	f.values(t-f.slack(t), f.start)
	f.values(t+f.slack(t), f.finish)
	if f.meanExcess(func(n int) float64 { return f.finish[n] - f.start[n] }) > leastJump {
		return true
	}
	const part = 16
	return part*f.bend(t, step/part) > 1
}

// bend returns how far the values at a time, in the mean, are from the line between those a step before and after, over span and tolerance.
func (f *follower) bend(t, step float64) float64 {
	back, ahead := math.Min(step, t), math.Min(step, f.end-t)
	f.values(t-f.slack(t), f.middle)
	f.values(t-back, f.start)
	f.values(t+ahead*(1-1e-9), f.finish)
	part := back / (back + ahead)
	return f.meanExcess(func(n int) float64 { return f.start[n] + part*(f.finish[n]-f.start[n]) - f.middle[n] })
}

// afterTurn shortens a step that begins where a value bends, until little is lost by not seeing the bend.
func (f *follower) afterTurn(t, step float64) float64 {
	floor := 4 * f.slack(t)
	for step > floor && f.bend(t, step) > bendSlack {
		step *= 0.7
	}
	return step
}

// meanExcess returns the greatest of the signals' mean magnitudes of a difference, over span and tolerance.
func (f *follower) meanExcess(difference func(n int) float64) float64 {
	worst, n := 0.0, 0
	for i := range f.signals {
		s := &f.signals[i]
		sum := 0.0
		for range s.points {
			sum += math.Abs(difference(n))
			n++
		}
		worst = math.Max(worst, sum/float64(len(s.points))/(s.span*f.tolerance))
	}
	return worst
}

// nextTurn returns the first time after from, up to to, at which a value turns; +Inf where none is found.
func (f *follower) nextTurn(from, to float64) float64 {
	if !f.turning {
		return math.Inf(1)
	}
	f.was = f.sense(from, f.was)
	last := from
	for t := range f.times(from, to, 2*looks) {
		if f.is = f.sense(t, f.is); !slices.Equal(f.was, f.is) {
			return f.bisect(last, t)
		}
		last = t
	}
	return math.Inf(1)
}

// bisect returns the first turn between two times, to rounding; f.was holds the senses at the first of them.
func (f *follower) bisect(low, high float64) float64 {
	for {
		middle := low + (high-low)/2
		if middle <= low || middle >= high {
			return high
		}
		if f.is = f.sense(middle, f.is); slices.Equal(f.was, f.is) {
			low = middle
		} else {
			high = middle
		}
	}
}
