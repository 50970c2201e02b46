package main

import (
	"bytes"
	"cmp"
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
//     gpu: true                          # optional: takes minutes of a GPU, and is left out unless --only names the case and the device is one
//     expect:
//   - {quantity: nusselt, value: 2.64592, tolerance: 0.5%, source: Caltagirone 1975}
type variant struct {
	Name   string        `yaml:"name"`
	Set    yaml.MapSlice `yaml:"set"`
	Slow   bool          `yaml:"slow"`
	GPU    bool          `yaml:"gpu"`
	Expect []expected    `yaml:"expect"`
}

// expected is one published number. quantity is a key of summary.json, or of its scalars as
// concentration.sherwood; a column of series.csv, whose last value it is; what a measurement finds; growth_rate, the logarithmic derivative between two times, of the rms speed or of what else a rate is told; frequency,
// the angular frequency of what swings; or onset, the Rayleigh number, or another number of the case, at which the growth rate changes
// its sign, which is looked for at value ± tolerance.
type expected struct {
	Quantity  string  `yaml:"quantity"`
	Value     float64 `yaml:"value"`
	Tolerance string  `yaml:"tolerance"` // as 0.5% (of the value) or 1e-6 (absolute)
	Source    string  `yaml:"source"`

	Measurement measurement `yaml:",inline"`
	Rate        rateOf      `yaml:",inline"`

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
				return nil, usage("%s:%d: variant %d, number %d: %v", path, lineOf(text, i, k), i+1, k+1, err)
			}
		}
	}
	return c, nil
}

// lineOf returns the line on which a number of a variant begins; 0 where it is not found.
func lineOf(text []byte, variant, number int) int {
	path, err := yaml.PathString(fmt.Sprintf("$[%d].expect[%d]", variant, number))
	if err != nil {
		return 0
	}
	node, err := path.ReadNode(bytes.NewReader(text))
	if err != nil {
		return 0
	}
	return node.GetToken().Position.Line
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
	case x.Quantity == formerFrequency:
		return fmt.Errorf("frequency_of is frequency now, 2π times the swings in a unit of time; write {quantity: frequency, column: %s, value: %.10g, …}, and an absolute tolerance 2π times too",
			cmp.Or(x.Measurement.Column, "COLUMN"), 2*math.Pi*x.Value)
	case x.Measurement.check(x.Quantity) != nil:
		return x.Measurement.check(x.Quantity)
	case x.Rate.check(x.Quantity, &x.Measurement) != nil:
		return x.Rate.check(x.Quantity, &x.Measurement)
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
