package casefile

import (
	"math"
	"strings"
	"testing"
)

// material is a section physics of water in sand, whose unit of time is 4.2e11 s.
const material = `physics:
  dimensional: {permeability: 1e-12, viscosity: 1e-3, density: 1000, expansivity: 2e-4, temperature_difference: 10, height: 1000, conductivity: 10, heat_capacity: 4200}
`

// Every key that is a time takes a number of seconds, or an expression with a unit behind it.
func TestTimesTakeUnits(t *testing.T) {
	const year = 365.25 * 24 * 3600
	for text, want := range map[string]float64{
		"5000": 5000, "1e7": 1e7, "7 s": 7, "30 min": 1800, "6 h": 6 * 3600, "6h": 6 * 3600, "30 d": 30 * 86400, "2*365 d": 2 * 365 * 86400,
		"(1 + 1)*365 d": 2 * 365 * 86400, "10000 yr": 1e4 * year, "1.5e3 yr": 1.5e3 * year, `"10 yr"`: 10 * year, "  3   d ": 3 * 86400,
		"3600*24": 86400, "sqrt(4) h": 7200, "(2)d": 2 * 86400,
	} {
		c := load(t, material+"time: {end: 1e6 yr, first_step: "+text+", max_step: "+text+"}\noutput: {every: {time: "+text+
			"}}\ncheckpoint: {every: {time: "+text+"}}\n")
		for key, got := range map[string]float64{"first_step": c.Controls.FirstStep, "max_step": c.Controls.MaxStep,
			"output.every.time": c.Controls.Output.Interval, "checkpoint.every.time": c.Checkpoint.Time} {
			if got *= c.Scales.Time; math.Abs(got-want) > 1e-12*want {
				t.Errorf("%s: %s is %g s, want %g", key, text, got, want)
			}
		}
		if got := c.Controls.End * c.Scales.Time; math.Abs(got-1e6*year) > 1 {
			t.Errorf("the end is %g s", got)
		}
	}
	c := load(t, material+"time: {end: 1 yr}\noutput: {every: {times: [86400, 30 d, 365.25*24 h]}}\n")
	for i, want := range []float64{86400, 30 * 86400, year} {
		if got := c.Controls.Output.Times[i] * c.Scales.Time; math.Abs(got-want) > 1e-9*want {
			t.Errorf("output time %d is %g s, want %g", i, got, want)
		}
	}
}

// A number is the same number with and without units, to the bit, and a case without units takes expressions too.
func TestTimesWithoutUnits(t *testing.T) {
	c := load(t, "time: {end: 2*0.25}\n")
	if c.Controls.End != 0.5 {
		t.Errorf("the end is %g", c.Controls.End)
	}
	a, b := load(t, material+"time: {end: 86400}\n"), load(t, material+"time: {end: 1 d}\n")
	if a.Controls.End != b.Controls.End {
		t.Errorf("86400 s are %v and %v", a.Controls.End, b.Controls.End)
	}
}

// A key that names a unit, as for a table in time.
func TestTimeUnitOr(t *testing.T) {
	unit := func(changes string, node *node) (float64, string) {
		c, err := Parse("case.yaml", []byte(withSections(changes)), nil)
		if err != nil {
			t.Fatal(err)
		}
		seconds := c.timeUnitOr(value{d: c.d, key: "unit", node: node})
		return seconds, c.d.errors.Error()
	}
	for name, want := range map[string]float64{"s": 1, "min": 60, "h": 3600, "d": 86400, "yr": 31557600} {
		if got, problem := unit(material, &node{kind: scalar, text: name}); got != want || problem != "" {
			t.Errorf("%s: %g, %s", name, got, problem)
		}
		if _, problem := unit("", &node{kind: scalar, text: name}); !strings.Contains(problem, "needs physics.dimensional") {
			t.Errorf("%s without units: %s", name, problem)
		}
	}
	if got, problem := unit("", nil); got != 1 || problem != "" {
		t.Errorf("no unit: %g, %s", got, problem)
	}
	if _, problem := unit(material, &node{kind: scalar, text: "weeks"}); !strings.Contains(problem, "s, min, h, d, yr") {
		t.Errorf("weeks: %s", problem)
	}
}
