package main

import (
	"errors"
	"fmt"
	"math"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"convect/io/series"
	"convect/io/snapshot"
)

// measurement says how a number of expect.yaml is measured in what a run has written, where it is no key of the summary: in the last snapshot a field at a point,
// less that at another one, its integral along a line, and these times a factor, or how far along a line from one point to another it first reaches a level (distance_of); or in
// the series the first time at which a column reaches a level (time_of), or the mean of a column over time (mean_of). Fields are temperature, pressure and
// the other ones of snapshots, and velocity_x, velocity_y and velocity_z. Points are [x, z], or [x, y, z].
type measurement struct {
	At     []float64 `yaml:"at"`
	Less   []float64 `yaml:"less"`
	To     []float64 `yaml:"to"`
	Times  *float64  `yaml:"times"`
	Field  string    `yaml:"field"`
	Column string    `yaml:"column"`
	Level  *float64  `yaml:"level"`

	StandardError string `yaml:"standard_error"` // of a mean: what it may be at most, as 1% of it
}

// Quantities that are measured in series.csv or along lines: the time at which a column reaches a level, the mean of a column over time, and the distance at which a field reaches a level.
const (
	timeOf     = "time_of"
	meanOf     = "mean_of"
	distanceOf = "distance_of"
)

// given tells whether the number is measured so.
func (m *measurement) given(quantity string) bool {
	return len(m.At) > 0 || quantity == timeOf || quantity == meanOf
}

// check refuses what cannot be measured.
func (m *measurement) check(quantity string) error {
	switch n := len(m.At); {
	case quantity == timeOf && (m.Column == "" || m.Level == nil || n > 0):
		return errors.New("time_of; accepted: column and level")
	case quantity == distanceOf && (m.Field == "" || m.Level == nil || n == 0 || len(m.To) == 0):
		return errors.New("distance_of; accepted: field, level, at and to")
	case quantity == meanOf && (m.Column == "" || m.Level != nil || n > 0):
		return errors.New("mean_of; accepted: column, between and standard_error")
	case m.StandardError != "" && quantity != meanOf:
		return errors.New("standard_error; accepted with mean_of")
	case m.StandardError != "" && !(m.largestError() > 0):
		return fmt.Errorf("standard_error %q; accepted: a part of the mean, as 1%%", m.StandardError)
	case m.Column != "" && quantity != timeOf && quantity != meanOf && !isRate(quantity):
		return errors.New("column; accepted with time_of, mean_of, growth_rate, frequency and onset")
	case m.Field != "" && quantity != distanceOf:
		return errors.New("field; accepted with the quantity distance_of")
	case m.Level != nil && quantity != timeOf && quantity != distanceOf:
		return errors.New("level; accepted with the quantities time_of and distance_of")
	case m.Times != nil && (n == 0 || *m.Times == 0 || quantity == distanceOf):
		return errors.New("times; accepted: a factor other than 0, with at")
	case n == 0 && (len(m.Less) > 0 || len(m.To) > 0):
		return errors.New("less, to; accepted with at")
	case n != 0 && n != 2 && n != 3, len(m.Less) != 0 && len(m.Less) != n, len(m.To) != 0 && len(m.To) != n:
		return errors.New("at, less, to; accepted: [x, z] or [x, y, z], all alike")
	case len(m.Less) > 0 && len(m.To) > 0:
		return errors.New("less and to; accepted: one of them")
	}
	return nil
}

// measure measures a number in a run directory.
func (m *measurement) measure(quantity, dir string, between []float64) (float64, error) {
	switch table := filepath.Join(dir, series.SeriesName); quantity {
	case timeOf:
		return m.timeOf(table)
	case meanOf:
		return m.meanOf(table, between)
	case distanceOf:
		quantity = m.Field
	}
	entries, err := entriesOf(dir)
	if err != nil {
		return 0, err
	}
	return m.inSnapshot(quantity, dir, &entries[len(entries)-1])
}

// entriesOf lists the snapshots of a run directory, at least one.
func entriesOf(dir string) ([]snapshot.Entry, error) {
	entries, _, err := snapshot.List(dir, math.MaxInt64)
	if err == nil && len(entries) == 0 {
		err = fmt.Errorf("%s has no snapshot", dir)
	}
	return entries, err
}

// inSnapshot measures a field in a snapshot of a run.
func (m *measurement) inSnapshot(field, dir string, entry *snapshot.Entry) (value float64, err error) {
	name, component := field, 0
	if axis, isVelocity := strings.CutPrefix(field, "velocity_"); isVelocity {
		name, component = "velocity", strings.Index("xyz", axis)
	}
	var has []string
	for _, f := range entry.Fields {
		if !f.Cells {
			has = append(has, f.Name)
		}
	}
	if !slices.Contains(has, name) || component < 0 {
		return 0, usage("the snapshots of %s have no field %q; accepted: %s", dir, field, strings.Join(has, ", "))
	}
	s, err := snapshot.Read(filepath.Join(dir, snapshot.Folder, entry.Name), name)
	if err != nil {
		return 0, err
	}
	f, _ := s.Field(name)
	of := func(x []float64) float64 { return fieldAt(s, &f, component, x) }
	switch {
	case m.Field != "":
		return distanceTo(of, m.At, m.To, *m.Level), nil
	case len(m.To) > 0:
		value = integralOf(of, m.At, m.To)
	case len(m.Less) > 0:
		value = of(m.At) - of(m.Less)
	default:
		value = of(m.At)
	}
	if m.Times != nil {
		value *= *m.Times
	}
	return value, nil
}

