package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strings"

	"convect/io/series"
)

// compute returns a number of a variant. done tells whether the variant was run into dir before.
func (v *validation) compute(c *expectation, x expected, dir string, set []string, done *bool) (result, error) {
	if x.Quantity == "onset" {
		return v.onset(c, x, dir, set)
	}
	if !*done {
		if err := v.runQuietly(c.path, dir, set); err != nil {
			return result{}, err
		}
		*done = true
	}
	if x.Quantity == "growth_rate" {
		rate, err := growthRate(dir, x.Between)
		return x.compare(rate), err
	}
	if x.Measurement.given(x.Quantity) {
		value, err := x.Measurement.measure(x.Quantity, dir, x.Between)
		return x.compare(value), err
	}
	value, err := valueAtEnd(dir, x.Quantity)
	return x.compare(value), err
}

// valueAtEnd returns a number of summary.json, or what it has not, the last one of a column of series.csv.
func valueAtEnd(dir, quantity string) (float64, error) {
	value, err := summaryValue(filepath.Join(dir, series.SummaryName), quantity)
	if !errors.Is(err, errNoQuantity) {
		return value, err
	}
	t, readErr := series.Read(filepath.Join(dir, series.SeriesName))
	if readErr != nil {
		return 0, readErr
	}
	if v := t.Column(quantity); len(v) > 0 {
		return v[len(v)-1], nil
	}
	return 0, err
}

// errNoQuantity says that a summary does not have a number.
var errNoQuantity = errors.New("it is no column of series.csv either")

// summaryValue returns a number of summary.json, of a scalar beside the temperature by its name and a point; null is not a number.
func summaryValue(path, key string) (float64, error) {
	text, err := os.ReadFile(path)
	if err != nil {
		return 0, err
	}
	var all map[string]any
	if err := json.Unmarshal(text, &all); err != nil {
		return 0, fmt.Errorf("%s: %w", path, err)
	}
	value, ok := all[key]
	if scalar, own, dotted := strings.Cut(key, "."); dotted {
		scalars, _ := all["scalars"].(map[string]any)
		numbers, _ := scalars[scalar].(map[string]any)
		value, ok = numbers[own]
	}
	if !ok {
		return 0, usage("%s has no quantity %q, and %w", path, key, errNoQuantity)
	}
	switch value := value.(type) {
	case float64:
		return value, nil
	case nil:
		return math.NaN(), nil
	}
	return 0, usage("%s: %s is not a number", path, key)
}

// growthRate returns the logarithmic derivative of the rms speed between two times, by default those of the last half
// of the run.
func growthRate(dir string, between []float64) (float64, error) {
	path := filepath.Join(dir, series.SeriesName)
	t, err := series.Read(path)
	if err != nil {
		return 0, err
	}
	time, speed := t.Column("time"), t.Column("speed_rms")
	if len(time) < 2 || len(speed) != len(time) {
		return 0, fmt.Errorf("%s: too few rows for a growth rate", path)
	}
	last := time[len(time)-1]
	if len(between) == 0 {
		between = []float64{last / 2, last}
	}
	a, b := nearestRow(time, between[0]), nearestRow(time, between[1])
	if a == b {
		return 0, fmt.Errorf("%s: no step between t = %g and t = %g", path, between[0], between[1])
	}
	return math.Log(speed[b]/speed[a]) / (time[b] - time[a]), nil
}

// nearestRow returns the row nearest to a time.
func nearestRow(time []float64, t float64) int {
	best := 0
	for i, v := range time {
		if math.Abs(v-t) < math.Abs(time[best]-t) {
			best = i
		}
	}
	return best
}

// onset brackets the critical Rayleigh number: it runs the case at the published value less and plus the tolerance and
// passes if a disturbance decays at the first and grows at the second. The computed value is where a straight line
// through both growth rates is zero.
func (v *validation) onset(c *expectation, x expected, dir string, set []string) (result, error) {
	var at, rate [2]float64
	for i, side := range []float64{-1, 1} {
		at[i] = x.Value * (1 + side*x.tolerance)
		own := fmt.Sprintf("%s-%d", dir, i+1)
		if err := v.runQuietly(c.path, own, append(append([]string{}, set...), fmt.Sprintf("physics.rayleigh=%.17g", at[i]))); err != nil {
			return result{}, err
		}
		var err error
		if rate[i], err = growthRate(own, x.Between); err != nil {
			return result{}, err
		}
	}
	computed := at[0] - rate[0]*(at[1]-at[0])/(rate[1]-rate[0])
	r := x.compare(computed)
	r.pass = rate[0] < 0 && rate[1] > 0
	return r, nil
}
