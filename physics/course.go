package physics

import (
	"math"

	"convect/kernels"
)

// Course tells how values that vary in time do so.
type Course struct {
	Uniform bool // they are alike everywhere, so that one point tells all of it
	// Turns are functions at whose changes of sign in time a value may jump or bend (comparisons, min, max, rows of a table); between them
	// it is smooth.
	Turns []Func
}

// signal is a value that varies in time, and the points at which it is watched.
type signal struct {
	name   string
	scalar *scalar // of which it is a value; nil: it is something else
	of     Func
	turns  []Func
	points [][3]float64

	span      float64 // of its values at a point over the run, the largest of all points
	peak      float64 // largest magnitude
	low, high float64
}

// signals lists what varies in time: values of walls and patches, sources and wells.
func (m *model) signals() []signal {
	var all []signal
	for _, s := range m.walls.sides {
		for c, spans := range m.p.Conditions(s) {
			all = append(all, m.wallSignals(s, c, spans)...)
		}
	}
	for _, u := range m.scalars {
		for _, t := range u.of.terms {
			if t.Varies {
				all = append(all, m.termSignals(u, &t)...)
			}
		}
	}
	return append(all, m.wells.signals(m.scalars)...)
}

// termSignals lists the values of a term.
func (m *model) termSignals(u *scalar, t *term) (all []signal) {
	add := func(name string, of Func, scalar *scalar) {
		if of != nil {
			all = append(all, signal{name: name, scalar: scalar, of: of, turns: t.Course.Turns, points: m.points(wholeWall(), t.Course.Uniform)})
		}
	}
	add(t.name, t.Gain, nil)
	add("the rate of "+t.name, t.Rate, nil)
	add("the surroundings of "+t.name, t.Toward, u)
	return all
}

// wallSignals lists the values of a wall, or of a patch of it, if they vary.
func (m *model) wallSignals(s kernels.Side, w *Wall, spans [3][2]float64) []signal {
	if !w.Varies {
		return nil
	}
	at := 0.0
	if s.High() {
		at = m.grid.Size[s.Axis()]
	}
	spans[s.Axis()] = [2]float64{at, at}
	var all []signal
	add := func(name string, of Func, u *scalar) {
		if of != nil && name != "" {
			all = append(all, signal{name: "the " + name + " of the " + s.String(), scalar: u, of: of, turns: w.Course.Turns,
				points: m.points(spans, w.Course.Uniform)})
		}
	}
	for _, u := range m.scalars {
		c := u.of.at(w)
		if c.Kind.Rule().Warm {
			add(u.of.Name, c.Value, u)
		} else {
			add(u.of.fluxName, c.Value, nil)
		}
		add(u.of.coefficientName, c.Coefficient, nil)
		add("inflow "+u.of.Name, c.Inflow, u)
	}
	add(w.Flow.Rule().Value, w.FlowValue, nil)
	return all
}

// points picks nodes within spans, evenly: one where all are alike.
func (m *model) points(spans [3][2]float64, uniform bool) [][3]float64 {
	axes := 0
	for d := range 3 {
		if m.grid.Cells[d] > 0 && spans[d][0] < spans[d][1] {
			axes++
		}
	}
	most := [4]int{1, 65, 9, 5}[axes]
	if uniform {
		most = 1
	}
	var x [3][]float64
	for d := range 3 {
		x[d] = pick(m.walls.x[d], spans[d], most)
	}
	var points [][3]float64
	for _, z := range x[2] {
		for _, y := range x[1] {
			for _, x := range x[0] {
				points = append(points, [3]float64{x, y, z})
			}
		}
	}
	return points
}

// pick returns at most so many of the coordinates within a span, the first and the last among them; the middle of the span where there are none.
func pick(all []float64, span [2]float64, most int) []float64 {
	first, last := all[0], all[len(all)-1]
	slack := patchSlack * (last - first)
	var inside []float64
	for _, x := range all {
		if inSpan(x, span, slack) {
			inside = append(inside, x)
		}
	}
	n := len(inside)
	switch {
	case n == 0:
		return []float64{(math.Max(first, span[0]) + math.Min(last, span[1])) / 2}
	case n <= most:
		return inside
	case most == 1:
		return inside[n/2 : n/2+1]
	}
	some := make([]float64, most)
	for i := range some {
		some[i] = inside[i*(n-1)/(most-1)]
	}
	return some
}
