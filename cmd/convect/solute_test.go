package main

import (
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"convect/io/checkpoint"
	"convect/io/series"
	"convect/io/snapshot"
)

// brine has a solute and two tracers with all kinds of walls.
const brine = `title: Brine
grid: {cells: [16, 8], size: [2, 1]}
physics:
  rayleigh: 100
  porosity: 0.3
  solute: {buoyancy_ratio: -0.5, lewis: 5, retardation: 1.5, decay: 0.1, source: "0.1*x"}
  tracers:
    age: {lewis: 1, source: 1}
    dye: {diffusivity: [0.1, 0.05], decay: 2}
boundaries:
  bottom: {temperature: 1, concentration: 1, tracers: {dye: {solute_flux: 1}}}
  top: {temperature: 0, solute_transfer: {coefficient: 2, ambient: 0}}
  left: {flow: {velocity: 1}, inflow_temperature: 0.5, inflow_concentration: 0.2, tracers: {dye: {inflow_concentration: 1}}}
  right: {flow: open, inflow_temperature: 0.5, inflow_concentration: 0.2}
  patches:
    - {wall: top, x: [0.5, 1], concentration: 0.3, tracers: {age: {concentration: 0}}}
initial:
  perturbation: {mode: [1, 1], amplitude: 0.1}
  concentration: "0.5*x"
  concentration_perturbation: {noise: 0.01}
  tracers: {dye: "x < 0.5 ? 1 : 0"}
time: {end: 0.01}
output: {every: {steps: 5}}
checkpoint: {every: {steps: 4}, keep: 10}
`

// A case with a solute and tracers runs to its end with columns, profiles, fields, numbers and a picture of each; a restart has the same bits, and check speaks of all.
func TestSoluteAndTracers(t *testing.T) {
	dir := writeCase(t, brine)
	out, log := mustRun(t, dir, "run", "small.yaml", "--out", "out")
	for _, want := range []string{"Sherwood number of the concentration", "dye.png"} {
		if !strings.Contains(out, want) {
			t.Errorf("no %q in\n%s%s", want, out, log)
		}
	}
	d := directory(filepath.Join(dir, "out"))
	for _, name := range []string{"temperature.png", "concentration.png", "age.png", "dye.png"} {
		if info, err := os.Stat(d.path(name)); err != nil || info.Size() < 1000 {
			t.Errorf("%s: %v", name, err)
		}
	}
	for name, columns := range map[string][]string{
		series.SeriesName:   {"nusselt_hot", "sherwood_high", "sherwood_age_high", "concentration_mean", "solute_in", "solute_gain", "dye_mean", "dye_in", "cycles_solute", "cycles_dye"},
		series.ProfilesName: {"temperature", "concentration", "solute_flux", "age", "dye_flux"},
		snapshot.XDMFName:   {`Name="concentration"`, `Name="dye"`},
		series.SummaryName:  {`"sherwood": `, `"age_mean": `},
	} {
		text := fileText(t, d.path(name))
		for _, column := range columns {
			if !strings.Contains(text, column) {
				t.Errorf("%s has no %s", name, column)
			}
		}
	}
	s, err := snapshot.Read(newestSnapshot(t, d))
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"concentration", "age", "dye"} {
		if f, ok := s.Field(name); !ok || slices.Max(f.Values) <= 0 {
			t.Errorf("the snapshot has no %s", name)
		}
	}
	checkSameBits(t, dir, d)
	checked, _ := mustRun(t, dir, "check", "small.yaml", "--set", "physics.tracers.dye.decay=1e5", "--set", "physics.solute.lewis=1000")
	for _, want := range []string{"pressure, temperature, concentration, age and dye", "of the dye", "decay makes dye layers at walls", "concentration boundary layers may be"} {
		if !strings.Contains(checked, want) {
			t.Errorf("check says nothing of %q:\n%s", want, checked)
		}
	}
}

// newestSnapshot returns the path of the last snapshot.
func newestSnapshot(t *testing.T, d directory) string {
	t.Helper()
	paths, err := filepath.Glob(filepath.Join(string(d), snapshot.Folder, "*.hdf"))
	if err != nil || len(paths) == 0 {
		t.Fatalf("snapshots %v, %v", paths, err)
	}
	return paths[len(paths)-1]
}

