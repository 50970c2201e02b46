package physics

import (
	"math"
	"slices"

	"convect/kernels"
	"convect/kernels/parallel"
)

// Outlook tells what becomes of a fluid that begins at rest under walls, sources and a medium that single out no place of a
// horizontal plane, where nothing but a disturbance of the initial temperature can start convection. The zero value tells nothing: that other things move the fluid, or that
// it cannot be told.
type Outlook struct {
	Rest      bool // the case is of this kind
	Disturbed bool // the initial temperature varies along horizontal planes
	Uniform   bool // the temperature never varies with height
	Patchy    bool // the permeability varies along horizontal planes: the critical numbers are those of its means
	Passing   bool // the temperature of conduction still changes its form at the end of the run
	// Critical is the size of the Rayleigh number, of the sign that the case has, from which disturbances grow at some time of
	// the run; Opposite that for the other sign. +Inf: never.
	Critical, Opposite float64
}

// outset is what the initial temperature was before its perturbation.
type outset struct {
	mean   []float64 // over each horizontal plane
	spread float64   // largest difference within one
}

// planes returns means and the largest difference of node values over horizontal planes.
func (m *model) planes(values []float64) *outset {
	n := m.grid.Box.N
	o := &outset{mean: make([]float64, n[2])}
	o.spread = parallel.Fold(n[2], func(first, last int) (spread float64) {
		for k := first; k < last; k++ {
			plane := values[k*n[0]*n[1]:][:n[0]*n[1]]
			spread = math.Max(spread, slices.Max(plane)-slices.Min(plane))
			for _, v := range plane {
				o.mean[k] += v / float64(len(plane))
			}
		}
		return spread
	}, math.Max)
	return o
}

// Outlook judges a run before its first step; the outlook of one that goes on is not known, nor that of one which several scalars move. It fails
// as the device does.
func (s *Simulation) Outlook() (Outlook, error) {
	m, u := s.model, s.model.mover()
	if u == nil || u.outset == nil || s.step > 0 || m.flow.buoyancy.factor == 0 || !u.level() {
		return Outlook{}, nil
	}
	values, err := u.now.Download()
	if err != nil {
		return Outlook{}, err
	}
	size := math.Max(math.Abs(parallel.Min(values)), math.Abs(parallel.Max(values)))
	noise := 1e-12 * size
	if m.grid.Elem == kernels.Float32 {
		noise = 3e-7 * size
	}
	if u.outset.spread > noise { // the initial state is a flow of its own
		return Outlook{}, nil
	}
	o := Outlook{Rest: true, Disturbed: m.planes(values).spread > noise, Patchy: m.p.Permeability.Varies() && !m.flat(&m.p.Permeability)}
	s.judge(u, &o)
	return o, nil
}

// mover returns the only scalar that moves the fluid, by buoyancy or viscosity; nil: there are several.
func (m *model) mover() *scalar {
	u := m.flow.buoyancy.only()
	if v := m.flow.viscosity; v != nil && slices.ContainsFunc(v.scalars(), func(of *scalar) bool { return of != u }) {
		return nil
	}
	return u
}

// Times of the profile of conduction that an outlook looks at: so many between that of a cell and the end, so many steps from one to the next.
const (
	outlookTimes = 6
	outlookSteps = 6
)

// judge finds the critical numbers over the time of the run.
func (s *Simulation) judge(u *scalar, o *Outlook) {
	m := s.model
	t := u.outset.mean
	l := u.layer(t)
	for end, k := range [2]int{0, len(t) - 1} {
		if l.held[end] {
			t[k] = l.temperature[end]
		}
	}
	sign := math.Copysign(1, m.flow.buoyancy.factor)
	o.Critical, o.Opposite, o.Uniform = math.Inf(1), math.Inf(1), true
	first := math.Min(u.room.cellTime, s.controls.End/2)
	factor := math.Pow(s.controls.End/first, 1/float64(outlookTimes*outlookSteps))
	now, seen := 0.0, []float64(nil)
	for step := range outlookTimes*outlookSteps + 1 {
		if step > 0 {
			next := first * math.Pow(factor, float64(step))
			t, now = l.conduct(t, next-now), next
		}
		span := slices.Max(t) - slices.Min(t)
		if step%outlookSteps != 0 || span <= rounding(m.grid.Elem)*math.Max(math.Abs(slices.Max(t)), math.Abs(slices.Min(t))) || like(t, seen, 1e-3*span) {
			continue
		}
		seen, o.Uniform = t, false
		l.setMobility(u, t)
		o.Critical, o.Opposite = math.Min(o.Critical, l.critical(t, sign)), math.Min(o.Opposite, l.critical(t, -sign))
	}
	later := l.conduct(t, s.controls.End)
	o.Passing = !like(shape(t), shape(later), 0.01*(slices.Max(t)-slices.Min(t)))
}

// shape returns a profile less its first value.
func shape(t []float64) []float64 {
	out := make([]float64, len(t))
	for k := range t {
		out[k] = t[k] - t[0]
	}
	return out
}

// like tells whether two profiles are the same but for so much.
func like(a, b []float64, slack float64) bool {
	if len(a) != len(b) {
		return false
	}
	for k := range a {
		if math.Abs(a[k]-b[k]) > slack {
			return false
		}
	}
	return true
}

// level tells whether walls, sources and all that conducts and stores the scalar are the same all over every horizontal plane and at all times, and nothing
// flows through walls at rest; at those that fluid can pass the scalar is fixed. There is no well.
func (u *scalar) level() bool {
	m := u.domain
	if len(m.wells.all) > 0 || m.grid.Periodic[kernels.Z] || !m.flat(&u.of.diffusivity) || !m.flat(&u.of.capacity) {
		return false
	}
	pressed := 0
	for _, s := range m.walls.sides {
		first := m.walls.at(s, m.walls.point(s, 0))
		for n := range m.grid.Box.WallNodes(s) {
			x, y := m.walls.point(s, n), m.walls.point(s, 0)
			c := m.walls.at(s, x)
			flow, own := c.Flow.Rule(), u.of.at(&c)
			switch {
			case c.Varies || m.walls.anyOn(s, func(c Wall) bool { return c.Varies }):
				return false
			case s.Axis() != kernels.Z && (flow.Passes || !own.insulates(x)):
				return false
			case s.Axis() != kernels.Z:
			case !own.same(u.of.at(&first), x, y) || !sameFlow(&c, &first, x, y) || flow.Gives && value(c.FlowValue, x, 0) != 0 || flow.Passes && !own.Kind.Rule().Holds:
				return false
			}
		}
		if first.Flow.Rule().Holds {
			pressed++
		}
	}
	return pressed < 2 && u.levelTerms()
}

// flat tells whether a material is the same all over every layer of cells, along each direction.
func (m *domain) flat(of *Material) bool {
	if !of.Varies() {
		return true
	}
	n := m.grid.CellShape()
	for _, cells := range of.distinct() {
		if parallel.First(len(cells), func(c int) bool { return cells[c] != cells[c/(n[0]*n[1])*n[0]*n[1]] }) < len(cells) {
			return false
		}
	}
	return true
}
