package main

import (
	"errors"
	"fmt"
	"math"
	"math/cmplx"
	"path/filepath"
	"slices"
	"strings"

	"convect/io/series"
)

// The quantities that are rates of what a run does over time.
const (
	growthRate = "growth_rate"
	frequency  = "frequency"
	onset      = "onset"
)

// formerFrequency is what the frequency of a column was called, in swings in a unit of time.
const formerFrequency = "frequency_of"

// rateOf says of what a rate is taken and how: of a column of the series, or of a field of the snapshots as it is measured in each of them. Of one exponential it is the
// logarithmic derivative between two times; of the sum of two, such as a small disturbance that swings, both are found together and the one that grows faster counts.
// The frequency of what swings on and on is counted.
type rateOf struct {
	Of      string    `yaml:"of"`      // field of the snapshots, with at; else column, speed_rms by default
	Between []float64 `yaml:"between"` // times; default: the last half of the run
	Key     string    `yaml:"key"`     // of the case, that an onset varies; default: physics.rayleigh

	Exponentials int `yaml:"exponentials"` // 1, or 2 of which the disturbance is the sum; default: 1; of a frequency: swings are counted
}

// isRate tells whether a quantity is one.
func isRate(quantity string) bool {
	return slices.Contains([]string{growthRate, frequency, onset}, quantity)
}

// check refuses what cannot be measured.
func (r *rateOf) check(quantity string, m *measurement) error {
	switch {
	case !isRate(quantity) && (r.Of != "" || r.Exponentials != 0):
		return errors.New("of, exponentials; accepted with growth_rate, frequency and onset")
	case !isRate(quantity) && quantity != meanOf && len(r.Between) > 0:
		return errors.New("between; accepted with growth_rate, frequency, onset and mean_of")
	case r.Exponentials < 0 || r.Exponentials > 2 || quantity == frequency && r.Exponentials == 1:
		return errors.New("exponentials; accepted: 1 or 2, of a frequency 2 or none")
	case quantity != onset && r.Key != "":
		return errors.New("key; accepted with onset")
	case len(r.Between) != 0 && (len(r.Between) != 2 || !(r.Between[0] < r.Between[1])):
		return errors.New("between; accepted: [from, to]")
	case isRate(quantity) && (r.Of == "") != (len(m.At) == 0):
		return fmt.Errorf("%s; accepted: of (a field) together with at, or a column", quantity)
	case r.Of != "" && m.Column != "":
		return errors.New("of and column; accepted: one of them")
	case quantity == frequency && r.Of == "" && m.Column == "":
		return errors.New("frequency; accepted: of (a field) with at, or a column")
	}
	return nil
}

// history is a number over time: the n-th value is at the n-th time.
type history struct {
	time  []float64
	value func(n int) (float64, error)
}

// history finds what the rate is of.
func (r *rateOf) history(m *measurement, dir string) (h history, err error) {
	if r.Of != "" {
		entries, err := entriesOf(dir)
		for _, e := range entries {
			h.time = append(h.time, e.Time)
		}
		h.value = func(n int) (float64, error) { return m.inSnapshot(r.Of, dir, &entries[n]) }
		return h, err
	}
	path, column := filepath.Join(dir, series.SeriesName), m.Column
	if column == "" {
		column = "speed_rms"
	}
	t, err := series.Read(path)
	if err != nil {
		return h, err
	}
	values := t.Column(column)
	if len(values) == 0 {
		return h, usage("%s has no column %q; accepted: %s", path, column, strings.Join(t.Names, ", "))
	}
	return history{t.Column("time"), func(n int) (float64, error) { return values[n], nil }}, nil
}

// measure returns the growth rate and the frequency, which is 0 of what does not swing.
func (r *rateOf) measure(quantity string, m *measurement, dir string) (complex128, error) {
	h, err := r.history(m, dir)
	if err != nil {
		return 0, err
	}
	a, b, err := h.between(r.Between)
	if err != nil {
		return 0, fmt.Errorf("%s: %w", dir, err)
	}
	two, rows := r.Exponentials == 2, []int{a, b}
	switch {
	case two:
		rows = parts(a, b, max(1, (b-a)/spans))
	case quantity == frequency:
		rows = parts(a, b, 1)
	}
	time, y := make([]float64, len(rows)), make([]float64, len(rows))
	for i, n := range rows {
		time[i] = h.time[n]
		if y[i], err = h.value(n); err != nil {
			return 0, err
		}
	}
	if quantity == frequency && !two {
		swings, err := swinging(time, y)
		return complex(0, swings), err
	}
	if !two {
		return complex(math.Log(math.Abs(y[1]/y[0]))/(time[1]-time[0]), 0), nil
	}
	rate, err := twoExponentials(time, y)
	if err != nil {
		return 0, fmt.Errorf("%s: %w", dir, err)
	}
	return rate, nil
}

