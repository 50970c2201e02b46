package casefile

import (
	"fmt"
	"math"
	"regexp"
	"slices"

	"convect/kernels"
	"convect/physics"
	"convect/stencil"
)

// well is what the case says of a well.
type well struct {
	value    section
	name     string
	line     bool
	at       [3]float64 // nondimensional
	from, to float64
	rate     field
	holds    holding
	brings   []bringing // one for each scalar of the case, in their order

	injects, flows bool // at some time; a rate is not 0 at some time
	largest        float64
}

// bringing is what a well injects of a scalar: the key that says so, and the field, which has no value where it is not given.
type bringing struct {
	of    carried
	key   value
	field field
}

// wellKeys lists the keys of a well.
func wellKeys() []string {
	keys := []string{"name", "at", "from", "to", "rate", "pressure", "radius", "skin", "limits"}
	for _, of := range allCarried() {
		keys = append(keys, of.name)
	}
	return append(keys, "tracers")
}

// wellName is what a well may be called: it is a part of names of columns.
var wellName = regexp.MustCompile(`^[A-Za-z][A-Za-z0-9_-]{0,39}$`)

// acceptedName says so.
const acceptedName = "a name of letters, digits, _ and - that begins with a letter, at most 40 characters"

// decodeWells reads the list of wells.
func (c *Case) decodeWells(v value) {
	if !v.given() {
		return
	}
	items, ok := v.list("a list of {name: …, at: […], rate: …}")
	if !ok {
		return
	}
	for _, item := range items {
		if s, ok := item.section(); ok {
			c.plan.wells = append(c.plan.wells, c.decodeWell(s))
		}
	}
}

func (c *Case) decodeWell(s section) well {
	w := well{value: s, name: c.decodeWellName(s.get("name"))}
	c.decodeWellPlace(s, &w)
	switch rate, pressure := s.get("rate"), s.get("pressure"); {
	case rate.given() && pressure.given():
		rate.refuse("rate or pressure", "pressure is given too: the rate follows from it; limits: [from, to] bounds it")
	case pressure.given():
		c.decodeHolding(s, &w)
	case rate.given():
		w.rate = c.timed(rate, anyNumber())
	default:
		rate.missing("the volume per time that it injects (above 0) or produces (below 0): " + anyNumber().words + ", an expression in t, or {table: …, column: …}; or a pressure")
	}
	if !s.get("pressure").given() {
		for _, key := range s.holds("radius", "skin", "limits") {
			s.get(key).refuse("pressure: … beside it", "it belongs to a well that holds a pressure")
		}
	}
	w.brings = c.decodeBringings(s)
	return w
}

// decodeBringings reads what a well injects of each scalar of the case.
func (c *Case) decodeBringings(s section) (all []bringing) {
	tracers := c.tracerSections(s)
	for _, of := range c.carried() {
		own, name := s, of.name
		if of.tracer {
			own, _ = tracers.get(of.name).section()
			name = "concentration"
		}
		key := own.get(name)
		if of.refused(c, key) {
			continue
		}
		b := bringing{of: of, key: key}
		if key.given() {
			b.field = c.timed(key, of.brings.limit)
		}
		all = append(all, b)
	}
	return all
}

// timed reads what may vary in time, but not in space: a number, an expression in t, or a table.
func (c *Case) timed(v value, l limit) field {
	if v.node.kind == mapping {
		return c.tableField(v, l)
	}
	return v.field(l, "t")
}

// decodeWellName reads the name of a well, which no other has.
func (c *Case) decodeWellName(v value) string {
	const accepted = acceptedName
	if !v.given() {
		v.missing(accepted)
		return ""
	}
	name := v.text()
	switch {
	case v.node.kind == scalar && !wellName.MatchString(name):
		v.refuse(accepted, "%s is no name of a well", v.node.describe())
	case slices.ContainsFunc(c.plan.wells, func(w well) bool { return w.name == name && name != "" }):
		v.refuse("a name for each well", "another well is called %s", name)
	}
	return name
}

// decodeWellPlace reads where a well is: at a point, or along a vertical line.
func (c *Case) decodeWellPlace(s section, w *well) {
	axes := []int{kernels.X, kernels.Y, kernels.Z}
	point, line := "[x, y, z]", "[x, y]"
	if c.flat() {
		axes, point, line = []int{kernels.X, kernels.Z}, "[x, z]", "[x]"
	}
	accepted := fmt.Sprintf("%s of a vertical line with from and to, or %s of a point", line, point)
	at := s.get("at")
	if !at.given() {
		at.missing(accepted)
		return
	}
	items, ok := at.list(accepted)
	if !ok {
		return
	}
	if w.line = len(items) == len(axes)-1; !w.line && len(items) != len(axes) {
		at.refuse(accepted, "a list of %d", len(items))
		return
	}
	for i, item := range items {
		w.at[axes[i]] = c.coordinate(item, axes[i], "well")
	}
	from, to := s.get("from"), s.get("to")
	for _, end := range []value{from, to} {
		switch {
		case w.line && !end.given():
			end.missing("the height of an end of the line; or at: " + point + ", a point")
		case !w.line && end.given():
			end.refuse("at: "+line+" of a line, or a point without from and to", "at is a point, and a point has no ends")
		}
	}
	if w.line && from.given() && to.given() {
		if w.from, w.to = c.coordinate(from, kernels.Z, "well"), c.coordinate(to, kernels.Z, "well"); !(w.from < w.to) {
			from.refuse("a height below to", "from %s to %s is no line", from.node.text, to.node.text)
		}
	}
}

