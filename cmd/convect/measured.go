package main

import (
	"errors"
	"fmt"
	"math"
	"path/filepath"
	"slices"
	"strings"

	"convect/io/series"
	"convect/io/snapshot"
)

// measurement says how a number of expect.yaml is measured in what a run has written, where it is no key of the summary: in the last snapshot a field at a point,
// less that at another one, or its integral along a line, and times a factor; or in the series the first time at which a column reaches a level. Fields are temperature,
// pressure and the other ones of snapshots, and velocity_x, velocity_y and velocity_z. Points are [x, z], or [x, y, z].
type measurement struct {
	At     []float64 `yaml:"at"`
	Less   []float64 `yaml:"less"`
	To     []float64 `yaml:"to"`
	Times  *float64  `yaml:"times"`
	Column string    `yaml:"column"`
	Level  float64   `yaml:"level"`
}

// timeOf is the quantity that is the time at which a column reaches a level.
const timeOf = "time_of"

// given tells whether the number is measured so.
func (m *measurement) given(quantity string) bool { return len(m.At) > 0 || quantity == timeOf }

// check refuses what cannot be measured.
func (m *measurement) check(quantity string) error {
	switch n := len(m.At); {
	case quantity == timeOf && (m.Column == "" || n > 0):
		return errors.New("time_of; accepted: column and level")
	case m.Column != "" && quantity != timeOf && !isRate(quantity):
		return errors.New("column; accepted with time_of, growth_rate, frequency and onset")
	case m.Level != 0 && quantity != timeOf:
		return errors.New("level; accepted with time_of")
	case m.Times != nil && (n == 0 || *m.Times == 0):
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
func (m *measurement) measure(quantity, dir string) (float64, error) {
	if quantity == timeOf {
		return m.timeOf(filepath.Join(dir, series.SeriesName))
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
		has = append(has, f.Name)
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

// integralOf integrates over a line by the trapezoidal rule on many parts.
func integralOf(of func(x []float64) float64, from, to []float64) float64 {
	const parts = 2000
	sum, length := 0.0, 0.0
	for d := range from {
		length = math.Hypot(length, to[d]-from[d])
	}
	x := make([]float64, len(from))
	for i := range parts + 1 {
		for d := range x {
			x[d] = from[d] + (to[d]-from[d])*float64(i)/parts
		}
		weight := 1.0
		if i == 0 || i == parts {
			weight = 0.5
		}
		sum += weight * of(x)
	}
	return sum * length / parts
}

// timeOf returns the first time at which a column reaches the level, on a line between rows; NaN where it never does.
func (m *measurement) timeOf(path string) (float64, error) {
	t, err := series.Read(path)
	if err != nil {
		return 0, err
	}
	time, v := t.Column("time"), t.Column(m.Column)
	if len(v) == 0 || len(v) != len(time) {
		return 0, usage("%s has no column %q", path, m.Column)
	}
	for i := 1; i < len(v); i++ {
		if low, high := v[i-1]-m.Level, v[i]-m.Level; low*high <= 0 && low != high {
			return time[i-1] + (time[i]-time[i-1])*low/(low-high), nil
		}
	}
	return math.NaN(), nil
}
