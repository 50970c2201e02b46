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
	if x.Quantity == onset {
		return v.onset(c, x, dir, set)
	}
	if !*done {
		if err := v.runQuietly(c.path, dir, set); err != nil {
			return result{}, err
		}
		*done = true
	}
	value, err := x.valueIn(dir)
	return x.compare(value), err
}

// valueIn returns the number of a run directory.
func (x *expected) valueIn(dir string) (float64, error) {
	switch {
	case isRate(x.Quantity):
		rate, err := x.Rate.measure(x.Quantity, &x.Measurement, dir)
		if x.Quantity == frequency {
			return imag(rate), err
		}
		return real(rate), err
	case x.Measurement.given(x.Quantity):
		return x.Measurement.measure(x.Quantity, dir, x.Rate.Between)
	}
	return valueAtEnd(dir, x.Quantity)
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
