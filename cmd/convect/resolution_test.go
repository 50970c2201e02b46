package main

import (
	"math"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"convect/io/checkpoint"
)

const coarse = `title: Far too coarse
grid: {cells: [32, 32], size: [1, 1]}
physics: {rayleigh: 20000}
boundaries: {bottom: {temperature: 1}, top: {temperature: 0}}
initial: {perturbation: {mode: [1, 0, 1], amplitude: 0.01}}
time: {end: 1, cfl: 0.5}
solver: {transport: central}
checkpoint: {every: {steps: 7}}
`

// A run whose numbers blow up ends with exit 1, names what may help, and leaves checkpoints of good numbers alone.
func TestBlowUpEndsTheRun(t *testing.T) {
	dir := writeCase(t, coarse)
	code, out, log := convect(t, dir, "run", "small.yaml", "--out", "out")
	if code != exitFailed {
		t.Errorf("exit %d, want %d", code, exitFailed)
	}
	for _, want := range []string{"blown up", "solver.transport: tvd", "grid.grading", "the last whole checkpoint is"} {
		if !strings.Contains(out+log, want) {
			t.Errorf("no word of %q in\n%s", want, out+log)
		}
	}
	paths, err := filepath.Glob(filepath.Join(dir, "out", checkpoint.Folder, "*"))
	if err != nil || len(paths) != 2 {
		t.Fatalf("checkpoints %v, %v: want the two newest", paths, err)
	}
	for _, path := range paths {
		c, err := checkpoint.Read(path)
		if err != nil {
			t.Fatal(err)
		}
		for _, f := range c.State.Fields {
			if f.Name == "temperature" && (slices.Max(f.Values) > 2.1 || slices.Min(f.Values) < -1.1 || math.IsNaN(f.Values[0])) {
				t.Errorf("%s holds temperatures from %g to %g", path, slices.Min(f.Values), slices.Max(f.Values))
			}
		}
	}
}

// check warns of cells that are wider than the layers that heat loss leaves at walls, with flow and without.
func TestThinLayersOfHeatLoss(t *testing.T) {
	for coefficient, thin := range map[string]bool{"1e12": true, "100": true, "50": false, "0": false} {
		dir := writeCase(t, "grid: {cells: [16, 16], size: [1, 1]}\nphysics: {rayleigh: 1, heat_loss: {coefficient: "+coefficient+", ambient: 3}}\n"+
			"boundaries: {bottom: {temperature: 1}}\ntime: {end: 0.02}\n")
		_, out, log := convect(t, dir, "check", "small.yaml")
		if got := strings.Contains(out+log, "heat loss makes thermal layers"); got != thin {
			t.Errorf("coefficient %s: warned %v in\n%s", coefficient, got, out+log)
		}
	}
}

// check and run warn of cells that boundary layers or central transport need narrower, and of nothing where they are narrow enough at the walls.
func TestResolutionWarnings(t *testing.T) {
	dir := writeCase(t, coarse)
	const layers, overshoot = "boundary layers may be as thin as", "likely to overshoot"
	for _, c := range []struct {
		name              string
		set               []string
		layers, overshoot bool
	}{
		{"as it is", nil, true, true},
		{"tvd", []string{"solver.transport=tvd"}, true, false},
		{"Ra 100", []string{"physics.rayleigh=100"}, false, false},
		{"Ra -20000 is as strong", []string{"physics.rayleigh=-20000"}, true, true},
		{"coarse along z alone", []string{"physics.rayleigh=1000", "grid.cells=[200, 24]"}, true, true},
		{"graded towards the walls", []string{"physics.rayleigh=1000", "grid.cells=[32, 48]", "grid.grading={z: {cluster: both, ratio: 8}}"}, false, false},
		{"graded towards one wall alone", []string{"physics.rayleigh=1000", "grid.cells=[32, 48]", "grid.grading={z: {cluster: low, ratio: 8}}"}, true, true},
	} {
		args := []string{"small.yaml", "--set", "time.end=1e-6"}
		for _, s := range c.set {
			args = append(args, "--set", s)
		}
		checked, _ := mustRun(t, dir, append([]string{"check"}, args...)...)
		out, log := mustRun(t, dir, append([]string{"run", "--out", "warn", "--force"}, args...)...)
		for command, got := range map[string]string{"check": checked, "run": out + log} {
			if strings.Contains(got, layers) != c.layers || strings.Contains(got, overshoot) != c.overshoot || strings.Contains(got, " 0.0 cells") {
				t.Errorf("%s, %s: want layers %v, overshoot %v\n%s", c.name, command, c.layers, c.overshoot, got)
			}
		}
	}
}
