package casefile

import (
	"errors"
	"os"
	"strings"
	"testing"
)

// FuzzCase checks that no text and no override makes the decoder crash, that every error has a place, and that the
// text as run is the same case again.
func FuzzCase(f *testing.F) {
	text, err := os.ReadFile(bad)
	if err != nil {
		f.Fatal(err)
	}
	for _, block := range strings.Split(string(text), "=== ")[1:] {
		head, rest, _ := strings.Cut(block, "\n")
		changes, _, _ := strings.Cut(rest, "---\n")
		_, override, _ := strings.Cut(head, " --set ")
		f.Add(withSections(changes), override)
	}
	f.Add("physics:\n  permeability: {lognormal: {correlation: 0.1}}\n", "physics.rayleigh=1")
	f.Add("grid:\n  cells: [8, 4]\n  size: [2, 1]\n  grading: {x: {cluster: low, ratio: 3}}\n", "grid.grading.z={cluster: both, ratio: 9}")
	for _, c := range twins("nowhere") {
		f.Add("grid: {cells: "+c.grid+"}\n"+strings.TrimSuffix(material, "}\n")+", porosity: 0.1, rock_density: 2650, rock_heat_capacity: 850}\n  "+
			strings.ReplaceAll(c.si, "}, ", "}\n  ")+"\n"+c.siRest+"time: {end: 10 yr}\n", "")
	}
	f.Add(material+"time: {end: 10 yr, first_step: 2*365 d}\n", "time.max_step=6 h")
	f.Add(material+"  viscosity: 1e-3*exp(-T/40)*(1 + x/2000)\n", "physics.conductivity=[1, 2]")
	f.Add(material+"  permeability: {lognormal: {mean_log: -30, correlation: 100}}\n", "physics.heat_capacity_ratio=1 + x")
	for _, text := range hostile(3000) {
		f.Add(text, "")
		f.Add("", "title="+text)
	}
	f.Fuzz(func(t *testing.T, text, override string) {
		var set []string
		if override != "" {
			set = []string{override}
		}
		c, err := Parse("case.yaml", []byte(text), set)
		if err != nil {
			checkPlaces(t, err)
			return
		}
		again, err := Parse("case.yaml", []byte(c.Text), nil)
		if err != nil {
			t.Fatalf("the text as run is no case: %v\n%s", err, c.Text)
		}
		if d := Differences(c, again); len(d) > 0 {
			t.Fatalf("the text as run differs in %v:\n%s", d, c.Text)
		}
		const small = 2000
		if c.Nodes() > small || c.GridFiles() || c.plan.temperature.file != nil {
			return
		}
		if err := c.Build(BuildOptions{}); err != nil {
			checkPlaces(t, err)
		}
	})
}

// checkPlaces fails for an error without a place.
func checkPlaces(t *testing.T, err error) {
	t.Helper()
	var all Errors
	var one *Error
	switch {
	case errors.As(err, &all):
	case errors.As(err, &one):
		all = Errors{one}
	default:
		t.Fatalf("%T without a place: %v", err, err)
	}
	for _, e := range all {
		if e.Message == "" || (e.Override == "" && (e.File == "" || e.Line < 1 || e.Column < 1)) {
			t.Fatalf("no place or message: %+v", e)
		}
		_ = e.Error()
	}
}
