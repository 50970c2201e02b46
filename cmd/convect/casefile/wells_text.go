package casefile

import (
	"fmt"
	"strings"

	"convect/io/series"
	"convect/kernels"
)

// wellWarnings says what is said of wells and has no effect.
func (c *Case) wellWarnings() (out []string) {
	for i := range c.plan.wells {
		w := &c.plan.wells[i]
		for _, b := range w.brings {
			if b.key.given() && !w.injects {
				out = append(out, fmt.Sprintf("%s has no effect: %s never injects, and what it produces has the fluid's own %s", b.key.key, w.name, b.of.name))
			}
		}
		if !w.flows {
			out = append(out, fmt.Sprintf("%s: the rate of %s is 0 at all times", w.value.key, w.name))
		}
	}
	return out
}

// WellText is what check says of a well.
type WellText struct {
	Name    string
	Text    string  // place, rate and what it brings
	Largest float64 // of the magnitudes of its rate over the run, nondimensional
}

// Wells describes the wells of a case that is built.
func (c *Case) Wells() (all []WellText) {
	unit := ""
	if c.si {
		unit = map[int]string{2: " m²/s", 3: " m³/s"}[c.dimensions()]
	}
	for i := range c.plan.wells {
		w := &c.plan.wells[i]
		where := w.at
		for d := range where {
			where[d] *= c.Scales.Length
		}
		place := c.pointName(where)
		if w.line {
			place = strings.TrimSuffix(place, fmt.Sprintf(", z = %.6g", where[2])) + fmt.Sprintf(", z from %s to %s", plain(w.from*c.Scales.Length), plain(w.to*c.Scales.Length))
		}
		text := fmt.Sprintf("%s, %s %s%s", place, w.verb(), w.rate.text(), unit)
		if w.holding() {
			text = fmt.Sprintf("%s, holds the pressure %s with the radius %s", place, w.holds.pressure.text(), plain(w.holds.radius))
		}
		for _, b := range w.brings {
			if b.key.given() && w.injects {
				text += fmt.Sprintf(" of %s %s", b.of.name, b.field.text())
			}
		}
		all = append(all, WellText{w.name, text, w.largest / c.wellUnit()})
	}
	return all
}

// WellEnds lists both ends of each well, in the units of the case; those of a point are the same.
func (c *Case) WellEnds() (ends [][2][3]float64) {
	for i := range c.plan.wells {
		w := &c.plan.wells[i]
		low, high := w.at, w.at
		if w.line {
			low[kernels.Z], high[kernels.Z] = w.from, w.to
		}
		for d := range low {
			low[d], high[d] = low[d]*c.Scales.Length, high[d]*c.Scales.Length
		}
		ends = append(ends, [2][3]float64{low, high})
	}
	return ends
}

// WellColumns lists the wells for the tables.
func (c *Case) WellColumns() (all []series.Well) {
	for i := range c.plan.wells {
		all = append(all, series.Well{Name: c.plan.wells[i].name, Holds: c.plan.wells[i].holding()})
	}
	return all
}

// verb says what the well does.
func (w *well) verb() string {
	switch {
	case w.injects && w.rate.inTime:
		return "injects at"
	case w.injects:
		return "injects"
	}
	return "produces at"
}

// text is a field as the case writes it, nothing where it is not given.
func (f *field) text() string {
	if f.value.node == nil {
		return ""
	}
	if f.value.node.kind == scalar {
		return f.value.node.text
	}
	return "that of a table"
}
