package main

import (
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// writeRuns writes a folder of cases: one with the given numbers.
func writeRuns(t *testing.T, expect string) string {
	t.Helper()
	dir := t.TempDir()
	folder := filepath.Join(dir, "runs", "small")
	if err := os.MkdirAll(folder, 0o777); err != nil {
		t.Fatal(err)
	}
	for name, text := range map[string]string{caseName: smallCase, expectName: expect} {
		if err := os.WriteFile(filepath.Join(folder, name), []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

func TestValidate(t *testing.T) {
	dir := writeRuns(t, `
- name: conduction
  set: {physics.rayleigh: 0, grid.cells: [4, 4], initial.perturbation: {mode: [0, 1], amplitude: 1e-3}, time.end: 0.2}
  expect:
    - {quantity: nusselt, value: 1, tolerance: 1%, source: exact}
    - {quantity: temperature_mean, value: 0.5, tolerance: 1e-3, source: exact}
    - {quantity: temperature_mean, value: 0.6, tolerance: 1%, source: wrong}
    - {quantity: speed_max, value: 0, tolerance: 1e-9, source: exact}
- name: long
  slow: true
  expect:
    - {quantity: nusselt, value: 5, tolerance: 1%, source: wrong}
- name: for a GPU
  gpu: true
  expect:
    - {quantity: nusselt, value: 5, tolerance: 1%, source: wrong}
- name: critical
  set: {initial.perturbation: {mode: [1, 1], amplitude: 1e-6}, grid.size: [1, 1], grid.cells: [16, 16], time.end: 0.3, solver.transport: central}
  expect:
    - {quantity: onset, value: 39.478, tolerance: 3%, source: exact}
- expect:
    - {quantity: growth_rate, value: 0, tolerance: 1e3, between: [0.01, 0.04], source: none}
`)
	code, out, errs := convect(t, dir, "validate", "--quick")
	if code != exitFailed || !strings.Contains(out, "5 passed, 1 failed") || errs != "" {
		t.Fatalf("exit code %d\n%s%s", code, out, errs)
	}
	for _, line := range []string{"small conduction", "nusselt", "pass", "FAIL", "1 in all; --only small --device cuda"} {
		if !strings.Contains(out, line) {
			t.Errorf("%q is not in\n%s", line, out)
		}
	}
	if code, out, errs = convect(t, dir, "validate", "--only", "small", "--set", "time.ned=1", "--quick"); code != exitUsage {
		t.Errorf("a wrong override: exit code %d\n%s%s", code, out, errs)
	}
	if code, _, errs = convect(t, dir, "validate", "--only", "large"); code != exitUsage || !strings.Contains(errs, "there are small") {
		t.Errorf("no such case: exit code %d\n%s", code, errs)
	}
	t.Setenv("TMPDIR", t.TempDir())
	if code, out, _ = convect(t, dir, "validate", "--quick", "--set", "solver.pressure={max_iterations: 1, tolerance: 1e-12}"); code != exitFailed || !strings.Contains(out, "the run failed") {
		t.Errorf("runs that fail: exit code %d\n%s", code, out)
	}
}

func TestWrongExpectations(t *testing.T) {
	for text, says := range map[string]string{
		"[]\n":              "expects nothing",
		"- {quantity: 1}\n": "unknown field",
		"- expect: [{value: 1, tolerance: 1%, source: x}]\n":                                                                       "there is no quantity",
		"- expect: [{quantity: nusselt, value: 1, tolerance: 1%}]\n":                                                               "there is no source",
		"- expect: [{quantity: nusselt, value: 1, source: x}]\n":                                                                   "tolerance",
		"- expect: [{quantity: nusselt, value: 1, tolerance: -1, source: x}]\n":                                                    "tolerance",
		"- expect: [{quantity: nusselt, value: 0, tolerance: 1%, source: x}]\n":                                                    "percent of 0",
		"- expect: [{quantity: growth_rate, value: 1, tolerance: 1, between: [2], source: x}]\n":                                   "between",
		"- expect: [{quantity: nusselt, value: 1, tolerance: 1, between: [2, 3], source: x}]\n":                                    "between; accepted with growth_rate, frequency, onset and mean_of",
		"- expect: [{quantity: nusselt, value: 1, tolerance: 1, exponentials: 2, source: x}]\n":                                    "accepted with growth_rate, frequency and onset",
		"- expect: [{quantity: growth_rate, value: 1, tolerance: 1, exponentials: 3, source: x}]\n":                                "exponentials; accepted: 1 or 2",
		"- expect: [{quantity: frequency, column: time, value: 1, tolerance: 1, exponentials: 1, source: x}]\n":                    "exponentials; accepted: 1 or 2",
		"- expect: [{quantity: growth_rate, value: 1, tolerance: 1, key: physics.rayleigh, source: x}]\n":                          "key; accepted with onset",
		"- expect: [{quantity: growth_rate, value: 1, tolerance: 1, of: temperature, source: x}]\n":                                "of (a field) together with at",
		"- expect: [{quantity: onset, value: 1, tolerance: 1, at: [1, 1], source: x}]\n":                                           "of (a field) together with at",
		"- expect: [{quantity: frequency, value: 1, tolerance: 1, source: x}]\n":                                                   "frequency; accepted: of",
		"- expect: [{quantity: frequency, value: 1, tolerance: 1, of: temperature, at: [1, 1], column: time, source: x}]\n":        "of and column",
		"- expect: [{quantity: nusselt, value: 1, tolerance: 1, column: time, source: x}]\n":                                       "column; accepted with time_of, mean_of, growth_rate, frequency",
		"- expect: [{quantity: nusselt, value: 1, tolerance: 1, level: 2, source: x}]\n":                                           "level; accepted with the quantities time_of and distance_of",
		"- expect: [{quantity: nusselt, value: 1, tolerance: 1, times: 2, source: x}]\n":                                           "times; accepted",
		"- expect: [{quantity: temperature, at: [1, 1], times: 0, value: 1, tolerance: 1, source: x}]\n":                           "times; accepted",
		"- expect: [{quantity: temperature, less: [1, 1], value: 1, tolerance: 1, source: x}]\n":                                   "less, to; accepted with at",
		"- name: x\n  expect:\n    - {quantity: a, value: 1, tolerance: 1, source: x}\n    - {quantity: b, value: 1, source: x}\n": "expect.yaml:4: variant 1, number 2",
		"- expect: [{quantity: growth_rate, column: spede, value: 1, tolerance: 1, source: x}]\n":                                  `no column "spede"`,
		"- expect: [{quantity: growth_rate, of: heat, at: [0, 0], value: 1, tolerance: 1, source: x}]\n":                           `no field "heat"`,
		"- expect: [{quantity: onset, key: physics.raleigh, value: 1, tolerance: 1%, source: x}]\n":                                "did you mean rayleigh",
		"- expect: [{quantity: vorticity, value: 1, tolerance: 1%, source: x}]\n":                                                  `no quantity "vorticity"`,
	} {
		dir := writeRuns(t, text)
		if code, _, errs := convect(t, dir, "validate"); code != exitUsage || !strings.Contains(errs, says) {
			t.Errorf("%s: exit code %d, %s", text, code, errs)
		}
	}
}

func TestCompare(t *testing.T) {
	for _, c := range []struct {
		value     float64
		tolerance string
		computed  float64
		want      result
	}{
		{2, "1%", 2.01, result{2.01, 0.005, true}},
		{-2, "1%", -2.1, result{-2.1, -0.05, false}},
		{2, "0.1", 2.05, result{2.05, 0.025, true}},
		{0, "1e-3", 5e-4, result{5e-4, 5e-4, true}},
		{0, "1e-3", -5e-3, result{-5e-3, -5e-3, false}},
	} {
		x := expected{Quantity: "q", Source: "s", Value: c.value, Tolerance: c.tolerance}
		if err := x.check(); err != nil {
			t.Fatal(err)
		}
		got := x.compare(c.computed)
		if got.pass != c.want.pass || math.Abs(got.difference-c.want.difference) > 1e-12 {
			t.Errorf("%g for %g ± %s: %+v, want %+v", c.computed, c.value, c.tolerance, got, c.want)
		}
	}
	x := expected{Quantity: "q", Source: "s", Value: 1, Tolerance: "1%"}
	if err := x.check(); err != nil || x.compare(math.NaN()).pass {
		t.Errorf("what is undefined passes: %v", err)
	}
}

func TestOverridesOfAVariant(t *testing.T) {
	dir := writeRuns(t, "- set: {physics.permeability: [0.25, 1], title: \"a: b\", initial: {temperature: conduction, perturbation: {mode: [1, 0, 1]}}, x: 1e-5}\n  expect: [{quantity: q, value: 1, tolerance: 1%, source: s}]\n")
	c, err := readExpectation(filepath.Join(dir, "runs/small", expectName))
	if err != nil {
		t.Fatal(err)
	}
	want := []string{"physics.permeability=[0.25, 1]", "title='a: b'",
		"initial={perturbation: {mode: [1, 0, 1]}, temperature: conduction}", "x=1e-5"}
	got := overridesOf(c.variants[0].Set)
	got[1] = strings.ReplaceAll(got[1], `"`, "'")
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}
