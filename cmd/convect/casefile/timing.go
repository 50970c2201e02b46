package casefile

import (
	"math"
	"time"

	"convect/physics"
)

// decodeTime reads the end, the steps and the steady stop.
func (c *Case) decodeTime(v value) {
	s, _ := v.section()
	t := &c.Controls
	end := s.get("end")
	if !end.given() {
		end.missing("the time at which the run ends, above 0")
	}
	t.End = c.timeOr(end, positive(), 0)
	t.Courant = s.get("cfl").numberOr(within(0, 1), 0.5)
	first, most := s.get("first_step"), s.get("max_step")
	t.FirstStep = c.timeOr(first, positive(), 0)
	t.MaxStep = c.timeOr(most, positive(), 0)
	if t.FirstStep > 0 && t.MaxStep > 0 && t.FirstStep > t.MaxStep {
		first.refuse("at most time.max_step", "the first step is larger than the largest")
	}
	t.WallTolerance = s.get("wall_tolerance").numberOr(within(0, 1), 0)
	t.Steady = s.get("steady").numberOr(within(0, 0.1), 0)
}

// maxSteps bounds the steps between two outputs or checkpoints.
const maxSteps = math.MaxInt32

// schedule reads when something is due, as output.every says; false where that is not given or wrong.
func (c *Case) schedule(v value) (every physics.Schedule, ok bool) {
	if !v.given() {
		return every, false
	}
	const accepted = "one of {time: …}, {steps: …}, {times: […]}"
	if v.node.kind != mapping {
		v.wrong(accepted)
		return every, false
	}
	s, ok := v.section()
	if !ok {
		return every, false
	}
	held := s.holds("time", "steps", "times")
	if len(held) != 1 {
		v.refuse(accepted, "%s", clash(held, "time", "steps", "times"))
		return every, false
	}
	switch held[0] {
	case "time":
		every.Interval, ok = c.time(s.get("time"), positive())
	case "steps":
		n, _ := s.get("steps").integer(1, maxSteps)
		every.Steps = int(n)
	default:
		every.Times, ok = c.times(s.get("times"))
	}
	return every, ok
}

// times reads times that increase, up to the end of the run.
func (c *Case) times(v value) (all []float64, ok bool) {
	const accepted = "a list of times that increase, up to time.end"
	items, ok := v.list(accepted)
	if !ok {
		return nil, false
	}
	if len(items) == 0 {
		v.refuse(accepted, "the list is empty")
	}
	last := 0.0
	for _, item := range items {
		t, ok := c.time(item, positive())
		if !ok {
			return all, false
		}
		switch {
		case t <= last:
			item.refuse("times that increase", "%s is not after the time before it", item.node.text)
			return all, false
		case c.Controls.End > 0 && t > c.Controls.End:
			item.refuse("times up to time.end, "+c.Scales.TimeText(c.Controls.End, 6), "%s is past the end", item.node.text)
			return all, false
		}
		last = t
		all = append(all, t)
	}
	return all, true
}

// decodeCheckpoint reads when checkpoints are due.
func (c *Case) decodeCheckpoint(v value) {
	s, _ := v.section()
	p := &c.Checkpoint
	p.Keep = int(s.get("keep").integerOr(1, 1_000_000, 2))
	p.Unended = !s.get("end").truthOr(true)
	every := s.get("every")
	const accepted = "wall time as 10m or 1h30m, {time: …}, {steps: …}"
	switch {
	case !every.given():
		p.Wall = 10 * time.Minute
	case every.node.kind == scalar:
		wall, err := time.ParseDuration(every.node.text)
		switch {
		case err != nil:
			every.refuse(accepted, "%s is not a duration of wall time%s", every.node.describe(), wallTimeHint(every.node.text))
		case wall <= 0:
			every.refuse(accepted, "%s is not above 0", every.node.describe())
		}
		p.Wall = wall
	case every.node.kind == mapping:
		c.decodeCheckpointEvery(every, accepted)
	default:
		every.wrong(accepted)
	}
}

func (c *Case) decodeCheckpointEvery(v value, accepted string) {
	s, ok := v.section()
	held := s.holds("time", "steps")
	switch {
	case !ok:
	case len(held) != 1:
		v.refuse(accepted, "%s", clash(held, "time", "steps"))
	case held[0] == "time":
		c.Checkpoint.Time, _ = c.time(s.get("time"), positive())
	default:
		c.Checkpoint.Steps, _ = s.get("steps").integer(1, maxSteps)
	}
}
