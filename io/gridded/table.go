package gridded

import (
	"fmt"
	"math"
	"slices"
	"sort"
	"strings"

	"convect/io/column"
)

// table is the columns of a file of text.
type table struct {
	ask     *Request
	names   []string
	columns [3]string // of x, y, z; "" where there is none
	value   string
}

// readTable reads a column of values at the points of the columns x, y and z.
func readTable(ask *Request, f *Field) error {
	names, err := column.Names(ask.Path)
	if err != nil {
		return err
	}
	t := &table{ask: ask, names: names}
	if err := t.choose(); err != nil {
		return err
	}
	if err := t.units(f); err != nil {
		return err
	}
	wanted, axes := []string{t.value}, []int{}
	for d, name := range t.columns {
		if name != "" {
			wanted, axes = append(wanted, name), append(axes, d)
		}
	}
	read, err := column.Read(ask.Path, wanted...)
	if err != nil {
		return err
	}
	f.Name, f.Shape = "column "+t.value, []int{len(read.Lines)}
	for d := range f.axes {
		f.axes[d] = axis{n: 1, place: -1}
	}
	for i, d := range axes {
		a := &f.axes[d]
		a.name, a.coordinates = "column "+t.columns[d], levels(read.Columns[1+i])
		_, a.what = axisOf(t.columns[d])
		a.n = len(a.coordinates)
	}
	if f.axes[1].n > 1 && ask.Target.Flat() {
		return threeDimensional(f.Name, ask.Path)
	}
	return t.fill(f, read, axes)
}

// units checks the units that stand in brackets behind the names of columns.
func (t *table) units(f *Field) error {
	f.Unit = unitIn(t.value)
	for d, name := range t.columns {
		if err := checkUnit(axisNames[d], "column "+name+" of "+t.ask.Path, unitIn(name), t.ask.Length); err != nil {
			return err
		}
	}
	return checkUnit(PartColumn, "column "+t.value+" of "+t.ask.Path, f.Unit, t.ask.Unit)
}

// choose finds the columns of coordinates and of the values.
func (t *table) choose() error {
	for d := range t.columns {
		if err := t.chooseAxis(d); err != nil {
			return err
		}
	}
	if t.columns == [3]string{} {
		if i := slices.IndexFunc(t.names, downwards); i >= 0 {
			return wrong("z", "", depthAdvice, "column "+t.names[i]+" of "+t.ask.Path)
		}
		return wrong(PartFile, "an HDF5 (NetCDF-4) file, or a table with columns x, (y,) z and the value, or z and the value", "%s is text, and has no columns of coordinates; there are %s", t.ask.Path, list(t.names))
	}
	if t.value = t.ask.Column; t.value != "" {
		if !slices.Contains(t.names, t.value) {
			return wrong(PartColumn, "one of "+list(t.names), "there is no column %s in %s", t.value, t.ask.Path)
		}
		return nil
	}
	rest := slices.DeleteFunc(slices.Clone(t.names), func(name string) bool {
		d, _ := axisOf(name)
		return name == "" || d >= 0 || slices.Contains(t.columns[:], name)
	})
	if known := preferred(rest, t.ask.Names); len(known) > 0 {
		rest = known
	}
	switch len(rest) {
	case 0:
		return wrong(PartColumn, "a column of values", "%s has columns of coordinates alone: %s", t.ask.Path, list(t.names))
	case 1:
		t.value = rest[0]
		return nil
	}
	return wrong(PartColumn, "one of "+list(rest), "missing: %s has several columns of values", t.ask.Path)
}