// checkSameBits restarts a run at its step 4 and compares the ends.
func checkSameBits(t *testing.T, dir string, d directory) {
	t.Helper()
	paths, err := filepath.Glob(d.path(checkpoint.Folder + "/ckpt_*4.h5"))
	if err != nil || len(paths) == 0 {
		t.Fatalf("checkpoints %v, %v", paths, err)
	}
	mustRun(t, dir, "restart", paths[0], "--out", "again")
	again := directory(filepath.Join(dir, "again"))
	var states [2]*checkpoint.Checkpoint
	for n, d := range []directory{d, again} {
		newest, _, err := checkpoint.Newest(d.path(checkpoint.Folder))
		if err == nil {
			states[n], err = checkpoint.Read(newest)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	for n, f := range states[0].State.Fields {
		if !slices.Equal(f.Values, states[1].State.Fields[n].Values) {
			t.Errorf("%s differs after a restart", f.Name)
		}
	}
}

// A concentration starts from a snapshot, a checkpoint or a table, and one that the file lacks is refused at its key.
func TestConcentrationFromFiles(t *testing.T) {
	dir := writeCase(t, brine)
	mustRun(t, dir, "run", "small.yaml", "--out", "out")
	snap := newestSnapshot(t, directory(filepath.Join(dir, "out")))
	newest, _, err := checkpoint.Newest(filepath.Join(dir, "out", checkpoint.Folder))
	if err != nil {
		t.Fatal(err)
	}
	table := filepath.Join(dir, "s.csv")
	if err := os.WriteFile(table, []byte("x,z,S\n0,0,1\n2,0,3\n0,1,1\n2,1,3\n"), 0o666); err != nil {
		t.Fatal(err)
	}
	for _, path := range []string{snap, newest, table} {
		out, log := mustRun(t, dir, "run", "small.yaml", "--out", "next", "--force", "--set", "initial.concentration={file: "+path+"}", "--set", "time.end=1e-5")
		if !strings.Contains(out+log, "initial.concentration: ") {
			t.Errorf("%s: no word of it in\n%s%s", path, out, log)
		}
	}
	code, out, log := convect(t, dir, "run", "small.yaml", "--out", "next", "--force", "--set", "physics.tracers.other={lewis: 1}", "--set", "initial.tracers.other={file: "+snap+"}")
	if code != exitUsage || !strings.Contains(out+log, "holds no other") {
		t.Errorf("exit %d\n%s%s", code, out, log)
	}
}

// dissolving is a solute alone from above, without and with the temperature in its place.
const dissolving = `grid: {cells: [16, 16], size: [1, 1]}
physics: {temperature: none, porosity: 0.4, solute: {rayleigh: -200}}
boundaries: {top: {concentration: 1}, bottom: {concentration: 0}}
initial: {concentration: diffusion, concentration_perturbation: {mode: [1, 0, 1], amplitude: 0.1}}
time: {end: 0.02}
output: {every: {steps: 5}}
`

// A case without a temperature has no word of one in what it writes, and the numbers of the same case of heat.
func TestSoluteAlone(t *testing.T) {
	dir := writeCase(t, dissolving)
	out, log := mustRun(t, dir, "run", "small.yaml", "--out", "solute")
	checked, _ := mustRun(t, dir, "check", "small.yaml")
	d := directory(filepath.Join(dir, "solute"))
	for name, text := range map[string]string{"run": out + log, "check": checked, "series.csv": fileText(t, d.path(series.SeriesName)), "snapshots.xmf": fileText(t, d.path(snapshot.XDMFName))} {
		for _, word := range []string{"emperature", "usselt", "Nu =", "heat"} {
			if strings.Contains(text, word) {
				t.Errorf("%s speaks of %s:\n%s", name, word, text)
			}
		}
	}
	if _, err := os.Stat(d.path("temperature.png")); err == nil {
		t.Error("there is a picture of the temperature")
	}
	mustRun(t, dir, "run", "small.yaml", "--out", "heat", "--set", "physics={rayleigh: -200, heat_capacity_ratio: 0.4}", "--set", "boundaries={top: {temperature: 1}, bottom: {temperature: 0}}",
		"--set", "initial={perturbation: {mode: [1, 0, 1], amplitude: 0.1}}")
	var sum [2]*series.Summary
	for n, name := range []string{"solute", "heat"} {
		s, err := series.ReadSummary(filepath.Join(dir, name, series.SummaryName))
		if err != nil {
			t.Fatal(err)
		}
		sum[n] = s
	}
	own := sum[0].Scalars["concentration"]
	if own["sherwood"] != sum[1].Nusselt || own["sherwood_mean"] != sum[1].NusseltMean || sum[0].SpeedMax != sum[1].SpeedMax || sum[0].Rayleigh != -200 || own["sherwood"] < 1 {
		t.Errorf("%+v\n%+v", sum[0], sum[1])
	}
	mustRun(t, dir, "restart", "solute", "--set", "time.end=0.03")
	if code, out, log := convect(t, dir, "check", "small.yaml", "--set", "physics.solute.rayleigh=200", "--set", "initial.concentration_perturbation="); code != exitDone ||
		!strings.Contains(out+log, "turn the sign of physics.solute.rayleigh") {
		t.Errorf("no word of a stable state: exit %d\n%s%s", code, out, log)
	}
}

// A case in SI units has the numbers of the same case without units, its concentrations and fluxes in its own units, and check says what the diffusivity in the pores is.
func TestSoluteInUnits(t *testing.T) {
	dir := writeCase(t, `grid: {cells: [16, 16], size: [10, 10]}
physics:
  dimensional: {permeability: 1e-10, viscosity: 1e-3, density: 1000, expansivity: 1e-3, temperature_difference: 25, height: 10, conductivity: 10.5, heat_capacity: 4200,
    haline_contraction: 7.5e-4, solute_difference: 20, solute_diffusivity: 2.5e-7, porosity: 0.2}
  heat_capacity_ratio: 1
  solute: {decay: 1e-7}
boundaries: {bottom: {temperature: 25, concentration: 20}, top: {temperature: 0, solute_flux: -5e-7}}
initial: {perturbation: {mode: [1, 0, 1], amplitude: 2.5}, concentration: 2*(10 - z)}
time: {end: 4e5}
`)
	_, log := mustRun(t, dir, "run", "small.yaml", "--out", "si")
	checked, _ := mustRun(t, dir, "check", "small.yaml")
	if want := "in the water of the pores 1.25e-06 m²/s"; !strings.Contains(checked, want) {
		t.Errorf("no %q in\n%s%s", want, checked, log)
	}
	mustRun(t, dir, "run", "small.yaml", "--out", "plain", "--set", "grid.size=[1, 1]",
		"--set", "physics={rayleigh: 98.1, porosity: 0.2, heat_capacity_ratio: 1, solute: {buoyancy_ratio: -0.6, lewis: 10, decay: 0.8}}",
		"--set", "boundaries={bottom: {temperature: 1, concentration: 1}, top: {temperature: 0, solute_flux: -0.1}}",
		"--set", "initial={perturbation: {mode: [1, 0, 1], amplitude: 0.1}, concentration: 1 - z}", "--set", "time.end=0.01")
	var sum [2]*series.Summary
	for n, name := range []string{"si", "plain"} {
		s, err := series.ReadSummary(filepath.Join(dir, name, series.SummaryName))
		if err != nil {
			t.Fatal(err)
		}
		sum[n] = s
	}
	for name, unit := range map[string]float64{"sherwood": 1, "concentration_mean": 20, "solute_in": 20 * 2.5e-6, "solute_gain": 20 * 2.5e-6} {
		got, want := float64(sum[0].Scalars["concentration"][name]), unit*float64(sum[1].Scalars["concentration"][name])
		if math.Abs(got-want) > 1e-6*math.Abs(want) || want == 0 {
			t.Errorf("%s: %g, want %g", name, got, want)
		}
	}
	if math.Abs(float64(sum[0].Nusselt-sum[1].Nusselt)) > 1e-6 {
		t.Errorf("Nu %g, without units %g", sum[0].Nusselt, sum[1].Nusselt)
	}
}
