package casefile

import (
	"context"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"convect/io/h5"
	"convect/kernels/cpu"
	"convect/physics"
)

// rock is the reference of the cases in SI units below: 1000 m of it, 40 K warm below, in units of time of 1.68e12 s.
func rock() physics.Dimensional {
	return physics.Dimensional{Permeability: 1e-12, Viscosity: 1e-3, Density: 1000, Expansivity: 2e-4, TemperatureDifference: 40,
		Height: 1000, Conductivity: 2.5, HeatCapacity: 4200, RockDensity: 2650, RockHeatCapacity: 850, Gravity: 9.81}
}

// twin is one case in two forms.
type twin struct {
	grid           string // after "cells: ", with sizes in km
	si, ra         string // keys of physics
	siRest, raRest string // other sections
}

// twins are cases with each kind of property in each form in which it can be given.
func twins(dir string) map[string]twin {
	walls := "boundaries: {bottom: {temperature: %s}, top: {temperature: 0}}\ninitial: {perturbation: {mode: [1, 0, 1], amplitude: %s}}\n"
	siWalls, raWalls := fmt.Sprintf(walls, "40", "4"), fmt.Sprintf(walls, "1", "0.1")
	d := rock()
	ratio := func(phi string) string {
		return fmt.Sprintf("heat_capacity_ratio: %s + (1 - (%s))*%.17g", phi, phi, 2650*850/(1000*4200.0))
	}
	unit := d.Scales().HeatFlux / d.Height
	return map[string]twin{
		"file": {"[14, 9], size: [1.4, 1]", "permeability: {file: " + filepath.Join(dir, "si.h5") + "}",
			"permeability: {file: " + filepath.Join(dir, "ra.h5") + "}", siWalls, raWalls},
		"file by direction": {"[14, 9], size: [1.4, 1], grading: {z: {cluster: both, ratio: 4}}",
			"permeability: {file: " + filepath.Join(dir, "si.h5") + ", dataset: /both}, porosity: 0.1 + z/5000",
			"permeability: {file: " + filepath.Join(dir, "ra.h5") + ", dataset: /both}, " + ratio("0.1 + z/5"), siWalls, raWalls},
		"layers": {"[6, 4, 8], size: [1.2, 0.5, 1]", "permeability: {layers: [{top: 310, value: 5e-14}, {top: 1000, value: [2e-12, 2e-12, 3e-13]}]}, " +
			"conductivity: [2, 3, 2 + z/500], porosity: 0.2",
			"permeability: {layers: [{top: 0.31, value: 0.05}, {top: 1, value: [2, 2, 0.3]}]}, diffusivity: [0.8, 1.2, 0.8 + z/1.25], " + ratio("0.2"),
			"boundaries: {bottom: {heat_flux: 0.09}, top: {temperature: 0, flow: open}, sides: periodic}\ninitial: {temperature: 40 - z/25, perturbation: {noise: 2}}\n",
			"boundaries: {bottom: {heat_flux: 0.9}, top: {temperature: 0, flow: open}, sides: periodic}\ninitial: {temperature: 1 - z, perturbation: {noise: 0.05}}\n"},
		"layers by direction": {"[10, 12], size: [1, 1]", "permeability: {layers: [{top: 310, value: [2e-12, 5e-14]}, {top: 1000, value: 1e-12}]}, conductivity: [2, 3]",
			"permeability: {layers: [{top: 0.31, value: [2, 0.05]}, {top: 1, value: 1}]}, diffusivity: [0.8, 1.2]", siWalls, raWalls},
		"columns": {"[10, 12], size: [1, 1]", "permeability: {file: si.csv, column: k}, conductivity: {file: si.csv, column: lambda}, " +
			"viscosity: {file: si.csv, column: mu}, porosity: {file: si.csv, column: phi}, heat_source: {file: si.csv, column: q}",
			"permeability: {file: ra.csv, column: k}, diffusivity: {file: ra.csv, column: lambda}, viscosity: {file: ra.csv, column: mu}, " +
				"heat_capacity_ratio: {file: ra.csv, column: phi}, heat_source: {file: ra.csv, column: q}",
			"boundaries: {left: {temperature: {table: si-t.csv, column: T, time_unit: yr}}, right: {temperature: 0}}\ninitial: {temperature: 0}\n",
			"boundaries: {left: {temperature: {table: ra-t.csv, column: T}}, right: {temperature: 0}}\ninitial: {temperature: 0}\n"},
		"lognormal": {"[12, 11], size: [1, 1]", "permeability: {lognormal: {variance: 2, correlation: [200, 50], seed: 7}}, heat_capacity_ratio: 0.7, " +
			"heat_source: 1e-6*exp(-z/500)",
			"permeability: {lognormal: {variance: 2, correlation: [0.2, 0.05], seed: 7}}, heat_capacity_ratio: 0.7, " +
				fmt.Sprintf("heat_source: %.17g*exp(-2*z)", 1e-6/unit), siWalls, raWalls},
		"lognormal with a mean": {"[12, 11], size: [1, 1]", "permeability: {lognormal: {mean_log: -26, variance: 1, correlation: 100}}, conductivity: 4",
			fmt.Sprintf("permeability: {lognormal: {mean_log: %.17g, variance: 1, correlation: 0.1}}, diffusivity: 1.6", -26-math.Log(1e-12)), siWalls, raWalls},
		"viscosity": {"[10, 12], size: [1, 1]", "viscosity: 1e-3*exp(-T/40)*(1 + x/2000), permeability: [2e-12, 5e-13]",
			"viscosity: exp(-T)*(1 + x/2), permeability: [2, 0.5]", siWalls, raWalls},
		"viscosity of position": {"[10, 12], size: [1, 1]", "viscosity: 5e-4*(1 + x/1000), permeability: 1e-12*exp(-z/1000)",
			"viscosity: 0.5*(1 + x), permeability: exp(-z)", siWalls, raWalls},
		"viscosity of temperature": {"[10, 12], size: [1, 1]", "viscosity: 2e-3*exp(-T/20), conductivity: 2 + x/1000",
			"viscosity: 2*exp(-2*T), diffusivity: 0.8 + 0.4*x", siWalls, raWalls},
		"constants": {"[10, 12], size: [1, 1]", "viscosity: 5e-4, permeability: 3e-12, conductivity: 2, porosity: 0.3",
			"viscosity: 0.5, permeability: 3, diffusivity: 0.8, " + ratio("0.3"),
			"boundaries: {left: {temperature: '40*sin(2*pi*t/2e11)'}, right: {temperature: 0}}\ninitial: {temperature: 0}\n",
			fmt.Sprintf("boundaries: {left: {temperature: 'sin(2*pi*t*%.17g)'}, right: {temperature: 0}}\ninitial: {temperature: 0}\n", d.Scales().Time/2e11)},
	}
}

