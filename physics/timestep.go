package physics

import (
	"math"
	"slices"

	"convect/kernels/parallel"
)

// growth is the largest ratio of a step to the one before.
const growth = 1.5

// defaultWallTolerance makes √(2π²/(3 tolerance)) = 81 steps in a period of a sine.
const defaultWallTolerance = 1e-3

// nextTarget returns the next time after t that a step must end on: an output time or the end.
func (c *Controls) nextTarget(t float64) float64 {
	target := c.End
	switch {
	case c.Output.Interval > 0:
		// t was set to a multiple exactly, so a relative slack of rounding size is enough.
		n := math.Floor(t/c.Output.Interval*(1+1e-14)+1e-9) + 1
		target = math.Min(target, n*c.Output.Interval)
	case len(c.Output.Times) > 0:
		for _, v := range c.Output.Times {
			if v > t {
				target = math.Min(target, v)
				break
			}
		}
	}
	for n := range c.Measures {
		if v := c.Measures[n].next(t); v < target*(1-sameTime) {
			target = v
		}
	}
	return target
}

// sameTime is the relative difference up to which two times count as the same.
const sameTime = 1e-12

// next returns the first time after t that a schedule asks for, +Inf where there is none. A time that is t but for rounding has been met.
func (s *Schedule) next(t float64) float64 {
	if s.Interval > 0 {
		return (math.Floor(t/s.Interval*(1+4*sameTime)+1e-9) + 1) * s.Interval
	}
	for _, v := range s.Times {
		if v > t*(1+4*sameTime) {
			return v
		}
	}
	return math.Inf(1)
}

// Due tells whether a schedule of Controls.Measures asks for a step that ended at time t.
func (s *Schedule) Due(t float64, step int64) bool {
	near := func(v float64) bool { return math.Abs(t-v) <= 2*sameTime*t }
	switch {
	case s.Steps > 0:
		return step%int64(s.Steps) == 0
	case s.Interval > 0:
		n := math.Round(t / s.Interval)
		return n > 0 && near(n*s.Interval)
	}
	for _, v := range s.Times {
		if near(v) {
			return true
		}
	}
	return false
}

// nextStep returns the step to take at time t and the time it ends at. rate is the Courant number per time.
// The time to the next target is divided into equal steps, so that it is met without a sliver.
func (c *Controls) nextStep(t, previous, rate float64) (dt, end float64) {
	return divide(t, c.largestStep(previous, rate, growth), c.nextTarget(t))
}

// largestStep returns the largest step after a previous one, 0: none, of which it is at most growth times.
func (c *Controls) largestStep(previous, rate, growth float64) float64 {
	want := c.MaxStep
	if rate > 0 {
		want = math.Min(want, c.Courant/rate)
	}
	if previous > 0 {
		return math.Min(want, growth*previous)
	}
	return math.Min(want, c.FirstStep)
}

// divide returns a step from t of at most want, a whole part of what is left to the target, and where it ends.
func divide(t, want, target float64) (dt, end float64) {
	rest := target - t
	n := math.Ceil(rest / want * (1 - 1e-12))
	if n <= 1 {
		return rest, target
	}
	dt = rest / n
	return dt, t + dt
}

// outputDue tells whether output is due after a step that ended at time t.
func (c *Controls) outputDue(t float64, step int64) bool {
	switch {
	case c.Output.Steps > 0:
		return step%int64(c.Output.Steps) == 0
	case c.Output.Interval > 0:
		n := math.Round(t / c.Output.Interval)
		return n > 0 && t == n*c.Output.Interval
	}
	for _, v := range c.Output.Times {
		if t == v {
			return true
		}
	}
	return false
}

// defaults fills in the steps that the case leaves open.
//
// Largest step: the buoyant one. First step: a hundredth of the diffusion time of a cell, at most the largest step.
func (c *Controls) defaults(buoyant, cell float64) {
	if c.MaxStep == 0 {
		c.MaxStep = buoyant
	}
	if c.FirstStep == 0 {
		c.FirstStep = math.Min(c.MaxStep, cell/100)
	}
}

// buoyantStep returns half the time in which buoyancy turns over an unstable or restores a stable layer, 0.5 σ μ/(|Ra| K ΔT), which
// bounds the explicit coupling of flow and temperature where there is too little flow for the Courant number to do so; +Inf where
// nothing is buoyant. K is that with which buoyancy moves fluid up (findRise), and μ the least one over the range that is met of the scalar it depends on.
func (m *model) buoyantStep(span func(u *scalar) float64) float64 {
	fluidity, b := 1.0, &m.flow.buoyancy
	if v := m.flow.viscosity; v != nil {
		fluidity = v.greatestFluidity(span)
	}
	if b.law != nil { // which is not in proportion to the ranges
		return b.leastCapacity() / (2 * b.drive(m.flow.rise*fluidity, span))
	}
	if drive := b.drive(m.flow.rise, func(u *scalar) float64 { return fluidity * span(u) }); drive > 0 {
		return b.leastCapacity() / (2 * drive)
	}
	return math.Inf(1)
}

// cellTime returns the time in which the fastest scalar diffuses through the smallest cell.
func (m *model) cellTime() float64 {
	least := math.Inf(1)
	for _, u := range m.scalars {
		least = math.Min(least, u.room.cellTime)
	}
	return least
}

// alignEnd makes an end that is a multiple of the output interval up to rounding that multiple to the bit (3 * 0.1 is
// not 0.3), so that a run which goes on past it takes the same step there.
func (c *Controls) alignEnd() {
	i := c.Output.Interval
	if n := math.Round(c.End / i); i > 0 && n > 0 && math.Abs(n*i-c.End) < 1e-9*i {
		c.End = n * i
	}
}

// Max returns the greatest value over all cells and directions.
func (m *Material) Max() float64 { return m.extreme(parallel.Max, math.Max) }

// maxAlong returns the greatest value along an axis.
func (m *Material) maxAlong(axis int) float64 {
	if !m.Varies() {
		return m.Constant[axis]
	}
	return parallel.Max(m.Cells[axis])
}

// Min returns the least value.
func (m *Material) Min() float64 { return m.extreme(parallel.Min, math.Min) }

func (m *Material) extreme(of func(values []float64) float64, pick func(a, b float64) float64) float64 {
	if !m.Varies() {
		return pick(pick(m.Constant[0], m.Constant[1]), m.Constant[2])
	}
	v := m.Cells[0][0]
	for _, cells := range m.distinct() {
		v = pick(v, of(cells))
	}
	return v
}

// distinct returns the arrays of cells, each once.
func (m *Material) distinct() (all [][]float64) {
	for _, cells := range m.Cells {
		if len(cells) > 0 && !slices.ContainsFunc(all, func(of []float64) bool { return &of[0] == &cells[0] }) {
			all = append(all, cells)
		}
	}
	return all
}
