package main

import (
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"convect/io/series"
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
	for _, line := range []string{"small conduction", "nusselt", "pass", "FAIL"} {
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
		"- expect: [{value: 1, tolerance: 1%, source: x}]\n":                                     "there is no quantity",
		"- expect: [{quantity: nusselt, value: 1, tolerance: 1%}]\n":                             "there is no source",
		"- expect: [{quantity: nusselt, value: 1, source: x}]\n":                                 "tolerance",
		"- expect: [{quantity: nusselt, value: 1, tolerance: -1, source: x}]\n":                  "tolerance",
		"- expect: [{quantity: nusselt, value: 0, tolerance: 1%, source: x}]\n":                  "percent of 0",
		"- expect: [{quantity: growth_rate, value: 1, tolerance: 1, between: [2], source: x}]\n": "between",
		"- expect: [{quantity: vorticity, value: 1, tolerance: 1%, source: x}]\n":                `no quantity "vorticity"`,
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

func TestGrowthRate(t *testing.T) {
	dir := t.TempDir()
	text := "time,speed_rms\n#1,1\n"
	for _, row := range []string{"0,7", "1,2.718281828459045", "2,7.38905609893065", "3,20.085536923187668", "4,54.598150033144236"} {
		text += row + "\n"
	}
	if err := os.WriteFile(filepath.Join(dir, series.SeriesName), []byte(text), 0o666); err != nil {
		t.Fatal(err)
	}
	for _, between := range [][]float64{nil, {1, 3}, {0.9, 3.2}} {
		rate, err := growthRate(dir, between)
		if err != nil || math.Abs(rate-1) > 1e-12 {
			t.Errorf("%v: %g, %v", between, rate, err)
		}
	}
	if _, err := growthRate(dir, []float64{2, 2.1}); err == nil {
		t.Error("no step between, no error")
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
