package main

import (
	"encoding/json"
	"image/png"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"convect/io/checkpoint"
	"convect/io/series"
	"convect/io/snapshot"
)

// longCase runs for a second or two, with steps that change.
const longCase = `title: Long
grid: {cells: [24, 16], size: [1, 1]}
physics: {rayleigh: 300}
boundaries: {bottom: {temperature: 1}, top: {temperature: "0.1*sin(200*t)"}}
initial: {perturbation: {mode: [1, 1], amplitude: 0.1}}
time: {end: 0.06}
output: {every: {time: 0.01}}
checkpoint: {every: {steps: 25}}
`

// everythingCase has all at once: a solute and a tracer that decay, dispersion, a viscosity that depends on the temperature, walls of each kind and a patch, wells of which one
// varies in time, graded cells; a checkpoint every few steps.
const everythingCase = `title: Everything
grid: {cells: [20, 16], size: [1, 1], grading: {x: {cluster: both, ratio: 2}, z: {cluster: low, ratio: 3}}}
physics:
  rayleigh: 200
  viscosity: exp(-T)
  porosity: 0.3 + 0.2*x
  heat_capacity_ratio: 1.2
  heat_loss: {coefficient: 2, ambient: 0.2}
  dispersion: {longitudinal: 0.02, transverse: 0.005}
  solute: {buoyancy_ratio: -0.3, lewis: 5, decay: 3, retardation: 1.2}
  tracers: {dye: {lewis: 3, decay: 1, source: "x*sin(900*t)"}}
boundaries:
  left: {heat_transfer: {coefficient: 3, ambient: 0.3}, solute_flux: 0.5}
  bottom: {temperature: 1, concentration: 1}
  top: {temperature: "0.1*sin(200*t)", flow: open, inflow_concentration: 0.1, tracers: {dye: {concentration: 0}}}
  patches:
    - {wall: bottom, x: [0.3, 0.6], temperature: 1.2, concentration: 0.5, tracers: {dye: {concentration: 1}}}
wells:
  - {name: injector, at: [0.31, 0.42], rate: "4 + sin(2000*t)", temperature: 0.5, concentration: 0.2, tracers: {dye: {concentration: 1}}}
  - {name: producer, at: [0.7, 0.6], rate: -3}
initial: {concentration: 0.2*x, perturbation: {mode: [1, 1], amplitude: 0.1}, tracers: {dye: 0.5}}
time: {end: 3e-3, max_step: 4e-4}
output: {every: {time: 1e-3}}
checkpoint: {every: {steps: 4}}
`

// saltAloneCase has a solute and no temperature.
const saltAloneCase = `grid: {cells: [12, 12], size: [1, 1]}
physics: {temperature: none, solute: {rayleigh: -100, decay: 1}}
boundaries: {top: {concentration: 1}}
initial: {concentration: 0, concentration_perturbation: {mode: [1, 1], amplitude: 0.1}}
time: {end: 0.02}
`

func TestRunDirectory(t *testing.T) {
	t.Setenv(realPicture, "1")
	dir := writeCase(t, smallCase)
	out, _ := mustRun(t, dir, "run", "small.yaml", "--profile")
	for _, name := range []string{"small.out/snapshots", "small.out/snapshots.xmf", "small.out/temperature.png", "part of a step", "Nusselt number"} {
		if !strings.Contains(out, name) {
			t.Errorf("the end does not name %s:\n%s", name, out)
		}
	}
	d := directory(filepath.Join(dir, "small.out"))
	for _, name := range []string{caseName, logName, series.SeriesName, series.ProfilesName, series.SummaryName, snapshot.XDMFName, pictureName("temperature")} {
		if _, err := os.Stat(d.path(name)); err != nil {
			t.Error(err)
		}
	}
	if _, err := os.Stat(d.path(lockName)); err == nil {
		t.Error("the lock is still there")
	}
	text, err := os.ReadFile(d.path(caseName))
	if err != nil || string(text) != smallCase {
		t.Errorf("case.yaml differs from the case: %v\n%s", err, text)
	}
	checkSummary(t, d)
	file, err := os.Open(d.path(pictureName("temperature")))
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	if img, err := png.Decode(file); err != nil || img.Bounds().Dx() < 500 {
		t.Errorf("picture: %v", err)
	}
}

func checkSummary(t *testing.T, d directory) {
	t.Helper()
	text, err := os.ReadFile(d.path(series.SummaryName))
	if err != nil {
		t.Fatal(err)
	}
	var all map[string]any
	if err := json.Unmarshal(text, &all); err != nil {
		t.Fatal(err)
	}
	for _, key := range strings.Fields(`nusselt nusselt_hot nusselt_cold nusselt_volume nusselt_dissipation nusselt_mean nusselt_stderr
		psi_max psi_centre time steps steady wall_seconds nodes node_steps_per_second device precision version`) {
		if _, ok := all[key]; !ok {
			t.Errorf("summary.json lacks %s", key)
		}
	}
	if all["time"] != 0.05 || all["nodes"] != 153.0 || all["steady"] != false || all["precision"] != "mixed" {
		t.Errorf("summary.json: %v", all)
	}
}

