package main

import (
	"path/filepath"
	"strings"
	"testing"

	"convect/cmd/convect/casefile"
	"convect/kernels/cpu"
	"convect/kernels/devicetest"
	"convect/physics"
)

// check and run say in one sentence where nothing will happen, and nothing where something does.
func TestOutlookIsSaid(t *testing.T) {
	dir := writeCase(t, `title: Layer
grid: {cells: [16, 16], size: [1, 1]}
physics: {rayleigh: 100}
boundaries: {bottom: {temperature: 1}, top: {temperature: 0}}
time: {end: 1, max_step: 0.1}
`)
	drawn := devicetest.Draw(t, 3)
	const disturb, stable, weak, uniform = "nothing disturbs the initial state", "the stratification is stable", "is below the critical one", "nothing will move"
	for _, c := range []struct {
		name string
		set  []string
		want string
	}{
		{"undisturbed", nil, disturb},
		{"noise that float32 cannot hold", []string{"initial.perturbation={noise: 1e-9}", "solver.precision=float32"}, "initial.perturbation is too small for solver.precision"},
		{"disturbed", []string{"initial.perturbation={noise: 1e-6}"}, ""},
		{"an initial state that varies", []string{"initial.temperature=1 - z + 0.01*x"}, ""},
		{"weak", []string{"physics.rayleigh=30"}, weak},
		{"nearly critical", []string{"physics.rayleigh=39"}, ""},
		{"the sign of salt", []string{"physics.rayleigh=-100", "initial.perturbation={noise: 1e-3}"}, stable},
		{"salt", []string{"physics.rayleigh=-100", "boundaries.bottom={temperature: 0}", "boundaries.top={temperature: 1}", "initial.perturbation={noise: 1e-3}"}, ""},
		{"side-heated", []string{"boundaries.left={temperature: 1}"}, ""},
		{"patch", []string{"boundaries.patches=[{wall: bottom, x: [0, 0.5], temperature: 2}]"}, ""},
		{"no walls held", []string{"boundaries.bottom=", "boundaries.top=", "initial.temperature=0.5"}, uniform},
		{"no buoyancy", []string{"physics.rayleigh=0"}, ""},
		{"tight layers", []string{"physics.permeability={layers: [{top: 0.5, value: 0.01}, {top: 1, value: 1}]}"}, weak},
	} {
		if !drawn() {
			continue
		}
		args := []string{"small.yaml"}
		for _, s := range c.set {
			args = append(args, "--set", s)
		}
		checked, _ := mustRun(t, dir, append([]string{"check"}, args...)...)
		out, log := mustRun(t, dir, append([]string{"run", "--out", "out", "--force", "--set", "time.end=1e-3"}, args...)...)
		for command, got := range map[string]string{"check": checked, "run": out + log} {
			said := 0
			for _, text := range []string{disturb, stable, weak, uniform} {
				said += strings.Count(got, text)
			}
			if c.want == "" && said > 0 || c.want != "" && (said != 1 || !strings.Contains(got, c.want)) && command == "check" {
				t.Errorf("%s, %s: want %q\n%s", c.name, command, c.want, got)
			}
		}
	}
	out, log := mustRun(t, dir, "run", "small.yaml", "--out", "out", "--force", "--set", "time.steady=1e-3")
	if !strings.Contains(out+log, disturb) {
		t.Errorf("run does not say %q\n%s", disturb, out+log)
	}
}

// No shipped case, nor a variant of it, is warned of, and of none is said that it does not convect. Those of many nodes are judged on fewer.
func TestShippedCasesAreQuiet(t *testing.T) {
	devicetest.Long(t)
	dev, err := cpu.New(cpu.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer dev.Close()
	paths, err := filepath.Glob("../../runs/*/" + caseName)
	if err != nil || len(paths) == 0 {
		t.Fatalf("no cases in runs: %v", err)
	}
	for _, path := range paths {
		variants := []variant{{Name: "as it is"}}
		if c, err := readExpectation(filepath.Join(filepath.Dir(path), expectName)); err == nil {
			variants = append(variants, c.variants...)
		}
		for _, v := range variants {
			reload := func(extra ...string) (*casefile.Case, error) {
				return loadCase(path, append(overridesOf(v.Set), extra...))
			}
			c, err := reload()
			if err != nil {
				t.Fatal(err)
			}
			small, _, err := coarser(c, reload, 3000)
			if err != nil {
				t.Fatal(err)
			}
			s, err := physics.New(dev, small.Parameters, small.Controls)
			if err != nil {
				t.Fatalf("%s, %s: %v", path, v.Name, err)
			}
			outlook, err := s.Outlook()
			if err != nil {
				t.Fatal(err)
			}
			said := resolutionWarnings(c, driveOf(s))
			if text, unwanted := outlookText(c, outlook); unwanted || text != "" && len(v.Set) == 0 { // variants of growth and onset are below the critical number
				said = append(said, text)
			}
			if len(said) > 0 {
				t.Errorf("%s, %s: %s", path, v.Name, strings.Join(said, "; "))
			}
			s.Free()
		}
	}
}