// twentySteps makes twenty steps of a case and returns time, temperature, pressure and velocity in its units.
func twentySteps(t *testing.T, path, text string) map[string][]float64 {
	t.Helper()
	c, err := Parse(path, []byte(text), nil)
	if err == nil {
		err = c.Build(BuildOptions{})
	}
	if err != nil {
		t.Fatalf("%s\n%v", text, err)
	}
	dev, err := cpu.New(cpu.Options{Threads: 1})
	if err != nil {
		t.Fatal(err)
	}
	defer dev.Close()
	s, err := physics.New(dev, c.Parameters, c.Controls)
	if err != nil {
		t.Fatal(err)
	}
	defer s.Free()
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	if _, err := s.Run(ctx, stopAt(20, cancel)); err != nil || s.Step() != 20 {
		t.Fatalf("step %d: %v", s.Step(), err)
	}
	out := map[string][]float64{"time": {s.Time() * c.Scales.Time}}
	for _, q := range s.Quantities() {
		values, err := s.Download(q.Name)
		if err != nil {
			t.Fatal(err)
		}
		for i := range values {
			values[i] *= q.Scale(c.Scales)
		}
		out[q.Name] = values
	}
	return out
}

// stopAt is an observer that ends a run after a step.
func stopAt(step int64, stop func()) physics.Observer { return stopper{step, stop} }

type stopper struct {
	step int64
	stop func()
}

// Observe ends the run if it is due.
func (o stopper) Observe(s *physics.Simulation, _ physics.Event) error {
	if s.Step() == o.step {
		o.stop()
	}
	return nil
}

// writeTwo writes cell values as /k, and as /both with 0.3 of them along z.
func writeTwo(t *testing.T, path string, n int, value func(i int) float64) {
	t.Helper()
	w, err := h5.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	defer w.Abort()
	values := make([]float64, 2*n)
	for i := range n {
		values[i], values[n+i] = value(i), 0.3*value(i)
	}
	w.Float64s("/k", []int{9, 14}, values[:n])
	w.Float64s("/both", []int{2, 9, 14}, values)
	if err := w.Commit(); err != nil {
		t.Fatal(err)
	}
}

