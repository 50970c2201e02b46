package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// fieldCase is a small case in SI units, with water in rock of a porosity of 0.1.
const fieldCase = `title: Field
grid: {cells: [12, 8], size: [1500, 1000]}
physics:
  dimensional: {permeability: 1e-14, viscosity: 2e-4, density: 950, expansivity: 8e-4, temperature_difference: 200, height: 1000,
    conductivity: 2.5, heat_capacity: 4200, porosity: 0.1, rock_density: 2600, rock_heat_capacity: 840}
  permeability: {layers: [{top: 300, value: [2e-14, 5e-15]}, {top: 1000, value: 1e-14}]}
boundaries: {bottom: {temperature: 200}, top: {temperature: 0}}
initial: {perturbation: {mode: [1, 0, 1], amplitude: 2}}
time: {end: 1000 yr}
output: {every: {time: 250 yr}}
`

// What a run says of its time, in the log, at the end, in the summary and the picture, and check, inspect and a resume, is in a
// unit that a person reads; the numbers in files are seconds.
func TestTimesToRead(t *testing.T) {
	dir := writeCase(t, fieldCase)
	out, _ := mustRun(t, dir, "run", "small.yaml", "--out", "out")
	if !strings.Contains(out, "t = 1000 yr,") {
		t.Errorf("the end: %s", out)
	}
	log, err := os.ReadFile(filepath.Join(dir, "out", "run.log"))
	if err != nil || !strings.Contains(string(log), "t = 1000 yr  Δt = ") || strings.Contains(string(log), "e+10") {
		t.Errorf("log: %v\n%s", err, log)
	}
	text, err := os.ReadFile(filepath.Join(dir, "out", "summary.json"))
	var summary struct {
		Time float64 `json:"time"`
		Unit string  `json:"time_unit"`
		Text string  `json:"time_text"`
	}
	if err == nil {
		err = json.Unmarshal(text, &summary)
	}
	if err != nil || summary.Time != 1000*365.25*86400 || summary.Unit != "s" || summary.Text != "1000 yr" {
		t.Errorf("summary %+v: %v", summary, err)
	}
	files, _ := filepath.Glob(filepath.Join(dir, "out", "checkpoints", "*.h5"))
	out, _ = mustRun(t, dir, "inspect", files[len(files)-1])
	if !strings.Contains(out, "3.15576e+10 s (1000 yr)") {
		t.Errorf("inspect: %s", out)
	}
	_, errs := mustRun(t, dir, "restart", files[len(files)-1], "--set", "time.end=1001 yr", "--out", "more")
	if !strings.Contains(errs, "t = 1000 yr") || !strings.Contains(errs, "t = 1001 yr") {
		t.Errorf("restart: %s", errs)
	}
}