// between returns the rows nearest to two times, by default the middle and the end.
func (h history) between(times []float64) (a, b int, err error) {
	if len(h.time) < 2 {
		return 0, 0, errors.New("too few rows or snapshots for a rate")
	}
	if len(times) == 0 {
		last := h.time[len(h.time)-1]
		times = []float64{last / 2, last}
	}
	a, b = nearestRow(h.time, times[0]), nearestRow(h.time, times[1])
	if a == b {
		err = fmt.Errorf("nothing was written between t = %g and t = %g", times[0], times[1])
	}
	return a, b, err
}

// parts returns rows from a on, up to b, that are a stride apart.
func parts(a, b, stride int) (rows []int) {
	for n := a; n <= b; n += stride {
		rows = append(rows, n)
	}
	return rows
}

// swinging returns the angular frequency of what swings about a mean: of the times at which it rises through it, on lines between rows, one less than their number over the time from
// the first to the last, times 2π.
func swinging(time, y []float64) (float64, error) {
	mean := meanOver(time, y)
	var rises []float64
	for i := 1; i < len(y); i++ {
		if low, high := y[i-1]-mean, y[i]-mean; low < 0 && high >= 0 {
			rises = append(rises, time[i-1]+(time[i]-time[i-1])*low/(low-high))
		}
	}
	if len(rises) < 3 {
		return 0, &exitError{exitFailed, fmt.Errorf("it rises through its mean %d times between t = %g and t = %g, and a frequency wants three; that of a small disturbance is found with exponentials: 2",
			len(rises), time[0], time[len(time)-1])}
	}
	return 2 * math.Pi * float64(len(rises)-1) / (rises[len(rises)-1] - rises[0]), nil
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

// spans is into how many a history is parted for the fit of two exponentials: steps themselves would be too short for it.
const spans = 20

// twoExponentials returns the rate of what is a sum of two exponentials, so that y(n+1) = a y(n) + b y(n-1) at times that are a span apart: a and b by least squares, each
// time counting alike. Of a pair it is that of positive frequency, else the larger one.
func twoExponentials(time, y []float64) (complex128, error) {
	if len(y) < 5 {
		return 0, fmt.Errorf("%d rows or snapshots are too few for two exponentials, which want 5", len(y))
	}
	span := (time[len(time)-1] - time[0]) / float64(len(time)-1)
	var xx, xz, zz, xy, zy float64
	for n := 1; n+1 < len(y); n++ {
		if math.Abs(time[n+1]-time[n]-span) > 1e-4*span || math.Abs(time[n]-time[n-1]-span) > 1e-4*span {
			return 0, fmt.Errorf("the times are not equally far apart at t = %g, as two exponentials want", time[n])
		}
		scale := 1 / max(math.Abs(y[n+1]), math.Abs(y[n]), math.Abs(y[n-1]))
		x, z, to := y[n]*scale, y[n-1]*scale, y[n+1]*scale
		xx, xz, zz, xy, zy = xx+x*x, xz+x*z, zz+z*z, xy+x*to, zy+z*to
	}
	d := xx*zz - xz*xz
	a, b := (xy*zz-zy*xz)/d, (zy*xx-xy*xz)/d
	factor := complex(a/2, 0) + cmplx.Sqrt(complex(a*a/4+b, 0))
	if other := complex(a, 0) - factor; cmplx.Abs(other) > cmplx.Abs(factor) && imag(factor) == 0 {
		factor = other
	}
	return cmplx.Log(factor) / complex(span, 0), nil
}

// onset brackets the critical number of a case, the Rayleigh number unless another key is named: it runs the case at the published value less and plus the tolerance and
// passes if a disturbance decays at the first and grows at the second. The computed value is where a straight line
// through both growth rates is zero.
func (v *validation) onset(c *expectation, x expected, dir string, set []string) (result, error) {
	key := x.Rate.Key
	if key == "" {
		key = "physics.rayleigh"
	}
	var at, rates [2]float64
	for i, side := range []float64{-1, 1} {
		at[i] = x.Value * (1 + side*x.tolerance)
		own := fmt.Sprintf("%s-%d", dir, i+1)
		if err := v.runQuietly(c.path, own, append(append([]string{}, set...), fmt.Sprintf("%s=%.17g", key, at[i]))); err != nil {
			return result{}, err
		}
		rate, err := x.Rate.measure(x.Quantity, &x.Measurement, own)
		if err != nil {
			return result{}, err
		}
		rates[i] = real(rate)
	}
	computed := at[0] - rates[0]*(at[1]-at[0])/(rates[1]-rates[0])
	r := x.compare(computed)
	r.pass = rates[0] < 0 && rates[1] > 0
	return r, nil
}
