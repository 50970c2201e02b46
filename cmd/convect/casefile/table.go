package casefile

import (
	"math"
	"slices"
	"sort"

	"convect/physics"
)

// table is a value that a file gives at times. Times are in the units of the case.
type table struct {
	section value
	path    value
	column  string  // of the values
	clock   string  // name of the column of times
	unit    float64 // of the times in the file
	steps   bool    // each value holds until the next time; else values lie on lines
	period  float64 // after which it repeats; 0: never
	limit   limit   // of the values
	// Increasing times and their values; where the last row is the end of the period, ends is its value and it is not among them.
	times, values []float64
	last          float64 // time of the last row of the file
	end           float64 // the value that the last line leads to
}

// tableField reads a section that names a column of a table. The file itself is read by Build.
func (c *Case) tableField(v value, l limit) field {
	v.shape = tableShape
	f := field{value: v, limit: l, inTime: true}
	if known := v.d.schema[tableShape]; !slices.ContainsFunc(v.node.entries, func(e *entry) bool { return Nearest(e.key, known) != "" }) {
		v.refuse(l.words+", an expression, or {table: …, column: …}", "a section is not accepted here; an expression that holds a colon needs quotes around it")
		return f
	}
	s, ok := v.section()
	if !ok {
		return f
	}
	t := &table{section: v, limit: l, path: s.get("table"), column: s.get("column").text(), clock: "time"}
	switch {
	case !t.path.given():
		t.path.missing("the path of a table of text (CSV), relative to the folder of the case")
	case t.path.text() == "":
		t.path.refuse("the path of a table of text (CSV)", "there is no path")
	}
	if t.column == "" {
		s.get("column").missing("the name of the column that holds the values")
	}
	if clock := s.get("time"); clock.given() {
		t.clock = clock.text()
	}
	t.unit = c.timeUnitOr(s.get("time_unit"))
	t.steps = s.get("interpolation").choice([]string{"linear", "step"}) == "step"
	t.period = c.timeOr(s.get("repeat"), positive(), 0) * c.Scales.Time
	f.of = func(_, _, _, at float64) float64 { return t.value(at) }
	f.turns = []number{func(_, _, _, at float64) float64 { return t.row(at) }}
	c.plan.tables = append(c.plan.tables, t)
	return f
}

// readTable reads the rows of a table and checks that they tell all of the run.
func (c *Case) readTable(t *table) {
	read, ok := t.path.columns(t.clock, t.column)
	if !ok {
		return
	}
	t.times, t.values = make([]float64, len(read.Lines)), slices.Clone(read.Columns[1])
	for i, at := range read.Columns[0] {
		t.times[i] = at * t.unit
		if i > 0 && !(at > read.Columns[0][i-1]) {
			t.path.refuse("times that increase from row to row", "%s:%d: the time %g does not come after that of the row before, %g",
				absolute(c.d.dir, t.path.node.text), read.Lines[i], at, read.Columns[0][i-1])
			return
		}
	}
	if i := slices.IndexFunc(t.values, func(v float64) bool { return !t.limit.ok(v) }); i >= 0 {
		t.path.refuse(t.limit.words+" in every row", "%s:%d: %s is %g", absolute(c.d.dir, t.path.node.text), read.Lines[i], t.column, t.values[i])
		return
	}
	first, last := t.times[0], t.times[len(t.times)-1]
	end := c.Controls.End * c.Scales.Time
	slack := 1e-9 * math.Max(end, last-first)
	switch {
	case t.period > 0 && last-first > t.period+slack:
		t.section.refuse("a period at least as long as the table, as "+plain(last-first), "the table lasts %.6g, longer than the %.6g after which it is to repeat",
			last-first, t.period)
	case t.period == 0 && first > slack:
		t.section.refuse("a table that begins at time 0 or before, or repeat: a period", "the table begins at %s, after the start of the run",
			physics.TimeText(first, c.Scales.TimeUnit, 6))
	case t.period == 0 && last < end-slack:
		t.section.refuse("a table that lasts until time.end, a shorter run, or repeat: a period", "the table ends at %s, but the run at %s",
			physics.TimeText(last, c.Scales.TimeUnit, 6), c.Scales.TimeText(c.Controls.End, 6))
	}
	n := len(t.times)
	t.last, t.end = last, t.values[n-1]
	if t.period == 0 {
		return
	}
	if n > 1 && last-first > t.period-slack {
		t.times, t.values = t.times[:n-1], t.values[:n-1]
		return
	}
	t.last, t.end = first+t.period, t.values[0] // a line leads to the next first row
}

// place returns a time within the table and the number of the rows up to it, counted from the first row of the first period.
func (t *table) place(at float64) (within float64, row float64) {
	first, cycle := t.times[0], 0.0
	if t.period > 0 {
		cycle = math.Floor((at - first) / t.period)
		at -= cycle * t.period
	}
	n := sort.Search(len(t.times), func(i int) bool { return t.times[i] > at })
	return at, float64(n) + cycle*float64(len(t.times))
}

// row changes its sign at each row of the table.
func (t *table) row(at float64) float64 {
	_, row := t.place(at)
	return 1 - 2*math.Abs(math.Mod(row, 2))
}

// value returns the value at a time: that of the last row or on the line to the next. Beyond the table the first and the last value hold.
func (t *table) value(at float64) float64 {
	at, _ = t.place(at)
	n := sort.Search(len(t.times), func(i int) bool { return t.times[i] > at })
	switch {
	case n == 0:
		return t.values[0]
	case t.steps:
		return t.values[n-1]
	}
	from, to, low, high := t.times[n-1], t.last, t.values[n-1], t.end
	if n < len(t.times) {
		to, high = t.times[n], t.values[n]
	}
	if at >= to || to <= from {
		return high
	}
	return low + (high-low)*(at-from)/(to-from)
}
