package main

import (
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"convect/io/series"
)

// drilledCase is a small case with wells, one of whose rates varies.
const drilledCase = `title: Drilled
grid: {cells: [16, 8], size: [2, 1]}
physics: {rayleigh: 20}
boundaries: {bottom: {temperature: 1}, top: {temperature: 0, flow: open}}
wells:
  - {name: injector, at: [0.53, 0.4], rate: "t < 0.004 ? 3 : 5", temperature: 0.25}
  - {name: producer, at: [1.5], from: 0.2, to: 0.7, rate: -2, temperature: 1}
  - {name: held, at: [1, 0.3], pressure: "-6 - 1000*t", radius: 1e-3, skin: 1, limits: [-4, 0], temperature: 0.5}
time: {end: 0.01}
output: {every: {time: 0.002}}
checkpoint: {every: {time: 0.004}}
`

// A case with wells is checked, run, stopped and resumed: its table knows the wells, and has the same rows.
func TestCaseWithWells(t *testing.T) {
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "case.yaml"), []byte(drilledCase), 0o666); err != nil {
		t.Fatal(err)
	}
	out, _ := mustRun(t, dir, "check", "case.yaml")
	for _, want := range []string{
		"well         injector: x = 0.53, z = 0.4, injects at t < 0.004 ? 3 : 5 of temperature 0.25; shared among 4 nodes, steps of at most 0.00",
		"well         producer: x = 1.5, z from 0.2 to 0.7, produces at -2; shared among 6 nodes, steps of at most ",
		"well         held: x = 1, z = 0.3, holds the pressure -6 - 1000*t with the radius 0.001 of temperature 0.5; shared among 2 nodes",
		"wells[1].temperature has no effect: producer never injects",
	} {
		if !strings.Contains(out, want) {
			t.Errorf("check does not say %q:\n%s", want, out)
		}
	}
	mustRun(t, dir, "run", "case.yaml", "--out", "whole")
	mustRun(t, dir, "run", "case.yaml", "--out", "part", "--set", "time.end=0.006")
	mustRun(t, dir, "run", "case.yaml", "--out", "part", "--resume")
	whole, err := series.Read(filepath.Join(dir, "whole", series.SeriesName))
	if err != nil {
		t.Fatal(err)
	}
	part, err := series.Read(filepath.Join(dir, "part", series.SeriesName))
	if err != nil {
		t.Fatal(err)
	}
	last := whole.Rows() - 1
	for column, want := range map[string][2]float64{"well_injector_rate": {3, 5}, "well_injector_temperature": {0.25, 0.25}, "well_producer_rate": {-2, -2}} {
		v := whole.Column(column)
		if len(v) == 0 || v[0] != want[0] || v[last] != want[1] {
			t.Errorf("%s: %v, want from %g to %g", column, v, want[0], want[1])
		}
	}
	v := whole.Column("well_producer_temperature")
	if !(v[0] > 0.5 && v[0] < 0.6) { // of conduction, 1 - z in the mean of 0.2 to 0.7
		t.Errorf("the producer begins with %g", v[0])
	}
	if w := part.Column("well_producer_temperature"); len(w) != len(v) || w[last] != v[last] {
		t.Error("the resumed run has other rows")
	}
	held, pressure := whole.Column("well_held_rate"), whole.Column("well_held_pressure")
	if held[0] >= 0 || held[0] <= -4 || held[last] != -4 || pressure[0] != -6 || !(pressure[last] > -15) {
		t.Errorf("the well that holds a pressure: rates %v, pressures %v", held, pressure)
	}
	if w := part.Column("well_held_rate"); len(w) != len(held) || w[last-1] != held[last-1] {
		t.Error("the resumed run has other rates")
	}
	in, gain := whole.Column("heat_in"), whole.Column("heat_gain")
	if math.Abs(in[last]-gain[last]) > 1e-9*math.Abs(in[last]) {
		t.Errorf("%g heat comes in, %g stays", in[last], gain[last])
	}
}

