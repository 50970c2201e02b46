package main

import (
	"encoding/csv"
	"math"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
)

const denseCase = `grid: {cells: [16, 16], size: [10, 10]}
physics:
  dimensional: {permeability: 1e-10, viscosity: 1e-3, density: 1000, expansivity: 1e-3, temperature_difference: 25, height: 10, conductivity: 10.5, heat_capacity: 4200,
    haline_contraction: 7.5e-4, solute_difference: 20, solute_diffusivity: 2.5e-7, porosity: 0.2}
  heat_capacity_ratio: 1
  solute: {}
boundaries: {bottom: {temperature: 25, concentration: 20}, top: {temperature: 0, solute_flux: -5e-7, flow: open, inflow_concentration: 3}}
initial: {perturbation: {mode: [1, 0, 1], amplitude: 2.5}, concentration: 2*(10 - z)}
time: {end: 4e5}
`

// expressed are the overrides that give the density of denseCase as an expression.
func expressed(key, text string) []string {
	return []string{"--set", "physics.dimensional.expansivity=", "--set", "physics.dimensional.haline_contraction=", "--set", "physics." + key + "=" + text}
}

// rowsOf reads the rows of series.csv of a run, with their header.
func rowsOf(t *testing.T, path string) (header []string, rows [][]float64) {
	t.Helper()
	f, err := os.Open(filepath.Join(path, "series.csv"))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	r := csv.NewReader(f)
	r.Comment = '#'
	all, err := r.ReadAll()
	if err != nil || len(all) < 5 {
		t.Fatalf("%d rows, %v", len(all), err)
	}
	for _, line := range all[1:] {
		row := make([]float64, len(line))
		for n, text := range line {
			if row[n], err = strconv.ParseFloat(text, 64); err != nil {
				row[n] = math.NaN()
			}
		}
		rows = append(rows, row)
	}
	return all[0], rows
}

// sameRows compares two runs but for rounding: each column to a part of the largest value in it, or, of the fluid through walls, which may all be closed, of the largest speed.
func sameRows(t *testing.T, a, b string, tolerance float64) {
	t.Helper()
	header, got := rowsOf(t, a)
	_, want := rowsOf(t, b)
	if len(got) != len(want) {
		t.Fatalf("%d rows, and %d", len(got), len(want))
	}
	for c, name := range header {
		if name == "wall_seconds" || name == "divergence_max" {
			continue
		}
		most := 0.0
		for _, row := range want {
			for d, value := range row {
				if !math.IsNaN(value) && (d == c || strings.HasSuffix(name, "_fluid") && header[d] == "speed_max") {
					most = math.Max(most, math.Abs(value))
				}
			}
		}
		for n := range want {
			if math.Abs(got[n][c]-want[n][c]) > tolerance*most || math.IsNaN(got[n][c]) != math.IsNaN(want[n][c]) {
				t.Errorf("%s in row %d: %g, want %g", name, n, got[n][c], want[n][c])
				break
			}
		}
	}
}