// writeProperties writes tables of all properties, on a grid of their own, and of a wall in time.
func writeProperties(t *testing.T, dir string) {
	t.Helper()
	d, text := rock(), map[string]string{"si.csv": "x,z,k,lambda,mu,phi,q\n", "ra.csv": "x,z,k,lambda,mu,phi,q\n", "si-t.csv": "time,T\n", "ra-t.csv": "time,T\n"}
	add := func(name string, values ...float64) {
		line := strings.Join(strings.Fields(strings.Trim(fmt.Sprintf("%.17g", values), "[]")), ",")
		text[name] += line + "\n"
	}
	for _, z := range []float64{0, 0.25, 0.5, 1} {
		for _, x := range []float64{0, 0.5, 1} {
			k, lambda, mu, phi, q := 1+x+2*z, 1+0.25*x, 1+0.5*z, 0.125+0.25*x, 0.5*z
			add("si.csv", 1000*x, 1000*z, k*d.Permeability, lambda*d.Conductivity, mu*d.Viscosity, phi, q*d.Scales().HeatFlux/d.Height)
			add("ra.csv", x, z, k, lambda, mu, d.HeatCapacityRatio(phi), q)
		}
	}
	for _, year := range []float64{0, 500, 1000, 1e6} {
		add("si-t.csv", year, math.Min(0.04*year, 50))
		add("ra-t.csv", year*365.25*86400/d.Scales().Time, math.Min(0.001*year, 1.25))
	}
	for name, lines := range text {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(lines), 0o666); err != nil {
			t.Fatal(err)
		}
	}
}

// A case in SI units and the same one in units of its reference have the same twenty steps, whatever form its properties have.
func TestUnitsChangeNothing(t *testing.T) {
	dir := t.TempDir()
	d, scales := rock(), rock().Scales()
	for name, k := range map[string]float64{"si.h5": 1e-12, "ra.h5": 1} {
		writeTwo(t, filepath.Join(dir, name), 14*9, func(i int) float64 { return k * math.Exp(3*math.Sin(float64(i))) })
	}
	// In mixed precision the cycles round to float32, where the last bits of what they are given may decide.
	writeProperties(t, dir)
	const solver = "solver: {precision: float64, pressure: {tolerance: 1e-13}}\n"
	const material = "dimensional: {permeability: 1e-12, viscosity: 1e-3, density: 1000, expansivity: 2e-4, temperature_difference: 40, " +
		"height: 1000, conductivity: 2.5, heat_capacity: 4200%s}"
	inMetres := strings.NewReplacer("size: [1.4, 1]", "size: [1400, 1000]", "size: [1, 1]", "size: [1000, 1000]", "size: [1.2, 0.5, 1]", "size: [1200, 500, 1000]")
	for name, c := range twins(dir) {
		t.Run(name, func(t *testing.T) {
			grain := ", rock_density: 2650, rock_heat_capacity: 850, porosity: 0.5"
			if !strings.Contains(c.si, "porosity") {
				grain = ""
			}
			si := twentySteps(t, filepath.Join(dir, "si.yaml"), fmt.Sprintf("grid: {cells: %s}\nphysics: {%s, %s}\n%stime: {end: 1e6 yr, max_step: 100 yr}\n"+solver,
				inMetres.Replace(c.grid), fmt.Sprintf(material, grain), c.si, c.siRest))
			ra := twentySteps(t, filepath.Join(dir, "ra.yaml"), fmt.Sprintf("grid: {cells: %s}\nphysics: {rayleigh: %.17g, %s}\n%stime: {end: %.17g, max_step: %.17g}\n"+solver,
				c.grid, d.Rayleigh(), c.ra, c.raRest, 1e6*365.25*86400/scales.Time, 100*365.25*86400/scales.Time))
			for name, unit := range map[string]float64{"time": scales.Time, "temperature": 40, "pressure": scales.Pressure, "velocity": scales.Velocity} {
				worst, largest := 0.0, 0.0
				for i, v := range si[name] {
					worst = math.Max(worst, math.Abs(v-unit*ra[name][i]))
					largest = math.Max(largest, math.Abs(v))
				}
				if !(worst <= 1e-12*largest) || len(si[name]) != len(ra[name]) {
					t.Errorf("%s differs by %.3g of %.3g (%.2g)", name, worst, largest, worst/largest)
				}
			}
		})
	}
}

// A file of multiples of the reference is refused in a case in SI units.
func TestFileOfMultiples(t *testing.T) {
	dir := t.TempDir()
	writeValues(t, filepath.Join(dir, "k.h5"), "/k", []int{4, 8}, func(i int) float64 { return 1 + float64(i) })
	c := strings.TrimSuffix(material, "\n") + "\n  permeability: {file: k.h5}\n"
	_, err := buildIn(dir, strings.Replace(c, "height: 1000", "height: 1", 1))
	if err == nil || !strings.Contains(err.Error(), "physics.permeability") || !strings.Contains(err.Error(), "is 1 at [0][0] (x = 0.125, z = 0.125); 32 of 32 values are not accepted") ||
		!strings.Contains(err.Error(), "m² (multiples of the reference") {
		t.Errorf("error %v", err)
	}
}