// coordinate reads a coordinate within the domain and returns it nondimensional.
func (c *Case) coordinate(v value, d int, of string) float64 {
	size := c.Parameters.Extent.Size[d] * c.Scales.Length
	x, ok := v.number(anyNumber())
	if ok && size > 0 && (x < 0 || x > size*(1+1e-12)) {
		v.refuse(fmt.Sprintf("%s from 0 to %s", stencil.AxisName(d), plain(size)), "the %s lies outside the domain", of)
	}
	return math.Min(x/c.Scales.Length, c.Parameters.Extent.Size[d])
}

// buildWells evaluates the wells.
func (c *Case) buildWells() {
	c.Parameters.Wells = nil
	for i := range c.plan.wells {
		w := &c.plan.wells[i]
		if c.checkWell(w); len(c.d.errors) > 0 {
			continue
		}
		out := physics.Well{Name: w.name, Radius: w.holds.radius / c.Scales.Length, Skin: w.holds.skin, Least: w.holds.limits[0] / c.wellUnit(), Most: w.holds.limits[1] / c.wellUnit(), At: w.at, Line: w.line, From: w.from, To: w.to, Rate: w.rate.nondimensional(c.Scales, c.wellUnit()), Varies: w.rate.inTime}
		fields := []*field{&w.rate}
		if w.holding() {
			out.Rate, out.Pressure, out.Varies = nil, w.holds.pressure.nondimensional(c.Scales, c.Scales.Pressure), w.holds.pressure.inTime
			fields = []*field{&w.holds.pressure}
		}
		for n := range w.brings {
			if f := &w.brings[n].field; f.value.given() && w.injects {
				*out.Bring(n) = f.nondimensional(c.Scales, w.brings[n].of.unit(&c.Scales))
				fields, out.Varies = append(fields, f), out.Varies || f.inTime
			}
		}
		out.Course = course(c.Scales, fields...)
		c.Parameters.Wells = append(c.Parameters.Wells, out)
	}
}

// wellUnit is the unit of rates, in that of the case: velocity times length (2-D), times length again (3-D).
func (c *Case) wellUnit() float64 {
	return c.Scales.Velocity * math.Pow(c.Scales.Length, float64(c.dimensions()-1))
}

// times are those at which a well is looked at: the rows of its tables among them.
func (w *well) times(c *Case) []float64 {
	fields := []field{w.rate, w.holds.pressure}
	for _, b := range w.brings {
		fields = append(fields, b.field)
	}
	varies := slices.ContainsFunc(fields, func(f field) bool { return f.inTime })
	times := c.checkTimes(varies, 1)
	for _, t := range c.plan.tables {
		if slices.ContainsFunc(fields, func(f field) bool { return f.value.node != nil && f.value.node == t.section.node }) {
			for _, at := range t.times {
				if at /= c.Scales.Time; at >= 0 && at <= c.Controls.End {
					times = append(times, at)
				}
			}
		}
	}
	return times
}

// checkWell refuses rates that are not finite, and injection of fluid of which nothing is said.
func (c *Case) checkWell(w *well) {
	w.injects, w.flows, w.largest = w.holding(), w.holding(), 0
	for _, t := range w.times(c) {
		for _, f := range []*field{&w.rate, &w.holds.pressure} {
			if f.value.given() && !c.checkPoint(f, w.at, t) {
				return
			}
		}
		q := w.rate.at(&c.Scales, w.at, t)
		w.injects, w.flows, w.largest = w.injects || q > 0, w.flows || q != 0, math.Max(w.largest, math.Abs(q))
		for n := range w.brings {
			if f := &w.brings[n].field; f.value.given() && !c.checkPoint(f, w.at, t) {
				return
			}
		}
	}
	for _, b := range w.brings {
		if w.injects && !b.key.given() {
			b.key.refuse(fmt.Sprintf("the %s of what it injects: %s, an expression in t, or {table: …, column: …}", b.of.name, b.of.brings.limit.words),
				"missing: %s %s, and nothing says of what %s", w.name, w.mayInject(), b.of.name)
		}
	}
	if w.holding() {
		c.checkHolding(w)
	} else if side, on := c.onOpenWall(w); on {
		w.value.get("at").refuse("a place within the domain, or on a wall where no pressure is held", "%s lies on the %s, whose pressure is held: all that it brings leaves there at once", w.name, side)
	}
}

// onOpenWall tells whether all of a well lies on a wall whose pressure is held.
func (c *Case) onOpenWall(w *well) (kernels.Side, bool) {
	x, held := w.at, field{}
	if w.line {
		x[kernels.Z] = (w.from + w.to) / 2
	}
	for _, side := range sides() {
		if d := side.Axis(); !c.isWall(side) || math.Abs(x[d]-c.wallAt(side)) > 1e-9*c.Extent().Size[d] {
			continue
		}
		f := c.conditionAt(side, x, func(o *wall) (*field, bool) {
			if o.flow.of.kind.Rule().Holds {
				return &held, o.flow.given
			}
			return nil, o.flow.given
		})
		if f != nil {
			return side, true
		}
	}
	return 0, false
}

// wellRates adds up the rates at a time, in the units of the case: net, and that of magnitudes.
func (c *Case) wellRates(t float64) (net, gross float64) {
	for i := range c.plan.wells {
		w := &c.plan.wells[i]
		q := w.rate.at(&c.Scales, w.at, t) // 0 of one that holds a pressure
		net, gross = net+q, gross+math.Abs(q)
	}
	return net, gross
}