// Numbers at points, between them, along lines and of times are measured in what a run has written; what cannot be is refused.
func TestMeasurements(t *testing.T) {
	dir := t.TempDir()
	write := func(name, text string) {
		if err := os.MkdirAll(filepath.Dir(filepath.Join(dir, name)), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	write("runs/a/case.yaml", `grid: {cells: [8, 4], size: [2, 1]}
physics: {rayleigh: 0}
boundaries: {left: {flow: {velocity: 3}, inflow_temperature: 1}, right: {flow: {pressure: 0}}}
initial: {temperature: 1 - z}
time: {end: 1e-9}
output: {precision: float64}
`)
	write("runs/a/expect.yaml", `- expect:
    - {quantity: temperature, at: [0.3, 0.3], value: 0.7, tolerance: 1e-6, source: line}
    - {quantity: temperature, at: [0.3, 0.3], less: [1, 0.9], value: 0.6, tolerance: 1e-6, source: line}
    - {quantity: velocity_x, at: [1, 0.4], to: [1, 0.6], value: 0.6, tolerance: 1e-6, source: flow}
    - {quantity: velocity_z, at: [1, 0.4], value: 0, tolerance: 1e-6, source: flow}
    - {quantity: pressure, at: [0, 0.4], less: [2, 0.1], value: 6, tolerance: 1e-6, source: flow}
    - {quantity: time_of, column: step, level: 0.5, value: 5e-10, tolerance: 1e-12, source: first step}
    - {quantity: distance_of, field: temperature, level: 0.3, at: [0.5, 1], to: [0.5, 0], value: 0.3, tolerance: 1e-6, source: line}
    - {quantity: distance_of, field: temperature, level: 0.3, at: [0.2, 0], to: [1.1, 1], value: 0.9417537, tolerance: 1e-6, source: line}
    - {quantity: wall_left_fluid, value: 3, tolerance: 1e-9, source: given}
    - {quantity: wall_right_fluid, value: -3, tolerance: 1e-7, source: flow}
- set: {boundaries.left.flow: {velocity: 3*sin(20*pi*t)}, time: {end: 1, max_step: 0.01}}
  expect:
    - {quantity: mean_of, column: wall_left_fluid, between: [0.1, 0.15], value: 1.909859, tolerance: 0.3%, source: 6/π}
    - {quantity: mean_of, column: time, value: 0.75, standard_error: 20%, tolerance: 1e-6, source: given}
    - {quantity: frequency, column: wall_left_fluid, value: 62.83185, tolerance: 0.1%, source: given}
    - {quantity: frequency, column: wall_right_fluid, between: [0.21, 0.69], value: 62.83185, tolerance: 0.1%, source: given}
`)
	out, _ := mustRun(t, dir, "validate", "--runs", "runs")
	if !strings.Contains(out, "14 passed, 0 failed") {
		t.Errorf("validate says\n%s", out)
	}
	for text, want := range map[string]string{
		"quantity: temperature, at: [1]":                                       "accepted: [x, z] or [x, y, z]",
		"quantity: temperature, at: [1, 1], less: [1, 1, 1]":                   "accepted: [x, z] or [x, y, z]",
		"quantity: temperature, at: [1, 1], less: [1, 1], to: [1,2]":           "accepted: one of them",
		"quantity: time_of, level: 3":                                          "accepted: column and level",
		"quantity: nusselt, column: step":                                      "accepted with time_of, mean_of, growth_rate, frequency and onset",
		"quantity: frequency_of, column: step":                                 "write {quantity: frequency, column: step, value: 6.283185307, …}",
		"quantity: frequency_of":                                               "write {quantity: frequency, column: COLUMN,",
		"quantity: frequency, level: 3, column: step":                          "level; accepted with the quantities time_of and distance_of",
		"quantity: mean_of, level: 1, column: step":                            "mean_of; accepted: column, between and standard_error",
		"quantity: mean_of, column: salt":                                      `no column "salt"`,
		"quantity: mean_of, column: step, standard_error: 0.01":                "accepted: a part of the mean, as 1%",
		"quantity: nusselt, standard_error: 1%":                                "standard_error; accepted with mean_of",
		"quantity: frequency, column: salt":                                    `no column "salt"`,
		"quantity: distance_of, field: temperature, at: [1, 1], to: [1, 2]":    "distance_of; accepted: field, level, at and to",
		"quantity: distance_of, field: salt, level: 1, at: [1, 1], to: [1, 2]": `no field "salt"`,
		"quantity: temperature, field: temperature, at: [1, 1]":                "accepted with the quantity distance_of",
		"quantity: temperature, level: 1, at: [1, 1]":                          "accepted with the quantities time_of and distance_of",
		"quantity: wall_front_heat":                                            `no quantity "wall_front_heat", and it is no column of series.csv either`,
		"quantity: salt, at: [1, 1]":                                           `no field "salt"`,
		"quantity: time_of, column: salt, level: 3":                            `no column "salt"`,
	} {
		write("runs/a/expect.yaml", "- expect:\n    - {"+text+", value: 1, tolerance: 1e-6, source: none}\n")
		if code, _, errs := convect(t, dir, "validate", "--runs", "runs"); code == exitDone || !strings.Contains(errs, want) {
			t.Errorf("%s: exit code %d, %s", text, code, errs)
		}
	}
}
