package sweep

import (
	"math"
	"slices"
	"strings"

	"convect/io/h5"
)

// WriteNetCDF writes the results as NetCDF-4: of a grid of values each key that varies is a dimension, and with a branch that goes back the direction (0: there, 1: back);
// of other sweeps the runs are one dimension, and the keys are coordinates along it. Values that are no numbers are numbered from 0 on, as flags of CF. What there
// is no result of is NaN.
func (t *Table) WriteNetCDF(path, title string) error {
	w, err := h5.Create(path)
	if err != nil {
		return err
	}
	defer w.Abort()
	w.AttrString("/", "Conventions", "CF-1.10")
	w.AttrString("/", "title", title)
	axes := t.axes()
	var dims []int
	var names []string
	for _, a := range axes {
		a.write(w)
		dims, names = append(dims, len(a.values)), append(names, "/"+a.name)
		w.Scale("/"+a.name, a.name)
	}
	var along []string // coordinates along the runs
	if t.Combine != Grid {
		var all []axis
		for n := range t.Vary {
			all = append(all, t.axis(n, t.column(n)))
		}
		if t.Back {
			d := directions()
			d.values = nil
			for _, r := range t.Runs {
				d.values = append(d.values, map[bool]float64{true: 1}[r.Back])
			}
			all = append(all, d)
		}
		for _, c := range all {
			c.write(w)
			w.Attach("/"+c.name, names...)
			along = append(along, c.name)
		}
	}
	size := 1
	for _, d := range dims {
		size *= d
	}
	for i, name := range t.Results {
		values := make([]float64, size)
		for k := range values {
			values[k] = math.NaN()
		}
		for k, r := range t.Rows {
			values[t.place(axes, k, r)] = r.Values[i]
			if t.Combine == Grid && t.Back && r.turns(t.Rows) { // the end of the branch belongs to both directions
				values[t.place(axes, k, r)+1] = r.Values[i]
			}
		}
		own := "/" + strings.ReplaceAll(name, ".", "_")
		w.Float64s(own, dims, values)
		w.AttrString(own, "long_name", name)
		w.AttrString(own, "units", t.Units[i])
		if t.Combine != Grid {
			w.AttrString(own, "coordinates", strings.Join(along, " "))
		}
		w.Attach(own, names...)
	}
	return w.Commit() // the first failure of all
}

// axis is a dimension, or a coordinate along one.
type axis struct {
	name, key string
	unit      string
	values    []float64
	words     []string // of which the values are places; nil: of numbers
	texts     []string // that the values were made of; nil: of runs and directions
}

// column returns the values of a key in the order of the runs.
func (t *Table) column(n int) []string {
	var out []string
	for _, r := range t.Runs {
		out = append(out, r.Values[n])
	}
	return out
}

// axis returns a key along values.
func (t *Table) axis(n int, texts []string) axis {
	a := axis{name: t.Dims[n], key: t.Vary[n].Key, unit: t.KeyUnits[n], texts: texts}
	for _, text := range texts {
		v, ok := Number(text)
		if !ok {
			a.words = slices.Clone(t.Vary[n].Values)
			break
		}
		a.values = append(a.values, v)
	}
	if a.words != nil { // the values are their places, which have no unit
		a.values, a.unit = nil, ""
		for _, text := range texts {
			a.values = append(a.values, float64(slices.Index(a.words, text)))
		}
	}
	return a
}

// axes returns the dimensions of the results.
func (t *Table) axes() []axis {
	if t.Combine != Grid {
		a := axis{name: "run", key: "place in results.csv, from 0 on"}
		for k := range t.Runs {
			a.values = append(a.values, float64(k))
		}
		return []axis{a}
	}
	var out []axis
	for n, v := range t.Vary {
		out = append(out, t.axis(n, v.Values))
	}
	if t.Back {
		out = append(out, directions())
	}
	return out
}

// directions are those of a branch that goes back.
func directions() axis {
	return axis{name: directionName, key: "direction along the branch", values: []float64{0, 1}, words: []string{direction(false), direction(true)}}
}

// place returns where the result of a row stands in the arrays.
func (t *Table) place(axes []axis, row int, r Row) int {
	if t.Combine != Grid {
		return row
	}
	at := 0
	for n := range t.Vary {
		at = at*len(axes[n].values) + slices.Index(axes[n].texts, r.Run.Values[n])
	}
	if t.Back {
		at *= 2
		if r.Back {
			at++
		}
	}
	return at
}

// write writes an axis.
func (a *axis) write(w *h5.Writer) {
	path := "/" + a.name
	if a.words == nil {
		w.Float64s(path, []int{len(a.values)}, a.values)
	} else {
		var places, flags []int64
		for _, v := range a.values {
			places = append(places, int64(v))
		}
		var meanings []string
		for i, word := range a.words {
			flags = append(flags, int64(i))
			meanings = append(meanings, strings.Join(strings.Fields(unquoted(word)), "_"))
		}
		w.Int64s(path, []int{len(places)}, places)
		w.AttrInt64s(path, "flag_values", flags)
		w.AttrString(path, "flag_meanings", strings.Join(meanings, " "))
	}
	w.AttrString(path, "long_name", a.key)
	if a.unit != "" {
		w.AttrString(path, "units", a.unit)
	}
}
