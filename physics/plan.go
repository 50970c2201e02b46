package physics

import "math"

// followingGrowth is the largest ratio of a step to the one before where values vary in time: after a jump a step is a sixth of the time since.
const followingGrowth = 1.2

// plan is a step to make.
type plan struct {
	dt, end float64
	anew    bool // it begins after a jump: no history is used
}

// plan returns the step to make at time t after a previous one, 0: none. It follows from these, the Courant rate and the case alone.
func (s *Simulation) plan(t, previous, rate float64) plan {
	f, c := s.follow, &s.controls
	if f == nil {
		dt, end := c.nextStep(t, previous, rate)
		return plan{dt: dt, end: end}
	}
	p := plan{anew: f.jumps(t)}
	if p.anew {
		previous = 0
	}
	target := c.nextTarget(t)
	want, turn := f.limit(t, math.Min(c.largestStep(previous, rate, followingGrowth), target-t))
	if turn < target-f.slack(target) {
		target = turn
	}
	p.dt, p.end = divide(t, want, target)
	return p
}
