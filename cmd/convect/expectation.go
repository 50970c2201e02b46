package main

import (
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/goccy/go-yaml"
)

// expectName is the file of published numbers beside case.yaml.
const expectName = "expect.yaml"

// expectation is expect.yaml of a case: variants of it with what they should give.
type expectation struct {
	name     string // of the case
	path     string // of case.yaml
	variants []variant
}

// variant is a case with some values replaced. In expect.yaml:
//
//   - name: Ra 100                       # optional, shown in the table
//     set: {physics.rayleigh: 100}       # optional, as --set
//     slow: true                         # optional: left out by --quick
//     expect:
//   - {quantity: nusselt, value: 2.64592, tolerance: 0.5%, source: Caltagirone 1975}
type variant struct {
	Name   string        `yaml:"name"`
	Set    yaml.MapSlice `yaml:"set"`
	Slow   bool          `yaml:"slow"`
	Expect []expected    `yaml:"expect"`
}

// expected is one published number. quantity is a key of summary.json, or of its scalars as
// concentration.sherwood; a column of series.csv, whose last value it is; growth_rate, the logarithmic derivative of the
// rms speed between two times; onset, the Rayleigh number at which the growth rate changes its sign, which is
// looked for at value ± tolerance; or what a measurement finds.
type expected struct {
	Quantity  string    `yaml:"quantity"`
	Value     float64   `yaml:"value"`
	Tolerance string    `yaml:"tolerance"` // as 0.5% (of the value) or 1e-6 (absolute)
	Between   []float64 `yaml:"between"`   // times of a growth rate or frequency; default: the last half of the run
	Source    string    `yaml:"source"`

	Measurement measurement `yaml:",inline"`

	tolerance float64 // relative
}

// readExpectation reads and checks an expect.yaml.
func readExpectation(path string) (*expectation, error) {
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	dir := filepath.Dir(path)
	c := &expectation{name: filepath.Base(dir), path: filepath.Join(dir, caseName)}
	if err := yaml.UnmarshalWithOptions(text, &c.variants, yaml.Strict()); err != nil {
		return nil, usage("%s: %v", path, err)
	}
	if len(c.variants) == 0 {
		return nil, usage("%s: it expects nothing", path)
	}
	for i := range c.variants {
		for k := range c.variants[i].Expect {
			if err := c.variants[i].Expect[k].check(); err != nil {
				return nil, usage("%s: variant %d, number %d: %v", path, i+1, k+1, err)
			}
		}
	}
	return c, nil
}

// check reads the tolerance and refuses what cannot be compared.
func (x *expected) check() error {
	text, percent := strings.CutSuffix(strings.TrimSpace(x.Tolerance), "%")
	t, err := strconv.ParseFloat(strings.TrimSpace(text), 64)
	switch {
	case x.Quantity == "":
		return errors.New("there is no quantity")
	case x.Source == "":
		return errors.New("there is no source")
	case err != nil || !(t > 0):
		return fmt.Errorf("tolerance %q; accepted: as 0.5%% or 1e-6", x.Tolerance)
	case len(x.Between) != 0 && (len(x.Between) != 2 || !(x.Between[0] < x.Between[1])):
		return errors.New("between; accepted: [from, to]")
	case x.Measurement.check(x.Quantity) != nil:
		return x.Measurement.check(x.Quantity)
	case x.Value == 0 && percent:
		return errors.New("a tolerance in percent of 0")
	case percent:
		x.tolerance = t / 100
	case x.Value == 0:
		x.tolerance = t
	default:
		x.tolerance = t / math.Abs(x.Value)
	}
	return nil
}

// overridesOf turns the values of a variant into overrides.
func overridesOf(set yaml.MapSlice) []string {
	var out []string
	for _, item := range set {
		text, err := yaml.MarshalWithOptions(item.Value, yaml.Flow(true))
		if err != nil {
			text = []byte(fmt.Sprint(item.Value))
		}
		out = append(out, fmt.Sprintf("%v=%s", item.Key, strings.TrimSpace(string(text))))
	}
	return out
}

// result is a computed number and how it compares.
type result struct {
	computed, difference float64 // the difference relative to the published value
	pass                 bool
}

// compare judges a computed number.
func (x *expected) compare(computed float64) result {
	scale := math.Abs(x.Value)
	if scale == 0 {
		scale = 1
	}
	d := (computed - x.Value) / scale
	return result{computed, d, math.Abs(d) <= x.tolerance}
}