// chooseAxis finds the column of the coordinates along an axis: the one that is named, or the only one with a usual name.
func (t *table) chooseAxis(d int) error {
	if name := t.ask.Coordinates[d]; name != "" {
		if !slices.Contains(t.names, name) {
			return wrong(axisNames[d], "one of "+list(t.names), "there is no column %s in %s", name, t.ask.Path)
		}
		t.columns[d] = name
		return nil
	}
	var found []string
	for _, name := range t.names {
		if axis, _ := axisOf(name); axis == d && name != t.ask.Column && !slices.Contains(t.ask.Coordinates[:], name) {
			found = append(found, name)
		}
	}
	if i := slices.IndexFunc(found, func(name string) bool { return simple(name) == axisNames[d] }); i >= 0 && len(found) > 1 {
		found = found[i : i+1]
	}
	if len(found) > 1 {
		return wrong(axisNames[d], "one of "+list(found), "missing: %s has several columns of coordinates along %s", t.ask.Path, axisNames[d])
	}
	if len(found) == 1 {
		t.columns[d] = found[0]
	}
	return nil
}

// levels returns the different coordinates in a column, increasing. Those that differ by rounding are one.
func levels(column []float64) []float64 {
	x := slices.Clone(column)
	slices.Sort(x)
	slack := 1e-9 * (x[len(x)-1] - x[0])
	out := x[:1]
	for _, v := range x[1:] {
		if v-out[len(out)-1] > slack {
			out = append(out, v)
		}
	}
	return out
}

// level returns which of the levels a coordinate is.
func level(levels []float64, v float64) int {
	i := sort.SearchFloat64s(levels, v)
	if i == len(levels) || i > 0 && v-levels[i-1] < levels[i]-v {
		return i - 1
	}
	return i
}

// fill puts each row in its place of the grid, which it must fill once.
func (t *table) fill(f *Field, read *column.Table, axes []int) error {
	n, rows := f.counts(), len(read.Lines)
	total := float64(n[0]) * float64(n[1]) * float64(n[2])
	if total > 2*float64(rows) {
		var counts []string
		for _, d := range axes {
			counts = append(counts, fmt.Sprintf("%d different %s", n[d], axisNames[d]))
		}
		return wrong(PartFile, "a row for each point of a grid (each x with each z), in any order, or a profile over z alone; scipy.interpolate.griddata brings scattered points onto a grid",
			"the points of %s form no grid: %d rows with %s", t.ask.Path, rows, strings.Join(counts, " and "))
	}
	values, lines := make([]float64, int(total)), make([]int32, int(total))
	for row := range rows {
		at := 0
		for _, d := range slices.Backward(axes) {
			i := level(f.axes[d].coordinates, read.Columns[1+slices.Index(axes, d)][row])
			at += i * stride(n, d)
		}
		if lines[at] != 0 {
			return wrong(PartFile, "one row for each point", "%s has two rows for the same point: lines %d and %d", t.ask.Path, lines[at], read.Lines[row])
		}
		values[at], lines[at] = read.Columns[0][row], int32(min(read.Lines[row], math.MaxInt32))
	}
	if rows < len(values) {
		return t.hole(f, lines, len(values)-rows)
	}
	f.parts, f.lines = [][]float64{values}, lines
	f.Shape = nil
	for _, d := range []int{2, 1, 0} {
		if slices.Contains(axes, d) {
			f.Shape = append(f.Shape, n[d])
		}
	}
	return nil
}

// stride is the distance of neighbours along an axis in an array [z][y][x].
func stride(n [3]int, d int) int { return [3]int{1, n[0], n[0] * n[1]}[d] }

// hole names the first point of the grid without a row.
func (t *table) hole(f *Field, lines []int32, missing int) error {
	at, n := slices.Index(lines, 0), f.counts()
	var where []string
	for d, name := range t.columns {
		if name != "" {
			where = append(where, fmt.Sprintf("%s = %s", axisNames[d], short(f.axes[d].coordinates[at/stride(n, d)%n[d]])))
		}
	}
	return wrong(PartFile, "a row for each point of the grid", "%s lacks %d of the %d points of its grid, the first at %s", t.ask.Path, missing, len(lines), strings.Join(where, ", "))
}
