package physics

import "math"

// followingGrowth is the largest ratio of a step to the one before where values vary in time: after a jump a step is a sixth of the time since.
const followingGrowth = 1.2

// plan is a step to make.
type plan struct {
	dt, end float64
	anew    bool // it begins after a jump: no history is used
}

// foreseen is about how many values are evaluated to foresee the number of steps.
const foreseen = 2_000_000

// ForeseenSteps returns about how many steps a run from time 0 takes because of what varies in time, with a given first step and a Courant number per time
// that stays the same; 0 where nothing varies. Of long runs it counts the first steps and goes on as the second half of them.
func (s *Simulation) ForeseenSteps(first, rate float64) float64 {
	if s.follow == nil {
		return 0
	}
	c := s.controls
	c.FirstStep = first
	most := max(500, foreseen/(20*len(s.follow.start)))
	t, previous, half := 0.0, 0.0, 0.0
	for n := range most {
		if t >= c.End {
			return float64(n)
		}
		if n == most/2 {
			half = t
		}
		p := s.plan(&c, t, previous, rate)
		t, previous = p.end, p.dt
	}
	return float64(most) + (c.End-t)*float64(most-most/2)/(t-half)
}

// plan returns the step to make at time t after a previous one, 0: none. It follows from these, the Courant rate and the case alone.
func (s *Simulation) plan(c *Controls, t, previous, rate float64) plan {
	f := s.follow
	if f == nil {
		dt, end := c.nextStep(t, previous, rate)
		return plan{dt: dt, end: end}
	}
	p := plan{anew: f.jumps(t)}
	if p.anew {
		previous = 0
	}
	target := c.nextTarget(t)
	if i := c.Output.Interval; i > 0 { // a turn may lie closer before an output time than the slack of nextTarget
		if near := math.Round(t/i) * i; near > t+f.slack(t) {
			target = math.Min(target, near)
		}
	}
	want, turn := f.limit(t, math.Min(c.largestStep(previous, rate, followingGrowth), target-t), p.anew)
	if turn < target-f.slack(target) {
		target = turn
	}
	p.dt, p.end = divide(t, want, target)
	return p
}
