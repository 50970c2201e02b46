package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"convect/cmd/convect/casefile"
	"convect/physics"
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

// check prints the range of each property in SI units and what it makes of them: k ρ g α ΔT H/(μ κ) with κ = 2.5/(950·4200) m²/s is 118.99 for
// k = 1e-14 m² and 200 K, k ρ g α ΔT/μ is 1.491e-7 m/s for 2e-14 m², 4.71 m a year, and ten times that in pores of 0.1.
func TestCheckInUnits(t *testing.T) {
	dir := writeCase(t, strings.Replace(fieldCase, "value: [2e-14, 5e-15]", "value: [4e-15, 2e-14]", 1))
	out, _ := mustRun(t, dir, "check", "small.yaml")
	for _, want := range []string{"permeability 4e-15…2e-14 m²\n", "viscosity 0.0002 Pa s\n", "conductivity 2.5 W/(m K)\n", "porosity 0.1\n",
		"heat capacity ratio 0.5926\n", "temperature 0…200 K, of the start", "local Rayleigh number 119…238,", "Darcy velocity up to 1.49e-07 m/s (4.71 m/yr)",
		"water in the pores up to 1.49e-06 m/s (47.1 m/yr)", " yr over the unit of length", "largest "} {
		if !strings.Contains(out, want) {
			t.Errorf("no %q in\n%s", want, out)
		}
	}
	out, _ = mustRun(t, dir, "check", "small.yaml", "--set", "physics.viscosity=2e-4*exp(-T/200)*(1 + x/1500)", "--set", "physics.conductivity=[2, 3]",
		"--set", "physics.heat_source=1e-6*z/1000")
	for _, want := range []string{"viscosity 7.", "e-05…0.0003", "conductivity 2…3 W/(m K)", "heat source 0…1e-06 W/m³"} {
		if !strings.Contains(out, want) {
			t.Errorf("no %q in\n%s", want, out)
		}
	}
}

// Values that no real medium has are told; good ones are not.
func TestAbsurdProperties(t *testing.T) {
	const reference = "physics.dimensional."
	for _, c := range []struct {
		low, high float64 // K
		set, want string
	}{
		{0, 200, "title=good", ""},
		{0, 200, "physics.porosity=0.85", ""},
		{-280, 0, "title=cold", ""},
		{0, 200, "physics.permeability=1e-23", "physics.permeability is 1e-23 m²: real media have 1e-22 to 1e-07 m², from rock salt to coarse gravel"},
		{0, 200, `physics.permeability="z < 500 ? 5e-7 : 1e-12"`, "physics.permeability is 1e-12…5e-07 m²"},
		{0, 200, "physics.permeability={lognormal: {mean_log: -15, variance: 0, correlation: 100}}", "physics.permeability is 3.059e-07 m²"},
		{0, 200, "physics.viscosity=1", "is it a multiple of the reference, as in earlier versions?"},
		{0, 200, "physics.viscosity=exp(-T/200)", "is it a multiple of the reference"},
		{0, 200, "physics.viscosity=1e-7", "physics.viscosity is 1e-07 Pa s: real media have"},
		{0, 200, "physics.conductivity=2500", "physics.conductivity is 2500 W/(m K)"},
		{0, 200, "physics.porosity=0.95", "physics.porosity is up to 0.95"},
		{0, 200, reference + "density=0.001", "physics.dimensional.density is 0.001 kg/m³"},
		{0, 200, reference + "expansivity=8", "physics.dimensional.expansivity is 8 1/K"},
		{0, 200, reference + "heat_capacity=4.2", "physics.dimensional.heat_capacity is 4.2 J/(kg K)"},
		{0, 200, reference + "gravity=1e5", "physics.dimensional.gravity is 100000 m/s²"},
		{0, 200, reference + "rock_density=2.65", "physics.dimensional.rock_density is 2.65 kg/m³"},
		{0, 200, reference + "rock_heat_capacity=0.84", "physics.dimensional.rock_heat_capacity is 0.84 J/(kg K)"},
		{0, 5000, "title=hot", "temperatures are 0…5000 K"},
		{-600, 0, "title=below zero", "temperatures are -600…0 K"},
		{300, 400, "title=absolute", "as if they were absolute"},
		{0, 800, "title=light", "the density of the fluid changes by 0.64 of itself"},
		{0, 200, "physics.permeability=9e-8", "Reynolds number of the pores"},
	} {
		parsed, err := casefile.Parse("case.yaml", []byte(fieldCase), []string{c.set})
		if err == nil {
			err = parsed.Build(casefile.BuildOptions{})
		}
		if err != nil {
			t.Fatal(err)
		}
		got := strings.Join(absurdities(parsed, newMedium(parsed, physics.Values{Low: [2]float64{c.low / 200}, High: [2]float64{c.high / 200}}, 0)), "\n")
		if (c.want == "") != (got == "") || !strings.Contains(got, c.want) {
			t.Errorf("%s: %q, want %q", c.set, got, c.want)
		}
	}
}

// check warns of them, and run does before its first step.
func TestAbsurdPropertiesAreTold(t *testing.T) {
	dir := writeCase(t, fieldCase)
	set := []string{"--set", "physics.permeability=2e-7", "--set", "time={end: 1 s}", "--set", "boundaries={bottom: {heat_flux: 60}, top: {temperature: 0}}",
		"--set", "physics.heat_source=2.5"}
	out, _ := mustRun(t, dir, append([]string{"check", "small.yaml"}, set...)...)
	_, log := mustRun(t, dir, append([]string{"run", "small.yaml"}, set...)...)
	for _, text := range []string{out, log} {
		for _, want := range []string{"physics.permeability is 2e-07 m²: real media", "heat_flux is in W/m², not in mW/m²", "physics.heat_source would make"} {
			if !strings.Contains(text, want) {
				t.Errorf("%q is not in %s", want, text)
			}
		}
	}
}
