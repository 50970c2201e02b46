package main

import (
	"fmt"
	"math"
	"math/cmplx"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"convect/io/series"
	"convect/kernels/devicetest"
)

// writeSignal writes a table of a column over equal steps.
func writeSignal(t *testing.T, column string, rows int, step float64, of func(time float64) float64) string {
	t.Helper()
	var b strings.Builder
	fmt.Fprintf(&b, "time,%s\n#1,1\n", column)
	for n := range rows {
		time := float64(n) * step
		fmt.Fprintf(&b, "%.17g,%.17g\n", time, of(time))
	}
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, series.SeriesName), []byte(b.String()), 0o666); err != nil {
		t.Fatal(err)
	}
	return dir
}

func TestGrowthRate(t *testing.T) {
	dir := writeSignal(t, "speed_rms", 5, 1, func(time float64) float64 {
		if time == 0 {
			return 7
		}
		return math.Exp(time)
	})
	for _, between := range [][]float64{nil, {1, 3}, {0.9, 3.2}} {
		got, err := (&rateOf{Between: between}).measure(growthRate, &measurement{}, dir)
		if err != nil || cmplx.Abs(got-1) > 1e-12 {
			t.Errorf("%v: %g, %v", between, got, err)
		}
	}
	if _, err := (&rateOf{Between: []float64{2, 2.1}}).measure(growthRate, &measurement{}, dir); err == nil {
		t.Error("nothing between, no error")
	}
	if _, err := (&rateOf{Exponentials: 2}).measure(growthRate, &measurement{}, dir); err == nil || !strings.Contains(err.Error(), "too few") {
		t.Errorf("three rows have a frequency: %v", err)
	}
}

// What swings has its rate and its frequency whatever its phase and however many rows there are; of two real exponentials the larger counts, of either sign.
func TestTwoExponentials(t *testing.T) {
	for _, rows := range []int{12, 1000} {
		step := 1 / float64(rows-1)
		for _, want := range []complex128{1.5 + 9i, -2 + 4i, 0 + 6i} {
			dir := writeSignal(t, "b", rows, step, func(time float64) float64 { return -1e-7 * real(cmplx.Exp(want*complex(time, 0)+2i)) })
			got, err := (&rateOf{Exponentials: 2}).measure(growthRate, &measurement{Column: "b"}, dir)
			if err != nil || cmplx.Abs(got-want) > 1e-6 {
				t.Errorf("%d rows: %g, want %g: %v", rows, got, want, err)
			}
		}
		for _, other := range []float64{-7, 1} {
			dir := writeSignal(t, "b", rows, step, func(time float64) float64 { return math.Exp(2*time) - 0.4*math.Exp(other*time) })
			got, err := (&rateOf{Exponentials: 2}).measure(frequency, &measurement{Column: "b"}, dir)
			if err != nil || cmplx.Abs(got-2) > 1e-5 {
				t.Errorf("%d rows: %g, want 2: %v", rows, got, err)
			}
		}
	}
	if _, err := twoExponentials([]float64{0, 1, 2, 3, 5, 6}, []float64{1, 2, 1, -1, 1, 3}); err == nil || !strings.Contains(err.Error(), "equally") {
		t.Errorf("uneven times: %v", err)
	}
}

// What swings on about a mean of its own has the angular frequency of its rises; what rises less than three times has none.
func TestSwings(t *testing.T) {
	dir := writeSignal(t, "b", 700, 0.01, func(time float64) float64 { return 5 + math.Sin(7*time) + 0.2*math.Sin(21*time) })
	got, err := (&rateOf{}).measure(frequency, &measurement{Column: "b"}, dir)
	if err != nil || math.Abs(imag(got)-7) > 1e-3 || real(got) != 0 {
		t.Errorf("%g, want 7i: %v", got, err)
	}
	if _, err := (&rateOf{Between: []float64{0, 1.5}}).measure(frequency, &measurement{Column: "b"}, dir); err == nil || !strings.Contains(err.Error(), "exponentials: 2") {
		t.Errorf("less than three swings: %v", err)
	}
}

// A field that decays at a point has its rate, with the factor and from the other point too, and a number of the case other than the Rayleigh number has an onset.
func TestRatesOfFields(t *testing.T) {
	devicetest.Long(t)
	const set = "set: {physics.rayleigh: 0, grid.size: [1, 1], grid.cells: [16, 16], initial.perturbation: {mode: [1, 1], amplitude: 1e-6}, time: {end: 0.04, first_step: 2e-4, max_step: 2e-4}, " +
		"solver.pressure.tolerance: 1e-10, output: {every: {time: 0.02}, precision: float64}, solver.transport: central}"
	dir := writeRuns(t, `
- `+set+`
  expect:
    - {quantity: growth_rate, of: temperature, at: [0, 0.5], less: [1, 0.5], value: -19.7392, tolerance: 1%, source: exact}
    - {quantity: growth_rate, of: temperature, at: [0, 0.5], less: [1, 0.5], times: -3, value: -19.7392, tolerance: 1%, source: exact}
    - {quantity: growth_rate, of: temperature, at: [0, 0.5], less: [1, 0.5], value: -19.2, tolerance: 1%, source: wrong}
- `+set+`
  expect:
    - {quantity: onset, key: physics.rayleigh, of: temperature, at: [0, 0.5], less: [1, 0.5], value: 39.478, tolerance: 3%, source: exact}
- name: heavier permeability
  set: {physics.rayleigh: 39.478, grid.size: [1, 1], grid.cells: [16, 16], initial.perturbation: {mode: [1, 1], amplitude: 1e-6}, time: {end: 0.3, max_step: 2e-3}, solver.transport: central}
  expect:
    - {quantity: onset, key: physics.permeability, value: 1, tolerance: 3%, source: exact}
    - {quantity: onset, key: physics.permeability, value: 1.1, tolerance: 3%, source: wrong}
`)
	code, out, errs := convect(t, dir, "validate")
	if code != exitFailed || !strings.Contains(out, "4 passed, 2 failed") || errs != "" {
		t.Fatalf("exit code %d\n%s%s", code, out, errs)
	}
}
