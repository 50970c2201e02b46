package casefile

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"convect/io/sampling"
	"convect/physics"
	"convect/stencil"
)

// measureSections adds the sections of what is measured beside snapshots to a schema.
func measureSections(s map[string][]string) {
	s["output.probes[]"] = []string{"name", "at", "fields", "every"}
	s["output.slices[]"] = []string{"name", "x", "y", "z", "fields", "every"}
	s["output.averages[]"] = []string{"name", "from", "to", "over", "fields", "fluctuations", "every"}
	for _, list := range []string{"probes", "slices", "averages"} {
		s["output."+list+"[].every"] = []string{"time", "steps", "times"}
	}
}

// decodeMeasures reads the probes, slices and averages, and tells the steps which times to meet.
func (c *Case) decodeMeasures(s section) {
	o := &c.Output
	for _, item := range c.measured(s.get("probes"), "{name: …, at: […]}") {
		o.Probes = append(o.Probes, c.decodeProbe(item, o.Probes))
	}
	for _, item := range c.measured(s.get("slices"), "{name: …, y: …}") {
		o.Slices = append(o.Slices, c.decodeSlice(item, o.Slices))
	}
	for _, item := range c.measured(s.get("averages"), "{name: …, from: …, to: …}") {
		o.Averages = append(o.Averages, c.decodeAverage(item, o.Averages))
	}
	meet := func(all ...physics.Schedule) {
		for _, s := range all {
			if s.Interval > 0 || len(s.Times) > 0 {
				c.Controls.Measures = append(c.Controls.Measures, s)
			}
		}
	}
	for n := range o.Probes {
		meet(o.Probes[n].Every)
	}
	for n := range o.Slices {
		if every := o.Slices[n].Every; every != nil {
			meet(*every)
		}
	}
	for n := range o.Averages {
		meet(o.Averages[n].Schedules()...)
	}
}

// measured returns the sections of a list.
func (c *Case) measured(v value, accepted string) (all []section) {
	if !v.given() {
		return nil
	}
	items, _ := v.list("a list of " + accepted)
	for _, item := range items {
		if s, ok := item.section(); ok {
			all = append(all, s)
		}
	}
	return all
}

// measureName reads a name that no other of its kind has; it is that of a file.
func (c *Case) measureName(v value, what string, taken func(name string) bool) string {
	if !v.given() {
		v.missing(acceptedName)
		return ""
	}
	name := v.text()
	switch {
	case v.node.kind == scalar && !wellName.MatchString(name):
		v.refuse(acceptedName, "%s is no name of %s", v.node.describe(), what)
	case name != "" && taken(name):
		v.refuse("a name for each", "another one is called %s", name)
	}
	return name
}

func (c *Case) decodeProbe(s section, before []sampling.Probe) sampling.Probe {
	p := sampling.Probe{Fields: c.measuredFields(s.get("fields")), Every: physics.Schedule{Steps: 1}}
	p.Name = c.measureName(s.get("name"), "a probe", func(name string) bool {
		return slices.ContainsFunc(before, func(o sampling.Probe) bool { return o.Name == name })
	})
	axes, accepted := []int{0, 1, 2}, "[x, y, z]"
	if c.flat() {
		axes, accepted = []int{0, 2}, "[x, z]"
	}
	if at := s.get("at"); !at.given() {
		at.missing("the point, " + accepted)
	} else if items, ok := at.list(accepted); ok && len(items) != len(axes) {
		at.refuse(accepted, "a list of %d", len(items))
	} else if ok {
		for i, item := range items {
			p.At[axes[i]] = c.coordinate(item, axes[i], "probe")
		}
	}
	if every, ok := c.schedule(s.get("every")); ok {
		p.Every = every
	}
	return p
}

func (c *Case) decodeSlice(s section, before []sampling.Slice) sampling.Slice {
	cut := sampling.Slice{Fields: c.measuredFields(s.get("fields"))}
	cut.Name = c.measureName(s.get("name"), "a slice", func(name string) bool {
		return slices.ContainsFunc(before, func(o sampling.Slice) bool { return o.Name == name })
	})
	keys := []string{"x", "y", "z"}
	if c.flat() {
		if y := s.get("y"); y.given() {
			y.refuse("x or z", "a 2-D case has no y axis")
			return cut
		}
		keys = []string{"x", "z"}
	}
	held := s.holds(keys...)
	if len(held) != 1 {
		s.refuse("one of "+strings.Join(keys, ", ")+", where the slice cuts that axis", "%s", clash(held, keys...))
		return cut
	}
	for d := range 3 {
		if stencil.AxisName(d) == held[0] {
			cut.Axis, cut.At = d, c.coordinate(s.get(held[0]), d, "slice")
		}
	}
	if every, ok := c.schedule(s.get("every")); ok {
		cut.Every = &every
	}
	return cut
}