func TestForceRemovesTheRunAlone(t *testing.T) {
	dir := writeCase(t, smallCase)
	mustRun(t, dir, "run", "small.yaml")
	d := directory(filepath.Join(dir, "small.out"))
	mine := d.path("notes.txt")
	if err := os.WriteFile(mine, []byte("mine"), 0o666); err != nil {
		t.Fatal(err)
	}
	mustRun(t, dir, "run", "small.yaml", "--force", "--set", "time.end=0.01")
	if _, err := os.Stat(mine); err != nil {
		t.Error(err)
	}
	entries, _, err := snapshot.List(string(d), math.MaxInt64)
	if err != nil || len(entries) != 2 {
		t.Errorf("%d snapshots, want those of the new run alone: %v", len(entries), err)
	}
	if table := readSeries(t, d); table[len(table)-1][1] != 0.01 {
		t.Errorf("series.csv ends at %v", table[len(table)-1])
	}
}

func TestSetIsKept(t *testing.T) {
	dir := writeCase(t, smallCase)
	mustRun(t, dir, "run", "small.yaml", "--set", "physics.rayleigh=50", "--out", "a")
	mustRun(t, dir, "run", "a/case.yaml", "--out", "b")
	if diff := cmp.Diff(readSeries(t, directory(filepath.Join(dir, "a"))), readSeries(t, directory(filepath.Join(dir, "b")))); diff != "" {
		t.Errorf("the case as run gives another run:\n%s", diff)
	}
}

// readSeries returns the rows of series.csv without wall time, bits and all.
func readSeries(t *testing.T, d directory) [][]float64 {
	t.Helper()
	table, err := series.Read(d.path(series.SeriesName))
	if err != nil {
		t.Fatal(err)
	}
	rows := make([][]float64, table.Rows())
	for i, name := range table.Names {
		if name == "wall_seconds" {
			continue
		}
		for r, v := range table.Columns[i] {
			if math.IsNaN(v) {
				v = math.MaxFloat64 // equal to itself
			}
			rows[r] = append(rows[r], v)
		}
	}
	return rows
}

func TestFailureNamesWhatIsNeeded(t *testing.T) {
	text := strings.Replace(smallCase, "bottom: {temperature: 1}", "bottom: {temperature: \"t > 0.033 ? 1e200 : 1\"}", 1)
	dir := writeCase(t, strings.Replace(text, "end: 0.05", "end: 0.1, max_step: 1e-3", 1))
	code, _, errs := convect(t, dir, "run", "small.yaml")
	if code != exitFailed {
		t.Fatalf("exit code %d\n%s", code, errs)
	}
	log := fileText(t, filepath.Join(dir, "small.out", logName))
	for _, part := range []string{"ERR step ", ", t = 0.03", "field temperature: ", "residuals: NaN", "the last whole checkpoint is small.out/checkpoints/ckpt_0000"} {
		if !strings.Contains(errs, part) || !strings.Contains(log, part) {
			t.Errorf("%q is not in\n%s", part, errs)
		}
	}
}

// A run that fails before its first step leaves the run that it was to overwrite, and does not take its checkpoint for its own.
func TestFailureBeforeTheFirstStep(t *testing.T) {
	dir := writeCase(t, smallCase)
	mustRun(t, dir, "run", "small.yaml")
	code, _, errs := convect(t, dir, "run", "small.yaml", "--force", "--set", "solver.pressure={max_iterations: 1, tolerance: 1e-12}")
	if code != exitFailed || !strings.Contains(errs, "there is no checkpoint yet") || strings.Contains(errs, "ckpt_") {
		t.Errorf("exit code %d: %s", code, errs)
	}
	if path, _, err := checkpoint.Latest(filepath.Join(dir, "small.out")); path == "" || err != nil {
		t.Errorf("the run that was there has lost its checkpoint %q: %v", path, err)
	}
}

func TestTwoRunsDoNotShareADirectory(t *testing.T) {
	dir := writeCase(t, longCase)
	d := directory(filepath.Join(dir, "small.out"))
	start(t, dir, "run", "small.yaml", "--set", "time.end=60")
	waitForRows(t, d, 5)
	code, _, errs := convect(t, dir, "run", "small.yaml", "--resume")
	if code != exitFailed || !strings.Contains(errs, "another run is writing to it: process ") {
		t.Errorf("exit code %d: %s", code, errs)
	}
}
