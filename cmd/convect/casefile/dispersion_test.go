package casefile

import (
	"fmt"
	"math"
	"testing"

	"convect/physics"
)

// Lengths are in the height of the domain, in SI units in metres.
func TestDispersion(t *testing.T) {
	const dimensional = "physics:\n  dimensional: {permeability: 1e-12, viscosity: 1e-3, density: 1000, expansivity: 2e-4, temperature_difference: 10, height: 1000, conductivity: 10, heat_capacity: 4200}\n"
	c := load(t, "physics: {rayleigh: 100, dispersion: {longitudinal: 0.02, transverse: 0.002}}\n")
	if c.Parameters.Dispersion != (physics.Dispersion{Longitudinal: 0.02, Transverse: 0.002}) {
		t.Errorf("lengths %v", c.Parameters.Dispersion)
	}
	c = load(t, "grid:\n  cells: [8, 4]\n  size: [2000, 1000]\n"+dimensional+"  dispersion: {longitudinal: 20, transverse: 2}\n")
	if l, h := c.Parameters.Dispersion, c.Scales.Length; math.Abs(l.Longitudinal*h-20) > 1e-12 || math.Abs(l.Transverse*h-2) > 1e-12 {
		t.Errorf("lengths %v times %g m", l, h)
	}
	const carried = "physics: {rayleigh: 100, solute: {buoyancy_ratio: 0, lewis: 2}, tracers: {dye: {lewis: 1}, ink: {lewis: 1}}, dispersion: {%s}}\n"
	long, none := physics.Dispersion{Longitudinal: 0.1, Transverse: 0.01}, physics.Dispersion{}
	for of, want := range map[string][4]physics.Dispersion{
		"longitudinal: 0.1, transverse: 0.01":                                                              {long, long, long, long},
		"temperature: {longitudinal: 0.1, transverse: 0.01}":                                               {long, none, none, none},
		"concentration: {longitudinal: 0.1, transverse: 0.01}":                                             {none, long, none, none},
		"ink: {longitudinal: 0.1, transverse: 0.01}, temperature: {longitudinal: 0, transverse: 0}":        {none, none, none, long},
		"dye: {longitudinal: 0.1, transverse: 0.01}, concentration: {longitudinal: 0.1, transverse: 0.01}": {none, long, long, none},
	} {
		for n, got := range load(t, fmt.Sprintf(carried, of)).Parameters.Carried() {
			if got.Dispersion != want[n] {
				t.Errorf("%s: %s has %v", of, got.Name, got.Dispersion)
			}
		}
	}
	c = load(t, "physics: {temperature: none, solute: {rayleigh: 100}, tracers: {dye: {lewis: 2}}, dispersion: {dye: {longitudinal: 0.1, transverse: 0.01}}}\nboundaries: {bottom: {concentration: 1}}\n")
	if all := c.Parameters.Carried(); all[0].Dispersion != none || all[1].Dispersion != long {
		t.Errorf("without a temperature %v and %v", all[0].Dispersion, all[1].Dispersion)
	}
	if c = load(t, "physics: {rayleigh: 100, dispersion: {longitudinal: 0, transverse: 0}}\n"); c.Parameters.Dispersion != (physics.Dispersion{}) {
		t.Errorf("lengths %v", c.Parameters.Dispersion)
	}
}