// A density, or a buoyancy, that is linear in T and S gives the rows of the expansivity and haline contraction that it has, but for the rounding of tables, with and without a temperature; and check
// says what it amounts to.
func TestLinearDensityIsThatOfItsCoefficients(t *testing.T) {
	dir := writeCase(t, strings.Replace(denseCase, "time:", "solver: {pressure: {tolerance: 1e-12}}\ntime:", 1))
	mustRun(t, dir, "run", "small.yaml", "--out", "plain")
	for name, set := range map[string][]string{"density": expressed("density", "1000*(1 - 1e-3*T + 7.5e-4*S)"), "buoyancy": expressed("buoyancy", "1e-3*T - 7.5e-4*S")} {
		mustRun(t, dir, append([]string{"run", "small.yaml", "--out", name}, set...)...)
		sameRows(t, filepath.Join(dir, name), filepath.Join(dir, "plain"), 1e-7)
		out, _ := mustRun(t, dir, append([]string{"check", "small.yaml"}, set...)...)
		for _, want := range []string{"over the temperatures from 0 to 25 it amounts to Ra 98.1, expansivity 0.001 1/K\n", "over the concentrations from 0 to 20 it amounts to N -0.6, haline contraction 0.00075\n"} {
			if !strings.Contains(out, want) {
				t.Errorf("%s: no %q in\n%s", name, want, out)
			}
		}
	}
	alone := writeCase(t, `grid: {cells: [16, 16], size: [10, 10]}
physics:
  temperature: none
  dimensional: {permeability: 1e-10, viscosity: 1e-3, density: 1000, height: 10, haline_contraction: 7.5e-4, solute_difference: 20, solute_diffusivity: 2.5e-6}
  solute: {}
boundaries: {bottom: {concentration: 0}, top: {concentration: 20}}
initial: {concentration: z*z/5, concentration_perturbation: {mode: [1, 0, 1], amplitude: 2}}
solver: {pressure: {tolerance: 1e-12}}
time: {end: 4e5}
`)
	mustRun(t, alone, "run", "small.yaml", "--out", "plain")
	mustRun(t, alone, "run", "small.yaml", "--out", "density", "--set", "physics.dimensional.haline_contraction=", "--set", "physics.density=1000 + 0.75*S")
	sameRows(t, filepath.Join(alone, "density"), filepath.Join(alone, "plain"), 1e-7)
}

// A stable state of a density that is no line in T and S stays at rest to rounding, in SI units too, below open walls.
func TestDenseFluidAtRest(t *testing.T) {
	dir := writeCase(t, strings.NewReplacer("bottom: {temperature: 25, concentration: 20}, top: {temperature: 0, solute_flux: -5e-7, flow: open, inflow_concentration: 3}",
		"bottom: {temperature: 0, concentration: 20}, top: {temperature: 25, concentration: 3, flow: open}",
		"perturbation: {mode: [1, 0, 1], amplitude: 2.5}, concentration: 2*(10 - z)", "concentration: diffusion").Replace(denseCase))
	mustRun(t, dir, append([]string{"run", "small.yaml", "--out", "rest"}, expressed("density", "1000 - 7e-3*(T + 4)^2 + 0.8*S + 1e-3*S*T")...)...)
	header, rows := rowsOf(t, filepath.Join(dir, "rest"))
	found := false
	for c, name := range header {
		if name != "speed_max" {
			continue
		}
		found = true
		for _, row := range rows {
			if row[c] > 1e-9*1e-10*1000*9.81*0.02/1e-3 { // a part of the speed that the differences of density make
				t.Fatalf("it moves at %g m/s", row[c])
			}
		}
	}
	if !found {
		t.Errorf("no speed_max among %v", header)
	}
}

// A run with a density as an expression that is killed goes on to the same end, and says what is odd about the units of one.
func TestDensityGoesOn(t *testing.T) {
	dir := writeCase(t, denseCase)
	set := expressed("density", "1000 - 7e-3*(T - 4)^2 + 0.8*S")
	mustRun(t, dir, append([]string{"run", "small.yaml", "--out", "whole", "--set", "output.every={times: [2e5]}"}, set...)...)
	mustRun(t, dir, append([]string{"run", "small.yaml", "--out", "part", "--set", "checkpoint.every={steps: 10}", "--set", "time.end=2e5"}, set...)...)
	mustRun(t, dir, "restart", "part", "--set", "time.end=4e5")
	sameRows(t, filepath.Join(dir, "part"), filepath.Join(dir, "whole"), 0)
	for text, want := range map[string]string{
		"1 - 1e-3*T":            "its reference physics.dimensional.density 1000 kg/m³",
		"1000 - 30*T":           "the Boussinesq approximation is for small changes",
		"1000 - 0.1*(T - 10)^2": "in between the density has an extreme",
	} {
		if out, _ := mustRun(t, dir, append([]string{"check", "small.yaml"}, expressed("density", text)...)...); !strings.Contains(out, want) {
			t.Errorf("%s: no %q in\n%s", text, want, out)
		}
	}
}
