package casefile

import (
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// wellCase is a case in SI units with two wells whose rates a table tells.
const wellCase = `
grid: {cells: [16, 8, 8], size: [2000, 1000, 1000]}
physics:
  dimensional: {permeability: 1e-13, viscosity: 1e-3, density: 1000, expansivity: 2e-4, temperature_difference: 50, height: 1000, conductivity: 2, heat_capacity: 4000}
wells:
  - {name: in, at: [500, 500], from: 200, to: 800, rate: {table: rates.csv, column: q, time: day, time_unit: d, interpolation: step}, temperature: "10 + t/86400"}
  - {name: out-2, at: [1500, 500, 1000], rate: -0.02, temperature: 3}
boundaries: {top: {flow: open}}
time: {end: 20 d}
`

// Wells come in SI units, from tables too, and know when they inject.
func TestWells(t *testing.T) {
	dir := t.TempDir()
	write := func(rows string) {
		if err := os.WriteFile(filepath.Join(dir, "rates.csv"), []byte("day,q\n"+rows), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	write("0,0.01\n10,0.03\n20,0\n")
	text := strings.Replace(wellCase, "at: [1500, 500, 1000]", "at: [1500, 500, 500]", 1)
	c, err := buildIn(dir, text)
	if err != nil {
		t.Fatal(err)
	}
	wells := c.Parameters.Wells
	if len(wells) != 2 || wells[0].Name != "in" || !wells[0].Line || wells[0].At[0] != 0.5 || wells[0].From != 0.2 || wells[0].To != 0.8 || wells[1].Line || wells[1].At != [3]float64{1.5, 0.5, 0.5} {
		t.Fatalf("wells %+v", wells)
	}
	const kappa = 2 / (1000. * 4000)
	day := 86400 / c.Scales.Time
	for at, want := range map[float64]float64{1: 0.01, 15: 0.03} {
		if got := wells[0].Rate(0, 0, 0, at*day) * kappa * 1000; math.Abs(got-want) > 1e-12 {
			t.Errorf("day %g: rate %g, want %g", at, got, want)
		}
		if got := wells[0].Brings[0](0, 0, 0, at*day) * 50; math.Abs(got-10-at) > 1e-9 {
			t.Errorf("day %g: temperature %g", at, got)
		}
	}
	if !wells[0].Varies || len(wells[0].Course.Turns) != 1 || wells[1].Varies || len(wells[1].Brings) > 0 {
		t.Errorf("wells %+v", wells)
	}
	warnings := strings.Join(c.Warnings(), "\n")
	if !strings.Contains(warnings, "wells[1].temperature has no effect: out-2 never injects") {
		t.Errorf("warnings %q", warnings)
	}
	if all := c.Wells(); all[0].Text != "x = 500, y = 500, z from 200 to 800, injects at that of a table m³/s of temperature 10 + t/86400" ||
		all[1].Text != "x = 1500, y = 500, z = 500, produces at -0.02 m³/s" || math.Abs(all[0].Largest-0.03/(kappa*1000)) > 1e-6 {
		t.Errorf("texts %+v", all)
	}
	// A row of a table that lies between the times that are looked at counts too.
	write("0,-0.01\n10,-0.01\n10.00001,0.03\n10.00002,-0.01\n20,0\n")
	_, err = buildIn(dir, strings.Replace(text, `, temperature: "10 + t/86400"`, "", 1))
	if err == nil || !strings.Contains(err.Error(), "wells[0].temperature: missing: in injects") {
		t.Errorf("error %v", err)
	}
	write("0,0.01\n20,0\n")
	if _, err = buildIn(dir, wellCase); err == nil || !strings.Contains(err.Error(), "out-2 lies on the top, whose pressure is held") {
		t.Errorf("error %v", err)
	}
}

// What a well injects has a key for each scalar of the case, tracers in a section of their own; what a case does not carry has no place.
func TestWellsBringScalars(t *testing.T) {
	const body = `
grid: {cells: [16, 8], size: [2, 1]}
%s
boundaries: {left: {flow: closed}}
wells:
  - {name: in, at: [0.5, 0.5], rate: 1, %s}
  - {name: out, at: [1.5, 0.5], rate: -1}
time: {end: 1}
`
	for name, c := range map[string]struct {
		physics, brings string
		want            []float64
	}{
		"heat":          {"physics: {rayleigh: 100}", "temperature: 2", []float64{2}},
		"heat and salt": {"physics: {rayleigh: 100, solute: {buoyancy_ratio: 1, lewis: 1}}", "temperature: 2, concentration: 3", []float64{2, 3}},
		"salt and dyes": {"physics: {temperature: none, solute: {rayleigh: 100}, tracers: {a: {lewis: 2}, b: {lewis: 3}}}",
			"concentration: 3, tracers: {b: {concentration: 5}, a: {concentration: 4}}", []float64{3, 4, 5}},
		"heat and dye": {"physics: {rayleigh: 100, tracers: {a: {lewis: 2}}}", "temperature: 2, tracers: {a: {concentration: 4}}", []float64{2, 4}},
	} {
		t.Run(name, func(t *testing.T) {
			c2, err := buildIn(t.TempDir(), fmt.Sprintf(body, c.physics, c.brings))
			if err != nil {
				t.Fatal(err)
			}
			in := c2.Parameters.Wells[0]
			if len(in.Brings) != len(c.want) {
				t.Fatalf("%d values, want %d", len(in.Brings), len(c.want))
			}
			for n, want := range c.want {
				if got := in.Brings[n](0, 0, 0, 0); got != want {
					t.Errorf("scalar %d: %g, want %g", n, got, want)
				}
			}
		})
	}
	if _, err := buildIn(t.TempDir(), fmt.Sprintf(body, "physics: {rayleigh: 100, tracers: {a: {lewis: 2}}}", "temperature: 2")); err == nil ||
		!strings.Contains(err.Error(), "wells[0].tracers.a.concentration: missing") {
		t.Errorf("error %v", err)
	}
}
