package main

import (
	"encoding/json"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"convect/io/series"
)

// wattsCase is in SI units, with everything that heat, fluid and salt come and go by: walls that hold, give, exchange and are open, patches, a source, a loss, and wells. 200 m wide, 100 m high.
const wattsCase = `
grid: {cells: [12, 8], size: [200, 100]}
physics:
  dimensional: {permeability: 1e-12, viscosity: 1e-3, density: 1000, expansivity: 2e-4, temperature_difference: 50, height: 100, conductivity: 4,
    heat_capacity: 4000, gravity: 9.81, solute_difference: 2, solute_diffusivity: 1e-8, haline_contraction: 1e-3}
  porosity: 0.2
  heat_capacity_ratio: 0.7
  heat_source: 2e-3
  heat_loss: {coefficient: 1e-4, ambient: 10}
  solute: {}
boundaries:
  left: {flow: {velocity: 2e-8}, inflow_temperature: 30, inflow_concentration: 1}
  right: {flow: open, inflow_temperature: 10, inflow_concentration: 0}
  bottom: {heat_flux: 0.1}
  top: {heat_transfer: {coefficient: 2, ambient: 5}, concentration: 0.5}
  patches:
    - {wall: bottom, name: heater, x: [50, 120], temperature: 60}
wells:
  - {name: in, at: [60, 50], rate: 3e-6, temperature: 40, concentration: 2}
  - {name: out, at: [140, 50], rate: -2e-6}
initial: {temperature: 20, concentration: 0}
time: {end: 3 yr}
output: {every: {time: 1 yr}}
`

// Of a dimensional case the columns of walls, with the source, the loss and the wells, add up to heat_in in W, to the gain, and to the fluid in m³/s that wells bring and take, in 2-D for a
// metre of depth: a box of that depth has the same numbers.
func TestWattsCloseTheBalance(t *testing.T) {
	deep := []string{"--set", "grid.cells=[12, 2, 8]", "--set", "grid.size=[200, 1, 100]", "--set", "wells[0].at=[60, 0.5, 50]", "--set", "wells[1].at=[140, 0.5, 50]"}
	for name, set := range map[string][]string{"flat": nil, "deep": deep} {
		dir := writeCase(t, wattsCase)
		out, _ := mustRun(t, dir, append([]string{"run", "small.yaml", "--out", name}, set...)...)
		table, err := series.Read(filepath.Join(dir, name, series.SeriesName))
		if err != nil {
			t.Fatal(err)
		}
		heat, fluid, salt := sumOf(table, "heat"), sumOf(table, "fluid"), sumOf(table, "concentration")
		in, gain := table.Column("heat_in"), table.Column("heat_gain")
		rates := [2][]float64{table.Column("well_in_rate"), table.Column("well_out_rate")}
		brought := table.Column("well_out_temperature")
		saltIn, saltOut := table.Column("solute_in"), table.Column("well_out_concentration")
		const density, area = 1000 * 4000, 200 * 100
		mean := table.Column("temperature_mean")
		for row := 2; row < table.Rows(); row++ { // steps, extrapolated in time, of which the second is the first whole one
			scale := math.Abs(heat[row]) + 50
			if math.Abs(in[row]-gain[row]) > 1e-7*scale {
				t.Fatalf("%s, row %d: %g W come in and %g W are gained", name, row, in[row], gain[row])
			}
			// The wells and the loss as extrapolated to this step from the two states before.
			dt := table.Column("dt")
			w := dt[row] / dt[row-1]
			at := func(of func(row int) float64) float64 { return (1+w)*of(row-1) - w*of(row-2) }
			wells := at(func(n int) float64 { return density * (rates[0][n]*40 + rates[1][n]*brought[n]) })
			want := heat[row] + 2e-3*area - 1e-4*area*(mean[row]-10) + wells
			if row > 4 && math.Abs(want-in[row]) > 2e-6*scale {
				t.Fatalf("%s, row %d: walls, source, loss and wells bring %.9g W, the balance has %.9g W", name, row, want, in[row])
			}
			wells = at(func(n int) float64 { return rates[0][n]*2 + rates[1][n]*saltOut[n] })
			if row > 4 && math.Abs(salt[row]+wells-saltIn[row]) > 1e-9*(math.Abs(salt[row])+1e-6) {
				t.Fatalf("%s, row %d: walls and wells bring %.9g of the solute, the balance has %.9g", name, row, salt[row]+wells, saltIn[row])
			}
			if got := fluid[row] + rates[0][row] + rates[1][row]; math.Abs(got) > 1e-6*rates[0][row] {
				t.Fatalf("%s, row %d: %g m³/s are left over", name, row, got)
			}
		}
		text, err := os.ReadFile(filepath.Join(dir, name, series.SummaryName))
		if err != nil {
			t.Fatal(err)
		}
		var summary series.Summary
		if err := json.Unmarshal(text, &summary); err != nil {
			t.Fatal(err)
		}
		last := table.Rows() - 1
		if got, want := float64(summary.Surfaces["patch_heater"]["heat"]), table.Column("patch_heater_heat")[last]; got != want {
			t.Errorf("%s: the summary has %g W through the heater, want %g", name, got, want)
		}
		if u := summary.SurfaceUnits; u["heat"] != "W" || u["fluid"] != "m3/s" || u["concentration"] != "m3/s" {
			t.Errorf("%s: units %v", name, u)
		}
		if want := map[string]string{"flat": "heat in W, a metre deep: left ", "deep": "heat in W: left "}[name]; !strings.Contains(out, want) {
			t.Errorf("%s: the end does not say %q:\n%s", name, want, out)
		}
	}
	flat, box := dryRow(t, nil), dryRow(t, deep[:4])
	for _, column := range []string{"wall_left_heat", "wall_top_heat", "patch_heater_heat", "wall_right_fluid", "wall_top_concentration"} {
		if x, y := flat[column], box[column]; math.Abs(x-y) > 2e-3*math.Abs(x) || x == 0 { // steps of the box are shorter
			t.Errorf("%s is %g, and %g of a box a metre deep", column, x, y)
		}
	}
}

// dryRow runs the case without wells.
func dryRow(t *testing.T, set []string) map[string]float64 {
	t.Helper()
	dir := writeCase(t, wattsCase)
	mustRun(t, dir, append([]string{"run", "small.yaml", "--out", "run", "--set", "wells=[]"}, set...)...)
	table, err := series.Read(filepath.Join(dir, "run", series.SeriesName))
	if err != nil {
		t.Fatal(err)
	}
	row := map[string]float64{}
	for n, name := range table.Names {
		row[name] = table.Columns[n][table.Rows()-1]
	}
	return row
}

// sumOf adds up the columns of all walls for one thing that enters.
func sumOf(table *series.Table, what string) []float64 {
	sum := make([]float64, table.Rows())
	for n, name := range table.Names {
		if strings.HasPrefix(name, "wall_") && strings.HasSuffix(name, "_"+what) {
			for row, v := range table.Columns[n] {
				sum[row] += v
			}
		}
	}
	return sum
}