// fieldAt interpolates a component of a field linearly at a point.
func fieldAt(s *snapshot.Snapshot, f *snapshot.Array, component int, x []float64) float64 {
	if len(x) == 2 {
		x = []float64{x[0], 0, x[1]}
	}
	var cell [3]int
	var part [3]float64
	for d := range 3 {
		if len(s.Coordinates[d]) > 1 {
			cell[d], part[d] = locate(s.Coordinates[d], x[d])
		}
	}
	nx, ny, sum := len(s.Coordinates[0]), len(s.Coordinates[1]), 0.0
	components := len(f.Values) / (nx * ny * len(s.Coordinates[2]))
	for corner := range 8 {
		weight, at := 1.0, cell
		for d := range 3 {
			if corner>>d&1 == 1 {
				weight *= part[d]
				at[d]++
			} else {
				weight *= 1 - part[d]
			}
		}
		if weight != 0 {
			sum += weight * f.Values[component+components*(at[0]+nx*(at[1]+ny*at[2]))]
		}
	}
	return sum
}

// lineParts is the number of equal parts in which a line is looked at.
const lineParts = 2000

// valuesAlong returns the values at the ends of the parts of a line, and its length.
func valuesAlong(of func(x []float64) float64, from, to []float64) (values []float64, length float64) {
	for d := range from {
		length = math.Hypot(length, to[d]-from[d])
	}
	x := make([]float64, len(from))
	for i := range lineParts + 1 {
		for d := range x {
			x[d] = from[d] + (to[d]-from[d])*float64(i)/lineParts
		}
		values = append(values, of(x))
	}
	return values, length
}

// integralOf integrates over a line by the trapezoidal rule on many parts.
func integralOf(of func(x []float64) float64, from, to []float64) float64 {
	values, length := valuesAlong(of, from, to)
	sum := 0.0
	for i, v := range values {
		weight := 1.0
		if i == 0 || i == lineParts {
			weight = 0.5
		}
		sum += weight * v
	}
	return sum * length / lineParts
}

// distanceTo returns the least distance along a line at which a function reaches a level, NaN where it never does.
func distanceTo(of func(x []float64) float64, from, to []float64, level float64) float64 {
	values, length := valuesAlong(of, from, to)
	at := make([]float64, len(values))
	for i := range at {
		at[i] = length * float64(i) / lineParts
	}
	return reaches(at, values, level)
}

// reaches returns the first place at which values reach a level, on a line between places; NaN where they never do.
func reaches(at, values []float64, level float64) float64 {
	for i := 1; i < len(values); i++ {
		if low, high := values[i-1]-level, values[i]-level; low*high <= 0 && low != high {
			return at[i-1] + (at[i]-at[i-1])*low/(low-high)
		}
	}
	return math.NaN()
}

// columnOf reads the times and a column of a table.
func columnOf(path, name string) (time, values []float64, err error) {
	t, err := series.Read(path)
	if err != nil {
		return nil, nil, err
	}
	time, values = t.Column("time"), t.Column(name)
	if len(values) == 0 || len(values) != len(time) {
		return nil, nil, usage("%s has no column %q", path, name)
	}
	return time, values, nil
}

// timeOf returns the first time at which a column reaches the level, on a line between rows; NaN where it never does.
func (m *measurement) timeOf(path string) (float64, error) {
	time, v, err := columnOf(path, m.Column)
	return reaches(time, v, *m.Level), err
}

// largestError is what the standard error of a mean may be at most, over the mean; NaN where it is no percentage.
func (m *measurement) largestError() float64 {
	text, percent := strings.CutSuffix(strings.TrimSpace(m.StandardError), "%")
	part, err := strconv.ParseFloat(text, 64)
	if err != nil || !percent {
		return math.NaN()
	}
	return part / 100
}

// meanOf returns the mean of a column over time, by default over the last half of the run. It fails where its standard error is larger than it may be.
func (m *measurement) meanOf(path string, between []float64) (float64, error) {
	if _, _, err := columnOf(path, m.Column); err != nil {
		return 0, err
	}
	from, to := 0., 0.
	if len(between) > 0 {
		from, to = between[0], between[1]
	}
	mean, err := series.ColumnAverage(path, m.Column, from, to)
	if err != nil {
		return 0, &exitError{exitFailed, err}
	}
	if m.StandardError != "" && !(mean.StdErr <= m.largestError()*math.Abs(mean.Mean)) {
		return 0, &exitError{exitFailed, fmt.Errorf("the mean from t = %g to %g is %.6g ± %.2g, and its standard error may be %s of it", mean.From, mean.To, mean.Mean, mean.StdErr, m.StandardError)}
	}
	return mean.Mean, nil
}

// meanOver returns the mean over time of what is linear between rows.
func meanOver(time, v []float64) float64 {
	sum := 0.0
	for i := 1; i < len(v); i++ {
		sum += (v[i-1] + v[i]) / 2 * (time[i] - time[i-1])
	}
	if len(v) < 2 {
		return math.NaN()
	}
	return sum / (time[len(time)-1] - time[0])
}