func (c *Case) decodeAverage(s section, before []sampling.Average) sampling.Average {
	a := sampling.Average{Fields: c.measuredFields(s.get("fields")), Fluctuations: s.get("fluctuations").truth(), To: math.Inf(1)}
	a.Name = c.measureName(s.get("name"), "an average", func(name string) bool {
		return slices.ContainsFunc(before, func(o sampling.Average) bool { return o.Name == name })
	})
	c.decodeOver(s.get("over"), &a)
	end, from, to := c.Controls.End, s.get("from"), s.get("to")
	a.From = c.timeOr(from, notNegative(), 0)
	if to.given() {
		a.To = c.timeOr(to, positive(), 0)
	}
	switch {
	case end <= 0: // reported already
	case a.From >= end:
		from.refuse("a time before time.end, "+c.Scales.TimeText(end, 6), "the window begins when the run has ended")
	case to.given() && a.To > 0 && a.To <= a.From:
		to.refuse("a time after from, "+c.Scales.TimeText(a.From, 6), "the window ends before it begins")
	case to.given() && a.To > end*(1+1e-9):
		to.refuse("a time up to time.end, "+c.Scales.TimeText(end, 6), "%s is past the end", to.node.text)
	}
	if to.given() && math.Abs(a.To-end) <= 1e-9*end { // the last step ends on the end itself
		a.To = math.Inf(1)
	}
	if every := s.get("every"); every.given() {
		c.decodeWindows(every, &a)
	}
	return a
}

// maxWindows bounds the parts that the window of an average is cut into by an interval.
const maxWindows = 100_000

// decodeWindows reads the ends of the parts of a window: intervals count from its beginning.
func (c *Case) decodeWindows(v value, a *sampling.Average) {
	every, ok := c.schedule(v)
	if !ok {
		return
	}
	last := math.Min(a.To, c.Controls.End)
	for _, t := range every.Times {
		if !(t > a.From && t <= last) {
			v.refuse("times within the window of the average", "%s is not from %s to %s", c.Scales.TimeText(t, 6), c.Scales.TimeText(a.From, 6), c.Scales.TimeText(last, 6))
			return
		}
	}
	if every.Interval > 0 && a.From > 0 {
		n := math.Floor((last - a.From) / every.Interval * (1 + 1e-9))
		if n > maxWindows {
			v.refuse(fmt.Sprintf("an interval of which at most %d fit into the window", maxWindows), "%.3g of them fit into it", n)
			return
		}
		for i := range int(n) {
			every.Times = append(every.Times, a.From+float64(i+1)*every.Interval)
		}
		every.Interval = 0
	}
	if every.Interval > 0 || every.Steps > 0 || len(every.Times) > 0 {
		a.Every = &every
	}
}

// decodeOver reads the axes that an average is over, time among them.
func (c *Case) decodeOver(v value, a *sampling.Average) {
	if !v.given() {
		return
	}
	words := []string{"time", "x", "y", "z"}
	if c.flat() {
		words = []string{"time", "x", "z"}
	}
	accepted := "a list of time and any of " + strings.Join(words[1:], ", ")
	items, ok := v.list(accepted)
	var seen []string
	for _, item := range items {
		if item.node.kind == scalar && item.node.text == "y" && c.flat() {
			item.refuse(accepted, "a 2-D case has no y axis")
			continue
		}
		before := len(c.d.errors)
		word := item.choice(words)
		if len(c.d.errors) > before {
			return
		}
		if slices.Contains(seen, word) {
			item.refuse("each axis once", "%s is listed twice", word)
		}
		seen = append(seen, word)
		for d := range 3 {
			a.Over[d] = a.Over[d] || stencil.AxisName(d) == word
		}
	}
	if ok && !slices.Contains(seen, "time") {
		v.refuse(accepted, "averages are over time; profiles.csv has horizontal means of single moments")
	}
}

// measuredFields reads a list of fields that are measured.
func (c *Case) measuredFields(v value) []string {
	all, usual := c.quantityNames(false)
	return c.fields(v, all, usual)
}

// quantityNames lists the fields that there are, those of cells among them or not, and those that are written where none is asked for.
func (c *Case) quantityNames(cells bool) (all, usual []string) {
	for _, q := range c.Parameters.Quantities() {
		if q.Cells && !cells || q.Name == physics.StreamfunctionName && len(c.plan.wells) > 0 {
			continue
		}
		all = append(all, q.Name)
		if !q.Extra {
			usual = append(usual, q.Name)
		}
	}
	return all, usual
}

// noField says why a field that other cases have is none here; "": it is no field.
func (c *Case) noField(name string) string {
	switch name {
	case physics.StreamfunctionName:
		if c.flat() {
			return "a flow with wells has no stream function"
		}
		return "a flow in 3-D has no stream function"
	case physics.HeatFluxName:
		return "there is no temperature in this case"
	case physics.PermeabilityName:
		return "the permeability is one of cells and does not change: output.fields writes it"
	}
	return ""
}

// fields reads a list of fields, each once; the usual ones where it is not given.
func (c *Case) fields(v value, all, usual []string) (names []string) {
	if !v.given() {
		return usual
	}
	items, ok := v.list("a list of " + strings.Join(all, ", "))
	for _, item := range items {
		before := len(c.d.errors)
		if why := c.noField(item.node.text); why != "" && item.node.kind == scalar && !slices.Contains(all, item.node.text) {
			item.refuse(strings.Join(all, ", "), "%s", why)
			continue
		}
		name := item.choice(all)
		if slices.Contains(names, name) && len(c.d.errors) == before {
			item.refuse("each field once", "%s is listed twice", name)
		}
		names = append(names, name)
	}
	if ok && len(items) == 0 {
		v.refuse("one or more of "+strings.Join(all, ", "), "the list is empty")
	}
	return names
}
